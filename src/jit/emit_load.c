/* Loads: see exec/locate.h, whose short way this is for a strip of lanes.
 *
 * A full strip whose lanes lie side by side, or all at one place, in the range that the load's
 * lanes probably are in, is read here. Others are read by a function, lane by lane. A load whose
 * lanes are known to scatter does not look how they lie, and reads each of them here. An active
 * lane outside the range makes the run leave the strip. */
#include "jit/emit.h"

#include "exec/grid.h"
#include "jit/emit_words.h"
#include "jit/read_lanes.h"

#include <string.h>

/* An access may begin at lo up to lo + room; its host address is the address + host. */
struct range {
    val lo, room, host;
};

bool load_is_known(const struct run_op *op)
{
    const struct xmem *m = op->mem;
    bool ok = m->nregs <= MAX_WORDS &&
              (m->is_uniform || (m->addr.sel == LANE_REGS && m->addr.bytes >= 4));
    for (unsigned k = 0; k < m->nregs; k++)
        ok &= m->regs[k].none || (m->regs[k].bytes && m->regs[k].bytes <= 8);
    return ok;
}

static LLVMTypeRef word_type(const struct emit *e)
{
    return LLVMInt64TypeInContext(e->ctx);
}

/* --- the view --- */

val emit_word_in(const struct emit *e, val words, size_t off)
{
    val n = b_int(e, 64, off / 8);
    return LLVMBuildLoad2(e->b, word_type(e), LLVMBuildGEP2(e->b, word_type(e), words, &n, 1, ""),
                          "");
}

void emit_view(struct emit *e)
{
    val view = LLVMGetParam(e->fn, 2);
    val tlb = emit_word_in(e, view, offsetof(struct run_view, tlb));
    e->view.tlb = LLVMBuildIntToPtr(e->b, tlb, LLVMPointerType(word_type(e), 0), "tlb");
    e->view.shared = emit_word_in(e, view, offsetof(struct run_view, shared));
    e->view.shared_limit = emit_word_in(e, view, offsetof(struct run_view, shared_limit));
    e->view.params = emit_word_in(e, view, offsetof(struct run_view, params));
    e->view.room = LLVMBuildAlloca(e->b, LLVMVectorType(word_type(e), READ_WORDS), "");
}

/* --- where lanes are --- */

static struct range range_shared(struct emit *e, uint64_t window)
{
    return (struct range){b_int(e, 64, window),
                          b_further(e, e->view.shared_limit, -(uint64_t)load_size(e->op->mem)),
                          b_further(e, e->view.shared, -window)};
}

static struct range range_global(struct emit *e)
{
    const size_t entry = e->op->slot * sizeof(struct tlb_entry);
    val lo = emit_word_in(e, e->view.tlb, entry + offsetof(struct tlb_entry, base));
    val end = emit_word_in(e, e->view.tlb, entry + offsetof(struct tlb_entry, end));
    val bytes = LLVMBuildSub(e->b, end, lo, "");
    return (struct range){lo, b_further(e, bytes, -(uint64_t)load_size(e->op->mem)),
                          b_int(e, 64, 0)};
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

static val is_not_negative(const struct emit *e, val x)
{
    return LLVMBuildICmp(e->b, LLVMIntSGE, x, b_int(e, 64, 0), "");
}

/* Whether an access may begin at `first` and up to `more` bytes behind it, aligned or not. The sign
 * says what is wrong: it is before the range, or behind it. */
static val is_within(const struct emit *e, const struct range *r, val first, unsigned more)
{
    val off = LLVMBuildSub(e->b, first, r->lo, "");
    val rest = LLVMBuildSub(e->b, b_further(e, r->room, -(uint64_t)more), off, "");
    return is_not_negative(e, LLVMBuildOr(e->b, off, rest, ""));
}

static val is_aligned(const struct emit *e, val first)
{
    const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(first));
    val low = LLVMBuildAnd(e->b, first, b_int(e, bits, load_size(e->op->mem) - 1), "");
    return LLVMBuildICmp(e->b, LLVMIntEQ, low, b_int(e, bits, 0), "");
}

static val active_lanes(const struct emit *e)
{
    return e->guard ? LLVMBuildAnd(e->b, e->mask, b_bits(e, e->guard), "") : e->mask;
}

static void leave_lanes(struct emit *e, val lanes)
{
    e->astray = e->astray ? LLVMBuildOr(e->b, e->astray, lanes, "") : lanes;
}

/* A place that may be read and has nothing. */
static val nowhere(const struct emit *e)
{
    return LLVMBuildPtrToInt(e->b, e->view.room, word_type(e), "");
}

/* --- reading --- */

/* A block for every way to read, and where they meet again. */
struct ways {
    LLVMBasicBlockRef from[3], meet;
    val word[3][MAX_WORDS], astray[3];
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
    read_lanes_fn *host = read_lanes_of(w.bits, w.n);
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
        emit_words_of_place(e, b_further(e, e->view.params, imm), word);
        return;
    }
    val first = b_int(e, 64, imm);
    const struct range r = range_of(e, first);
    val good = LLVMBuildAnd(e->b, is_within(e, &r, first, 0), is_aligned(e, first), "");
    val none = b_no_lanes(e);
    leave_lanes(e, choose(e, good, none, active_lanes(e)));
    emit_words_of_place(e, choose(e, good, LLVMBuildAdd(e->b, first, r.host, ""), nowhere(e)),
                        word);
}

/* Whether all lanes have the same bits: what differs is or-ed to one vector of the host. */
static val are_equal(const struct emit *e, val x, val y)
{
    const char *name = "llvm.x86.avx.ptestz.256";
    unsigned n = RUN_STRIP_LANES * emit_bits_of(x) / 64;
    val differ = b_as(e, b_xor(e, x, y), LLVMVectorType(word_type(e), n));
    for (n /= 2; n >= 4; n /= 2)
        differ =
            b_or(e, emit_part_of(e, differ, differ, 0, n), emit_part_of(e, differ, differ, n, n));
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    val args[] = {differ, differ}, fn = LLVMGetIntrinsicDeclaration(e->mod, id, NULL, 0);
    val none = LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->ctx, id, NULL, 0), fn, args, 2, "");
    return LLVMBuildICmp(e->b, LLVMIntNE, none, b_int(e, 32, 0), "");
}

/* How the lanes of an address register lie to each other. */
static void find_pattern(struct emit *e, struct address_pattern *p, val at, unsigned step)
{
    val by[RUN_STRIP_LANES];
    const unsigned bits = emit_bits_of(at);
    for (unsigned l = 0; l < RUN_STRIP_LANES; l++)
        by[l] = b_int(e, bits, (uint64_t)l * step);
    val first = LLVMBuildExtractElement(e->b, at, b_int(e, 64, 0), ""), all = b_splat(e, first);
    p->at = at;
    p->step = step;
    p->first = first;
    val is_whole = LLVMBuildICmp(e->b, LLVMIntEQ, e->mask, b_all_lanes(e), "");
    val may = LLVMBuildAnd(e->b, is_whole, is_aligned(e, first), "");
    val line = are_equal(e, at, b_add(e, all, LLVMConstVector(by, RUN_STRIP_LANES)));
    p->line = LLVMBuildAnd(e->b, may, line, "");
    p->same = LLVMBuildAnd(e->b, may, are_equal(e, at, all), "");
}

/* Loads from one register, with several offsets, follow each other. */
static const struct address_pattern *pattern_of(struct emit *e, val at)
{
    const unsigned step = load_size(e->op->mem);
    for (unsigned i = 0; i < ARRAY_LEN(e->patterns); i++)
        if (e->patterns[i].at == at && e->patterns[i].step == step)
            return &e->patterns[i];
    struct address_pattern *p = &e->patterns[e->next_pattern++ % ARRAY_LEN(e->patterns)];
    find_pattern(e, p, at, step);
    return p;
}

/* ref + imm, for one lane; of 32 bits, it goes round there. */
static val with_offset(const struct emit *e, val at, int64_t imm)
{
    const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(at));
    at = imm ? LLVMBuildAdd(e->b, at, b_int(e, bits, (uint64_t)imm), "") : at;
    return emit_widened(e, at, 64);
}

/* The same for a strip, as wide as the register. */
static val strip_with_offset(const struct emit *e, val at, int64_t imm)
{
    return imm ? b_add(e, at, b_const_like(e, at, (uint64_t)imm)) : at;
}

/* Places of all kinds. Lanes that read nothing, and inactive ones, read the range's first word:
 * what an inactive one would read may miss the host's caches. */
static void read_scattered(struct emit *e, val *word)
{
    const struct xmem *m = e->op->mem;
    const unsigned size = load_size(m);
    val at = strip_with_offset(e, emit_ref(e, &m->addr), m->imm);
    val first = LLVMBuildExtractElement(e->b, at, b_int(e, 64, 0), "");
    const struct range r = range_of(e, emit_widened(e, first, 64));
    const bool is_narrow = e->op->space == PTX_SPACE_SHARED && m->addr.bytes == 4;
    at = emit_widened(e, at, is_narrow ? 32 : 64);
    val off = is_narrow ? at : b_sub(e, at, b_splat(e, r.lo)), none = b_const_like(e, off, 0);
    val room = b_splat(e, LLVMBuildTrunc(e->b, r.room, LLVMGetElementType(LLVMTypeOf(off)), ""));
    val wrong = b_or(e, b_or(e, off, room), b_sub(e, room, off)); /* its sign, as in is_within() */
    if (size > 1)
        wrong = b_or(e, wrong, b_sub(e, none, b_and(e, at, b_const_like(e, at, size - 1))));
    val is_wrong = b_icmp(e, LLVMIntSLT, wrong, none), active = active_lanes(e);
    leave_lanes(e, LLVMBuildAnd(e->b, b_bits(e, is_wrong), active, ""));
    val reads = b_and(e, b_as(e, active, emit_int(e, 1)), b_not(e, is_wrong));
    val is_there = LLVMBuildICmp(e->b, LLVMIntSGE, r.room, b_int(e, 64, 0), "");
    val from = choose(e, is_there, LLVMBuildAdd(e->b, r.lo, r.host, ""), nowhere(e));
    emit_words_of_lanes(e, from, b_select(e, reads, off, none), word);
}

/* Whether the lanes, all of which are active and aligned in their register, may read from `first`
 * up to `more` bytes behind it. */
static val may_read(struct emit *e, const struct range *r, val first, unsigned more)
{
    const struct xmem *m = e->op->mem;
    val good = is_within(e, r, first, more);
    if (e->guard) {
        val is_whole = LLVMBuildICmp(e->b, LLVMIntEQ, active_lanes(e), b_all_lanes(e), "");
        good = LLVMBuildAnd(e->b, good, is_whole, "");
    }
    if ((uint64_t)m->imm % load_size(m)) /* the register itself is looked at in the pattern */
        good = LLVMBuildAnd(e->b, good, is_aligned(e, first), "");
    return good;
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
    val place = LLVMBuildAdd(e->b, first, r.host, "");
    val line = may_read(e, &r, first, (RUN_STRIP_LANES - 1) * load_size(m));
    LLVMBasicBlockRef other = branch_if(e, LLVMBuildAnd(e->b, line, p->line, ""));
    emit_words_of_line(e, place, w.word[0]);
    way_ends(e, &w, none);
    LLVMPositionBuilderAtEnd(e->b, other);
    other = branch_if(e, LLVMBuildAnd(e->b, may_read(e, &r, first, 0), p->same, ""));
    emit_words_of_place(e, place, w.word[1]);
    way_ends(e, &w, none);
    LLVMPositionBuilderAtEnd(e->b, other);
    val each = emit_widened(e, strip_with_offset(e, at, m->imm), 64);
    val outside = read_each(e, each, &r, w.word[2]);
    way_ends(e, &w, outside);
    meet(e, &w, word);
}

void emit_load(struct emit *e)
{
    val word[MAX_WORDS];
    if (e->op->space == PTX_SPACE_PARAM || e->op->mem->is_uniform)
        read_named(e, word);
    else if (e->op->scatters)
        read_scattered(e, word);
    else
        read_places(e, word);
    deliver(e, word);
}
