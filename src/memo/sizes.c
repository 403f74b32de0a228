/* A table of each size, beside one another. */
#include "memo/sizes.h"

const struct stat_row memo_size_stat_rows[] = {
#define ROWS_FILE   "memo/memo_size_stats.def"
#define ROWS_STRUCT memo_size_stats
#include "parsim/rows_entries.h"
};
const size_t memo_size_nstat_rows = ARRAY_LEN(memo_size_stat_rows);

void memo_sizes_init(struct memo_sizes *s, unsigned set_bytes, unsigned ways)
{
    for (unsigned k = 0; k < MEMO_SIZES; k++)
        lut_init(&s->tables[k], (MEMO_SIZES_LEAST << k) / set_bytes, ways);
}

void memo_sizes_free(struct memo_sizes *s)
{
    for (unsigned k = 0; k < MEMO_SIZES; k++)
        lut_free(&s->tables[k]);
}

void memo_sizes_lookup(struct memo_sizes *s, unsigned id, uint64_t hash)
{
    uint64_t *hits = (uint64_t *)&s->stats;
    for (unsigned k = 0; k < MEMO_SIZES; k++) {
        struct lut *t = &s->tables[k];
        struct lut_entry *e = lut_find(t, id, hash);
        hits[k] += e != NULL;
        if (!e) {
            e = lut_victim(t, hash);
            *e = (struct lut_entry){.hash = hash, .id = (uint8_t)id};
        }
        lut_touch(t, e);
    }
}

void memo_sizes_drop(struct memo_sizes *s, unsigned id)
{
    for (unsigned k = 0; k < MEMO_SIZES; k++)
        lut_drop(&s->tables[k], id);
}
