/* Insertion keeps the order in which requests may leave. */
#include "mem/req_ring.h"

#include <stdlib.h>

void req_ring_init(struct req_ring *r, uint32_t cap)
{
    uint32_t slots = 1;
    while (slots < cap)
        slots *= 2;
    *r = (struct req_ring){
        .at = xcalloc(slots, sizeof(struct req_slot)), .cap = cap, .mask = slots - 1};
}

void req_ring_free(struct req_ring *r)
{
    free(r->at);
}

void req_ring_insert(struct req_ring *r, struct mem_req *req, cycle_t due, uint32_t aux)
{
    assert(r->len < r->cap);
    uint32_t i = r->head + r->len++;
    for (; i != r->head && r->at[(i - 1) & r->mask].due > due; i--)
        r->at[i & r->mask] = r->at[(i - 1) & r->mask];
    r->at[i & r->mask] = (struct req_slot){req, due, aux};
}
