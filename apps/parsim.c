/* The program: finds the subcommand and runs it, with standard streams that are open. */
#include "base/interrupt.h"
#include "base/outfile.h"
#include "cmd.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    fprintf(out,
            "\nexit code: 0 done, 1 the program or kernel failed, or standard output, 2 bad usage\n"
            "or input, or an output that cannot be written, 130 and 143 interrupted\n");
}

/* A closed descriptor would become the first file that is opened; now writing to it fails. */
static void open_standard_streams(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

static int run_command(int argc, char **argv)
{
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        usage(stdout);
        return EXIT_DONE;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("parsim %s\n", parsim_version);
        return EXIT_DONE;
    }
    for (int i = 0; commands[i].name; i++)
        if (!strcmp(argv[1], commands[i].name))
            return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "parsim: no command '%s'; 'parsim --help' lists them\n", argv[1]);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    struct err err = {0};
    open_standard_streams();
    interrupt_start();
    if (argc < 2) {
        usage(stderr);
        return EXIT_USAGE;
    }
    int code = run_command(argc, argv);
    if (!outfile_check_stdout(&err)) {
        fprintf(stderr, "parsim %s: %s\n", argv[1], err.msg);
        code = code ? code : EXIT_FAILED;
    }
    return interrupt_signal() ? 128 + interrupt_signal() : code;
}
