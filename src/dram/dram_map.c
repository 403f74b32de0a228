/* Where an address lies. */
#include "dram/dram_int.h"

#include <string.h>

static const char *const field_names[DRAM_FIELDS] = {"pc", "group", "bank", "row", "col"};

static uint32_t log2_of(int64_t v)
{
    return (uint32_t)__builtin_ctzll((uint64_t)v);
}

/* Reads "row:bank:group:col", highest first; a field of size one may be left out. */
bool dram_map_init(struct dram_map *m, const struct dram_cfg *c, struct err *err)
{
    const uint32_t bits[DRAM_FIELDS] = {log2_of(c->pseudo_channels), log2_of(c->bank_groups),
                                        log2_of(c->banks / c->bank_groups), log2_of(c->rows),
                                        log2_of(c->row_bytes / c->access_bytes)};
    bool seen[DRAM_FIELDS] = {0};
    uint32_t shift = log2_of(c->access_bytes);
    *m = (struct dram_map){.bank_xor = c->bank_xor};
    for (const char *end = c->map + strlen(c->map); end > c->map;) {
        const char *start = end;
        while (start > c->map && start[-1] != ':')
            start--;
        int f = 0;
        while (f < DRAM_FIELDS && (strncmp(field_names[f], start, (size_t)(end - start)) ||
                                   field_names[f][end - start]))
            f++;
        if (f == DRAM_FIELDS || seen[f])
            return err_set(err,
                           "dram.map: '%s': expected each of row, bank, group, pc, col once, "
                           "with ':' between",
                           c->map);
        seen[f] = true;
        m->shift[f] = shift;
        m->mask[f] = (1u << bits[f]) - 1;
        shift += bits[f];
        end = start > c->map ? start - 1 : start;
    }
    for (int f = 0; f < DRAM_FIELDS; f++)
        if (!seen[f] && bits[f])
            return err_set(err, "dram.map: '%s' does not say where %s lies", c->map,
                           field_names[f]);
    m->banks_a_group = (uint32_t)(c->banks / c->bank_groups);
    m->groups = (uint32_t)c->bank_groups;
    return true;
}

struct dram_addr dram_map_locate(const struct dram_map *m, addr_t addr)
{
    uint32_t f[DRAM_FIELDS];
    for (int i = 0; i < DRAM_FIELDS; i++)
        f[i] = (uint32_t)(addr >> m->shift[i]) & m->mask[i];
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
    for (int i = 0; i < DRAM_FIELDS; i++)
        addr |= (addr_t)f[i] << d->map.shift[i];
    return addr;
}
