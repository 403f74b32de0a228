/* Constants of the CRC, a byte at a time. */
#include "memo/crc.h"

void memo_crc_init(struct memo_crc *c, unsigned bits)
{
    const uint64_t polynomial = bits == 16   ? 0xa001
                                : bits == 32 ? 0xedb88320
                                             : UINT64_C(0xc96c5795d7870f42);
    c->start = UINT64_MAX >> (64 - bits);
    for (unsigned byte = 0; byte < 256; byte++) {
        uint64_t v = byte;
        for (unsigned k = 0; k < 8; k++)
            v = v >> 1 ^ (v & 1 ? polynomial : 0);
        c->of[byte] = v;
    }
}
