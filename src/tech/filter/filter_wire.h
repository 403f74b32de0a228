/* How many bytes an answer takes on the interconnect. A line and its map are in parts of 32 bytes,
 * as the codec has them. */
#ifndef TECH_FILTER_FILTER_WIRE_H
#define TECH_FILTER_FILTER_WIRE_H

#include "parsim/codec.h"
#include "tech/filter/filter.h"

/* Of df-ALG: n sub-blocks are encoded as blocks of 4, 2 and 1 parts, by the bits of n. */
enum { FILTER_BLOCKS = 3 };

struct filter_wire {
    enum filter_method method;
    struct codec *codecs[FILTER_BLOCKS]; /* of 1, 2 and 4 parts; NULL: DPC */
    enum filter_fill fill;               /* of df-man */
    uint32_t line_bytes;                 /* of the L2 */
    uint32_t sector_shift;               /* of the caches */
    struct mem_image image;
    bool verify;
};

struct filter_size {
    uint32_t bytes;
    bool is_raw;
    bool is_filled; /* of df-man: what nobody asked for is not the line's */
};

/* For a machine; false and an error: it has other lines than the codec. */
bool filter_wire_init(struct filter_wire *w, enum filter_method method, const struct filter_cfg *c,
                      const struct tech_machine *m, const struct tech_design *d, struct err *err);
void filter_wire_free(struct filter_wire *w);
/* Cycles of the circuits: `set`, or if that is negative what is published for the codec (DPC: 2).
 */
uint32_t filter_wire_encode_cycles(const struct filter_wire *w, int64_t set);
uint32_t filter_wire_decode_cycles(const struct filter_wire *w, int64_t set);

/* Of the parts `map` of a line (parts of 32 bytes). `is_cut`: of an answer to a request that said
 * what it needs. With `verify`, it was encoded, decoded and compared; `addr` is for the message
 * when it does not come back as it was, which is a bug. */
struct filter_size filter_wire_size(const struct filter_wire *w, addr_t addr, const void *line,
                                    unsigned map, bool is_cut);
/* Of the answer `r`, which brings the sub-blocks `sectors` of the asker's line. */
struct filter_size filter_wire_answer(const struct filter_wire *w, const struct mem_req *r,
                                      uint16_t sectors);
/* What the answer would take if it was not encoded: more than that is never sent. */
uint32_t filter_wire_raw_bytes(const struct filter_wire *w, const struct mem_req *r,
                               uint16_t sectors);

#endif
