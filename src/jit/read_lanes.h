/* What translated loads call for a strip whose lanes are not all active, side by side or at one
 * place. */
#ifndef JIT_READ_LANES_H
#define JIT_READ_LANES_H

#include "exec/translate.h"

#include <stdint.h>

enum { READ_WORDS = 2 * RUN_STRIP_LANES }; /* of 8 bytes: four of 4, or two of 8, a lane */

/* room[] has the addresses of a strip's lanes, and gets the words read: the first of every lane,
 * the second of every lane, ... Returns the active lanes that are not aligned or not within lo to
 * lo + size, where an access may begin; they read nothing. A strip whose lanes are all active is
 * counted. */
typedef uint64_t read_lanes_fn(uint64_t *room, uint64_t lo, int64_t size, uint64_t host,
                               uint64_t active, uint32_t *count);

/* For `n` words of `bits` each; words of less than 32 bits are extended to that. */
read_lanes_fn *read_lanes_of(unsigned bits, unsigned n);

#endif
