/* Whether an instruction looks at, or leaves, more than the low 8 bytes of its SIMD registers: what
 * a table of the memoization unit cannot keep. */
#ifndef A64_WIDTH_H
#define A64_WIDTH_H

#include <stdbool.h>
#include <stdint.h>

struct a64_width {
    bool reads, writes; /* more than 8 bytes of some register */
};

/* Of the word of a valid instruction. Where it is not sure the answer is yes. */
struct a64_width a64_width_of(uint32_t word);

#endif
