/* Techniques of `gpu.with` in order, each bound to its seams, with its energy and what it
 * reports. */
#include "gpu/gpu_tech.h"

#include <stdio.h>
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
        .conf = m->conf,
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

/* --- energy --- */

static bool is_counted(const struct gpu_tech *t, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (techs_technique(t->techs, k) == techs_technique(t->techs, i))
            return true;
    return false;
}

static double picojoules(const struct machine *m, const char *name)
{
    char key[96], value[64] = "0";
    snprintf(key, sizeof key, "energy.%s", name);
    conf_get(m->conf, key, value, sizeof value);
    return strtod(value, NULL);
}

static void add_rows(struct gpu_tech *t, const struct machine *m, const struct technique *of)
{
    struct energy_model *e = &t->energy;
    t->extras = xrealloc(t->extras, (e->nextras + of->nenergy) * sizeof *t->extras);
    for (size_t i = 0; i < of->nenergy; i++)
        t->extras[e->nextras++] =
            (struct energy_extra){&of->energy[i], picojoules(m, of->energy[i].name)};
    e->extras = t->extras;
}

static void bind_energy(struct gpu_tech *t, const struct machine *m)
{
    t->energy = (struct energy_model){
        .cfg = &m->energy, .table = &m->energy_table, .machine = machine_energy(m)};
    for (size_t i = 0; techs_part(t->techs, i); i++)
        if (!is_counted(t, i) && techs_technique(t->techs, i)->nenergy)
            add_rows(t, m, techs_technique(t->techs, i));
}

bool gpu_tech_check_energy(const struct gpu_tech *t, const struct stats *st, struct err *err)
{
    for (size_t i = 0; techs_part(t->techs, i); i++) {
        const struct technique *of = techs_technique(t->techs, i);
        for (size_t k = 0; k < of->nenergy; k++)
            if (!energy_check_row(&of->energy[k], st, err))
                return err_prefix(err, "technique %s", of->name);
    }
    return true;
}

/* --- all of it --- */

struct gpu_tech *gpu_tech_new(struct gpu *g, struct err *err)
{
    struct gpu_tech *t = xcalloc(1, sizeof *t);
    t->machine = describe(g);
    t->machine.seams = &t->seams;
    tech_seams_init(&t->seams, &t->machine, g->stats);
    t->techs = techs_bind(g->m->gpu.with, g->m->techs, &t->machine, &t->seams, err);
    if (t->techs) {
        bind_energy(t, g->m);
        return t;
    }
    gpu_tech_free(t);
    return NULL;
}

void gpu_tech_free(struct gpu_tech *t)
{
    if (!t)
        return;
    techs_free(t->techs);
    tech_seams_free(&t->seams);
    free(t->extras);
    free(t);
}
