/* parsim cpu: AArch64 Linux programs on a simulated core. */
#include "a64/a64_stats.h"
#include "base/interrupt.h"
#include "base/outfile.h"
#include "base/wall_clock.h"
#include "cli.h"
#include "cmd.h"
#include "out/json.h"
#include "out/progress.h"
#include "out/stats_files.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: parsim cpu run --functional [OPTIONS] [--] PROGRAM [ARG...]\n"
    "\n"
    "Runs a static AArch64 Linux program. It reads the host's files and has no others to write;\n"
    "its exit code is that of the command.\n"
    "\n"
    "  --functional      execute it; nothing keeps time (so far the only way to run)\n"
    "  --root DIR        the program sees the folder DIR as /, and may write there\n"
    "  --env NAME=VALUE  a variable of its environment, which is empty without this; repeatable\n"
    "  --memory BYTES    at most this much memory, 1M to 64G (default 4G)\n"
    "  --set memo.X=Y    a setting of the memoization unit; repeatable (docs/axmemo.md)\n"
    "  --max-inst N      stop it after N instructions and say where it was\n"
    "  --json FILE       write a summary ('-': standard output)\n"
    "  --csv FILE        write the statistics\n"
    "  --quiet           no line about the run on stderr, and no notes\n"
    "\n"
    "exit code: the program's; 128 + N if signal N would have ended it (132 an instruction that "
    "is\n"
    "unallocated or not known, 133 a breakpoint, 135 a misaligned access, 139 a bad access or\n"
    "jump); 1 stopped by --max-inst; 2 bad usage, or a program that cannot be loaded\n";

struct options {
    struct a64_options guest;
    struct memo_cfg memo;
    struct conf *conf; /* of memo */
    VEC(char *) env;
    uint64_t max_inst;
    const char *json, *csv;
    bool is_functional, is_quiet;
};

/* --- the run --- */

enum { SLICE = 1 << 20, L2_WAY_SETS = 1024 };

/* In slices, between which signals are noticed and the progress is shown. */
static void run_slices(struct a64_process *p, uint64_t max_inst)
{
    struct progress progress;
    progress_start(&progress);
    while (!p->cpu.stop.kind && (!max_inst || p->cpu.inst < max_inst)) {
        const uint64_t left = max_inst ? max_inst - p->cpu.inst : SLICE;
        a64_process_run(p, left < SLICE ? left : SLICE);
        if (interrupt_signal() && !p->cpu.stop.kind)
            p->cpu.stop.kind = A64_INTERRUPTED;
        const struct progress_state s = {.name = p->o.argv[0],
                                         .done = p->cpu.inst,
                                         .all = max_inst,
                                         .things = "instructions",
                                         .work = p->cpu.inst,
                                         .unit = "instructions"};
        progress_show(&progress, &s);
    }
    progress_end(&progress);
}

/* Why it did not end by itself; NULL: it did. To be freed. */
static char *trouble(const struct a64_process *p, uint64_t max_inst)
{
    if (p->cpu.stop.kind == A64_EXIT)
        return NULL;
    if (p->cpu.stop.kind && p->cpu.stop.kind != A64_INTERRUPTED)
        return a64_process_why(p);
    char *place = a64_process_place(p, p->cpu.pc), *text;
    if (p->cpu.stop.kind == A64_INTERRUPTED)
        text = xasprintf("ended by %s at pc %s", interrupt_name(interrupt_signal()), place);
    else
        text = xasprintf("stopped at pc %s: the limit is %llu instructions", place,
                         (unsigned long long)max_inst);
    free(place);
    return text;
}

/* --- what it writes --- */

struct summary {
    const struct a64_process *p;
    const struct stats *stats;
    const char *trouble;
    int exit_code;
};

static void write_json(FILE *out, const void *arg)
{
    const struct summary *s = arg;
    json *o = json_object_new_object();
    json_add_text(o, "program", s->p->o.path);
    json_object_object_add(o, "arguments", json_strings(s->p->o.argv + 1, s->p->o.argc - 1));
    json_add_text(o, "mode", "functional");
    json_add_count(o, "exit_code", (uint64_t)s->exit_code);
    json_add_text(o, "error", s->trouble);
    json_object_object_add(o, "statistics", json_stats(s->stats, false));
    json_write(o, out);
    json_object_put(o);
}

static void write_csv(FILE *out, const void *arg)
{
    stats_write_csv(((const struct summary *)arg)->stats, out);
}

static bool write_files(const struct options *o, const struct summary *s, struct err *err)
{
    return (!o->json || out_write_file(o->json, write_json, s, err)) &&
           (!o->csv || out_write_file(o->csv, write_csv, s, err));
}

static void print_line(const struct a64_process *p, double seconds)
{
    fprintf(stderr, "parsim cpu: %llu instructions in %.2f s (%.0f M/s), %llu system calls\n",
            (unsigned long long)p->cpu.inst, seconds, (double)p->cpu.inst / seconds * 1e-6,
            (unsigned long long)p->syscalls);
}

static int run(const struct options *o, struct err *err)
{
    struct a64_process *p = a64_process_new(&o->guest, err);
    if (!p)
        return cli_fail("cpu", "%s", err->msg);
    interrupt_catch();
    const double start = wall_seconds();
    run_slices(p, o->max_inst);
    const double seconds = wall_seconds() - start;
    char *text = trouble(p, o->max_inst);
    int code = p->cpu.stop.kind ? a64_process_exit_code(p) : EXIT_FAILED;
    if (!o->is_quiet)
        print_line(p, seconds > 0 ? seconds : 1e-9);
    if (text)
        cli_fail("cpu", "%s", text);
    struct stats *stats = stats_new();
    const struct a64_stats counted = a64_stats_of(p);
    stats_add(stats, "a64", a64_stat_rows, a64_nstat_rows, &counted);
    if (p->cpu.memo)
        memo_add_stats(p->cpu.memo, stats);
    const struct summary s = {.p = p, .stats = stats, .trouble = text, .exit_code = code};
    if (!write_files(o, &s, err))
        code = cli_fail("cpu", "%s", err->msg);
    stats_free(stats);
    free(text);
    a64_process_free(p);
    return code;
}

/* --- the command line --- */

enum {
    OPT_FUNCTIONAL = 256,
    OPT_ROOT,
    OPT_ENV,
    OPT_MEMORY,
    OPT_SET,
    OPT_MAX,
    OPT_JSON,
    OPT_CSV,
    OPT_QUIET
};

static const struct option longopts[] = {
    {"functional", no_argument, NULL, OPT_FUNCTIONAL},
    {"root", required_argument, NULL, OPT_ROOT},
    {"env", required_argument, NULL, OPT_ENV},
    {"memory", required_argument, NULL, OPT_MEMORY},
    {"set", required_argument, NULL, OPT_SET},
    {"max-inst", required_argument, NULL, OPT_MAX},
    {"json", required_argument, NULL, OPT_JSON},
    {"csv", required_argument, NULL, OPT_CSV},
    {"quiet", no_argument, NULL, OPT_QUIET},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static bool take_env(struct options *o, struct err *err)
{
    const char *equals = strchr(optarg, '=');
    if (!equals || equals == optarg)
        return err_set(err, "--env %s: write NAME=VALUE", optarg);
    vec_push(&o->env, optarg);
    return true;
}

static bool take_option(struct options *o, int c, struct err *err)
{
    switch (c) {
    case OPT_FUNCTIONAL:
        return o->is_functional = true;
    case OPT_ROOT:
        o->guest.root = optarg;
        return true;
    case OPT_ENV:
        return take_env(o, err);
    case OPT_MEMORY:
        return (cli_u64(optarg, &o->guest.memory_bytes) && o->guest.memory_bytes >= 1u << 20 &&
                o->guest.memory_bytes <= UINT64_C(64) << 30) ||
               err_set(err, "--memory %s: not a size from 1M to 64G", optarg);
    case OPT_SET:
        return conf_set(o->conf, optarg, err);
    case OPT_MAX:
        return (cli_u64(optarg, &o->max_inst) && o->max_inst) ||
               err_set(err, "--max-inst %s: not a number above 0", optarg);
    case OPT_JSON:
        o->json = optarg;
        return true;
    case OPT_CSV:
        o->csv = optarg;
        return true;
    default:
        return o->is_quiet = true;
    }
}

static bool check_files(const struct options *o, struct err *err)
{
    const char *const outputs[] = {o->json, o->csv}, *const inputs[] = {o->guest.path};
    return outfile_probe_all(outputs, ARRAY_LEN(outputs), err) &&
           outfile_check_inputs(outputs, ARRAY_LEN(outputs), inputs, 1, err);
}

/* Options end at the program, whose own may look the same. */
static bool take_line(struct options *o, int argc, char **argv, bool *wants_help, struct err *err)
{
    optind = 1;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, "+h", longopts, NULL)) != -1;) {
        if (c == 'h')
            return *wants_help = true;
        if (c == '?')
            return cli_refuse_option(argv, err);
        if (!take_option(o, c, err))
            return false;
    }
    if (optind == argc)
        return err_set(err, "no program was given; see --help");
    if (!o->is_functional)
        return err_set(err, "the core in time is not there yet: give --functional");
    o->guest.path = argv[optind];
    o->guest.argv = argv + optind;
    o->guest.argc = (size_t)(argc - optind);
    o->guest.env = o->env.data;
    o->guest.nenv = o->env.len;
    o->guest.notes = o->is_quiet ? NULL : stderr;
    o->guest.memo = &o->memo;
    o->guest.l2_way_sets = L2_WAY_SETS;
    return memo_cfg_check(&o->memo, err) && check_files(o, err);
}

int cmd_cpu(int argc, char **argv)
{
    struct options o = {0};
    struct err err = {0};
    bool wants_help = argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
    if (!wants_help && (argc < 2 || strcmp(argv[1], "run")))
        return cli_fail("cpu", "'%s' is not a command of cpu; there is: run (see --help)",
                        argc < 2 ? "" : argv[1]);
    int code = EXIT_DONE;
    o.conf = conf_new();
    conf_add(o.conf, "memo", memo_fields, memo_nfields, &o.memo);
    if (!wants_help && !take_line(&o, argc - 1, argv + 1, &wants_help, &err))
        code = cli_fail("cpu", "%s", err.msg);
    else if (wants_help)
        fputs(help, stdout);
    else
        code = run(&o, &err);
    vec_free(&o.env);
    conf_free(o.conf);
    return code;
}
