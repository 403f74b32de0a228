/* Compressed memory: the storage policy of one channel.
 *
 * A block takes as many bursts as its encoding needs. How many is kept in metadata, at the top of
 * the channel's DRAM, behind a cache. The size of a block is that of its bytes when it is written
 * back; of a block that the host has written, of its bytes when it is first touched. A write of
 * part of a block that is stored compressed reads it first; one that is stored raw stays raw until
 * it is written as a whole.
 *
 * Data is raw above the controller, whose engines encode and decode; or encoded, and the engines
 * work only on writes of parts and, beside the L2, on answers that are cut out of a block. Or there
 * are no engines: requests say in which form the block is (mem_req.form). */
#ifndef TECH_CMEM_H
#define TECH_CMEM_H

#include "tech/block_codec.h"
#include "tech/engine.h"
#include "tech/tech.h"

struct cmem_stats {
#define ROWS_FILE "tech/cmem_stats.def"
#include "parsim/rows_members.h"
};

extern const struct stat_row cmem_stat_rows[];
extern const size_t cmem_nstat_rows;

struct cmem_cfg {
    struct block_codec codec;
    bool is_raw_above;  /* the controller's engines work on every block */
    bool free_metadata; /* no accesses for it */
    bool is_off;        /* at first */
    bool is_told;       /* by requests how large blocks are; no codec, no engines */
    /* Whether metadata has to say how the block lies; NULL: always. */
    bool (*is_mixed)(const void *ctx, addr_t line);
    const void *is_mixed_ctx;
    uint64_t md_bytes;
    uint32_t md_ways;
    struct engine_cfg encode, decode;
    /* Sees each block that is read or written; may be NULL. */
    void (*seen)(void *ctx, const void *block);
    void *seen_ctx;
};

struct cmem;

/* False: the machine's blocks cannot be compressed, or the cache of metadata cannot be. `name` is
 * the technique's. */
bool cmem_check(const struct tech_machine *m, const char *name, uint64_t md_bytes, int64_t md_ways,
                struct err *err);
struct cmem *cmem_new(const struct tech_machine *m, const struct cmem_cfg *cfg);
void cmem_free(struct cmem *c);
struct storage_policy cmem_policy(struct cmem *c);

/* While it is off, blocks pass raw, without metadata. From now on with `codec`, and sizes as if the
 * host had just written all of memory. */
void cmem_turn_on(struct cmem *c, const struct codec *codec);
/* The block lies there in so many bytes. */
void cmem_tell(struct cmem *c, addr_t local, uint32_t bytes);
/* The host has written the block. */
void cmem_forget(struct cmem *c, addr_t local);
const struct cmem_stats *cmem_stats(const struct cmem *c);

/* Sums over `n` channels as part of a sentence. */
void cmem_describe(struct cmem *const *channels, uint32_t n, char *buf, size_t size);

/* As cmem_forget(), for each block of [addr, addr + bytes), by channel. */
void cmem_forget_all(struct cmem *const *channels, const struct tech_machine *m, addr_t addr,
                     uint64_t bytes);

#endif
