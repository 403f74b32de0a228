/* The comparison unit of a lane (../shared/spec/lnl.md, 2.2): whether a value that was loaded is
 * similar to that of its group's anchor, as a circuit of 8 bits finds it, and as other designs do.
 */
#ifndef TECH_LNL_COMPARE_H
#define TECH_LNL_COMPARE_H

#include "base/coarse_error.h"

#include <stdbool.h>
#include <stdint.h>

/* The worst of many is the largest. */
enum lnl_verdict {
    LNL_SIMILAR,
    LNL_FAIL_THRESHOLD,
    LNL_FAIL_EXPONENT,
    LNL_FAIL_SIGN,
    LNL_VERDICTS
};

/* What the two 32-bit words are. */
enum lnl_value { LNL_VALUE_F32, LNL_VALUE_U32, LNL_VALUE_S32, LNL_VALUE_U8X4 };

enum lnl_test { LNL_TEST_CIRCUIT, LNL_TEST_EXACT, LNL_TEST_BITS };

/* How they are compared: fixed at launch. */
struct lnl_unit {
    enum lnl_test test; /* of relative differences */
    struct coarse_pieces pieces;
    uint32_t threshold; /* LNL_TEST_CIRCUIT: in units of 2^-COARSE_ERROR_BITS */
    double exact;       /* LNL_TEST_EXACT */
    unsigned drop_bits; /* LNL_TEST_BITS: lower bits that may differ */
    double absolute;    /* of absolute differences */
};

/* The circuit's relative error in units of 2^-COARSE_ERROR_BITS, where it gets that far. */
enum lnl_verdict lnl_relative_error(const struct lnl_unit *u, uint32_t a, uint32_t b,
                                    uint32_t *error);

/* A threshold that no difference is below: also a load by anchors alone, which are compared with
 * nobody, is not similar then. */
bool lnl_unit_passes_none(const struct lnl_unit *u, bool is_absolute);

/* `a`: the anchor's. */
enum lnl_verdict lnl_compare(const struct lnl_unit *u, uint32_t a, uint32_t b);
enum lnl_verdict lnl_compare_absolute(const struct lnl_unit *u, enum lnl_value what, uint32_t a,
                                      uint32_t b);

#endif
