/* `parsim annotate`: marks of load-triggered approximation for a program that has none. */
#include "annotate.h"
#include "base/outfile.h"
#include "cli.h"
#include "cmd.h"
#include "out/json.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: parsim annotate [OPTIONS] workload:NAME [--size S] [--seed N]\n"
    "       parsim annotate [OPTIONS] -- PROGRAM [ARGUMENTS]\n"
    "       parsim annotate [OPTIONS] FILE.ptx\n"
    "\n"
    "Proposes what Lock and Load (docs/lnl.md) could approximate, and writes the device code with\n"
    "these marks; marks of this kind that it has are left out, and told how far the new ones "
    "cover\n"
    "them. For each store of a kernel the loads that it follows from are found; a region lies\n"
    "between them, with one way in and one out. A kernel is refused, with the reason, where such "
    "a\n"
    "load is an address, decides whether something is stored, or is only moved. Then the program "
    "is\n"
    "run, each kernel's loads off by a little: its stores must stay where they are, and what they\n"
    "store close to what it was. Of a FILE.ptx alone nothing can be run, and that is not known.\n"
    "\n"
    "  --out PLACE      the folder for the device code (default annotated), which then runs with\n"
    "                   parsim run --with lnl --ptx FOLDER; of FILE.ptx: the file ('-' = standard\n"
    "                   output, the default)\n"
    "  --perturb PERCENT  by which loads are off, at most (default 1)\n"
    "  --max-error PERCENT  by which stored values may be off then, root of the mean square over\n"
    "                   their mean magnitude (default 10)\n"
    "  --gpu NAME       the machine of these runs (default gtx480)\n"
    "  --json FILE      what was found, as JSON ('-' = standard output)\n"
    "\n"
    "exit code: 0 something was marked, 1 nothing was, 2 bad usage or input, or an output that\n"
    "cannot be written\n";

enum { OPT_OUT = 256, OPT_PERTURB, OPT_MAX_ERROR, OPT_GPU, OPT_JSON };

static const struct option longopts[] = {{"out", required_argument, NULL, OPT_OUT},
                                         {"perturb", required_argument, NULL, OPT_PERTURB},
                                         {"max-error", required_argument, NULL, OPT_MAX_ERROR},
                                         {"gpu", required_argument, NULL, OPT_GPU},
                                         {"json", required_argument, NULL, OPT_JSON},
                                         {"help", no_argument, NULL, 'h'},
                                         {0}};

/* --- options --- */

static bool read_percent(const char *name, const char *text, double *share, struct err *err)
{
    char *end;
    const double v = strtod(text, &end);
    *share = v / 100;
    return (end != text && !*end && v > 0 && v <= 100) ||
           err_set(err, "--%s %s: should be a percentage above 0", name, text);
}

static bool set_option(struct annotate_options *o, const char **path, int c, struct err *err)
{
    switch (c) {
    case OPT_OUT:
        o->out = optarg;
        return true;
    case OPT_PERTURB:
        return read_percent("perturb", optarg, &o->perturb, err);
    case OPT_MAX_ERROR:
        return read_percent("max-error", optarg, &o->max_error, err);
    case OPT_GPU:
        o->gpu = optarg;
        return true;
    default:
        *path = optarg;
        return true;
    }
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

/* What is annotated: the words from `argv` on. */
static bool set_program(struct annotate_options *o, char **argv, bool is_program, struct err *err)
{
    if (!*argv)
        return err_set(err, "no program given; see --help");
    if (!is_program && ends_with(*argv, ".ptx")) {
        o->file = *argv;
        if (!o->out)
            o->out = "-";
        return !argv[1] || err_set(err, "one file at a time, not '%s' as well", argv[1]);
    }
    o->program = argv;
    if (!o->out)
        o->out = "annotated";
    if (!is_program && strncmp(*argv, "workload:", strlen("workload:")) != 0)
        return err_set(err, "'%s' is no workload:NAME and no FILE.ptx; a program stands behind --",
                       *argv);
    return is_program ? cli_check_program(*argv, err)
                      : cli_check_workload(*argv + strlen("workload:"), err);
}

/* EXIT_DONE: help was printed; EXIT_USAGE with an error; -1: go on. */
static int parse_line(struct annotate_options *o, const char **path, int argc, char **argv,
                      struct err *err)
{
    int c;
    opterr = 0;
    optind = 1;
    while ((c = getopt_long(argc, argv, "+h", longopts, NULL)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            return EXIT_DONE;
        }
        if (c == '?' ? !cli_refuse_option(argv, err) : !set_option(o, path, c, err))
            return EXIT_USAGE;
    }
    const bool is_program = !strcmp(argv[optind - 1], "--");
    const char *const outputs[] = {
        *path, ends_with(argv[optind] ? argv[optind] : "", ".ptx") ? o->out : NULL};
    return set_program(o, argv + optind, is_program, err) &&
                   outfile_probe_all(outputs, ARRAY_LEN(outputs), err)
               ? -1
               : EXIT_USAGE;
}

/* --- what was found --- */

static uint32_t line_at(const struct lnl_proposal *p, uint32_t pc)
{
    return p->f->insts[pc].line;
}

static void print_kernel(const struct annotate_kernel *k, FILE *out)
{
    const struct lnl_proposal *p = &k->proposal;
    if (!k->is_taken) {
        fprintf(out, "%s: refused: %s\n", p->f->name, k->why);
        return;
    }
    for (size_t i = 0; i < p->regions.len; i++) {
        const struct lnl_proposed_region *r = &p->regions.data[i];
        fprintf(out, "%s: lines %u to %u, %u of %u instructions by anchors alone", p->f->name,
                line_at(p, r->begin), line_at(p, r->end) - 1, r->approximable, r->end - r->begin);
        if (k->is_tried)
            fprintf(out, "; stored values off by %.2f%%", 100 * k->tolerance.error);
        fputc('\n', out);
    }
}

static void print_all(const struct annotate_options *o, const struct annotation *a, FILE *out)
{
    for (size_t i = 0; i < a->modules.len; i++)
        for (size_t k = 0; k < a->modules.data[i].kernels.len; k++)
            print_kernel(&a->modules.data[i].kernels.data[k], out);
    if (a->marked)
        fprintf(out, "of %u instructions that were marked %u are covered (%.1f%%)\n", a->marked,
                a->covered, 100.0 * a->covered / a->marked);
    if (!a->taken)
        fprintf(out, "nothing to approximate\n");
    else if (o->program)
        fprintf(out, "parsim run --gpu %s --with lnl --ptx %s %s%s ... runs it\n", o->gpu, o->out,
                strncmp(*o->program, "workload:", 9) ? "-- " : "", *o->program);
}

static json *json_kernel(const struct annotate_kernel *k)
{
    const struct lnl_proposal *p = &k->proposal;
    json *o = json_object_new_object(), *regions = json_object_new_array();
    json_add_text(o, "kernel", p->f->name);
    json_object_object_add(o, "taken", json_object_new_boolean(k->is_taken));
    json_add_text(o, "refused", k->is_taken ? NULL : k->why);
    json_add_count(o, "instructions", p->f->ninsts);
    json_add_count(o, "marked", p->marked);
    json_add_count(o, "covered", k->is_taken ? p->covered : 0);
    if (k->is_tried) {
        json_add_count(o, "stores", k->tolerance.stores);
        json_add_count(o, "stores_missing", k->tolerance.missing);
        json_add_count(o, "stores_moved", k->tolerance.moved);
        json_add_real(o, "stored_error", 100 * k->tolerance.error);
    }
    for (size_t i = 0; i < p->regions.len && k->is_taken; i++) {
        json *r = json_object_new_object();
        json_add_count(r, "first_line", line_at(p, p->regions.data[i].begin));
        json_add_count(r, "end_line", line_at(p, p->regions.data[i].end));
        json_add_count(r, "instructions", p->regions.data[i].end - p->regions.data[i].begin);
        json_add_count(r, "approximable", p->regions.data[i].approximable);
        json_object_array_add(regions, r);
    }
    json_object_object_add(o, "regions", regions);
    return o;
}

static bool write_json(const struct annotation *a, const char *path, struct err *err)
{
    json *all = json_object_new_object(), *kernels = json_object_new_array();
    struct outfile *f = outfile_open(path, err);
    json_add_text(all, "schema", "parsim-annotate-1");
    json_add_count(all, "marked", a->marked);
    json_add_count(all, "covered", a->covered);
    for (size_t i = 0; i < a->modules.len; i++)
        for (size_t k = 0; k < a->modules.data[i].kernels.len; k++)
            json_object_array_add(kernels, json_kernel(&a->modules.data[i].kernels.data[k]));
    json_object_object_add(all, "kernels", kernels);
    if (f)
        json_write(all, outfile_stream(f));
    json_object_put(all);
    return f && outfile_close(f, err);
}

int cmd_annotate(int argc, char **argv)
{
    struct annotate_options o = {.gpu = "gtx480", .perturb = 0.01, .max_error = 0.1};
    struct annotation a = {0};
    struct err err = {0};
    const char *path = NULL;
    int code = parse_line(&o, &path, argc, argv, &err);
    if (code == EXIT_DONE)
        return code;
    bool ok = code == -1 && annotate(&o, &a, &err);
    ok = ok && (!a.taken || annotate_write(&o, &a, &err)) && (!path || write_json(&a, path, &err));
    if (ok) /* where the text itself goes to standard output, beside it */
        print_all(&o, &a, strcmp(o.out, "-") && (!path || strcmp(path, "-")) ? stdout : stderr);
    code = !ok ? cli_fail("annotate", "%s", err.msg) : a.taken ? EXIT_DONE : EXIT_FAILED;
    annotate_free(&a);
    return code;
}
