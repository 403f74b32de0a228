/* `parsim characterize`: what workloads do on a machine, one row each. */
#include "cli.h"
#include "cmd.h"
#include "study/characterize/characterize.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: parsim characterize [OPTIONS] [WORKLOAD...]\n"
    "\n"
    "Runs workloads (all that `parsim workloads` lists, if none is named) at half, one and twice\n"
    "the bandwidth of DRAM, and prints for each: instruction mix, divergence, IPC and what bounds\n"
    "it, issue slots, unallocated registers, use of L1 blocks until eviction, scalar\n"
    "instructions. docs/characterization.md says what the numbers mean.\n"
    "\n"
    "  --size S        tiny, small (default), medium, large or paper\n"
    "  --gpu NAME      the machine (default gtx480)\n"
    "  --set KEY=VALUE a field of the machine, for every run; may be given several times\n"
    "  --plugin FILE   a library with a technique (--set gpu.with=NAME); several times: all\n"
    "  --jobs N        runs at once (default: as many as there are processors)\n"
    "  --json FILE     everything as JSON ('-' = standard output, without the tables)\n"
    "  --csv FILE      everything as CSV ('-' = standard output, without the tables)\n"
    "  --plot DIR      the papers' figures with these workloads: SVG, PDF, data\n"
    "  --results DIR   where the runs' own results are kept (default characterize-results);\n"
    "                  those that are there already are not run again\n"
    "  --quiet         no progress\n";

enum {
    OPT_SIZE = 256,
    OPT_GPU,
    OPT_SET,
    OPT_JOBS,
    OPT_JSON,
    OPT_CSV,
    OPT_PLOT,
    OPT_RES,
    OPT_PLUGIN,
    OPT_QUIET
};

static const struct option longopts[] = {
    {"size", required_argument, NULL, OPT_SIZE},
    {"gpu", required_argument, NULL, OPT_GPU},
    {"set", required_argument, NULL, OPT_SET},
    {"jobs", required_argument, NULL, OPT_JOBS},
    {"json", required_argument, NULL, OPT_JSON},
    {"csv", required_argument, NULL, OPT_CSV},
    {"plot", required_argument, NULL, OPT_PLOT},
    {"results", required_argument, NULL, OPT_RES},
    {"plugin", required_argument, NULL, OPT_PLUGIN},
    {"quiet", no_argument, NULL, OPT_QUIET},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static bool take_option(struct characterize *c, int opt, struct err *err)
{
    switch (opt) {
    case OPT_SIZE:
        c->size = optarg;
        return cli_check_size(optarg, err);
    case OPT_GPU:
        c->gpu = optarg;
        return true;
    case OPT_SET:
        vec_push(&c->sets, optarg);
        return true;
    case OPT_JOBS:
        return (cli_u64(optarg, &c->jobs) && c->jobs && c->jobs <= 1024) ||
               err_set(err, "--jobs %s: not a number from 1 to 1024", optarg);
    case OPT_JSON:
        c->json = optarg;
        return true;
    case OPT_CSV:
        c->csv = optarg;
        return true;
    case OPT_PLOT:
        c->plot = optarg;
        return true;
    case OPT_RES:
        c->results = optarg;
        return true;
    case OPT_PLUGIN:
        return cli_add_plugin(&c->plugins, optarg, err);
    default:
        c->is_quiet = true;
        return true;
    }
}

static void add_workload(struct characterize *c, const struct cli_workload *w)
{
    vec_push(&c->workloads, ((struct characterize_workload){w->name, w->bound}));
}

static bool take_workload(struct characterize *c, const char *name, struct err *err)
{
    for (size_t i = 0; i < c->workloads.len; i++)
        if (!strcmp(c->workloads.data[i].name, name))
            return err_set(err, "workload '%s' is given twice", name);
    const struct cli_workload *w = cli_find_workload(name, err);
    if (w && *w->name)
        add_workload(c, w);
    else if (w) /* a program: nobody has said what bounds it */
        vec_push(&c->workloads, ((struct characterize_workload){name, w->bound}));
    return w;
}

/* EXIT_DONE: help was printed; EXIT_USAGE with an error; -1: go on. */
static int parse_line(struct characterize *c, int argc, char **argv, struct err *err)
{
    int opt;
    opterr = 0;
    optind = 1;
    while ((opt = getopt_long(argc, argv, "h", longopts, NULL)) != -1) {
        if (opt == 'h') {
            fputs(help, stdout);
            return EXIT_DONE;
        }
        if (opt == '?' ? !cli_refuse_option(argv, err) : !take_option(c, opt, err))
            return EXIT_USAGE;
    }
    for (int i = optind; i < argc; i++)
        if (!take_workload(c, argv[i], err))
            return EXIT_USAGE;
    for (const struct cli_workload *w = cli_workloads; optind == argc && w->name; w++)
        add_workload(c, w);
    return -1;
}

int cmd_characterize(int argc, char **argv)
{
    struct err err = {0};
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct characterize c = {.size = "small",
                             .gpu = "gtx480",
                             .results = "characterize-results",
                             .jobs = cpus > 0 ? (uint64_t)cpus : 1};
    int code = parse_line(&c, argc, argv, &err);
    if (code == -1)
        code = characterize_probe(&c, &err) ? -1 : EXIT_USAGE;
    if (code == -1)
        code = characterize_run(&c, &err) && characterize_report(&c, stdout, &err) ? EXIT_DONE
                                                                                   : EXIT_FAILED;
    if (code != EXIT_DONE)
        cli_fail("characterize", "%s", err.msg);
    vec_free(&c.workloads);
    vec_free(&c.sets);
    free(c.plugins);
    return code;
}
