/* The arithmetic pipes: an instruction enters a unit, which is then closed for its initiation
 * interval, and its result is written back latency + 2 cycles later (into the first stage, through
 * the stages, out of the last), if one of the write-back ports is free then. With sm.operands=fixed
 * the latency is that from issue to issue of who needs the result, and banks are free. */
#include "sm/sm_int.h"

static void schedule_result(struct sm *sm, uint16_t i, cycle_t at)
{
    unsigned c = at % CALENDAR;
    if (!(sm->calendar_set[c / 64] >> (c % 64) & 1))
        sm->calendar[c] = NO_INFLIGHT;
    sm->fl[i].next = sm->calendar[c];
    sm->calendar[c] = i;
    sm->calendar_set[c / 64] |= UINT64_C(1) << (c % 64);
    sm->results[c]++;
    sm->ncalendar++;
}

static void count_busy(struct sm *sm, unsigned kind, uint64_t cycles)
{
    static const uint16_t busy[] = {[UNIT_SP] = offsetof(struct sm_stats, sp_busy),
                                    [UNIT_SFU] = offsetof(struct sm_stats, sfu_busy),
                                    [UNIT_DP] = offsetof(struct sm_stats, dp_busy),
                                    [UNIT_TENSOR] = offsetof(struct sm_stats, tensor_busy),
                                    [UNIT_INT] = offsetof(struct sm_stats, sp_busy)};
    *sm_counter(sm, busy[kind]) += cycles;
}

static void enter(struct sm *sm, struct subcore *sub, unsigned pipe, unsigned unit, cycle_t now)
{
    const unsigned kind = sub->unit_kind[unit];
    for (unsigned k = 0; k < sub->nentry[pipe]; k++) {
        uint16_t i = sub->entry[pipe][k];
        const struct inflight *f = &sm->fl[i];
        cycle_t at = now + (cycle_t)(f->d->latency + sm->ends) + f->cost.write;
        if (f->d->unit != kind || sm->results[at % CALENDAR] >= sm->cfg->writeback_ports)
            continue;
        sub->unit_free[unit] = now + f->initiation;
        count_busy(sm, kind, f->initiation);
        schedule_result(sm, i, at);
        sub->nentry[pipe]--;
        for (; k < sub->nentry[pipe]; k++)
            sub->entry[pipe][k] = sub->entry[pipe][k + 1];
        return;
    }
}

void sm_pipes(struct sm *sm, cycle_t now)
{
    FOR_SUBCORES(sub, sm)
    {
        if (!(sub->nentry[PIPE_SP] | sub->nentry[PIPE_SFU]))
            continue;
        for (unsigned u = 0; sub->nentry[PIPE_SP] && u < sub->nsp; u++)
            if (sub->unit_free[u] <= now)
                enter(sm, sub, PIPE_SP, u, now);
        for (unsigned u = sub->nsp; sub->nentry[PIPE_SFU] && u < sub->nunits; u++)
            if (sub->unit_free[u] <= now)
                enter(sm, sub, PIPE_SFU, u, now);
    }
}

/* Registers, of both warps where two go together. */
static unsigned written(const struct inflight *f)
{
    return f->d->ndst * (UNLIKELY(f->slot2 != NO_PARTNER) ? 2u : 1u);
}

SM_INLINE uint64_t banks_of(const struct sm *sm, const struct inflight *f, bool is_second,
                            bool is_plain)
{
    uint64_t banks = 0;
    for (unsigned k = 0; k < f->d->ndst; k++)
        banks |= UINT64_C(1) << sm_bank_of(sm, f, k, is_second, is_plain);
    return banks;
}

SM_COLD static uint64_t banks_of_all(const struct sm *sm, const struct inflight *f)
{
    return banks_of(sm, f, false, false) |
           (f->slot2 != NO_PARTNER ? banks_of(sm, f, true, false) : 0);
}

bool sm_claim_banks(struct sm *sm, uint16_t i)
{
    const struct inflight *f = &sm->fl[i];
    struct subcore *sub = &sm->sub[sm_subcore_of(sm, f->slot)];
    const uint64_t banks = sm_is_plain(sm) ? banks_of(sm, f, false, true) : banks_of_all(sm, f);
    if ((banks & sub->bank_written) && !sm->is_fixed)
        return false;
    sub->bank_written |= banks;
    sm->stats.rf_writes += written(f);
    return true;
}

static void leave(struct sm *sm, unsigned slot, cycle_t now)
{
    if (!--sm->slot[slot].inflight && (sm->ending >> slot & 1))
        sm_end_warp(sm, slot, now);
}

void sm_retire(struct sm *sm, uint16_t i, cycle_t now)
{
    const unsigned slot = sm->fl[i].slot;
    const int slot2 = sm->fl[i].slot2;
    inflight_put(sm, i);
    leave(sm, slot, now);
    if (UNLIKELY(slot2 != NO_PARTNER))
        leave(sm, (unsigned)slot2, now);
}

/* Two results for one bank do not wait for each other: the pipes cannot stop. */
void sm_write_back(struct sm *sm, cycle_t now)
{
    unsigned c = now % CALENDAR;
    if (!sm_has_result(sm, now))
        return;
    sm->calendar_set[c / 64] &= ~(UINT64_C(1) << (c % 64));
    sm->results[c] = 0;
    for (uint16_t i = sm->calendar[c], next; i != NO_INFLIGHT; i = next) {
        next = sm->fl[i].next;
        sm->ncalendar--;
        if (!sm_claim_banks(sm, i))
            sm->stats.rf_writes += written(&sm->fl[i]);
        if (UNLIKELY(sm->fl[i].extra)) {
            sm_extra_retire(sm, i, now);
            continue;
        }
        scoreboard_release(sm, sm->fl[i].slot, sm->fl[i].d);
        if (UNLIKELY(sm->fl[i].slot2 != NO_PARTNER))
            scoreboard_release(sm, (unsigned)sm->fl[i].slot2, sm->fl[i].d);
        sm_retire(sm, i, now);
    }
}

cycle_t sm_next_result(const struct sm *sm, cycle_t now)
{
    if (!sm->ncalendar)
        return CYCLE_NEVER;
    unsigned c = (now + 1) % CALENDAR, word = c / 64;
    uint64_t m = sm->calendar_set[word] & (UINT64_MAX << (c % 64));
    for (unsigned k = 0; k <= CALENDAR / 64; k++) {
        if (m)
            return now + 1 + (word * 64 + first_of(m) - c) % CALENDAR;
        word = (word + 1) % (CALENDAR / 64);
        m = sm->calendar_set[word];
    }
    return CYCLE_NEVER;
}
