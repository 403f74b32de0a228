/* `parsim run`: an unmodified CUDA program with our libraries in the place of NVIDIA's; `parsim
 * hot`: the same, and where in its code the time goes. */
#include "base/outfile.h"
#include "cli.h"
#include "cmd.h"
#include "cuda/elf_modules.h"
#include "run_options.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "usage: parsim run [OPTIONS] -- PROGRAM [ARGUMENTS]\n"
    "       parsim run [OPTIONS] workload:NAME [--size tiny|small|medium|large|paper] [--seed N]\n"
    "\n"
    "Runs a CUDA program on a simulated GPU. Its output and its exit code are its own; a report\n"
    "follows on stderr. workload:NAME is one of those that `parsim workloads` lists.\n"
    "\n"
    "  --max-inst N        stop a kernel after N warp instructions [PARSIM_MAX_INST]\n"
    "  --check             report reads of memory nobody wrote, and what is never freed\n"
    "                      [PARSIM_CHECK=memory]\n"
    "  --check=race        report races in shared memory [PARSIM_CHECK=race]\n"
    "  --save-ptx DIR      write the PTX that the program loads into this folder, a file each\n"
    "                      [PARSIM_SAVE_PTX]\n"
    "  --ptx DIR           load files of such a folder, as they are now, in its place "
    "[PARSIM_PTX]\n"
    "  --quiet             no report on stderr [PARSIM_REPORT=0]\n";

static const char hot_help[] =
    "usage: parsim hot [OPTIONS] -- PROGRAM [ARGUMENTS]\n"
    "       parsim hot [OPTIONS] workload:NAME [--size S] [--seed N]\n"
    "\n"
    "Runs a CUDA program as `parsim run --hot` does, on gtx480 if no machine is named, and lists "
    "the\n"
    "lines that warps waited for: of the program, if it was compiled with -lineinfo, and of its "
    "PTX.\n"
    "A line has the share of all warps' time, the two reasons that are most of it, instructions, "
    "lanes\n"
    "that execute, lines of memory an access touches, L1 misses, cycles lost to bank conflicts of\n"
    "shared memory, and branches at which lanes parted. --json FILE has every line and every "
    "reason\n"
    "(key \"hot\"); --kernel REGEX looks at some kernels only.\n"
    "\n"
    "  --max-inst N, --check, --quiet   as of `parsim run`\n";

static const char help_end[] =
    "\n"
    "The variables in brackets mean the same where a program is started without this command, "
    "with\n"
    "LD_LIBRARY_PATH set to the folder lib beside parsim. docs/run-output.md describes the "
    "outputs.\n"
    "PARSIM_JIT=off executes arithmetic instruction by instruction also where it is worth "
    "translating\n"
    "to host code; results are the same, functional execution is slower (auto: translate there; "
    "always: "
    "at\n"
    "once).\n";

static const char workload_prefix[] = "workload:";

enum { OPT_MAX = 256, OPT_CHECK, OPT_SAVE_PTX, OPT_PTX, OPT_QUIET };

static const struct option longopts[] = {
    {"max-inst", required_argument, NULL, OPT_MAX},
    {"check", optional_argument, NULL, OPT_CHECK},
    {"save-ptx", required_argument, NULL, OPT_SAVE_PTX},
    {"ptx", required_argument, NULL, OPT_PTX},
    {"quiet", no_argument, NULL, OPT_QUIET},
    {"help", no_argument, NULL, 'h'},
    {0},
};

/* A folder with device code; absolute, since the program may go elsewhere. */
static bool set_folder(const char *option, const char *variable, const char *folder,
                       struct err *err)
{
    char *path = realpath(folder, NULL);
    struct stat st;
    bool ok = path && !stat(path, &st) && S_ISDIR(st.st_mode);
    ok = ok ? setenv(variable, path, 1) == 0
            : err_set(err, "--%s %s: there is no such folder", option, folder);
    free(path);
    return ok;
}

static bool set_option(struct run_options *shared, int c, struct err *err)
{
    uint64_t n;
    bool is_shared, ok = run_options_take(shared, c, optarg, &is_shared, err);
    if (is_shared)
        return ok;
    switch (c) {
    case OPT_MAX:
        if (!cli_u64(optarg, &n) || !n)
            return err_set(err, "--max-inst %s: not a number above 0", optarg);
        char text[32];
        snprintf(text, sizeof text, "%llu", (unsigned long long)n);
        return setenv("PARSIM_MAX_INST", text, 1) == 0;
    case OPT_CHECK:
        if (optarg && strcmp(optarg, "race") && strcmp(optarg, "memory"))
            return err_set(err, "--check=%s: there are memory (the default) and race", optarg);
        return setenv("PARSIM_CHECK", optarg ? optarg : "memory", 1) == 0;
    case OPT_SAVE_PTX:
        return outfile_probe_folder(optarg, err) &&
               set_folder("save-ptx", "PARSIM_SAVE_PTX", optarg, err);
    case OPT_PTX:
        return set_folder("ptx", "PARSIM_PTX", optarg, err);
    default:
        return setenv("PARSIM_REPORT", "0", 1) == 0;
    }
}

/* `name` in the folder of this binary, wherever the tree has been moved; NULL after an error. */
static char *beside_self(const char *name, struct err *err)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) {
        err_set(err, "cannot read /proc/self/exe");
        return NULL;
    }
    self[n] = 0;
    return xasprintf("%s/%s", dirname(self), name);
}

static bool set_library_path(bool preload, struct err *err)
{
    char *lib = beside_self("lib", err);
    if (!lib)
        return false;
    char *probe = xasprintf("%s/libcuda.so.1", lib);
    const char *old = getenv("LD_LIBRARY_PATH");
    bool ok = access(probe, R_OK) == 0;
    if (!ok) {
        err_set(err, "%s is missing; build the target cuda-dropin", probe);
    } else {
        char *path = old && *old ? xasprintf("%s:%s", lib, old) : xstrdup(lib);
        setenv("LD_LIBRARY_PATH", path, 1);
        /* A static runtime is replaced by the library once that is there: static_runtime.c. */
        if (preload)
            setenv("LD_PRELOAD", probe, 1);
        free(path);
    }
    free(probe);
    free(lib);
    return ok;
}

static int run_program(char **argv, struct err *err)
{
    char *file = study_find_program(argv[0]);
    enum elf_runtime runtime = elf_find_runtime(file);
    free(file);
    if (runtime == ELF_RUNTIME_STRIPPED) {
        err_set(err,
                "%s has the static CUDA runtime and no symbols; relink it with -cudart shared, or "
                "do not strip it",
                argv[0]);
        return EXIT_USAGE;
    }
    if (!set_library_path(runtime == ELF_RUNTIME_STATIC, err))
        return EXIT_USAGE;
    setenv("PARSIM_REPORT", "1", 0);
    char pid[24];
    snprintf(pid, sizeof pid, "%lld", (long long)getpid());
    setenv("PARSIM_RUN_PID", pid, 1);
    fflush(NULL);
    execvp(argv[0], argv);
    err_set(err, "cannot run %s: %s", argv[0], strerror(errno));
    return EXIT_USAGE;
}

/* "workload:NAME" stands for our program with its name as first argument. */
static int run_workload(char **argv, struct err *err)
{
    char *program = beside_self("bin/parsim-workloads", err);
    int n = 0, code;
    if (!program)
        return EXIT_USAGE;
    if (access(program, X_OK)) {
        err_set(err, "%s is missing; build the target parsim-workloads", program);
        free(program);
        return EXIT_USAGE;
    }
    while (argv[n])
        n++;
    char **args = xcalloc((size_t)n + 2, sizeof *args);
    args[0] = program;
    args[1] = argv[0] + strlen(workload_prefix);
    for (int i = 1; i < n; i++)
        args[i + 1] = argv[i];
    code = run_program(args, err);
    free(args);
    free(program);
    return code;
}

static void print_help(bool is_hot)
{
    fputs(is_hot ? hot_help : help, stdout);
    run_options_help(stdout, true);
    fputs(help_end, stdout);
}

/* EXIT_DONE: help was printed; EXIT_USAGE with an error; -1: go on at optind. */
static int parse_line(struct run_options *shared, bool is_hot, int argc, char **argv,
                      struct err *err)
{
    struct option all[RUN_OPTIONS_MAX];
    int c;
    run_options_table(all, longopts);
    opterr = 0;
    optind = 1;
    /* '+': the first word that is no option is the program, also without "--". */
    while ((c = getopt_long(argc, argv, "+h", all, NULL)) != -1) {
        if (c == 'h') {
            print_help(is_hot);
            return EXIT_DONE;
        }
        if (c == '?' ? !cli_refuse_option(argv, err) : !set_option(shared, c, err))
            return EXIT_USAGE;
    }
    shared->o.hot |= is_hot;
    shared->o.is_timed |= is_hot;
    if (is_hot && !shared->o.gpu)
        shared->o.gpu = "gtx480";
    if (!run_options_inherit(shared, err) || !run_options_finish(shared, err) ||
        !run_options_export(shared, err))
        return EXIT_USAGE;
    if (optind == argc) {
        err_set(err, "no program given; see --help");
        return EXIT_USAGE;
    }
    char *program = study_find_program(argv[optind]);
    bool ok = run_options_check_files(shared, NULL, 0, (const char *const *)&program, 1, err) &&
              run_options_try(shared, err);
    free(program);
    return ok ? -1 : EXIT_USAGE;
}

static int run(bool is_hot, int argc, char **argv)
{
    struct err err = {0};
    struct run_options shared = {0};
    int code = parse_line(&shared, is_hot, argc, argv, &err);
    run_options_free(&shared);
    if (code == EXIT_DONE)
        return code;
    if (code == -1 && !strncmp(argv[optind], workload_prefix, strlen(workload_prefix)))
        code = run_workload(argv + optind, &err);
    else if (code == -1)
        code = run_program(argv + optind, &err);
    return cli_fail(is_hot ? "hot" : "run", "%s", err.msg), code;
}

int cmd_run(int argc, char **argv)
{
    return run(false, argc, argv);
}

int cmd_hot(int argc, char **argv)
{
    return run(true, argc, argv);
}
