/* Subcommands of the `parsim` program. Each takes its own argv (argv[0] = the subcommand's name)
 * and returns the process's exit code: 0 done, 1 the program or kernel failed, 2 bad usage or
 * input, or an output that cannot be written. main() looks after standard output and signals
 * (base/interrupt.h): a command that can end early with what it has calls interrupt_catch(). To
 * add one: write apps/cmd_NAME.c and add a row to COMMANDS. */
#ifndef APPS_CMD_H
#define APPS_CMD_H

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* clang-format off */
#define COMMANDS(X) \
    X(run, "run a CUDA program") \
    X(hot, "the lines of a CUDA program that take its time, and what warps wait for there") \
    X(compare, "designs beside each other: cycles, bandwidth, energy") \
    X(sweep, "every combination of some fields and techniques on some programs") \
    X(report, "a page of a run, or of designs side by side, for any browser") \
    X(figure, "experiments of the papers: tables and pictures") \
    X(workloads, "list the programs that come with Parsim") \
    X(characterize, "what these programs do on a machine: mix, stalls, caches, scalar instructions") \
    X(launch, "run one kernel of a PTX file") \
    X(annotate, "mark what of a program could be approximated") \
    X(gpus, "the machines that can be simulated, and what describes them") \
    X(inspect, "kernels, registers, memory and instructions of a program or PTX file") \
    X(golden, "run conformance vectors of a real GPU") \
    X(codec, "compressibility of any data, and files in the codecs' formats") \
    X(cpu, "run an AArch64 Linux program on a simulated core") \
    X(validate, "our models beside other simulators and hand calculation") \
    /* end of the list */
/* clang-format on */

/* "0.1.0 (commit, date)". */
extern const char parsim_version[];

#define X(name, help) int cmd_##name(int argc, char **argv);
COMMANDS(X)
#undef X

#endif
