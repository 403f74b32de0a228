/* Routines of codecs that are executed when they start, ahead of their instructions' time.
 *
 * While it is executed, nobody but the instance itself sees its registers and its windows of shared
 * memory, and a codec's routine may touch nothing else. So values are the same whenever its
 * instructions are executed, and only what time needs of each is kept until it is issued: which one
 * it is, its lanes, its cycles of shared memory. All instances of an SM that go ahead have the same
 * windows, one after the other, and those of a routine the same registers. */
#ifndef TECH_ASSIST_AHEAD_H
#define TECH_ASSIST_AHEAD_H

#include "tech/assist/aws.h"

/* Instructions that an instance executes ahead; one that needs more is executed as it is issued. */
enum { AHEAD_MOST = 160 };

/* Sets can_go_ahead, alike, has_places and repeats. */
void ahead_find(struct routine *r);

#endif
