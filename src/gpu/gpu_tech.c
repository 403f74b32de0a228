#include "gpu/gpu_tech.h"

#include <stdlib.h>

/* Device addresses are host addresses. */
static const void *image_at(const void *self, addr_t addr, uint32_t bytes)
{
    return devmem_is_backed(self, addr, bytes) ? devmem_ptr(addr) : NULL;
}

static uint64_t image_used(const void *self)
{
    return devmem_used(self);
}

static struct tech_machine describe(const struct gpu *g)
{
    const struct machine *m = g->m;
    return (struct tech_machine){
        .sms = g->nsms,
        .slices = g->nslices,
        .channels = g->nchannels,
        .l1 = &m->l1,
        .l2 = &m->l2,
        .mc = &m->mc,
        .il = &g->il,
        .core_mhz = m->gpu.core_mhz,
        .noc_mhz = m->gpu.noc_mhz,
        .l2_mhz = m->gpu.l2_mhz,
        .dram_mhz = m->gpu.dram_mhz * m->dram.bandwidth_scale,
        .flit_bytes = (uint32_t)m->noc.flit_bytes,
        .dram_bandwidth = machine_dram_bandwidth(m),
        .memory_base = devmem_base(g->dev->mem),
        .memory_range = devmem_reserved(g->dev->mem),
        .memory_bytes = devmem_capacity(g->dev->mem),
        .image = {image_at, image_used, g->dev->mem},
        .dev = g->dev,
        .sm = &m->sm,
        .verify = m->gpu.verify,
    };
}

static void seams_init(struct tech_seams *s, const struct gpu *g)
{
    s->storage = xcalloc(g->nchannels, sizeof *s->storage);
    s->l2_packets = xcalloc(g->nslices, sizeof *s->l2_packets);
    s->sm_packets = xcalloc(g->nsms, sizeof *s->sm_packets);
    s->requests = xcalloc(g->nsms, sizeof *s->requests);
    s->l1_capacity = xcalloc(g->nsms, sizeof *s->l1_capacity);
    s->l2_capacity = xcalloc(g->nslices, sizeof *s->l2_capacity);
    s->forms = xcalloc(g->nchannels, sizeof *s->forms);
    s->codec_engines = xcalloc(g->nsms, sizeof *s->codec_engines);
    s->codes = xcalloc(g->nsms, sizeof *s->codes);
    s->warp_sources = xcalloc(g->nsms, sizeof *s->warp_sources);
    s->stats = g->stats;
    for (uint32_t i = 0; i < g->nchannels; i++) {
        s->storage[i] = storage_policy_null;
        s->forms[i] = form_policy_null;
    }
    for (uint32_t i = 0; i < g->nslices; i++) {
        s->l2_packets[i] = packet_policy_null;
        s->l2_capacity[i] = capacity_policy_null;
    }
    for (uint32_t i = 0; i < g->nsms; i++) {
        s->sm_packets[i] = packet_policy_null;
        s->requests[i] = request_policy_null;
        s->l1_capacity[i] = capacity_policy_null;
        s->codec_engines[i] = codec_engine_null;
        s->codes[i] = code_cfg_null;
        s->warp_sources[i] = warp_source_null;
    }
}

struct gpu_tech *gpu_tech_new(struct gpu *g, struct err *err)
{
    struct gpu_tech *t = xcalloc(1, sizeof *t);
    const struct tech_machine m = describe(g);
    seams_init(&t->seams, g);
    t->techs = techs_bind(g->m->gpu.with, &g->m->tech, &m, &t->seams, err);
    if (t->techs)
        return t;
    gpu_tech_free(t);
    return NULL;
}

void gpu_tech_free(struct gpu_tech *t)
{
    if (!t)
        return;
    techs_free(t->techs);
    free(t->seams.storage);
    free(t->seams.l2_packets);
    free(t->seams.sm_packets);
    free(t->seams.requests);
    free(t->seams.l1_capacity);
    free(t->seams.l2_capacity);
    free(t->seams.forms);
    free(t->seams.codec_engines);
    free(t->seams.codes);
    free(t->seams.warp_sources);
    free(t);
}
