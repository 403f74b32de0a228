/* Loops in which a thread waits for what another one writes: locks, flags, software barriers. How
 * often such a loop turns is a matter of time, not of the program, so nobody may count on it. */
#ifndef PTX_WAITS_H
#define PTX_WAITS_H

#include "ptx/ir.h"

/* The first instruction that such a loop asks memory with (or sleeps); NULL: there is none. A loop
 * counts as one if a volatile or ordered load, an exchange or a compare-and-swap in it asks for the
 * same every time and says where the loop goes on. Retried swaps of a value that was just read
 * (float atomics), counters that hand out work and loops with barriers are none. */
const struct ptx_inst *ptx_waits(const struct ptx_func *f);

#endif
