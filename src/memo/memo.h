/* The memoization unit of a core (AxMemo): inputs are hashed while they are loaded, the hash is
 * looked up, and a hit gives what the program computed for equal inputs before.
 *
 * Pure state: what instructions do, in program order. memo_time.h says when. */
#ifndef MEMO_MEMO_H
#define MEMO_MEMO_H

#include "conf/conf.h"
#include "memo/adapt.h"
#include "memo/crc.h"
#include "memo/keys.h"
#include "memo/lut.h"
#include "memo/quality.h"
#include "memo/sizes.h"
#include "stats/stats.h"

enum { MEMO_LUTS = 8, MEMO_THREADS = 2, MEMO_SET_BYTES = 64 };

struct memo_cfg {
#define ROWS_FILE "memo/memo_cfg.def"
#include "parsim/rows_members.h"
};
struct memo_stats {
#define ROWS_FILE "memo/memo_stats.def"
#include "parsim/rows_members.h"
};
struct memo_lut_stats {
#define ROWS_FILE "memo/memo_lut_stats.def"
#include "parsim/rows_members.h"
};

extern const struct conf_field memo_fields[];
extern const size_t memo_nfields;
extern const struct stat_row memo_stat_rows[], memo_lut_stat_rows[];
extern const size_t memo_nstat_rows, memo_lut_nstat_rows;

/* False with an error that names the field. */
bool memo_cfg_check(const struct memo_cfg *c, struct err *err);
/* Of an entry: 4 or 8. Entries in a set. */
unsigned memo_data_bytes(const struct memo_cfg *c);
unsigned memo_ways(const struct memo_cfg *c);

/* A hash register: inputs since the last lookup, and what the last lookup left behind. */
struct memo_hvr {
    uint64_t crc;
    struct memo_print print;
    bool is_closed;  /* looked up: the next input begins a new hash */
    bool is_pending; /* missed: an update may come */
    bool has_sample; /* `sample` was found, and is to be compared */
    uint64_t sample;
};

/* MEMO_SAMPLED: found, and answered as a miss. MEMO_OFF: the monitor has switched it off. */
enum memo_answer { MEMO_MISS, MEMO_L1, MEMO_L2, MEMO_SAMPLED, MEMO_OFF };

struct memo_ideal {
    uint64_t data;
    uint32_t epoch; /* 0: nothing; else that of its table */
};

struct memo_unit {
    struct memo_cfg cfg;
    struct memo_rule rule;
    struct memo_crc crc;
    struct memo_hvr hvr[MEMO_THREADS][MEMO_LUTS];
    struct lut_pair luts;
    struct memo_keys keys;
    VEC(struct memo_ideal) ideal;           /* by key */
    uint32_t epoch[MEMO_LUTS];              /* of ideal tables: invalidations, and one */
    struct memo_monitor monitor[MEMO_LUTS]; /* the first is that of all, unless each has its own */
    struct memo_adapt adapt[MEMO_LUTS];
    struct memo_sizes *sizes; /* NULL: not asked for */
    cycle_t now;              /* for disabled_at; the owner of time sets it */
    enum memo_answer last;    /* lookup */
    struct memo_stats stats;
    struct memo_lut_stats lut_stats[MEMO_LUTS];
};

/* The configuration was checked. `l2_way_sets` sets of an L2 table lie in a way of the cache. */
struct memo_unit *memo_unit_new(const struct memo_cfg *c, unsigned l2_way_sets);
void memo_unit_free(struct memo_unit *u);
/* Groups `memo`, `memo_lut` (an instance a logical table) and `memo_sizes` of the statistics. */
void memo_add_stats(const struct memo_unit *u, struct stats *st);

/* The low bits of a value become zero; as many as it has, or more: all. */
static inline uint64_t memo_truncate(uint64_t v, unsigned n, unsigned bytes)
{
    const uint64_t low = bytes == 8 ? v : v & ((UINT64_C(1) << 8 * bytes) - 1);
    return n >= 64 ? 0 : low & ~((UINT64_C(1) << n) - 1);
}

bool memo_is_off(const struct memo_unit *u, unsigned lut);
/* ld_crc, reg_crc: the low `bytes` of a value, truncated by n; a float if it is in a SIMD register.
 */
void memo_input(struct memo_unit *u, unsigned tid, unsigned lut, uint64_t value, unsigned bytes,
                unsigned n, bool is_float);
/* *data only for MEMO_L1 and MEMO_L2. */
enum memo_answer memo_lookup(struct memo_unit *u, unsigned tid, unsigned lut, uint64_t *data);
void memo_update(struct memo_unit *u, unsigned tid, unsigned lut, uint64_t data,
                 struct memo_type type);
void memo_invalidate(struct memo_unit *u, unsigned tid, unsigned lut);

/* A found value was given to the program. */
static inline bool memo_is_hit(enum memo_answer a)
{
    return a == MEMO_L1 || a == MEMO_L2;
}

#endif
