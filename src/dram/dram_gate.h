/* The gates of one channel: when may which command go to which bank. Private to src/dram. */
#ifndef DRAM_DRAM_GATE_H
#define DRAM_DRAM_GATE_H

#include "dram/dram.h"

enum dram_level { LEVEL_BANK, LEVEL_GROUP, LEVEL_PCHAN, LEVELS };
enum { GATES_PER_CMD = 16, WINDOW_MAX = 32, GATE_BANKS_MAX = 64, GATE_ACCESSES_MAX = 4 };

struct dram_gate_row {
    uint8_t level, following;
    uint16_t gap;
};

/* What commands close that move so many accesses. */
struct dram_gate_rows {
    struct dram_gate_row at[DRAM_CMDS][GATES_PER_CMD];
    uint8_t n[DRAM_CMDS];
};

struct dram_gates {
    struct dram_gate_rows rows[GATE_ACCESSES_MAX];
    uint32_t accesses; /* of a whole command */
    uint16_t window_gap[2];
    uint8_t window_count[2];
    uint8_t index[LEVELS][GATE_BANKS_MAX]; /* of the bank itself, its group, its pseudo-channel */
    cycle_t (*open[LEVELS])[DRAM_CMDS];    /* [level][index][command]: first cycle it may go */
    cycle_t (*acts)[WINDOW_MAX];           /* [pseudo-channel]: last activates, a ring */
    uint32_t *nacts;
};

void dram_gates_init(struct dram_gates *g, const struct dram_cfg *cfg);
void dram_gates_free(struct dram_gates *g);
/* `cmd` goes to `bank` at `now`; a column command moves `accesses`. One that moves less than a
 * whole one keeps the bus, and others from it, for its share. */
void dram_gates_issue_part(struct dram_gates *g, enum dram_cmd cmd, uint32_t accesses,
                           uint32_t bank, cycle_t now);

static inline void dram_gates_issue(struct dram_gates *g, enum dram_cmd cmd, uint32_t bank,
                                    cycle_t now)
{
    dram_gates_issue_part(g, cmd, g->accesses, bank, now);
}

static inline cycle_t dram_gates_open(const struct dram_gates *g, enum dram_cmd cmd, uint32_t bank)
{
    cycle_t b = g->open[LEVEL_BANK][bank][cmd];
    cycle_t gr = g->open[LEVEL_GROUP][g->index[LEVEL_GROUP][bank]][cmd];
    cycle_t p = g->open[LEVEL_PCHAN][g->index[LEVEL_PCHAN][bank]][cmd];
    b = b > gr ? b : gr;
    return b > p ? b : p;
}

#endif
