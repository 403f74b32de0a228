/* Where assist warps of a kernel have their registers: every thread has more, or, where that would
 * cost blocks, they share those that no block can have. */
#ifndef TECH_CABA_CABA_PLACE_H
#define TECH_CABA_CABA_PLACE_H

#include "sm/sm.h"
#include "tech/assist/assist.h"
#include "tech/caba/adapt_rules.h"
#include "tech/tech.h"

/* What an SM has for a kernel: `registers` are a thread's for assist warps; `has_spares` says
 * whether instances may use those that no block can have. */
struct adapt_room caba_room(const struct sm_cfg *sm, const struct sm_kernel *k, uint32_t registers,
                            bool has_spares);

struct caba_place;

/* `least` instances must fit, or every thread has more. */
struct caba_place *caba_place_new(const struct sm_cfg *sm, struct assist *assist, uint32_t least);
void caba_place_free(struct caba_place *p);
/* Before its blocks are given to SMs. */
void caba_place_launch(struct caba_place *p, const struct sm_kernel *k);

#endif
