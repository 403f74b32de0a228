/* The Assist Warp Buffer: instructions of the table's rows are staged in it and issued from it. */
#include "tech/assist/awc_int.h"

/* --- issue --- */

static void end(struct awc *c, struct awt_row *row)
{
    row->has_ended = true;
    c->ended |= awc_row_bit(row);
    awc_flush(c, row);
    if (!extra_is_writing(&row->x))
        awc_release_registers(c, row);
}

/* What is staged is of no use: the row goes on elsewhere. */
static void turn(struct awc *c, struct awt_row *row, const struct dfunc *fn, uint32_t pc)
{
    awc_flush(c, row);
    row->fn = fn;
    row->pc = pc;
}

/* What comes next, after the row's first staged instruction was executed. */
static void go_on(struct awc *c, struct awt_row *row, cycle_t now)
{
    struct step last;
    const struct dinst *next = extra_next(&row->x);
    if (next && awc_is_end(row, next)) {
        awc_forms_end(row);
        warp_step(row->x.w, NULL, now, &last);
        next = NULL;
    }
    if (!next)
        end(c, row);
    else if (&row->fn->code[awc_row_first(row)] != next)
        turn(c, row, next->fn, next->pc);
}

/* The same where that was found out when the row started. */
static void go_on_ahead(struct awc *c, struct awt_row *row)
{
    if (row->nissued == row->nahead)
        end(c, row);
    else if (awc_row_first(row) != row->done[row->nissued].pc)
        turn(c, row, row->fn, row->done[row->nissued].pc);
}

static void unstage_first(struct awc *c, struct awt_row *row)
{
    const uint64_t bit = awc_row_bit(row), awaits = *awc_awaits(c, row);
    c->unready &= ~bit;
    if (!--row->nstaged) {
        c->staged &= ~bit;
        c->stuck &= ~(awaits == AWAITS_NOTHING ? bit : 0); /* a return by itself is staged */
    }
    c->stuck &= ~(awaits ? 0 : bit);
    if (awc_row_is_high(c, row)) {
        c->slot_staged[row->x.slot]--;
        c->full &= ~c->slot_rows[row->x.slot];
        c->stats.issued_high++;
    } else {
        c->low_staged--;
        c->stats.issued_low++;
    }
}

/* Its first instruction issues. */
static void begin(struct awc *c, struct awt_row *row, cycle_t now)
{
    row->has_begun = true;
    if (c->has_interrupts && row->in->r->decl.on == ON_INTERRUPT)
        hist_add(&c->interrupt_stats.latency, now - row->in->value);
}

static bool issue_row(struct awc *c, struct sm *sm, struct awt_row *row, cycle_t now)
{
    const uint32_t pc = awc_row_first(row);
    const struct dinst *d = &row->fn->code[pc];
    if (!extra_is_ready_at(&row->x, row->fn, pc)) {
        c->unready |= awc_row_bit(row);
        return false;
    }
    if (!extra_has_room(sm, &row->x, d))
        return false;
    unstage_first(c, row);
    c->has_moved = true;
    if (!row->has_begun)
        begin(c, row, now);
    if (row->nahead) {
        extra_issue_done(sm, &row->x, d, &row->done[row->nissued++], now);
        go_on_ahead(c, row);
        return true;
    }
    row->x.w->grid->params = row->params;
    if (extra_issue(sm, &row->x, d, now))
        go_on(c, row, now);
    return true;
}

/* Of those, rows of the scheduler that may have something to issue. */
static uint64_t to_issue(const struct awc *c, uint64_t rows, unsigned sched)
{
    return rows & c->of_sched[sched] & c->staged & ~c->unready;
}

/* Of `mine`, in turn. */
static bool issue_of(struct awc *c, struct sm *sm, uint64_t mine, unsigned sched, cycle_t now)
{
    const uint64_t behind = UINT64_MAX << c->turn[sched];
    do {
        const uint64_t next = mine & behind ? mine & behind : mine;
        const unsigned k = (unsigned)__builtin_ctzll(next);
        if (issue_row(c, sm, &c->rows[k], now)) {
            c->turn[sched] = (k + 1) % 64;
            return true;
        }
        mine &= ~(next & -next);
    } while (mine);
    return false;
}

bool awc_issue_first(void *self, struct sm *sm, unsigned sched, cycle_t now)
{
    struct awc *c = self;
    const uint64_t mine = to_issue(c, c->high, sched);
    return mine && issue_of(c, sm, mine, sched, now);
}

bool awc_issue_idle(void *self, struct sm *sm, unsigned sched, cycle_t now)
{
    struct awc *c = self;
    const uint64_t mine = to_issue(c, c->used & ~c->high, sched);
    return mine && issue_of(c, sm, mine, sched, now);
}

/* --- deployment --- */

/* Of `all` entries that serve it, `taken` by now. */
static unsigned entries_left(unsigned all, unsigned taken)
{
    return taken < all ? all - taken : 0;
}

static unsigned room_for(const struct awc *c, const struct awt_row *row, bool is_high)
{
    if (is_high)
        return c->ibuffer - c->slot_staged[row->x.slot];
    if (c->is_alone) /* those of the program's warps */
        return entries_left(c->ibuffer, row->nstaged);
    return c->is_throttled ? 0 : entries_left(c->low_entries, c->low_staged);
}

/* Whether there is an instruction to stage; behind one that is staged the routine's end is none. */
static inline bool has_to_stage(const struct dfunc *fn, uint32_t first, uint32_t pc)
{
    if (LIKELY(pc < fn->returns_from))
        return true;
    if (pc >= fn->ncode)
        return false;
    return !(pc > first && fn->is_entry && (fn->code[pc].flags & DINST_RETURN));
}

/* Its part of the buffer serves no other instance. */
static bool has_buffer_alone(const struct awc *c, const struct awt_row *row, bool is_high)
{
    const uint64_t low = c->used & ~c->high;
    return is_high ? awc_is_only(c->slot_rows[row->x.slot]) : c->is_alone || awc_is_only(low);
}

/* Whether instruction `pc` would wait in the buffer for what those from `first` on write. */
static bool would_wait(const struct awt_row *row, uint32_t first, uint32_t pc)
{
    if (!extra_is_ready_at(&row->x, row->fn, pc))
        return true;
    for (uint32_t before = first; before < pc; before++)
        if (dfunc_depends(row->fn, pc, before))
            return true;
    return false;
}

/* Of code that has more registers than sets have. */
static __attribute__((noinline)) unsigned
next_of_many(const struct awc *c, const struct awt_row *row, bool is_high, unsigned most)
{
    const uint32_t first = awc_row_first(row), from = row->pc;
    uint32_t pc = from;
    while (pc - from < most && has_to_stage(row->fn, first, pc) &&
           (!would_wait(row, first, pc) || has_buffer_alone(c, row, is_high)))
        pc++;
    return pc - from;
}

/* How many can be staged, of at most so many: where others want the entries, only what need not
 * wait there, so that instances hide each other's latencies. */
static inline unsigned next_to_stage(const struct awc *c, const struct awt_row *row, bool is_high,
                                     unsigned most, uint64_t *awaits)
{
    const struct dfunc *fn = row->fn;
    const uint32_t first = awc_row_first(row), from = row->pc;
    uint32_t pc = from;
    uint64_t awaited = row->x.busy;
    *awaits = 0;
    if (UNLIKELY(!fn->masks))
        return next_of_many(c, row, is_high, most);
    for (uint32_t before = first; before < from; before++)
        awaited |= fn->masks[before].written;
    for (; pc - from < most; awaited |= fn->masks[pc++].written) {
        const bool is_end = !has_to_stage(fn, first, pc);
        const uint64_t waits = is_end ? AWAITS_NOTHING : fn->masks[pc].all & awaited;
        if (waits && (is_end || !has_buffer_alone(c, row, is_high))) {
            *awaits = waits;
            break;
        }
    }
    return pc - from;
}

static unsigned at_most(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static bool stage(struct awc *c, struct awt_row *row)
{
    const uint64_t bit = awc_row_bit(row);
    const bool is_high = c->high & bit;
    const unsigned room = room_for(c, row, is_high);
    if (!room) {
        if (is_high)
            c->full |= c->slot_rows[row->x.slot];
        return false;
    }
    const unsigned most = at_most(at_most(room, c->deploy_width), AWC_STAGED - row->nstaged);
    uint64_t *awaits = awc_awaits(c, row);
    const unsigned n = next_to_stage(c, row, is_high, most, awaits);
    if (!n || *awaits)
        c->stuck |= bit;
    if (!n)
        return false;
    c->staged |= bit;
    c->stats.deployed += n;
    row->pc += n;
    row->nstaged = (uint8_t)(row->nstaged + n);
    if (is_high)
        c->slot_staged[row->x.slot] = (uint8_t)(c->slot_staged[row->x.slot] + n);
    else
        c->low_staged = (uint16_t)(c->low_staged + n);
    return true;
}

/* Rows that may have something to stage. */
static uint64_t rows_to_stage(const struct awc *c)
{
    const bool has_low_room = c->is_alone || (!c->is_throttled && c->low_staged < c->low_entries);
    return (has_low_room ? c->used : c->high) & ~(c->stuck | c->ended | c->full);
}

void awc_deploy_next(struct awc *c)
{
    for (uint64_t rows = rows_to_stage(c); rows; rows &= ~c->full) {
        const uint64_t behind = rows & UINT64_MAX << c->deploy_turn;
        const unsigned at = (unsigned)__builtin_ctzll(behind ? behind : rows);
        rows &= ~(UINT64_C(1) << at);
        if (!stage(c, &c->rows[at]))
            continue;
        c->deploy_turn = at + 1 < c->nrows ? at + 1 : 0;
        c->has_moved = true;
        return;
    }
}
