/* Running one kernel: blocks go to SMs, SMs run, effects meet, the end is noticed. */
#include "gpu/gpu_int.h"

#include "exec/children.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OUT_OF_RESOURCES = 701, COOPERATIVE_TOO_LARGE = 720, LOOK_CYCLES = 1024 };

/* --- at a meeting point --- */

static void resume(void *ctx, size_t place, struct warp *w, const struct step *s)
{
    struct gpu *g = ctx;
    sm_resume(g->sms[place], w, s);
}

static void fail(struct gpu *g, const struct fault *f)
{
    if (!g->run->failed) {
        g->run->failed = true;
        g->run->root.fault = *f;
    }
}

static void apply_effects(struct gpu *g)
{
    size_t at = 0;
    if (!effects_apply(g->effects, g->nsms, resume, g, &at))
        fail(g, effects_fault(g->effects[at]));
    for (uint32_t i = 0; i < g->nsms; i++) {
        const struct fault *f = sm_fault(g->sms[i]);
        if (f)
            fail(g, f);
    }
}

static void collect_ended(struct gpu *g)
{
    struct run *r = g->run;
    for (uint32_t i = 0; i < g->nsms; i++) {
        cycle_t end;
        r->done += sm_ended(g->sms[i], &end);
        if (end > r->end)
            r->end = end;
    }
}

/* One block an SM and cycle, SMs in turn, for as many cycles as there are until the next meeting.
 */
static void place_blocks(struct gpu *g, cycle_t now)
{
    struct run *r = g->run;
    if (now < r->first || r->next == r->total)
        return;
    for (cycle_t c = 0; c < (cycle_t)g->m->gpu.port_cycles && r->next < r->total; c++) {
        bool any = false;
        for (uint32_t k = 0; k < g->nsms && r->next < r->total; k++) {
            uint32_t i = (g->next_sm + k) % g->nsms;
            if (!sm_can_take(g->sms[i], &r->kernel))
                continue;
            sm_take(g->sms[i], &r->kernel, r->next++, now + c);
            any = true;
        }
        if (!any)
            return;
    }
    g->next_sm = (g->next_sm + 1) % g->nsms;
}

static uint64_t instructions(const struct gpu *g, uint64_t *thread_inst)
{
    uint64_t n = 0;
    *thread_inst = 0;
    for (uint32_t i = 0; i < g->nsms; i++) {
        n += sm_stats(g->sms[i])->warp_inst;
        *thread_inst += sm_stats(g->sms[i])->thread_inst;
    }
    return n;
}

/* Now and then: SMs that issue are alive although no port moves; limits; progress. */
static void look_at_instructions(struct gpu *g, cycle_t now)
{
    struct run *r = g->run;
    const struct launch *l = r->root.launch;
    if (now < r->next_look)
        return;
    r->next_look = now + LOOK_CYCLES;
    uint64_t thread_inst, n = instructions(g, &thread_inst) - g->inst_before;
    if (n != r->seen)
        sim_feed_watchdog(g->sim);
    r->seen = n;
    if (l->max_inst && n >= l->max_inst && !r->failed) {
        struct fault f = {.code = FAULT_LAUNCH_TIMEOUT};
        snprintf(f.msg, sizeof f.msg,
                 "kernel %s: stopped after %llu warp instructions (the limit is %llu)",
                 l->kernel->src->name, (unsigned long long)n, (unsigned long long)l->max_inst);
        fail(g, &f);
    }
    if (!l->progress || n - r->reported < (UINT64_C(1) << 16))
        return;
    r->reported = n;
    struct grid_progress p = {.kernel = l->kernel->src->name,
                              .ctas_done = r->done,
                              .ctas = r->total,
                              .warp_inst = n,
                              .thread_inst = thread_inst};
    l->progress(&p, l->progress_arg);
}

static bool all_idle(const struct gpu *g)
{
    for (uint32_t i = 0; i < g->nsms; i++)
        if (!sm_is_idle(g->sms[i]))
            return false;
    return true;
}

static void count_energy(struct gpu *g, cycle_t cycles)
{
    const struct energy_machine em = machine_energy(g->m);
    energy_count(&g->m->energy, &em, g->stats, (double)cycles, &g->energy);
}

static void sample(struct gpu *g, cycle_t now)
{
    const cycle_t cycles = g->cycles + (now - g->run->begin);
    for (uint32_t i = 0; i < g->nsms; i++)
        sm_settle(g->sms[i], now);
    count_energy(g, cycles);
    stats_sample(g->stats, cycles);
    g->next_sample = now + g->interval;
}

void gpu_meet(void *ctx, uint64_t time)
{
    struct gpu *g = ctx;
    struct run *r = g->run;
    const cycle_t now = sim_cycle_at(g->core, time);
    apply_effects(g);
    collect_ended(g);
    if (g->interval && now >= g->next_sample && r->done < r->total)
        sample(g, now);
    if (!r->failed)
        place_blocks(g, now);
    look_at_instructions(g, now);
    if (r->failed || (r->done == r->total && all_idle(g)))
        sim_stop(g->sim);
}

/* --- a kernel --- */

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

static bool check_fit(struct gpu *g, const struct launch *l, uint32_t capacity, struct err *err)
{
    const struct run *r = g->run;
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

/* What the watchdog, or a machine in which nothing can happen any more, has to say. */
static void explain_stop(struct gpu *g, enum sim_status st)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    sim_report_blocked(g->sim, f);
    fclose(f);
    struct fault fault = {.code = FAULT_LAUNCH_TIMEOUT};
    snprintf(fault.msg, sizeof fault.msg, "kernel %s: %s; what waits is listed above",
             g->run->root.kernel->src->name,
             st == SIM_STUCK ? "nothing has moved for too many cycles"
                             : "deadlock: nothing can happen any more");
    fprintf(stderr, "parsim: blocked after %llu cycles:\n%s",
            (unsigned long long)(sim_now(g->sim, g->core) - g->run->begin), text);
    free(text);
    fail(g, &fault);
}

static void run_to_end(struct gpu *g)
{
    struct run *r = g->run;
    r->begin = sim_now(g->sim, g->core);
    r->end = r->begin;
    r->first = r->begin + (cycle_t)g->m->gpu.launch_cycles;
    for (uint32_t i = 0; i < g->nslices && g->m->gpu.flush_l2; i++)
        l2_flush(g->l2[i]);
    for (uint32_t i = 0; i < g->nsms; i++)
        sm_begin(g->sms[i], r->begin);
    place_blocks(g, r->first);
    enum sim_status st = sim_run(g->sim, g->core, CYCLE_NEVER, g->threads);
    if (st != SIM_STOPPED)
        explain_stop(g, st);
    if (r->failed)
        r->end = sim_now(g->sim, g->core);
    for (uint32_t i = 0; i < g->nsms; i++) {
        if (r->failed)
            sm_settle(g->sms[i], r->end);
        else
            sm_end(g->sms[i], r->end);
    }
    g->cycles += r->end - r->begin;
}

static void record(struct gpu *g, const struct launch *l, uint32_t capacity, double seconds,
                   const struct launch_result *result)
{
    const struct run *r = g->run;
    struct gpu_kernel k = {.name = xstrdup(l->kernel->src->name),
                           .registers = r->kernel.registers,
                           .shared_bytes = r->root.shared_bytes,
                           .ctas_per_sm = capacity,
                           .start = g->cycles - (r->end - r->begin),
                           .cycles = r->end - r->begin,
                           .began = r->begin,
                           .warp_inst = result->warp_inst,
                           .thread_inst = result->thread_inst,
                           .ctas = r->done,
                           .wall_seconds = seconds};
    memcpy(k.grid, l->grid, sizeof k.grid);
    memcpy(k.block, l->block, sizeof k.block);
    vec_push(&g->kernels, k);
    count_energy(g, g->cycles);
    if (g->kernel_end)
        g->kernel_end(g->kernel_end_ctx);
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool run_kernel(struct gpu *g, const struct launch *l, struct launch_result *result,
                       struct err *err)
{
    struct run *r = g->run;
    uint32_t capacity = sm_capacity(&g->m->sm, &r->kernel, 0);
    if (!check_fit(g, l, capacity, err))
        return false;
    double start = seconds_now();
    uint64_t threads_before;
    g->inst_before = instructions(g, &threads_before);
    run_to_end(g);
    uint64_t threads_after;
    result->warp_inst = instructions(g, &threads_after) - g->inst_before;
    result->thread_inst = threads_after - threads_before;
    result->ctas = r->done;
    result->cycles = r->end - r->begin;
    result->fault = r->root.fault;
    record(g, l, capacity, seconds_now() - start, result);
    if (!r->failed)
        return true;
    return err_set_code(err, r->root.fault.code, "%s", r->root.fault.msg);
}

bool gpu_run(struct gpu *g, const struct launch *l, struct launch_result *result, struct err *err)
{
    memset(result, 0, sizeof *result);
    if (g->is_broken)
        return err_set_code(err, FAULT_LAUNCH_FAILED, "the GPU was stopped by an earlier fault");
    if (!launch_check(g->dev, l, err))
        return false;
    struct run *r = xcalloc(1, sizeof *r);
    struct run *outer = g->run;
    g->run = r;
    grid_init(&r->root, g->dev, l);
    g->dev->grid_count++;
    r->root.sync_addr = grid_sync_alloc(g->dev, l);
    r->total = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    r->kernel = (struct sm_kernel){.root = &r->root,
                                   .code = decoded_of(g, l->kernel),
                                   .registers = g->registers ? g->registers : l->kernel->regs};
    bool ok = run_kernel(g, l, result, err);
    g->is_broken = r->failed;
    if (r->root.sync_addr)
        devmem_release(g->dev->mem, r->root.sync_addr);
    ok = ok && children_run(&r->root, result, err);
    children_free(&r->root);
    g->run = outer;
    free(r);
    fflush(g->dev->out);
    return ok;
}
