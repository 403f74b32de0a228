/* What the files of the codec room share. */
#ifndef CODEC_INT_H
#define CODEC_INT_H

#include "codec/codec_bits.h"
#include "parsim/codec.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words are loaded as they lie in memory: a little-endian host is assumed"
#endif

enum { BESTOF_MAX = 8, WORDS_MAX = CODEC_BLOCK_MAX / 4 };

typedef void codec_size_fn(const struct codec *c, const uint8_t *blocks, size_t n, uint16_t *bits);

/* One algorithm. encode() writes the encoding whatever its length (bits > 8 * block_bytes if there
 * is none at all); the caller applies the raw rule. decode() reads one, never a raw block. tally()
 * counts kinds of encodings, which are named in `kinds`; how many there are of what is `unit`. */
struct codec_class {
    const char *name;
    unsigned (*encode)(const struct codec *c, const uint8_t *block, struct bitw *w);
    bool (*decode)(const struct codec *c, struct bitr *r, uint8_t *block);
    void (*tally)(const struct codec *c, const uint8_t *block, uint64_t *counts);
    const char *unit;
    const char *const *kinds;
    unsigned nkinds;
    struct codec_hw hw;
    /* what depends on the codec's parameters; NULL: nothing */
    void (*scale_hw)(const struct codec *c, struct codec_hw *hw);
};

/* A codec's class from FILE_encode(), FILE_decode(), FILE_tally(), kinds[] and what its paper says
 * that it costs in hardware (struct codec_hw in braces). What is not there does not compile. */
#define CODEC_CLASS(file, title, counted, ...)        \
    const struct codec_class codec_##file##_class = { \
        .name = title,                                \
        .encode = file##_encode,                      \
        .decode = file##_decode,                      \
        .tally = file##_tally,                        \
        .unit = counted,                              \
        .kinds = kinds,                               \
        .nkinds = ARRAY_LEN(kinds),                   \
        .hw = __VA_ARGS__,                            \
    }

/* Of struct codec_hw: what a paper does not say. */
#define HW_UNKNOWN -1.0
#define HW_NO_AREA HW_UNKNOWN, HW_UNKNOWN
#define HW_NOT_GIVEN           \
    {                          \
        HW_UNKNOWN, HW_NO_AREA \
    }

struct codec {
    const struct codec_class *cls;
    enum codec_id id;
    unsigned block_bytes, mag_bytes;
    unsigned limit_bytes; /* longest encoding that is stored; beyond it, raw */
    unsigned symbol_bits, ways;
    const struct codec_table *table;
    codec_size_fn *size_blocks;
    struct codec *members[BESTOF_MAX];
    unsigned nmembers;
    char name[96];
};

#define CODEC(ID, file, size) extern const struct codec_class codec_##file##_class;
#include "parsim/codecs.def"
#undef CODEC

/* Sizes of blocks, compiled per CPU level in mv/; [log2(block_bytes) - 5]. */
struct codec_kernels {
    codec_size_fn *of[CODEC_ID_COUNT][3];
};
const struct codec_kernels *codec_kernels(void);

codec_size_fn codec_e2mc_size, codec_bestof_size;
/* Sizes of any codec, by making encodings. */
codec_size_fn codec_encoded_size;

static inline unsigned codec_raw_bits(const struct codec *c)
{
    return c->block_bytes * 8;
}

/* bits, or the raw size where the encoding is too long to be stored. */
static inline unsigned codec_stored_bits(const struct codec *c, unsigned bits)
{
    return codec_bytes(bits) <= c->limit_bytes ? bits : codec_raw_bits(c);
}

bool codec_error_set(struct codec_error *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
