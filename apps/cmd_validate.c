/* parsim validate: our models beside other simulators, hand calculation and a real GPU. */
#include "cli.h"
#include "cmd.h"
#include "validate/measured.h"
#include "validate/validate.h"

#include <string.h>

static const char help[] =
    "usage: parsim validate noc|dram|gpu|MACHINE [--quick] [--json FILE] [--plot DIR] [--data "
    "DIR]\n"
    "\n"
    "Runs every row of the reference tables and prints ours, theirs and the difference; the last\n"
    "line is 'N passed, M failed'. Exit code 0 only when nothing failed. For a machine whose GPU "
    "was\n"
    "measured (h200): kernels of the workloads beside the GPU's; the last line is 'mean absolute\n"
    "error N%, correlation C, K kernels', of cycles, and the correlation that of their "
    "logarithms.\n"
    "\n"
    "  noc          mesh and crossbar against BookSim\n"
    "  dram         one GDDR5 channel against DRAMsim3, Ramulator and hand calculation; those of "
    "gtx480\n"
    "               and gtx480-gscalar against GPGPU-Sim 3.2's\n"
    "  gpu          the whole machine against GPGPU-Sim, latencies against hand calculation\n"
    "  MACHINE      h200: cycles, instructions, L2 sectors and DRAM bytes of kernels, each launch\n"
    "               with cold caches as it was measured (workloads/h200.csv); errors by class\n"
    "  --quick      fewer rows, shorter runs\n"
    "  --json FILE  every check, for a program to read\n"
    "  --plot DIR   curves as SVG and PDF, the data files beside them\n"
    "  --data DIR   the reference tables; by default tests/data/reference, looked for in the\n"
    "               current folder and around the program; for a machine: workloads\n"
    "For a machine also:\n"
    "  --csv FILE   every kernel, for a table\n"
    "  --half NAME  chosen or held: only workloads on which values were chosen, or were not\n"
    "               (workloads/h200_halves.csv)\n"
    "  --only NAME  one workload\n"
    "  --size NAME  tiny, small or medium only\n"
    "  --from FILE  runs nothing: ours is what --csv wrote earlier, of another computer perhaps\n"
    "  --micro FILE  also microbenchmarks: the program that 'tools/calibrate build FILE' makes\n"
    "  --jobs N     runs at once; by default a processor each\n";

static int usage(const char *why, const char *what)
{
    fprintf(stderr, "parsim validate: %s%s; see 'parsim validate --help'\n", why, what);
    return EXIT_USAGE;
}

struct line {
    const char *subject, *json, *plot, *data, *csv, *half, *only, *jobs, *size, *from, *micro;
    bool is_quick, wants_help;
};

/* EXIT_DONE, or what is wrong was said. */
static int take_line(struct line *l, int argc, char **argv)
{
    static const char *const names[] = {"--json", "--plot", "--data", "--csv",  "--half",
                                        "--only", "--jobs", "--size", "--from", "--micro"};
    const char **const values[] = {&l->json, &l->plot, &l->data, &l->csv,  &l->half,
                                   &l->only, &l->jobs, &l->size, &l->from, &l->micro};
    for (int i = 1; i < argc; i++) {
        size_t k = 0;
        while (k < ARRAY_LEN(names) && strcmp(argv[i], names[k]))
            k++;
        if (k < ARRAY_LEN(names)) {
            if (++i == argc)
                return usage("missing value after ", names[k]);
            *values[k] = argv[i];
        } else if (!strcmp(argv[i], "--quick")) {
            l->is_quick = true;
        } else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            l->wants_help = true;
        } else if (l->subject || argv[i][0] == '-') {
            return usage("cannot take ", argv[i]);
        } else {
            l->subject = argv[i];
        }
    }
    return EXIT_DONE;
}

static int against_tables(const struct line *l)
{
    const struct validate_options o = {
        .data = l->data, .json = l->json, .plot = l->plot, .quick = l->is_quick};
    struct validate_count count;
    struct err err = {0};
    if (l->csv || l->half || l->only || l->jobs || l->size || l->from || l->micro)
        return usage("--csv, --half, --only, --size, --from, --micro and --jobs are for a machine",
                     "");
    if (!validate(l->subject, &o, stdout, &count, &err)) {
        fprintf(stderr, "parsim validate: %s\n", err.msg);
        return EXIT_USAGE;
    }
    printf("%zu passed, %zu failed\n", count.passed, count.failed);
    return count.failed ? EXIT_FAILED : EXIT_DONE;
}

static int against_gpu(const struct line *l)
{
    struct measured_options o = {.machine = l->subject,
                                 .data = l->data,
                                 .json = l->json,
                                 .csv = l->csv,
                                 .plot = l->plot,
                                 .half = l->half,
                                 .only = l->only,
                                 .size = l->size,
                                 .from = l->from,
                                 .micro = l->micro,
                                 .quick = l->is_quick};
    struct err err = {0};
    size_t failed = 0;
    if (l->half && strcmp(l->half, "chosen") && strcmp(l->half, "held"))
        return usage("--half is chosen or held, not ", l->half);
    if ((l->jobs && !cli_count("jobs", l->jobs, &o.jobs, &err)) ||
        !measured_validate(&o, stdout, &failed, &err)) {
        fprintf(stderr, "parsim validate: %s\n", err.msg);
        return EXIT_USAGE;
    }
    return failed ? EXIT_FAILED : EXIT_DONE;
}

int cmd_validate(int argc, char **argv)
{
    struct line l = {0};
    const int code = take_line(&l, argc, argv);
    if (code != EXIT_DONE)
        return code;
    if (l.wants_help) {
        fputs(help, stdout);
        return EXIT_DONE;
    }
    if (l.subject && validate_knows(l.subject))
        return against_tables(&l);
    if (l.subject && measured_knows(l.subject, l.data))
        return against_gpu(&l);
    return usage("say what to validate: noc, dram, gpu, or a machine whose GPU was measured: h200",
                 "");
}
