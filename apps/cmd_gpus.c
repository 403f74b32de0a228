/* parsim gpus: the machines that can be simulated, and every field that describes one. */
#include "cli.h"
#include "cmd.h"
#include "gpu/import_gpgpusim.h"
#include "gpu/machine.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: parsim gpus                    the machines: SMs, clock, memory bandwidth, "
    "calibration\n"
    "       parsim gpus NAME [--set K=V]   one of them: every field, its value, where it is from\n"
    "       parsim gpus NAME --yaml        the same as a file for --gpu FILE.yaml\n"
    "       parsim gpus NAME --source      the file that describes it, with the source of values\n"
    "       parsim gpus --fields           every field, techniques' too: its default, bounds and\n"
    "                                      meaning (Markdown)\n"
    "       parsim gpus --designs          what --with takes: 'base' and every technique\n"
    "       parsim gpus --import FILE      a machine made of a gpgpusim.config, as a file for "
    "--gpu; at "
    "its\n"
    "                                      end the options that could not be taken over\n"
    "       parsim gpus --doc              docs/machines.md\n"
    "\n"
    "NAME may be a file of yours (FILE.yaml); it may begin with 'base: NAME' and say only what\n"
    "differs. --set section.field=value overrides a field, and --plugin FILE adds a technique, "
    "here\n"
    "as in run and launch.\n";

/* --- the list --- */

static bool print_row(const char *name, const char *format, struct err *err)
{
    struct machine *m = machine_new(name, NULL, 0, err);
    if (!m)
        return false;
    printf(format, name, (long long)m->gpu.sms, m->gpu.core_mhz, machine_dram_bandwidth(m) * 1e-9,
           m->gpu.about, m->gpu.calibration);
    machine_free(m);
    return true;
}

static bool print_list(const char *format, struct err *err)
{
    for (const struct machine_file *f = machine_files(); f->name; f++)
        if (!print_row(f->name, format, err))
            return false;
    return true;
}

static bool list(struct err *err)
{
    printf("%-16s %4s %9s %10s  %s\n", "name", "SMs", "core MHz", "DRAM GB/s",
           "what (compared with)");
    return print_list("%-16s %4lld %9g %10.1f  %s (%s)\n", err);
}

/* --- one --- */

struct explain {
    const struct machine *m;
    const char *section;
};

static void print_field(void *ctx, const char *section, const struct conf_field *f,
                        const char *value)
{
    struct explain *e = ctx;
    char key[96], shown[64];
    if (!e->section || strcmp(e->section, section))
        printf("%s%s\n", e->section ? "\n" : "", section);
    e->section = section;
    snprintf(key, sizeof key, "%s.%s", section, f->name);
    char device[32];
    if (!strcmp(section, "dram") && f->type == CONF_INT && !strcmp(value, "-1")) {
        /* the device's value */
        snprintf(device, sizeof device, "%lld",
                 (long long)*(const int64_t *)((const char *)&e->m->dram_resolved + f->offset));
        value = device;
    }
    snprintf(shown, sizeof shown, "%s%s%s", *value ? value : "(empty)", *f->unit ? " " : "",
             f->unit);
    printf("  %-18s %-22s %s [%s]\n", f->name, shown, f->help, conf_source(e->m->conf, key));
}

static void explain(const struct machine *m)
{
    struct explain e = {.m = m};
    printf("%s: %s\ncompared with: %s\n", m->gpu.name, m->gpu.about, m->gpu.calibration);
    printf("%lld SMs at %g MHz, %u L2 slices of %llu KB, %lld DRAM channels of %.1f GB/s, %.1f "
           "GB/s in "
           "all\n",
           (long long)m->gpu.sms, m->gpu.core_mhz, machine_slices(m),
           (unsigned long long)m->l2.size >> 10, (long long)m->map.channels,
           machine_dram_bandwidth(m) / (double)m->map.channels * 1e-9,
           machine_dram_bandwidth(m) * 1e-9);
    printf("in all: L2 %.1f GB/s (%u ports of %lld bytes at %g MHz), interconnect to SMs %.1f GB/s "
           "(%lld x %lld bytes at %g MHz), DRAM %.1f GB/s\n\n",
           machine_l2_bandwidth(m) * 1e-9, machine_slices(m), (long long)m->l2.port_bytes,
           m->gpu.l2_mhz, machine_reply_bandwidth(m) * 1e-9, (long long)m->gpu.sms,
           (long long)(m->noc.flit_bytes * m->noc.eject_flits), m->gpu.noc_mhz,
           machine_dram_bandwidth(m) * 1e-9);
    conf_each(m->conf, print_field, &e);
}

static bool print_source(const char *name, struct err *err)
{
    const struct machine_file *f = machine_find(name);
    if (!f)
        return err_set(err, "no GPU '%s' comes with Parsim; 'parsim gpus' lists them", name);
    fputs(f->text, stdout);
    return true;
}

/* --- all designs --- */

static bool print_designs(const char *plugins, struct err *err)
{
    struct machine *m = cli_machine(plugins, err);
    const struct technique *t;
    for (size_t i = 0; m && (t = tech_list_at(m->techs, i)); i++) {
        if (!i)
            printf("%-22s %s\n", "base", "the machine as it is");
        for (size_t k = 0; k < t->ndesigns; k++)
            printf("%-22s %s%s\n", t->designs[k].name, t->designs[k].help,
                   t->designs[k].is_compared ? " (compared by default)" : "");
    }
    machine_free(m);
    return m != NULL;
}

/* --- all fields --- */

static bool print_fields(const char *plugins, struct err *err)
{
    struct machine *m = cli_machine(plugins, err);
    if (m)
        conf_write_docs(m->conf, stdout);
    machine_free(m);
    return m != NULL;
}

static bool print_doc(struct err *err)
{
    puts("# Machines\n\n"
         "Made by `parsim gpus --doc > docs/machines.md`; do not edit. A machine is a file in\n"
         "`gpus/`, in which the source of every value is a comment (`parsim gpus NAME --source`).\n"
         "`--gpu NAME` or `--gpu FILE.yaml` chooses one for `parsim run` and `parsim launch`,\n"
         "`--set section.field=value` overrides a field. A file of yours may begin with\n"
         "`base: NAME` and say only what differs:\n\n"
         "    base: gtx480\n    l1:\n      size: 32K\n\n"
         "`dram.bandwidth_scale` scales the memory bandwidth at the same latencies. `gpu.dram_gbs` "
         "is what a\n"
         "data sheet states: a file whose channels, widths and clock make another bandwidth (by "
         "more than 1%)\n"
         "is refused with both numbers and the keys that make them.\n\n"
         "`parsim gpus --import gpgpusim.config > mine.yaml` makes a machine of a configuration of "
         "GPGPU-Sim:\n"
         "each value with the line that it is from, the rest of `gtx480-gpgpusim`, and at the end "
         "of the file the\n"
         "options that could not be taken over, with the reason.\n\n"
         "| name | SMs | core MHz | DRAM GB/s | what | compared with |\n|---|---|---|---|---|---|");
    if (!print_list("| %s | %lld | %g | %.1f | %s | %s |\n", err))
        return false;
    puts("\n## Fields\n\n"
         "Those of the machine. A technique has a section of its own and rows of `energy`, which\n"
         "`parsim gpus --fields` lists too (with `--plugin FILE.so` those of a plug-in);\n"
         "docs/designs.md says what they are for.\n");
    machine_write_fields(stdout);
    return true;
}

/* --- another simulator's --- */

/* EXIT_DONE; or with an error EXIT_FAILED: nothing in it is of use; EXIT_USAGE. */
static int print_import(const char *path, struct err *err)
{
    struct import_count count;
    if (!import_gpgpusim(path, stdout, &count, err))
        return EXIT_USAGE;
    if (!count.taken) {
        err_set(err, "%s: none of its %zu options could be taken over; the file's end says why",
                path, count.left);
        return EXIT_FAILED;
    }
    fprintf(stderr,
            "parsim gpus: %zu options were taken over, %zu were not: the file's end lists them\n",
            count.taken, count.left);
    if (!*count.refused.msg)
        return EXIT_DONE;
    err_set(err, "what came out is no machine yet: %s", count.refused.msg);
    return EXIT_USAGE;
}

/* --- the command --- */

struct line {
    const char *name;
    const char *import; /* a gpgpusim.config */
    bool yaml, source, fields, designs, doc;
    char *plugins;
    const char *sets[64];
    size_t nsets;
};

static bool parse(struct line *l, int argc, char **argv, struct err *err)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"--yaml", &l->yaml},
                 {"--source", &l->source},
                 {"--fields", &l->fields},
                 {"--designs", &l->designs},
                 {"--doc", &l->doc}};
    for (int i = 1; i < argc; i++) {
        size_t k = 0;
        while (k < ARRAY_LEN(flags) && strcmp(argv[i], flags[k].name))
            k++;
        if (k < ARRAY_LEN(flags))
            *flags[k].flag = true;
        else if (!strcmp(argv[i], "--import") && i + 1 < argc)
            l->import = argv[++i];
        else if (!strcmp(argv[i], "--plugin") && i + 1 < argc) {
            if (!cli_add_plugin(&l->plugins, argv[++i], err))
                return false;
        } else if (!strcmp(argv[i], "--set") && i + 1 < argc && l->nsets < ARRAY_LEN(l->sets))
            l->sets[l->nsets++] = argv[++i];
        else if (argv[i][0] == '-' || l->name)
            return err_set(err, "cannot take '%s'; see --help", argv[i]);
        else
            l->name = argv[i];
    }
    if (!l->name && (l->yaml || l->source || l->nsets))
        return err_set(err, "say which GPU; see --help");
    return true;
}

static bool show_machine(const struct line *l, struct err *err)
{
    const char *sets[ARRAY_LEN(l->sets) + 1];
    size_t n = 0;
    char *plugin = l->plugins ? xasprintf("gpu.plugin=%s", l->plugins) : NULL;
    if (plugin) /* first: others may be fields of it */
        sets[n++] = plugin;
    for (size_t i = 0; i < l->nsets; i++)
        sets[n++] = l->sets[i];
    struct machine *m = machine_new(l->name, sets, n, err);
    free(plugin);
    if (m && l->yaml)
        conf_dump(m->conf, stdout, true);
    else if (m)
        explain(m);
    machine_free(m);
    return m != NULL;
}

static bool show(const struct line *l, struct err *err)
{
    return l->doc       ? print_doc(err)
           : l->designs ? print_designs(l->plugins, err)
           : l->fields  ? print_fields(l->plugins, err)
           : l->source  ? print_source(l->name, err)
           : l->name    ? show_machine(l, err)
                        : list(err);
}

int cmd_gpus(int argc, char **argv)
{
    struct line l = {0};
    struct err err = {0};
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(help, stdout);
        return EXIT_DONE;
    }
    int code = EXIT_USAGE;
    if (parse(&l, argc, argv, &err))
        code = l.import ? print_import(l.import, &err) : show(&l, &err) ? EXIT_DONE : EXIT_USAGE;
    free(l.plugins);
    if (code != EXIT_DONE)
        cli_fail("gpus", "%s", err.msg);
    return code;
}
