/* Rows of dram_timing.def become gaps between commands; issuing one moves every gate that it
 * closes. */
#include "dram/dram_gate.h"

#include <stdlib.h>

static int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void row_add(struct dram_gates *g, enum dram_level level, enum dram_cmd preceding,
                    enum dram_cmd following, int64_t gap)
{
    if (gap <= 0)
        return;
    assert(g->nrows[preceding] < GATES_PER_CMD);
    g->rows[preceding][g->nrows[preceding]++] =
        (struct dram_gate_row){(uint8_t)level, (uint8_t)following, (uint16_t)gap};
}

void dram_gates_init(struct dram_gates *g, const struct dram_cfg *t)
{
    uint32_t pcs = (uint32_t)t->pseudo_channels, windows = 0;
    *g = (struct dram_gates){0};
    for (uint32_t i = 0; i < pcs * (uint32_t)t->banks; i++) {
        g->index[LEVEL_BANK][i] = (uint8_t)i;
        g->index[LEVEL_GROUP][i] = (uint8_t)(i / (uint32_t)(t->banks / t->bank_groups));
        g->index[LEVEL_PCHAN][i] = (uint8_t)(i / (uint32_t)t->banks);
    }
#define GATE(level, preceding, following, gap) \
    row_add(g, LEVEL_##level, DRAM_##preceding, DRAM_##following, gap);
#define WINDOW(level, command, count, gap) \
    g->window_count[windows] = count;      \
    g->window_gap[windows++] = (uint16_t)(gap);
#include "dram/dram_timing.def"
#undef GATE
#undef WINDOW
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

void dram_gates_issue(struct dram_gates *g, enum dram_cmd cmd, uint32_t bank, cycle_t now)
{
    for (uint32_t i = 0; i < g->nrows[cmd]; i++) {
        const struct dram_gate_row *r = &g->rows[cmd][i];
        close_until(&g->open[r->level][g->index[r->level][bank]][r->following], now + r->gap);
    }
    if (cmd == DRAM_ACT)
        windows_update(g, g->index[LEVEL_PCHAN][bank], now);
}
