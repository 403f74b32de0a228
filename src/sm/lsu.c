/* The load/store unit: takes one memory instruction at a time apart, a line (or a cycle of shared
 * memory) a cycle; collects what comes back, one access a cycle, and writes the registers when all
 * of an instruction's accesses are back; sends the caches' misses to the interconnect. */
#include "sm/sm_int.h"

static struct l1 *cache_of(const struct sm *sm, const struct line_access *a)
{
    return a->space == MEM_CONST ? sm->konst : a->space == MEM_TEX ? sm->tex : sm->data;
}

enum { READERS = 1u << SM_CACHE_CONST | 1u << SM_CACHE_TEX }; /* caches that only read */

/* Caches that may have something to do, as bits: those that only read are left alone while nobody
 * waits for them, and they have nothing to send. */
static inline unsigned busy_caches(const struct sm *sm)
{
    const bool fetches = sm->fetching || (sm->cfg->fetch_ahead && !l1_idle(sm->inst));
    static_assert((int)LSU_CONST == SM_CACHE_CONST && (int)LSU_TEX == SM_CACHE_TEX, "one set");
    return 1u << SM_CACHE_DATA | ((sm->lsu.waits | sm->lsu.owes) & READERS) |
           (unsigned)fetches << SM_CACHE_INST;
}

/* Of those that were busy in this cycle. */
static uint32_t owing(const struct sm *sm, unsigned busy)
{
    uint32_t owes = 0;
    for (unsigned m = busy & READERS; m; m &= m - 1)
        owes |= (uint32_t)l1_owes(sm->caches[first_of(m)]) << first_of(m);
    return owes;
}

/* Something is to come back from the part; it has. */
static inline void part_begin(struct lsu *u, enum lsu_part part)
{
    u->out[part]++;
    u->waits |= 1u << part;
}

static inline void part_end(struct lsu *u, enum lsu_part part)
{
    if (!--u->out[part])
        u->waits &= ~(1u << part);
}

/* --- the end of an instruction --- */

/* The warp waits for it no longer. */
static void settle(struct sm *sm, unsigned slot, const struct dinst *d)
{
    struct warp_slot *ws = &sm->slot[slot];
    const uint64_t bit = UINT64_C(1) << slot;
    if (d->flags & (DINST_STORE | DINST_ATOMIC)) {
        ws->stores--;
        if (!ws->stores)
            sm->fenced &= ~bit;
    }
    if (dinst_loads(d) && !--ws->loads)
        sm->loading &= ~bit;
    scoreboard_release(sm, slot, d);
}

static void finish(struct sm *sm, uint16_t i, cycle_t now)
{
    const struct inflight *f = &sm->fl[i];
    if (UNLIKELY(f->extra)) {
        sm_extra_retire(sm, i, now);
        return;
    }
    if (f->d->flags & DINST_LOAD)
        hist_add(&sm->stats.load_latency, now - f->issued);
    settle(sm, f->slot, f->d);
    if (UNLIKELY(f->slot2 != NO_PARTNER))
        settle(sm, (unsigned)f->slot2, f->d);
    sm_retire(sm, i, now);
}

/* One access of the instruction is back. True: it was the last, and registers are to be written. */
static bool is_back(struct sm *sm, uint16_t i)
{
    struct inflight *f = &sm->fl[i];
    assert_often(f->pending);
    return !--f->pending && f->is_sent;
}

/* Its registers are next to be written, or when rf_cost.write is over. */
static void write_later(struct sm *sm, uint16_t i, cycle_t now)
{
    struct inflight *f = &sm->fl[i];
    f->due = now + f->cost.write;
    fl_append(sm, f->cost.write ? &sm->lsu.late : &sm->lsu.wb, i);
}

/* Parts that have something which is to come back, of those that are waited for. */
SM_INLINE unsigned parts_back(const struct sm *sm, cycle_t now)
{
    const struct lsu *u = &sm->lsu;
    unsigned back = (unsigned)l1_has_done(sm->data) << LSU_DATA;
    if (u->shared.n)
        back |= (unsigned)(u->shared_due <= now) << LSU_SHARED;
    for (unsigned m = u->waits & READERS; UNLIKELY(m); m &= m - 1)
        back |= (unsigned)l1_has_done(sm->caches[first_of(m)]) << first_of(m);
    return back;
}

/* When the first of the loads in shared memory is through; one has come or gone. */
SM_INLINE void look_at_shared(struct sm *sm)
{
    struct lsu *u = &sm->lsu;
    u->shared_due = u->shared.n ? sm->fl[u->shared.head].due : CYCLE_NEVER;
}

/* What has come back from the part. */
SM_INLINE uint16_t take_result(struct sm *sm, unsigned part, cycle_t now)
{
    static const uint8_t cache_of_part[LSU_PARTS] = {
        [LSU_CONST] = SM_CACHE_CONST, [LSU_TEX] = SM_CACHE_TEX, [LSU_DATA] = SM_CACHE_DATA};
    uint32_t token;
    if (part == LSU_SHARED) {
        token = fl_take(sm, &sm->lsu.shared);
        look_at_shared(sm);
    } else {
        l1_pop_done(sm->caches[cache_of_part[part]], now, &token);
    }
    return (uint16_t)token;
}

static void write_back(struct sm *sm, cycle_t now)
{
    struct lsu *u = &sm->lsu;
    if (u->wb.n) {
        if (!sm_claim_banks(sm, u->wb.head))
            return;
        finish(sm, fl_take(sm, &u->wb), now);
        if (u->wb.n)
            return;
    }
    if (UNLIKELY(u->late.n)) {
        const uint16_t i = fl_take_due(sm, &u->late, now);
        if (i != NO_INFLIGHT)
            fl_append(sm, &u->wb, i);
    }
    const unsigned back = parts_back(sm, now);
    if (!back)
        return;
    const unsigned part = next_from(back, u->wb_turn);
    const uint16_t i = take_result(sm, part, now);
    part_end(u, part);
    u->wb_turn = (uint8_t)((part + 1) % LSU_PARTS);
    if (is_back(sm, i))
        write_later(sm, i, now);
}

static void take_acks(struct sm *sm, cycle_t now)
{
    uint32_t token;
    while (l1_pop_ack(sm->data, now, &token))
        if (is_back(sm, (uint16_t)token))
            finish(sm, (uint16_t)token, now);
}

/* --- the instruction at the entry --- */

static void enter_shared(struct sm *sm, uint16_t i, cycle_t now)
{
    struct inflight *f = &sm->fl[i];
    f->due = now + (cycle_t)sm->cfg->shared_latency;
    f->pending++;
    part_begin(&sm->lsu, LSU_SHARED);
    fl_append(sm, &sm->lsu.shared, i);
    look_at_shared(sm);
}

static bool step_shared(struct sm *sm, uint16_t i, cycle_t now)
{
    struct inflight *f = &sm->fl[i];
    if (!f->shared_cycles)
        return true;
    if (--f->shared_cycles)
        return false;
    if (f->d->ndst)
        enter_shared(sm, i, now);
    return true;
}

/* The texture units are free, and are taken by it. */
static bool take_textures(struct sm *sm, const struct inflight *f, cycle_t now)
{
    const unsigned lanes = (unsigned)sm->cfg->texture_lanes;
    if (now < sm->lsu.textures_free)
        return false;
    sm->lsu.textures_free = now + (lanes_in(f->mask) + lanes - 1) / lanes;
    return true;
}

static bool send_line(struct sm *sm, uint16_t i, cycle_t now)
{
    struct inflight *f = &sm->fl[i];
    const struct line_access *a = &f->acc[f->sent];
    struct l1 *cache = cache_of(sm, a);
    sm->lsu.is_blocked = !l1_can_accept(cache, now, a->addr);
    if (sm->lsu.is_blocked ||
        (a->space == MEM_TEX && !f->sent && sm->cfg->texture_lanes && !take_textures(sm, f, now)))
        return false;
    uint8_t kind = f->d->flags & DINST_ATOMIC  ? MEM_ATOMIC
                   : f->d->flags & DINST_STORE ? MEM_WRITE
                                               : MEM_READ;
    l1_submit(cache, now,
              &(struct l1_access){.addr = a->addr,
                                  .bytes = a->bytes,
                                  .sectors = a->sectors,
                                  .full = a->full,
                                  .words = a->words,
                                  .kind = kind,
                                  .space = a->space,
                                  .bypass = kind == MEM_ATOMIC || (f->d->flags & DINST_BYPASS),
                                  .is_prefetch = f->d->flags & DINST_PREFETCH,
                                  .slot = f->slot,
                                  .load = f->d->load,
                                  .token = i});
    f->sent++;
    if (f->d->flags & DINST_PREFETCH)
        return true;
    if (kind != MEM_WRITE)
        part_begin(&sm->lsu, cache == sm->konst ? LSU_CONST
                             : cache == sm->tex ? LSU_TEX
                                                : LSU_DATA);
    f->pending++;
    return true;
}

/* One cycle of the instruction at `entry`: of the program's, or of PIPE_AUX. */
static void step_entry(struct sm *sm, uint16_t *entry, cycle_t now)
{
    struct lsu *u = &sm->lsu;
    uint16_t i = *entry;
    struct inflight *f = &sm->fl[i];
    u->is_blocked = false;
    if (!f->is_resolved || !step_shared(sm, i, now) ||
        (f->sent < f->naccesses && !send_line(sm, i, now)) || f->sent < f->naccesses) {
        sm->stats.lsu_stall++;
        return;
    }
    f->is_sent = true;
    *entry = NO_INFLIGHT;
    if (!f->pending)
        finish(sm, i, now);
}

static void take_first(struct sm *sm, struct subcore *sub, unsigned pipe, uint16_t *entry)
{
    *entry = sub->entry[pipe][0];
    sm->lsu.due = 0;
    sub->nentry[pipe]--;
    for (unsigned j = 0; j < sub->nentry[pipe]; j++)
        sub->entry[pipe][j] = sub->entry[pipe][j + 1];
}

/* The next of a sub-core, in turn. */
SM_INLINE void take(struct sm *sm, unsigned pipe, uint16_t *entry, uint8_t *turn)
{
    const unsigned n = sm->nsub;
    unsigned at = *turn;
    if (n == 1) {
        if (sm->sub->nentry[pipe])
            take_first(sm, sm->sub, pipe, entry);
        return;
    }
    for (unsigned k = 0; k < n; k++, at = at + 1 < n ? at + 1 : 0) {
        if (LIKELY(!sm->sub[at].nentry[pipe]))
            continue;
        take_first(sm, &sm->sub[at], pipe, entry);
        *turn = (uint8_t)(at + 1 < n ? at + 1 : 0);
        return;
    }
}

void lsu_take(struct sm *sm, cycle_t now)
{
    (void)now;
    if (sm->lsu.entry == NO_INFLIGHT)
        take(sm, PIPE_MEM, &sm->lsu.entry, &sm->lsu.sub_turn);
    if (sm->npipes > PIPE_AUX && sm->lsu.aux == NO_INFLIGHT)
        take(sm, PIPE_AUX, &sm->lsu.aux, &sm->lsu.aux_turn);
}

/* The line that the entry's cache has refused is still refused. */
SM_INLINE bool is_still_blocked(const struct sm *sm, cycle_t now)
{
    if (!sm->lsu.is_blocked)
        return false;
    const struct inflight *f = &sm->fl[sm->lsu.entry];
    const struct line_access *a = &f->acc[f->sent];
    return !l1_can_accept(cache_of(sm, a), now, a->addr);
}

/* One data array: a cycle of extra warps is one that the program's instruction waits. */
static void step_entries(struct sm *sm, cycle_t now)
{
    struct lsu *u = &sm->lsu;
    if (u->aux == NO_INFLIGHT) {
        if (u->entry == NO_INFLIGHT)
            return;
        if (is_still_blocked(sm, now))
            sm->stats.lsu_stall++;
        else
            step_entry(sm, &u->entry, now);
        return;
    }
    bool was_blocked = u->is_blocked;
    step_entry(sm, &u->aux, now);
    u->is_blocked = was_blocked;
    sm->stats.lsu_stall += u->entry != NO_INFLIGHT;
}

/* --- the interconnect --- */

/* Of one of the caches `m`. */
static void send_request(struct sm *sm, unsigned m, cycle_t now)
{
    unsigned owing = 0;
    for (; m; m &= m - 1)
        owing |= (unsigned)(l1_peek_req(sm->caches[first_of(m)], now) != NULL) << first_of(m);
    if (!owing || !port_can_push(sm->out, now))
        return;
    const unsigned c = next_from(owing, sm->lsu.req_turn);
    struct mem_req *r = l1_pop_req(sm->caches[c], now);
    r->dst = sm->slice_nodes[interleave_slice(&sm->il, r->addr)];
    port_push(sm->out, now, r);
    sm->lsu.req_turn = (uint8_t)((c + 1) % SM_CACHES);
}

/* An engine in the SM will read the bytes of an encoded line, which lie in the host's memory at the
 * line's address: those of the next answer are asked for before it has arrived. */
SM_INLINE void expect(struct sm *sm)
{
    const struct mem_req *r = port_coming(sm->in);
    if (r == sm->lsu.expected)
        return;
    sm->lsu.expected = r;
    if (!r || !r->form.bytes)
        return;
    const char *line = (const char *)(uintptr_t)(r->addr & ~(addr_t)(sm->data_line - 1));
    for (uint32_t at = 0; at < sm->data_line; at += 64)
        __builtin_prefetch(line + at);
}

/* The next answer, if it is there. */
SM_INLINE struct mem_req *take_answer(struct sm *sm, cycle_t now)
{
    if (LIKELY(now < sm->lsu.look_at))
        return NULL;
    struct mem_req *r = port_pop(sm->in, now);
    if (UNLIKELY(sm->has_source))
        expect(sm);
    if (!r)
        lsu_look_for_answers(sm, now);
    return r;
}

static void answer(struct sm *sm, struct mem_req *r, cycle_t now)
{
    mem_req_stamp(r, MEM_AT_NOC_OUT, now);
    if (r->kind == MEM_READ && r->space != MEM_INST) {
        load_stages_add(&sm->stages, &sm->answers, &sm->clocks, r);
        probe_fire(sm->probe, now, SM_REPLY, (uint64_t)(uintptr_t)r, 0);
    }
    l1_fill(r->owner, now, r);
}

void lsu_tick(struct sm *sm, cycle_t now)
{
    struct mem_req *r = take_answer(sm, now);
    if (r)
        answer(sm, r, now);
    const unsigned busy = busy_caches(sm);
    for (unsigned m = busy; m; m &= m - 1)
        l1_tick(sm->caches[first_of(m)], now);
    write_back(sm, now);
    take_acks(sm, now);
    step_entries(sm, now);
    send_request(sm, busy, now);
    if (busy & READERS)
        sm->lsu.owes = owing(sm, busy);
}

cycle_t lsu_next(struct sm *sm, cycle_t now)
{
    const struct lsu *u = &sm->lsu;
    if ((u->entry != NO_INFLIGHT && !u->is_blocked) || u->wb.n || u->aux != NO_INFLIGHT)
        return now + 1;
    cycle_t next = lsu_next_answer(sm, now);
    if (u->shared.n && u->shared_due < next)
        next = u->shared_due;
    if (UNLIKELY(u->late.n) && fl_next_due(sm, &u->late) < next)
        next = fl_next_due(sm, &u->late);
    for (unsigned m = busy_caches(sm); m && next > now + 1; m &= m - 1) {
        const cycle_t t = l1_next(sm->caches[first_of(m)], now);
        next = t < next ? t : next;
    }
    return next > now ? next : now + 1;
}
