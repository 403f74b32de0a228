/* FPC's word patterns, shared by fpc and fpc-seg. */
#ifndef FPC_PATTERNS_H
#define FPC_PATTERNS_H

#include "codec/codec_bits.h"

enum {
    FPC_ZERO,
    FPC_SIGN4,
    FPC_SIGN8,
    FPC_SIGN16,
    FPC_HIGH_HALF,
    FPC_TWO_BYTES,
    FPC_REPEAT,
    FPC_RAW,
    FPC_PATTERNS
};

enum { FPC_RUN_MAX = 8 };

/* Data bits of one word; the zero pattern's 3 bits are a whole run's. */
static const unsigned char fpc_data_bits[FPC_PATTERNS] = {3, 4, 8, 16, 16, 16, 8, 32};

/* From the fewest data bits, the lowest prefix first among equals. */
static const unsigned char fpc_order[FPC_PATTERNS] = {
    FPC_ZERO, FPC_SIGN4, FPC_SIGN8, FPC_REPEAT, FPC_SIGN16, FPC_HIGH_HALF, FPC_TWO_BYTES, FPC_RAW};

static inline bool fpc_matches(uint32_t w, unsigned pattern)
{
    switch (pattern) {
    case FPC_ZERO:
        return w == 0;
    case FPC_SIGN4:
        return fits_signed32(w, 4);
    case FPC_SIGN8:
        return fits_signed32(w, 8);
    case FPC_SIGN16:
        return fits_signed32(w, 16);
    case FPC_HIGH_HALF:
        return (w & 0xffff) == 0;
    case FPC_TWO_BYTES:
        return (w & 0xffff) == ((uint32_t)sign_extend32(w, 8) & 0xffff) &&
               w >> 16 == ((uint32_t)sign_extend32(w >> 16, 8) & 0xffff);
    case FPC_REPEAT:
        return w == (w & 0xff) * 0x01010101u;
    default:
        return true;
    }
}

static inline unsigned fpc_classify(uint32_t w)
{
    unsigned i = 0;
    while (!fpc_matches(w, fpc_order[i]))
        i++;
    return fpc_order[i];
}

/* The data field of a word under a pattern (not FPC_ZERO), and back. */
static inline uint32_t fpc_pack(uint32_t w, unsigned pattern)
{
    switch (pattern) {
    case FPC_HIGH_HALF:
        return w >> 16;
    case FPC_TWO_BYTES:
        return (w >> 8 & 0xff00) | (w & 0xff);
    default:
        return w;
    }
}

static inline uint32_t fpc_unpack(uint32_t data, unsigned pattern)
{
    switch (pattern) {
    case FPC_SIGN4:
    case FPC_SIGN8:
    case FPC_SIGN16:
        return (uint32_t)sign_extend32(data, fpc_data_bits[pattern]);
    case FPC_HIGH_HALF:
        return data << 16;
    case FPC_TWO_BYTES:
        return (uint32_t)sign_extend32(data >> 8, 8) << 16 |
               ((uint32_t)sign_extend32(data, 8) & 0xffff);
    case FPC_REPEAT:
        return data * 0x01010101u;
    default:
        return data;
    }
}

#endif
