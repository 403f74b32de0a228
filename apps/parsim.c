#include "cmd.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    const char *help;
    int (*run)(int argc, char **argv);
} commands[] = {
#define X(name, help) {#name, help, cmd_##name},
    COMMANDS(X)
#undef X
        {0}};

static void usage(FILE *out)
{
    fprintf(out, "parsim " PARSIM_VERSION ": a GPU simulator that runs real CUDA programs.\n\n"
                 "usage: parsim COMMAND [ARGUMENTS]      parsim COMMAND --help\n\n");
    for (int i = 0; commands[i].name; i++)
        fprintf(out, "  %-12s %s\n", commands[i].name, commands[i].help);
    fprintf(out, "\nexit code: 0 done, 1 the program or kernel failed, 2 bad usage or bad input\n");
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        usage(stdout);
        return EXIT_DONE;
    }
    if (!strcmp(argv[1], "--version")) {
        puts("parsim " PARSIM_VERSION);
        return EXIT_DONE;
    }
    for (int i = 0; commands[i].name; i++)
        if (!strcmp(argv[1], commands[i].name))
            return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "parsim: no command '%s'; 'parsim --help' lists them\n", argv[1]);
    return EXIT_USAGE;
}
