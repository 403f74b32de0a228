/* parsim golden: runs conformance vectors. */
#include "cli.h"
#include "cmd.h"
#include "validate/golden.h"

#include <string.h>

static const char help[] =
    "usage: parsim golden DIR\n"
    "\n"
    "Runs every NAME.ptx with its NAME.vec in DIR (also NAME.ptx.zst, NAME.vec.zst): instruction\n"
    "forms and small programs with the results of a real GPU. Prints each failing case with\n"
    "operands, expected and got, and at the end 'N passed, M failed'. The format is described in\n"
    "docs/golden.md.\n";

int cmd_golden(int argc, char **argv)
{
    if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(help, stdout);
        return EXIT_DONE;
    }
    if (argc != 2)
        return cli_fail("golden", "one DIR is needed; see --help");
    struct golden_count count = {0};
    struct err err = {0};
    if (!golden_run_folder(argv[1], stdout, &count, &err))
        return cli_fail("golden", "%s", err.msg);
    printf("%llu passed, %llu failed\n", (unsigned long long)count.passed,
           (unsigned long long)count.failed);
    return count.failed ? EXIT_FAILED : EXIT_DONE;
}
