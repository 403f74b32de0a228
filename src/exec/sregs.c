/* Which special registers are filled at launch, at a block, at a warp, and which when they are
 * read. */
#include "exec/sregs.h"

#include <string.h>

/* Slots of 128 bytes: 32 lanes of 4 bytes; 64-bit registers take two. */
enum { SLOT = 128, ENVREG_SLOT = PTX_SREG_COUNT + 1 };

static bool is_warp_sreg(enum ptx_sreg s)
{
    return s <= PTX_SREG_TID_Z || s == PTX_SREG_LANEID || s == PTX_SREG_WARPID ||
           (s >= PTX_SREG_LANEMASK_EQ && s <= PTX_SREG_LANEMASK_GT);
}

static unsigned warp_slot(enum ptx_sreg s)
{
    if (s <= PTX_SREG_TID_Z)
        return s;
    if (s == PTX_SREG_LANEID)
        return 3;
    if (s == PTX_SREG_WARPID)
        return 4;
    return 5 + (s - PTX_SREG_LANEMASK_EQ);
}

bool sreg_is_dynamic(enum ptx_sreg s)
{
    switch (s) {
    case PTX_SREG_CLOCK:
    case PTX_SREG_CLOCK_HI:
    case PTX_SREG_CLOCK64:
    case PTX_SREG_GLOBALTIMER:
    case PTX_SREG_GLOBALTIMER_LO:
    case PTX_SREG_GLOBALTIMER_HI:
    case PTX_SREG_PM:
    case PTX_SREG_PM64:
        return true;
    default:
        return false;
    }
}

bool sreg_is_reserved_smem(enum ptx_sreg s)
{
    return s >= PTX_SREG_RESERVED_SMEM_BEGIN && s <= PTX_SREG_RESERVED_SMEM_1;
}

bool sreg_ref(enum ptx_sreg s, uint32_t index, struct lane_ref *ref)
{
    if (s >= PTX_SREG_COUNT || sreg_is_dynamic(s))
        return false;
    enum ptx_type t = ptx_sreg_type(s);
    *ref = (struct lane_ref){.bytes = (uint8_t)(t == PTX_PRED ? 0 : ptx_type_bytes(t))};
    if (is_warp_sreg(s)) {
        ref->sel = LANE_WARP;
        ref->off = warp_slot(s) * SLOT;
        return true;
    }
    ref->sel = LANE_CTA;
    /* %gridid and %current_graph_exec are 64 bits wide and have their two slots at the end */
    if (s == PTX_SREG_ENVREG) {
        if (index >= 32)
            return false;
        /* cooperative groups read 1 and 2; all others are zero and share a slot */
        ref->off = (unsigned)(ENVREG_SLOT + (index == 1 || index == 2 ? index : 0)) * SLOT;
        return true;
    }
    ref->off = t == PTX_U64 ? (unsigned)(ENVREG_SLOT + (s == PTX_SREG_GRIDID ? 3 : 5)) * SLOT
                            : (unsigned)s * SLOT;
    return true;
}

static_assert((PTX_SREG_COUNT + 9) * SLOT <= SREG_CTA_BYTES,
              "special registers outgrew their area");

static void fill32(char *area, enum ptx_sreg s, uint32_t v)
{
    uint32_t *p = (uint32_t *)(area + (size_t)s * SLOT);
    for (unsigned l = 0; l < WARP_LANES; l++)
        p[l] = v;
}

void sreg_fill_launch(char *area, const struct sreg_launch *l)
{
    memset(area, 0, SREG_CTA_BYTES);
    for (unsigned i = 0; i < 3; i++) {
        fill32(area, PTX_SREG_NTID_X + i, l->block[i]);
        fill32(area, PTX_SREG_NCTAID_X + i, l->grid[i]);
        fill32(area, PTX_SREG_NCLUSTERID_X + i, l->grid[i]);
        fill32(area, PTX_SREG_CLUSTER_NCTAID_X + i, 1);
    }
    fill32(area, PTX_SREG_CLUSTER_NCTARANK, 1);
    fill32(area, PTX_SREG_NWARPID, l->nwarps);
    fill32(area, PTX_SREG_SMID, l->smid);
    fill32(area, PTX_SREG_NSMID, l->nsmid);
    fill32(area, PTX_SREG_TOTAL_SMEM_SIZE, l->static_smem_bytes + l->dynamic_smem_bytes);
    fill32(area, PTX_SREG_AGGR_SMEM_SIZE, l->static_smem_bytes + l->dynamic_smem_bytes);
    fill32(area, PTX_SREG_DYNAMIC_SMEM_SIZE, l->dynamic_smem_bytes);
    fill32(area, PTX_SREG_RESERVED_SMEM_1, RESERVED_SMEM_PART);
    fill32(area, PTX_SREG_RESERVED_SMEM_END, RESERVED_SMEM_BYTES);
    fill32(area, PTX_SREG_RESERVED_SMEM_CAP, RESERVED_SMEM_BYTES);
    fill32(area, PTX_SREG_WARP_SZ, WARP_LANES);
    fill32(area, ENVREG_SLOT + 1, l->envreg[1]);
    fill32(area, ENVREG_SLOT + 2, l->envreg[2]);
    uint64_t *gridid = (uint64_t *)(area + (size_t)(ENVREG_SLOT + 3) * SLOT);
    for (unsigned i = 0; i < WARP_LANES; i++)
        gridid[i] = l->gridid;
}

void sreg_fill_cta(char *area, const uint32_t ctaid[3])
{
    for (unsigned i = 0; i < 3; i++) {
        fill32(area, PTX_SREG_CTAID_X + i, ctaid[i]);
        fill32(area, PTX_SREG_CLUSTERID_X + i, ctaid[i]);
    }
}

void sreg_fill_warp(char *area, const uint32_t block[3], uint32_t first, uint32_t warpid)
{
    uint32_t(*slot)[WARP_LANES] = (void *)area;
    for (unsigned l = 0; l < WARP_LANES; l++) {
        uint32_t t = first + l;
        slot[0][l] = t % block[0];
        slot[1][l] = t / block[0] % block[1];
        slot[2][l] = t / block[0] / block[1];
        slot[warp_slot(PTX_SREG_LANEID)][l] = l;
        slot[warp_slot(PTX_SREG_WARPID)][l] = warpid;
        slot[warp_slot(PTX_SREG_LANEMASK_EQ)][l] = UINT32_C(1) << l;
        slot[warp_slot(PTX_SREG_LANEMASK_LE)][l] = (uint32_t)((UINT64_C(2) << l) - 1);
        slot[warp_slot(PTX_SREG_LANEMASK_LT)][l] = (UINT32_C(1) << l) - 1;
        slot[warp_slot(PTX_SREG_LANEMASK_GE)][l] = ~((UINT32_C(1) << l) - 1);
        slot[warp_slot(PTX_SREG_LANEMASK_GT)][l] = ~(uint32_t)((UINT64_C(2) << l) - 1);
    }
}
