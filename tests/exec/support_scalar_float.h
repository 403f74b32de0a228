/* Exact floating point for support_scalar_ref.c. */
#ifndef TESTS_EXEC_SUPPORT_SCALAR_FLOAT_H
#define TESTS_EXEC_SUPPORT_SCALAR_FLOAT_H

#include "base/common.h"

enum sf_round { SF_RN, SF_RZ, SF_RM, SF_RP, SF_RNA };
enum sf_kind { SF_ZERO, SF_FINITE, SF_INF, SF_NAN };

/* A binary format: precision with the hidden bit, exponent bits. */
struct sf_format {
    unsigned prec, ebits;
};
#define SF_F16  ((struct sf_format){11, 5})
#define SF_BF16 ((struct sf_format){8, 8})
#define SF_F32  ((struct sf_format){24, 8})
#define SF_F64  ((struct sf_format){53, 11})
#define SF_TF32 ((struct sf_format){11, 8})
#define SF_E5M2 ((struct sf_format){3, 5})
#define SF_E4M3 ((struct sf_format){4, 4}) /* unpacked as if IEEE; see the conversions */

/* sig * 2^exp. */
struct sf {
    enum sf_kind kind;
    bool neg;
    uint64_t sig;
    int exp;
};

/* An exact result, or one known to lie strictly above these bits in magnitude (`more`). */
enum { SF_WORDS = 72, SF_POINT = 2304 }; /* bit i weighs 2^(i - SF_POINT) */
struct sf_wide {
    enum sf_kind kind;
    bool neg, more;
    uint64_t w[SF_WORDS];
};

struct sf sf_unpack(struct sf_format f, uint64_t bits);
struct sf sf_from_int(bool neg, uint64_t magnitude);
/* x * y + z. `down`: an exact zero sum of opposite signs is negative. */
struct sf_wide sf_fma(struct sf x, struct sf y, struct sf z, bool down);
struct sf_wide sf_div(struct sf x, struct sf y);
struct sf_wide sf_sqrt(struct sf x);
struct sf_wide sf_widen(struct sf x);
/* Rounds; overflow goes to infinity or the largest number as the mode says; NaN gives all ones
 * below the sign. */
uint64_t sf_pack(struct sf_format f, const struct sf_wide *x, enum sf_round rnd);
/* To an integer in magnitude; more than 2^100 is cut to that. */
unsigned __int128 sf_round_int(struct sf x, enum sf_round rnd);

#endif
