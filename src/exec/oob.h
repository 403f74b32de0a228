/* --oob warn: a global access outside every allocation is reported, once a place, and goes on as on
 * a GPU, which maps memory in pages. Bytes of a page with a live allocation exist, whosever they
 * are; elsewhere is a hole, which reads as 0 and drops what is written (an atomic finds 0). Nothing
 * but device memory is ever touched. Misaligned accesses, shared and local memory still fault. */
#ifndef EXEC_OOB_H
#define EXEC_OOB_H

#include "exec/memory.h"

/* Of a device; what has been reported, over all launches. */
struct oob;
struct oob *oob_new(struct device *d, struct err *err);
void oob_free(struct oob *o);
uint64_t oob_accesses(const struct oob *o); /* of threads */
uint64_t oob_places(const struct oob *o);   /* instructions of kernels */

/* What one grid, or an SM's part of it, has done: kept there, so that the order of reports does not
 * depend on host threads. */
struct oob_log;
void oob_log_free(struct oob_log *l);

/* Notes the lane's access; false: the device does not allow it. */
bool oob_note(struct warp *w, const struct xinst *x, const struct access *a, unsigned lane);
/* Makes the access harmless in `lanes`, which are outside every allocation. */
void oob_redirect(struct warp *w, const struct xinst *x, struct access *a, uint32_t lanes);
/* Between runs: what the part has noted goes to the whole; and is reported. */
void oob_merge(struct grid *into, struct grid *part);
void oob_report(struct grid *g);

#endif
