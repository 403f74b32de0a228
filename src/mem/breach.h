/* A policy has done what its seam does not allow (parsim/seams_*.h). The part of the machine that
 * asked it notes the first such thing, goes on with what it would do without the answer, and the
 * run ends with an error at the next meeting point: the same on any number of host threads. */
#ifndef MEM_BREACH_H
#define MEM_BREACH_H

#include "base/common.h"
#include "parsim/seams.h"

#include <stdatomic.h>

/* Of one SM, slice or channel. */
struct breach {
    atomic_bool *any;    /* one for all of a machine */
    bool is_noted;       /* it happened */
    enum tech_seam seam; /* SEAMS: of none; a function of struct tech_api was misused */
    char what[160];      /* a sentence without its subject */
};

/* Without a machine (`b` is NULL, in rigs of tests) a panic. */
COLD void breach_note(struct breach *b, enum tech_seam seam, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* `n`, or 0 where it is more than a policy may answer. */
static inline uint32_t breach_above(struct breach *b, enum tech_seam seam, uint32_t n,
                                    uint32_t most, const char *what)
{
    if (LIKELY(n <= most))
        return n;
    breach_note(b, seam, "%s (%u): %u", what, most, n);
    return 0;
}

#endif
