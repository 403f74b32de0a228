/* Size of bpc: bytes of the differences are gathered by significance, so that one instruction reads
 * a whole bit plane. */
#include "codec/bpc_planes.h"
#include "codec/mv/kernels.h"

/* Sorts the bytes of 32 words by significance. */
INLINE void gather_bytes(const v8u *w, v32b *bytes)
{
    v8u q[4];
    for (unsigned k = 0; k < 4; k++) {
        v32b b = (v32b)w[k];
        q[k] = (v8u)__builtin_shufflevector(b, b, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11,
                                            15, 16, 20, 24, 28, 17, 21, 25, 29, 18, 22, 26, 30, 19,
                                            23, 27, 31);
    }
    v8u low01 = __builtin_shufflevector(q[0], q[1], 0, 4, 8, 12, 1, 5, 9, 13);
    v8u low23 = __builtin_shufflevector(q[2], q[3], 0, 4, 8, 12, 1, 5, 9, 13);
    v8u high01 = __builtin_shufflevector(q[0], q[1], 2, 6, 10, 14, 3, 7, 11, 15);
    v8u high23 = __builtin_shufflevector(q[2], q[3], 2, 6, 10, 14, 3, 7, 11, 15);
    bytes[0] = (v32b)__builtin_shufflevector(low01, low23, 0, 1, 2, 3, 8, 9, 10, 11);
    bytes[1] = (v32b)__builtin_shufflevector(low01, low23, 4, 5, 6, 7, 12, 13, 14, 15);
    bytes[2] = (v32b)__builtin_shufflevector(high01, high23, 0, 1, 2, 3, 8, 9, 10, 11);
    bytes[3] = (v32b)__builtin_shufflevector(high01, high23, 4, 5, 6, 7, 12, 13, 14, 15);
}

/* Lanes beyond the differences stay zero, in every plane. */
INLINE void planes_of(const uint8_t *block, unsigned vecs, uint32_t *dbp)
{
    v8u delta[4] = {{0}};
    v32b bytes[4];
    dbp[32] = 0;
    for (unsigned k = 0; k < vecs; k++) {
        v8u here = v8u_load(block + 32 * k), next;
        if (k + 1 < vecs)
            next = v8u_load(block + 32 * k + 4);
        else
            next = __builtin_shufflevector(here, here, 1, 2, 3, 4, 5, 6, 7, 7);
        delta[k] = next - here;
        dbp[32] |= (v8u_zero_mask((v8u)(next >= here)) & 0xff) << (8 * k);
    }
    gather_bytes(delta, bytes);
#pragma GCC unroll 4
    for (unsigned b = 0; b < 4; b++) {
        v32b v = bytes[b];
#pragma GCC unroll 8
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

/* Bits of every plane that is not all zeros. */
INLINE v8u plane_costs(v8u dbx, v8u dbp, unsigned plane_bits)
{
    v8u lowest = dbx & -dbx, rest = dbx ^ lowest;
    v8u sparse = (v8u)(rest == 0) | (v8u)(rest == lowest + lowest);
    v8u five = (v8u)(dbx == bpc_all(plane_bits)) | (v8u)(dbp == 0);
    v8u cost = 1 + plane_bits - (sparse & (plane_bits - 4 - bpc_position_bits(plane_bits)));
    return ((cost & ~five) | (five & 5)) & ~(v8u)(dbx == 0);
}

KERNEL bpc_bits(const uint8_t *block, unsigned block_bytes)
{
    unsigned plane_bits = block_bytes / 4 - 1;
    uint32_t dbp[BPC_PLANES];
    planes_of(block, block_bytes / 32, dbp);
    v8u bits = plane_costs((v8u){dbp[32]}, (v8u){dbp[32]}, plane_bits);
    uint64_t zero = (uint64_t)(dbp[32] == 0) << 32;
    for (unsigned b = 0; b < 32; b += 8) {
        v8u plane = v8u_load(dbp + b), dbx = plane ^ v8u_load(dbp + b + 1);
        bits += plane_costs(dbx, plane, plane_bits);
        zero |= (uint64_t)v8u_zero_mask(dbx) << b;
    }
    uint64_t starts = zero & ~(zero << 1), alone = starts & ~(zero >> 1);
    unsigned runs = (unsigned)__builtin_popcountll(starts & ~alone);
    return base_bits(load_u32(block)) + v8u_sum(bits) + 7 * runs +
           3 * (unsigned)__builtin_popcountll(alone);
}

SIZE_KERNEL(bpc)
