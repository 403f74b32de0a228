/* Queues around the lookup: delay, completions, misses, replies, flush. */
#include "mem/l1_int.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FILLS_FIRST = 16 };

/* What is kept for every line, and for every line of a set. */
static void by_line_init(struct l1 *l)
{
    const size_t lines = (size_t)l->tags.sets * l->tags.ways;
    l->victims = xcalloc(l->tags.ways, sizeof *l->victims);
    l->ahead = xcalloc(lines, sizeof *l->ahead);
    l->forms = xcalloc(lines, sizeof *l->forms);
    l->lives = xcalloc(lines, sizeof *l->lives);
}

static void by_line_free(struct l1 *l)
{
    free(l->victims);
    free(l->ahead);
    free(l->forms);
    free(l->lives);
}

struct l1 *l1_new(const struct l1_cfg *cfg, struct mem_req_pool *pool, uint16_t node,
                  const struct l1_seams *seams)
{
    struct l1 *l = xalloc_aligned(64, sizeof *l);
    uint32_t sectors = (uint32_t)(cfg->line_bytes / cfg->sector_bytes);
    l->cfg = *cfg;
    l->pool = pool;
    l->node = node;
    l->requests = seams->requests;
    l->wakes_together = l->requests->wakes_together;
    l->replaces = l->requests->replaces;
    l->splits = l->requests->splits;
    l->reads = l->requests->reads ? l->requests->reads : &l->own_reads;
    l->packets = seams->sm_packets;
    l->capacity = seams->l1_capacity;
    l->by_sector = l->capacity->by_sector && l->capacity->tag_factor > 1;
    l->breach = seams->breach;
    l->lines = l1_lines_by_mode[seams->encodings->mode];
    l->probe = l->miss_probe = &probe_null;
    l1_code_init(&l->code, seams->codec_engines, seams->encodings);
    l->is_coded = seams->encodings->mode != ENCODED_NONE;
    l->due = l->engine_due = CYCLE_NEVER;
    l->line_shift = (uint32_t)__builtin_ctzll((uint64_t)cfg->line_bytes);
    l->sector_shift = (uint32_t)__builtin_ctzll((uint64_t)cfg->sector_bytes);
    l->line_mask = ~(addr_t)(cfg->line_bytes - 1);
    l->all = (uint16_t)((1u << sectors) - 1);
    l->req_cap = (uint32_t)cfg->miss_queue;
    l->reqs = xcalloc(l->req_cap, sizeof(struct mem_req *));
    l->req_ready = xcalloc(l->req_cap, sizeof *l->req_ready);
    req_ring_init(&l->fills, FILLS_FIRST);
    l->nbanks = (uint32_t)cfg->banks;
    l->bank_cap = (uint32_t)cfg->latency;
    l->banks = xcalloc(l->nbanks, sizeof *l->banks);
    for (uint32_t i = 0; i < l->nbanks; i++)
        l->banks[i].ring = xcalloc(l->bank_cap, sizeof *l->banks[i].ring);
    uint64_t sets = cfg->size / (uint64_t)(cfg->ways * cfg->line_bytes);
    tags_init(&l->tags, (uint32_t)sets, (uint32_t)cfg->ways,
              (enum tags_replacement)cfg->replacement, (enum tags_index)cfg->index);
    if (l->capacity->tag_factor > 1)
        tags_stretch(&l->tags, l->capacity->tag_factor, (uint32_t)cfg->line_bytes);
    by_line_init(l);
    mshr_init(&l->mshr, (uint32_t)cfg->mshrs, (uint32_t)cfg->merges,
              seams->encodings->line_buffers);
    return l;
}

void l1_add_miss_probe(struct l1 *l, struct probe *probe)
{
    probe_add(&l->miss_probe, probe);
}

void l1_add_probe(struct l1 *l, struct probe *probe)
{
    probe_add(&l->probe, probe);
}

void l1_free(struct l1 *l)
{
    if (!l)
        return;
    for (uint32_t i = 0; i < l->nbanks; i++)
        free(l->banks[i].ring);
    free(l->banks);
    free(l->reqs);
    free(l->req_ready);
    req_ring_free(&l->fills);
    free(l->done.at);
    free(l->acks.at);
    free(l->late.at);
    by_line_free(l);
    l1_code_free(&l->code);
    tags_free(&l->tags);
    mshr_free(&l->mshr);
    free(l);
}

void token_push(struct token_ring *r, uint32_t token)
{
    if (UNLIKELY(!r->at || r->tail - r->head > r->mask)) {
        uint32_t n = r->tail - r->head, cap = r->at ? (r->mask + 1) * 2 : 64;
        uint32_t *big = xcalloc(cap, sizeof *big);
        for (uint32_t i = 0; i < n; i++)
            big[i] = r->at[(r->head + i) & r->mask];
        free(r->at);
        *r = (struct token_ring){big, 0, n, cap - 1};
    }
    r->at[r->tail++ & r->mask] = token;
}

void late_push(struct l1 *l, cycle_t due, uint32_t token)
{
    struct late_ring *r = &l->late;
    l->engine_due = due < l->engine_due ? due : l->engine_due;
    if (r->len == r->cap) {
        struct late_hit *big = xcalloc(r->cap ? 2 * r->cap : 64, sizeof *big);
        for (uint32_t i = 0; i < r->len; i++)
            big[i] = r->at[(r->head + i) % r->cap];
        free(r->at);
        *r = (struct late_ring){big, 0, r->len, r->cap ? 2 * r->cap : 64};
    }
    r->at[(r->head + r->len++) % r->cap] = (struct late_hit){due, token};
}

/* What an engine has finished with. */
static void engines_finish(struct l1 *l, cycle_t now)
{
    struct late_ring *r = &l->late;
    while (req_ring_next(&l->fills) <= now)
        l1_fill_finish(l, now, req_ring_pop(&l->fills));
    for (; r->len && r->at[r->head].due <= now; r->len--) {
        token_push(&l->done, r->at[r->head].token);
        r->head = (r->head + 1) % r->cap;
    }
    const cycle_t fill = req_ring_next(&l->fills), hit = r->len ? r->at[r->head].due : CYCLE_NEVER;
    l->engine_due = fill < hit ? fill : hit;
}

static bool token_pop(struct token_ring *r, uint32_t *token)
{
    if (r->head == r->tail)
        return false;
    *token = r->at[r->head++ & r->mask];
    return true;
}

static struct l1_bank *bank_of(const struct l1 *l, addr_t addr)
{
    return &l->banks[(uint32_t)(addr >> l->line_shift) & (l->nbanks - 1)];
}

bool l1_can_accept(const struct l1 *l, cycle_t now, addr_t addr)
{
    const struct l1_bank *b = bank_of(l, addr);
    return b->len < l->bank_cap && b->last != now + 1;
}

void l1_submit(struct l1 *l, cycle_t now, const struct l1_access *a)
{
    struct l1_bank *b = bank_of(l, a->addr);
    assert_often(l1_can_accept(l, now, a->addr) && a->sectors && !(a->sectors & ~l->all));
    uint32_t at = b->head + b->len++;
    cycle_t due = now + (cycle_t)l->cfg.latency;
    b->ring[at < l->bank_cap ? at : at - l->bank_cap] = (struct l1_waiting){*a, due};
    b->last = now + 1;
    if (b->len == 1 && due < l->due)
        l->due = due;
}

void l1_submit_due(struct l1 *l, cycle_t now, const struct l1_access *a)
{
    struct l1_bank *b = bank_of(l, a->addr);
    assert(!b->len && !l->flushing);
    b->last = now - (cycle_t)l->cfg.latency + 1;
    if (l1_lookup(l, now, a))
        return;
    b->ring[b->head] = (struct l1_waiting){*a, now};
    b->len = 1;
    b->since = now;
    b->failing = b->blocked = true;
}

static void bank_step(struct l1 *l, struct l1_bank *b, cycle_t now)
{
    const struct l1_waiting *w = &b->ring[b->head];
    if (!b->len || b->blocked || w->due > now)
        return;
    if (!l1_lookup(l, now, &w->a)) {
        if (!b->failing)
            b->since = now;
        b->failing = b->blocked = true;
        return;
    }
    if (b->failing)
        l->stats.stall_cycles += now - b->since;
    b->failing = false;
    b->head = b->head + 1 < l->bank_cap ? b->head + 1 : 0;
    b->len--;
}

/* Invalidates lines until all are or the miss queue is full. */
static void flush_step(struct l1 *l, cycle_t now)
{
    uint32_t n = l->tags.sets * l->tags.ways;
    for (; l->flush_at < n; l->flush_at++) {
        uint32_t i = l->flush_at;
        if (!tags_in_use(&l->tags, i))
            continue;
        if (l->tags.lines[i].dirty && !l1_room(l))
            return;
        l1_evict(l, now, i);
        probe_fire(l->probe, now, L1_FLUSHED, i, 0);
        l->stats.flushed++;
    }
    l->flushing = l->has_lines = false;
}

static cycle_t next_lookup(const struct l1 *l, cycle_t now)
{
    cycle_t next = CYCLE_NEVER;
    if (l->flushing)
        return next; /* the next pop of a request goes on with it */
    for (uint32_t i = 0; i < l->nbanks; i++) {
        const struct l1_bank *b = &l->banks[i];
        if (b->len && !b->blocked && b->ring[b->head].due < next)
            next = b->ring[b->head].due;
    }
    return next > now ? next : now + 1;
}

void l1_unblock(struct l1 *l, cycle_t at)
{
    bool any = l->flushing;
    for (uint32_t i = 0; i < l->nbanks; i++) {
        any |= l->banks[i].blocked;
        l->banks[i].blocked = false;
    }
    if (any && at < l->due)
        l->due = at;
}

/* What a request asked for is there. */
static void fetch_arrive(struct l1 *l, const struct mem_req *r)
{
    const uint32_t e = r->token, slot = l->mshr.entries[e].slot;
    uint16_t valid = l->requests->valid(l->requests->self, r) & l->all;
    valid |= l->lines->arrive(l, slot, r, l->mshr.entries[e].pending);
    if (UNLIKELY(l->by_sector))
        valid = l1_line_admit(l, slot, valid);
    tags_fill(&l->tags, slot, valid);
    l->tags.lines[slot].reserved &= (uint16_t)~r->sectors;
    mshr_arrive(&l->mshr, e, r->sectors);
}

/* Whoever waits for nothing more goes on. */
static void fetch_done(struct l1 *l, cycle_t now, const struct mem_req *r)
{
    const uint32_t e = r->token, slot = l->mshr.entries[e].slot;
    const struct request_policy *rp = l->requests;
    struct tag_line *t = &l->tags.lines[slot];
    struct mshr_waiter w;
    while (mshr_pop(&l->mshr, e, &w))
        token_push(w.flags & L1_WAITER_WRITE ? &l->acks : &l->done, (uint32_t)w.token);
    if (!mshr_retire(&l->mshr, e)) {
        /* This one brought what others asked for: the line stays for them. */
        const uint16_t there = r->sectors & t->valid ? r->sectors & t->valid : r->sectors;
        if (!t->reserved)
            t->reserved = there & (uint16_t)-there;
        return;
    }
    t->reserved = 0;
    if (l->lives[slot].used)
        rp->settled(rp->self, l->tags.tag[slot], &l->lives[slot], now);
}

/* A request is answered: it goes back to the pool. */
static void answered(struct l1 *l, cycle_t now, struct mem_req *r)
{
    switch ((enum l1_what)r->what) {
    case L1_FETCH:
        fetch_done(l, now, r);
        break;
    case L1_DIRECT:
        token_push(&l->done, r->token);
        break;
    case L1_STORE:
        token_push(&l->acks, r->token);
        break;
    case L1_WRITE_BACK:
    case L1_RESTORE:
    case L1_OFFER:
        break;
    }
    l->stats.replies++;
    l->outstanding--;
    mem_req_put(l->pool, r);
}

void l1_fill_finish(struct l1 *l, cycle_t now, struct mem_req *reply)
{
    struct mem_req *next;
    for (const struct mem_req *r = reply; r; r = r->next) /* all, before anybody is woken */
        if (r->what == L1_FETCH)
            fetch_arrive(l, r);
    for (struct mem_req *r = reply; r; r = next) {
        next = r->next;
        answered(l, now, r);
    }
    l1_unblock(l, now);
}

void l1_tick(struct l1 *l, cycle_t now)
{
    if (UNLIKELY(now >= l->engine_due))
        engines_finish(l, now);
    if (!l1_code_idle(l) && l1_code_next(l, now) <= now)
        l1_code_tick(l, now);
    if (now < l->due)
        return;
    if (UNLIKELY(l->flushing))
        flush_step(l, now);
    if (!l->flushing)
        for (uint32_t i = 0; i < l->nbanks; i++)
            bank_step(l, &l->banks[i], now);
    l->due = next_lookup(l, now);
}

bool l1_has_done(const struct l1 *l)
{
    return l->done.head != l->done.tail;
}

bool l1_pop_done(struct l1 *l, cycle_t now, uint32_t *token)
{
    (void)now;
    return token_pop(&l->done, token);
}

bool l1_pop_ack(struct l1 *l, cycle_t now, uint32_t *token)
{
    (void)now;
    return token_pop(&l->acks, token);
}

struct mem_req *l1_peek_req(const struct l1 *l, cycle_t now)
{
    return l->req_len && l->req_ready[l->req_head] <= now ? l->reqs[l->req_head] : NULL;
}

struct mem_req *l1_pop_req(struct l1 *l, cycle_t now)
{
    struct mem_req *r = l1_peek_req(l, now);
    if (!r)
        return NULL;
    l->req_head = l->req_head + 1 < l->req_cap ? l->req_head + 1 : 0;
    l->req_len--;
    l1_unblock(l, now + 1);
    return r;
}

void l1_fill(struct l1 *l, cycle_t now, struct mem_req *reply)
{
    uint32_t engine = breach_above(l->breach, SEAM_sm_packets,
                                   l->packets->fill_latency(l->packets->self, reply, now),
                                   SEAM_CYCLES_MAX, "fill_latency() is more than SEAM_CYCLES_MAX");
    const uint32_t decoding = l->lines->fill(l, now, reply);
    if (decoding == L1_WAITS)
        return;
    engine += decoding;
    if (!engine) {
        l1_fill_finish(l, now, reply);
        return;
    }
    if (!req_ring_room(&l->fills)) {
        struct req_ring big;
        req_ring_init(&big, 2 * l->fills.cap);
        while (l->fills.len) {
            cycle_t due = req_ring_next(&l->fills);
            req_ring_push(&big, req_ring_pop(&l->fills), due, 0);
        }
        req_ring_free(&l->fills);
        l->fills = big;
    }
    req_ring_insert(&l->fills, reply, now + engine, 0);
    l->engine_due = now + engine < l->engine_due ? now + engine : l->engine_due;
}

void l1_use(struct l1 *l, uint64_t bytes)
{
    tags_use_sets(&l->tags, (uint32_t)(bytes / (uint64_t)(l->cfg.ways * l->cfg.line_bytes)));
}

void l1_flush(struct l1 *l, cycle_t now)
{
    assert(l1_idle(l));
    if (!l->cfg.flush || !l->has_lines)
        return;
    l->flushing = true;
    l->flush_at = 0;
    flush_step(l, now);
}

cycle_t l1_next(const struct l1 *l, cycle_t now)
{
    cycle_t next = l->due < l->engine_due ? l->due : l->engine_due;
    if (l->done.head != l->done.tail || l->acks.head != l->acks.tail)
        return now;
    if (l->req_len && l->req_ready[l->req_head] < next)
        next = l->req_ready[l->req_head] > now ? l->req_ready[l->req_head] : now;
    if (!l1_code_idle(l)) {
        cycle_t code = l1_code_next(l, now);
        next = code < next ? code : next;
    }
    return next;
}

bool l1_owes(const struct l1 *l)
{
    return l->req_len || l->code.leaving.first;
}

bool l1_idle(const struct l1 *l)
{
    for (uint32_t i = 0; i < l->nbanks; i++)
        if (l->banks[i].len)
            return false;
    return !l->outstanding && !l->flushing && !l->late.len && l1_code_idle(l) &&
           l->done.head == l->done.tail && l->acks.head == l->acks.tail;
}

uint32_t l1_mshrs_used(const struct l1 *l)
{
    return mshr_used(&l->mshr);
}

const struct l1_stats *l1_stats(const struct l1 *l)
{
    return &l->stats;
}

void l1_dump(const struct l1 *l, FILE *out)
{
    fprintf(out,
            "  %u of %u requests wait to leave, %" PRIu64 " without reply, %u of %u MSHRs, "
            "%u done, %u acks%s\n",
            l->req_len, l->req_cap, l->outstanding, mshr_used(&l->mshr), l->mshr.slots.n,
            l->done.tail - l->done.head, l->acks.tail - l->acks.head,
            l->flushing ? ", flushing" : "");
    for (uint32_t i = 0; i < l->nbanks; i++) {
        const struct l1_bank *b = &l->banks[i];
        if (b->len)
            fprintf(out, "  bank %u: %u accesses, oldest %#" PRIx64 " due at %" PRIu64 "%s\n", i,
                    b->len, b->ring[b->head].a.addr, b->ring[b->head].due,
                    b->failing ? ", cannot be served" : "");
    }
}
