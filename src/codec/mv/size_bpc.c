/* Size of bpc: bytes of the differences are gathered by significance, so that one instruction reads
 * a whole bit plane. */
#include "codec/bpc_planes.h"
#include "codec/mv/kernels.h"

/* Lanes beyond the differences stay zero, in every plane. */
INLINE void planes_of(const uint8_t *block, unsigned n, uint32_t *dbp)
{
    uint8_t bytes[5][WORDS_MAX] = {0};
    uint32_t w[WORDS_MAX + 1];
    memcpy(w, block, 4 * n);
    w[n] = w[n - 1];
    for (unsigned i = 0; i < n; i++) {
        uint32_t delta = w[i + 1] - w[i];
        bytes[0][i] = (uint8_t)delta;
        bytes[1][i] = (uint8_t)(delta >> 8);
        bytes[2][i] = (uint8_t)(delta >> 16);
        bytes[3][i] = (uint8_t)(delta >> 24);
        bytes[4][i] = w[i + 1] < w[i] ? 0x80 : 0;
    }
    dbp[32] = v32b_top_bits(v32b_load(bytes[4]));
    for (unsigned b = 0; b < 4; b++) {
        v32b v = v32b_load(bytes[b]);
        for (unsigned k = 8; k-- > 0; v += v)
            dbp[8 * b + k] = v32b_top_bits(v);
    }
}

static inline unsigned base_bits(uint32_t base)
{
    if (base == 0)
        return 3;
    return fits_signed32(base, 4)    ? 7
           : fits_signed32(base, 8)  ? 11
           : fits_signed32(base, 16) ? 19
                                     : 33;
}

/* Bits of a plane that is not all zeros. */
static inline uint32_t plane_cost(uint32_t dbx, uint32_t dbp, unsigned plane_bits)
{
    uint32_t lowest = dbx & -dbx, rest = dbx ^ lowest;
    uint32_t sparse = (rest == 0) | (rest == lowest << 1);
    uint32_t cost = sparse ? 5 + bpc_position_bits(plane_bits) : 1 + plane_bits;
    bool five = (dbx == bpc_all(plane_bits)) | (dbp == 0);
    return five ? 5 : cost;
}

KERNEL bpc_bits(const uint8_t *block, unsigned block_bytes)
{
    unsigned n = block_bytes / 4;
    uint32_t dbp[BPC_PLANES];
    uint8_t zero_planes[32];
    planes_of(block, n, dbp);
    uint32_t bits = 0;
    for (unsigned b = 0; b < 32; b++) {
        uint32_t dbx = dbp[b] ^ dbp[b + 1];
        zero_planes[b] = dbx ? 0 : 0x80;
        bits += dbx ? plane_cost(dbx, dbp[b], n - 1) : 0;
    }
    bits += dbp[32] ? plane_cost(dbp[32], dbp[32], n - 1) : 0;
    uint64_t zero = v32b_top_bits(v32b_load(zero_planes)) | (uint64_t)(dbp[32] == 0) << 32;
    uint64_t starts = zero & ~(zero << 1), alone = starts & ~(zero >> 1);
    unsigned runs = (unsigned)__builtin_popcountll(starts & ~alone);
    return base_bits(load_u32(block)) + bits + 7 * runs + 3 * (unsigned)__builtin_popcountll(alone);
}

SIZE_KERNEL(bpc)
