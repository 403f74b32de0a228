/* Where loads that leave the SM spend their time: statistics of one SM, fed by answers. */
#ifndef SM_LOAD_STAGES_H
#define SM_LOAD_STAGES_H

#include "mem/mem_req.h"
#include "stats/stats.h"

struct load_stages {
#define ROWS_FILE "sm/load_stages.def"
#include "parsim/rows_members.h"
};

extern const struct stat_row load_stage_rows[];
extern const size_t load_nstage_rows;

/* Core cycles in a cycle of the interconnect's and the L2's clock: stamps are in their own clock's
 * cycles (mem_req.h). */
struct stage_clocks {
    double noc, l2;
};

enum { LOAD_STAGES = 6, ANSWERS_KEPT = 32 };

/* Answers that are not counted yet: histograms of all SMs together are too large for the host's
 * caches to visit six with each. */
struct answers {
    uint32_t n, from_dram;
    uint32_t took[ANSWERS_KEPT][LOAD_STAGES]; /* core cycles, in the order of load_stages.def */
};

/* The answer to a read has arrived; all its stamps are set. In core cycles, rounded down where
 * clocks differ. A request that joined a fetch on its way waits for the DRAM from its own arrival
 * at the L2. */
void load_stages_add(struct load_stages *st, struct answers *a, const struct stage_clocks *c,
                     const struct mem_req *r);
/* Before anybody looks at them. */
void load_stages_count(struct load_stages *st, struct answers *a);

#endif
