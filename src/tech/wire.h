/* Encoded blocks on the interconnect: the packet policy of one SM or one L2 slice.
 *
 * An answer with data is sent as the encoded block of the L2 where that is smaller than the sectors
 * asked for. A store is encoded where it writes a whole block. Atomics are sent raw.
 *
 * Or packets say themselves how large they are (mem_req.form), and the engines of the SM are
 * elsewhere. */
#ifndef TECH_WIRE_H
#define TECH_WIRE_H

#include "tech/block_codec.h"
#include "tech/engine.h"
#include "tech/tech.h"

struct wire_stats {
#define ROWS_FILE "tech/wire_stats.def"
#include "parsim/rows_members.h"
};

extern const struct stat_row wire_stat_rows[];
extern const size_t wire_nstat_rows;

struct wire_cfg {
    struct block_codec codec;
    struct engine_cfg encode, decode; /* of an SM, in its cycles; a slice has none here */
    bool is_told;                     /* by the packet how large it is; no codec, no engines */
};

struct wire;

struct wire *wire_new(const struct tech_machine *m, const struct wire_cfg *cfg);
void wire_free(struct wire *w);
struct packet_policy wire_policy(struct wire *w);
const struct wire_stats *wire_stats(const struct wire *w);

#endif
