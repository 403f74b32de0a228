/* parsim cpu: AArch64 Linux programs on a simulated core. */
#include "base/outfile.h"
#include "cli.h"
#include "cmd.h"
#include "cpu_profile.h"
#include "cpu_run.h"
#include "out/stats_files.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: parsim cpu run|profile|trace [OPTIONS] [--] PROGRAM [ARG...]\n"
    "\n"
    "run: a static AArch64 Linux program on a core in time. It reads the host's files and has no\n"
    "others to write; its exit code is that of the command.\n"
    "profile: which regions of it compute much from little, again and again (docs/axmemo.md).\n"
    "trace: what it executes, as CSV.\n"
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
    "of profile and trace, with --cpu, --set, --root, --env, --memory, --max-inst, --json, --csv:\n"
    "  --function NAME   what is looked at, with all that it calls; repeatable (without this: the\n"
    "                    region of interest of parsim/axmemo.h, or main, or all)\n"
    "  --skip N          leave out its first N instructions\n"
    "  --window N        look at N of them, up to 16M (default 1M; trace 64K)\n"
    "  --ci X            weight an input from which on a region is one (default 5)\n"
    "  --by-ci           regions end where they have the most weight an input (chapter 4.4), not\n"
    "                    where they save most\n"
    "  --top N           report N regions (default 5)\n"
    "  --apply FILE      write a program whose functions with nothing but a result ask the\n"
    "                    memoization unit first (profile)\n"
    "  --cut N           bits that their arguments lose, 0 to 63 (default 0)\n"
    "  --trust           functions whose other paths, not taken in the window, store, read what "
    "can\n"
    "                    change or cannot be followed are memoized, too\n"
    "\n"
    "exit code: the program's; 128 + N if signal N would have ended it (132 an instruction that "
    "is\n"
    "unallocated or not known, 133 a breakpoint, 135 a misaligned access, 139 a bad access or\n"
    "jump); 1 stopped by --max-inst; 2 bad usage, or a program that cannot be loaded\n";

enum command { RUN, PROFILE, TRACE, COMMANDS };

static const char *const command_names[COMMANDS] = {"run", "profile", "trace"};

struct options {
    enum command command;
    struct cpu_run_options run;
    struct cpu_profile_options profile;
    VEC(char *) functions;
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
    OPT_QUIET,
    OPT_FUNCTION,
    OPT_SKIP,
    OPT_WINDOW,
    OPT_CI,
    OPT_BY_CI,
    OPT_TOP,
    OPT_APPLY,
    OPT_CUT,
    OPT_TRUST
};

/* Commands that have an option: bits of enum command; 0 is all. */
static const uint8_t only_of[] = {
    [OPT_FUNCTIONAL - OPT_FUNCTIONAL] = 1 << RUN,
    [OPT_DB - OPT_FUNCTIONAL] = 1 << RUN,
    [OPT_INTERVAL - OPT_FUNCTIONAL] = 1 << RUN,
    [OPT_TRACE - OPT_FUNCTIONAL] = 1 << RUN,
    [OPT_JSON - OPT_FUNCTIONAL] = 1 << RUN | 1 << PROFILE,
    [OPT_FUNCTION - OPT_FUNCTIONAL] = 1 << PROFILE | 1 << TRACE,
    [OPT_SKIP - OPT_FUNCTIONAL] = 1 << PROFILE | 1 << TRACE,
    [OPT_WINDOW - OPT_FUNCTIONAL] = 1 << PROFILE | 1 << TRACE,
    [OPT_CI - OPT_FUNCTIONAL] = 1 << PROFILE,
    [OPT_BY_CI - OPT_FUNCTIONAL] = 1 << PROFILE,
    [OPT_TOP - OPT_FUNCTIONAL] = 1 << PROFILE,
    [OPT_APPLY - OPT_FUNCTIONAL] = 1 << PROFILE,
    [OPT_CUT - OPT_FUNCTIONAL] = 1 << PROFILE,
    [OPT_TRUST - OPT_FUNCTIONAL] = 1 << PROFILE,
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
    {"function", required_argument, NULL, OPT_FUNCTION},
    {"skip", required_argument, NULL, OPT_SKIP},
    {"window", required_argument, NULL, OPT_WINDOW},
    {"ci", required_argument, NULL, OPT_CI},
    {"by-ci", no_argument, NULL, OPT_BY_CI},
    {"top", required_argument, NULL, OPT_TOP},
    {"apply", required_argument, NULL, OPT_APPLY},
    {"cut", required_argument, NULL, OPT_CUT},
    {"trust", no_argument, NULL, OPT_TRUST},
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

enum { WINDOW_MOST = 16 << 20, WINDOW_PROFILE = 1 << 20, WINDOW_TRACE = 1 << 16 };

static bool take_window(uint64_t *to, struct err *err)
{
    return (cli_u64(optarg, to) && *to && *to <= WINDOW_MOST) ||
           err_set(err, "--window %s: not a number from 1 to 16M", optarg);
}

static bool take_ci(double *to, struct err *err)
{
    char *end;
    *to = strtod(optarg, &end);
    return (end != optarg && !*end && *to > 0 && *to < 1e9) ||
           err_set(err, "--ci %s: not a number above 0", optarg);
}

static bool take_cut(unsigned *to, struct err *err)
{
    uint64_t n;
    const bool is_ok = cli_u64(optarg, &n) && n < 64;
    *to = is_ok ? (unsigned)n : 0;
    return is_ok || err_set(err, "--cut %s: not a number from 0 to 63", optarg);
}

/* Those of profile and trace alone. */
static bool take_profile_option(struct options *o, int c, struct err *err)
{
    struct cpu_profile_options *profile = &o->profile;
    switch (c) {
    case OPT_FUNCTION:
        vec_push(&o->functions, optarg);
        return true;
    case OPT_SKIP:
        return cli_u64(optarg, &profile->window.skip) ||
               err_set(err, "--skip %s: not a number", optarg);
    case OPT_WINDOW:
        return take_window(&profile->window.most, err);
    case OPT_CI:
        return take_ci(&profile->limits.ci, err);
    case OPT_BY_CI:
        return profile->limits.by_ci = true;
    case OPT_APPLY:
        return take_text(&profile->apply);
    case OPT_CUT:
        return take_cut(&profile->cut, err);
    case OPT_TRUST:
        return profile->is_trusted = true;
    default:
        return take_count(&profile->top, "top", err);
    }
}

static bool check_command(const struct options *o, int c, struct err *err)
{
    const unsigned at = (unsigned)(c - OPT_FUNCTIONAL);
    const unsigned of = at < ARRAY_LEN(only_of) ? only_of[at] : 0;
    const struct option *l = longopts;
    while (l->val != c)
        l++;
    return !of || of >> o->command & 1 ||
           err_set(err, "--%s is no option of cpu %s; see --help", l->name,
                   command_names[o->command]);
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
    case OPT_QUIET:
        return run->is_quiet = true;
    default:
        return take_profile_option(o, c, err);
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
        if (!check_command(o, c, err) || !take_option(o, c, err))
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

/* What profile and trace take of the options that all have. */
static int profile(struct options *o, struct err *err)
{
    struct cpu_profile_options *p = &o->profile;
    const bool is_trace = o->command == TRACE;
    const char *const outputs[] = {o->run.json, o->run.csv, p->apply};
    const char *const inputs[] = {o->run.guest.path};
    p->guest = o->run.guest;
    p->machine = o->run.machine;
    p->json = o->run.json;
    p->csv = o->run.csv;
    p->is_quiet = o->run.is_quiet;
    p->window.max_inst = o->run.max_inst;
    p->window.functions = o->functions.data;
    p->window.nfunctions = o->functions.len;
    if (!p->window.most)
        p->window.most = is_trace ? WINDOW_TRACE : WINDOW_PROFILE;
    if (!outfile_probe_all(outputs, ARRAY_LEN(outputs), err) ||
        !outfile_check_inputs(outputs, ARRAY_LEN(outputs), inputs, 1, err))
        return cli_fail("cpu", "%s", err->msg);
    return is_trace ? cpu_trace_program(p, err) : cpu_profile_program(p, err);
}

static int execute(struct options *o, struct err *err)
{
    if (o->command != RUN)
        return profile(o, err);
    return check_time(&o->run, err) && check_files(&o->run, err) ? cpu_run_program(&o->run, err)
                                                                 : cli_fail("cpu", "%s", err->msg);
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
    const int code = execute(o, err);
    cpu_cfg_free(cfg);
    return code;
}

static enum command command_of(const char *name)
{
    enum command c = RUN;
    while (c < COMMANDS && strcmp(command_names[c], name))
        c++;
    return c;
}

int cmd_cpu(int argc, char **argv)
{
    struct options o = {.profile = {.limits = DDDG_LIMITS_DEFAULT, .top = 5}};
    struct err err = {0};
    bool wants_help = argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
    o.command = argc > 1 ? command_of(argv[1]) : COMMANDS;
    if (!wants_help && o.command == COMMANDS)
        return cli_fail("cpu",
                        "'%s' is not a command of cpu; there are: run, profile, trace (see --help)",
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
    vec_free(&o.functions);
    return code;
}
