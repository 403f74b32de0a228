/* Thresholds are passed strictly, and a window counts as full from the start. */
#include "tech/filter/rc.h"

static bool is_over(const struct filter_cfg *c, uint64_t window, int64_t percent)
{
    return 100 * (int64_t)__builtin_popcountll(window) > percent * c->window;
}

bool rc_is_sure(const struct filter_cfg *c, const struct rc_windows *w, uint32_t sub_blocks)
{
    return c->windows == FILTER_BY_FIRST && c->sure_run && w->run[sub_blocks] >= c->sure_run;
}

bool rc_is_locked(const struct filter_cfg *c, const struct rc_windows *w)
{
    return is_over(c, w->fdr, c->fdr_percent);
}

/* Whether lines like this one are read inconsistently. By their first reads, one that is here in
 * part is known to be. */
static bool is_inconsistent(const struct filter_cfg *c, const struct rc_windows *w,
                            const struct rc_line *l)
{
    const bool by_first = c->windows == FILTER_BY_FIRST;
    const uint32_t size = mem_sector_count(l->valid | l->need);
    if (by_first && l->valid)
        return true;
    return (by_first || size >= 2) && is_over(c, w->ica[size], c->ica_percent);
}

enum rc_answer rc_decide(const struct filter_cfg *c, const struct rc_windows *w,
                         const struct rc_line *l)
{
    if (c->ideal || c->decide == FILTER_FULL)
        return RC_ALWAYS;
    if (l->need == l->all)
        return RC_ALL_NEEDED;
    if (c->decide == FILTER_NEED)
        return RC_PART;
    if (l->predicted && !l->valid && !l->pending)
        return RC_PREDICTED;
    if (rc_is_locked(c, w))
        return RC_OFTEN_WHOLE;
    if (l->pending)
        return RC_SUBSEQUENT;
    return is_inconsistent(c, w, l) ? RC_INCONSISTENT : RC_PART;
}

void rc_push(const struct filter_cfg *c, uint64_t *window, bool entry)
{
    const uint64_t mask = c->window < 64 ? (UINT64_C(1) << c->window) - 1 : UINT64_MAX;
    *window = (*window << 1 | entry) & mask;
}

void rc_push_ica(const struct filter_cfg *c, struct rc_windows *w, uint32_t sub_blocks, bool entry)
{
    rc_push(c, &w->ica[sub_blocks], entry);
    uint16_t *run = &w->run[sub_blocks];
    *run = entry ? 0 : (uint16_t)(*run + (*run < UINT16_MAX));
}
