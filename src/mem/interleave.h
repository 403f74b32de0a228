/* Where an address lies: which channel, which L2 slice of the channel, and at which address there.
 *
 * Consecutive granules go to consecutive channels; a channel's granules are numbered, and
 * consecutive ones go to consecutive slices. With `hash` both choices are rotated by folded upper
 * bits. Any numbers of channels and slices; a bijection between addresses and (channel, local
 * address), the slice following from the latter. */
#ifndef MEM_INTERLEAVE_H
#define MEM_INTERLEAVE_H

#include "conf/conf.h"

struct interleave_cfg {
#define ROWS_FILE "mem/interleave_cfg.def"
#include "parsim/rows_members.h"
};

extern const struct conf_field interleave_fields[];
extern const size_t interleave_nfields;

/* `section` names the configuration in messages. */
bool interleave_cfg_check(const struct interleave_cfg *cfg, const char *section, struct err *err);

/* Exact division of numbers below 2^52 by a small constant. */
struct fast_div {
    uint64_t magic; /* 0: divisor 1 */
    uint32_t divisor;
};

struct interleave {
    uint32_t shift; /* of a granule */
    bool hash;
    struct fast_div channels, slices;
};

struct mem_place {
    uint32_t channel, slice; /* slice: within the channel */
    addr_t local;            /* in the channel */
    addr_t in_slice;         /* in the slice's share of the channel, dense: what sets are made of */
};

/* Division by what is no power of two is a multiplication that was prepared once. The magic number
 * exceeds 2^64 / d by less than one, so the product is right for all n with n * d < 2^64. */
static inline uint64_t interleave_quotient(const struct fast_div *f, uint64_t n)
{
    return f->magic ? (uint64_t)(((unsigned __int128)f->magic * n) >> 64) : n;
}

static inline uint32_t interleave_remainder_of(const struct fast_div *f, uint64_t n)
{
    return (uint32_t)(n - interleave_quotient(f, n) * f->divisor);
}

static inline uint64_t interleave_fold(uint64_t n)
{
    n ^= n >> 32;
    n ^= n >> 16;
    n ^= n >> 8;
    return (n ^ (n >> 4)) & 0xff;
}

/* The slice's hash multiplies, to be independent of the channel's. */
static inline struct mem_place interleave_locate(const struct interleave *il, addr_t addr)
{
    uint64_t block = addr >> il->shift, offset = addr & ((1ull << il->shift) - 1);
    uint64_t granule = interleave_quotient(&il->channels, block),
             up = interleave_quotient(&il->slices, granule);
    uint64_t channel = block - granule * il->channels.divisor;
    uint64_t slice = granule - up * il->slices.divisor;
    if (il->hash) {
        channel = interleave_remainder_of(&il->channels, channel + interleave_fold(granule));
        slice = interleave_remainder_of(&il->slices, slice + (up * 0x9e3779b97f4a7c15u >> 48));
    }
    return (struct mem_place){(uint32_t)channel, (uint32_t)slice, (granule << il->shift) | offset,
                              (up << il->shift) | offset};
}

/* `cfg` must be checked. */
void interleave_init(struct interleave *il, const struct interleave_cfg *cfg);
/* The inverse. */
addr_t interleave_address(const struct interleave *il, uint32_t channel, addr_t local);
/* channel * slices + slice */
uint32_t interleave_slice(const struct interleave *il, addr_t addr);

#endif
