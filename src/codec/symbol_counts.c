/* How often each symbol occurs: exact, but for L = 32 under a limit of memory. */
#include "codec/e2mc_int.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 1 << 12 };

struct slot {
    uint32_t value, count;
};

struct codec_counts {
    unsigned symbol_bits;
    uint64_t total;     /* symbols */
    uint64_t *direct;   /* L = 16: [value]; L = 4, 8: [byte of the word][value] */
    struct slot *slots; /* L = 32: open addressing, count 0 = empty */
    size_t nslots, used, max_values;
    uint64_t dropped; /* occurrences that are in no slot any more */
};

struct codec_counts *codec_counts_new(unsigned symbol_bits, size_t max_values)
{
    struct codec_counts *c = xcalloc(1, sizeof *c);
    c->symbol_bits = symbol_bits;
    c->max_values = max_values ? max_values : SIZE_MAX;
    if (symbol_bits == 32) {
        c->nslots = FIRST_SLOTS;
        c->slots = xcalloc(c->nslots, sizeof *c->slots);
    } else {
        c->direct = xcalloc(symbol_bits == 16 ? 65536 : 1024, sizeof *c->direct);
    }
    return c;
}

void codec_counts_free(struct codec_counts *counts)
{
    if (!counts)
        return;
    free(counts->direct);
    free(counts->slots);
    free(counts);
}

static struct slot *find_slot(struct slot *slots, size_t nslots, uint32_t value)
{
    size_t h = (size_t)((value * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (nslots - 1);
    while (slots[h].count && slots[h].value != value)
        h = (h + 1) & (nslots - 1);
    return &slots[h];
}

static void rehash(struct codec_counts *c, size_t nslots, uint32_t drop_below)
{
    struct slot *old = c->slots;
    size_t n = c->nslots;
    c->slots = xcalloc(nslots, sizeof *c->slots);
    c->nslots = nslots;
    c->used = 0;
    for (size_t i = 0; i < n; i++) {
        if (old[i].count == 0)
            continue;
        if (old[i].count < drop_below) {
            c->dropped += old[i].count;
            continue;
        }
        *find_slot(c->slots, nslots, old[i].value) = old[i];
        c->used++;
    }
    free(old);
}

/* Makes room: twice the slots, or at the limit without the rarest values. */
static void grow(struct codec_counts *c)
{
    if (c->used < c->max_values) {
        rehash(c, c->nslots * 2, 0);
        return;
    }
    for (uint32_t below = 2; c->used > c->max_values / 2; below *= 2)
        rehash(c, c->nslots, below);
}

static void add_words(struct codec_counts *c, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t v = load_u32(p + 4 * i);
        struct slot *s = find_slot(c->slots, c->nslots, v);
        if (s->count) {
            s->count += s->count != UINT32_MAX;
            continue;
        }
        *s = (struct slot){v, 1};
        if (++c->used >= c->max_values || c->used * 4 > c->nslots * 3)
            grow(c);
    }
}

void codec_counts_add(struct codec_counts *counts, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    counts->total += bytes * 8 / counts->symbol_bits;
    if (counts->symbol_bits == 32) {
        add_words(counts, p, bytes / 4);
    } else if (counts->symbol_bits == 16) {
        for (size_t i = 0; i + 4 <= bytes; i += 4) {
            uint32_t v = load_u32(p + i);
            counts->direct[v & 0xffff]++;
            counts->direct[v >> 16]++;
        }
    } else {
        for (size_t i = 0; i + 4 <= bytes; i += 4)
            for (unsigned b = 0; b < 4; b++)
                counts->direct[b << 8 | p[i + b]]++;
    }
}

void codec_counts_merge(struct codec_counts *into, const struct codec_counts *from)
{
    assert(into->direct && from->direct);
    assert((into->symbol_bits == 16) == (from->symbol_bits == 16));
    into->total += from->total * from->symbol_bits / into->symbol_bits;
    for (unsigned i = 0; i < (from->symbol_bits == 16 ? 65536 : 1024); i++)
        into->direct[i] += from->direct[i];
}

bool codec_counts_exact(const struct codec_counts *counts)
{
    return counts->dropped == 0;
}

unsigned e2mc_counts_symbol_bits(const struct codec_counts *counts)
{
    return counts->symbol_bits;
}

void e2mc_counts_position(const struct codec_counts *counts, unsigned pos, uint64_t *out)
{
    if (counts->symbol_bits == 8) {
        memcpy(out, counts->direct + 256 * pos, 256 * sizeof *out);
        return;
    }
    memset(out, 0, 16 * sizeof *out);
    for (unsigned v = 0; v < 256; v++)
        out[pos % 2 ? v >> 4 : v & 15] += counts->direct[256 * (pos / 2) + v];
}

/* ---- entropy ---- */

static double count_term(uint64_t count)
{
    return count > 1 ? (double)count * log2((double)count) : 0;
}

static double position_entropy(const struct codec_counts *counts, unsigned pos)
{
    uint64_t at[256];
    e2mc_counts_position(counts, pos, at);
    double sum = 0;
    uint64_t n = 0;
    for (unsigned v = 0; v < 1u << counts->symbol_bits; v++) {
        sum += count_term(at[v]);
        n += at[v];
    }
    return n ? log2((double)n) - sum / (double)n : 0;
}

/* Dropped occurrences were of values too rare to keep; they count as all different. */
double codec_counts_entropy(const struct codec_counts *counts)
{
    double sum = 0;
    if (counts->total == 0)
        return 0;
    if (counts->symbol_bits < 16) {
        unsigned n = e2mc_tree_count(counts->symbol_bits);
        for (unsigned pos = 0; pos < n; pos++)
            sum += position_entropy(counts, pos);
        return sum / n;
    }
    for (size_t i = 0; counts->slots && i < counts->nslots; i++)
        sum += count_term(counts->slots[i].count);
    for (unsigned v = 0; counts->direct && v < 65536; v++)
        sum += count_term(counts->direct[v]);
    double h = log2((double)counts->total) - sum / (double)counts->total;
    return h > 0 ? h : 0;
}

/* ---- the most frequent values ---- */

struct heap {
    struct e2mc_count *items; /* the worst that is kept at the root */
    unsigned n, most;
};

static bool better(const struct e2mc_count *a, const struct e2mc_count *b)
{
    return a->count != b->count ? a->count > b->count : a->value < b->value;
}

static void swap_counts(struct e2mc_count *a, struct e2mc_count *b)
{
    struct e2mc_count t = *a;
    *a = *b;
    *b = t;
}

static void heap_sink(struct heap *h)
{
    for (unsigned i = 0;;) {
        unsigned worst = i;
        for (unsigned k = 2 * i + 1; k <= 2 * i + 2 && k < h->n; k++)
            if (better(&h->items[worst], &h->items[k]))
                worst = k;
        if (worst == i)
            return;
        swap_counts(&h->items[i], &h->items[worst]);
        i = worst;
    }
}

static void heap_offer(struct heap *h, uint32_t value, uint64_t count)
{
    struct e2mc_count item = {value, count};
    if (count == 0)
        return;
    if (h->n < h->most) {
        unsigned i = h->n++;
        h->items[i] = item;
        for (; i && better(&h->items[(i - 1) / 2], &h->items[i]); i = (i - 1) / 2)
            swap_counts(&h->items[(i - 1) / 2], &h->items[i]);
    } else if (better(&item, &h->items[0])) {
        h->items[0] = item;
        heap_sink(h);
    }
}

unsigned e2mc_counts_top(const struct codec_counts *counts, struct e2mc_count *top, unsigned most,
                         uint64_t *others)
{
    struct heap h = {.items = top, .most = most};
    for (size_t i = 0; counts->slots && i < counts->nslots; i++)
        heap_offer(&h, counts->slots[i].value, counts->slots[i].count);
    for (unsigned v = 0; counts->direct && v < 65536; v++)
        heap_offer(&h, v, counts->direct[v]);
    *others = counts->total;
    for (unsigned i = 0; i < h.n; i++)
        *others -= top[i].count;
    return h.n;
}
