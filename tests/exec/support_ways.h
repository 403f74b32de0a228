/* Kernels that are run both ways: as ever, and on a device with a checker, which never goes the
 * short way of loads and stores. What is in memory, what they wrote and what they say must be the
 * same. */
#ifndef TESTS_EXEC_SUPPORT_WAYS_H
#define TESTS_EXEC_SUPPORT_WAYS_H

#include "exec/check.h"
#include "exec/fixture.h"

enum { WAYS_MEM_BYTES = 4096, WAYS_OUT_BYTES = 48 << 10 };

/* A kernel's text while it is written. */
struct text {
    char buf[32768];
    size_t len;
};
PRINTF_LIKE(2, 3) void say(struct text *t, const char *fmt, ...);

/* A device, the memory that kernels access, where they put what they have seen, a checker. Kernels
 * are called k, have the two as parameters and run with this grid. */
struct ways {
    struct device *dev;
    struct mem_alloc *mem, *out;
    struct checker *check;
    uint32_t blocks, threads;
    unsigned good, bad; /* how many ended well, and how many with a fault */
};

void ways_open(struct ways *w, uint32_t blocks, uint32_t threads);
void ways_close(struct ways *w);
/* Runs `checked_text` the checked way and `t` the other; they are the same text, or differ in how
 * they say it: then only whether there is a fault must be the same of what they say. */
void ways_compare(struct ways *w, const struct text *checked_text, const struct text *t);

#endif
