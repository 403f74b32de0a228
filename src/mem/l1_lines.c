/* What an L1 does with lines by how they come and lie: plain, or encoded and decoded when they
 * come, decoded for every use, or cut out of. */
#include "mem/l1_int.h"

void l1_lines_fit(struct l1 *l, uint32_t i)
{
    if (LIKELY(!l->by_sector))
        l1_line_fit(l, i, l1_line_bytes(l, l->tags.tag[i], &l->forms[i]));
}

/* --- plain --- */

static bool plain_yield(struct l1 *l, cycle_t now, addr_t line)
{
    (void)l, (void)now, (void)line;
    return true;
}

static bool plain_store(struct l1 *l, cycle_t now, struct mem_req *r)
{
    (void)l, (void)now, (void)r;
    return false;
}

static bool plain_join(struct l1 *l, cycle_t now, const struct l1_access *a, bool is_here)
{
    (void)l, (void)now, (void)a, (void)is_here;
    return false;
}

static uint32_t plain_hit(struct l1 *l, cycle_t now, uint32_t i, const struct l1_access *a)
{
    (void)a;
    return breach_above(l->breach, SEAM_l1_capacity,
                        l->capacity->hit_latency(l->capacity->self, tags_bytes(&l->tags, i), now),
                        SEAM_CYCLES_MAX, "hit_latency() is more than SEAM_CYCLES_MAX");
}

static uint32_t plain_fill(struct l1 *l, cycle_t now, struct mem_req *reply)
{
    (void)now;
    if (UNLIKELY(reply->form.bytes || reply->refused))
        breach_note(
            l->breach, SEAM_forms,
            "a line has come encoded, and the L1 takes none (seam encodings: ENCODED_NONE)");
    return 0;
}

static uint16_t plain_arrive(struct l1 *l, uint32_t i, const struct mem_req *reply,
                             uint16_t pending)
{
    (void)l, (void)i, (void)reply, (void)pending;
    return 0;
}

/* --- decoded when they come --- */

/* A refused write or atomic goes on with the line that it brings. */
static uint32_t coded_fill(struct l1 *l, cycle_t now, struct mem_req *reply)
{
    l->stats.coded_fills += reply->form.bytes != 0;
    if (reply->form.bytes && l1_code_fill(l, now, reply))
        return L1_WAITS;
    if (UNLIKELY(reply->form.reads) && !reply->form.bytes && reply->kind == MEM_READ &&
        reply->form.reads == l->code.cfg.encode_reads && reply->sectors == l->all)
        l1_code_offer(l, now, reply->addr & l->line_mask);
    if (!reply->refused)
        return 0;
    l1_code_retry(l, now, reply);
    return L1_WAITS;
}

/* All of a line that comes encoded is there; what others fetch of it is still waited for. */
static uint16_t coded_arrive(struct l1 *l, uint32_t i, const struct mem_req *reply,
                             uint16_t pending)
{
    (void)i;
    return reply->form.bytes ? l->all & (uint16_t)~pending : 0;
}

/* --- kept encoded --- */

static uint16_t kept_arrive(struct l1 *l, uint32_t i, const struct mem_req *reply, uint16_t pending)
{
    l->forms[i] = reply->form;
    l1_lines_fit(l, i);
    return coded_arrive(l, i, reply, pending);
}

static uint32_t kept_hit(struct l1 *l, cycle_t now, uint32_t i, const struct l1_access *a)
{
    if (!l->forms[i].bytes)
        return plain_hit(l, now, i, a);
    l->stats.coded_hits++;
    return l1_code_hit(l, now, i, a) ? L1_WAITS : 0;
}

/* --- cut out of --- */

static uint32_t direct_hit(struct l1 *l, cycle_t now, uint32_t i, const struct l1_access *a)
{
    if (!l->forms[i].bytes)
        return plain_hit(l, now, i, a);
    l->stats.coded_hits++;
    return l->code.cfg.direct_latency;
}

static uint32_t direct_fill(struct l1 *l, cycle_t now, struct mem_req *reply)
{
    if (reply->refused || !reply->form.bytes)
        return coded_fill(l, now, reply);
    l->stats.coded_fills++;
    return l->code.cfg.direct_latency;
}

static const struct l1_lines plain = {plain_yield, plain_store, plain_join,
                                      plain_hit,   plain_fill,  plain_arrive};
static const struct l1_lines decoded = {l1_code_yield, l1_code_store, l1_code_join,
                                        plain_hit,     coded_fill,    coded_arrive};
static const struct l1_lines kept = {l1_code_yield, l1_code_store, l1_code_join,
                                     kept_hit,      coded_fill,    kept_arrive};
static const struct l1_lines direct = {l1_code_yield, l1_code_store, l1_code_join,
                                       direct_hit,    direct_fill,   kept_arrive};

const struct l1_lines *const l1_lines_by_mode[] = {[ENCODED_NONE] = &plain,
                                                   [ENCODED_DECODED] = &decoded,
                                                   [ENCODED_KEPT] = &kept,
                                                   [ENCODED_DIRECT] = &direct};
