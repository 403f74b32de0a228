/* Where techniques plug into the memory system. Every seam is an ops struct with its self, always
 * bound: by default to a null object, which changes nothing (parsim/seams.def). They are called
 * once a miss, fill, packet or block, never per lane. */
#ifndef PARSIM_SEAMS_MEM_H
#define PARSIM_SEAMS_MEM_H

#include "parsim/types.h"

/* The most cycles and the largest packet that a function may answer with: more ends the run with an
 * error, as does everything that is said below and not kept.
 *
 * Cycles, and `now`, are of the clock of who asks: the core's in an SM (requests, sm_packets,
 * l1_capacity, codec_engines and all of seams_sm.h), that of L2 and memory controllers in a slice
 * and a channel (gpu.l2_mhz: l2_packets, l2_capacity, storage, forms). */
enum { SEAM_CYCLES_MAX = 1000000, SEAM_PACKET_MAX = 65536 };

/* A line as a miss finds it; masks of its sectors. */
struct line_view {
    const struct l1_access *access;
    addr_t line;
    uint16_t need;     /* what the access touches */
    uint16_t valid;    /* there; of a line without a place in the cache none */
    uint16_t reserved; /* asked for and not there yet */
    uint16_t missing;  /* of `need`: somebody has to ask for it */
    uint16_t fetch;    /* what the cache's configuration would ask for */
};

/* A line's life, from the miss that gives it a place until it leaves: what was read of it. */
struct line_life {
    uint16_t first; /* by the first read, that of a prefetch not counted; 0: none yet */
    uint16_t used;  /* by all reads */
    uint16_t asked; /* what requests have asked for */
    uint8_t space;  /* enum mem_space of the first read */
};

/* A read needed what the first did not. */
static inline bool line_life_is_inconsistent(const struct line_life *l)
{
    return l->used & ~l->first;
}

/* Which sectors a miss of the data cache asks for, and which of them a fill makes valid. (The
 * constant, texture and instruction caches of an SM have none.) */
struct request_policy {
    /* The answer holds at least one sector of `missing`; a sector that is not asked for is not
     * waited for. Pure: an access that has to wait (for a miss register, a way, room in a queue)
     * asks again. */
    uint16_t (*ask)(const void *self, const struct line_view *v);
    /* The miss, as ask() has seen it, is about to send its requests, once each: they are the next
     * that the SM's packet_policy.request() sees. */
    void (*sent)(void *self, const struct line_view *v, uint16_t asked, cycle_t now);
    /* The sectors that `reply` makes valid, as a mask in the asker's line. */
    uint16_t (*valid)(void *self, const struct mem_req *reply);
    /* The last reply of a miss register has come; a line is replaced or gives way to a write (a
     * flush is not told). Both of lines that have been read. */
    void (*settled)(void *self, addr_t line, const struct line_life *life, cycle_t now);
    void (*left)(void *self, addr_t line, const struct line_life *life, cycle_t now);
    /* Of lines of global memory. wakes_together: one with sectors on their way serves no hit, and
     * wakes those who wait for it when the last of them is there. replaces: a miss on a clean one
     * that is here, with nothing on its way, makes all of it invalid when its request is made. */
    bool wakes_together, replaces;
    /* What the access needs is asked for by a request of its own, before the rest of what is asked
     * for. (It takes a place more in the miss queue, which must have it: l1.miss_queue.) */
    bool splits;
    /* Goes up by one with every read of the data cache: each looks at the maps of its line. NULL:
     * nobody counts them. */
    uint64_t *reads;
    void *self;
};

/* Packets on the interconnect: one policy an SM, for what its data, constant and texture caches
 * send and for the answers that they get (its instruction cache's pass none), and one an L2 slice,
 * for all requests that it gets and what it answers. Each function is called once a packet.
 *
 * A packet carries a byte of a technique's metadata (mem_req.meta, 0 at first): request() and
 * answer() may set it, all who see the packet may read it, and an answer brings back what came with
 * its request unless the slice's policy says otherwise. It costs what wire_bytes() adds for it. */
struct packet_policy {
    /* Bytes on the wire of a packet that enters the interconnect, with the payload it would have
     * (the data written or read, 0 for a read request or a write's answer); at most
     * SEAM_PACKET_MAX. */
    uint32_t (*wire_bytes)(void *self, const struct mem_req *r, bool reply, uint32_t payload);
    /* Cycles that an engine needs before request or answer `r` (its wire_bytes are set) may leave.
     * Those behind it leave after it. */
    uint32_t (*send_latency)(void *self, const struct mem_req *r, cycle_t now);
    /* Of an SM's: cycles that an engine needs before what reply `r` brings can be used. */
    uint32_t (*fill_latency)(void *self, const struct mem_req *r, cycle_t now);
    /* Of an SM's: `r` is about to leave, before its wire_bytes(). */
    void (*request)(void *self, struct mem_req *r, cycle_t now);
    /* Of a slice's: `r` has come. True, of reads only: the policy absorbs it, and the slice does
     * not see it until the policy gives it back, as it must, with the answer to another read of the
     * same line by the same cache (tech_api.ride). */
    bool (*arrive)(void *self, struct mem_req *r, cycle_t now);
    /* Of a slice's: the answer to `r` is made, before its wire_bytes(). That of a read may bring
     * more sectors of the line than it was asked for (tech_api.widen), of those that the slice
     * holds (all of them where l2.sectored is false), and riders. */
    void (*answer)(void *self, struct mem_req *r, cycle_t now);
    void *self;
};

/* How a block lies in DRAM and in the L2. */
enum { STORAGE_EXTRAS = 4 };

struct storage_access {
    addr_t addr;  /* channel-local */
    uint8_t kind; /* MEM_READ or MEM_WRITE */
};

struct storage_form {
    uint32_t bursts;   /* bit i: the block's i-th burst is moved */
    uint32_t reads;    /* of a write: bursts of the block that are read, and waited for, before */
    uint32_t delay;    /* cycles an engine needs before the first access */
    uint32_t latency;  /* cycles an engine adds before the answer */
    uint32_t fill;     /* bytes of the answer that the L2's data array takes, at most a block's */
    bool extras_first; /* all others wait until the extra reads are back */
    uint8_t nextras;   /* further accesses (metadata) */
    struct storage_access extras[STORAGE_EXTRAS];
};

struct storage_policy {
    /* A slice's request `r` of the block at channel-local `local` is about to go to DRAM at `now`;
     * `bursts` are those that hold its sectors when the block is raw. Fills in all of `f`. */
    void (*dram_form)(void *self, cycle_t now, const struct mem_req *r, addr_t local,
                      uint32_t bursts, struct storage_form *f);
    /* All accesses of `f` are back: cycles before the answer, f->latency unless engines are busy.
     */
    uint32_t (*dram_done)(void *self, cycle_t now, const struct mem_req *r,
                          const struct storage_form *f);
    /* The dirty `line` is evicted. True: memory takes all of it if it is all there, else its dirty
     * sectors, and merges what is missing itself. */
    bool (*write_whole)(void *self, addr_t line);
    /* Cycles that the answer to `r` from the L2's data array waits for an engine. */
    uint32_t (*l2_latency)(void *self, const struct mem_req *r);
    void *self;
};

/* What a line takes in a cache's data array. The cache has tag_factor times as many tags as lines
 * would fit, and in each set the bytes of its ways; lines are replaced until what is new fits. */
struct capacity_policy {
    /* 1 to 64. 1: a line takes a line's place, whatever line_bytes() says, and hit_latency() is
     * told 0 bytes. */
    uint32_t tag_factor;
    /* Of an L1's: a line that global memory is read into takes the sectors that are there or on
     * their way, and line_bytes() is not asked; for a miss that brings further ones others give
     * way. Sectors that nobody asked for stay if there is room. */
    bool by_sector;
    /* Bytes of the data array for `line`, at most a line's; asked when it is to get its place
     * (`form` is NULL in an L1, where it is not known yet how the line will come), and when it is
     * written or comes in another form. Pure: a request that has to wait asks again. */
    uint32_t (*line_bytes)(void *self, addr_t line, const struct line_form *form);
    /* Cycles that a hit on a line that takes `bytes` waits for an engine. */
    uint32_t (*hit_latency)(void *self, uint32_t bytes, cycle_t now);
    /* `line` has its place, which takes `bytes`: it is new, has been written, or came so. */
    void (*placed)(void *self, addr_t line, uint32_t bytes);
    void *self;
};

/* How lines lie in the L2 and in memory, where no engine is beside them: an encoded line is read
 * and written as a whole, and only an SM can change a part of one. All that a slice knows of
 * encoded lines is what this says. A channel and its slices have one. */
enum line_entry {
    LINE_READ,    /* for a read */
    LINE_CHANGED, /* for a write or an atomic */
    LINE_COPIED,  /* by the host */
};

struct form_policy {
    /* How a request of this kind finds the line, in the L2 or, if it is not there, in memory (which
     * may have it in two forms). Pure: a request that has to wait asks again. */
    struct line_form (*look)(const void *self, addr_t line, bool is_here, enum mem_kind kind);
    /* The line gets a place in the L2, or is copied to the one that it has. */
    void (*enter)(void *self, addr_t line, enum line_entry why);
    /* It was read; `is_dirty`: memory does not have it as the L2 does. */
    void (*read)(void *self, addr_t line, bool is_dirty);
    /* A part of the line, which lies raw in the L2, is changed. True: memory has to get all of it.
     */
    bool (*change)(void *self, addr_t line);
    /* The L2 has taken all of the line, in this form. */
    void (*store)(void *self, addr_t line, struct line_form f);
    /* Whether an encoded line in the L2 is of no use to those who run now, while memory has it raw,
     * too: it is dropped, and fetched again. */
    bool (*is_stale)(const void *self, addr_t line);
    void *self;
};

/* What encodes and decodes lines beside an L1, and how long it takes. */
enum codec_answer {
    CODEC_DONE,    /* finished at once (no engine, or nothing to do) */
    CODEC_TAKEN,   /* `done` will give the token back */
    CODEC_BUSY,    /* the engine wakes its clients when it takes jobs again */
    CODEC_REFUSED, /* of a store only: it leaves raw */
};

enum codec_kind {
    CODEC_FILL,  /* an encoded line has come: decode it */
    CODEC_HIT,   /* an access has hit a line that lies encoded in the cache: decode it */
    CODEC_STORE, /* a whole line has been written and is about to leave: encode it */
};

struct codec_job {
    addr_t line;
    uint8_t kind;      /* enum codec_kind */
    uint8_t algorithm; /* which of the technique's codecs; of a store the engine sets it */
    uint16_t bytes;    /* encoded; of a store the raw size, and the engine sets it when it can say
                          less (in submit with CODEC_DONE, else in `done`) */
    uint16_t slot;     /* of the warp that waits for what is decoded, of a fill the oldest access's;
                          of the warp that stored; CODEC_NO_SLOT: nobody's (a write-back) */
    uint64_t token;    /* the cache's; unique among those not given back */
    bool is_left;      /* of a store that is done, raw: nobody has tried, it may be encoded later */
    bool is_part;      /* of a store: a part of the line was written, others may follow */
    bool is_unawaited; /* of a fill: no warp waits for the line (a write that was refused) */
    bool is_unwanted;  /* of a fill; the engine may set it: the line is sent back raw when it is
                          decoded, so that the next one who reads it need not */
    cycle_t began;     /* of a store that is done: when its bytes were read; what was written since
                          is not in its code */
};

enum { CODEC_NO_SLOT = UINT16_MAX };

/* Who gives an engine jobs. */
struct codec_client {
    void (*wake)(void *self, cycle_t at);
    void *self;
};

struct codec_engine {
    enum codec_answer (*submit)(void *self, cycle_t now, struct codec_job *job);
    /* A finished job, as it was submitted, at most one a call. Asked only in cycles in which next()
     * says `now` or earlier. */
    bool (*done)(void *self, cycle_t now, struct codec_job *job);
    /* The next cycle at which `done` may have something, `now` or earlier: already; CYCLE_NEVER:
     * nothing inside, or only what calls in between will decide. */
    cycle_t (*next)(const void *self, cycle_t now);
    void *self;
    /* Another client. Each one that was told CODEC_BUSY is woken once, by that call or a later one
     * of the SM's cycle, with the first cycle in which it is worth asking again. */
    void (*join)(void *self, const struct codec_client *client);
};

/* What an L1 does with encoded lines. */
enum encoding_mode {
    ENCODED_NONE,    /* there are none */
    ENCODED_DECODED, /* they are decoded when they come */
    ENCODED_KEPT,    /* they are decoded for every use */
    ENCODED_DIRECT,  /* what an access needs is cut out of them, which takes direct_latency */
};

/* Counted for who asks for it. */
struct encoding_counts {
    uint64_t widened; /* writes of parts of lines that were here, which left as the lines */
    uint64_t joined;  /* writes that joined one of their line, which waited to be encoded */
    uint64_t again;   /* times that a line was encoded once more because of such a write */
};

struct encoding_cfg {
    uint8_t mode;            /* enum encoding_mode */
    uint32_t direct_latency; /* cycles */
    uint32_t store_lines;    /* written lines that may wait to be encoded; 0: all leave raw */
    uint32_t most_bytes;     /* a store whose encoding is larger leaves raw */
    uint32_t line_buffers;   /* lines that came encoded and no longer take a miss register */
    /* A line that was encoded and lies raw since a part of it was written is encoded again by who
     * reads it the so manieth time since (line_form.reads); 0: it stays raw. */
    uint32_t encode_reads;
    bool encode_hits;    /* a write of a part of a line that is here sends the line, encoded */
    bool encode_refused; /* so does one that was refused */
    struct encoding_counts *counts; /* or NULL */
};

#endif
