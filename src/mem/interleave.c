/* Division by what is no power of two is a multiplication that was prepared once. */
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

/* The magic number exceeds 2^64 / d by less than one, so the product is right for all n with
 * n * d < 2^64. */
static uint64_t quotient(const struct fast_div *f, uint64_t n)
{
    return f->magic ? (uint64_t)(((unsigned __int128)f->magic * n) >> 64) : n;
}

static uint32_t remainder_of(const struct fast_div *f, uint64_t n)
{
    return (uint32_t)(n - quotient(f, n) * f->divisor);
}

static uint64_t fold(uint64_t n)
{
    n ^= n >> 32;
    n ^= n >> 16;
    n ^= n >> 8;
    return (n ^ (n >> 4)) & 0xff;
}

void interleave_init(struct interleave *il, const struct interleave_cfg *cfg)
{
    *il = (struct interleave){.shift = (uint32_t)__builtin_ctzll((uint64_t)cfg->granule),
                              .hash = cfg->hash,
                              .channels = fast_div_make((uint32_t)cfg->channels),
                              .slices = fast_div_make((uint32_t)cfg->slices)};
}

/* The slice's hash multiplies, to be independent of the channel's. */
struct mem_place interleave_locate(const struct interleave *il, addr_t addr)
{
    uint64_t block = addr >> il->shift, offset = addr & ((1ull << il->shift) - 1);
    uint64_t granule = quotient(&il->channels, block), up = quotient(&il->slices, granule);
    uint64_t channel = block - granule * il->channels.divisor;
    uint64_t slice = granule - up * il->slices.divisor;
    if (il->hash) {
        channel = remainder_of(&il->channels, channel + fold(granule));
        slice = remainder_of(&il->slices, slice + (up * 0x9e3779b97f4a7c15u >> 48));
    }
    return (struct mem_place){(uint32_t)channel, (uint32_t)slice, (granule << il->shift) | offset,
                              (up << il->shift) | offset};
}

addr_t interleave_address(const struct interleave *il, uint32_t channel, addr_t local)
{
    uint64_t granule = local >> il->shift, offset = local & ((1ull << il->shift) - 1);
    uint64_t c = channel;
    if (il->hash) /* turns back by the same amount */
        c = remainder_of(&il->channels, c + (uint64_t)il->channels.divisor * 256 - fold(granule));
    return ((granule * il->channels.divisor + c) << il->shift) | offset;
}

uint32_t interleave_slice(const struct interleave *il, addr_t addr)
{
    struct mem_place p = interleave_locate(il, addr);
    return p.channel * il->slices.divisor + p.slice;
}
