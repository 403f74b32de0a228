/* What is counted twice must be equal, part by part: instructions, accesses, packets, bursts. */
#include "support_invariants.h"

#include "sim/sim_int.h"
#include "sm/sm_int.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void equal(const char *what, uint32_t part, const char *left, uint64_t a, const char *right,
                  uint64_t b)
{
    if (a != b)
        fail_msg("%s, part %u: %s = %" PRIu64 ", but %s = %" PRIu64, what, part, left, a, right, b);
}
#define EQUAL(a, b) equal(what, part, #a, (uint64_t)(a), #b, (uint64_t)(b))

static void at_most(const char *what, uint32_t part, const char *left, uint64_t a,
                    const char *right, uint64_t b)
{
    if (a > b)
        fail_msg("%s, part %u: %s = %" PRIu64 " is more than %s = %" PRIu64, what, part, left, a,
                 right, b);
}
#define AT_MOST(a, b) at_most(what, part, #a, (uint64_t)(a), #b, (uint64_t)(b))

/* --- an SM --- */

static void check_cache(const struct l1_stats *l1, const char *what, uint32_t part)
{
    EQUAL(l1->accesses, l1->reads + l1->writes + l1->bypasses + l1->prefetches);
    EQUAL(l1->prefetches, l1->prefetch_hits + l1->prefetch_fetches + l1->prefetch_drops);
    AT_MOST(l1->prefetch_useful + l1->prefetch_late + l1->prefetch_unused, l1->prefetch_fetches);
    EQUAL(l1->reads, l1->read_hits + l1->read_merges + l1->read_sector_misses + l1->read_misses);
    EQUAL(l1->writes, l1->write_hits + l1->write_misses);
    AT_MOST(l1->replies, l1->requests_read + l1->requests_write + l1->requests_back);
}

static void check_stages(const struct load_stages *ls, const char *what, uint32_t part)
{
    EQUAL(ls->total.sum,
          ls->l1_queue.sum + ls->noc_request.sum + ls->l2.sum + ls->dram.sum + ls->noc_reply.sum);
    EQUAL(ls->total.count, ls->l2.count);
    AT_MOST(ls->from_dram, ls->total.count);
}

static void check_sm(const struct gpu *g, uint32_t part, const char *what)
{
    const struct sm *sm = g->sms[part];
    const struct sm_stats *s = sm_stats(sm);
    const struct l1_stats *data = sm_cache_stats(sm, SM_CACHE_DATA),
                          *konst = sm_cache_stats(sm, SM_CACHE_CONST),
                          *tex = sm_cache_stats(sm, SM_CACHE_TEX),
                          *inst = sm_cache_stats(sm, SM_CACHE_INST);
    const uint64_t slots = s->issue_active + s->issue_compute_stall + s->issue_memory_stall +
                           s->issue_data_stall + s->issue_idle;
    EQUAL(s->cycles, gpu_cycles(g));
    EQUAL(slots, s->cycles * sm->nsched);
    EQUAL(s->issue_active, s->warp_inst);
    EQUAL(s->sp_inst + s->sfu_inst + s->dp_inst + s->tensor_inst + s->mem_inst, s->warp_inst);
    AT_MOST(s->control_inst + s->barrier_inst, s->sp_inst);
    AT_MOST(s->thread_inst, s->warp_inst * 32);
    AT_MOST(s->busy_cycles, s->cycles);
    AT_MOST(s->warp_cycles, s->busy_cycles * (uint64_t)sm->cfg->warps);
    AT_MOST(s->register_cycles, s->busy_cycles * sm->cfg->registers);
    AT_MOST(s->sp_busy,
            s->cycles * (uint64_t)((sm->cfg->sp_units + sm->cfg->int_units) * sm->cfg->subcores));
    EQUAL(s->fetches + inst->prefetches, inst->accesses);
    EQUAL(s->accesses, data->accesses + konst->accesses + tex->accesses);
    AT_MOST(s->load_inst + s->store_inst + s->atomic_inst + s->prefetch_inst, s->mem_inst);
    AT_MOST(s->spill_loads, s->load_inst);
    AT_MOST(s->spill_thread_inst, (s->spill_loads + s->spill_stores) * 32);
    EQUAL(inst->writes + konst->writes + tex->writes, 0);
    EQUAL(sm->fl_used, 0);
    EQUAL(sm->coming | sm->live | sm->ending | sm->deferred | sm->fenced | sm->barrier, 0);
    EQUAL(sm->regs_free, sm->cfg->registers);
    EQUAL(sm->shared_free, sm->cfg->shared_bytes);
    EQUAL(sm->threads_free, sm->cfg->threads);
    for (unsigned c = 0; c < SM_CACHES; c++)
        check_cache(sm_cache_stats(sm, (enum sm_cache)c), what, part);
    check_stages(sm_load_stages(sm), what, part);
}

/* --- the memory's side --- */

static void check_l2(const struct l2_stats *l2, const char *what, uint32_t part)
{
    EQUAL(l2->requests, l2->reads + l2->writes + l2->atomics + l2->refused);
    EQUAL(l2->refused, l2->refused_hits + l2->refused_misses);
    EQUAL(l2->reads, l2->read_hits + l2->read_merges + l2->read_sector_misses + l2->read_misses);
    EQUAL(l2->atomics,
          l2->atomic_hits + l2->atomic_merges + l2->atomic_sector_misses + l2->atomic_misses);
    EQUAL(l2->writes, l2->write_hits + l2->write_misses);
    AT_MOST(l2->replies, l2->requests);
    AT_MOST(l2->memory_replies, l2->fetches + l2->evict_fetches + l2->write_backs);
    AT_MOST(l2->fetches, l2->fetched_sectors);
    AT_MOST(l2->write_backs, l2->written_sectors);
}

static void check_channel(const struct gpu *g, uint32_t part, const char *what)
{
    const struct mem_ctrl_stats *mc = mem_ctrl_stats(g->mc[part]);
    const struct dram_stats *d = dram_stats(g->dram[part]);
    const uint64_t bursts = mc->burst_reads + mc->burst_writes + mc->extra_reads + mc->extra_writes;
    const uint32_t slices = (uint32_t)g->m->map.slices;
    uint64_t fetches = 0, write_backs = 0;
    for (uint32_t i = 0; i < slices; i++) {
        const struct l2_stats *l2 = l2_stats(g->l2[part * slices + i]);
        fetches += l2->fetches + l2->evict_fetches;
        write_backs += l2->write_backs;
    }
    AT_MOST(mc->reads, fetches);
    AT_MOST(mc->writes, write_backs);
    AT_MOST(mc->answers, mc->reads + mc->writes);
    EQUAL(mc->bytes_moved, bursts * (uint64_t)g->m->mc.burst_bytes);
    AT_MOST(d->reads + d->writes, bursts);
    AT_MOST(d->reads_done, d->reads);
    const uint64_t most = (uint64_t)g->m->mc.bursts_per_request; /* accesses a request */
    AT_MOST(d->rd, (d->reads - d->merged_reads - d->forwarded_reads) * most);
    AT_MOST(d->wr, (d->writes - d->merged_writes) * most);
    EQUAL(d->bus_busy, (d->rd + d->wr) * (uint64_t)g->m->dram_resolved.burst_cycles);
    AT_MOST(d->rd_row_hits, d->rd);
    AT_MOST(d->pre, d->act);
    AT_MOST(d->bus_busy, d->cycles * (uint64_t)g->m->dram_resolved.pseudo_channels + 64);
}

/* Sums over all parts: what one side sends, the other receives. */
struct sums {
    uint64_t l1_reads, l1_writes, l1_back, l1_replies, instructions, stores_out;
    uint64_t l2_requests, l2_reads, l2_writes, l2_atomics, l2_refused, l2_replies;
    uint64_t refused_writes, refused_atomics, coded_fills, coded_answers;
    uint64_t ctas;
    bool is_flushing; /* dirty lines of the last kernel are still on their way down */
};

static struct sums sum_up(const struct gpu *g)
{
    struct sums t = {0};
    for (uint32_t i = 0; i < g->nsms; i++) {
        t.ctas += sm_stats(g->sms[i])->ctas;
        for (unsigned c = 0; c < SM_CACHES; c++) {
            const struct l1_stats *l1 = sm_cache_stats(g->sms[i], (enum sm_cache)c);
            t.l1_reads += l1->requests_read;
            t.l1_writes += l1->requests_write;
            t.l1_back += l1->requests_back;
            t.l1_replies += l1->replies;
            t.refused_writes += l1->refused_writes;
            t.refused_atomics += l1->refused_atomics;
            t.coded_fills += l1->coded_fills;
        }
        t.is_flushing |= g->sms[i]->pool.out != 0;
    }
    for (uint32_t i = 0; i < g->nslices; i++) {
        const struct l2_stats *l2 = l2_stats(g->l2[i]);
        t.l2_requests += l2->requests;
        t.l2_reads += l2->reads;
        t.l2_writes += l2->writes;
        t.l2_atomics += l2->atomics;
        t.l2_refused += l2->refused;
        t.coded_answers += l2->coded_answers;
        t.l2_replies += l2->replies;
    }
    return t;
}

/* Requests that memory nodes have absorbed and answered with others: all of those, or where the L2
 * has sectors and looks some of them up again, what is missing there. */
static uint64_t riders_of(struct gpu *g, const struct sums *t, const char *what)
{
    const uint32_t part = 0;
    double absorbed = 0;
    if (!stats_get(gpu_stats(g), "filter_node.absorbed", &absorbed) || !g->m->l2.sectored)
        return (uint64_t)absorbed;
    const uint64_t missing = t->l1_replies - t->l2_replies;
    AT_MOST(missing, absorbed);
    return missing;
}

static void check_wires(struct gpu *g, const char *what)
{
    const struct sums t = sum_up(g);
    const bool two = g->noc[1] != NULL;
    const uint32_t part = 0;
    uint64_t ctas = 0, in = 0, out = 0, flits_in = 0, flits_out = 0;
    for (size_t i = 0; i < gpu_kernel_count(g); i++)
        ctas += gpu_kernel(g, i)->ctas;
    EQUAL(t.ctas, ctas);
    for (unsigned i = 0; i < 2 && g->noc[i]; i++) {
        const struct noc_stats *n = noc_stats(g->noc[i]);
        in += n->packets_in;
        out += n->packets_out;
        flits_in += n->flits_in;
        flits_out += n->flits_out;
    }
    AT_MOST(out, in);
    if (t.is_flushing)
        return;
    const uint64_t riders = riders_of(g, &t, what);
    double behind = 0; /* second packets of an answer */
    stats_get(gpu_stats(g), "filter_node.behind", &behind);
    const uint64_t answers = t.l2_replies + (uint64_t)behind;
    EQUAL(t.l1_replies, t.l1_reads + t.l1_writes + t.l1_back);
    EQUAL(t.l2_reads + t.l2_atomics + t.refused_atomics + riders, t.l1_reads);
    EQUAL(t.l2_writes + t.refused_writes, t.l1_writes + t.l1_back);
    EQUAL(t.l2_refused, t.refused_writes + t.refused_atomics);
    EQUAL(t.coded_fills, t.coded_answers);
    EQUAL(t.l2_replies, t.l2_requests);
    EQUAL(t.l2_replies + riders, t.l1_replies);
    EQUAL(in, t.l2_requests + riders + answers);
    EQUAL(out, in);
    EQUAL(flits_out, flits_in);
    if (two) {
        EQUAL(noc_stats(g->noc[0])->packets_out, t.l2_requests + riders);
        EQUAL(noc_stats(g->noc[1])->packets_out, answers);
    }
}

/* Nothing waits between the SMs and the L2; below it, writes back may still be on their way. */
static void check_ports(const struct gpu *g, const char *what)
{
    for (size_t i = 0; i < g->sim->ports.len; i++) {
        const struct port *p = g->sim->ports.data[i];
        if (!p->local && port_count(p))
            fail_msg("%s: port %s holds %" PRIu64, what, p->name, port_count(p));
    }
}

void invariants_check(struct gpu *g, const char *what)
{
    for (uint32_t i = 0; i < g->nsms; i++)
        check_sm(g, i, what);
    for (uint32_t i = 0; i < g->nslices; i++)
        check_l2(l2_stats(g->l2[i]), what, i);
    for (uint32_t i = 0; i < g->nchannels; i++)
        check_channel(g, i, what);
    check_wires(g, what);
    if (!sum_up(g).is_flushing)
        check_ports(g, what);
}
