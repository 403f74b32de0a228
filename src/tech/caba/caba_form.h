/* In which form each line of a channel lies, in its L2 slices and in DRAM: the form policy.
 *
 * The host leaves lines encoded where that saves bursts: what it copies, and what it lets the
 * device be filled with. So do lines that nobody has written, as they are when they are touched
 * first: the rule of the circuits' designs. A line that an SM has written as a whole lies as the SM
 * sent it. */
#ifndef TECH_CABA_CABA_FORM_H
#define TECH_CABA_CABA_FORM_H

#include "tech/cmem.h"
#include "tech/line_codecs.h"
#include "tech/tech.h"

struct caba_form_stats {
#define ROWS_FILE "tech/caba/caba_form_stats.def"
#include "parsim/rows_members.h"
};

extern const struct stat_row caba_form_stat_rows[];
extern const size_t caba_form_nstat_rows;

struct caba_form;

/* Both switches stay the caller's. Lines of which memory has both forms are fetched encoded while
 * `is_on` is true; while `is_raw_only` is, an L2 that has one encoded fetches it again, raw. NULL:
 * there are no such lines. */
struct caba_form *caba_form_new(const struct tech_machine *m, const bool *is_on,
                                const bool *is_raw_only, uint64_t region);
void caba_form_free(struct caba_form *f);
/* Reads of lines are counted from now on, for who asks for them (line_form.reads). */
void caba_form_count_reads(struct caba_form *f);
/* `is_raw_after_use`: of the L2's copies. */
struct form_policy caba_form_policy(struct caba_form *f, bool is_raw_after_use);
/* Lines that nobody has written are encoded when they are asked for first; the channel's memory is
 * told. */
void caba_form_encode_untouched(struct caba_form *f, const struct line_codecs *codec,
                                struct cmem *memory);
/* The host has written the line, which is of this channel. */
void caba_form_host(struct caba_form *f, addr_t line, struct line_form form);
/* ... and left it raw, and beside that in this form. */
void caba_form_host_both(struct caba_form *f, addr_t line, struct line_form form);
/* Whether how the line lies must be looked up: the line, or another one of its region, may lie
 * encoded. */
bool caba_form_is_mixed(const void *self, addr_t line);
const struct caba_form_stats *caba_form_stats(const struct caba_form *f);

#endif
