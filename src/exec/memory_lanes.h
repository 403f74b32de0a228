/* The vector parts of loads, stores and moves, one version a CPU level. */
#ifndef EXEC_MEMORY_LANES_H
#define EXEC_MEMORY_LANES_H

#include "exec/lanes.h"

#define SPAN_NO_STEP UINT64_MAX

struct addr_span {
    addr_t min, max; /* over the active lanes */
    uint64_t low;    /* all addresses or-ed, for alignment */
    uint64_t step;   /* addr[l] == addr[0] + l * step, 16 at most; SPAN_NO_STEP: no line, or not all
                      * lanes are active */
};

struct warp;
struct xinst;

struct located {
    char *at;      /* where lane 0 is, or all are; NULL: not all lanes are in the range */
    uint64_t step; /* 0: all at one place; the size of an access: side by side, and lane 0 to 31
                    * are in the range, active or not; SPAN_NO_STEP: by lane */
};

struct memory_lanes {
    /* Where the lanes of a memory instruction are on the host, the short way: locate.h. Unless they
     * are all at one place, each[l] is the host address of lane l. */
    struct located (*locate)(const struct warp *w, const struct xinst *x, uint32_t mask,
                             unsigned size, bool is_write, addr_t *each);
    /* out[l] = src[l] + imm for lanes of 4 (wrapping at 32 bits) or 8 bytes; inactive lanes get the
     * address of the first active one, so that later loops need no mask. */
    void (*addresses)(const void *src, unsigned bytes, int64_t imm, uint32_t mask, addr_t *out,
                      struct addr_span *span);
    /* Whether addr[l] == addr[0] + l * step. */
    bool (*is_sequence)(const addr_t *addr, uint64_t step);
    /* tmp[l] = the `bytes` bytes at host address addr[l] + off. */
    void (*gather)(const addr_t *addr, uint64_t off, unsigned bytes, void *tmp);
    /* Register lanes of reg_bytes = elements of `bytes` in tmp, extended or cut, where mask is set.
     */
    void (*put)(void *reg, unsigned reg_bytes, const void *tmp, unsigned bytes, bool is_signed,
                uint32_t mask);
    /* Register lanes of 2, 4 or 8 bytes = value, cut, where mask is set. */
    void (*fill)(void *reg, unsigned reg_bytes, uint64_t value, uint32_t mask);
    /* The `bytes` low bytes of every register lane in mask to host address addr[l] + off, lanes in
     * ascending order. */
    void (*scatter)(const addr_t *addr, uint64_t off, const void *reg, unsigned reg_bytes,
                    unsigned bytes, uint32_t mask);
    /* The same for local memory, whose words are interleaved by lane: addr[l] + off is the place in
     * the lane's own memory, aligned to `bytes`. is_uniform: it is addr[0] + off in every lane. */
    void (*local_load)(const void *local, const addr_t *addr, uint64_t off, bool is_uniform,
                       unsigned bytes, void *tmp);
    void (*local_store)(void *local, const addr_t *addr, uint64_t off, bool is_uniform,
                        const void *reg, unsigned reg_bytes, unsigned bytes, uint32_t mask);
    /* word[l] |= the low `bytes` bytes of every register lane, `shift` bits up. */
    void (*pack)(uint64_t *word, const void *reg, unsigned reg_bytes, unsigned bytes,
                 unsigned shift);
    /* word[l] = the `bytes` bytes of every register lane from bit `shift` on. */
    void (*unpack)(uint64_t *word, const void *reg, unsigned reg_bytes, unsigned bytes,
                   unsigned shift);
};

const struct memory_lanes *memory_lanes_get(void);

#endif
