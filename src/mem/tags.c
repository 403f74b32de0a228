/* Sets, the hash of Fermi's L1, and who leaves. */
#include "mem/tags.h"

#include <stdlib.h>

const char *const tags_replacement_names[] = {"lru", "fifo", NULL};
const char *const tags_index_names[] = {"linear", "hashed", "fermi", NULL};

#define TAG_INVALID UINT64_MAX

static void number_sets(struct tags *t, uint32_t sets)
{
    t->sets = sets;
    t->set_mask = is_pow2(sets) ? sets - 1 : 0;
    t->fold = 1;
    while ((1ull << t->fold) < sets)
        t->fold++;
}

void tags_init(struct tags *t, uint32_t sets, uint32_t ways, enum tags_replacement r,
               enum tags_index i)
{
    size_t n = (size_t)sets * ways;
    *t = (struct tags){.sets = sets, .ways = ways, .replacement = (uint8_t)r, .index = (uint8_t)i};
    t->tag = xcalloc(n, sizeof *t->tag);
    t->lines = xcalloc(n, sizeof *t->lines);
    for (size_t k = 0; k < n; k++)
        t->tag[k] = TAG_INVALID;
    t->most_sets = sets;
    number_sets(t, sets);
}

bool tags_use_sets(struct tags *t, uint32_t sets)
{
    sets = sets < t->most_sets ? sets : t->most_sets;
    if (sets == t->sets)
        return true;
    for (size_t i = 0; i < (size_t)t->most_sets * t->ways; i++)
        if (t->tag[i] != TAG_INVALID)
            return false;
    number_sets(t, sets ? sets : 1);
    return true;
}

void tags_free(struct tags *t)
{
    free(t->tag);
    free(t->lines);
    free(t->bytes);
    free(t->used);
}

/* What Nugteren et al. (HPCA 2014) found on a GTX 480, for lines of 128 bytes: the five low bits of
 * the line number, xor address bits 13, 14, 15, 17 and 19; bit 12 is the sixth with 64 sets. */
static uint64_t fermi_set(uint64_t n)
{
    uint64_t up = (n >> 6 & 7) | (n >> 10 & 1) << 3 | (n >> 12 & 1) << 4;
    return ((n & 31) ^ up) | (n & 32);
}

uint32_t tags_set(const struct tags *t, uint64_t line_number)
{
    uint64_t n = line_number;
    if (t->index == TAGS_FERMI)
        n = fermi_set(n);
    if (t->index == TAGS_HASHED)
        for (uint64_t up = n >> t->fold; up; up >>= t->fold)
            n ^= up & ((1ull << t->fold) - 1);
    return (uint32_t)(t->set_mask || t->sets == 1 ? n & t->set_mask : n % t->sets);
}

uint32_t tags_find(const struct tags *t, uint32_t set, addr_t line)
{
    uint32_t first = set * t->ways;
    const addr_t *tag = t->tag + first;
    for (uint32_t w = 0; w < t->ways; w++)
        if (tag[w] == line)
            return first + w;
    return TAGS_NONE;
}

uint32_t tags_victim(const struct tags *t, uint32_t set)
{
    uint32_t first = set * t->ways, best = TAGS_NONE;
    uint64_t oldest = UINT64_MAX;
    for (uint32_t i = first; i < first + t->ways; i++) {
        if (t->tag[i] == TAG_INVALID)
            return i;
        if (!t->lines[i].reserved && t->lines[i].used < oldest) {
            oldest = t->lines[i].used;
            best = i;
        }
    }
    return best;
}

void tags_allocate(struct tags *t, uint32_t i, addr_t line)
{
    t->tag[i] = line;
    t->lines[i] = (struct tag_line){.used = t->stamp++};
}

void tags_touch(struct tags *t, uint32_t i)
{
    if (t->replacement == TAGS_LRU)
        t->lines[i].used = t->stamp++;
}

void tags_fill(struct tags *t, uint32_t i, uint16_t sectors)
{
    struct tag_line *l = &t->lines[i];
    l->valid |= sectors;
    l->partial &= (uint16_t)~sectors;
    l->reserved &= (uint16_t)~sectors;
}

void tags_write(struct tags *t, uint32_t i, uint16_t sectors, uint16_t whole)
{
    struct tag_line *l = &t->lines[i];
    l->dirty |= sectors;
    l->valid |= whole;
    l->partial = (uint16_t)((l->partial | sectors) & ~l->valid);
}

void tags_stretch(struct tags *t, uint32_t factor, uint32_t line_bytes)
{
    const uint32_t ways = t->ways, sets = t->sets;
    const enum tags_replacement r = (enum tags_replacement)t->replacement;
    const enum tags_index i = (enum tags_index)t->index;
    tags_free(t);
    tags_init(t, sets, ways * factor, r, i);
    tags_limit(t, ways * line_bytes);
}

void tags_limit(struct tags *t, uint32_t capacity)
{
    t->capacity = capacity;
    t->bytes = xcalloc((size_t)t->sets * t->ways, sizeof *t->bytes);
    t->used = xcalloc(t->sets, sizeof *t->used);
}

static bool is_among(const uint32_t *all, uint32_t n, uint32_t i)
{
    while (n)
        if (all[--n] == i)
            return true;
    return false;
}

/* Every line takes the place of one: victims[0], also if it is free. */
static uint32_t plain_victims(const struct tags *t, uint32_t set, uint32_t index, uint32_t *victims)
{
    if (index != TAGS_NONE)
        return 0;
    victims[0] = tags_victim(t, set);
    return victims[0] == TAGS_NONE ? TAGS_NONE : tags_in_use(t, victims[0]);
}

uint32_t tags_victims(const struct tags *t, uint32_t set, uint32_t index, uint32_t bytes,
                      uint32_t *victims)
{
    if (!t->capacity)
        return plain_victims(t, set, index, victims);
    const uint32_t first = set * t->ways, have = index == TAGS_NONE ? 0 : t->bytes[index];
    uint32_t n = 0, used = t->used[set] + (bytes > have ? bytes - have : 0);
    bool needs_tag = index == TAGS_NONE;
    for (uint32_t i = first; i < first + t->ways; i++)
        needs_tag = needs_tag && t->tag[i] != TAG_INVALID;
    while (used > t->capacity || needs_tag) {
        uint32_t best = TAGS_NONE;
        for (uint32_t i = first; i < first + t->ways; i++)
            if (i != index && t->tag[i] != TAG_INVALID && !t->lines[i].reserved &&
                (best == TAGS_NONE || t->lines[i].used < t->lines[best].used) &&
                !is_among(victims, n, i))
                best = i;
        if (best == TAGS_NONE)
            return TAGS_NONE;
        victims[n++] = best;
        used -= t->bytes[best];
        needs_tag = false;
    }
    return n;
}

void tags_resize(struct tags *t, uint32_t i, uint32_t bytes)
{
    if (!t->capacity)
        return;
    t->used[i / t->ways] += bytes - t->bytes[i];
    t->bytes[i] = (uint16_t)bytes;
}

void tags_invalidate(struct tags *t, uint32_t i)
{
    tags_resize(t, i, 0);
    t->tag[i] = TAG_INVALID;
    t->lines[i] = (struct tag_line){0};
}

bool tags_in_use(const struct tags *t, uint32_t i)
{
    return t->tag[i] != TAG_INVALID;
}
