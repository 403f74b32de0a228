/* BDI's kinds of encodings: shared by the encoder and the size kernels. */
#ifndef BDI_KINDS_H
#define BDI_KINDS_H

enum { BDI_ZEROS, BDI_REPEAT, BDI_FIRST_DELTA, BDI_KINDS = 8 };

struct bdi_kind {
    unsigned base_bytes, delta_bytes;
};

/* The delta kinds: id, bytes of the base and of a delta. */
#define BDI_DELTAS(KIND) \
    KIND(2, 8, 1)        \
    KIND(3, 8, 2)        \
    KIND(4, 8, 4)        \
    KIND(5, 4, 1)        \
    KIND(6, 4, 2)        \
    KIND(7, 2, 1)

static const struct bdi_kind bdi_kinds[BDI_KINDS] = {{0, 0},
                                                     {8, 0},
#define KIND(number, base, delta) [number] = {base, delta},
                                                     BDI_DELTAS(KIND)
#undef KIND
};

static inline unsigned bdi_kind_bytes(unsigned id, unsigned block_bytes)
{
    if (id == BDI_ZEROS)
        return 1;
    if (id == BDI_REPEAT)
        return 9;
    unsigned n = block_bytes / bdi_kinds[id].base_bytes;
    return 1 + (n + 7) / 8 + bdi_kinds[id].base_bytes + n * bdi_kinds[id].delta_bytes;
}

/* The delta kinds from the smallest, the lowest id first among equals. */
static inline const unsigned char *bdi_kind_order(unsigned block_bytes)
{
    static const unsigned char order32[] = {2, 5, 3, 7, 6, 4}, order64[] = {2, 5, 3, 6, 7, 4},
                               order128[] = {2, 5, 3, 6, 4, 7};
    return block_bytes == 32 ? order32 : block_bytes == 64 ? order64 : order128;
}

/* The same for bdi-lanes: where the deltas begin, how long an encoding is, the order. */
static inline unsigned bdi_lanes_deltas_at(unsigned id, unsigned block_bytes)
{
    const unsigned base = bdi_kinds[id].base_bytes;
    return base == 2 ? 4 + (block_bytes / 2 + 31) / 32 * 4 : 8 + base;
}

static inline unsigned bdi_lanes_bytes(unsigned id, unsigned block_bytes)
{
    if (id < BDI_FIRST_DELTA)
        return id == BDI_ZEROS ? 1 : 16;
    const struct bdi_kind *k = &bdi_kinds[id];
    return bdi_lanes_deltas_at(id, block_bytes) + block_bytes / k->base_bytes * k->delta_bytes;
}

static inline const unsigned char *bdi_lanes_order(unsigned block_bytes)
{
    static const unsigned char order[] = {2, 5, 3, 7, 6, 4}, order128[] = {2, 5, 3, 6, 7, 4};
    return block_bytes == 128 ? order128 : order;
}

enum { BDI_DELTA_KINDS = 6 };

#endif
