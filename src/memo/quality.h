/* The quality monitor: which hits are sampled, how far a sampled value is from the program's own,
 * when there are too many bad ones. */
#ifndef MEMO_QUALITY_H
#define MEMO_QUALITY_H

#include "base/common.h"

/* What the data of an update is. */
enum memo_kind { MEMO_ONE, MEMO_FLOATS, MEMO_INT16S, MEMO_KINDS };

struct memo_type {
    enum memo_kind kind;
    bool is_float; /* MEMO_ONE: else a signed integer */
    unsigned bytes;
};

/* |found - own| / |own|, of packed values the largest; equal values (NaN to NaN): 0, and infinite
 * where the quotient is none. */
double memo_error(struct memo_type t, uint64_t found, uint64_t own);

/* The comparison unit of Lock and Load on two floats: their difference by the divisor, in units of
 * 2^-15; UINT32_MAX: signs or exponents are too far apart. */
uint32_t memo_coarse_error(uint32_t a, uint32_t b);

struct memo_rule {
    uint64_t every, window; /* every 0: no hit is sampled */
    double bad_error, bad_share;
    bool is_coarse;
    bool stays_on; /* bad ones switch nothing off */
};

struct memo_monitor {
    uint64_t hits, compared, bad;
    bool is_off;
};

/* Counts a hit; whether it is to be answered as a miss. */
bool memo_monitor_hit(struct memo_monitor *m, const struct memo_rule *r);
/* Counts a comparison, and may switch off; whether it was bad. */
bool memo_monitor_compare(struct memo_monitor *m, const struct memo_rule *r, struct memo_type t,
                          uint64_t found, uint64_t own);

#endif
