/* Stamps of an answer, each in its own clock, as cycles of the core. */
#include "sm/load_stages.h"

const struct stat_row load_stage_rows[] = {
#define ROWS_FILE   "sm/load_stages.def"
#define ROWS_STRUCT load_stages
#include "parsim/rows_entries.h"
};
const size_t load_nstage_rows = ARRAY_LEN(load_stage_rows);

static cycle_t in_core(cycle_t at, double ratio)
{
    return ratio == 1 ? at : (cycle_t)((double)at * ratio);
}

/* Rounding may put two stamps of different clocks in the wrong order. */
static cycle_t after(cycle_t at, cycle_t before)
{
    return at > before ? at : before;
}

void load_stages_count(struct load_stages *st, struct answers *a)
{
    struct hist *h = &st->l1_queue;
    static_assert(offsetof(struct load_stages, total) - offsetof(struct load_stages, l1_queue) ==
                      (LOAD_STAGES - 1) * sizeof *h,
                  "stages follow each other");
    for (unsigned i = 0; i < LOAD_STAGES; i++)
        for (uint32_t k = 0; k < a->n; k++)
            hist_add(&h[i], a->took[k][i]);
    st->from_dram += a->from_dram;
    a->n = a->from_dram = 0;
}

void load_stages_add(struct load_stages *st, struct answers *a, const struct stage_clocks *c,
                     const struct mem_req *r)
{
    const cycle_t born = r->at[MEM_AT_BORN];
    cycle_t end = r->at[MEM_AT_NOC_OUT];
    cycle_t noc_in = after(in_core(r->at[MEM_AT_NOC_IN], c->noc), born);
    cycle_t l2_in = after(in_core(r->at[MEM_AT_L2_IN], c->l2), noc_in);
    cycle_t l2_out = after(in_core(r->at[MEM_AT_L2_OUT], c->noc), l2_in);
    cycle_t dram = 0;
    if (r->at[MEM_AT_MC_OUT]) {
        cycle_t in = after(in_core(r->at[MEM_AT_MC_IN], c->l2), l2_in);
        cycle_t out = after(in_core(r->at[MEM_AT_MC_OUT], c->l2), in);
        l2_out = after(l2_out, out);
        dram = out - in;
        a->from_dram++;
    }
    end = after(end, l2_out);
    const cycle_t stages[LOAD_STAGES] = {noc_in - born, l2_in - noc_in, l2_out - l2_in - dram,
                                         dram,          end - l2_out,   end - born};
    for (unsigned i = 0; i < LOAD_STAGES; i++)
        a->took[a->n][i] = (uint32_t)stages[i];
    if (++a->n == ANSWERS_KEPT)
        load_stages_count(st, a);
}
