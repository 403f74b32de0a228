/* Which of BDI's kinds a block takes: the same for both ways to write it down. */
#ifndef BDI_PLAN_H
#define BDI_PLAN_H

#include "codec/bdi_kinds.h"
#include "codec/codec_int.h"

struct bdi_plan {
    unsigned id; /* BDI_KINDS if none fits */
    uint64_t base, mask;
};

/* Value i of those of `bytes` bytes. */
static inline uint64_t bdi_value(const uint8_t *block, unsigned i, unsigned bytes)
{
    uint64_t v = 0;
    memcpy(&v, block + i * bytes, bytes);
    return v;
}

/* Bytes that are 0 or 1, eight at a time, as bits. `n` is rounded up to eights. */
static inline uint64_t bdi_bits_of(const uint8_t *bytes, unsigned n)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < n; i += 8) {
        uint64_t eight;
        memcpy(&eight, bytes + i, sizeof eight);
        mask |= (eight * UINT64_C(0x0102040810204080)) >> 56 << i;
    }
    return mask;
}

/* Whether the block can be written as kind `id`, any of them. */
bool bdi_try_kind(const uint8_t *block, unsigned block_bytes, unsigned id, struct bdi_plan *plan);
/* Zeros, repeat, or the first kind of `order` that fits. */
struct bdi_plan bdi_choose(const uint8_t *block, unsigned block_bytes, const unsigned char *order);

#endif
