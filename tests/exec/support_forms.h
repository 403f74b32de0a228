/* Every arithmetic form there is, one at a time, and operands for it. */
#ifndef TESTS_EXEC_SUPPORT_FORMS_H
#define TESTS_EXEC_SUPPORT_FORMS_H

#include "exec/support_lanes.h"

/* Where choices come from: a random number below n. */
struct form_source {
    uint64_t (*below)(struct form_source *s, uint64_t n);
};

/* One that needs nothing but a seed: {{form_random_below}, seed}. */
struct form_random {
    struct form_source base;
    uint64_t state;
};
uint64_t form_random_below(struct form_source *s, uint64_t n);

struct lane_form {
    char text[96];
    struct ptx_inst inst;
    struct ptx_operand ops[6];
    unsigned d, d2, src[4]; /* bytes of the registers; 0 = predicate, 0xff = absent */
};

unsigned forms_count(void);
/* Picks one of the instructions of template `index`. */
void form_make(struct lane_form *f, unsigned index, struct form_source *s);
/* An operand of so many bytes: often a special value. */
uint64_t form_operand(struct form_source *s, unsigned bytes);
/* Runs `f` on all CPU levels and checks each lane against the scalar reference. False, with the
 * difference on stderr, if they do not agree. */
bool form_check(const struct lane_form *f, struct form_source *s);

#endif
