/* Bit strings: the first bit is the most significant bit of byte 0; a field of n bits is written
 * from its most significant bit. */
#ifndef CODEC_BITS_H
#define CODEC_BITS_H

#include "base/common.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { BITW_BYTES = 352 }; /* the longest encoding of any codec before the raw rule, with slack */

struct bitw {
    uint8_t buf[BITW_BYTES];
    uint64_t acc; /* the last `fill` (< 8) bits are not in buf yet */
    unsigned fill, bytes;
};

static inline void bitw_init(struct bitw *w)
{
    w->acc = 0;
    w->fill = w->bytes = 0;
}

/* n <= 32. */
static inline void bitw_put(struct bitw *w, uint64_t v, unsigned n)
{
    w->acc = w->acc << n | (v & ((UINT64_C(1) << n) - 1));
    w->fill += n;
    while (w->fill >= 8) {
        w->fill -= 8;
        w->buf[w->bytes++] = (uint8_t)(w->acc >> w->fill);
    }
}

/* A little-endian number of n bytes. */
static inline void bitw_put_le(struct bitw *w, uint64_t v, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        bitw_put(w, v >> (8 * i) & 0xff, 8);
}

static inline unsigned bitw_bits(const struct bitw *w)
{
    return w->bytes * 8 + w->fill;
}

static inline void bitw_align(struct bitw *w)
{
    if (w->fill)
        bitw_put(w, 0, 8 - w->fill);
}

struct bitr {
    const uint8_t *buf;
    unsigned pos, bits;
    bool bad; /* read past the end; every field since then is 0 */
};

/* n <= 32. */
static inline uint32_t bitr_get(struct bitr *r, unsigned n)
{
    if (r->bits - r->pos < n) {
        r->bad = true;
        r->pos = r->bits;
        return 0;
    }
    uint64_t v = 0;
    unsigned first = r->pos / 8, last = (r->pos + n + 7) / 8;
    for (unsigned i = first; i < last; i++)
        v = v << 8 | r->buf[i];
    r->pos += n;
    return (uint32_t)((v >> (last * 8 - r->pos)) & ((UINT64_C(1) << n) - 1));
}

static inline uint64_t bitr_get_le(struct bitr *r, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v |= (uint64_t)bitr_get(r, 8) << (8 * i);
    return v;
}

static inline int32_t sign_extend32(uint32_t v, unsigned bits)
{
    return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

static inline bool fits_signed32(uint32_t v, unsigned bits)
{
    return (uint32_t)sign_extend32(v, bits) == v;
}

/* Turns 32 words into 32 bit planes, in place: bit i of m[b] becomes bit b of m[i]. */
static inline void bits_transpose(uint32_t *m)
{
    uint32_t keep = 0x0000ffff;
    for (unsigned step = 16; step; step >>= 1, keep ^= keep << step) {
        for (unsigned i = 0; i < 32; i = (i + step + 1) & ~step) {
            uint32_t t = (m[i] >> step ^ m[i + step]) & keep;
            m[i] ^= t << step;
            m[i + step] ^= t;
        }
    }
}

static inline uint32_t load_u32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

static inline void store_u32(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, 4);
}

#endif
