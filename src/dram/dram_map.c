/* Where an address lies. */
#include "dram/dram_int.h"

#include <string.h>

static const char *const field_names[DRAM_FIELDS] = {"pc", "group", "bank", "row", "col"};

static uint32_t log2_of(int64_t v)
{
    return (uint32_t)__builtin_ctzll((uint64_t)v);
}

/* One word of dram.map, as "bank" or "bank1". */
struct word {
    int field;    /* DRAM_FIELDS: none of that name */
    int64_t bits; /* -1: not said, all that are left */
};

static struct word word_read(const char *start, const char *end)
{
    struct word w = {DRAM_FIELDS, -1};
    const char *digits = end;
    while (digits > start && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    if (end - digits > 2 || digits == start)
        return w;
    for (int f = 0; f < DRAM_FIELDS; f++)
        if (!strncmp(field_names[f], start, (size_t)(digits - start)) &&
            !field_names[f][digits - start])
            w.field = f;
    for (const char *c = digits; c < end; c++)
        w.bits = (w.bits < 0 ? 0 : w.bits * 10) + (*c - '0');
    return w;
}

/* The next lowest bits of the address are `w`; `left` bits of its field have no place yet. */
static bool part_add(struct dram_map *m, const struct word *w, uint32_t left, uint32_t shift)
{
    const uint32_t bits = w->bits < 0 ? left : (uint32_t)w->bits;
    const uint32_t placed = (uint32_t)__builtin_popcount(m->mask[w->field]) - left;
    if (bits > left || m->nparts == DRAM_PARTS)
        return false;
    m->parts[m->nparts++] = (struct dram_map_part){(uint8_t)w->field, (uint8_t)shift,
                                                   (uint8_t)placed, (1u << bits) - 1};
    return true;
}

static bool map_error(const struct dram_cfg *c, struct err *err)
{
    return err_set(err,
                   "dram.map: '%s': expected each of row, bank, group, pc, col once, with ':' "
                   "between; of a field in parts (at most %d in all) the lower ones say their bits "
                   "(row:bank:col:bank1:col3)",
                   c->map, DRAM_PARTS);
}

/* Reads "row:bank:group:col", highest first; a field of size one may be left out. */
bool dram_map_init(struct dram_map *m, const struct dram_cfg *c, struct err *err)
{
    const uint32_t bits[DRAM_FIELDS] = {log2_of(c->pseudo_channels), log2_of(c->bank_groups),
                                        log2_of(c->banks / c->bank_groups), log2_of(c->rows),
                                        log2_of(c->row_bytes / c->access_bytes)};
    uint32_t left[DRAM_FIELDS], shift = log2_of(c->access_bytes);
    bool whole[DRAM_FIELDS] = {0}; /* a word without bits has named it */
    *m = (struct dram_map){.bank_xor = c->bank_xor};
    for (int f = 0; f < DRAM_FIELDS; f++) {
        left[f] = bits[f];
        m->mask[f] = (1u << bits[f]) - 1;
    }
    for (const char *end = c->map + strlen(c->map); end > c->map;) {
        const char *start = end;
        while (start > c->map && start[-1] != ':')
            start--;
        const struct word w = word_read(start, end);
        if (w.field == DRAM_FIELDS || whole[w.field] || !part_add(m, &w, left[w.field], shift))
            return map_error(c, err);
        const uint32_t n = w.bits < 0 ? left[w.field] : (uint32_t)w.bits;
        whole[w.field] = w.bits < 0;
        left[w.field] -= n;
        shift += n;
        end = start > c->map ? start - 1 : start;
    }
    for (int f = 0; f < DRAM_FIELDS; f++)
        if (left[f])
            return err_set(err, "dram.map: '%s' does not say where %s lies", c->map,
                           field_names[f]);
    m->banks_a_group = (uint32_t)(c->banks / c->bank_groups);
    m->groups = (uint32_t)c->bank_groups;
    return true;
}

struct dram_addr dram_map_locate(const struct dram_map *m, addr_t addr)
{
    uint32_t f[DRAM_FIELDS] = {0};
    for (uint32_t i = 0; i < m->nparts; i++) {
        const struct dram_map_part *p = &m->parts[i];
        f[p->field] |= ((uint32_t)(addr >> p->shift) & p->mask) << p->into;
    }
    if (m->bank_xor) {
        uint32_t bits = (uint32_t)__builtin_popcount(m->mask[1]);
        f[1] ^= f[3] & m->mask[1];
        f[2] ^= (f[3] >> bits) & m->mask[2];
    }
    return (struct dram_addr){.pc = f[0],
                              .group = f[1],
                              .bank = f[2],
                              .row = f[3],
                              .col = f[4],
                              .index = (f[0] * m->groups + f[1]) * m->banks_a_group + f[2]};
}

struct dram_addr dram_locate(const struct dram *d, addr_t addr)
{
    return dram_map_locate(&d->map, addr);
}

addr_t dram_address(const struct dram *d, const struct dram_addr *at)
{
    const uint32_t f[DRAM_FIELDS] = {at->pc, at->group, at->bank, at->row, at->col};
    addr_t addr = 0;
    for (uint32_t i = 0; i < d->map.nparts; i++) {
        const struct dram_map_part *p = &d->map.parts[i];
        addr |= (addr_t)(f[p->field] >> p->into & p->mask) << p->shift;
    }
    return addr;
}
