/* In which form each line of a channel lies, in its L2 slices and in DRAM: the form policy.
 *
 * The host leaves lines encoded where that saves bursts. A line that an SM has written as a whole
 * lies as the SM sent it. What the device was filled with, or nobody has written, is raw. */
#ifndef TECH_CABA_CABA_FORM_H
#define TECH_CABA_CABA_FORM_H

#include "tech/block_sizes.h"
#include "tech/tech.h"

struct caba_form_stats {
#define COUNTER(...) STAT_MEMBER_COUNTER(__VA_ARGS__)
#include "tech/caba/caba_form_stats.def"
#undef COUNTER
};

extern const struct stat_row caba_form_stat_rows[];
extern const size_t caba_form_nstat_rows;

struct caba_form;

struct caba_form *caba_form_new(const struct tech_machine *m);
void caba_form_free(struct caba_form *f);
/* `is_raw_after_use`: of the L2's copies. */
struct form_policy caba_form_policy(struct caba_form *f, bool is_raw_after_use);
/* The host has written the line, which is of this channel. */
void caba_form_host(struct caba_form *f, addr_t line, struct line_form form);
const struct caba_form_stats *caba_form_stats(const struct caba_form *f);

#endif
