/* A stride that was met twice is followed, a line at a time at least. */
#include "a64/stride.h"

#include <stdlib.h>

enum { SURE = 2 };

void stride_init(struct stride *s, unsigned sets, unsigned degree, unsigned line_bytes)
{
    *s = (struct stride){.sets = sets, .degree = degree, .line_bytes = line_bytes};
    s->entries = xcalloc((size_t)sets * STRIDE_WAYS, sizeof *s->entries);
}

void stride_free(struct stride *s)
{
    free(s->entries);
    s->entries = NULL;
}

/* That of pc, or the one used longest ago, as a new one. */
static struct stride_entry *entry_of(struct stride *s, uint64_t pc, uint64_t addr)
{
    struct stride_entry *set = &s->entries[(pc / 4 & (s->sets - 1)) * STRIDE_WAYS], *oldest = set;
    for (unsigned w = 0; w < STRIDE_WAYS; w++) {
        if (set[w].used && set[w].pc == pc)
            return &set[w];
        if (set[w].used < oldest->used)
            oldest = &set[w];
    }
    *oldest = (struct stride_entry){.pc = pc, .last = addr};
    return oldest;
}

unsigned stride_load(struct stride *s, uint64_t pc, uint64_t addr, uint64_t *to)
{
    struct stride_entry *e = entry_of(s, pc, addr);
    const int64_t stride = (int64_t)(addr - e->last), line = s->line_bytes;
    const bool is_same_line = addr / s->line_bytes == e->last / s->line_bytes;
    e->used = ++s->clock;
    e->last = addr;
    if (stride != e->stride || !stride) {
        e->sure = 0;
        e->stride = stride;
        return 0;
    }
    e->sure += e->sure < SURE;
    if (e->sure < SURE || is_same_line)
        return 0;
    const int64_t step = stride > -line && stride < line ? (stride < 0 ? -line : line) : stride;
    for (unsigned k = 0; k < s->degree; k++)
        to[k] = addr + (uint64_t)(step * (int64_t)(k + 1));
    return s->degree;
}
