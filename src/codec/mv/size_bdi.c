/* Size of bdi. A form is first tried on a few values, which is where most forms of most blocks
 * fail, then on all of them at once. */
#include "codec/bdi_forms.h"
#include "codec/mv/kernels.h"

enum { TRIED = 4 };

/* Does every value fit the delta, alone or relative to the first that does not fit alone? */
#define FORM_FITS(type, bytes, delta)                                                       \
    static inline bool fits_##bytes##_##delta(const type *v, unsigned n)                    \
    {                                                                                       \
        const type half = (type)1 << (8 * (delta)-1);                                       \
        const type high = (type) ~(((type)1 << (8 * (delta)-1)) * 2 - 1);                   \
        unsigned first = 0;                                                                 \
        while (first < n && (type)((type)(v[first] + half) & high) == 0)                    \
            first++;                                                                        \
        if (first == n)                                                                     \
            return true;                                                                    \
        type shift = (type)(half - v[first]);                                               \
        for (unsigned i = first + 1; i < n && i < first + TRIED; i++)                       \
            if (((type)(v[i] + half) & high) && ((type)(v[i] + shift) & high))              \
                return false;                                                               \
        type bad = 0;                                                                       \
        for (unsigned i = 0; i < n; i++)                                                    \
            bad |= ((type)(v[i] + half) & high) != 0 && ((type)(v[i] + shift) & high) != 0; \
        return !bad;                                                                        \
    }

FORM_FITS(uint64_t, 8, 1)
FORM_FITS(uint64_t, 8, 2)
FORM_FITS(uint64_t, 8, 4)
FORM_FITS(uint32_t, 4, 1)
FORM_FITS(uint32_t, 4, 2)
FORM_FITS(uint16_t, 2, 1)

union values {
    uint64_t v8[CODEC_BLOCK_MAX / 8];
    uint32_t v4[CODEC_BLOCK_MAX / 4];
    uint16_t v2[CODEC_BLOCK_MAX / 2];
};

static inline bool form_fits(const union values *v, unsigned id, unsigned block_bytes)
{
    switch (id) {
    case 2:
        return fits_8_1(v->v8, block_bytes / 8);
    case 3:
        return fits_8_2(v->v8, block_bytes / 8);
    case 4:
        return fits_8_4(v->v8, block_bytes / 8);
    case 5:
        return fits_4_1(v->v4, block_bytes / 4);
    case 6:
        return fits_4_2(v->v4, block_bytes / 4);
    default:
        return fits_2_1(v->v2, block_bytes / 2);
    }
}

KERNEL bdi_bits(const uint8_t *block, unsigned block_bytes)
{
    union values v;
    memcpy(&v, block, block_bytes);
    uint64_t differ = 0;
    for (unsigned i = 0; i < block_bytes / 8; i++)
        differ |= v.v8[i] ^ v.v8[0];
    if (!differ)
        return 8 * bdi_form_bytes(v.v8[0] ? BDI_REPEAT : BDI_ZEROS, block_bytes);
    const unsigned char *order = bdi_form_order(block_bytes);
    for (unsigned i = 0; i < BDI_DELTA_FORMS; i++)
        if (form_fits(&v, order[i], block_bytes))
            return 8 * bdi_form_bytes(order[i], block_bytes);
    return 8 * block_bytes;
}

SIZE_KERNEL(bdi)
