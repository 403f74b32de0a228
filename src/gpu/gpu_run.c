/* Running kernels: blocks go to SMs, SMs run, effects meet, the end is noticed. */
#include "gpu/forward.h"
#include "gpu/gpu_int.h"
#include "gpu/gpu_tech.h"
#include "gpu/limits.h"

#include "base/interrupt.h"
#include "base/wall_clock.h"
#include "exec/children.h"
#include "exec/oob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_OF_RESOURCES = 701, COOPERATIVE_TOO_LARGE = 720 };

/* --- at a meeting point --- */

/* SMs whose logs have entries, in order. */
struct logged {
    struct gpu *g;
    size_t n;
    struct effects *logs[EFFECTS_MAX_LOGS];
    uint32_t sm[EFFECTS_MAX_LOGS];
};

static void resume(void *ctx, size_t place, struct warp *w, const struct step *s)
{
    const struct logged *l = ctx;
    sm_resume(l->g->sms[l->sm[place]], w, s);
}

void gpu_fail(struct gpu *g, struct run *r, const struct fault *f)
{
    if (!g->batch->failed)
        r->root.fault = *f;
    g->batch->failed = true;
}

/* A fault lies in the grid that an SM keeps of a run. */
static struct run *run_of(const struct gpu *g, const struct fault *f)
{
    const struct grid *grid =
        (const struct grid *)(const void *)((const char *)f - offsetof(struct grid, fault));
    for (size_t i = 0; i < g->batch->n; i++)
        if (grid->root == &g->batch->runs[i].root)
            return &g->batch->runs[i];
    return &g->batch->runs[0];
}

static void note_faults(struct gpu *g)
{
    for (uint32_t i = 0; i < g->nsms; i++)
        if (UNLIKELY(g->notes[i] & SM_NOTE_FAULT)) {
            const struct fault *f = sm_fault(g->sms[i]);
            gpu_fail(g, run_of(g, f), f);
        }
}

bool gpu_apply_effects(struct gpu *g)
{
    struct logged l;
    l.g = g;
    l.n = 0;
    for (uint32_t i = 0; i < g->nsms; i++)
        if (g->notes[i] & SM_NOTE_LOGGED) {
            g->notes[i] &= (uint8_t)~SM_NOTE_LOGGED;
            l.logs[l.n] = g->effects[i];
            l.sm[l.n++] = i;
        }
    size_t at = 0;
    if (!effects_apply(l.logs, l.n, resume, &l, &at)) {
        const struct fault *f = effects_fault(l.logs[at]);
        gpu_fail(g, run_of(g, f), f);
    }
    note_faults(g);
    return !g->batch->failed;
}

/* What one of them has done and must not ends the run. */
static void look_at_policies(struct gpu *g)
{
    struct err err;
    if (LIKELY(tech_seams_hold(&g->tech->seams, &err)))
        return;
    struct fault f = {.code = FAULT_LAUNCH_FAILED};
    snprintf(f.msg, sizeof f.msg, "kernel %s: %.900s", g->batch->runs[0].root.kernel->src->name,
             err.msg);
    gpu_fail(g, &g->batch->runs[0], &f);
}

static void collect_ended(struct gpu *g, struct sm *sm)
{
    for (size_t k = 0; k < g->batch->n; k++) {
        struct run *r = &g->batch->runs[k];
        const struct sm_ended e = sm_kernel_ended(sm, &r->kernel);
        r->done += e.blocks;
        r->warp_inst += e.warp_inst;
        r->thread_inst += e.thread_inst;
        r->accesses += e.accesses;
        if (e.end > r->end)
            r->end = e.end;
        if (r->end > g->batch->end)
            g->batch->end = r->end;
    }
}

void gpu_collect_ended(struct gpu *g)
{
    for (uint32_t i = 0; i < g->nsms; i++)
        if (g->notes[i] & SM_NOTE_ENDED) {
            g->notes[i] &= (uint8_t)~SM_NOTE_ENDED;
            collect_ended(g, g->sms[i]);
        }
}

static bool all_done(const struct batch *b)
{
    for (size_t k = 0; k < b->n; k++)
        if (b->runs[k].done < b->runs[k].total)
            return false;
    return true;
}

/* Of the program. */
static uint64_t instructions(const struct gpu *g, uint64_t *thread_inst)
{
    uint64_t n = 0;
    *thread_inst = 0;
    for (uint32_t i = 0; i < g->nsms; i++) {
        const struct sm_stats *s = sm_stats(g->sms[i]);
        n += s->warp_inst - s->extra_inst - s->spill_loads - s->spill_stores;
        *thread_inst += s->thread_inst - s->extra_thread_inst - s->spill_thread_inst;
    }
    return n;
}

static void settle(struct gpu *g, cycle_t now)
{
    for (uint32_t i = 0; i < g->nsms; i++)
        sm_settle(g->sms[i], now);
}

static void tell_look(const struct gpu *g, cycle_t now, uint64_t n)
{
    const struct run *r = &g->batch->runs[0];
    const struct gpu_look at = {.kernel = r->root.kernel->src->name,
                                .blocks = r->total,
                                .blocks_done = r->done,
                                .cycles = gpu_cycles(g) + (now - g->batch->begin),
                                .warp_inst = g->batch->inst_before + n};
    g->look(g->look_ctx, &at);
}

static cycle_t oldest_block(const struct gpu *g, cycle_t now)
{
    cycle_t oldest = now;
    for (uint32_t i = 0; i < g->nsms; i++) {
        const cycle_t begin = sm_oldest_block(g->sms[i]);
        oldest = begin < oldest ? begin : oldest;
    }
    return oldest;
}

static void look_at_techniques(const struct gpu *g, cycle_t now, uint64_t thread_inst)
{
    const struct batch *b = g->batch;
    const cycle_t begin = b->begin - g->cycles;
    const struct tech_look at = {.cycles = now - begin,
                                 .thread_inst = thread_inst,
                                 .oldest_block = oldest_block(g, now) - begin,
                                 .placed = now + (cycle_t)g->m->gpu.port_cycles - begin,
                                 .launches = (uint32_t)b->n};
    techs_look(g->tech->techs, &at);
}

void gpu_look_at_instructions(struct gpu *g, cycle_t now)
{
    struct batch *b = g->batch;
    struct run *r = &b->runs[0];
    const struct launch *l = r->root.launch;
    if (now < b->next_look)
        return;
    b->next_look = now + (cycle_t)g->m->gpu.look_cycles;
    uint64_t thread_inst, n = instructions(g, &thread_inst) - b->inst_before;
    if (g->forward)
        n += forward_gone(g->forward);
    if (n != b->seen)
        sim_feed_watchdog(g->sim);
    b->seen = n;
    if (UNLIKELY(g->look != NULL))
        tell_look(g, now, n);
    look_at_techniques(g, now, thread_inst);
    if (l->max_inst && n >= l->max_inst && !b->failed) {
        struct fault f = {.code = FAULT_LAUNCH_TIMEOUT};
        snprintf(f.msg, sizeof f.msg,
                 "kernel %s: stopped after %llu warp instructions (the limit is %llu)",
                 l->kernel->src->name, (unsigned long long)n, (unsigned long long)l->max_inst);
        gpu_fail(g, r, &f);
    }
    if (UNLIKELY(interrupt_signal()) && !b->failed) {
        struct fault f = {.code = FAULT_INTERRUPTED};
        snprintf(f.msg, sizeof f.msg, "kernel %s: interrupted by %s after %llu cycles",
                 l->kernel->src->name, interrupt_name(interrupt_signal()),
                 (unsigned long long)(g->cycles + (now - b->begin)));
        gpu_fail(g, r, &f);
    }
    if (!l->progress || n - b->reported < (UINT64_C(1) << 16))
        return;
    b->reported = n;
    struct grid_progress p = {.kernel = l->kernel->src->name,
                              .ctas_done = r->done,
                              .ctas = r->total,
                              .warp_inst = n,
                              .thread_inst = thread_inst};
    l->progress(&p, l->progress_arg);
}

static void look_at_limits(struct gpu *g, cycle_t now)
{
    struct batch *b = g->batch;
    if (now < b->window_end)
        return;
    settle(g, now);
    limits_look(g->limits, g, now);
    b->window_end = now + (cycle_t)g->m->gpu.look_cycles;
}

/* A slice may still fetch what a store has missed when its SM has long been told that it is done:
 * where caches are emptied between launches, that is waited for (a launch's time ends earlier). */
static bool all_idle(const struct gpu *g)
{
    for (uint32_t i = 0; i < g->nsms; i++)
        if (!sm_is_idle(g->sms[i]))
            return false;
    for (uint32_t i = 0; g->m->gpu.flush_l2 && i < g->nslices; i++)
        if (!l2_idle(g->l2[i]))
            return false;
    return true;
}

static void count_energy(struct gpu *g, cycle_t cycles)
{
    energy_count(&g->tech->energy, g->stats, (double)cycles, &g->energy);
}

static void sample(struct gpu *g, cycle_t now)
{
    const cycle_t cycles = g->cycles + (now - g->batch->begin);
    settle(g, now);
    count_energy(g, cycles);
    stats_sample(g->stats, cycles);
    g->next_sample = now + g->interval;
}

static void make_blocks(struct gpu *g)
{
    for (uint32_t i = 0; i < g->nsms; i++)
        sm_make_blocks(g->sms[i]);
}

void gpu_meet(void *ctx, uint64_t time)
{
    struct gpu *g = ctx;
    const struct batch *b = g->batch;
    const cycle_t now = sim_cycle_at(g->core, time);
    gpu_apply_effects(g);
    look_at_policies(g);
    gpu_collect_ended(g);
    look_at_limits(g, now);
    if (g->interval && now >= g->next_sample && !all_done(b))
        sample(g, now);
    if (!b->failed)
        gpu_place_blocks(g, now);
    if (UNLIKELY(g->forward != NULL)) {
        make_blocks(g);
        forward_look(g->forward, now);
    }
    gpu_look_at_instructions(g, now);
    if (b->failed || (all_done(b) && all_idle(g)))
        sim_stop(g->sim);
}

/* --- kernels --- */

static void free_decoded(void *d)
{
    decoded_free(d);
}

static const struct decoded *decoded_of(const struct gpu *g, struct kernel *k)
{
    if (!k->decoded) {
        k->decoded = decode_kernel(k, &g->m->sm);
        k->decoded_free = free_decoded;
    }
    return k->decoded;
}

static bool check_fit(const struct gpu *g, const struct run *r, struct err *err)
{
    const struct launch *l = r->root.launch;
    const uint32_t capacity = r->capacity;
    if (!capacity)
        return err_set_code(err, OUT_OF_RESOURCES,
                            "kernel %s: a block needs %u threads, %u registers a thread and %u "
                            "bytes of shared memory; an SM of %s has %lld, %llu and %llu",
                            l->kernel->src->name, r->root.nthreads, r->kernel.registers,
                            r->root.shared_bytes, g->m->gpu.name, (long long)g->m->sm.threads,
                            (unsigned long long)g->m->sm.registers,
                            (unsigned long long)g->m->sm.shared_bytes);
    if (l->is_cooperative && r->total > (uint64_t)capacity * g->nsms)
        return err_set_code(err, COOPERATIVE_TOO_LARGE,
                            "kernel %s: %llu blocks of a cooperative launch, but %llu fit on %s",
                            l->kernel->src->name, (unsigned long long)r->total,
                            (unsigned long long)capacity * g->nsms, g->m->gpu.name);
    return true;
}

static struct run *unfinished(const struct batch *b)
{
    size_t k = 0;
    while (k + 1 < b->n && b->runs[k].done == b->runs[k].total)
        k++;
    return &b->runs[k];
}

/* What the watchdog, or a machine in which nothing can happen any more, has to say. */
static void explain_stop(struct gpu *g, enum sim_status st)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    sim_report_blocked(g->sim, f);
    tech_seams_dump(&g->tech->seams, f);
    fclose(f);
    struct fault fault = {.code = FAULT_LAUNCH_TIMEOUT};
    snprintf(fault.msg, sizeof fault.msg, "kernel %s: %s; what waits is listed above",
             unfinished(g->batch)->root.kernel->src->name,
             st == SIM_STUCK ? "nothing has moved for too many cycles"
                             : "deadlock: nothing can happen any more");
    fprintf(stderr, "parsim: blocked after %llu cycles:\n%s",
            (unsigned long long)(sim_now(g->sim, g->core) - g->batch->begin), text);
    free(text);
    gpu_fail(g, unfinished(g->batch), &fault);
}

/* What was gone forward within the batch belongs to its time, not to the machine's. */
static void take_estimate(struct gpu *g)
{
    if (g->batch->failed)
        forward_count_open(g->forward);
    const struct forward_result r = forward_end(g->forward);
    g->batch->skipped = (cycle_t)(r.cycles + 0.5);
    g->batch->variance = r.variance;
    g->batch->is_paced = r.is_paced;
    g->batch->forward_inst = r.warp_inst;
    g->skipped += g->batch->skipped;
}

static void run_to_end(struct gpu *g)
{
    struct batch *b = g->batch;
    b->begin = b->end = sim_now(g->sim, g->core);
    b->first = b->begin + (cycle_t)g->m->gpu.launch_cycles;
    if (g->m->gpu.flush_l2)
        gpu_forget(g);
    memset(g->is_full, 0, g->nsms * sizeof *g->is_full);
    for (uint32_t i = 0; i < g->nsms; i++) {
        sm_share(g->sms[i], &b->runs[0].kernel, b->runs[0].capacity);
        sm_begin(g->sms[i], b->begin);
    }
    limits_begin(g->limits, g, b->begin);
    b->window_end = b->begin + (cycle_t)g->m->gpu.look_cycles;
    if (g->forward)
        forward_begin(g->forward, b->begin);
    gpu_place_blocks(g, b->first);
    enum sim_status st = sim_run(g->sim, g->core, CYCLE_NEVER, g->threads);
    if (st != SIM_STOPPED)
        explain_stop(g, st);
    for (uint32_t i = 0; i < g->nsms; i++)
        collect_ended(g, g->sms[i]);
    if (b->failed)
        b->end = sim_now(g->sim, g->core);
    for (uint32_t i = 0; i < g->nsms; i++) {
        sm_give_findings(g->sms[i]);
        if (b->failed)
            sm_settle(g->sms[i], b->end);
        else
            sm_end(g->sms[i], b->end);
    }
    limits_look(g->limits, g, b->end);
    g->cycles += b->end - b->begin;
    if (g->forward)
        take_estimate(g);
}

static uint64_t divergences(const struct gpu *g)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < g->nsms; i++)
        n += sm_stats(g->sms[i])->divergences;
    return n;
}

static uint64_t all_inst(const struct batch *b)
{
    uint64_t n = 0;
    for (size_t k = 0; k < b->n; k++)
        n += b->runs[k].warp_inst;
    return n;
}

static void record(struct gpu *g, const struct run *r, double seconds,
                   const struct launch_result *result)
{
    const struct launch *l = r->root.launch;
    const struct batch *b = g->batch;
    struct gpu_kernel k = {.name = xstrdup(l->kernel->src->name),
                           .registers = r->kernel.registers,
                           .shared_bytes = r->root.shared_bytes,
                           .ctas_per_sm = r->capacity,
                           .start = gpu_cycles(g) - (b->end - b->begin) - b->skipped,
                           .cycles = result->cycles,
                           .began = b->begin,
                           .warp_inst = result->warp_inst,
                           .thread_inst = result->thread_inst,
                           .first = g->kernels.len - (size_t)(r - b->runs),
                           .together = b->n,
                           .together_cycles = b->end - b->begin + b->skipped,
                           .skipped_cycles = b->skipped,
                           .variance = b->variance,
                           .is_paced = b->is_paced,
                           .waits = g->forward && forward_must_not(l),
                           .simulated_inst = all_inst(b) - b->forward_inst,
                           .accesses = r->accesses,
                           .ctas = r->done,
                           .wall_seconds = seconds,
                           .divergences = divergences(g) - b->divergences_before};
    for (enum limit i = 0; i < LIMITS; i++)
        k.limits[i] = limits_stats(g->limits)->cycles[i] - b->limits_before[i];
    memcpy(k.grid, l->grid, sizeof k.grid);
    memcpy(k.block, l->block, sizeof k.block);
    vec_push(&g->kernels, k);
}

/* A kernel that was alone has all instructions, also of blocks that did not end. */
static void run_batch(struct gpu *g, struct launch_result *results)
{
    struct batch *b = g->batch;
    double start = wall_seconds();
    uint64_t threads_before, threads_after;
    b->inst_before = instructions(g, &threads_before);
    b->divergences_before = divergences(g);
    memcpy(b->limits_before, limits_stats(g->limits)->cycles, sizeof b->limits_before);
    run_to_end(g);
    double seconds = wall_seconds() - start;
    uint64_t warps = instructions(g, &threads_after) - b->inst_before;
    for (size_t k = 0; k < b->n; k++) {
        const struct run *r = &b->runs[k];
        struct launch_result *result = &results[k];
        const bool is_alone = b->n == 1 && !g->forward;
        result->warp_inst = is_alone ? warps : r->warp_inst;
        result->thread_inst = is_alone ? threads_after - threads_before : r->thread_inst;
        result->ctas = r->done;
        result->cycles = (b->failed ? b->end : r->end) - b->begin + b->skipped;
        result->fault = r->root.fault;
        record(g, r, k ? 0 : seconds, result);
    }
    count_energy(g, g->cycles);
    if (g->kernel_end)
        g->kernel_end(g->kernel_end_ctx);
}

static void init_blocks(struct gpu *g, struct run *r)
{
    const struct launch *l = r->root.launch;
    const struct gpu_seams seams = tech_gpu_seams(&g->tech->seams);
    struct block_grid grid = {
        .kernel = l->kernel, .blocks = r->total, .at_once = (uint64_t)r->capacity * g->nsms};
    memcpy(grid.grid, l->grid, sizeof grid.grid);
    memcpy(grid.block, l->block, sizeof grid.block);
    blocks_init(&r->blocks, &seams, &grid);
}

static bool run_init(struct gpu *g, struct run *r, const struct launch *l, struct err *err)
{
    grid_init(&r->root, g->dev, l);
    g->dev->grid_count++;
    r->root.sync_addr = grid_sync_alloc(g->dev, l);
    r->total = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    r->kernel = (struct sm_kernel){
        .root = &r->root, .code = decoded_of(g, l->kernel), .registers = l->kernel->regs};
    if (!techs_launch(g->tech->techs, &r->kernel, err))
        return false;
    r->capacity = sm_capacity(&g->m->sm, &r->kernel, sm_extra_registers(g->sms[0], &r->kernel));
    init_blocks(g, r);
    return check_fit(g, r, err);
}

static bool run_finish(struct gpu *g, struct run *r, struct launch_result *result, bool ok,
                       struct err *err)
{
    if (r->root.sync_addr)
        devmem_release(g->dev->mem, r->root.sync_addr);
    oob_report(&r->root);
    if (ok && r->root.fault.code)
        ok = err_set_code(err, r->root.fault.code, "%s", r->root.fault.msg);
    ok = ok && !g->is_broken && children_run(&r->root, result, err);
    children_free(&r->root);
    blocks_free(&r->blocks);
    return ok;
}

bool gpu_run_many(struct gpu *g, const struct launch *const *l, size_t n,
                  struct launch_result *results, struct err *err)
{
    memset(results, 0, n * sizeof *results);
    if (g->is_broken)
        return err_set_code(err, FAULT_LAUNCH_FAILED, "the GPU was stopped by an earlier fault");
    for (size_t k = 0; k < n; k++)
        if (!launch_check(g->dev, l[k], err))
            return false;
    struct batch b = {.runs = xcalloc(n, sizeof *b.runs), .n = n}, *outer = g->batch;
    bool fits = true, ok = true;
    g->batch = &b;
    for (size_t k = 0; k < n; k++) /* each, for each is finished */
        fits = run_init(g, &b.runs[k], l[k], fits ? err : NULL) && fits;
    if (fits)
        run_batch(g, results);
    g->is_broken = b.failed;
    for (size_t k = 0; k < n; k++)
        ok &= run_finish(g, &b.runs[k], &results[k], fits, err);
    g->batch = outer;
    free(b.runs);
    fflush(g->dev->out);
    return ok;
}

bool gpu_run(struct gpu *g, const struct launch *l, struct launch_result *result, struct err *err)
{
    return gpu_run_many(g, &l, 1, result, err);
}
