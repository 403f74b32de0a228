/* `parsim sweep`: every combination of some values of some fields and some techniques. */
#include "cli.h"
#include "cmd.h"
#include "setup_options.h"
#include "study/study_sweep.h"
#include "study/study_words.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: parsim sweep --set KEY=V,V... [--set ...] [--with LIST] WORKLOAD... [OPTIONS]\n"
    "       parsim sweep --set KEY=V,V... [OPTIONS] ./PROGRAM...  |  -- PROGRAM [ARGUMENTS]\n"
    "\n"
    "Runs every combination of the values on every program (a workload, or one of yours: a name "
    "with a\n"
    "slash, its arguments in quotes: './scan 1000', within them quoted as in a shell), as child\n"
    "processes, and tables what came out. Each run is made once and kept in DIR/results.db: the "
    "same command goes on where it was\n"
    "stopped, and a further value or metric costs only what is new. The first combination is the "
    "base\n"
    "of speedups.\n"
    "\n"
    "  --set KEY=V,V    a field of the machine ('parsim gpus --fields') and its values\n"
    "  --with LIST      techniques of `parsim run --with`, comma-separated: NAME[+NAME...]; base "
    "is "
    "none\n"
    "  --metric LIST    numbers of a run (default cycles,ipc): cycles, ipc, bandwidth, "
    "dram_bytes,\n"
    "                   energy, edp, ratio, or a path in its JSON (stats.l2.hit_rate), sums and\n"
    "                   quotients of them: a+b/c+d is (a+b)/(c+d)\n"
    "  --plugin FILE    a library with further techniques; several times: all of them\n"
    "  --gpu G          the machine (default gtx480)\n"
    "  --size S         of workloads: tiny, small (default), medium, large, paper\n"
    "  --jobs N         runs at once (default 1)\n"
    "  --threads N      host threads of a run at most (default 1; 0: as the host has processors);\n"
    "                   results do not depend on it\n"
    "  --sample         runs are sampled ('parsim run --sample'): less time, cycles with an error\n"
    "  --limit S        seconds after which a run is stopped (default 0: never)\n"
    "  --out DIR        where results are kept (default sweep)\n"
    "  --collect        runs nothing: tables what is there\n"
    "  --slurm          submits what is missing as an array job of Slurm (DIR/slurm.sh)\n"
    "  --json FILE      the table as JSON ('-' = standard output)\n"
    "  --csv FILE       the table as CSV\n"
    "  --db FILE        every run with its statistics as an SQLite database (docs/data.md)\n"
    "  --plot FILE.svg  a picture of the first metric (of cycles: speedups)\n"
    "  --quiet          no progress on stderr\n"
    "\n"
    "exit code: 0 done, 1 a run failed, 2 bad usage or input, or an output that cannot be "
    "written,\n"
    "130 and 143 interrupted\n";

enum {
    O_METRIC = 256,
    O_GPU,
    O_JSON,
    O_CSV,
    O_PLOT,
    O_DB,
    O_SET,
    O_WITH,
    O_PLUGIN,
    O_COLLECT,
    O_SLURM,
    O_TASK
};

static const struct option longopts[] = {
    {"metric", required_argument, NULL, O_METRIC},
    {"gpu", required_argument, NULL, O_GPU},
    {"json", required_argument, NULL, O_JSON},
    {"csv", required_argument, NULL, O_CSV},
    {"plot", required_argument, NULL, O_PLOT},
    {"db", required_argument, NULL, O_DB},
    {"set", required_argument, NULL, O_SET},
    {"with", required_argument, NULL, O_WITH},
    {"plugin", required_argument, NULL, O_PLUGIN},
    {"collect", no_argument, NULL, O_COLLECT},
    {"slurm", no_argument, NULL, O_SLURM},
    {"task", required_argument, NULL, O_TASK},
    SETUP_OPTIONS,
    SETUP_OPTIONS_KEPT,
    SETUP_OPTION_SAMPLE,
    {"help", no_argument, NULL, 'h'},
    {0},
};

/* What the command line gives beside the sweep, to be freed. */
struct line {
    const char *metrics;
    char *plugins, *words;
};

static bool take_option(struct study_sweep *s, struct line *l, int c, struct err *err)
{
    const char **const texts[] = {&l->metrics, &s->matrix.gpu, &s->json, &s->csv, &s->plot, &s->db};
    uint64_t n;
    if (c >= SETUP_OPTION_FIRST)
        return setup_options_take(&s->matrix.setup, c, optarg, err);
    switch (c) {
    case O_SET:
        return study_sweep_add_set(s, optarg, err);
    case O_WITH:
        return study_sweep_add_with(s, optarg, err);
    case O_PLUGIN:
        return cli_add_plugin(&l->plugins, optarg, err);
    case O_COLLECT:
        return s->collects = true;
    case O_SLURM:
        s->slurm = "";
        return true;
    case O_TASK:
        if (!cli_u64(optarg, &n))
            return err_set(err, "--task %s: is no number", optarg);
        s->only = n;
        return true;
    default:
        *texts[c - O_METRIC] = optarg;
        return true;
    }
}

/* The words of the line for a shell, without --slurm. */
static char *quote_line(int argc, char **argv)
{
    char *all = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&all, &len);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--slurm"))
            continue;
        fputc(' ', f);
        study_words_quote(f, argv[i]);
    }
    fclose(f);
    return all;
}

static int sweep(struct study_sweep *s, struct line *l, int argc, char **argv, struct err *err)
{
    s->matrix.plugins = l->plugins;
    s->metrics = study_list_of(l->metrics ? l->metrics : "cycles,ipc");
    if (s->slurm)
        s->slurm = l->words;
    if (!s->naxes)
        err_set(err, "nothing to sweep: give --set KEY=V,V or --with LIST");
    else if (!s->metrics.n)
        err_set(err, "--metric: the list is empty");
    else if (!cli_programs(&s->matrix, argc, argv, err) || !study_sweep_points(s, err))
        return EXIT_USAGE;
    else if (s->only != SIZE_MAX && s->only >= s->matrix.nprograms * s->matrix.designs.n)
        err_set(err, "--task %zu: there are %zu", s->only,
                s->matrix.nprograms * s->matrix.designs.n);
    else
        return cli_exit_code(study_sweep(s, stdout, err));
    return EXIT_USAGE;
}

int cmd_sweep(int argc, char **argv)
{
    struct study_sweep s = {
        .matrix = {.setup = {.size = "small", .threads = 1, .jobs = 1, .folder = "sweep"},
                   .gpu = "gtx480"},
        .only = SIZE_MAX};
    struct line l = {0};
    struct err err = {0};
    int c, code = -1;
    char **words = xcalloc((size_t)argc + 1, sizeof *words); /* getopt changes their order */
    memcpy(words, argv, (size_t)argc * sizeof *words);
    opterr = 0;
    optind = 1;
    while (code < 0 && (c = getopt_long(argc, argv, "h", longopts, NULL)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            code = EXIT_DONE;
        } else if (c == '?' ? !cli_refuse_option(argv, &err) : !take_option(&s, &l, c, &err)) {
            code = EXIT_USAGE;
        }
    }
    if (code < 0) {
        if (s.slurm)
            l.words = quote_line(argc, words);
        code = sweep(&s, &l, argc, argv, &err);
    }
    study_sweep_free(&s);
    free(s.matrix.programs);
    free(l.words);
    free(l.plugins);
    free(words);
    if (code != EXIT_DONE)
        cli_fail("sweep", "%s", err.msg);
    return code;
}
