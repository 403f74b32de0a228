/* A place for one request in each bank: what the dram_t of GPGPU-Sim 3.2.1 does. The places are
 * command queues of one entry. */
#include "dram/dram_int.h"

/* The first of `banks` from bank `from` on, going round; there is one. */
static uint32_t first_from(uint64_t banks, uint32_t from)
{
    const uint64_t behind = banks & (~0ull << from);
    return (uint32_t)__builtin_ctzll(behind ? behind : banks);
}

/* The entry that `bank` serves next: the oldest for its open row, else its oldest. */
static uint32_t next_entry(const struct dram *d, uint32_t bank)
{
    uint32_t oldest = UINT32_MAX;
    for (uint32_t i = 0; i < d->reads.len; i++) {
        const struct dram_entry *e = &d->reads.at[i];
        if (e->bank != bank)
            continue;
        if (e->row == d->banks[bank].row)
            return i;
        oldest = oldest < i ? oldest : i;
    }
    return oldest;
}

static uint32_t bank_after(const struct dram *d, uint32_t bank)
{
    return bank + 1 < d->nbanks ? bank + 1 : 0;
}

void slots_fill(struct dram *d)
{
    const uint64_t banks = d->entering_mask[0] & ~(d->busy_queues | d->refreshing);
    if (!banks)
        return;
    staged_enter(d, &d->reads, next_entry(d, first_from(banks, d->next_bank)));
    d->next_bank = bank_after(d, d->next_bank);
}

bool slots_pick(struct dram *d, unsigned classes, cycle_t now, struct dram_pick *p)
{
    d->slots_retry = CYCLE_NEVER;
    for (uint64_t left = d->busy_queues & ~d->refreshing; left;) {
        const uint32_t bank = first_from(left, d->next_bank);
        left &= ~(1ull << bank);
        const enum dram_cmd cmd = entry_command(d, &d->queues[bank].at[0]);
        const cycle_t open = dram_gates_open(&d->gates, cmd, bank);
        d->slots_retry = open < d->slots_retry ? open : d->slots_retry;
        if (open > now || !(classes & command_class(cmd)))
            continue;
        if (command_class(cmd) == CLASS_ROW)
            d->next_bank = bank_after(d, bank);
        *p = (struct dram_pick){cmd, &d->queues[bank], 0};
        return true;
    }
    return false;
}

void slots_column(struct dram *d, const struct dram_entry *e, uint32_t busy, cycle_t now)
{
    const enum dram_cmd cmd = e->write ? DRAM_WR : DRAM_RD;
    const cycle_t row = d->gates.open[LEVEL_BANK][e->bank][cmd];
    cycle_t could = e->arrive + 1 > row ? e->arrive + 1 : row;
    could = could > d->column_end ? could : d->column_end;
    d->bus_waits += now > could ? now - could : 0;
    d->column_end = now + busy;
}

uint64_t dram_bus_waits(const struct dram *d)
{
    return d->bus_waits;
}
