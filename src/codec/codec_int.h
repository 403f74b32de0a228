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
 * is none at all); the caller applies the raw rule. decode() reads one, never a raw block. */
struct codec_class {
    const char *name;
    unsigned (*encode)(const struct codec *c, const uint8_t *block, struct bitw *w);
    bool (*decode)(const struct codec *c, struct bitr *r, uint8_t *block);
    void (*tally)(const struct codec *c, const uint8_t *block, uint64_t *counts);
    const char *unit;
    const char *const *kinds;
    unsigned nkinds;
};

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

extern const struct codec_class codec_zero_class, codec_bdi_class, codec_fpc_class,
    codec_fpc_seg_class, codec_cpack_class, codec_cpack4_class, codec_dpc_class, codec_bpc_class,
    codec_e2mc_class, codec_bestof_class, codec_gsr_class;

/* Sizes of blocks, compiled per CPU level in mv/; [log2(block_bytes) - 5]. */
struct codec_kernels {
    codec_size_fn *zero[3], *bdi[3], *fpc[3], *fpc_seg[3], *cpack[3], *cpack4[3], *dpc[3], *bpc[3],
        *gsr[3];
};
const struct codec_kernels *codec_kernels(void);

codec_size_fn codec_e2mc_size, codec_bestof_size;

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
