/* Words side by side, at one place, or each at its own become vectors. Vectors of several words a
 * lane are taken apart by steps that are instructions of the host: what LLVM has to find out for
 * itself takes it long. */
#include "jit/emit_words.h"

enum { EIGHT = RUN_STRIP_LANES };

static bool is_strip(val v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

val emit_widened(const struct emit *e, val v, unsigned bits)
{
    LLVMTypeRef own = LLVMTypeOf(v);
    if (LLVMGetIntTypeWidth(is_strip(v) ? LLVMGetElementType(own) : own) >= bits)
        return v;
    LLVMTypeRef t = is_strip(v) ? emit_int(e, bits) : LLVMIntTypeInContext(e->ctx, bits);
    return LLVMBuildZExt(e->b, v, t, "");
}

static val load_at(const struct emit *e, val address, LLVMTypeRef t)
{
    val p = LLVMBuildIntToPtr(e->b, address, LLVMPointerType(t, 0), "");
    val v = LLVMBuildLoad2(e->b, t, p, "");
    LLVMSetAlignment(v, 1);
    return v;
}

static val scalar_at(const struct emit *e, val address, unsigned bits)
{
    return load_at(e, address, LLVMIntTypeInContext(e->ctx, bits));
}

/* Words of `bits` that lie side by side, as a vector of `n`. */
static val vector_at(const struct emit *e, val address, unsigned bits, unsigned n)
{
    return load_at(e, address, LLVMVectorType(LLVMIntTypeInContext(e->ctx, bits), n));
}

static val shuffled(const struct emit *e, val x, val y, const uint8_t *pick, unsigned n)
{
    val lanes[WARP_LANES];
    for (unsigned i = 0; i < n; i++)
        lanes[i] = b_int(e, 32, pick[i]);
    return LLVMBuildShuffleVector(e->b, x, y, LLVMConstVector(lanes, n), "");
}

val emit_part_of(const struct emit *e, val x, val y, unsigned from, unsigned n)
{
    uint8_t pick[WARP_LANES];
    for (unsigned i = 0; i < n; i++)
        pick[i] = (uint8_t)(from + i);
    return shuffled(e, x, y, pick, n);
}

/* --- several words a lane --- */

/* v[0]: the pairs of lanes 0 to 3, v[1]: of 4 to 7. */
static void split_pairs_32(struct emit *e, const val *v, val *word)
{
    static const uint8_t pick[2][EIGHT] = {{0, 2, 4, 6, 8, 10, 12, 14},
                                           {1, 3, 5, 7, 9, 11, 13, 15}};
    for (unsigned k = 0; k < 2; k++)
        word[k] = shuffled(e, v[0], v[1], pick[k], EIGHT);
}

/* v[i]: the pairs of lanes 2i and 2i + 1. */
static void split_pairs_64(struct emit *e, const val *v, val *word)
{
    static const uint8_t pick[2][4] = {{0, 2, 4, 6}, {1, 3, 5, 7}};
    for (unsigned k = 0; k < 2; k++)
        word[k] = emit_part_of(e, shuffled(e, v[0], v[1], pick[k], 4),
                               shuffled(e, v[2], v[3], pick[k], 4), 0, EIGHT);
}

/* v[i]: the fours of lanes i and i + 4. As exec/eight_by_four.h does. */
static void split_fours_32(struct emit *e, const val *v, val *word)
{
    static const uint8_t by_word[2][EIGHT] = {{0, 8, 1, 9, 4, 12, 5, 13},
                                              {2, 10, 3, 11, 6, 14, 7, 15}};
    static const uint8_t by_two[2][EIGHT] = {{0, 1, 8, 9, 4, 5, 12, 13},
                                             {2, 3, 10, 11, 6, 7, 14, 15}};
    for (unsigned k = 0; k < 4; k++)
        word[k] = shuffled(e, shuffled(e, v[0], v[1], by_word[k / 2], EIGHT),
                           shuffled(e, v[2], v[3], by_word[k / 2], EIGHT), by_two[k % 2], EIGHT);
}

static void split(struct emit *e, const val *v, val *word)
{
    const struct words w = words_of(e->op->mem);
    if (w.n == 4)
        split_fours_32(e, v, word);
    else
        (w.bits == 32 ? split_pairs_32 : split_pairs_64)(e, v, word);
}

/* --- where they are --- */

void emit_words_of_line(struct emit *e, val first, val *word)
{
    const struct words w = words_of(e->op->mem);
    const unsigned per = 256 / w.bits, vectors = w.n * EIGHT / per;
    val v[4];
    if (w.n == 1) {
        word[0] = emit_widened(e, vector_at(e, first, w.bits, EIGHT), 32);
        return;
    }
    for (unsigned i = 0; i < vectors; i++)
        v[i] = w.n < 4
                   ? vector_at(e, b_further(e, first, 32 * i), w.bits, per)
                   : emit_part_of(e, vector_at(e, b_further(e, first, 16 * i), 32, 4),
                                  vector_at(e, b_further(e, first, 16 * (i + 4)), 32, 4), 0, EIGHT);
    split(e, v, word);
}

void emit_words_of_place(struct emit *e, val place, val *word)
{
    const struct words w = words_of(e->op->mem);
    for (unsigned k = 0; k < w.n; k++) {
        val at = b_further(e, place, (uint64_t)k * w.bits / 8);
        word[k] = b_splat(e, emit_widened(e, scalar_at(e, at, w.bits), 32));
    }
}

/* `n` words, from at[] on. */
static val words_at(const struct emit *e, const val *at, unsigned bits, unsigned n)
{
    const unsigned wide = bits < 32 ? 32 : bits;
    val v = LLVMGetUndef(LLVMVectorType(LLVMIntTypeInContext(e->ctx, wide), n));
    for (unsigned l = 0; l < n; l++) {
        val one = emit_widened(e, scalar_at(e, at[l], bits), wide);
        v = LLVMBuildInsertElement(e->b, v, one, b_int(e, 32, l), "");
    }
    return v;
}

void emit_words_of_lanes(struct emit *e, val from, val off, val *word)
{
    const struct words w = words_of(e->op->mem);
    LLVMTypeRef words_32 = emit_int(e, 32);
    val at[EIGHT], v[4];
    for (unsigned l = 0; l < EIGHT; l++) {
        val by = LLVMBuildExtractElement(e->b, off, b_int(e, 32, l), "");
        at[l] = LLVMBuildAdd(e->b, from, emit_widened(e, by, 64), "");
    }
    if (w.n == 1) {
        word[0] = words_at(e, at, w.bits, EIGHT);
        return;
    }
    for (unsigned i = 0; w.n == 2 && w.bits == 32 && i < 2; i++)
        v[i] = b_as(e, words_at(e, at + 4 * i, 64, 4), words_32);
    for (unsigned i = 0; w.n == 2 && w.bits == 64 && i < 4; i++)
        v[i] = emit_part_of(e, vector_at(e, at[2 * i], 64, 2), vector_at(e, at[2 * i + 1], 64, 2),
                            0, 4);
    for (unsigned i = 0; w.n == 4 && i < 4; i++)
        v[i] =
            emit_part_of(e, vector_at(e, at[i], 32, 4), vector_at(e, at[i + 4], 32, 4), 0, EIGHT);
    split(e, v, word);
}
