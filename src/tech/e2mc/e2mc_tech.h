/* Entropy encoding based memory compression: "E2MC: Entropy Encoding Based Memory Compression for
 * GPUs". Blocks are compressed in DRAM only; the L2 and the SMs see nothing of it.
 *
 * The code comes from a file, or from the blocks that are read and written until a number of
 * instructions (or blocks) has passed. Sampling and code generation take no time of their own. */
#ifndef TECH_E2MC_E2MC_TECH_H
#define TECH_E2MC_E2MC_TECH_H

#include "tech/tech.h"

struct e2mc_tech_cfg {
#define ROW(TYPE, name, ...) CONF_MEMBER_##TYPE name;
#include "tech/e2mc/e2mc_cfg.def"
#undef ROW
};

extern const struct conf_field e2mc_tech_fields[];
extern const size_t e2mc_tech_nfields;

bool e2mc_tech_cfg_check(const struct e2mc_tech_cfg *cfg, struct err *err);
bool e2mc_bind(const struct technique *t, const struct tech_machine *m, const void *cfg,
               struct tech_seams *s, struct tech_part *part, struct err *err);

#endif
