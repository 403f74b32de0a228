/* Operand collectors: an instruction waits in one until its registers have been read, one operand a
 * cycle, one access a bank and cycle; writes go before reads. */
#include "sm/sm_int.h"

#include <string.h>

/* --- the delay line of rf_cost.enter: as wide as the pipe's ports --- */

/* False: as many are in it as it has stages for this one. */
static bool delay(struct sm *sm, struct subcore *sub, unsigned pipe, uint16_t i, cycle_t now)
{
    struct inflight *f = &sm->fl[i];
    if (sub->late[pipe].n >= (uint64_t)f->cost.enter * sm->ports[pipe])
        return false;
    f->due = now + f->cost.enter;
    fl_append(sm, &sub->late[pipe], i);
    sub->nlate++;
    return true;
}

static void end_of_line(struct sm *sm, struct subcore *sub, unsigned pipe, cycle_t now)
{
    const unsigned ports = sm->ports[pipe];
    while (sub->nentry[pipe] < ports) {
        uint16_t i = fl_take_due(sm, &sub->late[pipe], now);
        if (i == NO_INFLIGHT)
            return;
        sub->nlate--;
        sub->entry[pipe][sub->nentry[pipe]++] = i;
    }
}

/* --- collectors --- */

/* False: there is no room where it must go. */
static bool go_on(struct sm *sm, struct subcore *sub, unsigned pipe, uint16_t i, cycle_t now)
{
    if (sm->fl[i].cost.enter)
        return delay(sm, sub, pipe, i, now);
    if (sub->nentry[pipe] >= sm->ports[pipe])
        return false;
    sub->entry[pipe][sub->nentry[pipe]++] = i;
    return true;
}

/* One of `ready`, in turn. */
SM_INLINE unsigned next_ready(const struct subcore *sub, unsigned pipe, uint64_t ready)
{
    return LIKELY(!(ready & (ready - 1))) ? first_of(ready) : next_from(ready, sub->col_turn[pipe]);
}

SM_INLINE void leave(struct subcore *sub, unsigned pipe, unsigned c)
{
    sub->col_used &= ~(UINT64_C(1) << c);
    sub->col_turn[pipe] = c + 1;
}

/* Collectors that have everything -> pipe entries. */
SM_INLINE void send_on(const struct sm *sm, struct subcore *sub, unsigned pipe, uint64_t ready)
{
    unsigned n = sub->nentry[pipe];
    for (; ready && n < sm->ports[pipe]; n++) {
        const unsigned c = next_ready(sub, pipe, ready);
        ready &= ~(UINT64_C(1) << c);
        sub->entry[pipe][n] = sub->col[c];
        leave(sub, pipe, c);
    }
    sub->nentry[pipe] = (uint8_t)n;
}

/* The same with the line between them. */
static void send_into_line(struct sm *sm, struct subcore *sub, unsigned pipe, uint64_t ready,
                           cycle_t now)
{
    for (unsigned n = 0; ready && n < sm->ports[pipe]; n++) {
        const unsigned c = next_ready(sub, pipe, ready);
        ready &= ~(UINT64_C(1) << c);
        if (go_on(sm, sub, pipe, sub->col[c], now))
            leave(sub, pipe, c);
    }
}

static uint64_t complete(const struct subcore *sub)
{
    return sub->col_used & ~(sub->col_reading | sub->col_delayed);
}

static void dispatch(const struct sm *sm, struct subcore *sub)
{
    for (uint64_t ready = complete(sub); ready;) {
        const unsigned p = sub->pipe_of[first_of(ready)];
        send_on(sm, sub, p, ready & sub->col_of[p]);
        ready &= ~sub->col_of[p];
    }
}

SM_APART static void dispatch_by_line(struct sm *sm, struct subcore *sub, cycle_t now)
{
    const uint64_t ready = complete(sub);
    for (unsigned p = 0; p < sm->npipes; p++) {
        if (sub->late[p].n)
            end_of_line(sm, sub, p, now);
        if (ready & sub->col_of[p])
            send_into_line(sm, sub, p, ready & sub->col_of[p], now);
    }
}

/* --- queues of banks --- */

SM_INLINE void bank_push(struct subcore *sub, unsigned bank, unsigned c)
{
    struct bank_queue *q = &sub->bank[bank];
    const unsigned len = sub->bank_len[bank]++;
    if (LIKELY(!len)) {
        sub->bank_first[bank] = (uint8_t)c;
        sub->bank_wanted |= UINT64_C(1) << bank;
    } else {
        const unsigned at = q->head + len - 1;
        q->at[at < ARRAY_LEN(q->at) ? at : at - ARRAY_LEN(q->at)] = (uint8_t)c;
    }
}

SM_INLINE void bank_pop(struct subcore *sub, unsigned bank)
{
    struct bank_queue *q = &sub->bank[bank];
    const unsigned len = --sub->bank_len[bank];
    if (LIKELY(!len)) {
        sub->bank_wanted &= ~(UINT64_C(1) << bank);
        return;
    }
    sub->bank_first[bank] = q->at[q->head];
    q->head = len > 1 ? (uint8_t)((q->head + 1u) % ARRAY_LEN(q->at)) : 0;
}

SM_INLINE void grant(struct sm *sm, struct subcore *sub, unsigned bank, uint64_t *granted,
                     bool is_told)
{
    const unsigned c = sub->bank_first[bank];
    const uint64_t bit = UINT64_C(1) << c;
    sm->stats.bank_conflicts += sub->bank_len[bank] - 1u;
    if (is_told) {
        const uint32_t n = sub->bank_len[bank] - 1u + ((*granted & bit) != 0);
        if (n)
            sm->seams.registers->waited(sm->seams.registers->self, bank, n);
    }
    if (*granted & bit) {
        sm->stats.bank_conflicts++;
        return;
    }
    *granted |= bit;
    sm->stats.rf_reads++;
    sub->nqueued--;
    bank_pop(sub, bank);
    if (!--sm->fl[sub->col[c]].to_read)
        sub->col_reading &= ~bit;
}

SM_INLINE void read_all(struct sm *sm, struct subcore *sub, bool is_told)
{
    uint64_t granted = 0, want = sub->bank_wanted & ~sub->bank_written;
    uint64_t first = want & (UINT64_MAX << sub->bank_turn);
    for (uint64_t m = first; m; m &= m - 1)
        grant(sm, sub, first_of(m), &granted, is_told);
    for (uint64_t m = want & ~first; m; m &= m - 1)
        grant(sm, sub, first_of(m), &granted, is_told);
    if (++sub->bank_turn == (unsigned)sm->cfg->banks)
        sub->bank_turn = 0;
}

static void read_banks(struct sm *sm, struct subcore *sub)
{
    read_all(sm, sub, false);
}

SM_COLD static void read_banks_and_tell(struct sm *sm, struct subcore *sub)
{
    read_all(sm, sub, true);
}

static void wait_longer(struct sm *sm, struct subcore *sub)
{
    for (uint64_t m = sub->col_delayed & ~sub->col_reading; m; m &= m - 1) {
        unsigned c = first_of(m);
        if (!--sm->fl[sub->col[c]].cost.hold)
            sub->col_delayed &= ~(UINT64_C(1) << c);
    }
}

/* The bank of the k-th operand that it reads: of its warp, then of its follower. */
SM_INLINE unsigned bank_read(const struct sm *sm, const struct inflight *f, unsigned k,
                             bool is_plain)
{
    const struct dinst *d = f->d;
    const bool is_second = !is_plain && k >= d->nsrc;
    return sm_bank_of(sm, f, d->ndst + (is_second ? k - d->nsrc : k), is_second, is_plain);
}

SM_INLINE bool has_queue_room(const struct sm *sm, const struct subcore *sub,
                              const struct inflight *f, bool is_plain)
{
    const unsigned n = is_plain ? f->d->nsrc : f->to_read;
    if (LIKELY(sub->nqueued + n <= 256u)) /* even if all wanted one bank */
        return true;
    for (unsigned k = 0; k < n; k++)
        if (sub->bank_len[bank_read(sm, f, k, is_plain)] + n > 256u)
            return false;
    return true;
}

SM_INLINE void queue(const struct sm *sm, struct subcore *sub, unsigned c, const struct inflight *f,
                     bool is_plain)
{
    const unsigned n = is_plain ? f->d->nsrc : f->to_read;
    sub->nqueued += n;
    for (unsigned k = 0; k < n; k++)
        bank_push(sub, bank_read(sm, f, k, is_plain), c);
}

SM_INLINE void take(struct sm *sm, struct subcore *sub, unsigned c, uint16_t i, bool is_plain)
{
    const struct inflight *f = &sm->fl[i];
    const uint64_t bit = UINT64_C(1) << c;
    sub->col[c] = i;
    sub->col_used |= bit;
    if (f->to_read)
        sub->col_reading |= bit;
    if (f->cost.hold)
        sub->col_delayed |= bit;
    queue(sm, sub, c, f, is_plain);
}

/* The first `n` have left their port, of `all`. */
SM_INLINE void close_ranks(uint16_t port[MAX_PORTS], unsigned all, unsigned n)
{
    uint64_t as_one;
    static_assert(sizeof as_one == MAX_PORTS * sizeof *port, "moved as one word");
    if (LIKELY(n == all))
        return;
    memcpy(&as_one, port, sizeof as_one);
    as_one >>= 8 * sizeof *port * n;
    memcpy(port, &as_one, sizeof as_one);
}

/* Issue ports -> collectors, of which some are idle. */
SM_INLINE void allocate(struct sm *sm, struct subcore *sub, unsigned pipe, uint64_t idle,
                        bool is_plain)
{
    const unsigned all = sub->nport[pipe];
    unsigned n = 0;
    do {
        const uint16_t i = sub->port[pipe][n];
        if (UNLIKELY(!has_queue_room(sm, sub, &sm->fl[i], is_plain)))
            break;
        take(sm, sub, first_of(idle), i, is_plain);
        idle &= idle - 1;
    } while (++n < all && idle);
    sub->nport[pipe] = (uint8_t)(all - n);
    close_ranks(sub->port[pipe], all, n);
}

SM_INLINE void allocate_all(struct sm *sm, struct subcore *sub, bool is_plain)
{
    for (uint32_t left = sm_all(sub->nport); left;) {
        const unsigned p = (unsigned)__builtin_ctz(left) / 8;
        const uint64_t idle = sub->col_of[p] & ~sub->col_used;
        left &= ~(0xffu << 8 * p);
        if (idle)
            allocate(sm, sub, p, idle, is_plain);
    }
}

static void allocate_plain(struct sm *sm, struct subcore *sub)
{
    allocate_all(sm, sub, true);
}

SM_APART static void allocate_asked(struct sm *sm, struct subcore *sub)
{
    allocate_all(sm, sub, false);
}

void sm_collect(struct sm *sm, cycle_t now)
{
    const bool has_line = sm->asked & WANT_COST;
    FOR_SUBCORES(sub, sm)
    {
        if (sub->col_used | sub->nlate) {
            if (LIKELY(!has_line))
                dispatch(sm, sub);
            else
                dispatch_by_line(sm, sub, now);
            if (sub->col_delayed) /* from the cycle after the last read on */
                wait_longer(sm, sub);
            if (sub->bank_wanted && LIKELY(!(sm->asked & WANT_WAITED)))
                read_banks(sm, sub);
            else if (sub->bank_wanted)
                read_banks_and_tell(sm, sub);
        }
        if (sm_any(sub->nport)) {
            if (sm_is_plain(sm))
                allocate_plain(sm, sub);
            else
                allocate_asked(sm, sub);
        }
        sub->bank_written = 0;
    }
}
