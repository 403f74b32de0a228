/* Launches that need not run again (--checkpoint FILE, --resume FILE): those that --kernel, --skip
 * and
 * --count leave untimed before the first that is timed. The file has, of each, a hash of all device
 * memory before it, the pages that it changed, and what it touched, in order, so that caches are as
 * warm; the host program runs again and everything behind is the same to the bit. */
#ifndef GPU_CHECKPOINT_H
#define GPU_CHECKPOINT_H

#include "exec/grid.h"

struct checkpoint;

/* To be written; the file is there when checkpoint_end() has been called. */
struct checkpoint *checkpoint_create(const char *path, struct err *err);
/* To be read. */
struct checkpoint *checkpoint_open(const char *path, struct err *err);
void checkpoint_free(struct checkpoint *c);
bool checkpoint_is_resumed(const struct checkpoint *c);

/* What a launch touches while it runs, to be kept. */
void checkpoint_touched(struct checkpoint *c, addr_t line, bool is_write);
/* Of one that is to be kept: before it runs, and after. */
void checkpoint_before(struct checkpoint *c, const struct device *d);
bool checkpoint_after(struct checkpoint *c, const struct device *d, const struct launch *l,
                      const struct launch_result *result, struct err *err);
/* Of one that the file has: puts its results into device memory and tells `touched` what it
 * touched. False with an error: it is another launch, or memory was other before it. */
bool checkpoint_replay(struct checkpoint *c, struct device *d, const struct launch *l,
                       struct launch_result *result,
                       void (*touched)(void *ctx, addr_t line, bool is_write), void *ctx,
                       struct err *err);
/* Whether the file has another launch. */
bool checkpoint_has_more(const struct checkpoint *c);
/* The first timed launch: the file is whole. Does nothing the second time. */
bool checkpoint_end(struct checkpoint *c, struct err *err);

#endif
