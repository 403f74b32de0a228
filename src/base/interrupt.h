/* SIGINT and SIGTERM. A command that can end in the middle with what it has looks at
 * interrupt_signal() now and then; a second signal, a quarter of a second or more after the first,
 * ends the process at once. */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include "base/common.h"

/* For a command of its own process: until interrupt_catch(), a signal ends it at once with exit
 * code 128 + its number. Temporary files (tempfile.h) are removed in all cases. */
void interrupt_start(void);
/* From now on the first signal is only noted. */
void interrupt_catch(void);
/* The same in somebody else's process: only signals that it has not taken over itself, and none in
 * the children that it forks. */
void interrupt_catch_unclaimed(void);

/* The signal that was noted; 0 = none. */
int interrupt_signal(void);
/* "SIGINT", "SIGTERM"; NULL for others. */
const char *interrupt_name(int sig);
/* Sleeps until a signal is noted. */
void interrupt_wait(void);

#endif
