/* One memory node: the packet policy of an L2 slice. */
#ifndef TECH_FILTER_FILTER_NODE_H
#define TECH_FILTER_FILTER_NODE_H

#include "tech/engine.h"
#include "tech/filter/filter_table.h"
#include "tech/filter/filter_wire.h"

struct filter_node_stats {
#define ROWS_FILE "tech/filter/filter_node_stats.def"
#include "parsim/rows_members.h"
};
extern const struct stat_row filter_node_stat_rows[];
extern const size_t filter_node_nstat_rows;

struct filter_node {
    const struct filter_cfg *cfg;
    const struct filter_wire *wire;
    uint32_t flit_bytes;
    uint16_t all; /* sub-blocks of a line */
    struct filter_table table;
    struct engine encode;
    struct filter_node_stats stats;
};

/* `cfg` and `wire` must outlive it. */
void filter_node_init(struct filter_node *n, const struct filter_cfg *cfg,
                      const struct filter_wire *wire, const struct tech_machine *m);
void filter_node_free(struct filter_node *n);
/* `cuts`: requests say what they need. */
struct packet_policy filter_node_packets(struct filter_node *n, bool cuts);

#endif
