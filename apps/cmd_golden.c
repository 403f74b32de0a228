/* parsim golden: runs conformance vectors. */
#include "cli.h"
#include "cmd.h"
#include "validate/golden.h"

#include <string.h>

static const char help[] =
    "usage: parsim golden DIR [--hash] [--gpu NAME [--code ptx|machine]]\n"
    "\n"
    "Runs every NAME.ptx with its NAME.vec in DIR (also NAME.ptx.zst, NAME.vec.zst): instruction\n"
    "forms and small programs with the results of a real GPU. Prints each failing case with\n"
    "operands, expected and got, and at the end 'N passed, M failed'. The format is described in\n"
    "docs/golden.md.\n"
    "\n"
    "  --hash       before the last line a hash of all results: runs with the same one have "
    "computed\n"
    "               the same bits\n"
    "  --gpu NAME   on a machine that keeps time (a name of 'parsim gpus' or FILE.yaml)\n"
    "  --code NAME  what runs on it: ptx or machine, as of 'parsim run'\n";

struct line {
    const char *dir;
    struct session_options session;
    bool wants_hash;
};

/* EXIT_DONE, or what is wrong was said. */
static int take_line(int argc, char **argv, struct line *l)
{
    struct session_options *o = &l->session;
    const char **dir = &l->dir;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--hash")) {
            l->wants_hash = true;
            continue;
        }
        const char **value = !strcmp(argv[i], "--gpu")    ? &o->gpu
                             : !strcmp(argv[i], "--code") ? &o->code
                                                          : dir;
        if (value != dir && ++i == argc)
            return cli_fail("golden", "missing value after %s", argv[i - 1]);
        if (value == dir && (*dir || argv[i][0] == '-'))
            return cli_fail("golden", "cannot take %s; see --help", argv[i]);
        *value = argv[i];
    }
    if (!*dir)
        return cli_fail("golden", "one DIR is needed; see --help");
    if (o->code && !o->gpu)
        return cli_fail("golden", "--code is of a machine that keeps time: --gpu NAME is missing");
    o->is_timed = o->gpu;
    return EXIT_DONE;
}

int cmd_golden(int argc, char **argv)
{
    if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(help, stdout);
        return EXIT_DONE;
    }
    struct line l = {0};
    const int code = take_line(argc, argv, &l);
    if (code != EXIT_DONE)
        return code;
    struct golden_count count = {0};
    struct err err = {0};
    if (!golden_run_folder(l.dir, &l.session, stdout, &count, &err))
        return cli_fail("golden", "%s", err.msg);
    if (l.wants_hash)
        printf("output hash %016llx\n", (unsigned long long)count.hash);
    printf("%llu passed, %llu failed\n", (unsigned long long)count.passed,
           (unsigned long long)count.failed);
    return count.failed ? EXIT_FAILED : EXIT_DONE;
}
