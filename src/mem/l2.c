/* The slice's cycle: take, fill, look up, execute, send. */
#include "mem/l2_int.h"

#include <inttypes.h>
#include <stdlib.h>

struct l2 *l2_new(const struct l2_cfg *cfg, const struct interleave *il,
                  const struct slice_seams *seams)
{
    struct l2 *l = xalloc_aligned(64, sizeof *l);
    assert(cfg->line_bytes <= (int64_t)1 << il->shift);
    l->cfg = *cfg;
    l->il = *il;
    l->packets = seams->l2_packets;
    l->capacity = seams->l2_capacity;
    l->breach = seams->breach;
    l->storage = seams->channel.storage;
    l->forms = seams->channel.forms;
    l->backs_end = &l->backs;
    l->again_end = &l->again;
    l->is_asked = l2_is_asked(l->packets);
    l->line_bytes = (uint32_t)cfg->line_bytes;
    l->port_bytes = (uint32_t)cfg->port_bytes;
    l->line_shift = (uint32_t)__builtin_ctz(l->line_bytes);
    l->sector_shift = (uint32_t)__builtin_ctzll((uint64_t)cfg->sector_bytes);
    req_ring_init(&l->in, (uint32_t)(cfg->latency * cfg->intake + cfg->queue));
    req_ring_init(&l->replies, (uint32_t)cfg->reply_queue);
    req_ring_init(&l->later, (uint32_t)cfg->reply_queue);
    req_ring_init(&l->alu, (uint32_t)cfg->reply_queue);
    req_ring_init(&l->memory, (uint32_t)cfg->memory_queue);
    l->all = (uint16_t)((1u << (l->line_bytes >> l->sector_shift)) - 1);
    uint64_t sets = cfg->size / (uint64_t)(cfg->ways * cfg->line_bytes);
    tags_init(&l->tags, (uint32_t)sets, (uint32_t)cfg->ways,
              (enum tags_replacement)cfg->replacement, (enum tags_index)cfg->index);
    if (l->capacity->tag_factor > 1)
        tags_stretch(&l->tags, l->capacity->tag_factor, l->line_bytes);
    l->victims = xcalloc(l->tags.ways, sizeof *l->victims);
    mshr_init(&l->mshr, (uint32_t)cfg->mshrs, (uint32_t)cfg->merges, 0);
    return l;
}

void l2_bind(struct l2 *l, struct port *from_noc, struct port *to_noc, struct port *to_mc,
             struct port *from_mc)
{
    l->from_noc = from_noc;
    l->to_noc = to_noc;
    l->to_mc = to_mc;
    l->from_mc = from_mc;
}

void l2_free(struct l2 *l)
{
    if (!l)
        return;
    req_ring_free(&l->in);
    req_ring_free(&l->replies);
    req_ring_free(&l->later);
    req_ring_free(&l->alu);
    req_ring_free(&l->memory);
    tags_free(&l->tags);
    free(l->victims);
    mshr_free(&l->mshr);
    mem_req_pool_free(&l->pool);
    free(l);
}

static void take(struct l2 *l, cycle_t now)
{
    struct mem_req *r;
    for (int64_t i = 0; i < l->cfg.intake && req_ring_room(&l->in); i++) {
        if (UNLIKELY(l->again)) {
            r = l2_take_again(l);
        } else {
            if (!(r = port_pop(l->from_noc, now)))
                return;
            mem_req_stamp(r, MEM_AT_L2_IN, now);
            if (UNLIKELY(l->is_asked) && l2_absorb(l, r, now))
                continue;
        }
        hist_add(&l->stats.occupancy, l->in.len);
        req_ring_push(&l->in, r, now + (cycle_t)l->cfg.latency, 0);
    }
}

static void waiter_serve(struct l2 *l, cycle_t now, struct mem_req *r, uint32_t slot,
                         const struct mem_req *fetch)
{
    mem_req_inherit(r, fetch);
    if (l2_answers_line(r))
        l2_answer_form(l, r);
    if (r->kind == MEM_ATOMIC && !r->refused)
        l2_execute_atomic(l, now, r, slot, l2_sectors_of(l, r));
    else
        l2_reply(l, now, now, r);
}

static void fetch_done(struct l2 *l, cycle_t now, const struct mem_req *fetch)
{
    uint32_t e = fetch->token, slot = l->mshr.entries[e].slot;
    uint32_t cycles = l2_port_cycles(l, fetch->wire_bytes);
    struct mshr_waiter w;
    tags_fill(&l->tags, slot, fetch->sectors);
    mshr_arrive(&l->mshr, e, fetch->sectors);
    while (mshr_pop(&l->mshr, e, &w))
        waiter_serve(l, now, (struct mem_req *)(uintptr_t)w.token, slot, fetch);
    mshr_retire(&l->mshr, e);
    l2_used(l, slot);
    l->fill_free = now + cycles;
    l->stats.fill_busy += cycles;
}

/* Is there room for the answers that `r`'s return sets off? */
static bool fill_fits(const struct l2 *l, const struct mem_req *r)
{
    if (r->what != L2_FETCH)
        return true;
    uint32_t n = l->mshr.entries[r->token].waiters;
    return req_ring_room(&l->replies) >= n && req_ring_room(&l->alu) >= n;
}
static void back_push(struct l2 *l, struct mem_req *back)
{
    back->next = NULL;
    *l->backs_end = back;
    l->backs_end = &back->next;
}

static struct mem_req *back_pop(struct l2 *l)
{
    struct mem_req *back = l->backs;
    l->backs = back->next;
    if (!l->backs)
        l->backs_end = &l->backs;
    return back;
}

static void fill(struct l2 *l, cycle_t now)
{
    struct mem_req *r;
    while ((r = port_peek(l->from_mc, now)) && fill_fits(l, r)) {
        if (r->what == L2_FETCH && l->fill_free > now)
            return;
        port_pop(l->from_mc, now);
        l->stats.memory_replies++;
        l->outstanding--;
        l->blocked = false;
        if (r->what == L2_FETCH)
            fetch_done(l, now, r);
        else if (r->what == L2_EVICT_FETCH)
            back_push(l, r->owner);
        mem_req_put(&l->pool, r);
    }
}

/* Statistics of waiting are counted when the request is tried, so that they do not depend on the
 * cycles in between in which the slice may sleep. */
static void look_up(struct l2 *l, cycle_t now)
{
    const struct req_slot *head = req_ring_head(&l->in);
    if (!head || head->due > now || l->blocked || l->data_free > now)
        return;
    cycle_t first = head->due > l->last ? head->due : l->last; /* could have been tried */
    l->stats.fail_port += !l->failing && l->data_free > first;
    if (!l2_lookup(l, now, head->req)) {
        l->failing = l->blocked = true;
        return;
    }
    l->stats.stall_cycles += now - first;
    l->failing = false;
    l->last = now + 1;
    req_ring_pop(&l->in);
}

static void send(struct l2 *l, cycle_t now)
{
    while (req_ring_next(&l->alu) <= now && req_ring_room(&l->replies)) {
        l2_reply(l, now, now, req_ring_pop(&l->alu));
        l->blocked = false;
    }
    struct req_ring *from = req_ring_next(&l->replies) <= now ? &l->replies : &l->later;
    l->noc_full = req_ring_next(from) <= now && !port_can_push(l->to_noc, now);
    if (req_ring_next(from) <= now && !l->noc_full) {
        struct mem_req *r = req_ring_pop(from);
        if (from == &l->replies) { /* what is behind another belongs to that one */
            hist_add(&l->stats.latency, now - r->at[MEM_AT_L2_IN]);
            l->stats.replies++;
        }
        l->blocked = false;
        port_push(l->to_noc, now, r);
    }
    while ((l->backs || l->memory.len) && port_can_push(l->to_mc, now)) {
        l->blocked = false;
        port_push(l->to_mc, now, l->backs ? back_pop(l) : req_ring_pop(&l->memory));
    }
}

static cycle_t sooner(cycle_t next, cycle_t at)
{
    return at < next ? at : next;
}

static cycle_t later(cycle_t a, cycle_t b)
{
    return a > b ? a : b;
}

/* Full ports wake the slice when they have room again. */
static cycle_t next_interest(const struct l2 *l, cycle_t now)
{
    cycle_t next = CYCLE_NEVER;
    const struct mem_req *back = port_peek(l->from_mc, now);
    if (req_ring_room(&l->in))
        next = UNLIKELY(l->again) ? now : port_next(l->from_noc);
    if (l->in.len && !l->blocked)
        next = sooner(next, later(req_ring_next(&l->in), l->data_free));
    if (!back)
        next = sooner(next, port_next(l->from_mc));
    else if (fill_fits(l, back))
        next = sooner(next, back->what == L2_FETCH ? l->fill_free : now);
    if (req_ring_room(&l->replies))
        next = sooner(next, req_ring_next(&l->alu));
    if (!l->noc_full)
        next = sooner(next, sooner(req_ring_next(&l->replies), req_ring_next(&l->later)));
    return later(next, now + 1);
}

cycle_t l2_tick(struct l2 *l, cycle_t now)
{
    take(l, now);
    fill(l, now);
    look_up(l, now);
    send(l, now);
    return next_interest(l, now);
}

static uint16_t dirty_after(const struct l2 *l, uint32_t i, enum l2_touch how)
{
    const uint16_t before = i != TAGS_NONE ? l->tags.lines[i].dirty : 0;
    return how == L2_COPIED ? 0 : how == L2_WRITTEN ? l->all : before;
}

static bool touch_line(struct l2 *l, addr_t line, enum l2_touch how)
{
    uint32_t set = l2_set_of(l, line), i = tags_find(&l->tags, set, line);
    const bool is_new = i == TAGS_NONE;
    if (!is_new && l->tags.lines[i].reserved) /* its answer finds it as it is */
        return false;
    const uint16_t dirty = dirty_after(l, i, how);
    const struct line_form form = l->forms->look(l->forms->self, line, i != TAGS_NONE, MEM_READ);
    if (!l2_room_find(l, line, set, i, &form))
        return is_new;
    for (uint32_t k = 0; k < l->nvictims; k++)
        tags_invalidate(&l->tags, l->victims[k]);
    i = l2_room_take(l, line, set, i);
    l->forms->enter(l->forms->self, line, LINE_COPIED);
    tags_fill(&l->tags, i, l->all);
    l->tags.lines[i].dirty = dirty;
    return is_new;
}

uint32_t l2_touch(struct l2 *l, addr_t addr, uint64_t bytes, enum l2_touch how)
{
    uint32_t n = 0;
    for (addr_t line = addr & ~(addr_t)(l->line_bytes - 1); line < addr + bytes;
         line += l->line_bytes)
        n += touch_line(l, line, how);
    return n;
}

void l2_flush(struct l2 *l)
{
    assert(l2_idle(l));
    for (uint32_t i = 0; i < l->tags.sets * l->tags.ways; i++)
        tags_invalidate(&l->tags, i);
}

bool l2_idle(const struct l2 *l)
{
    return !l->in.len && !l->replies.len && !l->later.len && !l->alu.len && !l->outstanding &&
           !l->absorbed && !l->again;
}

const struct l2_stats *l2_stats(const struct l2 *l)
{
    return &l->stats;
}

void l2_dump(const struct l2 *l, FILE *out)
{
    fprintf(out,
            "  %u of %u before the lookup, %u replies wait (%u of low priority), %u atomics, %u of "
            "%u MSHRs, %" PRIu64 " in memory (%u not sent)\n",
            l->in.len, l->in.cap, l->replies.len + l->later.len, l->later.len, l->alu.len,
            mshr_used(&l->mshr), l->mshr.slots.n, l->outstanding, l->memory.len);
    if (l->absorbed)
        fprintf(out,
                "  %" PRIu64 " requests absorbed by the technique at seam l2_packets and not given "
                "back\n",
                l->absorbed);
    const struct req_slot *head = req_ring_head(&l->in);
    if (head)
        fprintf(out, "  oldest: %#" PRIx64 " from node %u due at %" PRIu64 "%s\n", head->req->addr,
                head->req->src, head->due, l->failing ? ", cannot be served" : "");
}

static cycle_t component_tick(void *self, cycle_t now)
{
    return l2_tick(self, now);
}

static void component_dump(const void *self, FILE *out)
{
    l2_dump(self, out);
}

const struct component_ops l2_component_ops = {component_tick, component_dump};
