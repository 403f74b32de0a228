/* Private to mem_ctrl*.c: requests on their way through a controller. */
#ifndef MEM_MEM_CTRL_INT_H
#define MEM_MEM_CTRL_INT_H

#include "mem/mem_ctrl.h"
#include "mem/req_ring.h"

/* A slice's request while its accesses are in DRAM. */
struct mem_txn {
    struct mem_req *req;
    addr_t local; /* of its block, in the channel */
    uint32_t slice;
    uint32_t bursts; /* not sent yet */
    uint32_t fetch;  /* bursts to read before, not sent yet */
    uint32_t shift;  /* bytes from one to the next, as a power of two */
    uint8_t extra;   /* the next extra access to send */
    uint8_t reads;   /* reads before the bursts that are not back */
    bool fetching;   /* those of the block are among them */
    bool sending;    /* in the send queue */
    uint32_t inside; /* accesses in DRAM */
    struct storage_form form;
};

struct mem_ctrl {
    struct req_ring in;      /* latency and queue; aux = slice */
    struct req_ring answers; /* by the cycle they are due; aux = transaction */
    struct req_ring delayed; /* by the cycle their engine is done; aux = transaction */
    struct mem_txn *txns;
    uint32_t *free; /* stack of free transactions */
    uint32_t nfree;
    uint32_t *sending; /* ring of transactions with accesses to send */
    uint32_t send_head, send_len, ntxns;
    uint32_t turn; /* the slice whose turn it is */
    uint32_t nslices;
    uint32_t block_bytes, burst_shift, sector_shift;
    bool dram_full, slice_full; /* a port wakes the controller when it has room */
    bool txns_full;
    struct port *from[MEM_CTRL_SLICES], *to[MEM_CTRL_SLICES];
    struct port *to_dram, *from_dram;
    struct interleave il;
    struct mem_req_pool pool;
    const struct storage_policy *storage;
    struct breach *breach;
    struct mem_ctrl_cfg cfg;
    struct mem_ctrl_stats stats;
};

#endif
