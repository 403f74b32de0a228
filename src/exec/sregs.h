/* Special registers as lane arrays: one area a warp, one a block (see lanes.h). */
#ifndef EXEC_SREGS_H
#define EXEC_SREGS_H

#include "exec/lanes.h"

enum { SREG_WARP_BYTES = 12 * 128, SREG_CTA_BYTES = 96 * 128 };

/* Where the special register lives; false if it changes while the warp runs (clocks), which
 * sreg_is_dynamic() tells, or is not known. */
bool sreg_ref(enum ptx_sreg s, uint32_t index, struct lane_ref *ref);
bool sreg_is_dynamic(enum ptx_sreg s);

/* What the system keeps of a block's shared memory, for kernels that ask where it lies: from 0 on,
 * in two parts. Cooperative groups need 288 bytes of the second. */
enum { RESERVED_SMEM_BYTES = 1024, RESERVED_SMEM_PART = RESERVED_SMEM_BYTES / 2 };

bool sreg_is_reserved_smem(enum ptx_sreg s);

struct sreg_launch {
    uint32_t grid[3], block[3];
    uint32_t nwarps, smid, nsmid;
    uint64_t gridid;
    uint32_t static_smem_bytes, dynamic_smem_bytes;
    uint32_t envreg[32];
};

/* Fills a block's area for the whole launch, and the part of it that changes from block to block.
 */
void sreg_fill_launch(char *area, const struct sreg_launch *l);
void sreg_fill_cta(char *area, const uint32_t ctaid[3]);
/* Fills a warp's area; `first` is the linear number of its lane 0. */
void sreg_fill_warp(char *area, const uint32_t block[3], uint32_t first, uint32_t warpid);

#endif
