/* Loads: see exec/locate.h, whose short way this is for a strip of lanes.
 *
 * A full strip whose lanes lie side by side, or all at one place, in the range that the load's
 * lanes probably are in, is read here. Others are read by a function, lane by lane; an active lane
 * outside the range makes the run leave the strip. */
#include "jit/emit.h"

#include "exec/grid.h"
#include "jit/read_lanes.h"

#include <string.h>

enum { MAX_PARTS = 4 };

/* An access may begin at lo up to lo + room; its host address is the address + host. */
struct range {
    val lo, room, host;
};

bool load_is_known(const struct run_op *op)
{
    const struct xmem *m = op->mem;
    bool ok = m->nregs <= MAX_PARTS &&
              (m->is_uniform || (m->addr.sel == LANE_REGS && m->addr.bytes >= 4));
    for (unsigned k = 0; k < m->nregs; k++)
        ok &= m->regs[k].none || (m->regs[k].bytes && m->regs[k].bytes <= 8);
    return ok;
}

static unsigned size_of(const struct xmem *m)
{
    return (unsigned)m->bytes * m->nregs;
}

static LLVMTypeRef word_type(const struct emit *e)
{
    return LLVMInt64TypeInContext(e->ctx);
}

static val add(const struct emit *e, val x, uint64_t y)
{
    return y ? LLVMBuildAdd(e->b, x, b_int(e, 64, y), "") : x;
}

static val scalar_at(const struct emit *e, val address, unsigned bits)
{
    LLVMTypeRef t = LLVMIntTypeInContext(e->ctx, bits);
    val p = LLVMBuildIntToPtr(e->b, address, LLVMPointerType(t, 0), "");
    val v = LLVMBuildLoad2(e->b, t, p, "");
    LLVMSetAlignment(v, 1);
    return v;
}

/* --- the view --- */

static val word_in(const struct emit *e, val words, size_t off)
{
    val n = b_int(e, 64, off / 8);
    return LLVMBuildLoad2(e->b, word_type(e), LLVMBuildGEP2(e->b, word_type(e), words, &n, 1, ""),
                          "");
}

void emit_view(struct emit *e)
{
    val view = LLVMGetParam(e->fn, 2);
    val tlb = word_in(e, view, offsetof(struct run_view, tlb));
    e->view.tlb = LLVMBuildIntToPtr(e->b, tlb, LLVMPointerType(word_type(e), 0), "tlb");
    e->view.shared = word_in(e, view, offsetof(struct run_view, shared));
    e->view.shared_limit = word_in(e, view, offsetof(struct run_view, shared_limit));
    e->view.params = word_in(e, view, offsetof(struct run_view, params));
    e->view.room = LLVMBuildAlloca(e->b, LLVMVectorType(word_type(e), READ_WORDS), "");
}

/* --- where lanes are --- */

static struct range range_shared(struct emit *e, uint64_t window)
{
    return (struct range){b_int(e, 64, window),
                          add(e, e->view.shared_limit, -(uint64_t)size_of(e->op->mem)),
                          add(e, e->view.shared, -window)};
}

static struct range range_global(struct emit *e)
{
    const size_t entry = e->op->slot * sizeof(struct tlb_entry);
    val lo = word_in(e, e->view.tlb, entry + offsetof(struct tlb_entry, base));
    val end = word_in(e, e->view.tlb, entry + offsetof(struct tlb_entry, end));
    val bytes = LLVMBuildSub(e->b, end, lo, "");
    return (struct range){lo, add(e, bytes, -(uint64_t)size_of(e->op->mem)), b_int(e, 64, 0)};
}

static val choose(const struct emit *e, val c, val x, val y)
{
    return LLVMBuildSelect(e->b, c, x, y, "");
}

/* `first` is the address of one lane. */
static struct range range_of(struct emit *e, val first)
{
    if (e->op->space == PTX_SPACE_SHARED)
        return range_shared(e, 0);
    const struct range g = range_global(e);
    if (e->op->space != PTX_SPACE_GENERIC)
        return g;
    const struct range s = range_shared(e, SHARED_WINDOW);
    val off = LLVMBuildSub(e->b, first, s.lo, "");
    val is_shared = LLVMBuildICmp(e->b, LLVMIntULT, off, b_int(e, 64, WINDOW_BYTES), "");
    return (struct range){choose(e, is_shared, s.lo, g.lo), choose(e, is_shared, s.room, g.room),
                          choose(e, is_shared, s.host, g.host)};
}

/* Whether an access may begin at `first` and up to `more` bytes behind it. The sign says what is
 * wrong: it is before the range, behind it, or not aligned. */
static val is_good(const struct emit *e, const struct range *r, val first, unsigned more)
{
    const unsigned size = size_of(e->op->mem);
    val off = LLVMBuildSub(e->b, first, r->lo, "");
    val rest = LLVMBuildSub(e->b, add(e, r->room, -(uint64_t)more), off, "");
    val wrong = LLVMBuildOr(e->b, off, rest, "");
    if (size > 1) {
        val low = LLVMBuildAnd(e->b, first, b_int(e, 64, size - 1), "");
        wrong = LLVMBuildOr(e->b, wrong, LLVMBuildNeg(e->b, low, ""), "");
    }
    return LLVMBuildICmp(e->b, LLVMIntSGE, wrong, b_int(e, 64, 0), "");
}

static val active_lanes(const struct emit *e)
{
    return e->guard ? LLVMBuildAnd(e->b, e->mask, b_bits(e, e->guard), "") : e->mask;
}

static void leave_lanes(struct emit *e, val lanes)
{
    e->astray = e->astray ? LLVMBuildOr(e->b, e->astray, lanes, "") : lanes;
}

/* --- reading --- */

/* What is read of a lane: words side by side. Elements of less than 4 bytes are cut out of one word
 * afterwards; a word of less than 4 bytes becomes one of 4 at once. */
struct words {
    unsigned bits, n;
};

static struct words words_of(const struct xmem *m)
{
    return m->bytes < 4 ? (struct words){8u * size_of(m), 1}
                        : (struct words){8u * m->bytes, m->nregs};
}

static bool is_strip(val v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

static unsigned width_of(val v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetIntTypeWidth(is_strip(v) ? LLVMGetElementType(t) : t);
}

/* A strip or one lane's value, of at least so many bits. */
static val widened(const struct emit *e, val v, unsigned bits)
{
    if (width_of(v) >= bits)
        return v;
    LLVMTypeRef t = is_strip(v) ? emit_int(e, bits) : LLVMIntTypeInContext(e->ctx, bits);
    return LLVMBuildZExt(e->b, v, t, "");
}

/* A block for every way to read, and where they meet again. */
struct ways {
    LLVMBasicBlockRef from[3], meet;
    val word[3][MAX_PARTS], astray[3];
    unsigned n;
};

static LLVMBasicBlockRef block(const struct emit *e)
{
    return LLVMAppendBasicBlockInContext(e->ctx, e->fn, "");
}

static void way_ends(struct emit *e, struct ways *w, val astray)
{
    w->astray[w->n] = astray;
    w->from[w->n++] = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, w->meet);
}

/* Words of `bits` that lie side by side, as a vector of `n`. */
static val vector_at(const struct emit *e, val address, unsigned bits, unsigned n)
{
    LLVMTypeRef t = LLVMVectorType(LLVMIntTypeInContext(e->ctx, bits), n);
    val v =
        LLVMBuildLoad2(e->b, t, LLVMBuildIntToPtr(e->b, address, LLVMPointerType(t, 0), ""), "");
    LLVMSetAlignment(v, 1);
    return v;
}

static val shuffled(const struct emit *e, val x, val y, const uint8_t *pick, unsigned n)
{
    val lanes[WARP_LANES];
    for (unsigned i = 0; i < n; i++)
        lanes[i] = b_int(e, 32, pick[i]);
    return LLVMBuildShuffleVector(e->b, x, y, LLVMConstVector(lanes, n), "");
}

/* `n` elements of x and y, which lie behind each other, from number `from` on. */
static val part_of(const struct emit *e, val x, val y, unsigned from, unsigned n)
{
    uint8_t pick[WARP_LANES];
    for (unsigned i = 0; i < n; i++)
        pick[i] = (uint8_t)(from + i);
    return shuffled(e, x, y, pick, n);
}

/* The following three take the vectors of EIGHT lanes apart by steps that are instructions of the
 * host: what LLVM has to find out for itself takes it long. */
enum { EIGHT = 8 };

static void read_pairs_32(struct emit *e, val first, val *word)
{
    static const uint8_t pick[2][EIGHT] = {{0, 2, 4, 6, 8, 10, 12, 14},
                                           {1, 3, 5, 7, 9, 11, 13, 15}};
    val x = vector_at(e, first, 32, EIGHT), y = vector_at(e, add(e, first, 32), 32, EIGHT);
    for (unsigned k = 0; k < 2; k++)
        word[k] = shuffled(e, x, y, pick[k], EIGHT);
}

static void read_pairs_64(struct emit *e, val first, val *word)
{
    static const uint8_t pick[2][4] = {{0, 2, 4, 6}, {1, 3, 5, 7}};
    val v[4];
    for (unsigned i = 0; i < 4; i++)
        v[i] = vector_at(e, add(e, first, 32 * i), 64, 4);
    for (unsigned k = 0; k < 2; k++)
        word[k] = part_of(e, shuffled(e, v[0], v[1], pick[k], 4),
                          shuffled(e, v[2], v[3], pick[k], 4), 0, EIGHT);
}

/* As exec/eight_by_four.h does. */
static void read_fours_32(struct emit *e, val first, val *word)
{
    static const uint8_t by_word[2][EIGHT] = {{0, 8, 1, 9, 4, 12, 5, 13},
                                              {2, 10, 3, 11, 6, 14, 7, 15}};
    static const uint8_t by_two[2][EIGHT] = {{0, 1, 8, 9, 4, 5, 12, 13},
                                             {2, 3, 10, 11, 6, 7, 14, 15}};
    val v[4];
    for (unsigned i = 0; i < 4; i++)
        v[i] = part_of(e, vector_at(e, add(e, first, 16 * i), 32, 4),
                       vector_at(e, add(e, first, 16 * (i + 4)), 32, 4), 0, EIGHT);
    for (unsigned k = 0; k < 4; k++)
        word[k] = shuffled(e, shuffled(e, v[0], v[1], by_word[k / 2], EIGHT),
                           shuffled(e, v[2], v[3], by_word[k / 2], EIGHT), by_two[k % 2], EIGHT);
}

static void read_eight(struct emit *e, val first, val *word)
{
    const struct words w = words_of(e->op->mem);
    if (w.n == 2)
        (w.bits == 32 ? read_pairs_32 : read_pairs_64)(e, first, word);
    else
        read_fours_32(e, first, word);
}

static void read_line(struct emit *e, val first, val *word)
{
    const struct words w = words_of(e->op->mem);
    if (w.n == 1) {
        word[0] = widened(e, vector_at(e, first, w.bits, e->run->strip_lanes), 32);
        return;
    }
    for (unsigned l = 0; l < e->run->strip_lanes; l += EIGHT) {
        val more[MAX_PARTS];
        read_eight(e, add(e, first, (uint64_t)l * size_of(e->op->mem)), l ? more : word);
        for (unsigned k = 0; l && k < w.n; k++)
            word[k] = part_of(e, word[k], more[k], 0, l + EIGHT);
    }
}

static void read_one_place(struct emit *e, val place, val *word)
{
    const struct words w = words_of(e->op->mem);
    for (unsigned k = 0; k < w.n; k++)
        word[k] = b_splat(
            e, widened(e, scalar_at(e, add(e, place, (uint64_t)k * w.bits / 8), w.bits), 32));
}

/* Each from a place of its own. Returns the lanes that are outside the range. */
static val read_each(struct emit *e, val addr, const struct range *r, val *word)
{
    const struct words w = words_of(e->op->mem);
    const unsigned bits = w.bits < 32 ? 32 : w.bits;
    LLVMTypeRef i64 = word_type(e), room = LLVMTypeOf(e->view.room);
    LLVMTypeRef types[] = {room, i64, i64, i64, i64, i64};
    LLVMTypeRef t = LLVMFunctionType(i64, types, ARRAY_LEN(types), false);
    val at = LLVMBuildBitCast(e->b, e->view.room, LLVMPointerType(emit_int(e, 64), 0), "");
    LLVMBuildStore(e->b, addr, at);
    read_lanes_fn *host = read_lanes_of(w.bits, w.n, e->run->strip_lanes);
    val fn = LLVMConstIntToPtr(b_int(e, 64, (uintptr_t)host), LLVMPointerType(t, 0));
    val args[] = {e->view.room,
                  r->lo,
                  r->room,
                  r->host,
                  LLVMBuildZExt(e->b, active_lanes(e), i64, ""),
                  b_int(e, 64, (uintptr_t)e->op->mem->nscattered)};
    val outside = LLVMBuildCall2(e->b, t, fn, args, ARRAY_LEN(args), "");
    val words = LLVMBuildBitCast(e->b, e->view.room, LLVMPointerType(emit_int(e, bits), 0), "");
    for (unsigned k = 0; k < w.n; k++) {
        val n = b_int(e, 64, k);
        word[k] = LLVMBuildLoad2(e->b, emit_int(e, bits),
                                 LLVMBuildGEP2(e->b, emit_int(e, bits), words, &n, 1, ""), "");
    }
    return LLVMBuildTrunc(e->b, outside, emit_mask_type(e), "");
}

/* Goes on in a block of its own if `cond`; returns the other one. */
static LLVMBasicBlockRef branch_if(struct emit *e, val cond)
{
    LLVMBasicBlockRef yes = block(e), no = block(e);
    LLVMBuildCondBr(e->b, cond, yes, no);
    LLVMPositionBuilderAtEnd(e->b, yes);
    return no;
}

/* Where the ways meet: the words that were read. */
static void meet(struct emit *e, const struct ways *w, val *word)
{
    LLVMPositionBuilderAtEnd(e->b, w->meet);
    val astray = LLVMBuildPhi(e->b, emit_mask_type(e), "");
    for (unsigned k = 0; k < words_of(e->op->mem).n; k++)
        word[k] = LLVMBuildPhi(e->b, LLVMTypeOf(w->word[0][k]), "");
    for (unsigned i = 0; i < w->n; i++) {
        LLVMBasicBlockRef from = w->from[i];
        val v = w->astray[i];
        LLVMAddIncoming(astray, &v, &from, 1);
        for (unsigned k = 0; k < words_of(e->op->mem).n; k++) {
            v = w->word[i][k];
            LLVMAddIncoming(word[k], &v, &from, 1);
        }
    }
    leave_lanes(e, astray);
}

/* --- loads --- */

/* Element k of a word that several share. */
static val element(const struct emit *e, const struct xmem *m, val word, unsigned k)
{
    const unsigned bits = emit_bits_of(word), up = bits - 8u * m->bytes * (k + 1);
    val high = up ? b_shl(e, word, b_const_like(e, word, up)) : word;
    val down = b_const_like(e, word, bits - 8u * m->bytes);
    return m->is_signed ? b_ashr(e, high, down) : b_lshr(e, high, down);
}

static void deliver(struct emit *e, val *word)
{
    const struct xmem *m = e->op->mem;
    for (unsigned k = 0; k < m->nregs; k++)
        emit_assign_int(e, &m->regs[k], m->bytes < 4 ? element(e, m, word[0], k) : word[k],
                        m->is_signed, e->op->d_is_live);
}

/* A place that the program names: a parameter of the kernel, or a variable. A wrong one is left if
 * there is a lane that wants it, and else not read either. */
static void read_named(struct emit *e, val *word)
{
    const uint64_t imm = (uint64_t)e->op->mem->imm;
    if (e->op->space == PTX_SPACE_PARAM) {
        read_one_place(e, add(e, e->view.params, imm), word);
        return;
    }
    val first = b_int(e, 64, imm);
    const struct range r = range_of(e, first);
    val good = is_good(e, &r, first, 0), none = b_no_lanes(e);
    leave_lanes(e, choose(e, good, none, active_lanes(e)));
    val nowhere = LLVMBuildPtrToInt(e->b, e->view.room, word_type(e), "");
    read_one_place(e, choose(e, good, LLVMBuildAdd(e->b, first, r.host, ""), nowhere), word);
}

/* Whether all lanes have the same bits: what differs is or-ed to one vector of the host. */
static val are_equal(const struct emit *e, val x, val y)
{
    const char *name = "llvm.x86.avx.ptestz.256";
    unsigned n = e->run->strip_lanes * emit_bits_of(x) / 64;
    val differ = b_as(e, b_xor(e, x, y), LLVMVectorType(word_type(e), n));
    for (n /= 2; n >= 4; n /= 2)
        differ = b_or(e, part_of(e, differ, differ, 0, n), part_of(e, differ, differ, n, n));
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    val args[] = {differ, differ}, fn = LLVMGetIntrinsicDeclaration(e->mod, id, NULL, 0);
    val none = LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->ctx, id, NULL, 0), fn, args, 2, "");
    return LLVMBuildICmp(e->b, LLVMIntNE, none, b_int(e, 32, 0), "");
}

/* How the lanes of an address register lie to each other. */
static void find_pattern(struct emit *e, struct address_pattern *p, val at, unsigned step)
{
    val by[RUN_STRIP_MAX];
    const unsigned bits = emit_bits_of(at);
    for (unsigned l = 0; l < e->run->strip_lanes; l++)
        by[l] = b_int(e, bits, (uint64_t)l * step);
    val first = LLVMBuildExtractElement(e->b, at, b_int(e, 64, 0), ""), all = b_splat(e, first);
    p->at = at;
    p->step = step;
    p->first = first;
    p->line = are_equal(e, at, b_add(e, all, LLVMConstVector(by, e->run->strip_lanes)));
    p->same = are_equal(e, at, all);
}

/* Loads from one register, with several offsets, follow each other. */
static const struct address_pattern *pattern_of(struct emit *e, val at)
{
    const unsigned step = size_of(e->op->mem);
    for (unsigned i = 0; i < ARRAY_LEN(e->patterns); i++)
        if (e->patterns[i].at == at && e->patterns[i].step == step)
            return &e->patterns[i];
    struct address_pattern *p = &e->patterns[e->next_pattern++ % ARRAY_LEN(e->patterns)];
    find_pattern(e, p, at, step);
    return p;
}

/* ref + imm; of 32 bits, it goes round there. */
static val with_offset(const struct emit *e, val at, int64_t imm)
{
    const unsigned bits = width_of(at);
    val c = is_strip(at) ? emit_const(e, bits, (uint64_t)imm) : b_int(e, bits, (uint64_t)imm);
    return widened(e, imm ? LLVMBuildAdd(e->b, at, c, "") : at, 64);
}

/* Places in a register: by the first way that fits. Of 32 bits a line may go round at 4 GB; it ends
 * in the range then only if the range is larger than that, and none is. */
static void read_places(struct emit *e, val *word)
{
    const struct xmem *m = e->op->mem;
    val at = emit_ref(e, &m->addr), none = b_no_lanes(e);
    const struct address_pattern *p = pattern_of(e, at);
    val first = with_offset(e, p->first, m->imm);
    const struct range r = range_of(e, first);
    struct ways w = {.meet = block(e)};
    val good = is_good(e, &r, first, (e->run->strip_lanes - 1) * size_of(m));
    val is_whole = LLVMBuildICmp(e->b, LLVMIntEQ, active_lanes(e), b_all_lanes(e), "");
    good = LLVMBuildAnd(e->b, good, is_whole, "");
    val place = LLVMBuildAdd(e->b, first, r.host, "");
    LLVMBasicBlockRef other = branch_if(e, LLVMBuildAnd(e->b, good, p->line, ""));
    read_line(e, place, w.word[0]);
    way_ends(e, &w, none);
    LLVMPositionBuilderAtEnd(e->b, other);
    other = branch_if(e, LLVMBuildAnd(e->b, good, p->same, ""));
    read_one_place(e, place, w.word[1]);
    way_ends(e, &w, none);
    LLVMPositionBuilderAtEnd(e->b, other);
    val outside = read_each(e, with_offset(e, at, m->imm), &r, w.word[2]);
    way_ends(e, &w, outside);
    meet(e, &w, word);
}

void emit_load(struct emit *e)
{
    val word[MAX_PARTS];
    if (e->op->space == PTX_SPACE_PARAM || e->op->mem->is_uniform)
        read_named(e, word);
    else
        read_places(e, word);
    deliver(e, word);
}
