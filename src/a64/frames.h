/* Physical memory: a frame for every page that is accessed, in order of the first access. */
#ifndef A64_FRAMES_H
#define A64_FRAMES_H

#include "base/u64map.h"

enum { FRAMES_RECENT = 256 };

struct frames {
    struct u64map map;
    uint64_t n;
    struct {
        uint64_t page, frame; /* page + 1; 0: none */
    } recent[FRAMES_RECENT];
};

#define FRAMES_NONE UINT64_MAX

void frames_free(struct frames *f);
/* The physical address behind a guest's; a new frame if the page has none. */
uint64_t frames_address(struct frames *f, uint64_t addr);
/* FRAMES_NONE: the page was never accessed. */
uint64_t frames_known(const struct frames *f, uint64_t addr);

#endif
