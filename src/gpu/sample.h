/* --sample: launches that stand for others, and what a sampled run amounts to.
 *
 * Of launches of one kernel with blocks of one shape and about as many of them, some are simulated
 * (in part: forward.h); the others run functionally, leave in the L2 what they touched, and take as
 * long as alike.h predicts. The better its predictions are, the more may pass before the next one
 * is simulated. Where warps had to go forward (forward.h), which is a guess, one is simulated whole
 * as soon as a part of one has been spent on guesses, and stands for the others: launches that do
 * not come often do not pay for it.
 */
#ifndef GPU_SAMPLE_H
#define GPU_SAMPLE_H

#include "gpu/session.h"

struct sample_stats {
#define ROWS_FILE "gpu/sample.def"
#include "parsim/rows_members.h"
};

struct sample;

/* What can not be asked for with it. */
bool sample_check(const struct session_options *o, struct err *err);
/* NULL: the machine has a design that does not bear it. Sampling begins on the machine. */
struct sample *sample_new(struct gpu *g, struct err *err);
void sample_free(struct sample *s);

/* Whether the launch, which runs alone, is to be passed over; and runs it so. */
bool sample_passes(struct sample *s, const struct launch *l);
bool sample_pass(struct sample *s, struct device *d, const struct launch *l,
                 struct launch_result *result, struct err *err);
/* Before the launch, which runs alone, is simulated: whole, if one like it was only guessed. */
void sample_begin(struct sample *s, const struct launch *l);
/* Kernels of the machine's list, from `first` on, have been simulated; `launch` if it was one
 * alone.
 */
void sample_simulated(struct sample *s, size_t first, const struct launch *l);

/* All statistics, extrapolated; of the last launch or group of launches alone, which the caller
 * frees. */
struct stats *sample_stats(struct sample *s);
struct stats *sample_last(struct sample *s);
const struct sample_stats *sample_counts(struct sample *s);

#endif
