/* What an SM's misses ask for, what they were, what becomes of the lines, and the decompressor. */
#include "tech/filter/filter_sm.h"

#include <stdlib.h>

#define ROWS_FILE   "tech/filter/filter_stats.def"
#define ROWS_STRUCT filter_stats
#include "parsim/rows_formulas.h"

const struct stat_row filter_stat_rows[] = {
#define ROWS_FILE   "tech/filter/filter_stats.def"
#define ROWS_STRUCT filter_stats
#include "parsim/rows_entries.h"
};
const size_t filter_nstat_rows = ARRAY_LEN(filter_stat_rows);

void filter_sm_init(struct filter_sm *s, const struct filter_cfg *cfg,
                    const struct filter_wire *wire, const struct tech_machine *m, uint32_t number)
{
    const struct engine_cfg decode = {filter_wire_decode_cycles(wire, cfg->decompress_cycles),
                                      cfg->interval};
    *s = (struct filter_sm){.cfg = cfg, .wire = wire, .m = m, .number = number};
    s->all = (uint16_t)((1u << (m->l1->line_bytes / m->l1->sector_bytes)) - 1);
    predict_init(&s->predictor, cfg,
                 (uint32_t)(m->l1->size / m->l1->line_bytes * (uint64_t)cfg->tags));
    s->seconds = xcalloc((size_t)m->l1->mshrs, sizeof *s->seconds);
    engine_init(&s->decode, &decode);
}

void filter_sm_free(struct filter_sm *s)
{
    free(s->seconds);
    replay_notes_free(&s->notes);
    predict_free(&s->predictor);
}

/* --- what a miss asks for --- */

static uint16_t predicted(const struct filter_sm *s, const struct line_view *v)
{
    const uint16_t known = s->replay ? replay_map(s->replay, s->number, v->line) : 0;
    return known ? known : predict_map(&s->predictor, v->line, v->access->load, v->need);
}

static enum rc_answer decide(const struct filter_sm *s, const struct line_view *v)
{
    const struct rc_line line = {s->all, v->need, v->valid, v->reserved, predicted(s, v)};
    return rc_decide(s->cfg, &s->windows, &line);
}

/* Only reads of global memory are cut; nobody needs a prefetch yet. */
static bool is_ours(const struct line_view *v)
{
    return v->access->space == MEM_GLOBAL && !v->access->is_prefetch;
}

static uint16_t ask(const void *self, const struct line_view *v)
{
    const struct filter_sm *s = self;
    if (!is_ours(v))
        return v->fetch;
    const enum rc_answer why = decide(s, v);
    if (why == RC_PREDICTED)
        return v->missing | (predicted(s, v) & v->fetch);
    const bool is_part =
        why == RC_PART || (why == RC_SUBSEQUENT && s->cfg->sub_ask == FILTER_SUB_NEED);
    return is_part ? v->missing : v->fetch;
}

/* --- what it was --- */

static struct filter_second *second_find(struct filter_sm *s, addr_t line)
{
    for (uint32_t i = 0; i < s->nseconds; i++)
        if (s->seconds[i].line == line)
            return &s->seconds[i];
    return NULL;
}

static void second_note(struct filter_sm *s, addr_t line, bool is_hi, cycle_t now)
{
    if (!second_find(s, line))
        s->seconds[s->nseconds++] = (struct filter_second){line, now, is_hi};
}

static void life_begins(struct filter_sm *s, const struct line_view *v)
{
    predict_begin(&s->predictor, v->line, v->access->load);
    if (s->replay)
        replay_begin(s->replay, s->number, v->line);
    if (s->records)
        replay_note_begin(&s->notes, v->line, v->need);
}

static void count_miss(struct filter_sm *s, const struct line_view *v, cycle_t now)
{
    struct filter_stats *st = &s->stats;
    if (!v->reserved && !v->valid) {
        st->fm++;
        life_begins(s, v);
        return;
    }
    const struct filter_second *before = second_find(s, v->line);
    st->after_hi += v->reserved && before && before->is_hi;
    ++*(v->reserved ? &st->sub : &st->hi);
    second_note(s, v->line, !v->reserved, now);
}

static void count_request(struct filter_sm *s, const struct line_view *v, uint16_t asked)
{
    struct filter_stats *st = &s->stats;
    uint64_t *const why[] = {[RC_PART] = &st->pdr,
                             [RC_ALL_NEEDED] = &st->fdr_need,
                             [RC_PREDICTED] = &st->predicted,
                             [RC_OFTEN_WHOLE] = &st->fdr_ratio,
                             [RC_SUBSEQUENT] = &st->fdr_sub,
                             [RC_INCONSISTENT] = &st->fdr_ica,
                             [RC_ALWAYS] = &st->fdr_full};
    uint64_t *const size[] = {&st->pdr_1, &st->pdr_2, &st->pdr_3, &st->pdr_4};
    const enum rc_answer answer = decide(s, v);
    ++*why[answer];
    if (answer == RC_PART)
        ++*size[mem_sector_count(asked) - 1];
}

/* What is asked for comes in two packets: nothing is added to the first. */
static bool is_split(const struct filter_sm *s, const struct line_view *v, uint16_t asked)
{
    return s->cfg->critical_first && is_ours(v) && (asked & ~v->need);
}

static uint8_t meta_of(const struct filter_sm *s, const struct line_view *v, uint16_t asked)
{
    const bool is_sure = is_ours(v) && rc_is_sure(s->cfg, &s->windows, mem_sector_count(v->need));
    const bool is_rest = asked == v->fetch || is_split(s, v, asked);
    return (uint8_t)((is_ours(v) ? v->need : asked) | (is_rest ? FILTER_META_REST : 0) |
                     (is_sure ? FILTER_META_SURE : 0));
}

static void sent(void *self, const struct line_view *v, uint16_t asked, cycle_t now)
{
    struct filter_sm *s = self;
    if (v->access->space != MEM_GLOBAL)
        return;
    s->meta = meta_of(s, v, asked);
    s->unsent = asked;
    s->stats.asked += mem_sector_count(asked);
    if (!is_ours(v)) {
        s->stats.prefetches++;
        return;
    }
    s->stats.split += is_split(s, v, asked);
    count_miss(s, v, now);
    count_request(s, v, asked);
}

/* --- what is learnt --- */

/* Into the window of lines of `n` sub-blocks. */
static void push_ica(struct filter_sm *s, uint32_t n, bool is_inconsistent)
{
    struct filter_stats *st = &s->stats;
    uint64_t *const pushes[] = {&st->ica_32_pushes, &st->ica_64_pushes, &st->ica_96_pushes,
                                &st->ica_128_pushes};
    uint64_t *const ones[] = {&st->ica_32_ones, &st->ica_64_ones, &st->ica_96_ones,
                              &st->ica_128_ones};
    rc_push_ica(s->cfg, &s->windows, n, is_inconsistent);
    ++*pushes[n - 1];
    *ones[n - 1] += is_inconsistent;
}

static void push_fdr(struct filter_sm *s, bool is_whole, cycle_t now)
{
    struct filter_stats *st = &s->stats;
    const bool was_locked = rc_is_locked(s->cfg, &s->windows);
    rc_push(s->cfg, &s->windows.fdr, is_whole);
    st->fdr_pushes++;
    st->fdr_ones += is_whole;
    const bool is_locked = rc_is_locked(s->cfg, &s->windows);
    st->locked += was_locked ? now - s->counted : 0;
    st->lock_in += is_locked && !was_locked;
    st->lock_out += was_locked && !is_locked;
    s->counted = now;
}

/* One look at a line's life, which is at its end or not. By first reads, a line that is consistent
 * so far says something if its requests have left something out. */
static void learn(struct filter_sm *s, const struct line_life *life, bool is_end, cycle_t now)
{
    const bool is_inconsistent = line_life_is_inconsistent(life);
    const uint16_t map = s->cfg->learn == FILTER_ASKED ? life->asked : life->used;
    const uint32_t n = mem_sector_count(map);
    if (s->cfg->windows == FILTER_BY_USED) {
        if (n >= 2)
            push_ica(s, n, is_inconsistent);
    } else if (is_end || is_inconsistent || life->asked != s->all) {
        push_ica(s, mem_sector_count(life->first), is_inconsistent);
    }
    push_fdr(s, map == s->all, now);
}

/* All that was asked for is here: the second request is shown on the timeline. */
static void second_end(struct filter_sm *s, addr_t line, cycle_t now)
{
    struct filter_second *second = second_find(s, line);
    if (!second)
        return;
    const struct tech_mark mark = {second->is_hi ? "hit-but-invalid" : "subsequent-miss", line,
                                   second->since, now};
    tech_api.mark(s->m, PER_SM, s->number, &mark);
    *second = s->seconds[--s->nseconds];
}

static void note_used(struct filter_sm *s, addr_t line, const struct line_life *life)
{
    if (s->records)
        replay_note_used(&s->notes, line, life->used);
}

static void settled(void *self, addr_t line, const struct line_life *life, cycle_t now)
{
    struct filter_sm *s = self;
    if (life->space != MEM_GLOBAL)
        return;
    if (s->nseconds)
        second_end(s, line, now);
    note_used(s, line, life);
    learn(s, life, false, now);
}

static void left(void *self, addr_t line, const struct line_life *life, cycle_t now)
{
    struct filter_sm *s = self;
    if (life->space != MEM_GLOBAL)
        return;
    predict_end(&s->predictor, line, life);
    note_used(s, line, life);
    s->stats.left_asked += mem_sector_count(life->asked);
    s->stats.left_unused += mem_sector_count(life->asked & (uint16_t)~life->used);
    learn(s, life, true, now);
}

struct request_policy filter_sm_requests(struct filter_sm *s)
{
    return (struct request_policy){.ask = ask,
                                   .sent = sent,
                                   .settled = settled,
                                   .left = left,
                                   .wakes_together = s->cfg->wake == FILTER_WAKE_ALL,
                                   .replaces = s->cfg->refill == FILTER_REPLACE,
                                   .splits = s->cfg->critical_first,
                                   .reads = &s->stats.map_reads,
                                   .self = s};
}

/* --- packets --- */

/* The requests of a miss follow sent(). */
static void request(void *self, struct mem_req *r, cycle_t now)
{
    struct filter_sm *s = self;
    (void)now;
    if (r->kind != MEM_READ || !(s->unsent & r->sectors))
        return;
    s->unsent &= (uint16_t)~r->sectors;
    r->meta = s->meta;
    if (s->cfg->critical_first && !(r->sectors & s->meta & FILTER_META_NEED))
        r->meta |= FILTER_META_LATER;
}

static uint32_t fill_latency(void *self, const struct mem_req *r, cycle_t now)
{
    struct filter_sm *s = self;
    const bool is_cut = filter_is_cut(r);
    if (r->kind != MEM_READ)
        return 0;
    s->stats.delivered += is_cut ? mem_sector_count(r->sectors) : 0;
    return r->wire_bytes < filter_wire_raw_bytes(s->wire, r, filter_sent_sectors(s->cfg, r))
               ? engine_use_counted(&s->decode, now, &s->stats.decoded, &s->stats.decode_waits)
               : 0;
}

struct packet_policy filter_sm_packets(struct filter_sm *s, bool asks)
{
    struct packet_policy p = {.fill_latency = fill_latency, .self = s};
    if (asks)
        p.request = request;
    return p;
}
