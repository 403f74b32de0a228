/* Block codecs: every compressor of the papers Parsim reproduces, as pure functions on a block.
 *
 * A block is 32, 64 or 128 bytes, words are little-endian. A codec maps a block to a bit string;
 * its exact length is `bits`. A block whose encoding is not smaller than the block (for e2mc: not
 * smaller by one memory access) is stored raw: bits = 8 * block_bytes, and nothing inside the block
 * says so. Formats: docs/codecs.md.
 *
 * Every function is pure and thread safe; a `struct codec` is immutable after codec_new(). Blocks
 * need no alignment. The library depends on libc only. */
#ifndef PARSIM_CODEC_H
#define PARSIM_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CODEC_API __attribute__((visibility("default")))

enum {
    CODEC_BLOCK_MAX = 128, /* bytes; encode() never writes more than the block's size */
    CODEC_KINDS_MAX = 40,  /* counters that codec_tally() may touch */
};

/* Identity of an algorithm; the number is what `bestof` and the file container write. */
enum codec_id {
#define CODEC(ID, file, size) CODEC_##ID,
#include "codecs.def"
#undef CODEC
    CODEC_ID_COUNT
};

/* One sentence for a human, without a newline. */
struct codec_error {
    char msg[256];
};

struct codec;
struct codec_table;

struct codec_params {
    unsigned block_bytes;            /* 32, 64, 128; 0 = 128 */
    unsigned mag_bytes;              /* memory access granularity, divides block_bytes; 0 = 32 */
    const struct codec_table *table; /* e2mc's code; must outlive the codec */
};

/* `name` is codec_id_name() of a row of codecs.def; of e2mc also e2mc-L or e2mc-LwW (L symbol bits:
 * 4 8 16 32, W parallel decoding ways: 1 2 4 8; "e2mc" = e2mc-16), of bestof (=
 * bestof:bdi+fpc+cpack) also bestof:NAME+NAME... of codecs that need no table. NULL and a message
 * that lists them if it is none. */
CODEC_API struct codec *codec_new(const char *name, const struct codec_params *params,
                                  struct codec_error *err);
CODEC_API void codec_free(struct codec *c);
/* For e2mc, the symbol bits that its table must have; else 0. False if there is no such codec. */
CODEC_API bool codec_name_parse(const char *name, enum codec_id *id, unsigned *symbol_bits,
                                unsigned *ways);

/* What an algorithm is called, without what may follow its name. */
CODEC_API const char *codec_id_name(enum codec_id id);

CODEC_API const char *codec_name(const struct codec *c);
CODEC_API enum codec_id codec_id(const struct codec *c);
CODEC_API unsigned codec_block_bytes(const struct codec *c);
CODEC_API unsigned codec_mag_bytes(const struct codec *c);

/* Length of a block's encoding in bits; codec_size_blocks() does n consecutive blocks. */
CODEC_API unsigned codec_size(const struct codec *c, const void *block);
CODEC_API void codec_size_blocks(const struct codec *c, const void *blocks, size_t n,
                                 uint16_t *bits);
/* Writes ceil(bits / 8) <= block_bytes bytes to `out`, which has room for block_bytes; returns
 * bits. */
CODEC_API unsigned codec_encode(const struct codec *c, const void *block, void *out);
/* `in` holds ceil(bits / 8) bytes, any at all; false if they are not the encoding of a block. */
CODEC_API bool codec_decode(const struct codec *c, const void *in, unsigned bits, void *block);

static inline unsigned codec_bytes(unsigned bits)
{
    return (bits + 7) / 8;
}

static inline unsigned codec_bursts(unsigned bits, unsigned block_bytes, unsigned mag_bytes)
{
    unsigned bursts = (codec_bytes(bits) + mag_bytes - 1) / mag_bytes;
    return bursts < block_bytes / mag_bytes ? bursts : block_bytes / mag_bytes;
}

/* Which of the codec's encodings a block uses: adds to counts[0..codec_kind_count()). What is
 * counted (blocks, words, planes, symbols) is codec_kind_unit(); a raw block counts as such. */
CODEC_API void codec_tally(const struct codec *c, const void *block, uint64_t *counts);
CODEC_API unsigned codec_kind_count(const struct codec *c);
CODEC_API const char *codec_kind_name(const struct codec *c, unsigned kind);
CODEC_API const char *codec_kind_unit(const struct codec *c);

/* ---- Published hardware cost. A negative number: the sources do not say. ---- */

struct codec_unit {
    double latency_cycles;
    double area_mm2;
    double power_mw;
};

struct codec_hw {
    struct codec_unit compress, decompress; /* one unit, at node_nm */
    double node_nm;
    const char *source;
    const char *note;
};

/* E2MC's decompression latency is the published one divided by the ways. */
CODEC_API struct codec_hw codec_hw(const struct codec *c);

/* ---- E2MC: statistics of symbols, code tables ---- */

struct codec_counts;

/* Counts of symbols of L = 4, 8, 16 or 32 bits. L = 32 keeps at most `max_values` distinct values
 * (0 = no limit) by dropping the rarest so far when full; codec_counts_exact() then says false. */
CODEC_API struct codec_counts *codec_counts_new(unsigned symbol_bits, size_t max_values);
CODEC_API void codec_counts_free(struct codec_counts *counts);
/* `bytes` is a multiple of 4. */
CODEC_API void codec_counts_add(struct codec_counts *counts, const void *data, size_t bytes);
/* Adds what `from` counted; L = 4, 8 and 16 only. Counts of L = 8 can be added to those of L = 4.
 */
CODEC_API void codec_counts_merge(struct codec_counts *into, const struct codec_counts *from);
CODEC_API bool codec_counts_exact(const struct codec_counts *counts);
/* Shannon's bound: entropy in bits a symbol, of the statistics that the code uses (by position in
 * the word for L = 4 and 8). */
CODEC_API double codec_counts_entropy(const struct codec_counts *counts);

/* Never fails: values without counts can still be encoded (by the escape for L = 16 and 32). */
CODEC_API struct codec_table *codec_table_build(const struct codec_counts *counts);
/* The same with codewords for the `values` most frequent values of L = 16 and 32 (1 to
 * CODEC_VALUES_MAX; codec_table_build() takes CODEC_VALUES), besides the escape. */
enum { CODEC_VALUES = 1024, CODEC_VALUES_MAX = 32768 };
CODEC_API struct codec_table *codec_table_build_values(const struct codec_counts *counts,
                                                       unsigned values);
CODEC_API void codec_table_free(struct codec_table *table);
CODEC_API unsigned codec_table_symbol_bits(const struct codec_table *table);
/* Length of the codeword of `value` at position `pos` in its word, the escape's raw bits
 * included. */
CODEC_API unsigned codec_table_length(const struct codec_table *table, unsigned pos,
                                      uint32_t value);
/* The table as bytes (free() them), and back; the bytes carry a checksum. */
CODEC_API uint8_t *codec_table_pack(const struct codec_table *table, size_t *bytes);
CODEC_API struct codec_table *codec_table_unpack(const void *data, size_t bytes,
                                                 struct codec_error *err);
#define CODEC_TABLE_SUFFIX ".e2mc" /* of files that hold one */
CODEC_API bool codec_table_save(const struct codec_table *table, const char *path,
                                struct codec_error *err);
CODEC_API struct codec_table *codec_table_load(const char *path, struct codec_error *err);

/* ---- DPC with data filtering: `map` bit i set = sector i of the block (32 bytes) is critical ----
 */

/* DF-TRUC: only the critical sectors, their map in the stream unless all are critical. A result
 * of 256 bits a critical sector = stored raw. Decoding zeroes the other sectors. `out` has
 * room for block_bytes. */
CODEC_API unsigned codec_dpc_truc_size(const void *block, unsigned block_bytes, unsigned map);
CODEC_API unsigned codec_dpc_truc_encode(const void *block, unsigned block_bytes, unsigned map,
                                         void *out);
CODEC_API bool codec_dpc_truc_decode(const void *in, unsigned bits, unsigned block_bytes,
                                     unsigned map, void *block);
/* DF-MAN: the whole block with the other sectors zeroed, or as it is where that is not larger.
 * Decoded with codec "dpc"; critical sectors come back exactly. */
CODEC_API unsigned codec_dpc_man_size(const void *block, unsigned block_bytes, unsigned map);
CODEC_API unsigned codec_dpc_man_encode(const void *block, unsigned block_bytes, unsigned map,
                                        void *out);

/* ---- bdi-lanes: one of its forms by itself, as assist warps make it ---- */

enum { CODEC_BDI_LANES_FORMS = 8 }; /* an encoding's first byte is its form */

/* The block in this form; 8 * block_bytes bits: it does not fit. `out` has room for block_bytes. */
CODEC_API unsigned codec_bdi_lanes_encode(const void *block, unsigned block_bytes, unsigned form,
                                          void *out);
/* Bit i: value i of the encoded block is relative to its base. 0 for forms without deltas. */
CODEC_API uint64_t codec_bdi_lanes_mask(const void *in, unsigned block_bytes);
/* Writes form and mask where they stand in an encoding, and what pads before the base. */
CODEC_API void codec_bdi_lanes_head(void *out, unsigned block_bytes, unsigned form, uint64_t mask);
/* How long an encoding of this form is. */
CODEC_API unsigned codec_bdi_lanes_bytes(unsigned form, unsigned block_bytes);

/* ---- G-Scalar's register compression under an active mask ---- */

/* The largest k such that the k most significant bytes agree over the active lanes (4 if none). */
CODEC_API unsigned codec_gsr_equal_bytes(const uint32_t *lanes, unsigned n, uint32_t active);
/* enc[3:0]: 4 -> 1111, 3 -> 1110, 2 -> 1100, 1 -> 1000, 0 -> 0000. */
CODEC_API unsigned codec_gsr_enc(unsigned equal_bytes);

/* CRC-32 (IEEE 802.3) of `bytes` more bytes; start with crc = 0. */
CODEC_API uint32_t codec_crc32(uint32_t crc, const void *data, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
