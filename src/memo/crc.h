/* The hash of the unit: a CRC, reflected, without inversion at the end; 32 bits are IEEE 802.3's,
 * the chain of A64's crc32b. */
#ifndef MEMO_CRC_H
#define MEMO_CRC_H

#include "base/common.h"

struct memo_crc {
    uint64_t start; /* all ones: the hash of nothing */
    uint64_t of[256];
};

/* `bits` is 16, 32 or 64. */
void memo_crc_init(struct memo_crc *c, unsigned bits);

/* The low bytes of a value, least significant first, behind those hashed before. */
static inline uint64_t memo_crc_add(const struct memo_crc *c, uint64_t crc, uint64_t value,
                                    unsigned bytes)
{
    for (; bytes; bytes--, value >>= 8)
        crc = crc >> 8 ^ c->of[(crc ^ value) & 255];
    return crc;
}

#endif
