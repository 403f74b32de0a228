/* The relative error of two floats as a circuit of eight bits finds it, without a divider (Lock and
 * Load, Section 3.3): the difference of the upper mantissas times a reciprocal of three pieces. */
#ifndef BASE_COARSE_ERROR_H
#define BASE_COARSE_ERROR_H

#include <stdint.h>

/* Constants of the reciprocal's second and third piece. */
struct coarse_pieces {
    uint32_t second, third;
};

/* Those with the error that the text states, 3.4%; it prints 0xf6 and 0xdf (6.7% and 24.5%). */
#define COARSE_PIECES ((struct coarse_pieces){0xf0, 0xbf})

enum { COARSE_ERROR_BITS = 15 };

enum coarse_result { COARSE_FOUND, COARSE_EXPONENTS_DIFFER, COARSE_SIGNS_DIFFER };

/* 1/x of a divisor of 1.7 bits whose lower seven these are, as 0.8. */
uint32_t coarse_reciprocal(struct coarse_pieces p, uint32_t div);

/* The error in units of 2^-COARSE_ERROR_BITS, where the circuit gets that far. Bits of floats. */
enum coarse_result coarse_error(struct coarse_pieces p, uint32_t a, uint32_t b, uint32_t *error);

#endif
