/* What a slice lets its packet policy do: absorb reads that come, and give them back with the
 * answer to another, which may bring more than it was asked for. Only what the slice holds travels:
 * a read that is given back and asks for more is looked up. */
#include "mem/l2_int.h"
#include "mem/packets.h"

/* --- from within answer() --- */

bool packet_widen(struct mem_req *r, uint16_t more)
{
    if (r->node != MEM_NODE_ANSWERS || r->kind != MEM_READ || (more & ~(r->full | r->sectors)))
        return false;
    mem_req_widen(r, more);
    return true;
}

/* Lines are of at most 16 sectors, the same in the asker's cache: where sector 0 lies is the line.
 */
static addr_t asked_line(const struct mem_req *r)
{
    const uint32_t sector_bytes = r->bytes / mem_sector_count(r->sectors);
    return r->addr - (addr_t)__builtin_ctz(r->sectors) * sector_bytes;
}

static bool give_back(struct mem_req *r, struct mem_req *rider, enum mem_node how)
{
    if (r->node != MEM_NODE_ANSWERS || rider->node != MEM_NODE_ABSORBED || r->kind != MEM_READ ||
        r->owner != rider->owner || asked_line(r) != asked_line(rider))
        return false;
    rider->node = (uint8_t)how;
    mem_req_ride(r, rider);
    return true;
}

bool packet_ride(struct mem_req *r, struct mem_req *rider)
{
    return give_back(r, rider, MEM_NODE_NONE);
}

bool packet_follow(struct mem_req *r, struct mem_req *rider)
{
    return give_back(r, rider, MEM_NODE_FOLLOWS);
}

/* --- the slice --- */

bool l2_is_asked(const struct packet_policy *p)
{
    return p->arrive != packet_policy_null.arrive || p->answer != packet_policy_null.answer;
}

bool l2_absorb(struct l2 *l, struct mem_req *r, cycle_t now)
{
    if (!l->packets->arrive(l->packets->self, r, now))
        return false;
    if (r->kind != MEM_READ) {
        breach_note(l->breach, SEAM_l2_packets,
                    "arrive() absorbs %s, and reads alone can come back with an answer",
                    r->kind == MEM_WRITE ? "a write" : "an atomic");
        return false;
    }
    r->node = MEM_NODE_ABSORBED;
    l->absorbed++;
    return true;
}

/* Sectors of the asker's line that are here; r->full: all of it. */
static uint16_t held(const struct l2 *l, const struct mem_req *r)
{
    const addr_t line = r->addr & ~(addr_t)(l->line_bytes - 1);
    const uint32_t i = tags_find(&l->tags, l2_set_of(l, line), line);
    const uint32_t at = (uint32_t)(r->addr - line) >> l->sector_shift;
    const uint32_t first = at - (uint32_t)__builtin_ctz(r->sectors);
    return i == TAGS_NONE ? 0 : r->full & (uint16_t)(l->tags.lines[i].valid >> first);
}

static void look_up_again(struct l2 *l, struct mem_req *r)
{
    r->next = NULL;
    *l->again_end = r;
    l->again_end = &r->next;
}

struct mem_req *l2_take_again(struct l2 *l)
{
    struct mem_req *r = l->again;
    l->again = r->next;
    if (!l->again)
        l->again_end = &l->again;
    r->next = NULL;
    return r;
}

/* Riders that are to have answers of their own, as far as there is room for these; what others ask
 * for comes with `r`. */
static struct mem_req *part_followers(struct l2 *l, struct mem_req *r)
{
    struct mem_req *followers = NULL, **end = &followers;
    uint32_t room = req_ring_room(&l->later);
    for (struct mem_req **at = &r->next; *at;) {
        struct mem_req *rider = *at;
        const bool follows =
            rider->node == MEM_NODE_FOLLOWS && !r->form.bytes && !(rider->sectors & ~r->full);
        if (!follows || !room) {
            rider->node = MEM_NODE_NONE;
            if (follows)
                mem_req_widen(r, rider->sectors);
            at = &rider->next;
            continue;
        }
        room--;
        l->absorbed--;
        *at = rider->next;
        rider->next = NULL;
        *end = rider;
        end = &rider->next;
    }
    return followers;
}

void l2_follow(struct l2 *l, cycle_t now, struct mem_req *followers)
{
    l->followed = 0;
    for (struct mem_req *r = followers, *next; r; r = next) {
        next = r->next;
        r->next = NULL;
        req_ring_push(&l->later, r, l2_make_packet(l, now, r), 0);
        r->node = MEM_NODE_NONE;
        l->followed += r->wire_bytes;
    }
}

/* Riders that ask for what the answer does not bring leave it. */
static void part_riders(struct l2 *l, struct mem_req *r)
{
    const uint16_t brings = r->form.bytes ? UINT16_MAX : r->sectors;
    for (struct mem_req **at = &r->next; *at;) {
        struct mem_req *rider = *at;
        l->absorbed--;
        if (!(rider->sectors & ~brings)) {
            at = &rider->next;
            continue;
        }
        *at = rider->next;
        rider->form = (struct line_form){0};
        look_up_again(l, rider);
    }
}

struct mem_req *l2_ask_answer(struct l2 *l, cycle_t now, cycle_t there, struct mem_req *r)
{
    struct mem_req *followers = NULL;
    const struct packet_policy *pp = l->packets;
    if (r->kind == MEM_READ)
        r->full = held(l, r);
    r->queue = (uint16_t)(l->replies.len + port_taken(l->to_noc, now, port_head(l->to_noc)));
    r->node = MEM_NODE_ANSWERS;
    pp->answer(pp->self, r, there);
    r->node = MEM_NODE_NONE;
    if (r->next) {
        followers = part_followers(l, r);
        part_riders(l, r);
    }
    return followers;
}
