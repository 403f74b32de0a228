/* The part of a row's key (lanes_int.h) that types do not say, and what else a row reads from the
 * lane_op. The translator knows rows by it, too. */
#ifndef EXEC_LANES_KEY_H
#define EXEC_LANES_KEY_H

/* Variants of an operation that have a loop of their own. */
enum {
    LV_FTZ = 1,
    LV_SAT = 2,
    LV_HI = 4,
    LV_WIDE = 8,
    LV_NAN = 16,
    LV_RELU = 32,
    LV_XORSIGN = 64,
    LV_APPROX = 512, /* .approx and .full */
    LV_WRAP = 1024,  /* shf, bmsk, szext; else clamp */
    LV_RIGHT = 2048, /* shf.r; bfind.shiftamt */
    LV_THREE = 4096, /* min and max of three */
    LV_OOB = 8192,
    LV_CMP_FTZ = 16384, /* with an enum ptx_mod, which stays below it */
    LV_ANY = 32768,     /* takes every flavour from the lane_op's fields */
};

/* lane_op.mode of the .cc family. */
enum { LANE_CARRY_IN = 1, LANE_CARRY_OUT = 2 };

#endif
