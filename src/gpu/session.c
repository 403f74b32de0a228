/* Machine, device and timed GPU in the order in which they must be made, and what has run so
 * far. */
#include "gpu/session.h"

#include "base/strmap.h"
#include "base/vec.h"
#include "base/wall_clock.h"
#include "exec/oob.h"
#include "exec/translator.h"
#include "gpu/hot.h"
#include "gpu/judge.h"
#include "gpu/live_view.h"
#include "gpu/observe.h"
#include "gpu/report.h"
#include "gpu/sample.h"
#include "gpu/selection.h"
#include "gpu/trace.h"
#include "out/live.h"
#include "out/progress.h"

#include <stdlib.h>
#include <string.h>

struct session {
    struct session_options o;
    struct machine *machine;
    struct device *dev;
    struct gpu *gpu;
    struct trace *trace;
    struct observe *observe;
    struct hot *hot;
    struct live_view *live;
    struct sample *sample;       /* NULL: all of every launch is simulated */
    struct selection *selection; /* NULL: every launch is timed */
    struct grid_runner runner;
    VEC(const char *) sets; /* of the environment */
    char *strings;
    VEC(struct session_kernel) kernels;
    struct strmap by_name; /* -> index + 1 */
    struct stats *before;  /* per_kernel: all sums at the end of the last kernel */
    VEC(struct stats *) kernel_stats;
    struct judge judge;
    struct progress progress;
};

static bool run_timed(void *self, const struct launch *l, struct launch_result *result,
                      struct err *err)
{
    const struct session *s = self;
    return gpu_run(s->gpu, l, result, err);
}

static void kernel_ended(void *ctx)
{
    struct session *s = ctx;
    struct stats *st = gpu_stats(s->gpu);
    if (s->hot)
        hot_fold(s->hot);
    if (s->o.interval)
        stats_sample(st, gpu_cycles(s->gpu));
    if (!s->o.per_kernel || s->sample)
        return;
    /* Of kernels that ran together, the first has the statistics of all: caches and memory cannot
     * tell whose an access was. */
    vec_push(&s->kernel_stats, stats_sums(st, s->before));
    while (s->kernel_stats.len < gpu_kernel_count(s->gpu))
        vec_push(&s->kernel_stats, NULL);
    stats_free(s->before);
    s->before = stats_sums(st, NULL);
}

static bool start_gpu(struct session *s, struct err *err)
{
    const struct session_options *o = &s->o;
    s->gpu = gpu_new(s->machine, s->dev, (unsigned)o->threads, err);
    if (!s->gpu)
        return false;
    s->runner = (struct grid_runner){run_timed, s};
    gpu_set_interval(s->gpu, o->interval);
    gpu_at_kernel_end(s->gpu, kernel_ended, s);
    if (!selection_new(o, s->gpu, &s->selection, err))
        return false;
    if (o->sample && !(s->sample = sample_new(s->gpu, err)))
        return false;
    if (o->hot)
        s->hot = hot_new(s->gpu);
    const char *observe = o->observe ? o->observe : s->machine->gpu.observe;
    if (*observe)
        s->observe = observe_new(s->gpu, observe);
    if (o->live && !(s->live = live_view_new(s->gpu, o->live, err)))
        return false;
    if (o->trace)
        s->trace = trace_new(s->gpu, o->trace, o->trace_limit, err);
    return s->trace || !o->trace;
}

/* --code and --cold. */
static bool choose_code(struct session *s, struct err *err)
{
    const char *code = s->o.code;
    if (code && strcmp(code, "ptx") && strcmp(code, "machine"))
        return err_set(err, "--code %s: ptx or machine", code);
    if (code)
        s->machine->sm.code = strcmp(code, "ptx") ? CODE_MACHINE : CODE_PTX;
    if (s->o.is_cold)
        s->machine->gpu.flush_l2 = true;
    return true;
}

static bool start(struct session *s, struct err *err)
{
    const struct session_options *o = &s->o;
    judge_init(&s->judge, o);
    s->progress.is_asked = o->progress;
    if (translator_check(err))
        s->machine = machine_new(o->gpu ? o->gpu : MACHINE_DEFAULT, o->sets, o->nsets, err);
    if (!s->machine || !choose_code(s, err))
        return false;
    s->dev = o->is_32bit ? machine_device_32(s->machine, err) : machine_device(s->machine, err);
    if (s->dev && o->oob && !strcmp(o->oob, "warn") && !(s->dev->oob = oob_new(s->dev, err)))
        return false;
    if (!s->dev || (o->is_timed && !start_gpu(s, err)))
        return false;
    s->dev->keeps_marks = *s->machine->gpu.with;
    s->dev->schedules_code = o->is_timed && s->machine->sm.code == CODE_MACHINE;
    s->dev->regs.fixed = (uint32_t)o->regs; /* of the program's kernels, not of techniques' */
    return true;
}

struct session *session_new(const struct session_options *o, struct err *err)
{
    struct session *s = xcalloc(1, sizeof *s);
    s->o = *o;
    if (start(s, err))
        return s;
    session_free(s);
    return NULL;
}

void session_free(struct session *s)
{
    if (!s)
        return;
    trace_free(s->trace);
    live_view_free(s->live);
    hot_free(s->hot);
    sample_free(s->sample);
    selection_free(s->selection);
    gpu_free(s->gpu);
    judge_free(&s->judge);
    observe_free(s->observe);
    device_free(s->dev);
    machine_free(s->machine);
    for (size_t i = 0; i < s->kernels.len; i++)
        free(s->kernels.data[i].name);
    for (size_t i = 0; i < s->kernel_stats.len; i++)
        stats_free(s->kernel_stats.data[i]);
    stats_free(s->before);
    vec_free(&s->kernels);
    vec_free(&s->kernel_stats);
    strmap_free(&s->by_name);
    vec_free(&s->sets);
    free(s->strings);
    free(s);
}

/* --- the environment --- */

static void read_sets(struct session *s, const char *text)
{
    char *save = NULL;
    s->strings = xstrdup(text);
    for (char *w = strtok_r(s->strings, ";\n", &save); w; w = strtok_r(NULL, ";\n", &save))
        vec_push(&s->sets, w);
    s->o.sets = s->sets.data;
    s->o.nsets = s->sets.len;
}

static bool read_environment(struct session *s, struct err *err)
{
    for (size_t i = 0; i < session_noption_rows; i++) {
        const struct session_option *row = &session_option_rows[i];
        if (row->kind == SESSION_SETS && session_option_variable(row))
            read_sets(s, session_option_variable(row));
        else if (row->kind < SESSION_SETS && !session_option_inherit(row, &s->o, err))
            return false;
    }
    return session_options_check(&s->o, err);
}

/* A program may start others that inherit its port: only one of them has a view. */
static void share_port(struct session *s)
{
    struct err err = {0};
    if (!s->o.live || live_probe(s->o.live, &err))
        return;
    fprintf(stderr, "parsim: %s; this program has no view\n", err.msg);
    s->o.live = 0;
}

struct session *session_from_environment(struct err *err)
{
    struct session *s = xcalloc(1, sizeof *s);
    bool ok = read_environment(s, err);
    if (ok)
        share_port(s);
    if (ok && run_report_probe(&s->o, err) && start(s, err))
        return s;
    session_free(s);
    return NULL;
}

/* --- use --- */

const struct machine *session_machine(const struct session *s)
{
    return s->machine;
}

struct device *session_device(const struct session *s)
{
    return s->dev;
}

const struct session_options *session_options(const struct session *s)
{
    return &s->o;
}

struct gpu *session_gpu(const struct session *s)
{
    return s->gpu;
}

static void count_launch(struct session *s, const char *name, const struct launch_result *r,
                         double seconds)
{
    size_t len = strlen(name), i = (size_t)(uintptr_t)strmap_get(&s->by_name, name, len);
    if (!i) {
        vec_push(&s->kernels, ((struct session_kernel){.name = xstrdup(name)}));
        i = s->kernels.len;
        strmap_put(&s->by_name, vec_last(&s->kernels).name, len, (void *)(uintptr_t)i);
    }
    struct session_kernel *k = &s->kernels.data[i - 1];
    k->launches++;
    k->blocks += r->ctas;
    k->warp_inst += r->warp_inst;
    k->thread_inst += r->thread_inst;
    k->seconds += seconds;
}

/* `at`: the launches' numbers in the lists; NULL: all of them. */
static void count_launches(struct session *s, const struct launch *l, const size_t *at, size_t n,
                           const struct launch_result *results, double seconds)
{
    for (size_t i = 0; i < n; i++) {
        const size_t k = at ? at[i] : i;
        count_launch(s, l[k].kernel->src->name, &results[k], i ? 0 : seconds);
    }
}

/* --sample: of the last launch, or of those that ran together, if they are wanted. */
static void keep_sampled(struct session *s)
{
    if (!s->o.per_kernel)
        return;
    vec_push(&s->kernel_stats, sample_last(s->sample));
    while (s->kernel_stats.len < gpu_kernel_count(s->gpu))
        vec_push(&s->kernel_stats, NULL);
}

static bool run_simulated(struct session *s, const struct launch *const *l, size_t n,
                          struct launch_result *results, struct err *err)
{
    const size_t first = gpu_kernel_count(s->gpu);
    if (s->sample && n == 1)
        sample_begin(s->sample, l[0]);
    const bool ok = gpu_run_many(s->gpu, l, n, results, err);
    if (!s->sample || gpu_kernel_count(s->gpu) == first)
        return ok;
    sample_simulated(s->sample, first, n == 1 && ok ? l[0] : NULL);
    keep_sampled(s);
    return ok;
}

/* A launch for which others stand. */
static bool run_passed(struct session *s, const struct launch *l, struct launch_result *result,
                       struct err *err)
{
    const double from = wall_seconds();
    const bool ok = sample_pass(s->sample, s->dev, l, result, err);
    count_launch(s, l->kernel->src->name, result, wall_seconds() - from);
    if (ok)
        keep_sampled(s);
    return ok;
}

/* Those that are selected together; of the others, on which they do not depend, each before them.
 */
static bool run_timed_ones(struct session *s, struct launch *l, size_t n,
                           struct launch_result *results, struct err *err)
{
    bool ok = true;
    size_t *at = xcalloc(n, sizeof *at), taken = 0;
    const struct launch **list = xcalloc(n, sizeof(*list));
    struct launch_result *timed = xcalloc(n, sizeof *timed);
    for (size_t i = 0; i < n && ok; i++) {
        if (s->selection && !selection_takes(s->selection, l[i].kernel->src->name)) {
            ok = selection_pass(s->selection, s->dev, &l[i], &results[i], err);
            continue;
        }
        if (s->sample && n == 1 && sample_passes(s->sample, &l[i])) {
            ok = run_passed(s, &l[i], &results[i], err);
            continue;
        }
        l[i].runner = &s->runner;
        list[taken] = &l[i];
        at[taken++] = i;
    }
    const double from = wall_seconds();
    if (ok && taken && s->selection)
        ok = selection_begin(s->selection, err);
    if (ok && taken)
        ok = run_simulated(s, list, taken, timed, err);
    for (size_t i = 0; i < taken; i++)
        results[at[i]] = timed[i];
    count_launches(s, l, at, taken, results, wall_seconds() - from);
    free(timed);
    free(list);
    free(at);
    return ok;
}

bool session_run_many(struct session *s, struct launch *l, size_t n, struct launch_result *results,
                      struct err *err)
{
    double from = wall_seconds();
    bool ok = true;
    if (s->gpu)
        return run_timed_ones(s, l, n, results, err);
    for (size_t i = 0; i < n && ok; i++)
        ok = grid_run(s->dev, &l[i], &results[i], err);
    count_launches(s, l, NULL, n, results, wall_seconds() - from);
    return ok;
}

bool session_run(struct session *s, struct launch *l, struct launch_result *result, struct err *err)
{
    return session_run_many(s, l, 1, result, err);
}

void session_copied(struct session *s, addr_t addr, uint64_t bytes)
{
    if (s->gpu)
        gpu_copied(s->gpu, addr, bytes);
}

void session_filled(struct session *s, addr_t addr, uint64_t bytes)
{
    if (s->gpu)
        gpu_filled(s->gpu, addr, bytes);
}

size_t session_kernel_count(const struct session *s)
{
    return s->kernels.len;
}

const struct session_kernel *session_kernel(const struct session *s, size_t i)
{
    return &s->kernels.data[i];
}

const struct stats *session_kernel_stats(const struct session *s, size_t i)
{
    return i < s->kernel_stats.len ? s->kernel_stats.data[i] : NULL;
}

struct stats *session_stats(const struct session *s)
{
    return s->sample ? sample_stats(s->sample) : gpu_stats(s->gpu);
}

struct sample *session_sample(const struct session *s)
{
    return s->sample;
}

struct judge *session_judge_of(const struct session *s)
{
    return (struct judge *)&s->judge;
}

struct hot *session_hot(const struct session *s)
{
    return s->hot;
}

struct progress *session_progress(struct session *s)
{
    return &s->progress;
}

struct selection *session_selection(const struct session *s)
{
    return s->selection;
}

struct trace *session_trace(const struct session *s)
{
    return s->trace;
}
