/* The check that L1 and L2 configurations share. */
#ifndef MEM_CACHE_SHAPE_H
#define MEM_CACHE_SHAPE_H

#include "base/err.h"

enum { CACHE_SECTORS_MAX = 16 };

struct cache_shape {
    uint64_t size, ways, line_bytes, sector_bytes;
};

bool cache_shape_check(const struct cache_shape *s, const char *section, struct err *err);

#endif
