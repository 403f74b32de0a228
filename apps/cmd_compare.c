/* `parsim compare`: designs beside each other on one or more programs. */
#include "cli.h"
#include "cmd.h"
#include "gpu/machine.h"
#include "setup_options.h"
#include "study/study_compare.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: parsim compare WORKLOAD... [OPTIONS]\n"
    "       parsim compare [OPTIONS] -- PROGRAM [ARGUMENTS]\n"
    "\n"
    "Runs programs on the same machine with different designs, as child processes, and puts "
    "cycles,\n"
    "bandwidth, compression and energy beside each other. The first design is the base of "
    "speedups.\n"
    "\n"
    "  --designs LIST   comma-separated: NAME[+NAME...][@KEY=VALUE...]: techniques of `parsim run\n"
    "                   --with` and fields of `--set`; base is none of them\n"
    "                   (default: base and those that `parsim gpus --designs` marks)\n"
    "  --set KEY=VALUE  a field of the machine, for all designs; several times: all of them\n"
    "  --plugin FILE    a library with further designs; several times: all of them\n"
    "  --gpu G          the machine (default gtx480)\n"
    "  --size S         of workloads: tiny, small (default), medium, large, paper\n"
    "  --jobs N         runs at once (default 1)\n"
    "  --threads N      host threads of a run at most (default 1; 0: as the host has processors);\n"
    "                   results do not depend on it\n"
    "  --out DIR        keeps results in DIR/results.db, so that what was stopped goes on where it "
    "was\n"
    "  --sample         runs are sampled ('parsim run --sample'): less time, cycles with an error\n"
    "  --limit S        seconds after which a run is stopped (default 0: never)\n"
    "  --db FILE        every run with its statistics as an SQLite database (docs/data.md)\n"
    "  --json FILE      the table as JSON ('-' = standard output)\n"
    "  --csv FILE       the table as CSV\n"
    "  --plot FILE.svg  a picture of the speedups\n"
    "  --quiet          no progress on stderr\n"
    "\n"
    "exit code: 0 done, 1 a run failed, 2 bad usage or input, or an output that cannot be "
    "written,\n"
    "130 and 143 interrupted\n";

enum { O_DESIGNS = 256, O_GPU, O_JSON, O_CSV, O_PLOT, O_DB, O_PLUGIN, O_SET };

static const struct option longopts[] = {
    {"designs", required_argument, NULL, O_DESIGNS},
    {"gpu", required_argument, NULL, O_GPU},
    {"json", required_argument, NULL, O_JSON},
    {"csv", required_argument, NULL, O_CSV},
    {"plot", required_argument, NULL, O_PLOT},
    {"db", required_argument, NULL, O_DB},
    {"plugin", required_argument, NULL, O_PLUGIN},
    {"set", required_argument, NULL, O_SET},
    SETUP_OPTIONS,
    SETUP_OPTIONS_KEPT,
    SETUP_OPTION_SAMPLE,
    {"help", no_argument, NULL, 'h'},
    {0},
};

/* What the command line says of designs. */
struct designs {
    const char *list; /* NULL: those that are compared by default */
    char *plugins;
    char *sets; /* "@KEY=VALUE...", for each of them; NULL: none */
};

static bool add_set(struct designs *d, const char *text, struct err *err)
{
    if (!strchr(text, '=') || *text == '=' || strpbrk(text, ",@"))
        return err_set(err, "--set %s: must be KEY=VALUE, without ',' and '@'", text);
    char *more = xasprintf("%s@%s", d->sets ? d->sets : "", text);
    free(d->sets);
    d->sets = more;
    return true;
}

static bool take_option(struct study_compare *o, struct designs *d, int c, struct err *err)
{
    const char **const texts[] = {&d->list, &o->matrix.gpu, &o->json, &o->csv, &o->plot, &o->db};
    if (c >= SETUP_OPTION_FIRST)
        return setup_options_take(&o->matrix.setup, c, optarg, err);
    if (c == O_PLUGIN)
        return cli_add_plugin(&d->plugins, optarg, err);
    if (c == O_SET)
        return add_set(d, optarg, err);
    *texts[c - O_DESIGNS] = optarg;
    return true;
}

/* "base" and those of the machine's techniques that are marked; to be freed. */
static char *default_designs(const struct machine *m)
{
    const struct technique *t;
    char *all = xstrdup("base");
    for (size_t i = 0; (t = tech_list_at(m->techs, i)); i++)
        for (size_t k = 0; k < t->ndesigns; k++)
            if (t->designs[k].is_compared) {
                char *more = xasprintf("%s,%s", all, t->designs[k].name);
                free(all);
                all = more;
            }
    return all;
}

/* A plug-in that none of the designs uses was hardly meant. */
static void tell_idle(const struct machine *m, const char *designs)
{
    char *names = xstrdup(designs), idle[512];
    bool is_setting = false; /* those are no names: "a@f=1+b,c" has a and c */
    for (char *p = names; *p; p++) {
        is_setting = *p == '@' || (is_setting && *p != ',');
        *p = is_setting ? ' ' : *p == '+' ? ',' : *p;
    }
    if (tech_list_idle(m->techs, names, idle, sizeof idle))
        fprintf(stderr, "parsim compare: note: a plug-in is loaded, but --designs has no %s\n",
                idle);
    free(names);
}

/* Every design of a list with the fields that are set for all; to be freed. */
static char *with_sets(const char *list, const char *sets)
{
    char *all = NULL;
    size_t len = 0;
    struct study_list l = study_list_of(list);
    FILE *f = open_memstream(&all, &len);
    for (size_t i = 0; i < l.n; i++)
        fprintf(f, "%s%s%s", i ? "," : "", l.at[i], sets ? sets : "");
    fclose(f);
    study_list_free(&l);
    return all;
}

static bool find_designs(struct study_compare *o, const struct designs *d, struct err *err)
{
    struct machine *m = cli_machine(d->plugins, err);
    char *all = !m || d->list ? NULL : default_designs(m);
    const char *list = all ? all : d->list;
    if (m) {
        tell_idle(m, list);
        char *set = with_sets(list, d->sets);
        o->matrix.designs = study_list_of(set);
        o->matrix.plugins = d->plugins;
        free(set);
    }
    free(all);
    machine_free(m);
    return m != NULL;
}

int cmd_compare(int argc, char **argv)
{
    struct study_compare o = {
        .matrix = {.setup = {.size = "small", .threads = 1, .jobs = 1}, .gpu = "gtx480"}};
    struct designs designs = {0};
    struct err err = {0};
    int c, code = EXIT_USAGE;
    opterr = 0;
    optind = 1;
    while ((c = getopt_long(argc, argv, "h", longopts, NULL)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            return EXIT_DONE;
        }
        if (c == '?' ? !cli_refuse_option(argv, &err) : !take_option(&o, &designs, c, &err))
            return cli_fail("compare", "%s", err.msg);
    }
    if (find_designs(&o, &designs, &err) &&
        (o.matrix.designs.n || err_set(&err, "--designs: the list is empty")) &&
        cli_programs(&o.matrix, argc, argv, &err))
        code = cli_exit_code(study_compare(&o, stdout, &err));
    study_matrix_free(&o.matrix);
    study_list_free(&o.matrix.designs);
    free(o.matrix.programs);
    free(designs.plugins);
    free(designs.sets);
    if (code != EXIT_DONE)
        cli_fail("compare", "%s", err.msg);
    return code;
}
