/* What lines of a kind are read for until they leave: of a kind are those whose first read needs
 * the same sub-blocks and comes from the same load of the kernel, or is of the same region of
 * memory. */
#ifndef TECH_FILTER_PREDICT_H
#define TECH_FILTER_PREDICT_H

#include "tech/filter/filter.h"

/* A line in the cache, or on its way: which load has missed it. */
struct predict_line {
    addr_t line;
    uint16_t load;
    bool is_known;
};

struct predictor {
    enum filter_predict by;
    uint32_t entries, nlines;
    uint32_t region_shift;
    uint8_t *maps; /* by kind; 0: not known */
    struct predict_line *lines;
};

/* `lines` that the cache has. */
void predict_init(struct predictor *p, const struct filter_cfg *c, uint32_t lines);
void predict_free(struct predictor *p);
/* The map of the kind; 0: not known. */
uint16_t predict_map(const struct predictor *p, addr_t line, uint16_t load, uint16_t need);
/* A first miss of `line` was made by `load`. */
void predict_begin(struct predictor *p, addr_t line, uint16_t load);
/* The line has left. */
void predict_end(struct predictor *p, addr_t line, const struct line_life *life);

#endif
