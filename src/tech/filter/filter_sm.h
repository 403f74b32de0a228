/* One SM: its L1's request policy and the packet policy of what it sends and gets. */
#ifndef TECH_FILTER_FILTER_SM_H
#define TECH_FILTER_FILTER_SM_H

#include "tech/engine.h"
#include "tech/filter/filter_wire.h"
#include "tech/filter/predict.h"
#include "tech/filter/rc.h"
#include "tech/filter/replay.h"

struct filter_stats {
#define ROWS_FILE "tech/filter/filter_stats.def"
#include "parsim/rows_members.h"
};
extern const struct stat_row filter_stat_rows[];
extern const size_t filter_nstat_rows;

/* A line on its way for a second time, or once more. */
struct filter_second {
    addr_t line;
    cycle_t since;
    bool is_hi; /* it was hit but invalid */
};

struct filter_sm {
    const struct filter_cfg *cfg;
    const struct filter_wire *wire;
    const struct tech_machine *m; /* whose timeline shows second requests */
    uint32_t number;
    uint16_t all; /* sub-blocks of a line */
    struct rc_windows windows;
    struct predictor predictor;
    struct replay *replay; /* shared, of which an SM changes its own part; NULL: none */
    bool records;
    struct replay_notes notes;
    cycle_t counted; /* up to there `locked` has been */
    /* The miss whose requests are being made: what they tell, what is still to be asked for. */
    uint8_t meta;
    uint16_t unsent;
    struct filter_second *seconds; /* one a miss register at most */
    uint32_t nseconds;
    struct engine decode;
    struct filter_stats stats;
};

/* `cfg`, `wire` and `m` must outlive it. */
void filter_sm_init(struct filter_sm *s, const struct filter_cfg *cfg,
                    const struct filter_wire *wire, const struct tech_machine *m, uint32_t number);
void filter_sm_free(struct filter_sm *s);
struct request_policy filter_sm_requests(struct filter_sm *s);
/* `asks`: requests say what they need (of designs that cut). */
struct packet_policy filter_sm_packets(struct filter_sm *s, bool asks);

#endif
