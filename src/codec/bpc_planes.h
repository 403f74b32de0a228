/* BPC's plane codes, shared by the codec and its size kernel. */
#ifndef BPC_PLANES_H
#define BPC_PLANES_H

#include "base/common.h"

enum { BPC_PLANES = 33 };
enum { BPC_ZERO, BPC_ONES, BPC_DBP_ZERO, BPC_TWO_ONES, BPC_ONE, BPC_RAW };

/* Planes have 31, 15 or 7 bits. */
static inline unsigned bpc_position_bits(unsigned plane_bits)
{
    return plane_bits == 31 ? 5 : plane_bits == 15 ? 4 : 3;
}

static inline uint32_t bpc_all(unsigned plane_bits)
{
    return (1u << plane_bits) - 1;
}

static inline uint32_t bpc_dbx(const uint32_t *dbp, unsigned b)
{
    return b + 1 < BPC_PLANES ? dbp[b] ^ dbp[b + 1] : dbp[b];
}

#endif
