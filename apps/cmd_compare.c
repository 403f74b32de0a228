/* `parsim compare`: designs beside each other on one or more programs. */
#include "base/interrupt.h"
#include "base/outfile.h"
#include "base/utf8.h"
#include "cli.h"
#include "cmd.h"
#include "study/study_file.h"
#include "tech/techs.h"

#include <getopt.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: parsim compare WORKLOAD... [OPTIONS]\n"
    "       parsim compare [OPTIONS] -- PROGRAM [ARGUMENTS]\n"
    "\n"
    "Runs programs on the same machine with different designs, as child processes, and puts "
    "cycles,\n"
    "bandwidth, compression and energy beside each other. The first design is the base of "
    "speedups.\n"
    "\n"
    "  --designs LIST   comma-separated: NAME[+NAME...][@KEY=VALUE...]: techniques of `parsim run\n"
    "                   --with` and fields of `--set`; base is none of them\n"
    "                   (default: base and those that `parsim gpus --designs` marks)\n"
    "  --gpu G          the machine (default gtx480)\n"
    "  --size S         of workloads: tiny, small (default), medium, large\n"
    "  --jobs N         runs at once (default 1)\n"
    "  --threads N      host threads of a run (default 1); results do not depend on it\n"
    "  --json FILE      the table as JSON ('-' = standard output)\n"
    "  --csv FILE       the table as CSV\n"
    "  --plot FILE.svg  a picture of the speedups\n"
    "  --quiet          no progress on stderr\n"
    "\n"
    "exit code: 0 done, 1 a run failed, 2 bad usage or input, or an output that cannot be "
    "written,\n"
    "130 and 143 interrupted\n";

/* The columns of the table, as study_metric() knows them. */
static const struct column {
    const char *name, *metric, *head;
    double scale;
    int width, digits;
} columns[] = {
    {"cycles", "cycles", "cycles", 1, 12, 0},
    {"bandwidth", "bandwidth", "bus %", 100, 8, 1},
    {"dram_bytes", "dram_bytes", "DRAM MB", 1e-6, 10, 2},
    {"ratio", "ratio", "ratio", 1, 8, 2},
    {"energy_joules", "energy", "energy mJ", 1e3, 11, 3},
    {"edp_joule_seconds", "edp", "EDP nJs", 1e9, 12, 2},
};
enum { CYCLES = 0, COLUMNS = ARRAY_LEN(columns) };

struct options {
    struct study_setup setup;
    const char *gpu, *json, *csv, *plot;
    struct study_list designs;
    char **programs; /* names of workloads */
    size_t nprograms;
    char *const *program; /* or one with its arguments */
};

static const char *program_name(const struct options *o, size_t p)
{
    return o->program ? o->program[0] : o->programs[p];
}

static double value(const struct study_job *j, unsigned column)
{
    return j->result ? study_metric(j->result, j->design, columns[column].metric) : NAN;
}

/* --- the table --- */

static void put(double v, int width, int digits)
{
    if (isnan(v))
        printf("%*s", width, "-");
    else
        printf("%*.*f", width, digits, v);
}

static int design_width(const struct options *o)
{
    size_t most = 10;
    for (size_t d = 0; d < o->designs.n; d++)
        most = strlen(o->designs.at[d]) > most ? strlen(o->designs.at[d]) : most;
    return (int)most;
}

static void print_head(const struct options *o, const char *title)
{
    printf("%s\n  %-*s", title, design_width(o), "");
    for (unsigned c = 0; c < COLUMNS; c++) {
        printf("%*s", columns[c].width, columns[c].head);
        if (c == CYCLES)
            printf("%9s", "speedup");
    }
    putchar('\n');
}

static void print_block(const struct options *o, const struct study_job *jobs, size_t p)
{
    const struct study_job *row = &jobs[p * o->designs.n];
    print_head(o, program_name(o, p));
    for (size_t d = 0; d < o->designs.n; d++) {
        printf("  %-*s", design_width(o), o->designs.at[d]);
        if (row[d].error) {
            printf("  %s\n", row[d].error);
            continue;
        }
        for (unsigned c = 0; c < COLUMNS; c++) {
            put(value(&row[d], c) * columns[c].scale, columns[c].width, columns[c].digits);
            if (c == CYCLES)
                put(value(&row[0], c) / value(&row[d], c), 9, 3);
        }
        putchar('\n');
    }
}

/* A table of one number over all programs. */
static void tabulate(const struct options *o, const struct study_job *jobs, const char *metric,
                     enum study_norm norm, struct study_table *t)
{
    study_table_init(t, o->nprograms, o->designs.n);
    for (size_t i = 0; i < o->nprograms * o->designs.n; i++)
        t->values[i] = jobs[i].result ? study_metric(jobs[i].result, jobs[i].design, metric) : NAN;
    study_table_normalise(t, norm, 0);
    study_table_average(t, STUDY_GEOMETRIC);
}

static void print_means(const struct options *o, const struct study_job *jobs)
{
    static const struct {
        const char *head, *metric;
        enum study_norm norm;
    } means[] = {{"speedup", "cycles", STUDY_BASE_OVER},
                 {"DRAM bytes", "dram_bytes", STUDY_OVER_BASE},
                 {"energy", "energy", STUDY_OVER_BASE},
                 {"EDP", "edp", STUDY_OVER_BASE}};
    struct study_table t[ARRAY_LEN(means)];
    for (unsigned i = 0; i < ARRAY_LEN(means); i++)
        tabulate(o, jobs, means[i].metric, means[i].norm, &t[i]);
    printf("geometric means of %zu programs, relative to %s\n  %-*s", t[0].complete,
           o->designs.at[0], design_width(o), "");
    for (unsigned i = 0; i < ARRAY_LEN(means); i++)
        printf("%12s", means[i].head);
    putchar('\n');
    for (size_t d = 0; d < o->designs.n; d++) {
        printf("  %-*s", design_width(o), o->designs.at[d]);
        for (unsigned i = 0; i < ARRAY_LEN(means); i++)
            put(t[i].means[d], 12, 3);
        putchar('\n');
    }
    for (unsigned i = 0; i < ARRAY_LEN(means); i++)
        study_table_free(&t[i]);
}

/* --- files --- */

static size_t count_missing(const struct options *o, const struct study_job *jobs)
{
    size_t n = 0;
    for (size_t i = 0; i < o->nprograms * o->designs.n; i++)
        n += !jobs[i].result;
    return n;
}

static void write_csv(const struct options *o, const struct study_job *jobs, FILE *f)
{
    fprintf(f, "program,design");
    for (unsigned c = 0; c < COLUMNS; c++)
        fprintf(f, ",%s", columns[c].name);
    fprintf(f, ",speedup\n");
    for (size_t i = 0; i < o->nprograms * o->designs.n; i++) {
        const struct study_job *j = &jobs[i];
        fprintf(f, "%s,%s", program_name(o, i / o->designs.n), j->design);
        for (unsigned c = 0; c <= COLUMNS; c++) {
            const struct study_job *base = &jobs[i / o->designs.n * o->designs.n];
            double v = c < COLUMNS ? value(j, c) : value(base, CYCLES) / value(j, CYCLES);
            fputc(',', f);
            if (!isnan(v))
                fprintf(f, "%.17g", v);
        }
        fputc('\n', f);
    }
    if (count_missing(o, jobs))
        fprintf(f, "runs missing,%zu\n", count_missing(o, jobs));
}

static void write_json(const struct options *o, const struct study_job *jobs, FILE *f)
{
    struct json_object *all = json_object_new_object(), *runs = json_object_new_array();
    json_object_object_add(all, "gpu", json_object_new_string(o->gpu));
    json_object_object_add(all, "size", o->program ? NULL : json_object_new_string(o->setup.size));
    for (size_t i = 0; i < o->nprograms * o->designs.n; i++) {
        const struct study_job *j = &jobs[i], *base = &jobs[i / o->designs.n * o->designs.n];
        struct json_object *r = json_object_new_object();
        double speedup = value(base, CYCLES) / value(j, CYCLES);
        json_object_object_add(r, "program",
                               json_object_new_string(program_name(o, i / o->designs.n)));
        json_object_object_add(r, "design", json_object_new_string(j->design));
        for (unsigned c = 0; c < COLUMNS; c++)
            json_object_object_add(r, columns[c].name,
                                   isnan(value(j, c)) ? NULL : json_object_new_double(value(j, c)));
        json_object_object_add(r, "speedup",
                               isnan(speedup) ? NULL : json_object_new_double(speedup));
        json_object_object_add(r, "error", j->error ? json_object_new_string(j->error) : NULL);
        json_object_array_add(runs, r);
    }
    json_object_object_add(all, "runs", runs);
    const char *stopped = interrupt_name(interrupt_signal());
    json_object_object_add(all, "interrupted", stopped ? json_object_new_string(stopped) : NULL);
    char *text = utf8_repair(json_object_to_json_string_ext(
        all, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
    fprintf(f, "%s\n", text);
    free(text);
    json_object_put(all);
}

static void write_plot(const struct options *o, const struct study_job *jobs, FILE *f)
{
    struct study_table t;
    const char **names = xcalloc(o->nprograms, sizeof *names);
    for (size_t p = 0; p < o->nprograms; p++)
        names[p] = program_name(o, p);
    tabulate(o, jobs, "cycles", STUDY_BASE_OVER, &t);
    char *title = xasprintf("Speedup over %s on %s", o->designs.at[0], o->gpu);
    t.title = title;
    t.unit = "speedup";
    t.rows = names;
    t.columns = o->designs.at;
    t.missing = count_missing(o, jobs);
    study_table_plot(&t, f);
    study_table_free(&t);
    free(title);
    free(names);
}

static bool write_files(const struct options *o, const struct study_job *jobs, struct err *err)
{
    const struct {
        const char *path;
        void (*fill)(const struct options *o, const struct study_job *jobs, FILE *f);
    } files[] = {{o->json, write_json}, {o->csv, write_csv}, {o->plot, write_plot}};
    for (unsigned i = 0; i < ARRAY_LEN(files); i++) {
        struct outfile *f = files[i].path ? outfile_open(files[i].path, err) : NULL;
        if (!f && files[i].path)
            return false;
        if (f)
            files[i].fill(o, jobs, outfile_stream(f));
        if (f && !outfile_close(f, err))
            return false;
    }
    return true;
}

/* --- all --- */

/* Everything that can be wrong with the line, before anything runs. */
static bool check(const struct options *o, const struct study_job *jobs, struct err *err)
{
    const char *const files[] = {o->json, o->csv, o->plot};
    if (!outfile_probe_all(files, ARRAY_LEN(files), err) || !cli_check_size(o->setup.size, err))
        return false;
    for (size_t p = 0; p < o->nprograms; p++)
        if (!(o->program ? cli_check_program(o->program[0], err)
                         : cli_check_workload(o->programs[p], err)))
            return false;
    for (size_t d = 0; d < o->designs.n; d++)
        if (!study_check_design(&jobs[d], err))
            return false;
    return true;
}

static int run(const struct options *o, struct study_job *jobs, size_t n, struct err *err)
{
    if (!check(o, jobs, err) || !study_run(&o->setup, jobs, n, NULL, err))
        return EXIT_USAGE;
    bool table = !o->json || strcmp(o->json, "-");
    for (size_t p = 0; p < o->nprograms && table; p++)
        print_block(o, jobs, p);
    if (o->nprograms > 1 && table)
        print_means(o, jobs);
    if (!write_files(o, jobs, err))
        return EXIT_USAGE;
    for (size_t i = 0; i < n; i++)
        if (jobs[i].error) {
            err_set(err, "%s on %s: %s", jobs[i].design, program_name(o, i / o->designs.n),
                    jobs[i].error);
            return EXIT_FAILED;
        }
    return EXIT_DONE;
}

static int compare(const struct options *o, struct err *err)
{
    size_t n = o->nprograms * o->designs.n;
    struct study_job *jobs = xcalloc(n, sizeof *jobs);
    for (size_t i = 0; i < n; i++) {
        jobs[i].gpu = o->gpu;
        jobs[i].design = o->designs.at[i % o->designs.n];
        jobs[i].workload = o->program ? NULL : o->programs[i / o->designs.n];
        jobs[i].program = o->program;
    }
    int code = run(o, jobs, n, err);
    study_jobs_free(jobs, n);
    free(jobs);
    return code;
}

enum { O_DESIGNS = 256, O_GPU, O_SIZE, O_JOBS, O_THREADS, O_JSON, O_CSV, O_PLOT, O_QUIET };

static const struct option longopts[] = {
    {"designs", required_argument, NULL, O_DESIGNS},
    {"gpu", required_argument, NULL, O_GPU},
    {"size", required_argument, NULL, O_SIZE},
    {"jobs", required_argument, NULL, O_JOBS},
    {"threads", required_argument, NULL, O_THREADS},
    {"json", required_argument, NULL, O_JSON},
    {"csv", required_argument, NULL, O_CSV},
    {"plot", required_argument, NULL, O_PLOT},
    {"quiet", no_argument, NULL, O_QUIET},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static bool take_option(struct options *o, const char **designs, int c, struct err *err)
{
    const char **const texts[] = {designs, &o->gpu,  &o->setup.size, NULL,
                                  NULL,    &o->json, &o->csv,        &o->plot};
    if (c == O_QUIET)
        return o->setup.quiet = true;
    if (texts[c - O_DESIGNS]) {
        *texts[c - O_DESIGNS] = optarg;
        return true;
    }
    uint64_t *n = c == O_JOBS ? &o->setup.jobs : &o->setup.threads;
    return (cli_u64(optarg, n) && *n >= 1 && *n <= 256) ||
           err_set(err, "--%s %s: must be 1 to 256", c == O_JOBS ? "jobs" : "threads", optarg);
}

/* What is left of the line: workloads, or, behind "--", a program. */
static bool take_programs(struct options *o, int argc, char **argv, struct err *err)
{
    o->programs = argv + optind;
    o->nprograms = (size_t)(argc - optind);
    if (!o->nprograms)
        return err_set(err, "no program given; see --help");
    if (!strcmp(argv[optind - 1], "--")) {
        o->program = argv + optind;
        o->nprograms = 1;
    }
    return o->designs.n || err_set(err, "--designs: the list is empty");
}

static const char *default_designs(char *buf, size_t size)
{
    const struct technique *t;
    snprintf(buf, size, "base");
    for (size_t i = 0; (t = tech_at(i)); i++)
        for (size_t k = 0; k < t->ndesigns; k++)
            if (t->designs[k].is_compared)
                snprintf(buf + strlen(buf), size - strlen(buf), ",%s", t->designs[k].name);
    return buf;
}

int cmd_compare(int argc, char **argv)
{
    struct options o = {.setup = {.size = "small", .threads = 1, .jobs = 1}, .gpu = "gtx480"};
    char all[256];
    const char *designs = default_designs(all, sizeof all);
    struct err err = {0};
    int c, code = EXIT_USAGE;
    opterr = 0;
    optind = 1;
    while ((c = getopt_long(argc, argv, "h", longopts, NULL)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            return EXIT_DONE;
        }
        if (c == '?')
            return cli_fail("compare", "option '%s' is not known or lacks its value; see --help",
                            argv[optind - 1]);
        if (!take_option(&o, &designs, c, &err))
            return cli_fail("compare", "%s", err.msg);
    }
    o.designs = study_list_of(designs);
    if (take_programs(&o, argc, argv, &err))
        code = compare(&o, &err);
    study_list_free(&o.designs);
    if (code != EXIT_DONE)
        cli_fail("compare", "%s", err.msg);
    return code;
}
