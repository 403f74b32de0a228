/* Making an interleaving, and its inverse. */
#include "mem/interleave.h"

const struct conf_field interleave_fields[] = {
#define ROWS_FILE   "mem/interleave_cfg.def"
#define ROWS_STRUCT interleave_cfg
#include "parsim/rows_entries.h"
};

const size_t interleave_nfields = ARRAY_LEN(interleave_fields);

bool interleave_cfg_check(const struct interleave_cfg *cfg, const char *section, struct err *err)
{
    return is_pow2((uint64_t)cfg->granule) ||
           err_set(err, "%s.granule: %lld is not a power of two", section, (long long)cfg->granule);
}

static struct fast_div fast_div_make(uint32_t d)
{
    return (struct fast_div){d > 1 ? UINT64_MAX / d + 1 : 0, d};
}

void interleave_init(struct interleave *il, const struct interleave_cfg *cfg)
{
    *il = (struct interleave){.shift = (uint32_t)__builtin_ctzll((uint64_t)cfg->granule),
                              .hash = cfg->hash,
                              .channels = fast_div_make((uint32_t)cfg->channels),
                              .slices = fast_div_make((uint32_t)cfg->slices)};
}

addr_t interleave_address(const struct interleave *il, uint32_t channel, addr_t local)
{
    uint64_t granule = local >> il->shift, offset = local & ((1ull << il->shift) - 1);
    uint64_t c = channel;
    if (il->hash) /* turns back by the same amount */
        c = interleave_remainder_of(&il->channels, c + (uint64_t)il->channels.divisor * 256 -
                                                       interleave_fold(granule));
    return ((granule * il->channels.divisor + c) << il->shift) | offset;
}

uint32_t interleave_slice(const struct interleave *il, addr_t addr)
{
    struct mem_place p = interleave_locate(il, addr);
    return p.channel * il->slices.divisor + p.slice;
}
