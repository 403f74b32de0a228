/* Codeword lengths of a length-limited prefix code, by package-merge. */
#ifndef HUFF_LENGTHS_H
#define HUFF_LENGTHS_H

#include "base/common.h"

/* weights[0..n) ascending (zero is allowed), n <= 2^max_len; lens[i] in 1..max_len is optimal for
 * that limit. A lone symbol gets one bit. */
void huff_lengths(const uint64_t *weights, unsigned n, unsigned max_len, uint8_t *lens);

#endif
