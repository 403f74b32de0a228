/* How much of a line of the L1 data cache is read until it leaves. */
#include "gpu/observe_int.h"

#include "mem/l1.h"

enum { SECTOR_WORDS = 8, MOST_SECTORS = 8 };

#define ROWS_FILE   "gpu/observe_l1.def"
#define ROWS_STRUCT l1_usage_stats
#include "parsim/rows_formulas.h"

const struct stat_row l1_usage_rows[] = {
#define ROWS_FILE   "gpu/observe_l1.def"
#define ROWS_STRUCT l1_usage_stats
#include "parsim/rows_entries.h"
};
const size_t l1_usage_nrows = ARRAY_LEN(l1_usage_rows);

static uint8_t sectors_of(uint64_t words)
{
    unsigned set = 0;
    for (unsigned i = 0; i < MOST_SECTORS; i++)
        set |= (words >> i * SECTOR_WORDS & 0xff ? 1u : 0) << i;
    return (uint8_t)set;
}

static void line_read(struct l1_usage *u, struct l1_seen_line *b, uint64_t words, bool is_local)
{
    const uint8_t asked = sectors_of(words);
    if (!b->words) {
        b->first = asked;
        b->is_local = is_local;
    }
    u->stats.reads += !b->is_local;
    b->is_ica |= (asked & ~b->first) != 0;
    b->words |= words;
}

static void count_pattern(struct l1_usage_stats *st, unsigned sectors, bool is_ica)
{
    uint64_t *const ca[] = {&st->ca_32, &st->ca_64, &st->ca_96, &st->ca_128};
    uint64_t *const ica[] = {NULL, &st->ica_64, &st->ica_96, &st->ica_128};
    const unsigned at = sectors < 4 ? sectors - 1 : 3;
    ++*(is_ica ? ica : ca)[at];
}

static void count_line(struct l1_usage_stats *st, const struct l1_seen_line *b, uint32_t line_words,
                       uint32_t event)
{
    const unsigned used = (unsigned)__builtin_popcount(sectors_of(b->words));
    st->blocks++;
    ++*(event == L1_REPLACED        ? &st->replaced
        : event == L1_WRITE_EVICTED ? &st->written
                                    : &st->flushed);
    st->words_used += (unsigned)__builtin_popcountll(b->words);
    st->words += line_words;
    st->sub_blocks_used += used;
    st->sub_blocks += (line_words + SECTOR_WORDS - 1) / SECTOR_WORDS;
    count_pattern(st, used, b->is_ica);
}

static void line_left(struct l1_usage *u, struct l1_seen_line *b, uint32_t event)
{
    if (!b->words) {
        u->stats.unread++;
        return;
    }
    if (b->is_local)
        u->stats.local++;
    else
        count_line(&u->stats, b, u->line_words, event);
    if (!b->is_local && event != L1_FLUSHED)
        count_line(&u->evicted, b, u->line_words, event);
    *b = (struct l1_seen_line){0};
}

static void fired(void *ctx, cycle_t now, uint32_t event, uint64_t place, uint64_t words)
{
    struct l1_usage *u = ctx;
    (void)now;
    if (event <= L1_READ_LOCAL)
        line_read(u, &u->lines[place], words, event == L1_READ_LOCAL);
    else
        line_left(u, &u->lines[place], event);
}

void l1_usage_init(struct l1_usage *u, uint32_t lines, uint32_t line_bytes)
{
    *u = (struct l1_usage){.probe = {fired, u, NULL},
                           .lines = xcalloc(lines, sizeof *u->lines),
                           .line_words = line_bytes / 4};
}
