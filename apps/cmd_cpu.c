/* parsim cpu: AArch64 Linux programs on a simulated core. */
#include "base/outfile.h"
#include "cli.h"
#include "cmd.h"
#include "cpu_run.h"
#include "out/stats_files.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: parsim cpu run [OPTIONS] [--] PROGRAM [ARG...]\n"
    "\n"
    "Runs a static AArch64 Linux program on a core in time. It reads the host's files and has no\n"
    "others to write; its exit code is that of the command.\n"
    "\n"
    "  --functional      execute it; nothing keeps time\n"
    "  --cpu NAME        the machine: hpi (default), or a file of yours (FILE.yaml)\n"
    "  --set KEY=VALUE   a setting of it: core, timing, l1i, l1d, l2, map, mc, dram, memo; "
    "repeatable\n"
    "  --root DIR        the program sees the folder DIR as /, and may write there\n"
    "  --env NAME=VALUE  a variable of its environment, which is empty without this; repeatable\n"
    "  --memory BYTES    at most this much memory, 1M to 64G (default 4G)\n"
    "  --max-inst N      stop it after N instructions and say where it was\n"
    "  --json FILE       write a summary ('-': standard output)\n"
    "  --csv FILE        write the statistics; beside it FILE.roi.csv, those of the region of\n"
    "                    interest, and with --interval FILE.series.csv\n"
    "  --db FILE         add them to an SQLite database\n"
    "  --interval N      a sample of all counters every N cycles\n"
    "  --trace FILE      write a timeline for ui.perfetto.dev: functions, regions, lookups\n"
    "  --quiet           no line about the run on stderr, and no notes\n"
    "\n"
    "exit code: the program's; 128 + N if signal N would have ended it (132 an instruction that "
    "is\n"
    "unallocated or not known, 133 a breakpoint, 135 a misaligned access, 139 a bad access or\n"
    "jump); 1 stopped by --max-inst; 2 bad usage, or a program that cannot be loaded\n";

struct options {
    struct cpu_run_options run;
    VEC(char *) env;
    VEC(char *) settings;
    const char *cpu;
};

/* --- the command line --- */

enum {
    OPT_FUNCTIONAL = 256,
    OPT_CPU,
    OPT_SET,
    OPT_ROOT,
    OPT_ENV,
    OPT_MEMORY,
    OPT_MAX,
    OPT_JSON,
    OPT_CSV,
    OPT_DB,
    OPT_INTERVAL,
    OPT_TRACE,
    OPT_QUIET
};

static const struct option longopts[] = {
    {"functional", no_argument, NULL, OPT_FUNCTIONAL},
    {"cpu", required_argument, NULL, OPT_CPU},
    {"set", required_argument, NULL, OPT_SET},
    {"root", required_argument, NULL, OPT_ROOT},
    {"env", required_argument, NULL, OPT_ENV},
    {"memory", required_argument, NULL, OPT_MEMORY},
    {"max-inst", required_argument, NULL, OPT_MAX},
    {"json", required_argument, NULL, OPT_JSON},
    {"csv", required_argument, NULL, OPT_CSV},
    {"db", required_argument, NULL, OPT_DB},
    {"interval", required_argument, NULL, OPT_INTERVAL},
    {"trace", required_argument, NULL, OPT_TRACE},
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

static bool take_count(uint64_t *to, const char *name, struct err *err)
{
    return (cli_u64(optarg, to) && *to) ||
           err_set(err, "--%s %s: not a number above 0", name, optarg);
}

static bool take_text(const char **to)
{
    *to = optarg;
    return true;
}

static bool take_memory(uint64_t *to, struct err *err)
{
    return (cli_u64(optarg, to) && *to >= 1u << 20 && *to <= UINT64_C(64) << 30) ||
           err_set(err, "--memory %s: not a size from 1M to 64G", optarg);
}

static bool take_option(struct options *o, int c, struct err *err)
{
    struct cpu_run_options *run = &o->run;
    switch (c) {
    case OPT_FUNCTIONAL:
        return run->is_functional = true;
    case OPT_CPU:
        return take_text(&o->cpu);
    case OPT_SET:
        vec_push(&o->settings, optarg);
        return true;
    case OPT_ROOT:
        return take_text(&run->guest.root);
    case OPT_ENV:
        return take_env(o, err);
    case OPT_MEMORY:
        return take_memory(&run->guest.memory_bytes, err);
    case OPT_MAX:
        return take_count(&run->max_inst, "max-inst", err);
    case OPT_JSON:
        return take_text(&run->json);
    case OPT_CSV:
        return take_text(&run->csv);
    case OPT_DB:
        return take_text(&run->db);
    case OPT_INTERVAL:
        return take_count(&run->interval, "interval", err);
    case OPT_TRACE:
        return take_text(&run->trace);
    default:
        return run->is_quiet = true;
    }
}

/* Options end at the program, whose own may look the same. */
static bool take_options(struct options *o, int argc, char **argv, bool *wants_help,
                         struct err *err)
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
    struct a64_options *guest = &o->run.guest;
    guest->path = argv[optind];
    guest->argv = argv + optind;
    guest->argc = (size_t)(argc - optind);
    guest->env = o->env.data;
    guest->nenv = o->env.len;
    guest->notes = o->run.is_quiet ? NULL : stderr;
    return true;
}

/* --- what must hold between them --- */

static bool check_time(const struct cpu_run_options *o, struct err *err)
{
    const struct {
        const char *name;
        bool is_given;
    } timed[] = {{"interval", o->interval > 0}, {"trace", o->trace != NULL}};
    for (unsigned i = 0; i < ARRAY_LEN(timed) && o->is_functional; i++)
        if (timed[i].is_given)
            return err_set(err, "--%s needs time, which --functional does not keep", timed[i].name);
    return true;
}

static bool check_files(const struct cpu_run_options *o, struct err *err)
{
    char *series = o->csv && o->interval ? out_beside(o->csv, "series") : NULL,
         *roi = o->csv && !o->is_functional ? out_beside(o->csv, "roi") : NULL;
    const char *const outputs[] = {o->json, o->csv, series, roi, o->trace}, *const inputs[] = {
                                                                                o->guest.path};
    const bool is_ok = outfile_probe_all(outputs, ARRAY_LEN(outputs), err) &&
                       outfile_check_inputs(outputs, ARRAY_LEN(outputs), inputs, 1, err) &&
                       (!o->db || stats_db_probe(o->db, err));
    free(series);
    free(roi);
    return is_ok;
}

static int run(struct options *o, struct err *err)
{
    struct cpu_cfg *cfg =
        cpu_cfg_new(o->cpu ? o->cpu : "hpi", o->settings.data, o->settings.len, err);
    if (!cfg)
        return cli_fail("cpu", "%s", err->msg);
    o->run.machine = cfg;
    o->run.guest.memo = &cfg->memo;
    o->run.guest.l2_way_sets = cpu_cfg_way_sets(cfg);
    const int code = check_time(&o->run, err) && check_files(&o->run, err)
                         ? cpu_run_program(&o->run, err)
                         : cli_fail("cpu", "%s", err->msg);
    cpu_cfg_free(cfg);
    return code;
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
    if (!wants_help && !take_options(&o, argc - 1, argv + 1, &wants_help, &err))
        code = cli_fail("cpu", "%s", err.msg);
    else if (wants_help)
        fputs(help, stdout);
    else
        code = run(&o, &err);
    vec_free(&o.env);
    vec_free(&o.settings);
    return code;
}
