/* Data arrays of segments, that hold lines by their size. */
#ifndef TECH_SEGMENTS_H
#define TECH_SEGMENTS_H

#include "tech/tech.h"

/* `name` wants a data array of segments in the L1 or the L2: false if that could get stuck. */
bool segments_check(const struct tech_machine *m, const char *name, bool is_l1,
                    int64_t segment_bytes, struct err *err);

#endif
