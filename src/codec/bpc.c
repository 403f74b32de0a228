/* bpc: bit-plane compression (Kim et al., ISCA 2016). Differences of neighbouring words, turned
 * into bit planes (DBP), each XORed with the plane above it (DBX); planes from the most
 * significant. */
#include "codec/bpc_planes.h"
#include "codec/codec_int.h"

/* Differences have one bit more than words: the 33rd plane is their sign. */
static void transform(const uint8_t *block, unsigned n, uint32_t *dbp)
{
    memset(dbp, 0, BPC_PLANES * sizeof *dbp);
    for (unsigned i = 0; i + 1 < n; i++) {
        uint32_t here = load_u32(block + 4 * i), next = load_u32(block + 4 * i + 4);
        dbp[i] = next - here;
        dbp[32] |= (uint32_t)(next < here) << i;
    }
    bits_transpose(dbp);
}

static void put_base(struct bitw *w, uint32_t base)
{
    if (base == 0) {
        bitw_put(w, 0, 3);
    } else if (fits_signed32(base, 16)) {
        unsigned code = fits_signed32(base, 4) ? 1 : fits_signed32(base, 8) ? 2 : 3;
        bitw_put(w, code, 3);
        bitw_put(w, base, 2u << code);
    } else {
        bitw_put(w, 1, 1);
        bitw_put(w, base, 32);
    }
}

static uint32_t get_base(struct bitr *r)
{
    if (bitr_get(r, 1))
        return bitr_get(r, 32);
    unsigned code = bitr_get(r, 2);
    return code ? (uint32_t)sign_extend32(bitr_get(r, 2u << code), 2u << code) : 0;
}

static unsigned classify(uint32_t dbx, uint32_t dbp, uint32_t all)
{
    if (dbx == 0)
        return BPC_ZERO;
    if (dbx == all)
        return BPC_ONES;
    if (dbp == 0)
        return BPC_DBP_ZERO;
    uint32_t lowest = dbx & -dbx;
    if (dbx == (lowest | lowest << 1))
        return BPC_TWO_ONES;
    return dbx == lowest ? BPC_ONE : BPC_RAW;
}

static void put_plane(struct bitw *w, unsigned kind, uint32_t dbx, unsigned plane_bits)
{
    if (kind == BPC_RAW) {
        bitw_put(w, 1, 1);
        bitw_put(w, dbx, plane_bits);
        return;
    }
    bitw_put(w, kind - BPC_ONES, 5);
    if (kind >= BPC_TWO_ONES)
        bitw_put(w, (unsigned)__builtin_ctz(dbx), bpc_position_bits(plane_bits));
}

/* How many DBX planes from b down are zero. */
static unsigned zero_run(const uint32_t *dbp, unsigned b)
{
    unsigned run = 0;
    while (run <= b && bpc_dbx(dbp, b - run) == 0)
        run++;
    return run;
}

static unsigned bpc_encode(const struct codec *c, const uint8_t *block, struct bitw *w)
{
    uint32_t dbp[BPC_PLANES];
    unsigned n = c->block_bytes / 4;
    transform(block, n, dbp);
    put_base(w, load_u32(block));
    for (unsigned left = BPC_PLANES; left;) {
        unsigned b = left - 1, run = zero_run(dbp, b);
        if (run > 1) {
            bitw_put(w, 1, 2);
            bitw_put(w, run - 2, 5);
        } else if (run == 1) {
            bitw_put(w, 1, 3);
        } else {
            uint32_t dbx = bpc_dbx(dbp, b);
            put_plane(w, classify(dbx, dbp[b], bpc_all(n - 1)), dbx, n - 1);
        }
        left -= run ? run : 1;
    }
    return bitw_bits(w);
}

/* A plane whose first bits were 000; false if the position is outside the plane. */
static bool get_rare(struct bitr *r, uint32_t above, unsigned plane_bits, uint32_t *dbx)
{
    unsigned kind = BPC_ONES + bitr_get(r, 2);
    if (kind == BPC_ONES) {
        *dbx = bpc_all(plane_bits);
    } else if (kind == BPC_DBP_ZERO) {
        *dbx = above;
    } else {
        unsigned at = bitr_get(r, bpc_position_bits(plane_bits));
        unsigned width = kind == BPC_TWO_ONES ? 2 : 1;
        if (at + width > plane_bits)
            return false;
        *dbx = (width == 2 ? 3u : 1u) << at;
    }
    return true;
}

/* One token: fills planes from b down, returns how many, 0 if it is not valid. */
static unsigned get_token(struct bitr *r, uint32_t *dbp, unsigned b, unsigned plane_bits)
{
    uint32_t above = b + 1 < BPC_PLANES ? dbp[b + 1] : 0, dbx = 0;
    unsigned run = 1;
    if (bitr_get(r, 1))
        dbx = bitr_get(r, plane_bits);
    else if (bitr_get(r, 1))
        run = bitr_get(r, 5) + 2;
    else if (!bitr_get(r, 1) && !get_rare(r, above, plane_bits, &dbx))
        return 0;
    if (run > b + 1)
        return 0;
    for (unsigned i = 0; i < run; i++)
        dbp[b - i] = above ^ dbx;
    return run;
}

static bool bpc_decode(const struct codec *c, struct bitr *r, uint8_t *block)
{
    uint32_t dbp[BPC_PLANES];
    int64_t word = get_base(r);
    unsigned n = c->block_bytes / 4;
    for (unsigned left = BPC_PLANES; left;) {
        unsigned run = get_token(r, dbp, left - 1, n - 1);
        if (run == 0 || r->bad)
            return false;
        left -= run;
    }
    bits_transpose(dbp);
    store_u32(block, (uint32_t)word);
    for (unsigned i = 0; i + 1 < n; i++) {
        word += (int64_t)dbp[i] - ((int64_t)(dbp[32] >> i & 1) << 32);
        /* The top plane is redundant for the words; it must agree with them all the same. */
        if (word >> 32)
            return false;
        store_u32(block + 4 * i + 4, (uint32_t)word);
    }
    return true;
}

static void bpc_tally(const struct codec *c, const uint8_t *block, uint64_t *counts)
{
    uint32_t dbp[BPC_PLANES];
    unsigned n = c->block_bytes / 4;
    transform(block, n, dbp);
    for (unsigned b = 0; b < BPC_PLANES; b++)
        counts[classify(bpc_dbx(dbp, b), dbp[b], bpc_all(n - 1))]++;
}

static const char *const kinds[] = {"zeros", "ones", "dbp-zero", "two-ones", "one", "raw-plane"};

CODEC_CLASS(bpc, "bpc", "planes",
            {HW_NOT_GIVEN, HW_NOT_GIVEN, HW_UNKNOWN,
             "Bit-Plane Compression (Kim et al., ISCA 2016)",
             "not checked against the paper itself"});
