/* parsim validate: our models beside other simulators and hand calculation. */
#include "cmd.h"
#include "validate/validate.h"

#include <string.h>

static const char help[] =
    "usage: parsim validate noc|dram|gpu [--quick] [--json FILE] [--plot DIR] [--data DIR]\n"
    "\n"
    "Runs every row of the reference tables and prints ours, theirs and the difference; the last\n"
    "line is 'N passed, M failed'. Exit code 0 only when nothing failed.\n"
    "\n"
    "  noc          mesh and crossbar against BookSim\n"
    "  dram         one GDDR5 channel against DRAMsim3, Ramulator and hand calculation; those of "
    "gtx480\n"
    "               and gtx480-gscalar against GPGPU-Sim 3.2's\n"
    "  gpu          the whole machine against GPGPU-Sim, latencies against hand calculation\n"
    "  --quick      fewer rows, shorter runs\n"
    "  --json FILE  every check, for a program to read\n"
    "  --plot DIR   curves as SVG and PDF, the data files beside them\n"
    "  --data DIR   the reference tables; by default tests/data/reference, looked for in the\n"
    "               current folder and around the program\n";

static int usage(const char *why, const char *what)
{
    fprintf(stderr, "parsim validate: %s%s; see 'parsim validate --help'\n", why, what);
    return EXIT_USAGE;
}

int cmd_validate(int argc, char **argv)
{
    struct validate_options o = {0};
    const char *subject = NULL;
    for (int i = 1; i < argc; i++) {
        const char *const names[] = {"--json", "--plot", "--data"};
        const char **const values[] = {&o.json, &o.plot, &o.data};
        size_t k = 0;
        while (k < ARRAY_LEN(names) && strcmp(argv[i], names[k]))
            k++;
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            return EXIT_DONE;
        }
        if (k < ARRAY_LEN(names)) {
            if (++i == argc)
                return usage("missing value after ", names[k]);
            *values[k] = argv[i];
        } else if (!strcmp(argv[i], "--quick")) {
            o.quick = true;
        } else if (subject || argv[i][0] == '-') {
            return usage("cannot take ", argv[i]);
        } else {
            subject = argv[i];
        }
    }
    if (!subject || !validate_knows(subject))
        return usage("say what to validate: noc, dram or gpu", "");
    struct validate_count count;
    struct err err = {0};
    if (!validate(subject, &o, stdout, &count, &err)) {
        fprintf(stderr, "parsim validate: %s\n", err.msg);
        return EXIT_USAGE;
    }
    printf("%zu passed, %zu failed\n", count.passed, count.failed);
    return count.failed ? EXIT_FAILED : EXIT_DONE;
}
