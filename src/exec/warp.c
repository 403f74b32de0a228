/* The inner loop, and the frames and registers that it runs on. */
#include "exec/warp.h"

#include "base/exact.h"
#include "exec/grid.h"
#include "exec/groups.h"
#include "exec/limits.h"
#include "exec/runs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A split that runs this many instructions while others of its warp wait gives way once: lanes may
 * wait for each other (locks, flags), as independent thread scheduling allows. */
#define SPIN_LIMIT 20000u

struct tex_table *warp_textures(struct warp *w)
{
    return &w->grid->dev->textures;
}

/* --- frames --- */

/* base/exact.h: of a frame's bytes, only those of its registers may be touched. */
static void frame_expose(const struct warp *w, const struct frame *f)
{
    char *base = w->regs + f->reg_off;
    const struct xfunc *fn = f->fn;
    EXACT_FORBID(base, fn->frame_bytes);
    for (uint32_t r = 0; r < fn->src->nregs; r++)
        EXACT_ALLOW(base + fn->regs[r].off,
                    fn->regs[r].bytes ? (size_t)fn->regs[r].bytes * WARP_LANES : 4);
    EXACT_ALLOW(base + fn->cc.off, 4);
}

static void ensure_regs(struct warp *w, uint32_t bytes)
{
    if (bytes <= w->regs_bytes)
        return;
    uint32_t grown = (uint32_t)align_up(bytes + (w->regs_bytes ? bytes / 2 : 0), 4096);
    char *regs = xalloc_aligned(64, grown);
    if (w->regs_bytes) {
        EXACT_ALLOW(w->regs, w->regs_bytes);
        memcpy(regs, w->regs, w->regs_bytes);
    }
    free(w->regs);
    w->regs = regs;
    w->regs_bytes = grown;
    EXACT_FORBID(w->regs, w->regs_bytes);
    for (const struct frame *f = EXACT ? w->frames : NULL; f; f = f->next)
        frame_expose(w, f);
}

/* Frames of different splits of a warp may be live side by side, so a new one goes behind all: the
 * newest, which is the first of the list, ends last. */
static uint32_t frames_end(const struct warp *w)
{
    return w->frames ? w->frames->reg_off + w->frames->fn->frame_bytes : 0;
}

bool warp_frame_fits(struct warp *w, const struct xinst *x, const struct xfunc *fn)
{
    const struct split *s = warp_top(w);
    const unsigned lane = (unsigned)__builtin_ctz(s->mask);
    if (s->frame->depth >= EXEC_MAX_DEPTH)
        return warp_fault(w, x, lane, FAULT_STACK,
                          "stack overflow: calls are nested more than %u deep", EXEC_MAX_DEPTH);
    if ((uint64_t)frames_end(w) + fn->frame_bytes > EXEC_MAX_REGS)
        return warp_fault(w, x, lane, FAULT_STACK,
                          "stack overflow: nested calls need more than %llu bytes of registers",
                          (unsigned long long)EXEC_MAX_REGS);
    return true;
}

static void clear_predicates(struct warp *w, const struct frame *f)
{
    memset(w->regs + f->reg_off + f->fn->preds_off, 0, f->fn->frame_bytes - f->fn->preds_off);
}

/* Nothing of an earlier block or call shows, not even to a program that reads what it never wrote.
 */
static void clear_unset(struct warp *w, const struct frame *f)
{
    const struct xfunc *fn = f->fn;
    char *regs = w->regs + f->reg_off;
    clear_predicates(w, f);
    for (uint32_t i = 0; i < fn->nunset; i++)
        memset(regs + fn->unset[i].off, 0, (size_t)fn->unset[i].bytes * WARP_LANES);
}

static void clear_frame(struct warp *w, struct frame *f)
{
    EXACT_ALLOW(w->regs + f->reg_off, f->fn->frame_bytes);
    clear_unset(w, f);
    if (EXACT)
        frame_expose(w, f);
}

struct frame *warp_frame_new(struct warp *w, const struct xfunc *fn, struct frame *caller,
                             const struct xinst *call)
{
    struct frame *f = w->free_frames;
    if (f)
        w->free_frames = f->next;
    else
        f = xcalloc(1, sizeof *f);
    *f = (struct frame){.fn = fn, .caller = caller, .call = call, .users = 1};
    f->reg_off = frames_end(w);
    if (caller) {
        caller->users++;
        f->depth = caller->depth + 1;
        f->local_off = caller->local_off + caller->fn->local_bytes + caller->alloca_bytes;
    }
    ensure_regs(w, f->reg_off + fn->frame_bytes);
    f->next = w->frames;
    w->frames = f;
    clear_frame(w, f);
    return f;
}

void frame_unref(struct warp *w, struct frame *f)
{
    while (f && --f->users == 0) {
        struct frame **p = &w->frames;
        while (*p != f)
            p = &(*p)->next;
        *p = f->next;
        EXACT_FORBID(w->regs + f->reg_off, f->fn->frame_bytes);
        struct frame *caller = f->caller;
        f->next = w->free_frames;
        w->free_frames = f;
        f = caller;
    }
}

void warp_frame_base(const struct warp *w, const struct frame *f, char **base)
{
    memcpy(base, w->base, sizeof w->base);
    base[LANE_REGS] = w->regs + f->reg_off;
    base[LANE_CONST] = f->fn->consts;
}

static inline void use_top_frame(struct warp *w)
{
    const struct frame *f = warp_top(w)->frame;
    w->base[LANE_REGS] = w->regs + f->reg_off;
    w->base[LANE_CONST] = f->fn->consts;
}

void warp_use_frame(struct warp *w)
{
    if (w->depth)
        use_top_frame(w);
}

/* Room for `bytes` of local memory a lane, which are within the limit. */
static void local_grow(struct warp *w, uint64_t bytes)
{
    uint32_t words = (uint32_t)((bytes + 3) / 4);
    if (words <= w->local_words)
        return;
    if (w->local_words)
        EXACT_ALLOW(w->local, (size_t)w->local_cap * WARP_LANES * 4);
    if (words > w->local_cap) {
        const uint32_t cap = (uint32_t)align_up(words + w->local_words / 2, 64);
        w->local = xrealloc(w->local, (size_t)cap * WARP_LANES * 4);
        memset(w->local + (size_t)w->local_cap * WARP_LANES, 0,
               (size_t)(cap - w->local_cap) * WARP_LANES * 4);
        w->local_cap = cap;
    }
    w->local_words = EXACT ? words : w->local_cap;
    EXACT_FORBID(w->local + (size_t)w->local_words * WARP_LANES,
                 (size_t)(w->local_cap - w->local_words) * WARP_LANES * 4);
}

bool warp_local_reserve(struct warp *w, const struct xinst *x, uint64_t bytes)
{
    if (bytes > EXEC_MAX_LOCAL)
        return warp_fault(w, x, (unsigned)__builtin_ctz(warp_top(w)->mask), FAULT_STACK,
                          "stack overflow: a thread needs %llu bytes of local memory; the limit is "
                          "%llu",
                          (unsigned long long)bytes, (unsigned long long)EXEC_MAX_LOCAL);
    local_grow(w, bytes);
    return true;
}

/* --- splits --- */

void warp_push(struct warp *w, struct frame *frame, uint32_t pc, uint32_t rpc, uint32_t mask)
{
    if (UNLIKELY(w->depth == w->cap)) {
        w->cap = w->cap ? w->cap * 2 : 8;
        w->stack = xrealloc(w->stack, w->cap * sizeof *w->stack);
    }
    struct split *s = &w->stack[w->depth++];
    s->pc = pc;
    s->rpc = rpc;
    s->mask = mask;
    s->wait = SPLIT_RUNS;
    s->frame = frame;
    frame->users++;
    frame->splits++;
    w->spin_from = w->ninst;
}

void warp_join(struct warp *w, uint32_t into, uint32_t from)
{
    struct frame *f = w->stack[from].frame;
    w->stack[into].mask |= w->stack[from].mask;
    memmove(&w->stack[from], &w->stack[from + 1], (--w->depth - from) * sizeof *w->stack);
    f->splits--;
    frame_unref(w, f);
}

void warp_pop(struct warp *w)
{
    struct frame *f = warp_top(w)->frame;
    w->depth--;
    f->splits--;
    frame_unref(w, f);
    w->spin_from = w->ninst;
}

/* Splits whose lanes have all gone leave the top of the stack. */
static void drop_empty(struct warp *w)
{
    while (w->depth && !warp_top(w)->mask)
        warp_pop(w);
}

void warp_exit_lanes(struct warp *w, uint32_t mask)
{
    w->live &= ~mask;
    w->cta->live_threads -= (uint32_t)__builtin_popcount(mask);
    for (uint32_t i = 0; i < w->depth; i++)
        w->stack[i].mask &= ~mask;
    group_check_all(w);
    drop_empty(w);
    cta_check_all_barriers(w->cta);
}

/* The split at `i` goes to the top; the others keep their order, so that none comes to lie above
 * one that it will become part of. */
static void raise_to_top(struct warp *w, uint32_t i)
{
    struct split s = w->stack[i];
    memmove(&w->stack[i], &w->stack[i + 1], (w->depth - 1 - i) * sizeof s);
    w->stack[w->depth - 1] = s;
}

bool warp_yield(struct warp *w)
{
    uint32_t above = 0; /* lanes of the splits above the one looked at */
    uint32_t whole = UINT32_MAX, part = UINT32_MAX, early = 0;
    w->spin_from = w->ninst;
    for (uint32_t i = w->depth - 1; i-- > 0;) {
        const struct split *s = &w->stack[i];
        above |= w->stack[i + 1].mask;
        const uint32_t arrived = s->wait == SPLIT_RUNS ? s->mask & ~above : 0;
        if (!arrived)
            continue;
        if (arrived == s->mask) {
            whole = i; /* all its lanes are in it; the one that has waited longest lies lowest */
        } else if (part == UINT32_MAX) {
            part = i; /* others still run above and will join */
            early = arrived;
        }
    }
    if (whole != UINT32_MAX) {
        raise_to_top(w, whole);
    } else if (part != UINT32_MAX) {
        /* Lanes that wait where paths meet go ahead of the others. */
        struct split *s = &w->stack[part];
        s->mask &= ~early;
        warp_push(w, s->frame, s->pc, s->rpc, early);
    } else {
        return false;
    }
    warp_use_frame(w);
    return true;
}

/* --- running --- */

static void clear_counts(struct warp *w)
{
    w->ninst = w->nthread_inst = w->nfar = w->spin_from = w->reread = w->met_at = w->paused_at = 0;
}

void warp_start(struct warp *w, struct cta *cta, uint32_t id, uint32_t first_thread, uint32_t lanes)
{
    while (w->depth)
        warp_pop(w);
    const struct xfunc *entry = cta->grid->kernel->entry;
    w->cta = cta;
    w->grid = cta->grid;
    w->id = id;
    w->first_thread = first_thread;
    w->all = lanes == WARP_LANES ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
    w->live = w->all;
    w->lanes = UINT32_MAX;
    w->state = WARP_READY;
    clear_counts(w);
    if (!w->sregs) {
        w->sregs = xalloc_aligned(64, SREG_WARP_BYTES);
        sreg_fill_warp(w->sregs, cta->grid->launch->block, first_thread, id);
    }
    w->base[LANE_WARP] = w->sregs;
    w->base[LANE_CTA] = cta->sregs;
    struct frame *f = warp_frame_new(w, entry, NULL, NULL);
    warp_push(w, f, 0, PTX_NO_PC, w->live);
    f->users--;
    local_grow(w, entry->local_bytes); /* within the limit, or it was not lowered */
    warp_use_frame(w);
}

bool warp_restart(struct warp *w, const struct cta *cta, uint32_t lanes)
{
    if (w->cta != cta || w->depth != 1)
        return false;
    struct split *s = warp_top(w);
    if (s->frame != w->frames || s->frame->fn != cta->grid->kernel->entry ||
        s->frame->alloca_bytes || s->wait != SPLIT_RUNS)
        return false;
    w->live = s->mask = lanes & w->all;
    w->state = WARP_READY;
    s->pc = 0;
    clear_counts(w);
    clear_frame(w, s->frame);
    return true;
}

void warp_rewind(struct warp *w)
{
    struct split *s = warp_top(w);
    s->pc = 0;
    EXACT_ALLOW(w->regs + s->frame->reg_off, s->frame->fn->frame_bytes);
    clear_predicates(w, s->frame);
    if (EXACT)
        frame_expose(w, s->frame);
}

static void free_frames(struct frame *f)
{
    for (struct frame *next; f; f = next) {
        next = f->next;
        free(f);
    }
}

/* A warp that a fault stopped may outlive its kernel: the frames' functions are not looked at. */
void warp_free(struct warp *w)
{
    free_frames(w->frames);
    free_frames(w->free_frames);
    free(w->stack);
    free(w->regs);
    free(w->local);
    free(w->sregs);
    memset(w, 0, sizeof *w);
}

/* Whether what warp_peek() does can be left out: the top split runs on. */
static inline bool runs_on(const struct warp *w)
{
    if (!w->depth)
        return false;
    const struct split *s = &w->stack[w->depth - 1];
    return s->mask && s->pc != s->rpc && s->wait == SPLIT_RUNS &&
           LIKELY(w->depth == 1 || w->ninst - w->spin_from <= SPIN_LIMIT);
}

const struct xinst *warp_peek(struct warp *w)
{
    for (;;) {
        drop_empty(w);
        if (!w->depth) {
            w->state = WARP_DONE;
            return NULL;
        }
        struct split *s = warp_top(w);
        if (s->pc == s->rpc) {
            warp_pop(w);
            continue;
        }
        if (s->wait != SPLIT_RUNS && !warp_yield(w)) {
            w->state = WARP_BLOCKED;
            return NULL;
        }
        if (UNLIKELY(w->depth > 1 && w->ninst - w->spin_from > SPIN_LIMIT))
            warp_yield(w);
        s = warp_top(w);
        w->state = WARP_READY;
        return &s->frame->fn->code[s->pc];
    }
}

/* Whether the top split may run on behind a branch: its turn is not over, and it does not spin. */
static bool goes_on(const struct warp *w)
{
    return w->ninst < w->turn_end && LIKELY(w->depth == 1 || w->ninst - w->spin_from <= SPIN_LIMIT);
}

/* Runs the top split up to and including a control instruction that is more than a branch which all
 * its lanes take or none. False: the kernel was stopped. */
static bool run_stretch(struct warp *w)
{
    struct split *s = warp_top(w);
    const struct xfunc *fn = s->frame->fn;
    const struct xinst *code = fn->code;
    uint32_t pc = s->pc;
    const uint32_t mask = s->mask, rpc = s->rpc;
    const unsigned lanes = lanes_in(mask);
    while (pc != rpc) {
        const struct xinst *x = &code[pc];
        if (x->run) {
            const uint32_t n = runs_execute(w, fn, pc, mask, lanes);
            if (UNLIKELY(n == RUN_FAULT))
                return false;
            pc += n;
            if (n)
                continue;
        }
        uint32_t m = x->has_guard ? warp_guard_mask(w, x, mask) : mask;
        w->ninst++;
        w->nthread_inst += m == mask ? lanes : lanes_in(m);
        if (LIKELY(x->kind == X_LANE)) {
            if (m)
                x->lane.fn(&x->lane, w->base, m);
            pc++;
            continue;
        }
        if (x->kind == X_OP && m) {
            s->pc = pc;
            if (UNLIKELY(!x->fn(w, x, m)))
                return false;
            if (UNLIKELY(x->ends_turn) && turn_ends_at(w, x, m)) {
                s->pc = pc + 1;
                return true;
            }
        } else if (x->is_branch && (m == mask || !m) && goes_on(w)) {
            pc = m ? x->target : pc + 1;
            continue;
        } else if (x->kind == X_CTRL || (x->kind == X_MEET && m)) {
            s->pc = pc;
            return x->fn(w, x, m);
        }
        pc++;
    }
    s->pc = pc;
    return true;
}

enum warp_stop warp_run(struct warp *w, uint64_t budget)
{
    w->turn_end = w->ninst + budget;
    while (warp_peek(w)) {
        do {
            if (w->ninst >= w->turn_end)
                return WARP_STOP_BUDGET;
            use_top_frame(w);
            if (!run_stretch(w))
                return WARP_STOP_FAULT;
        } while (runs_on(w));
    }
    return w->state == WARP_DONE ? WARP_STOP_DONE : WARP_STOP_BLOCKED;
}

bool warp_fault(struct warp *w, const struct xinst *x, unsigned lane, int code, const char *fmt,
                ...)
{
    struct fault *fault = &w->grid->fault;
    if (fault->code)
        return false;
    char what[700];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    fault->code = code;
    warp_describe(w, x, lane, what, fault->msg, sizeof fault->msg);
    return false;
}

void warp_describe(struct warp *w, const struct xinst *x, unsigned lane, const char *what,
                   char *buf, size_t len)
{
    const uint32_t *block = w->grid->launch->block;
    uint32_t t = w->first_thread + lane;
    char text[96] = "end of function";
    const struct ptx_func *f = w->depth ? warp_top(w)->frame->fn->src : w->grid->kernel->src;
    if (x && x->src)
        ptx_inst_text(x->src, text, sizeof text);
    char source[256] = "";
    const char *file =
        x && x->src && x->src->loc.line ? ptx_file_name(f->module, x->src->loc.file) : NULL;
    if (file)
        snprintf(source, sizeof source, "%.200s:%u, ", file, x->src->loc.line);
    snprintf(buf, len, "kernel %s, %s%s:%u (%s), block (%u,%u,%u), thread (%u,%u,%u): %s",
             w->grid->kernel->src->name, source, f->module->file,
             x && x->src ? x->src->line : f->line, text, w->cta->ctaid[0], w->cta->ctaid[1],
             w->cta->ctaid[2], t % block[0], t / block[0] % block[1], t / block[0] / block[1],
             what);
}
