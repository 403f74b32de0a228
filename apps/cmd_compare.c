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
    "  --plugin FILE    a library with further designs; several times: all of them\n"
    "  --gpu G          the machine (default gtx480)\n"
    "  --size S         of workloads: tiny, small (default), medium, large, paper\n"
    "  --jobs N         runs at once (default 1)\n"
    "  --threads N      host threads of a run (default 1); results do not depend on it\n"
    "  --json FILE      the table as JSON ('-' = standard output)\n"
    "  --csv FILE       the table as CSV\n"
    "  --plot FILE.svg  a picture of the speedups\n"
    "  --quiet          no progress on stderr\n"
    "\n"
    "exit code: 0 done, 1 a run failed, 2 bad usage or input, or an output that cannot be "
    "written,\n"
    "130 and 143 interrupted\n";

enum { O_DESIGNS = 256, O_GPU, O_JSON, O_CSV, O_PLOT, O_PLUGIN };

static const struct option longopts[] = {
    {"designs", required_argument, NULL, O_DESIGNS},
    {"gpu", required_argument, NULL, O_GPU},
    {"json", required_argument, NULL, O_JSON},
    {"csv", required_argument, NULL, O_CSV},
    {"plot", required_argument, NULL, O_PLOT},
    {"plugin", required_argument, NULL, O_PLUGIN},
    SETUP_OPTIONS,
    {"help", no_argument, NULL, 'h'},
    {0},
};

/* What the command line says of designs. */
struct designs {
    const char *list; /* NULL: those that are compared by default */
    char *plugins;
};

static bool take_option(struct study_compare *o, struct designs *d, int c, struct err *err)
{
    const char **const texts[] = {&d->list, &o->gpu, &o->json, &o->csv, &o->plot};
    if (c >= SETUP_OPTION_FIRST)
        return setup_options_take(&o->setup, c, optarg, err);
    if (c == O_PLUGIN)
        return cli_add_plugin(&d->plugins, optarg, err);
    *texts[c - O_DESIGNS] = optarg;
    return true;
}

/* What is left of the line: workloads, or, behind "--", a program. */
static bool take_programs(struct study_compare *o, int argc, char **argv, struct err *err)
{
    o->programs = argv + optind;
    o->nprograms = (size_t)(argc - optind);
    if (!o->nprograms)
        return err_set(err, "no program given; see --help");
    if (!strcmp(argv[optind - 1], "--")) {
        o->program = argv + optind;
        o->nprograms = 1;
    }
    return o->designs.n || err_set(err, "--designs: the list is empty");
}

static bool check_programs(const struct study_compare *o, struct err *err)
{
    for (size_t p = 0; p < o->nprograms; p++)
        if (!(o->program ? cli_check_program(o->program[0], err)
                         : cli_check_workload(o->programs[p], err)))
            return false;
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

static bool find_designs(struct study_compare *o, const struct designs *d, struct err *err)
{
    struct machine *m = cli_machine(d->plugins, err);
    char *all = !m || d->list ? NULL : default_designs(m);
    const char *list = all ? all : d->list;
    if (m) {
        tell_idle(m, list);
        o->designs = study_list_of(list);
        o->plugins = d->plugins;
    }
    free(all);
    machine_free(m);
    return m != NULL;
}

int cmd_compare(int argc, char **argv)
{
    struct study_compare o = {.setup = {.size = "small", .threads = 1, .jobs = 1}, .gpu = "gtx480"};
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
    if (find_designs(&o, &designs, &err) && take_programs(&o, argc, argv, &err) &&
        check_programs(&o, &err))
        code = cli_exit_code(study_compare(&o, stdout, &err));
    study_list_free(&o.designs);
    free(designs.plugins);
    if (code != EXIT_DONE)
        cli_fail("compare", "%s", err.msg);
    return code;
}
