/* What a request does at its lookup. */
#include "mem/l2_int.h"

struct place {
    addr_t line;
    uint32_t set;
    uint32_t index; /* TAGS_NONE: not there */
    uint16_t valid, reserved;
    uint16_t sectors, full; /* the request's, in this cache's line */
    struct line_form form;
};

uint32_t l2_set_of(const struct l2 *l, addr_t line)
{
    return tags_set(&l->tags, interleave_locate(&l->il, line).in_slice >> l->line_shift);
}

/* How line `i` lies here. */
static struct line_form form_at(const struct l2 *l, uint32_t i)
{
    return l->forms->look(l->forms->self, l->tags.tag[i], true, MEM_READ);
}

void l2_answer_form(struct l2 *l, struct mem_req *r)
{
    const addr_t line = r->addr & ~(addr_t)(l->line_bytes - 1);
    r->form = l->forms->look(l->forms->self, line, true, MEM_READ);
    if (LIKELY(!r->form.bytes))
        return;
    l->stats.coded_answers++;
    if (UNLIKELY(r->form.bytes > l->line_bytes))
        breach_note(l->breach, SEAM_forms,
                    "look() gives an encoding that is larger than a line (%u): %u", l->line_bytes,
                    r->form.bytes);
}

void l2_used(struct l2 *l, uint32_t index)
{
    l->forms->read(l->forms->self, l->tags.tag[index], l->tags.lines[index].dirty != 0);
}

static void part_changed(struct l2 *l, uint32_t index)
{
    if (l->forms->change(l->forms->self, l->tags.tag[index]))
        tags_write(&l->tags, index, l->all, l->all);
}

static struct place place_find(const struct l2 *l, const struct mem_req *r)
{
    struct place p = {.line = r->addr & ~(addr_t)(l->line_bytes - 1)};
    p.sectors = l2_sectors_of(l, r);
    p.full = mem_req_sectors_in(r, r->full, l->line_bytes, l->sector_shift);
    if (!l->cfg.sectored && p.full != l->all)
        p.full = 0;
    p.set = l2_set_of(l, p.line);
    p.index = tags_find(&l->tags, p.set, p.line);
    if (p.index != TAGS_NONE) {
        p.valid = l->tags.lines[p.index].valid;
        p.reserved = l->tags.lines[p.index].reserved;
    }
    p.form = l->forms->look(l->forms->self, p.line, p.index != TAGS_NONE, r->kind);
    return p;
}

/* What lies here and nobody can use gives way to the raw line that memory has, too. */
static struct place place_usable(struct l2 *l, const struct mem_req *r)
{
    const struct place p = place_find(l, r);
    if (LIKELY(p.index == TAGS_NONE || !p.form.bytes) || p.reserved ||
        l->tags.lines[p.index].dirty || !l->forms->is_stale(l->forms->self, p.line))
        return p;
    tags_invalidate(&l->tags, p.index);
    return place_find(l, r);
}

static bool fail(uint64_t *counter)
{
    ++*counter;
    return false;
}

static struct mem_req *request_new(struct l2 *l, cycle_t now, addr_t line, uint16_t sectors,
                                   enum mem_kind kind, enum l2_what what)
{
    struct mem_req *r = mem_req_get(&l->pool);
    r->addr = line + ((addr_t)__builtin_ctz(sectors) << l->sector_shift);
    r->bytes = mem_sector_count(sectors) << l->sector_shift;
    r->wire_bytes = r->bytes;
    r->sectors = sectors;
    r->kind = (uint8_t)kind;
    r->what = (uint8_t)what;
    mem_req_stamp(r, MEM_AT_BORN, now);
    l->outstanding++;
    return r;
}

/* Writes the dirty sectors of line `i` back; takes one place in the memory queue. */
static void evict(struct l2 *l, cycle_t now, uint32_t i)
{
    const struct tag_line *t = &l->tags.lines[i];
    l->stats.evictions++;
    if (!t->dirty)
        return;
    bool whole = l->storage->write_whole(l->storage->self, l->tags.tag[i]);
    uint16_t sectors = whole && t->valid == l->all ? l->all : t->dirty;
    struct mem_req *back = request_new(l, now, l->tags.tag[i], sectors, MEM_WRITE, L2_WRITE_BACK);
    back->full = sectors & (uint16_t)~t->partial;
    back->form = form_at(l, i);
    l->stats.write_backs++;
    l->stats.written_sectors += mem_sector_count(sectors);
    if (t->partial && !l->cfg.masked_writes && !whole) {
        struct mem_req *fetch =
            request_new(l, now, l->tags.tag[i], t->partial, MEM_READ, L2_EVICT_FETCH);
        fetch->owner = back;
        back->full = back->sectors;
        l->stats.evict_fetches++;
        back = fetch;
    }
    req_ring_push(&l->memory, back, now, 0);
}

static uint32_t line_bytes(struct l2 *l, addr_t line, const struct line_form *form)
{
    const uint32_t bytes = l->capacity->line_bytes(l->capacity->self, line, form);
    if (LIKELY(bytes <= l->line_bytes))
        return bytes;
    breach_note(l->breach, SEAM_l2_capacity, "line_bytes() is more than a line's bytes");
    return l->line_bytes;
}

static void line_fit(struct l2 *l, uint32_t index, uint32_t bytes)
{
    tags_resize(&l->tags, index, bytes);
    l->capacity->placed(l->capacity->self, l->tags.tag[index], bytes);
}

bool l2_room_find(struct l2 *l, addr_t line, uint32_t set, uint32_t index,
                  const struct line_form *form)
{
    l->need = line_bytes(l, line, form);
    l->nvictims = tags_victims(&l->tags, set, index, l->need, l->victims);
    return l->nvictims != TAGS_NONE;
}

uint32_t l2_room_take(struct l2 *l, addr_t line, uint32_t set, uint32_t index)
{
    if (index == TAGS_NONE) {
        index = tags_place(&l->tags, set, l->victims);
        tags_allocate(&l->tags, index, line);
    } else {
        tags_touch(&l->tags, index);
    }
    line_fit(l, index, l->need);
    return index;
}

/* Whether there is room for the line of `p`, and in the memory queue for what gives way to it and
 * `more` requests. */
static bool way_find(struct l2 *l, const struct place *p, uint32_t more)
{
    if (!l2_room_find(l, p->line, p->set, p->index, &p->form))
        return fail(&l->stats.fail_way);
    for (uint32_t i = 0; i < l->nvictims; i++)
        more += l->tags.lines[l->victims[i]].dirty != 0;
    return !more || (!l->backs && req_ring_room(&l->memory) >= more) || fail(&l->stats.fail_memory);
}

static void way_take(struct l2 *l, cycle_t now, struct place *p, enum mem_kind kind)
{
    for (uint32_t i = 0; i < l->nvictims; i++) {
        evict(l, now, l->victims[i]);
        tags_invalidate(&l->tags, l->victims[i]);
    }
    if (p->index == TAGS_NONE)
        l->forms->enter(l->forms->self, p->line, kind == MEM_READ ? LINE_READ : LINE_CHANGED);
    p->index = l2_room_take(l, p->line, p->set, p->index);
}

/* Memory moves so many sectors at once: what lies beside a missing one comes with it. */
static uint16_t with_neighbours(const struct l2 *l, uint16_t missing, uint16_t valid)
{
    const unsigned n = (unsigned)l->cfg.fetch_sectors;
    uint16_t all = missing;
    for (unsigned s = 0; n > 1 && s < 16; s += n) {
        const uint16_t group = (uint16_t)(((1u << n) - 1) << s);
        if (missing & group)
            all |= group;
    }
    return all & (uint16_t) ~(valid & ~missing) & l->all;
}

/* `r` waits for the sectors `missing`; those nobody asked for are asked for, in one request. */
static bool miss(struct l2 *l, cycle_t now, struct mem_req *r, struct place *p, uint16_t missing)
{
    struct l2_stats *st = &l->stats;
    uint16_t ask = with_neighbours(l, missing, p->valid) & (uint16_t)~p->reserved;
    uint32_t entry = p->reserved ? mshr_find(&l->mshr, p->line) : MSHR_NONE;
    if (entry != MSHR_NONE) {
        if (!mshr_can_merge(&l->mshr, entry))
            return fail(&st->fail_merge);
    } else if (mshr_full(&l->mshr)) {
        return fail(&st->fail_mshr);
    }
    if (!way_find(l, p, ask != 0))
        return false;
    way_take(l, now, p, r->kind);
    if (entry == MSHR_NONE)
        entry = mshr_add(&l->mshr, p->line, p->index);
    mshr_merge(&l->mshr, entry, (uint64_t)(uintptr_t)r, missing, 0);
    if (!ask)
        return true;
    mshr_ask(&l->mshr, entry, ask);
    l->tags.lines[p->index].reserved |= ask;
    struct mem_req *fetch = request_new(l, now, p->line, ask, MEM_READ, L2_FETCH);
    fetch->token = entry;
    fetch->space = r->space;
    fetch->form = p->form;
    st->fetches++;
    st->fetched_sectors += mem_sector_count(ask);
    req_ring_push(&l->memory, fetch, now, 0);
    return true;
}

cycle_t l2_make_packet(struct l2 *l, cycle_t now, struct mem_req *r)
{
    const struct packet_policy *pp = l->packets;
    uint32_t payload = r->refused             ? l->line_bytes
                       : r->kind == MEM_WRITE ? 0
                                              : mem_sector_count(r->sectors) << l->sector_shift;
    cycle_t due = now;
    if (payload)
        due += breach_above(l->breach, SEAM_storage, l->storage->l2_latency(l->storage->self, r),
                            SEAM_CYCLES_MAX, "l2_latency() is more than SEAM_CYCLES_MAX");
    r->wire_bytes =
        breach_above(l->breach, SEAM_l2_packets, pp->wire_bytes(pp->self, r, true, payload),
                     SEAM_PACKET_MAX, "wire_bytes() is more than SEAM_PACKET_MAX");
    return due + breach_above(l->breach, SEAM_l2_packets, pp->send_latency(pp->self, r, now),
                              SEAM_CYCLES_MAX, "send_latency() is more than SEAM_CYCLES_MAX");
}

void l2_reply(struct l2 *l, cycle_t now, cycle_t there, struct mem_req *r)
{
    struct mem_req *followers = UNLIKELY(l->is_asked) ? l2_ask_answer(l, now, there, r) : NULL;
    req_ring_push(&l->replies, r, l2_make_packet(l, there, r), 0);
    if (UNLIKELY(l->is_asked))
        l2_follow(l, there, followers);
}

void l2_execute_atomic(struct l2 *l, cycle_t now, struct mem_req *r, uint32_t index,
                       uint16_t sectors)
{
    const uint32_t parts = l->cfg.sectored ? mem_sector_count(sectors) : 1;
    uint64_t busy = parts * (uint64_t)l->cfg.atomic_cycles;
    l->alu_free = (l->alu_free > now ? l->alu_free : now) + busy;
    l->stats.atomic_busy += busy;
    part_changed(l, index);
    tags_write(&l->tags, index, sectors, 0);
    req_ring_push(&l->alu, r, l->alu_free, 0);
}

static void data_port_use(struct l2 *l, cycle_t now, uint32_t bytes)
{
    uint32_t cycles = l2_port_cycles(l, bytes);
    l->data_free = now + cycles;
    l->stats.data_busy += cycles;
}

/* The four outcomes of a read, an atomic or a refusal, as counters in a row. */
struct outcomes {
    uint64_t *hits, *merges, *sector_misses, *misses;
};

/* Code that was there before the kernel began. */
static bool answer_code(struct l2 *l, cycle_t now, struct mem_req *r)
{
    if (!req_ring_room(&l->replies))
        return fail(&l->stats.fail_reply);
    l2_reply(l, now, now, r);
    data_port_use(l, now, r->wire_bytes);
    l->stats.read_hits++;
    return true;
}

static bool read_or_atomic(struct l2 *l, cycle_t now, struct mem_req *r, struct place *p,
                           const struct outcomes *o)
{
    uint16_t needed = p->form.bytes ? l->all : p->sectors, missing = needed & (uint16_t)~p->valid;
    if (UNLIKELY(r->space == MEM_INST) && l->cfg.holds_code)
        return answer_code(l, now, r);
    if (missing) {
        uint64_t *outcome = p->index == TAGS_NONE      ? o->misses
                            : (missing & ~p->reserved) ? o->sector_misses
                                                       : o->merges;
        if (!miss(l, now, r, p, missing))
            return false;
        ++*outcome;
        return true;
    }
    bool atomic = !l2_answers_line(r);
    if (!req_ring_room(atomic ? &l->alu : &l->replies))
        return fail(&l->stats.fail_reply);
    tags_touch(&l->tags, p->index);
    const uint32_t bytes = tags_bytes(&l->tags, p->index);
    const cycle_t there =
        now + breach_above(l->breach, SEAM_l2_capacity,
                           l->capacity->hit_latency(l->capacity->self, bytes, now), SEAM_CYCLES_MAX,
                           "hit_latency() is more than SEAM_CYCLES_MAX");
    if (atomic) {
        l2_execute_atomic(l, there, r, p->index, p->sectors);
    } else {
        l2_answer_form(l, r);
        l2_reply(l, now, there, r);
        l2_used(l, p->index);
    }
    data_port_use(l, now,
                  atomic ? mem_sector_count(p->sectors) << l->sector_shift
                         : r->wire_bytes + l->followed);
    ++*o->hits;
    return true;
}

/* The write `r` has been taken. */
static void take_form(struct l2 *l, struct mem_req *r, const struct place *p)
{
    if (p->full != l->all) {
        part_changed(l, p->index);
        return;
    }
    const struct line_form f = r->form;
    l->forms->store(l->forms->self, p->line, f);
    if (f.bytes != p->form.bytes)
        line_fit(l, p->index, line_bytes(l, p->line, &f));
    r->form = (struct line_form){0}; /* the answer brings nothing */
}

/* Nobody here can change a part of an encoded line. */
static bool is_refused(const struct l2 *l, const struct mem_req *r, const struct place *p)
{
    return p->form.bytes && (r->kind == MEM_ATOMIC || (r->kind == MEM_WRITE && p->full != l->all));
}

/* The sectors that a write fetches at once. */
static uint16_t write_fetches(const struct l2 *l, const struct place *p)
{
    const uint16_t missing = p->sectors & (uint16_t)~p->valid;
    switch ((enum l2_partial)l->cfg.partial) {
    case L2_PARTIAL_FETCH:
        return missing & (uint16_t)~p->full;
    case L2_PARTIAL_ALWAYS:
        return missing;
    default:
        return 0;
    }
}

static bool write(struct l2 *l, cycle_t now, struct mem_req *r, struct place *p)
{
    bool hit = p->index != TAGS_NONE;
    uint16_t lacking = p->sectors & (uint16_t) ~(p->valid | p->full);
    const uint16_t fetched = write_fetches(l, p);
    const uint32_t bytes = r->wire_bytes; /* before it becomes its own answer */
    if (!req_ring_room(&l->replies))
        return fail(&l->stats.fail_reply);
    if (fetched) {
        if (!miss(l, now, r, p, fetched))
            return false;
    } else {
        if (!way_find(l, p, 0))
            return false;
        way_take(l, now, p, r->kind);
        l2_reply(l, now, now, r);
    }
    take_form(l, r, p);
    tags_write(&l->tags, p->index, p->sectors, p->full & (uint16_t)~fetched);
    data_port_use(l, now, bytes);
    l->stats.write_partial_sectors += mem_sector_count(lacking);
    ++*(hit ? &l->stats.write_hits : &l->stats.write_misses);
    return true;
}

bool l2_lookup(struct l2 *l, cycle_t now, struct mem_req *r)
{
    struct l2_stats *st = &l->stats;
    const struct outcomes reads = {&st->read_hits, &st->read_merges, &st->read_sector_misses,
                                   &st->read_misses};
    const struct outcomes atomics = {&st->atomic_hits, &st->atomic_merges,
                                     &st->atomic_sector_misses, &st->atomic_misses};
    const struct outcomes refusals = {&st->refused_hits, &st->refused_misses, &st->refused_misses,
                                      &st->refused_misses};
    bool served;
    uint64_t *kind;
    struct place p = place_usable(l, r);
    r->refused = is_refused(l, r, &p);
    if (r->refused) {
        served = read_or_atomic(l, now, r, &p, &refusals);
        st->requests += served;
        st->refused += served;
        return served;
    }
    switch ((enum mem_kind)r->kind) {
    case MEM_READ:
        served = read_or_atomic(l, now, r, &p, &reads);
        kind = &st->reads;
        break;
    case MEM_ATOMIC:
        served = read_or_atomic(l, now, r, &p, &atomics);
        kind = &st->atomics;
        break;
    default:
        served = write(l, now, r, &p);
        kind = &st->writes;
    }
    st->requests += served;
    *kind += served;
    return served;
}
