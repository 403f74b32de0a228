/* The Assist Warp Controller of one SM: a warp_source and a codec_engine.
 *
 * A trigger (an event of the program, or a job of the L1) makes an instance of a routine for a
 * parent warp. It waits until its routine is not active for that warp and the Assist Warp Table has
 * a free row. Every cycle the controller takes the next row in turn and stages at most
 * deploy_width of its instructions: those of high priority in the parent's partition of the
 * instruction buffer, those of low priority in a few entries of the SM's own (the Assist Warp
 * Buffer). They issue before the program's instructions, or in slots that these leave. While an
 * instance of high priority exists, its parent does not issue.
 *
 * All instances of a module on an SM share its .shared variables; each row has two line windows and
 * a result word behind them. Instructions are executed on real bytes when they are issued. */
#ifndef TECH_ASSIST_AWC_H
#define TECH_ASSIST_AWC_H

#include "tech/assist/assist_stats.h"
#include "tech/assist/aws.h"
#include "tech/line_codecs.h"

struct assist_cfg {
#define ROWS_FILE "tech/assist/assist_cfg.def"
#include "parsim/rows_members.h"
};

/* Lines that are written and wait to be encoded: always, and in shared memory that blocks leave. */
struct store_room {
    uint32_t lines, shared_lines;
    uint32_t hold; /* cycles that a line which was written in part is kept for other parts */
};

struct awc;

struct awc *awc_new(const struct aws *aws, const struct assist_cfg *cfg, uint32_t sm);
void awc_free(struct awc *c);
struct warp_source awc_source(struct awc *c);
/* For lines coded with `codec`, which stays the caller's. With `verify`, what every instance has
 * made is compared with the codec's; a difference is a fault that stops the run. */
struct codec_engine awc_engine(struct awc *c, const struct line_codecs *codec,
                               const struct store_room *room, bool verify);
/* Who says what registers a kernel's threads need more; unless bound, all that there are routines
 * for. */
void awc_bind_registers(struct awc *c,
                        uint32_t (*registers)(const void *ctx, const struct kernel *k),
                        const void *ctx);
/* Warps have no registers for instances, which find only those that no block can have. */
void awc_set_bare(struct awc *c, bool is_bare);
/* A kernel is about to begin: if none runs, what was kept of regions is forgotten. */
void awc_launch(struct awc *c);
const struct assist_stats *awc_stats(const struct awc *c);
const struct assist_codec_stats *awc_codec_stats(const struct awc *c);
const struct assist_interrupt_stats *awc_interrupt_stats(const struct awc *c);
/* The .shared variables of a module on this SM. */
const void *awc_shared(const struct awc *c, uint32_t module);

#endif
