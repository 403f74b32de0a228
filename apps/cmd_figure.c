/* `parsim figure`: experiments of experiments/, run, tabled, drawn, and beside what a paper says.
 */
#include "base/vec.h"
#include "cli.h"
#include "cmd.h"
#include "study/study_figure.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "usage: parsim figure NAME|FILE.yaml... [OPTIONS]\n"
    "       parsim figure --list | --builds [--out DIR]\n"
    "\n"
    "NAME is one of --list, the start of some (x-9 is x-9a and x-9b), or all.\n"
    "Runs experiments: every design on every program, as child processes, each once however many\n"
    "figures need it; those of the names given first come first. Results are kept in\n"
    "DIR/results.db, so that what was stopped goes on where it was. Writes DIR/NAME.csv, NAME.md\n"
    "and NAME.svg and prints the tables beside what the papers report.\n"
    "\n"
    "  --list        the experiments that come with Parsim\n"
    "  --size S      of the programs: tiny, small (default), medium, large\n"
    "  --workloads L comma-separated: only these programs\n"
    "  --designs L   comma-separated: only these designs of the experiments\n"
    "  --gpu G       another machine than the experiments'\n"
    "  --jobs N      runs at once (default 1)\n"
    "  --threads N   host threads of a run (default 1); results do not depend on it\n"
    "  --limit S     seconds after which a run is stopped (default 3600; 0: never); its figures "
    "are\n"
    "                made of the others and say what is missing\n"
    "  --for S       seconds after which all are stopped and the figures made of what is there\n"
    "  --out DIR     where results go (default results)\n"
    "  --report DIR  runs nothing: pages, pictures and the overview (README.md) of what\n"
    "                results.db has go to DIR\n"
    "  --import F.db results of another machine's results.db are added first\n"
    "  --builds      of which builds of Parsim there are results\n"
    "  --build ID    takes results of that build, or of the newest, for this one's (--report)\n"
    "  --quiet       no progress on stderr\n"
    "\n"
    "exit code: 0 done, 1 a run failed, 2 bad usage or input, or an output that cannot be "
    "written,\n"
    "130 and 143 interrupted\n";

struct options {
    struct study_setup setup;
    struct fig_choice choice;
    const char *report, *import, *build;
    bool builds;
};

struct figures {
    const struct options *o;
    VEC(struct fig *) at;
    struct study_plan *plan;
    struct study_store *store;
    struct study_setup setup;
};

/* --- which --- */

/* "x-9" stands for x-9a and x-9b, "all" for everything. */
static bool is_part(const char *figure, const char *name)
{
    size_t n = strlen(name);
    return !strcmp(name, "all") || (!strncmp(figure, name, n) &&
                                    (figure[n] == '-' || (figure[n] >= 'a' && figure[n] <= 'z')));
}

static bool is_known(const char *name)
{
    for (const struct study_text *t = study_texts(); t->name; t++)
        if (!strcmp(t->name, name))
            return true;
    return false;
}

static bool has_figure(const struct figures *f, const char *name)
{
    for (size_t i = 0; i < f->at.len; i++)
        if (!strcmp(f->at.data[i]->name, name))
            return true;
    return false;
}

static bool check_workloads(const struct fig *f, struct err *err)
{
    for (size_t w = 0; w < f->workloads.n; w++)
        if (!cli_check_workload(f->workloads.at[w], err))
            return false;
    return true;
}

/* One figure into the plan. One that cannot be is an error, but the others go on. */
static int add_figure(struct figures *f, const char *name, unsigned rank, bool is_strict)
{
    struct err err = {0};
    struct fig_choice choice = f->o->choice;
    bool is_empty;
    choice.is_strict = is_strict;
    if (has_figure(f, name))
        return EXIT_DONE;
    struct fig *fig = fig_load(name, &choice, &is_empty, &err);
    if (!fig && is_empty)
        return EXIT_DONE;
    if (!fig || (!f->o->report && !(check_workloads(fig, &err) && fig_check(fig, &err)))) {
        fig_free(fig);
        return cli_fail("figure", "%s: %s", name, err.msg);
    }
    fig_plan(fig, f->plan, rank);
    vec_push(&f->at, fig);
    return EXIT_DONE;
}

static int add_figures(struct figures *f, const char *name, unsigned rank, bool is_only)
{
    int code = EXIT_DONE;
    bool any = false;
    for (const struct study_text *t = study_texts(); t->name && !is_known(name); t++)
        if (is_part(t->name, name)) {
            int one = add_figure(f, t->name, rank, false);
            code = one > code ? one : code;
            any = true;
        }
    return any ? code : add_figure(f, name, rank, is_only);
}

/* --- all of them --- */

/* What is missing: a line a run; of a report, which may be of much less, a line a figure. */
static int tell_missing(const struct figures *f, const struct fig *fig,
                        const struct study_job *jobs)
{
    size_t n = fig_missing(fig, jobs, f->o->report ? NULL : stderr, "parsim figure: missing: ");
    if (n && f->o->report && !f->setup.quiet)
        fprintf(stderr, "parsim figure: missing: %s: %zu of %zu runs\n", fig->name, n,
                fig->workloads.n * fig->designs.n);
    return n ? EXIT_FAILED : EXIT_DONE;
}

static int show(struct figures *f, const struct study_job *jobs, struct err *err)
{
    const char *dir = f->o->report ? f->o->report : f->setup.folder;
    int code = EXIT_DONE;
    for (size_t i = 0; i < f->at.len; i++) {
        struct fig *fig = f->at.data[i];
        if (!fig_tabulate(fig, jobs, err))
            return EXIT_USAGE;
        if (!f->o->report) {
            study_table_print(&fig->table, stdout);
            study_table_beside_paper(&fig->table, stdout, "  ");
            putchar('\n');
        }
        int missing = tell_missing(f, fig, jobs);
        code = missing > code ? missing : code;
        /* a page of which nothing is there stays as it was */
        const bool is_empty =
            fig_missing(fig, jobs, NULL, NULL) == fig->workloads.n * fig->designs.n;
        if (!(f->o->report && is_empty) &&
            !fig_write(fig, &f->setup, jobs, dir, !f->o->report, err))
            return EXIT_USAGE;
    }
    if (f->o->report && !fig_overview(f->at.data, f->at.len, &f->setup, f->o->report, err))
        return EXIT_USAGE;
    return code;
}

static int make(struct figures *f, struct err *err)
{
    size_t n;
    struct study_job *jobs = study_plan_jobs(f->plan, &n);
    if (f->o->report)
        study_recall(&f->setup, jobs, n, f->store);
    else if (!study_run(&f->setup, jobs, n, f->store, err))
        return EXIT_USAGE;
    return show(f, jobs, err);
}

/* 2 before 10, 2 before 2-stalls. */
static int by_name(const void *a, const void *b)
{
    const char *x = (*(const struct fig *const *)a)->name;
    const char *y = (*(const struct fig *const *)b)->name;
    for (; *x && *y; x++, y++) {
        size_t nx = strspn(x, "0123456789"), ny = strspn(y, "0123456789");
        if (nx != ny && nx && ny)
            return nx < ny ? -1 : 1;
        if (*x != *y)
            break;
    }
    return (*x > *y) - (*x < *y);
}

static int run_names(struct figures *f, char **names, int n, struct err *err)
{
    int code = EXIT_DONE;
    for (int i = 0; i < n; i++) {
        int one = add_figures(f, names[i], (unsigned)i, n == 1);
        code = one > code ? one : code;
    }
    if (f->at.len)
        qsort(f->at.data, f->at.len, sizeof *f->at.data, by_name);
    int made = f->at.len ? make(f, err) : EXIT_DONE;
    return made > code ? made : code;
}

static bool open_store(struct figures *f, char build[STUDY_BUILD], struct err *err)
{
    const struct options *o = f->o;
    char *path = xasprintf("%s/results.db", o->setup.folder);
    f->store = study_store_open(path, err);
    free(path);
    study_build(build);
    f->setup.build = build;
    return f->store && (!o->import || study_store_import(f->store, o->import, err)) &&
           (!o->build || study_store_build(f->store, o->build, build, err));
}

static int figures(const struct options *o, char **names, int n)
{
    struct figures f = {.o = o, .setup = o->setup, .plan = study_plan_new()};
    struct err err = {0};
    char build[STUDY_BUILD];
    int code = EXIT_USAGE;
    if (mkdir(o->setup.folder, 0777) && errno != EEXIST)
        err_set(&err, "cannot make the folder %s: %s", o->setup.folder, strerror(errno));
    else if (o->report && mkdir(o->report, 0777) && errno != EEXIST)
        err_set(&err, "cannot make the folder %s: %s", o->report, strerror(errno));
    else if (open_store(&f, build, &err)) {
        code = EXIT_DONE;
        if (o->builds)
            study_store_list(f.store, build, stdout);
        else
            code = run_names(&f, names, n, &err);
    }
    if (err.msg[0])
        cli_fail("figure", "%s", err.msg);
    for (size_t i = 0; i < f.at.len; i++)
        fig_free(f.at.data[i]);
    vec_free(&f.at);
    study_plan_free(f.plan);
    study_store_close(f.store);
    return code;
}

/* --- the command line --- */

static int list_all(void)
{
    for (const struct study_text *t = study_texts(); t->name; t++) {
        struct err err = {0};
        struct study_file *f = study_file_load(t->name, &err);
        if (!f)
            return cli_fail("figure", "%s", err.msg);
        printf("%-14s %s\n", t->name, f->figure.title);
        study_file_free(f);
    }
    return EXIT_DONE;
}

enum {
    O_LIST = 256,
    O_SIZE,
    O_WORKLOADS,
    O_DESIGNS,
    O_GPU,
    O_OUT,
    O_REPORT,
    O_IMPORT,
    O_BUILD,
    O_JOBS,
    O_THREADS,
    O_LIMIT,
    O_FOR,
    O_BUILDS,
    O_QUIET
};

static const struct option longopts[] = {
    {"list", no_argument, NULL, O_LIST},
    {"size", required_argument, NULL, O_SIZE},
    {"workloads", required_argument, NULL, O_WORKLOADS},
    {"designs", required_argument, NULL, O_DESIGNS},
    {"gpu", required_argument, NULL, O_GPU},
    {"out", required_argument, NULL, O_OUT},
    {"report", required_argument, NULL, O_REPORT},
    {"import", required_argument, NULL, O_IMPORT},
    {"build", required_argument, NULL, O_BUILD},
    {"jobs", required_argument, NULL, O_JOBS},
    {"threads", required_argument, NULL, O_THREADS},
    {"limit", required_argument, NULL, O_LIMIT},
    {"for", required_argument, NULL, O_FOR},
    {"builds", no_argument, NULL, O_BUILDS},
    {"quiet", no_argument, NULL, O_QUIET},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static bool take_count(uint64_t *to, const char *name, const char *text, struct err *err)
{
    return (cli_u64(text, to) && *to >= 1 && *to <= 256) ||
           err_set(err, "--%s %s: must be 1 to 256", name, text);
}

static bool take_option(struct options *o, int c, struct err *err)
{
    const char **const texts[] = {
        &o->choice.workloads, &o->choice.designs, &o->choice.gpu, &o->setup.folder,
        &o->report,           &o->import,         &o->build};
    switch (c) {
    case O_JOBS:
        return take_count(&o->setup.jobs, "jobs", optarg, err);
    case O_THREADS:
        return take_count(&o->setup.threads, "threads", optarg, err);
    case O_LIMIT:
        return cli_u64(optarg, &o->setup.limit) ||
               err_set(err, "--limit %s: is no number of seconds", optarg);
    case O_FOR:
        return cli_u64(optarg, &o->setup.time) ||
               err_set(err, "--for %s: is no number of seconds", optarg);
    case O_BUILDS:
        return o->builds = true;
    case O_QUIET:
        return o->setup.quiet = true;
    case O_SIZE:
        o->setup.size = optarg;
        return cli_check_size(optarg, err);
    default:
        *texts[c - O_WORKLOADS] = optarg;
        return true;
    }
}

int cmd_figure(int argc, char **argv)
{
    struct options o = {
        .setup = {.size = "small", .jobs = 1, .threads = 1, .limit = 3600, .folder = "results"}};
    struct err err = {0};
    int c;
    opterr = 0;
    optind = 1;
    while ((c = getopt_long(argc, argv, "h", longopts, NULL)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            return EXIT_DONE;
        }
        if (c == O_LIST)
            return list_all();
        if (c == '?')
            return cli_fail("figure", "option '%s' is not known or lacks its value; see --help",
                            argv[optind - 1]);
        if (!take_option(&o, c, &err))
            return cli_fail("figure", "%s", err.msg);
    }
    if (o.build && !o.report)
        return cli_fail("figure", "--build is for --report: runs are of this build");
    if (optind == argc && !o.builds)
        return cli_fail("figure", "no experiment given; see --list and --help");
    return figures(&o, argv + optind, argc - optind);
}
