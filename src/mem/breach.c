/* What a policy must not do, noted where it happens. */
#include "mem/breach.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void breach_note(struct breach *b, enum tech_seam seam, const char *fmt, ...)
{
    char what[sizeof b->what];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    if (!b)
        panic("a policy: %s", what);
    if (b->is_noted)
        return;
    memcpy(b->what, what, sizeof what);
    b->seam = seam;
    b->is_noted = true;
    atomic_store_explicit(b->any, true, memory_order_relaxed);
}
