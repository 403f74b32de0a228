/* An engine beside an L1 that takes any number of jobs and needs the same time for each; it stands
 * in for assist warps that cost nothing but latency. */
#ifndef TECH_CABA_FIXED_ENGINE_H
#define TECH_CABA_FIXED_ENGINE_H

#include "tech/line_codecs.h"

struct fixed_engine;

/* `latency` 0: every job is done at once. `codec` says what stores become, and stays the caller's.
 */
struct fixed_engine *fixed_engine_new(const struct line_codecs *codec, uint32_t latency);
void fixed_engine_free(struct fixed_engine *e);
struct codec_engine fixed_engine_seam(struct fixed_engine *e);

#endif
