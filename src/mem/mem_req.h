/* A memory request on its way through the machine: L1 -> interconnect -> L2 -> DRAM and back.
 *
 * Whoever creates a request frees it; everyone between passes the pointer on and may use only the
 * fields said to be theirs. Timing travels here, data does not (values live in the memory image).
 */
#ifndef MEM_MEM_REQ_H
#define MEM_MEM_REQ_H

#include "base/common.h"

enum mem_kind { MEM_READ, MEM_WRITE, MEM_ATOMIC };

/* Where a request was when; a stage it skipped stays 0. In cycles of the core clock, except that
 * nobody between two clocks converts: each stage stamps with its own clock's cycle. */
enum mem_stage {
    MEM_AT_BORN,
    MEM_AT_NOC_IN,
    MEM_AT_L2_IN,
    MEM_AT_DRAM_IN,
    MEM_AT_DRAM_OUT,
    MEM_AT_L2_OUT,
    MEM_AT_NOC_OUT,
    MEM_STAGES
};

struct mem_req {
    addr_t addr;         /* of the first byte, aligned to the sector */
    uint32_t bytes;      /* asked for or written */
    uint8_t kind;        /* enum mem_kind */
    uint8_t space;       /* the creator's: instruction, constant, texture, local, global */
    uint16_t sectors;    /* mask of the line's sectors asked for */
    uint16_t src, dst;   /* nodes of the interconnect; src asks, dst answers */
    uint32_t wire_bytes; /* payload on the wire, after any packet policy */
    cycle_t at[MEM_STAGES];
    void *owner;          /* the creator's: what to do when it comes back */
    struct mem_req *next; /* whoever holds the request may chain it */
};

static inline bool mem_req_is_write(const struct mem_req *r)
{
    return r->kind == MEM_WRITE;
}

#endif
