/* Rows of dram_timing.def become gaps between commands; issuing one moves every gate that it
 * closes. */
#include "dram/dram_gate.h"

#include <stdlib.h>

static int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void row_add(struct dram_gate_rows *r, enum dram_level level, enum dram_cmd preceding,
                    enum dram_cmd following, int64_t gap)
{
    if (gap <= 0)
        return;
    assert(r->n[preceding] < GATES_PER_CMD);
    r->at[preceding][r->n[preceding]++] =
        (struct dram_gate_row){(uint8_t)level, (uint8_t)following, (uint16_t)gap};
}

static void rows_init(struct dram_gate_rows *r, const struct dram_cfg *t)
{
#define GATE(level, preceding, following, gap) \
    row_add(r, LEVEL_##level, DRAM_##preceding, DRAM_##following, gap);
#define WINDOW(level, command, count, gap)
#include "dram/dram_timing.def"
#undef GATE
#undef WINDOW
}

static void windows_init(struct dram_gates *g, const struct dram_cfg *t)
{
    uint32_t windows = 0;
#define GATE(level, preceding, following, gap)
#define WINDOW(level, command, count, gap) \
    g->window_count[windows] = count;      \
    g->window_gap[windows++] = (uint16_t)(gap);
#include "dram/dram_timing.def"
#undef GATE
#undef WINDOW
}

/* The times of a command that moves `n` of the accesses of a whole one. */
static struct dram_cfg times_of(const struct dram_cfg *whole, int64_t n)
{
    struct dram_cfg t = *whole;
    const int64_t all = whole->command_accesses;
    t.burst_cycles *= n;
    t.t_ccd_s = (t.t_ccd_s * n + all - 1) / all;
    t.t_ccd_l = (t.t_ccd_l * n + all - 1) / all;
    return t;
}

void dram_gates_init(struct dram_gates *g, const struct dram_cfg *t)
{
    uint32_t pcs = (uint32_t)t->pseudo_channels;
    *g = (struct dram_gates){.accesses = (uint32_t)t->command_accesses};
    for (uint32_t i = 0; i < pcs * (uint32_t)t->banks; i++) {
        g->index[LEVEL_BANK][i] = (uint8_t)i;
        g->index[LEVEL_GROUP][i] = (uint8_t)(i / (uint32_t)(t->banks / t->bank_groups));
        g->index[LEVEL_PCHAN][i] = (uint8_t)(i / (uint32_t)t->banks);
    }
    for (int64_t n = 1; n <= t->command_accesses; n++) {
        const struct dram_cfg part = times_of(t, n);
        rows_init(&g->rows[n - 1], &part);
    }
    windows_init(g, t);
    const uint32_t n[LEVELS] = {pcs * (uint32_t)t->banks, pcs * (uint32_t)t->bank_groups, pcs};
    for (int i = 0; i < LEVELS; i++)
        g->open[i] = xcalloc(n[i], sizeof *g->open[i]);
    g->acts = xcalloc(pcs, sizeof *g->acts);
    g->nacts = xcalloc(pcs, sizeof *g->nacts);
}

void dram_gates_free(struct dram_gates *g)
{
    for (int i = 0; i < LEVELS; i++)
        free(g->open[i]);
    free(g->acts);
    free(g->nacts);
}

static void close_until(cycle_t *open, cycle_t until)
{
    if (*open < until)
        *open = until;
}

static void windows_update(struct dram_gates *g, uint32_t pc, cycle_t now)
{
    uint32_t n = g->nacts[pc]++;
    g->acts[pc][n % WINDOW_MAX] = now;
    for (int i = 0; i < 2; i++) {
        uint32_t count = g->window_count[i];
        if (g->window_gap[i] && n + 1 >= count)
            close_until(&g->open[LEVEL_PCHAN][pc][DRAM_ACT],
                        g->acts[pc][(n + 1 - count) % WINDOW_MAX] + g->window_gap[i]);
    }
}

void dram_gates_issue_part(struct dram_gates *g, enum dram_cmd cmd, uint32_t accesses,
                           uint32_t bank, cycle_t now)
{
    const struct dram_gate_rows *rows = &g->rows[accesses - 1];
    for (uint32_t i = 0; i < rows->n[cmd]; i++) {
        const struct dram_gate_row *r = &rows->at[cmd][i];
        close_until(&g->open[r->level][g->index[r->level][bank]][r->following], now + r->gap);
    }
    if (cmd == DRAM_ACT)
        windows_update(g, g->index[LEVEL_PCHAN][bank], now);
}
