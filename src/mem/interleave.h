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

/* `cfg` must be checked. */
void interleave_init(struct interleave *il, const struct interleave_cfg *cfg);
struct mem_place interleave_locate(const struct interleave *il, addr_t addr);
/* The inverse. */
addr_t interleave_address(const struct interleave *il, uint32_t channel, addr_t local);
/* channel * slices + slice */
uint32_t interleave_slice(const struct interleave *il, addr_t addr);

#endif
