/* parsim validate: our models beside other simulators and hand calculation. */
#include "base/outfile.h"
#include "cmd.h"
#include "validate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: parsim validate noc|dram|gpu [--quick] [--json FILE] [--plot DIR] [--data DIR]\n"
    "\n"
    "Runs every row of the reference tables and prints ours, theirs and the difference; the last\n"
    "line is 'N passed, M failed'. Exit code 0 only when nothing failed.\n"
    "\n"
    "  noc          mesh and crossbar against BookSim\n"
    "  dram         one GDDR5 channel against DRAMsim3, Ramulator and hand calculation\n"
    "  gpu          the whole machine against GPGPU-Sim, latencies against hand calculation\n"
    "  --quick      fewer rows, shorter runs\n"
    "  --json FILE  every check, for a program to read\n"
    "  --plot DIR   curves as SVG and PDF, the data files beside them\n"
    "  --data DIR   the reference tables; by default tests/data/reference, looked for in the\n"
    "               current folder and around the program\n";

static const struct {
    const char *name;
    bool (*run)(const struct validate_options *o, struct report *r, struct err *err);
} subjects[] = {
    {"noc", validate_noc},
    {"dram", validate_dram},
    {"gpu", validate_gpu},
};

/* tests/data/reference here, beside the program, or up to three folders above it. */
static char *data_find(void)
{
    static const char sub[] = "tests/data/reference";
    char exe[4096];
    if (!access(sub, R_OK))
        return xstrdup(sub);
    ssize_t len = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[len > 0 ? len : 0] = '\0';
    for (int up = 0; up < 4; up++) {
        char *slash = strrchr(exe, '/');
        if (!slash)
            break;
        *slash = '\0';
        char *path = xasprintf("%s/%s", exe, sub);
        if (!access(path, R_OK))
            return path;
        free(path);
    }
    return xstrdup(sub);
}

static int usage(const char *why, const char *what)
{
    fprintf(stderr, "parsim validate: %s%s; see 'parsim validate --help'\n", why, what);
    return EXIT_USAGE;
}

int cmd_validate(int argc, char **argv)
{
    struct validate_options o = {0};
    const char *subject = NULL, *json = NULL, *plot = NULL;
    for (int i = 1; i < argc; i++) {
        const char *const names[] = {"--json", "--plot", "--data"};
        const char **const values[] = {&json, &plot, &o.data};
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
    size_t s = 0;
    while (subject && s < ARRAY_LEN(subjects) && strcmp(subject, subjects[s].name))
        s++;
    if (!subject || s == ARRAY_LEN(subjects))
        return usage("say what to validate: noc, dram or gpu", "");
    char *found = o.data ? NULL : data_find();
    if (found)
        o.data = found;
    struct report r = {0};
    struct err err = {0};
    bool ok = (!json || outfile_probe(json, &err)) &&
              (!plot || (o.pictures = outfolder_open(plot, &err)));
    ok = ok && subjects[s].run(&o, &r, &err);
    if (o.pictures)
        ok = outfolder_close(o.pictures, ok, &err);
    ok = ok && (!json || report_write_json(&r, json, &err));
    free(found);
    vec_free(&r.checks);
    if (!ok) {
        fprintf(stderr, "parsim validate: %s\n", err.msg);
        return EXIT_USAGE;
    }
    printf("%zu passed, %zu failed\n", r.passed, r.failed);
    return r.failed ? EXIT_FAILED : EXIT_DONE;
}
