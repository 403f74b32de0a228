/* The controller of caba-adaptive: which algorithm a region of memory gets, and whether the program
 * that runs has use for compression at all.
 *
 * The host measures what it copies, region by region, and leaves both forms in memory, raw and with
 * the algorithm that pays (or only raw, if none does). From which one the L2 fetches depends on
 * whether compression is on, until an SM writes the line. While it is off, no line is encoded.
 *
 * At every look the controller weighs what raw data would have used of DRAM and of the interconnect
 * since the last one. What it decides holds for the kernel, also at its next launch. Switched on,
 * it compares that with what it was before, and takes itself back if it is no more. A kernel whose
 * blocks would be fewer with registers for assist warps is launched without
 * them: instances then find registers among those that no block can have; where these are too few
 * it runs without compression, until it was seen to need bandwidth: then blocks that begin have
 * registers, and it is on when all blocks have. A launch begins as all of the last one needed. */
#ifndef TECH_CABA_ADAPT_H
#define TECH_CABA_ADAPT_H

#include "tech/assist/assist.h"
#include "tech/caba/caba.h"
#include "tech/caba/caba_form.h"
#include "tech/cmem.h"
#include "tech/wire.h"

struct adapt_stats {
#define ROWS_FILE "tech/caba/adapt_stats.def"
#include "parsim/rows_members.h"
};

extern const struct stat_row adapt_stat_rows[];
extern const size_t adapt_nstat_rows;

struct adapt;

/* Where it reads what the program has moved; they stay the caller's. */
struct adapt_sources {
    struct cmem *const *memory; /* by channel */
    struct caba_form *const *forms;
    struct wire *const *sms, *const *slices;
};

struct adapt *adapt_new(const struct tech_machine *m, const struct caba_cfg *cfg,
                        const struct line_codecs *codec);
void adapt_free(struct adapt *a);
void adapt_bind_sources(struct adapt *a, const struct adapt_sources *from);
/* What decoding costs, from the routines; and registers by kernel. Without: nothing. */
void adapt_bind_assist(struct adapt *a, struct assist *assist, bool has_spares);
/* An SM's engine behind a gate: stores of lines pass while compression is on, with their region's
 * algorithm. */
struct codec_engine adapt_gate(struct adapt *a, uint32_t sm, struct codec_engine engine);
/* Whether compression is on, and whether nobody who runs has registers to decode with; change only
 * while nothing runs. */
const bool *adapt_switch(const struct adapt *a);
const bool *adapt_raw_only(const struct adapt *a);

/* The host has written these bytes, which lie in one region: the algorithm, or ADAPT_RAW. */
int adapt_measure(struct adapt *a, addr_t addr, uint64_t bytes);
uint64_t adapt_region_bytes(const struct adapt *a);
void adapt_look(struct adapt *a, const struct tech_look *at);
void adapt_launch(struct adapt *a, const struct sm_kernel *k);
const struct adapt_stats *adapt_stats(const struct adapt *a);

#endif
