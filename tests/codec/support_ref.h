/* The oracle: every format written down a second time, from the specification, as strings of '0'
 * and '1', without a thought for speed. Shares no code with src/codec. */
#ifndef SUPPORT_REF_H
#define SUPPORT_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bitstr {
    char s[8192];
    size_t n;
    bool impossible; /* the format cannot express the block */
};

struct codec_table;

/* name: a codec without table or set; `b` is empty at first. */
void ref_encode(const char *name, const uint8_t *block, unsigned bytes, struct bitstr *b);
/* Codewords come from the lengths that the table reports. */
void ref_encode_e2mc(const struct codec_table *t, unsigned symbol_bits, unsigned ways,
                     const uint8_t *block, unsigned bytes, struct bitstr *b);
/* What is stored: the string's length, or 8 * bytes where that does not fit `limit` bytes. */
unsigned ref_stored_bits(const struct bitstr *b, unsigned bytes, unsigned limit);

#endif
