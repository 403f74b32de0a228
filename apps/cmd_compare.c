/* `parsim compare`: designs beside each other on one or more programs. */
#include "cli.h"
#include "cmd.h"
#include "study/study_compare.h"
#include "tech/techs.h"

#include <getopt.h>
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
    "  --gpu G          the machine (default gtx480)\n"
    "  --size S         of workloads: tiny, small (default), medium, large\n"
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

enum { O_DESIGNS = 256, O_GPU, O_SIZE, O_JOBS, O_THREADS, O_JSON, O_CSV, O_PLOT, O_QUIET };

static const struct option longopts[] = {
    {"designs", required_argument, NULL, O_DESIGNS},
    {"gpu", required_argument, NULL, O_GPU},
    {"size", required_argument, NULL, O_SIZE},
    {"jobs", required_argument, NULL, O_JOBS},
    {"threads", required_argument, NULL, O_THREADS},
    {"json", required_argument, NULL, O_JSON},
    {"csv", required_argument, NULL, O_CSV},
    {"plot", required_argument, NULL, O_PLOT},
    {"quiet", no_argument, NULL, O_QUIET},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static bool take_option(struct study_compare *o, const char **designs, int c, struct err *err)
{
    const char **const texts[] = {designs, &o->gpu,  &o->setup.size, NULL,
                                  NULL,    &o->json, &o->csv,        &o->plot};
    if (c == O_QUIET)
        return o->setup.quiet = true;
    if (texts[c - O_DESIGNS]) {
        *texts[c - O_DESIGNS] = optarg;
        return true;
    }
    uint64_t *n = c == O_JOBS ? &o->setup.jobs : &o->setup.threads;
    return (cli_u64(optarg, n) && *n >= 1 && *n <= 256) ||
           err_set(err, "--%s %s: must be 1 to 256", c == O_JOBS ? "jobs" : "threads", optarg);
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
    if (!cli_check_size(o->setup.size, err))
        return false;
    for (size_t p = 0; p < o->nprograms; p++)
        if (!(o->program ? cli_check_program(o->program[0], err)
                         : cli_check_workload(o->programs[p], err)))
            return false;
    return true;
}

static const char *default_designs(char *buf, size_t size)
{
    const struct technique *t;
    snprintf(buf, size, "base");
    for (size_t i = 0; (t = tech_at(i)); i++)
        for (size_t k = 0; k < t->ndesigns; k++)
            if (t->designs[k].is_compared)
                snprintf(buf + strlen(buf), size - strlen(buf), ",%s", t->designs[k].name);
    return buf;
}

int cmd_compare(int argc, char **argv)
{
    struct study_compare o = {.setup = {.size = "small", .threads = 1, .jobs = 1}, .gpu = "gtx480"};
    char all[256];
    const char *designs = default_designs(all, sizeof all);
    struct err err = {0};
    int c, code = EXIT_USAGE;
    opterr = 0;
    optind = 1;
    while ((c = getopt_long(argc, argv, "h", longopts, NULL)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            return EXIT_DONE;
        }
        if (c == '?')
            return cli_fail("compare", "option '%s' is not known or lacks its value; see --help",
                            argv[optind - 1]);
        if (!take_option(&o, &designs, c, &err))
            return cli_fail("compare", "%s", err.msg);
    }
    o.designs = study_list_of(designs);
    if (take_programs(&o, argc, argv, &err) && check_programs(&o, &err))
        code = cli_exit_code(study_compare(&o, stdout, &err));
    study_list_free(&o.designs);
    if (code != EXIT_DONE)
        cli_fail("compare", "%s", err.msg);
    return code;
}
