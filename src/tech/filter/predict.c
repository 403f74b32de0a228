/* A table of maps, the newest of each kind, found by a hash that may fall together with another's.
 */
#include "tech/filter/predict.h"

#include <stdlib.h>

void predict_init(struct predictor *p, const struct filter_cfg *c, uint32_t lines)
{
    *p = (struct predictor){.by = (enum filter_predict)c->predict};
    if (p->by == FILTER_PREDICT_NONE)
        return;
    p->entries = (uint32_t)c->predict_entries;
    p->nlines = 2 * lines + 1;
    p->region_shift = (uint32_t)__builtin_ctzll((uint64_t)c->predict_region);
    p->maps = xcalloc(p->entries, sizeof *p->maps);
    p->lines = xcalloc(p->nlines, sizeof *p->lines);
}

void predict_free(struct predictor *p)
{
    free(p->maps);
    free(p->lines);
}

static uint32_t hash(uint64_t key, uint32_t n)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15) >> 32) % n);
}

static uint8_t *entry(const struct predictor *p, addr_t line, uint16_t load, uint16_t need)
{
    const uint64_t kind = p->by == FILTER_PREDICT_LOAD ? load : line >> p->region_shift;
    return &p->maps[hash(kind << 4 | need, p->entries)];
}

uint16_t predict_map(const struct predictor *p, addr_t line, uint16_t load, uint16_t need)
{
    return p->maps ? *entry(p, line, load, need) : 0;
}

static struct predict_line *place(const struct predictor *p, addr_t line)
{
    return &p->lines[hash(line, p->nlines)];
}

void predict_begin(struct predictor *p, addr_t line, uint16_t load)
{
    if (p->maps)
        *place(p, line) = (struct predict_line){line, load, true};
}

void predict_end(struct predictor *p, addr_t line, const struct line_life *life)
{
    if (!p->maps)
        return;
    struct predict_line *l = place(p, line);
    if (l->is_known && l->line == line)
        *entry(p, line, l->load, life->first) = (uint8_t)life->used;
    l->is_known = false;
}
