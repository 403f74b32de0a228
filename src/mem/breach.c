/* What a policy must not do, noted where it happens. */
#include "mem/breach.h"

void breach_note(struct breach *b, enum tech_seam seam, const char *what)
{
    if (!b)
        panic("a policy %s", what);
    if (b->what)
        return;
    b->what = what;
    b->seam = seam;
    atomic_store_explicit(b->any, true, memory_order_relaxed);
}
