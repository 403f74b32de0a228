/* The probe that nobody listens to. */
#include "sim/probe.h"

const struct probe probe_null = {NULL, NULL, NULL};

void probe_add(const struct probe **at, struct probe *p)
{
    p->next = *at == &probe_null ? NULL : *at;
    *at = p;
}

/* Probes are their observers', who gave them to be changed here. */
void probe_drop(const struct probe **at, struct probe *p)
{
    const struct probe **place = at;
    while (*place && *place != p)
        place = (const struct probe **)(uintptr_t) & (*place)->next;
    if (*place)
        *place = p->next;
    if (!*at)
        *at = &probe_null;
}
