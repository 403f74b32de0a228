/* What an access does when its latency is over: by kind, and for writes by policy. */
#include "mem/l1_int.h"

/* The line an access is in, and where. */
struct place {
    addr_t line;
    uint32_t set;
    uint32_t index; /* TAGS_NONE: not there */
    uint16_t valid, reserved;
};

static struct place place_find(const struct l1 *l, const struct l1_access *a)
{
    struct place p = {.line = a->addr & l->line_mask};
    p.set = tags_set(&l->tags, p.line >> l->line_shift);
    p.index = tags_find(&l->tags, p.set, p.line);
    if (p.index != TAGS_NONE) {
        p.valid = l->tags.lines[p.index].valid;
        p.reserved = l->tags.lines[p.index].reserved;
    }
    return p;
}

struct mem_req *l1_request_new(struct l1 *l, cycle_t now, addr_t line, uint16_t sectors,
                               enum l1_what what)
{
    struct mem_req *r = mem_req_get(l->pool);
    r->addr = line + ((addr_t)__builtin_ctz(sectors) << l->sector_shift);
    r->bytes = mem_sector_count(sectors) << l->sector_shift;
    r->sectors = sectors;
    r->full = l->all;
    r->src = l->node;
    r->what = (uint8_t)what;
    mem_req_stamp(r, MEM_AT_BORN, now);
    r->owner = l;
    return r;
}

void l1_request_send(struct l1 *l, cycle_t now, struct mem_req *r)
{
    const struct packet_policy *pp = l->packets;
    assert_often(l->req_len < l->req_cap && !r->next);
    pp->request(pp->self, r, now);
    r->wire_bytes =
        breach_above(l->breach, SEAM_sm_packets,
                     pp->wire_bytes(pp->self, r, false, r->kind == MEM_READ ? 0 : r->bytes),
                     SEAM_PACKET_MAX, "wire_bytes() is more than SEAM_PACKET_MAX");
    uint32_t at = l->req_head + l->req_len++;
    at = at < l->req_cap ? at : at - l->req_cap;
    l->reqs[at] = r;
    l->req_ready[at] =
        now + breach_above(l->breach, SEAM_sm_packets, pp->send_latency(pp->self, r, now),
                           SEAM_CYCLES_MAX, "send_latency() is more than SEAM_CYCLES_MAX");
    l->outstanding++;
}

/* Sends `r`; a write of a whole line may wait to be encoded first. */
static void write_send(struct l1 *l, cycle_t now, struct mem_req *r)
{
    bool is_whole = r->kind == MEM_WRITE && r->full == l->all && r->space == MEM_GLOBAL;
    if (!is_whole || !l->lines->store(l, now, r))
        l1_request_send(l, now, r);
}

/* Sends the access itself to memory. */
static void access_send(struct l1 *l, cycle_t now, const struct l1_access *a, addr_t line)
{
    bool store = a->kind == MEM_WRITE;
    struct mem_req *r = l1_request_new(l, now, line, a->sectors, store ? L1_STORE : L1_DIRECT);
    r->kind = a->kind;
    r->space = a->space;
    r->token = a->token;
    r->slot = a->slot;
    if (a->kind != MEM_READ) {
        r->full = a->full;
        r->bytes = a->bytes;
    }
    if (store) {
        l->stats.requests_write++;
    } else {
        l->stats.requests_read++;
        l->stats.sectors_asked += mem_sector_count(a->sectors);
    }
    write_send(l, now, r);
}

void l1_evict(struct l1 *l, cycle_t now, uint32_t i)
{
    const struct tag_line *t = &l->tags.lines[i];
    if (t->dirty) {
        struct mem_req *r = l1_request_new(l, now, l->tags.tag[i], t->dirty, L1_WRITE_BACK);
        bool global_back = l->cfg.write_global >= L1_BACK;
        r->kind = MEM_WRITE;
        r->space = global_back ? MEM_GLOBAL : MEM_LOCAL;
        r->full = t->dirty;
        l->stats.requests_back++;
        write_send(l, now, r);
    }
    tags_invalidate(&l->tags, i);
    l->stats.prefetch_unused += l->ahead[i];
    l->ahead[i] = false;
}

static bool fail(uint64_t *counter)
{
    ++*counter;
    return false;
}

/* Requests that writing line `i` back takes. */
static uint32_t dirty_requests(const struct l1 *l, uint32_t i)
{
    return i != TAGS_NONE && l->tags.lines[i].dirty ? 1 : 0;
}

/* Line `i` leaves for another one or because of a write: who counts and who watches is told. */
static void give_way(struct l1 *l, cycle_t now, uint32_t i, enum l1_event why)
{
    const addr_t line = l->tags.tag[i];
    l1_evict(l, now, i);
    if (l->lives[i].used)
        l->requests->left(l->requests->self, line, &l->lives[i], now);
    probe_fire(l->probe, now, why, i, 0);
}

/* A line that is there and not on its way gives way to a write that goes past it. */
static void invalidate_for_write(struct l1 *l, cycle_t now, const struct place *p)
{
    if (p->index == TAGS_NONE || p->reserved)
        return;
    give_way(l, now, p->index, L1_WRITE_EVICTED);
    l->stats.write_evictions++;
}

static bool bypass(struct l1 *l, cycle_t now, const struct l1_access *a)
{
    struct place p = place_find(l, a);
    if (!l->lines->yield(l, now, p.line))
        return fail(&l->stats.fail_queue);
    bool writes = a->kind != MEM_READ;
    if (l1_room(l) < 1 + (writes ? dirty_requests(l, p.index) : 0))
        return fail(&l->stats.fail_queue);
    if (writes)
        invalidate_for_write(l, now, &p);
    access_send(l, now, a, p.line);
    l->stats.bypasses++;
    return true;
}

uint32_t l1_line_bytes(struct l1 *l, addr_t line, const struct line_form *form)
{
    if (UNLIKELY(l->by_sector))
        return (uint32_t)l->cfg.line_bytes;
    const uint32_t bytes = l->capacity->line_bytes(l->capacity->self, line, form);
    if (LIKELY(bytes <= (uint32_t)l->cfg.line_bytes))
        return bytes;
    breach_note(l->breach, SEAM_l1_capacity, "line_bytes() is more than a line's bytes");
    return (uint32_t)l->cfg.line_bytes;
}

void l1_line_fit(struct l1 *l, uint32_t i, uint32_t bytes)
{
    tags_resize(&l->tags, i, bytes);
    l->capacity->placed(l->capacity->self, l->tags.tag[i], bytes);
}

uint16_t l1_line_admit(struct l1 *l, uint32_t i, uint16_t sectors)
{
    const struct tag_line *t = &l->tags.lines[i];
    const uint16_t more = sectors & (uint16_t) ~(t->valid | t->reserved);
    const uint32_t bytes = tags_bytes(&l->tags, i) + (mem_sector_count(more) << l->sector_shift);
    if (!more || bytes > (uint32_t)l->cfg.line_bytes) /* a line that takes all of its place */
        return sectors;
    if (tags_free_bytes(&l->tags, i) < bytes - tags_bytes(&l->tags, i))
        return sectors & (uint16_t)~more;
    l1_line_fit(l, i, bytes);
    return sectors;
}

/* The lines that go so that the line of `p` fits, which takes so many bytes, into l->victims. */
static bool way_find(struct l1 *l, const struct place *p, uint32_t bytes)
{
    l->need = bytes;
    l->nvictims = tags_victims(&l->tags, p->set, p->index, bytes, l->victims);
    return l->nvictims != TAGS_NONE || fail(&l->stats.fail_way);
}

/* Requests that writing those lines back takes. */
static uint32_t victim_requests(const struct l1 *l)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->nvictims; i++)
        n += dirty_requests(l, l->victims[i]);
    return n;
}

/* They go; the line of `p`, which is new, gets its place, or one that is here what it needs. */
static void allocate(struct l1 *l, cycle_t now, struct place *p)
{
    for (uint32_t i = 0; i < l->nvictims; i++) {
        give_way(l, now, l->victims[i], L1_REPLACED);
        l->stats.evictions++;
    }
    if (p->index != TAGS_NONE) {
        l1_line_fit(l, p->index, l->need);
        return;
    }
    p->index = tags_place(&l->tags, p->set, l->victims);
    tags_allocate(&l->tags, p->index, p->line);
    l->has_lines = true;
    l->forms[p->index] = (struct line_form){0};
    l->lives[p->index] = (struct line_life){0};
    l1_line_fit(l, p->index, l->need);
}

/* The line of `p`, if it is here, has been written. */
static void written(struct l1 *l, const struct place *p)
{
    if (p->index == TAGS_NONE)
        return;
    l->forms[p->index] = (struct line_form){0};
    l1_lines_fit(l, p->index);
}

/* Those of `sectors` that the next request for them asks for. */
static uint16_t next_part(const struct l1 *l, const struct l1_access *a, uint16_t sectors)
{
    const uint32_t most = l->cfg.request_sectors ? (uint32_t)l->cfg.request_sectors : 16;
    if (UNLIKELY(l->splits) && (sectors & a->sectors))
        sectors &= a->sectors;
    uint16_t rest = sectors;
    for (uint32_t i = 0; i < most && rest; i++)
        rest &= (uint16_t)(rest - 1);
    return sectors & (uint16_t)~rest;
}

/* Requests that asking for `sectors` takes. */
static uint32_t parts_of(const struct l1 *l, const struct l1_access *a, uint16_t sectors)
{
    uint32_t n = 0;
    for (; sectors; n++)
        sectors &= (uint16_t)~next_part(l, a, sectors);
    return n;
}

static void fetch_send(struct l1 *l, cycle_t now, const struct l1_access *a, uint32_t entry,
                       uint16_t sectors)
{
    l->stats.sectors_asked += mem_sector_count(sectors);
    while (sectors) {
        const uint16_t part = next_part(l, a, sectors);
        struct mem_req *r = l1_request_new(l, now, l->mshr.entries[entry].line, part, L1_FETCH);
        r->space = a->space;
        r->token = entry;
        l->stats.requests_read++;
        mshr_ask(&l->mshr, entry, r->sectors);
        l1_request_send(l, now, r);
        sectors &= (uint16_t)~part;
    }
}

/* What an access that misses wants. */
struct want {
    uint16_t await;   /* what it waits for, and */
    uint16_t missing; /* that nobody has asked for */
    uint16_t fetch;   /* what comes with that */
    uint16_t keep;    /* what is there, and stays */
    uint16_t flags;   /* of the waiter */
};

static struct line_view view_of(const struct l1_access *a, const struct place *p,
                                const struct want *w)
{
    return (struct line_view){.access = a,
                              .line = p->line,
                              .need = a->sectors,
                              .valid = p->valid,
                              .reserved = p->reserved & (uint16_t)~p->valid,
                              .missing = w->missing,
                              .fetch = w->fetch};
}

/* The line of `p` has its place and, from now on, a register in which the access waits. */
static uint32_t miss_enter(struct l1 *l, const struct l1_access *a, const struct place *p,
                           const struct want *w, uint32_t entry)
{
    if (entry == MSHR_NONE)
        entry = mshr_add(&l->mshr, p->line, p->index);
    tags_touch(&l->tags, p->index);
    if (!(w->flags & L1_WAITER_NONE))
        mshr_merge(&l->mshr, entry, l1_waiter(a), w->await, w->flags);
    return entry;
}

/* A register in which the access can wait: that of its line, or MSHR_NONE for a new one. */
static bool register_find(struct l1 *l, const struct place *p, const struct want *w,
                          uint32_t *entry)
{
    *entry = p->reserved ? mshr_find(&l->mshr, p->line) : MSHR_NONE;
    if (*entry == MSHR_NONE)
        return !mshr_full(&l->mshr) || fail(&l->stats.fail_mshr);
    return (w->flags & L1_WAITER_NONE) || mshr_can_merge(&l->mshr, *entry) ||
           fail(&l->stats.fail_merge);
}

/* What the line of `p` takes when `ask` is asked for: one that was written, all of its place. */
static uint32_t bytes_with(struct l1 *l, const struct l1_access *a, const struct place *p,
                           const struct want *w, uint16_t ask)
{
    if (LIKELY(!l->by_sector) || a->space != MEM_GLOBAL || a->kind != MEM_READ ||
        dirty_requests(l, p->index))
        return l1_line_bytes(l, p->line, NULL);
    return mem_sector_count(w->keep | p->reserved | ask) << l->sector_shift;
}

/* Waits for what `w` says, asking for what nobody asked for. The line gets a way if it has none. */
static bool miss(struct l1 *l, cycle_t now, const struct l1_access *a, struct place *p,
                 const struct want *w)
{
    const bool needs_room = p->index == TAGS_NONE || l->by_sector;
    uint32_t entry;
    if (!l->lines->yield(l, now, p->line))
        return fail(&l->stats.fail_queue);
    if (!register_find(l, p, w, &entry))
        return false;
    if (!w->missing) {
        miss_enter(l, a, p, w, entry);
        return true;
    }
    const struct request_policy *rp = l->requests;
    const struct line_view view = view_of(a, p, w);
    uint16_t ask = rp->ask(rp->self, &view) & l->all;
    if (UNLIKELY(!(ask & w->missing))) {
        breach_note(l->breach, SEAM_requests,
                    "ask() names no sector of line_view.missing, so that the miss would wait for "
                    "ever");
        ask |= w->missing;
    }
    if (needs_room && !way_find(l, p, bytes_with(l, a, p, w, ask)))
        return false;
    if (l1_room(l) < parts_of(l, a, ask) + (needs_room ? victim_requests(l) : 0))
        return fail(&l->stats.fail_queue);
    if (needs_room)
        allocate(l, now, p);
    entry = miss_enter(l, a, p, w, entry);
    l->tags.lines[p->index].reserved |= ask;
    l->lives[p->index].asked |= ask;
    rp->sent(rp->self, &view, ask, now);
    fetch_send(l, now, a, entry, ask);
    return true;
}

static void hit(struct l1 *l, cycle_t now, const struct place *p, const struct l1_access *a)
{
    const uint32_t engine = l->lines->hit(l, now, p->index, a);
    if (!engine)
        token_push(&l->done, a->token);
    else if (engine != L1_WAITS)
        late_push(l, now + engine, a->token);
}

/* Of what a read or a prefetch needs: `there` counts as being here. */
static struct want want_of(const struct l1 *l, const struct place *p, const struct l1_access *a,
                           uint16_t there)
{
    struct want w = {.await = a->sectors & (uint16_t)~there, .keep = there};
    w.missing = w.await & (uint16_t)~p->reserved;
    w.fetch = l->cfg.sectored ? w.missing : l->all & (uint16_t) ~(there | p->reserved);
    return w;
}

/* Nobody waits for it, so it never fails. */
static void prefetch(struct l1 *l, cycle_t now, const struct l1_access *a)
{
    struct l1_stats *st = &l->stats;
    struct place p = place_find(l, a);
    const bool is_new = p.index == TAGS_NONE;
    struct want w = want_of(l, &p, a, p.valid);
    w.flags = L1_WAITER_NONE;
    st->prefetches++;
    if (!w.missing) {
        st->prefetch_hits++;
    } else if (l->cfg.enabled && miss(l, now, a, &p, &w)) {
        st->prefetch_fetches++;
        l->ahead[p.index] |= is_new;
    } else {
        st->prefetch_drops++;
    }
}

/* The first read of a line that a prefetch has fetched. */
static void note_ahead(struct l1 *l, uint32_t index, bool is_there)
{
    if (LIKELY(!l->ahead[index]))
        return;
    l->ahead[index] = false;
    ++*(is_there ? &l->stats.prefetch_useful : &l->stats.prefetch_late);
}

/* The line's life has another read. */
static void note_read(struct l1 *l, uint32_t index, const struct l1_access *a)
{
    struct line_life *life = &l->lives[index];
    if (!life->used) {
        life->first = a->sectors;
        life->space = a->space;
    }
    life->used |= a->sectors;
}

/* The policy makes a line with sectors on their way wait for all of them. */
static bool waits_for_all(const struct l1 *l, const struct l1_access *a)
{
    return UNLIKELY(l->wakes_together) && a->space == MEM_GLOBAL;
}

/* The policy has a line that is here in part filled anew. */
static bool is_replaced(const struct l1 *l, const struct l1_access *a, const struct place *p)
{
    return UNLIKELY(l->replaces) && a->space == MEM_GLOBAL && p->index != TAGS_NONE &&
           !p->reserved && !l->tags.lines[p->index].dirty;
}

static bool read_miss(struct l1 *l, cycle_t now, const struct l1_access *a, struct place *p)
{
    struct l1_stats *st = &l->stats;
    const bool anew = is_replaced(l, a, p);
    struct want w = want_of(l, p, a, anew ? 0 : p->valid);
    uint64_t *outcome = p->index == TAGS_NONE ? &st->read_misses
                        : w.missing           ? &st->read_sector_misses
                                              : &st->read_merges;
    if (waits_for_all(l, a))
        w.await = UINT16_MAX;
    if (!miss(l, now, a, p, &w))
        return false;
    if (anew)
        l->tags.lines[p->index].valid = 0;
    ++*outcome;
    note_ahead(l, p->index, false);
    if (outcome == &st->read_misses)
        probe_fire(l->miss_probe, now, 0, p->line, a->token);
    return true;
}

static bool read(struct l1 *l, cycle_t now, const struct l1_access *a)
{
    struct place p = place_find(l, a);
    const bool is_coming = p.reserved & ~p.valid;
    if (!(a->sectors & ~p.valid) && !(is_coming && waits_for_all(l, a))) {
        note_ahead(l, p.index, true);
        tags_touch(&l->tags, p.index);
        hit(l, now, &p, a);
        l->stats.read_hits++;
    } else if (!read_miss(l, now, a, &p)) {
        return false;
    }
    note_read(l, p.index, a);
    probe_fire(l->probe, now, a->space == MEM_LOCAL ? L1_READ_LOCAL : L1_READ, p.index, a->words);
    l->stats.reads++;
    ++*l->reads;
    return true;
}

/* All of the line is here, as it is used. */
static bool is_whole(const struct l1 *l, const struct place *p)
{
    return p->index != TAGS_NONE && p->valid == l->all && !p->reserved && !l->forms[p->index].bytes;
}

static bool write_through(struct l1 *l, cycle_t now, const struct l1_access *a,
                          const struct place *p, bool evict)
{
    if (a->space == MEM_GLOBAL && l->lines->join(l, now, a, is_whole(l, p))) {
        if (p->index != TAGS_NONE)
            tags_touch(&l->tags, p->index);
        return true;
    }
    if (!l->lines->yield(l, now, p->line))
        return fail(&l->stats.fail_queue);
    if (l1_room(l) < 1 + (evict ? dirty_requests(l, p->index) : 0))
        return fail(&l->stats.fail_queue);
    if (evict)
        invalidate_for_write(l, now, p);
    else if (p->index != TAGS_NONE)
        tags_touch(&l->tags, p->index);
    if (!evict)
        written(l, p);
    access_send(l, now, a, p->line);
    return true;
}

/* The line takes the write; sectors written in part that are not there are fetched first. */
static bool write_back(struct l1 *l, cycle_t now, const struct l1_access *a, struct place *p)
{
    uint16_t lacking = a->sectors & (uint16_t) ~(p->valid | a->full);
    if (lacking) {
        struct want w = {.await = lacking, .keep = p->valid, .flags = L1_WAITER_WRITE};
        w.missing = w.fetch = lacking & (uint16_t)~p->reserved;
        if (!l->cfg.sectored)
            w.fetch = l->all & (uint16_t) ~(p->valid | p->reserved | a->full);
        if (!miss(l, now, a, p, &w))
            return false;
    } else {
        if (p->index == TAGS_NONE || l->by_sector) {
            if (!way_find(l, p, l1_line_bytes(l, p->line, NULL)))
                return false;
            if (l1_room(l) < victim_requests(l))
                return fail(&l->stats.fail_queue);
            allocate(l, now, p);
        }
        tags_touch(&l->tags, p->index);
        token_push(&l->acks, a->token);
    }
    tags_write(&l->tags, p->index, a->sectors, a->full);
    written(l, p);
    return true;
}

static bool write(struct l1 *l, cycle_t now, const struct l1_access *a)
{
    struct place p = place_find(l, a);
    bool hit = p.index != TAGS_NONE, served;
    switch ((enum l1_write)(a->space == MEM_LOCAL ? l->cfg.write_local : l->cfg.write_global)) {
    case L1_THROUGH_EVICT:
        served = write_through(l, now, a, &p, true);
        break;
    case L1_THROUGH_UPDATE:
        served = write_through(l, now, a, &p, false);
        break;
    case L1_BACK:
        served = write_back(l, now, a, &p);
        break;
    default:
        served = hit && !(a->sectors & ~(p.valid | a->full)) ? write_back(l, now, a, &p)
                                                             : write_through(l, now, a, &p, false);
    }
    if (served) {
        l->stats.writes++;
        ++*(hit ? &l->stats.write_hits : &l->stats.write_misses);
    }
    return served;
}

bool l1_lookup(struct l1 *l, cycle_t now, const struct l1_access *a)
{
    bool served = true;
    if (a->is_prefetch)
        prefetch(l, now, a);
    else if (a->bypass || a->kind == MEM_ATOMIC || !l->cfg.enabled)
        served = bypass(l, now, a);
    else
        served = a->kind == MEM_WRITE ? write(l, now, a) : read(l, now, a);
    l->stats.accesses += served;
    return served;
}

/* The line is there, as if it had been read; what it takes the place of is gone, also if memory
 * does not have it yet: nothing can leave while time stands still. */
static void enter_read(struct l1 *l, struct place *p)
{
    const uint32_t bytes = l1_line_bytes(l, p->line, NULL);
    const uint32_t n = tags_victims(&l->tags, p->set, p->index, bytes, l->victims);
    if (n == TAGS_NONE)
        return;
    for (uint32_t i = 0; i < n; i++)
        tags_invalidate(&l->tags, l->victims[i]);
    p->index = tags_place(&l->tags, p->set, l->victims);
    tags_allocate(&l->tags, p->index, p->line);
    tags_fill(&l->tags, p->index, l->all);
    l->has_lines = true;
    l->forms[p->index] = (struct line_form){0};
    l->lives[p->index] = (struct line_life){0};
    l->ahead[p->index] = false;
    l1_line_fit(l, p->index, bytes);
}

bool l1_touch(struct l1 *l, addr_t addr, bool is_write)
{
    struct place p = place_find(l, &(struct l1_access){.addr = addr});
    const bool is_here = p.index != TAGS_NONE;
    if (p.reserved) /* its answer finds it as it is */
        return false;
    if (is_here && is_write && l->cfg.write_global == L1_THROUGH_EVICT)
        tags_invalidate(&l->tags, p.index);
    else if (is_here)
        tags_touch(&l->tags, p.index);
    else if (!is_write)
        enter_read(l, &p);
    return !is_here;
}

bool l1_has(const struct l1 *l, addr_t addr)
{
    return place_find(l, &(struct l1_access){.addr = addr}).index != TAGS_NONE;
}
