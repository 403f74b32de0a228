/* Routines of codecs that have no branches, so that what they do can be executed when they start.
 *
 * Nobody but the instance itself sees its registers and its windows of shared memory, and a codec's
 * routine may touch nothing else. So values are the same whenever its instructions are executed, and
 * only what time needs of each is kept until it is issued: its lanes, its cycles of shared
 * memory. */
#ifndef TECH_ASSIST_STRAIGHT_H
#define TECH_ASSIST_STRAIGHT_H

#include "tech/assist/aws.h"

enum { STRAIGHT_MOST = 64 };

/* Sets nstraight and alike. */
void straight_find(struct routine *r);

#endif
