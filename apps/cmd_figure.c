/* `parsim figure`: an experiment of experiments/, run, tabled, drawn, and beside what a paper says.
 */
#include "cli.h"
#include "cmd.h"
#include "experiment_file.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "usage: parsim figure NAME|FILE.yaml... [OPTIONS]\n"
    "       parsim figure --list\n"
    "\n"
    "NAME is one of --list, the start of some (e2mc-9 is e2mc-9a and e2mc-9b), or all.\n"
    "Runs an experiment: every design on every program, as child processes. Results are kept in\n"
    "DIR/results.db, so that what was stopped goes on where it was, and figures share runs. "
    "Writes\n"
    "DIR/NAME.csv, NAME.md and NAME.svg and prints the table beside what the paper reports.\n"
    "\n"
    "  --list        the experiments that come with Parsim\n"
    "  --size S      of the programs: tiny, small (default), medium, large\n"
    "  --workloads L comma-separated: only these programs\n"
    "  --designs L   comma-separated: only these designs of the experiment\n"
    "  --gpu G       another machine than the experiment's\n"
    "  --jobs N      runs at once (default 1)\n"
    "  --threads N   host threads of a run (default 1); results do not depend on it\n"
    "  --out DIR     where results go (default results)\n"
    "  --quiet       no progress on stderr\n"
    "\n"
    "exit code: 0 done, 1 a run failed, 2 bad usage or bad input\n";

struct options {
    struct exp_setup setup;
    const char *out, *workloads, *designs, *gpu;
};

/* --- one experiment --- */

struct figure {
    const struct options *o;
    const char *name;
    struct exp_file *file;
    struct exp_list workloads, designs, labels;
    size_t *of; /* designs[i] is the file's design of[i] */
    struct exp_job *jobs;
    size_t njobs;
    struct exp_table table;
};

static bool has(const struct exp_list *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (!strcmp(l->at[i], name))
            return true;
    return false;
}

/* What `only` (NULL: all) leaves of a list of the file. */
static bool choose(struct exp_list *to, const struct exp_list *all, const char *only,
                   const char *what, size_t *of, struct err *err)
{
    struct exp_list want = exp_list_of(only ? only : "");
    bool ok = true;
    *to = (struct exp_list){.at = xcalloc(all->n + 1, sizeof *to->at)};
    for (size_t i = 0; i < want.n && ok; i++)
        if (!has(all, want.at[i]))
            ok = err_set(err, "the experiment has no %s '%s'", what, want.at[i]);
    for (size_t i = 0; i < all->n; i++)
        if (!only || has(&want, all->at[i])) {
            if (of)
                of[to->n] = i;
            to->at[to->n++] = all->at[i];
        }
    exp_list_free(&want);
    return ok;
}

static bool choose_all(struct figure *f, struct err *err)
{
    const struct exp_file *e = f->file;
    f->of = xcalloc(e->designs.n, sizeof *f->of);
    bool ok = choose(&f->workloads, &e->workloads, f->o->workloads, "program", NULL, err) &&
              choose(&f->designs, &e->designs, f->o->designs, "design", f->of, err);
    f->labels = (struct exp_list){.at = xcalloc(e->designs.n, sizeof *f->labels.at)};
    for (size_t i = 0; i < f->designs.n; i++)
        f->labels.at[i] = e->labels.n ? e->labels.at[f->of[i]] : f->designs.at[i];
    return ok;
}

static struct exp_setup setup_of(const struct figure *f)
{
    struct exp_setup s = f->o->setup;
    s.kind = (enum exp_kind)f->file->figure.kind;
    s.gpu = f->o->gpu ? f->o->gpu : f->file->figure.gpu;
    s.folder = f->o->out;
    return s;
}

static bool run(struct figure *f, struct exp_store *store, struct err *err)
{
    const struct exp_setup s = setup_of(f);
    for (size_t d = 0; d < f->designs.n; d++)
        if (!exp_check_design(&s, f->designs.at[d], err))
            return false;
    f->njobs = f->workloads.n * f->designs.n;
    f->jobs = xcalloc(f->njobs, sizeof *f->jobs);
    for (size_t i = 0; i < f->njobs; i++) {
        f->jobs[i].workload = f->workloads.at[i / f->designs.n];
        f->jobs[i].design = f->designs.at[i % f->designs.n];
    }
    return exp_run(&s, f->jobs, f->njobs, store, err);
}

static bool reference_of(const struct figure *f, size_t *at, struct err *err)
{
    const char *name = f->file->figure.reference;
    for (*at = 0; *name && *at < f->designs.n; ++*at)
        if (!strcmp(f->designs.at[*at], name))
            return true;
    if (!*name)
        return true;
    return err_set(err, "%s: figure.reference: '%s' is not among the designs", f->name, name);
}

static bool tabulate(struct figure *f, struct err *err)
{
    const struct exp_figure *e = &f->file->figure;
    struct exp_table *t = &f->table;
    size_t reference;
    if (!reference_of(f, &reference, err))
        return false;
    exp_table_init(t, f->workloads.n, f->designs.n);
    t->title = e->title;
    t->unit = e->unit;
    t->rows = f->workloads.at;
    t->columns = f->labels.at;
    for (size_t i = 0; i < f->njobs; i++)
        t->values[i] =
            f->jobs[i].result ? exp_metric(f->jobs[i].result, f->jobs[i].design, e->metric) : NAN;
    for (size_t c = 0; c < f->designs.n && f->file->reported.n; c++)
        if (strcmp(f->file->reported.at[f->of[c]], "-"))
            t->reported[c] = strtod(f->file->reported.at[f->of[c]], NULL);
    exp_table_normalise(t, (enum exp_norm)e->normalise, reference);
    exp_table_average(t, (enum exp_mean)e->mean);
    return true;
}

/* --- out --- */

static FILE *create(const struct figure *f, const char *ext, char **path, struct err *err)
{
    *path = xasprintf("%s/%s.%s", f->o->out, f->name, ext);
    FILE *out = fopen(*path, "w");
    if (!out)
        err_set(err, "cannot write %s: %s", *path, strerror(errno));
    return out;
}

static void write_markdown(const struct exp_table *t, FILE *out, const struct figure *f)
{
    const struct exp_figure *e = &f->file->figure;
    fprintf(out, "# %s\n\n%s%s`parsim figure %s --size %s`", e->title, e->paper,
            *e->paper ? ". " : "", f->name, f->o->setup.size);
    if (e->kind == EXP_RUN)
        fprintf(out, " on %s", setup_of(f).gpu);
    fprintf(out, "; the mean is that of the %zu programs that every design ran.\n\n", t->complete);
    exp_table_markdown(t, out);
    fputc('\n', out);
    exp_table_beside_paper(t, out, "- ");
    if (*e->remark)
        fprintf(out, "\n%s\n", e->remark);
}

static bool write_files(const struct figure *f, struct err *err)
{
    static const char *const exts[] = {"csv", "svg", "md"};
    bool ok = true;
    for (unsigned i = 0; i < ARRAY_LEN(exts) && ok; i++) {
        char *path;
        FILE *out = create(f, exts[i], &path, err);
        ok = out != NULL;
        if (ok && i == 0)
            exp_table_csv(&f->table, out);
        else if (ok && i == 1)
            exp_table_svg(&f->table, out);
        else if (ok)
            write_markdown(&f->table, out, f);
        if (out && fclose(out))
            ok = err_set(err, "cannot write %s: %s", path, strerror(errno));
        free(path);
    }
    return ok;
}

static int report_failures(const struct figure *f)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < f->njobs; i++)
        if (f->jobs[i].error) {
            cli_fail("figure", "%s on %s: %s", f->jobs[i].design, f->jobs[i].workload,
                     f->jobs[i].error);
            code = EXIT_FAILED;
        }
    return code;
}

static void figure_free(struct figure *f)
{
    exp_jobs_free(f->jobs, f->njobs);
    free(f->jobs);
    exp_table_free(&f->table);
    exp_list_free(&f->workloads);
    exp_list_free(&f->designs);
    exp_list_free(&f->labels);
    free(f->of);
    exp_file_free(f->file);
}

/* "a/b.yaml" is called b in the results. */
static char *base_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    char *base = xstrdup(slash ? slash + 1 : name), *dot = strstr(base, ".yaml");
    if (dot)
        *dot = 0;
    return base;
}

static int make_figure(const struct options *o, const char *name, struct exp_store *store,
                       struct err *err)
{
    char *base = base_name(name);
    struct figure f = {.o = o, .name = base};
    int code = EXIT_USAGE;
    f.file = exp_file_load(name, err);
    if (f.file && choose_all(&f, err) && run(&f, store, err) && tabulate(&f, err)) {
        exp_table_print(&f.table, stdout);
        exp_table_beside_paper(&f.table, stdout, "  ");
        code = write_files(&f, err) ? report_failures(&f) : EXIT_USAGE;
        putchar('\n');
    }
    figure_free(&f);
    free(base);
    return code;
}

/* --- the command line --- */

static int list_all(void)
{
    for (const struct exp_text *t = exp_texts(); t->name; t++) {
        struct err err = {0};
        struct exp_file *f = exp_file_load(t->name, &err);
        if (!f)
            return cli_fail("figure", "%s", err.msg);
        printf("%-14s %s\n", t->name, f->figure.title);
        exp_file_free(f);
    }
    return EXIT_DONE;
}

enum { O_LIST = 256, O_SIZE, O_WORKLOADS, O_DESIGNS, O_GPU, O_JOBS, O_THREADS, O_OUT, O_QUIET };

static const struct option longopts[] = {
    {"list", no_argument, NULL, O_LIST},
    {"size", required_argument, NULL, O_SIZE},
    {"workloads", required_argument, NULL, O_WORKLOADS},
    {"designs", required_argument, NULL, O_DESIGNS},
    {"gpu", required_argument, NULL, O_GPU},
    {"jobs", required_argument, NULL, O_JOBS},
    {"threads", required_argument, NULL, O_THREADS},
    {"out", required_argument, NULL, O_OUT},
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
    switch (c) {
    case O_SIZE:
        o->setup.size = optarg;
        return true;
    case O_WORKLOADS:
        o->workloads = optarg;
        return true;
    case O_DESIGNS:
        o->designs = optarg;
        return true;
    case O_GPU:
        o->gpu = optarg;
        return true;
    case O_JOBS:
        return take_count(&o->setup.jobs, "jobs", optarg, err);
    case O_THREADS:
        return take_count(&o->setup.threads, "threads", optarg, err);
    case O_OUT:
        o->out = optarg;
        return true;
    default:
        return o->setup.quiet = true;
    }
}

/* "e2mc-9" stands for e2mc-9a and e2mc-9b, "all" for everything. */
static bool is_part(const char *figure, const char *name)
{
    size_t n = strlen(name);
    return !strcmp(name, "all") || (!strncmp(figure, name, n) &&
                                    (figure[n] == '-' || (figure[n] >= 'a' && figure[n] <= 'z')));
}

static bool is_known(const char *name)
{
    for (const struct exp_text *t = exp_texts(); t->name; t++)
        if (!strcmp(t->name, name))
            return true;
    return false;
}

static int make_figures(const struct options *o, const char *name, struct exp_store *store,
                        struct err *err)
{
    int code = EXIT_DONE;
    bool any = false;
    for (const struct exp_text *t = exp_texts(); t->name && !is_known(name); t++)
        if (is_part(t->name, name) && code != EXIT_USAGE) {
            int one = make_figure(o, t->name, store, err);
            code = one > code ? one : code;
            any = true;
        }
    return any ? code : make_figure(o, name, store, err);
}

static int figures(const struct options *o, char **names, int n)
{
    struct err err = {0};
    if (!n)
        return cli_fail("figure", "no experiment given; see --list and --help");
    if (mkdir(o->out, 0777) && errno != EEXIST)
        return cli_fail("figure", "cannot make the folder %s: %s", o->out, strerror(errno));
    char *path = xasprintf("%s/results.db", o->out);
    struct exp_store *store = exp_store_open(path, &err);
    int code = store ? EXIT_DONE : EXIT_USAGE;
    for (int i = 0; store && i < n && code != EXIT_USAGE; i++) {
        int one = make_figures(o, names[i], store, &err);
        code = one > code ? one : code;
    }
    if (err.msg[0])
        cli_fail("figure", "%s", err.msg);
    exp_store_close(store);
    free(path);
    return code;
}

int cmd_figure(int argc, char **argv)
{
    struct options o = {.setup = {.size = "small", .jobs = 1, .threads = 1}, .out = "results"};
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
    return figures(&o, argv + optind, argc - optind);
}
