/* What a slice's packet policy (parsim/seams_mem.h) may do with the answer that it is asked about,
 * from within answer(). False: nothing was done. */
#ifndef MEM_PACKETS_H
#define MEM_PACKETS_H

#include "mem/mem_req.h"

/* The answer to read `r` brings `more` sectors of the asker's line too. Those that the slice holds
 * (r->full) can come. */
bool packet_widen(struct mem_req *r, uint16_t more);
/* `rider`, which arrive() has absorbed, of the same line and cache, is given back: it comes with
 * the answer if that brings all that it asked for, else the slice looks it up as if it came now. */
bool packet_ride(struct mem_req *r, struct mem_req *rider);
/* The same, but what it asks for comes with an answer of its own, when no other is due. */
bool packet_follow(struct mem_req *r, struct mem_req *rider);

#endif
