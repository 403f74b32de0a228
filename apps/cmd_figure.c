/* `parsim figure`: experiments of experiments/, run, tabled, drawn, and beside what a paper says.
 */
#include "cli.h"
#include "cmd.h"
#include "setup_options.h"
#include "study/study_figures.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>

static const char help[] =
    "usage: parsim figure NAME|FILE.yaml... [OPTIONS]\n"
    "       parsim figure --list | --builds [--out DIR]\n"
    "\n"
    "NAME is one of --list, the start of some (x-9 is x-9a and x-9b), or all.\n"
    "Runs experiments: every design on every program, as child processes, each once however many\n"
    "figures need it; those of the names given first come first. Results are kept in\n"
    "DIR/results.db, so that what was stopped goes on where it was. Writes DIR/NAME.csv, NAME.md\n"
    "and NAME.svg and prints the tables beside what the papers report.\n"
    "\n"
    "  --list        the experiments that come with Parsim\n"
    "  --size S      of the programs: tiny, small (default), medium, large, paper\n"
    "  --workloads L comma-separated: only these programs\n"
    "  --designs L   comma-separated: only these designs of the experiments\n"
    "  --plugin FILE a library with designs of the experiments; several times: all of them\n"
    "  --gpu G       another machine than the experiments'\n"
    "  --jobs N      runs at once (default 1)\n"
    "  --threads N   host threads of a run at most (default 1; 0: as the host has processors);\n"
    "                results do not depend on it\n"
    "  --limit S     seconds after which a run is stopped (default 3600; 0: never); its figures "
    "are\n"
    "                made of the others and say what is missing\n"
    "  --for S       seconds after which all are stopped and the figures made of what is there\n"
    "  --out DIR     where results go (default results)\n"
    "  --report DIR  runs nothing: pages, pictures and the overview (README.md) of what\n"
    "                results.db has go to DIR\n"
    "  --import F.db results of another machine's results.db are added first\n"
    "  --builds      of which builds of Parsim there are results\n"
    "  --build ID    takes results of that build, or of the newest, for this one's (--report)\n"
    "  --quiet       no progress on stderr\n"
    "\n"
    "exit code: 0 done, 1 a run failed, 2 bad usage or input, or an output that cannot be "
    "written,\n"
    "130 and 143 interrupted\n";

/* --- the command line --- */

enum {
    O_LIST = 256,
    O_WORKLOADS,
    O_DESIGNS,
    O_GPU,
    O_REPORT,
    O_IMPORT,
    O_BUILD,
    O_FOR,
    O_BUILDS,
    O_PLUGIN
};

static const struct option longopts[] = {
    {"list", no_argument, NULL, O_LIST},
    {"workloads", required_argument, NULL, O_WORKLOADS},
    {"designs", required_argument, NULL, O_DESIGNS},
    {"gpu", required_argument, NULL, O_GPU},
    {"report", required_argument, NULL, O_REPORT},
    {"import", required_argument, NULL, O_IMPORT},
    {"build", required_argument, NULL, O_BUILD},
    {"for", required_argument, NULL, O_FOR},
    {"builds", no_argument, NULL, O_BUILDS},
    {"plugin", required_argument, NULL, O_PLUGIN},
    SETUP_OPTIONS,
    SETUP_OPTIONS_KEPT,
    {"help", no_argument, NULL, 'h'},
    {0},
};

static bool take_option(struct study_figures *o, char **plugins, int c, struct err *err)
{
    const char **const texts[] = {&o->choice.workloads, &o->choice.designs, &o->choice.gpu,
                                  &o->report,           &o->import,         &o->build};
    if (c >= SETUP_OPTION_FIRST)
        return setup_options_take(&o->setup, c, optarg, err);
    switch (c) {
    case O_FOR:
        return cli_seconds("for", optarg, &o->setup.time, err);
    case O_BUILDS:
        return o->builds = true;
    case O_PLUGIN:
        return cli_add_plugin(plugins, optarg, err);
    default:
        *texts[c - O_WORKLOADS] = optarg;
        return true;
    }
}

static void say(const char *fmt, ...)
{
    struct err err = {0};
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err.msg, sizeof err.msg, fmt, ap);
    va_end(ap);
    cli_fail("figure", "%s", err.msg);
}

int cmd_figure(int argc, char **argv)
{
    struct study_figures o = {
        .setup = {.size = "small", .jobs = 1, .threads = 1, .limit = 3600, .folder = "results"},
        .check_workload = cli_check_workload,
        .say = say};
    struct err err = {0};
    char *plugins = NULL;
    int c;
    opterr = 0;
    optind = 1;
    while ((c = getopt_long(argc, argv, "h", longopts, NULL)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            return EXIT_DONE;
        }
        if (c == O_LIST)
            return study_figures_list(stdout, &err) ? EXIT_DONE : cli_fail("figure", "%s", err.msg);
        if (c == '?' ? !cli_refuse_option(argv, &err) : !take_option(&o, &plugins, c, &err))
            return cli_fail("figure", "%s", err.msg);
    }
    if (o.build && !o.report)
        return cli_fail("figure", "--build is for --report: runs are of this build");
    if (optind == argc && !o.builds)
        return cli_fail("figure", "no experiment given; see --list and --help");
    o.choice.plugins = plugins;
    const int code = cli_exit_code(study_figures(&o, argv + optind, argc - optind, stdout));
    free(plugins);
    return code;
}
