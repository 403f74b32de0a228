/* A memory request on its way through the machine: L1 -> interconnect -> L2 -> DRAM and back.
 *
 * Whoever creates a request frees it (mem_req_pool.h); everyone between passes the pointer on and
 * may use only the fields said to be theirs. Timing travels here, data does not (values live in the
 * memory image).
 *
 * All caches of a machine have sectors of one size. Bit i of `sectors` stands for the i-th sector
 * of the creator's line, and `addr` is the first byte of the first sector in the mask: a cache with
 * longer lines can place the mask in its own line (mem_req_sectors_in). */
#ifndef MEM_MEM_REQ_H
#define MEM_MEM_REQ_H

#include "base/common.h"
#include "parsim/types.h"

/* Where a request was when; a stage it skipped stays 0. In cycles of the core clock, except that
 * nobody between two clocks converts: each stage stamps with its own clock's cycle. Every stamp has
 * one writer, who is named here, and is written once (mem_req_stamp). */
enum mem_stage {
    MEM_AT_BORN,    /* by its creator */
    MEM_AT_NOC_IN,  /* by the interconnect, when it takes the request */
    MEM_AT_L2_IN,   /* by the L2 slice */
    MEM_AT_MC_IN,   /* by the memory controller, of what a slice asks it for */
    MEM_AT_DRAM_IN, /* by the DRAM, of the controller's accesses */
    MEM_AT_MC_OUT,  /* by the memory controller */
    MEM_AT_L2_OUT,  /* by the interconnect, when it takes the answer */
    MEM_AT_NOC_OUT, /* by the SM */
    MEM_STAGES
};

/* What a slice's packet policy does with a request. */
enum mem_node {
    MEM_NODE_NONE,
    MEM_NODE_ABSORBED, /* it has the request, and the slice does not */
    MEM_NODE_ANSWERS,  /* it is asked about the answer */
    MEM_NODE_FOLLOWS,  /* it is given back, with an answer of its own behind another's */
};

/* What everybody looks at is in its first cache line (mem_req_pool.c), stamps are behind it. */
struct mem_req {
    addr_t addr;         /* first byte of the first sector in `sectors` */
    uint32_t bytes;      /* asked for or written */
    uint8_t kind;        /* enum mem_kind */
    uint8_t space;       /* enum mem_space */
    uint16_t sectors;    /* mask of the line's sectors asked for */
    uint16_t src, dst;   /* nodes of the interconnect; src asks, dst answers */
    uint32_t wire_bytes; /* payload on the wire, after any packet policy */
    uint16_t full;       /* of a write: sectors of which every byte is written (0 is always safe);
                            of a read: of the creator's line, those that its answer can bring */
    uint8_t what;        /* the creator's */
    bool refused;   /* of an answer: a write of a part, or an atomic, met an encoded line and has
                       changed nothing; all of the line comes with it */
    uint8_t meta;   /* a technique's (packet_policy) */
    uint8_t node;   /* the slice's: enum mem_node */
    uint16_t slot;  /* the creator's: of the warp that asks */
    uint16_t queue; /* of an answer that the slice's policy is asked about: those before it */
    uint32_t token; /* the creator's */
    void *owner;    /* the creator's: what to do when it comes back */
    struct mem_req *next;  /* whoever holds the request may chain it; in the interconnect and
                              at the creator: its riders, requests that come back with it */
    struct line_form form; /* raw, or all of the line travels encoded */
    cycle_t at[MEM_STAGES];
};
static_assert(offsetof(struct mem_req, at) <= 64, "the first line has no room for more");
static_assert(sizeof(struct mem_req) <= 128, "two lines");

static inline bool mem_req_is_write(const struct mem_req *r)
{
    return r->kind == MEM_WRITE;
}

/* The request is at `stage` now. */
static inline void mem_req_stamp(struct mem_req *r, enum mem_stage stage, cycle_t now)
{
    assert_often(!r->at[stage]);
    r->at[stage] = now;
}

/* `r` has waited for what `fetch` has brought from memory: its way there was that one's. */
static inline void mem_req_inherit(struct mem_req *r, const struct mem_req *fetch)
{
    mem_req_stamp(r, MEM_AT_MC_IN, fetch->at[MEM_AT_MC_IN]);
    mem_req_stamp(r, MEM_AT_MC_OUT, fetch->at[MEM_AT_MC_OUT]);
}

/* How many sectors a mask holds. The host may have no instruction for it. */
static inline uint32_t mem_sector_count(uint16_t mask)
{
    uint32_t v = mask - ((mask >> 1) & 0x5555u);
    v = (v & 0x3333) + ((v >> 2) & 0x3333);
    v = (v + (v >> 4)) & 0x0f0f;
    return (v + (v >> 8)) & 0x1f;
}

/* A read asks for, or its answer brings, `more` sectors of the line too. */
static inline void mem_req_widen(struct mem_req *r, uint16_t more)
{
    assert(r->kind == MEM_READ);
    const uint32_t sector_bytes = r->bytes / mem_sector_count(r->sectors);
    const uint32_t first = (uint32_t)__builtin_ctz(r->sectors);
    r->sectors |= more;
    r->addr -= (addr_t)(first - (uint32_t)__builtin_ctz(r->sectors)) * sector_bytes;
    r->bytes = mem_sector_count(r->sectors) * sector_bytes;
}

/* Read `rider` comes back with the answer to `r`, a read of the same line by the same cache, behind
 * those that ride already; what it asked for comes with it. */
static inline void mem_req_ride(struct mem_req *r, struct mem_req *rider)
{
    assert(r->kind == MEM_READ && rider->kind == MEM_READ && r->owner == rider->owner);
    rider->form = r->form;
    while (r->next)
        r = r->next;
    r->next = rider;
    rider->next = NULL;
}

/* `mask` (the request's `sectors` or `full`) as sectors of the `line_bytes` long line it is in. */
static inline uint16_t mem_req_sectors_in(const struct mem_req *r, uint16_t mask,
                                          uint32_t line_bytes, uint32_t sector_shift)
{
    uint32_t first = (uint32_t)(r->addr & (line_bytes - 1)) >> sector_shift;
    return (uint16_t)(((uint32_t)mask >> __builtin_ctz(r->sectors)) << first);
}

#endif
