/* The stride prefetcher: loads by their own address, and the lines that they are going to want. */
#ifndef A64_STRIDE_H
#define A64_STRIDE_H

#include "base/common.h"

enum { STRIDE_WAYS = 4 };

struct stride_entry {
    uint64_t pc, last, used; /* used 0: free */
    int64_t stride;
    unsigned sure; /* how often the stride was the same */
};

struct stride {
    unsigned sets, degree, line_bytes;
    uint64_t clock;
    struct stride_entry *entries;
};

void stride_init(struct stride *s, unsigned sets, unsigned degree, unsigned line_bytes);
void stride_free(struct stride *s);
/* The load at pc accesses addr: addresses of lines to ask for into `to`, at most `degree`. */
unsigned stride_load(struct stride *s, uint64_t pc, uint64_t addr, uint64_t *to);

#endif
