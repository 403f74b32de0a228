/* The machine from outside: making it, freeing it, what the host has written. */
#include "gpu/forward.h"
#include "gpu/gpu_int.h"
#include "gpu/gpu_tech.h"
#include "gpu/limits.h"

#include <stdlib.h>
#include <string.h>

/* Without any movement for this long, a kernel is stuck: memory answers in thousands of cycles. */
enum { WATCHDOG_CYCLES = 200000 };

struct gpu *gpu_new(const struct machine *m, struct device *dev, unsigned threads, struct err *err)
{
    struct gpu *g = xcalloc(1, sizeof *g);
    g->m = m;
    g->dev = dev;
    g->threads = threads ? threads : 1;
    g->nsms = (uint32_t)m->gpu.sms;
    g->nslices = machine_slices(m);
    g->nchannels = (uint32_t)m->map.channels;
    g->sms = xcalloc(g->nsms, sizeof(*g->sms));
    g->effects = xcalloc(g->nsms, sizeof(*g->effects));
    g->notes = xalloc_aligned(64, g->nsms);
    g->is_full = xcalloc(g->nsms, sizeof *g->is_full);
    g->l2 = xcalloc(g->nslices, sizeof(*g->l2));
    g->mc = xcalloc(g->nchannels, sizeof(*g->mc));
    g->dram = xcalloc(g->nchannels, sizeof(*g->dram));
    g->slice_nodes = xcalloc(g->nslices, sizeof *g->slice_nodes);
    g->sm_nodes = xcalloc(g->nsms, sizeof *g->sm_nodes);
    g->stats = stats_new();
    g->limits = limits_new(g);
    interleave_init(&g->il, &m->map);
    if (!gpu_build(g, err)) {
        gpu_free(g);
        return NULL;
    }
    gpu_set_watchdog(g, WATCHDOG_CYCLES);
    return g;
}

void gpu_free(struct gpu *g)
{
    if (!g)
        return;
    forward_free(g->forward);
    stats_free(g->stats);
    limits_free(g->limits);
    for (uint32_t i = 0; i < g->nsms; i++)
        sm_free(g->sms[i]);
    for (uint32_t i = 0; i < g->nslices; i++)
        l2_free(g->l2[i]);
    for (uint32_t i = 0; i < g->nchannels; i++) {
        mem_ctrl_free(g->mc[i]);
        dram_free(g->dram[i]);
    }
    noc_free(g->noc[0]);
    noc_free(g->noc[1]);
    sim_free(g->sim);
    gpu_tech_free(g->tech);
    for (size_t i = 0; i < g->kernels.len; i++)
        free(g->kernels.data[i].name);
    vec_free(&g->kernels);
    free(g->sms);
    free(g->effects);
    free(g->notes);
    free(g->is_full);
    free(g->l2);
    free(g->mc);
    free(g->dram);
    free(g->slice_nodes);
    free(g->sm_nodes);
    free(g);
}

static uint32_t touch(struct gpu *g, addr_t addr, uint64_t bytes, enum l2_touch how)
{
    const uint64_t step = (uint64_t)g->m->l2.line_bytes;
    uint32_t n = 0;
    for (addr_t a = addr - addr % step; a < addr + bytes; a += step)
        n += l2_touch(g->l2[interleave_slice(&g->il, a)], a, step, how);
    return n;
}

void gpu_touched(struct gpu *g, addr_t addr, uint64_t bytes)
{
    touch(g, addr, bytes, L2_COPIED);
}

uint32_t gpu_accessed(struct gpu *g, addr_t addr, uint64_t bytes, bool is_write)
{
    return touch(g, addr, bytes, is_write ? L2_WRITTEN : L2_READ);
}

static void leave_in_l2(struct gpu *g, addr_t addr, uint64_t bytes)
{
    if (g->m->gpu.copy_fills_l2 && bytes)
        gpu_touched(g, addr, bytes);
}

void gpu_rewritten(struct gpu *g, addr_t addr, uint64_t bytes)
{
    techs_copied(g->tech->techs, addr, bytes);
}

void gpu_forget(struct gpu *g)
{
    for (uint32_t i = 0; i < g->nslices; i++)
        l2_flush(g->l2[i]);
}

void gpu_copied(struct gpu *g, addr_t addr, uint64_t bytes)
{
    techs_copied(g->tech->techs, addr, bytes);
    leave_in_l2(g, addr, bytes);
}

void gpu_filled(struct gpu *g, addr_t addr, uint64_t bytes)
{
    techs_filled(g->tech->techs, addr, bytes);
    leave_in_l2(g, addr, bytes);
}

const struct tech_part *gpu_technique(const struct gpu *g, size_t i)
{
    return techs_part(g->tech->techs, i);
}

const char *gpu_changes_values(const struct gpu *g)
{
    return techs_change_values(g->tech->techs);
}

bool gpu_finish(struct gpu *g, struct err *err)
{
    return techs_finish(g->tech->techs, err);
}

void gpu_set_interval(struct gpu *g, cycle_t cycles)
{
    g->interval = cycles;
    g->next_sample = cycles;
}

void gpu_shuffle(struct gpu *g, uint64_t seed)
{
    sim_shuffle(g->sim, seed);
}

void gpu_set_watchdog(struct gpu *g, cycle_t cycles)
{
    sim_set_watchdog(g->sim, g->core, cycles);
}

void gpu_at_look(struct gpu *g, void (*fn)(void *ctx, const struct gpu_look *at), void *ctx)
{
    g->look = fn;
    g->look_ctx = ctx;
}

void gpu_at_kernel_end(struct gpu *g, void (*fn)(void *ctx), void *ctx)
{
    g->kernel_end = fn;
    g->kernel_end_ctx = ctx;
}

size_t gpu_kernel_count(const struct gpu *g)
{
    return g->kernels.len;
}

const struct gpu_kernel *gpu_kernel(const struct gpu *g, size_t i)
{
    return &g->kernels.data[i];
}

cycle_t gpu_cycles(const struct gpu *g)
{
    return g->cycles + g->skipped;
}

cycle_t gpu_skipped(const struct gpu *g)
{
    return g->skipped;
}

void gpu_sample(struct gpu *g)
{
    g->forward = forward_new(g);
}

void gpu_add_estimate(struct gpu *g, size_t like, const struct launch *l,
                      const struct launch_result *result)
{
    struct gpu_kernel k = g->kernels.data[like];
    const double factor = (double)result->cycles / (double)k.cycles;
    k.name = xstrdup(l->kernel->src->name);
    memcpy(k.grid, l->grid, sizeof k.grid);
    memcpy(k.block, l->block, sizeof k.block);
    k.start = gpu_cycles(g);
    k.cycles = k.together_cycles = k.skipped_cycles = result->cycles;
    k.first = g->kernels.len;
    k.together = 1;
    k.variance = 0;
    k.simulated_inst = 0;
    k.wall_seconds = 0;
    k.warp_inst = result->warp_inst;
    k.thread_inst = result->thread_inst;
    k.ctas = result->ctas;
    k.accesses = (uint64_t)((double)k.accesses * factor);
    k.divergences = (uint64_t)((double)k.divergences * factor);
    for (enum limit i = 0; i < LIMITS; i++)
        k.limits[i] = (uint64_t)((double)k.limits[i] * factor);
    g->skipped += result->cycles;
    vec_push(&g->kernels, k);
}

struct stats *gpu_stats(struct gpu *g)
{
    return g->stats;
}

const struct machine *gpu_machine(const struct gpu *g)
{
    return g->m;
}
