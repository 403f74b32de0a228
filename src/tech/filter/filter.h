/* Data criticality (J. Byoun, "Data Traffic Reduction by Exploiting Data Criticality with a
 * Compressor in GPU", 2018): misses ask for the sub-blocks of a line that are needed, a memory node
 * cuts the answers and compresses what is left. docs/criticality.md has the words used here.
 *
 *   rc           what a miss asks for, and the windows that it goes by
 *   predict      what lines of a kind were read for
 *   replay       what every line was read for in a run before
 *   filter_sm    an SM: tells first, subsequent and invalid misses apart, learns, decodes
 *   filter_table a memory node's requests for parts of lines
 *   filter_node  a memory node: joins requests, cuts and encodes answers
 *   filter_wire  how many bytes an answer takes
 *
 * A sub-block is a sector of the caches; a map has a bit for each, in the asker's line. */
#ifndef TECH_FILTER_FILTER_H
#define TECH_FILTER_FILTER_H

#include "tech/tech.h"

enum filter_decide { FILTER_RC, FILTER_NEED, FILTER_FULL };
enum filter_windows { FILTER_BY_USED, FILTER_BY_FIRST };
enum filter_predict { FILTER_PREDICT_NONE, FILTER_PREDICT_REGION, FILTER_PREDICT_LOAD };
enum filter_learn { FILTER_USED, FILTER_ASKED };
enum filter_sub { FILTER_SUB_REST, FILTER_SUB_NEED };
enum filter_refill { FILTER_REPLACE, FILTER_APPEND };
enum filter_wake { FILTER_WAKE_ALL, FILTER_WAKE_OWN };
enum filter_fill { FILTER_ZERO, FILTER_COPY };

struct filter_cfg {
#define ROWS_FILE "tech/filter/filter_cfg.def"
#include "parsim/rows_members.h"
};

/* How answers are made smaller. */
enum filter_method {
    FILTER_WHOLE,      /* dpc: nothing is cut */
    FILTER_RAW,        /* df-raw: cut, not compressed */
    FILTER_TRUNCATE,   /* df-truc: cut and compressed */
    FILTER_CODEC,      /* df-ALG: cut, and compressed with another codec */
    FILTER_MANIPULATE, /* df-man: compressed as a line that compresses well where nobody asked */
};

static inline bool filter_method_encodes(enum filter_method m)
{
    return m != FILTER_RAW;
}

/* A request of a data cache for global memory brings the map of what its access needs in its byte
 * of metadata; others (past the tags, of other caches and memories) bring 0. */
enum {
    FILTER_META_NEED = 0x0f,
    FILTER_META_REST = 0x10,     /* it asks for all that its cache lacks of the line */
    FILTER_META_SURE = 0x20,     /* no more of the line is likely to be needed */
    FILTER_META_LATER = 0x40,    /* what its access does not need yet: a request before has that */
    FILTER_META_OVERFLOW = 0x80, /* the node's: it has no entry in the table */
};

static inline bool filter_is_cut(const struct mem_req *r)
{
    return r->meta & FILTER_META_NEED;
}

/* Sub-blocks of the asker's line that the answer costs on the wire. */
static inline uint16_t filter_sent_sectors(const struct filter_cfg *c, const struct mem_req *r)
{
    return c->ideal && filter_is_cut(r) ? r->meta & FILTER_META_NEED : r->sectors;
}

#endif
