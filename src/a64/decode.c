/* Rows by their fixed bits: a table on bits 28:21 gives the few that a word may fit. */
#include "a64/decode.h"

#include "a64/exec_int.h"
#include "a64/operands.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct a64_row rows[] = {
#define ROW(name, pattern, operands, class, fn) \
    {#name, pattern, A64_##class, op_##operands, x_##fn, 0, 0},
#include "a64/a64_ops.def"
};

enum { FIRST_BIT = 21, BUCKETS = 256, BUCKET_BITS = BUCKETS - 1 };

static struct {
    uint16_t at[BUCKETS], n[BUCKETS]; /* in the list */
    uint16_t *list;
} table;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* One token of a pattern: bits, or a field, which is free. */
static void read_token(struct a64_row *r, const char *token, size_t len, unsigned *bit)
{
    const char *colon = memchr(token, ':', len);
    if (token[0] == '0' || token[0] == '1') {
        for (size_t k = 0; k < len; k++) {
            --*bit;
            r->mask |= 1u << *bit;
            r->value |= (uint32_t)(token[k] - '0') << *bit;
        }
    } else {
        *bit -= colon ? (unsigned)atoi(colon + 1) : 5;
    }
}

static void read_pattern(struct a64_row *r)
{
    unsigned bit = 32;
    for (const char *at = r->pattern; *at;) {
        const size_t len = strcspn(at, " ");
        if (len)
            read_token(r, at, len, &bit);
        at += len + (at[len] == ' ');
    }
    if (bit)
        panic("row %s: its pattern has %d bits", r->name, 32 - (int)bit);
}

static bool fits_bucket(const struct a64_row *r, unsigned b)
{
    return !((r->value ^ b << FIRST_BIT) & r->mask & (uint32_t)BUCKET_BITS << FIRST_BIT);
}

/* Called for all buckets in turn: first to count, then to fill in. */
static void fill_table(void)
{
    size_t all = 0;
    for (size_t k = 0; k < ARRAY_LEN(rows); k++)
        read_pattern(&rows[k]);
    for (unsigned b = 0; b < BUCKETS; b++)
        for (size_t k = 0; k < ARRAY_LEN(rows); k++)
            all += fits_bucket(&rows[k], b);
    table.list = xcalloc(all, sizeof *table.list);
    all = 0;
    for (unsigned b = 0; b < BUCKETS; b++) {
        table.at[b] = (uint16_t)all;
        for (size_t k = 0; k < ARRAY_LEN(rows); k++)
            if (fits_bucket(&rows[k], b))
                table.list[all++] = (uint16_t)k;
        table.n[b] = (uint16_t)(all - table.at[b]);
    }
}

const struct a64_row *a64_find_row(uint32_t word)
{
    pthread_once(&once, fill_table);
    const unsigned b = word >> FIRST_BIT & BUCKET_BITS;
    for (unsigned k = 0; k < table.n[b]; k++) {
        const struct a64_row *r = &rows[table.list[table.at[b] + k]];
        if ((word & r->mask) == r->value)
            return r;
    }
    return NULL;
}

bool a64_decode(struct a64_inst *i, uint32_t word, uint64_t pc)
{
    const struct a64_row *r = a64_find_row(word);
    if (!r)
        return false;
    *i = (struct a64_inst){.fn = r->fn, .word = word, .row = (uint16_t)(r - rows)};
    return r->operands(i, word, pc);
}

size_t a64_rows(const struct a64_row **list)
{
    pthread_once(&once, fill_table);
    *list = rows;
    return ARRAY_LEN(rows);
}
