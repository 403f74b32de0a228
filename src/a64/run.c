/* The loop: decoded pages, executed instruction by instruction. */
#include "a64/code.h"
#include "a64/decode.h"
#include "a64/exec_int.h"

const struct a64_inst *a64_leave(struct a64_cpu *c, const struct a64_inst *i,
                                 enum a64_stop_kind kind, int code)
{
    c->pc = a64_pc(c, i);
    c->stop.kind = kind;
    c->stop.code = code;
    c->stop.word = i->word;
    return NULL;
}

/* --- pages --- */

static const struct a64_inst *undefined(struct a64_cpu *c, const struct a64_inst *i)
{
    return a64_leave(c, i, A64_UNDEFINED, 0);
}

/* Behind the last instruction of a page. */
static const struct a64_inst *page_end(struct a64_cpu *c, const struct a64_inst *i)
{
    c->pc = a64_pc(c, i);
    c->page_ends++;
    return NULL;
}

static const struct a64_inst *decode_entry(struct a64_cpu *c, const struct a64_inst *i)
{
    struct a64_inst *entry = &c->code->inst[i - c->code->inst];
    const uint64_t pc = a64_pc(c, i);
    uint32_t word;
    if (!image_peek(c->image, pc, &word, sizeof word))
        return a64_leave(c, i, A64_ACCESS, 0);
    if (!a64_decode(entry, word, pc))
        *entry = (struct a64_inst){.fn = undefined, .word = word};
    return entry;
}

/* What every entry is at first. */
static const struct a64_inst *decode_now(struct a64_cpu *c, const struct a64_inst *i)
{
    i = decode_entry(c, i);
    return i ? i->fn(c, i) : NULL;
}

void a64_code_forget(struct a64_code *code, unsigned first, unsigned last)
{
    for (unsigned k = first; k <= last; k++)
        code->inst[k].fn = decode_now;
}

void a64_code_start(struct a64_code *code, uint64_t base)
{
    code->base = base;
    a64_code_forget(code, 0, A64_PAGE_INSTS - 1);
    code->inst[A64_PAGE_INSTS].fn = page_end;
}

const struct a64_inst *a64_fetch(struct a64_cpu *c, uint64_t pc)
{
    c->pc = pc;
    if (pc & 3) {
        c->stop = (struct a64_stop){.kind = A64_UNALIGNED, .addr = pc};
        return NULL;
    }
    c->code = image_code(c->image, pc);
    if (!c->code) {
        c->stop = (struct a64_stop){.kind = A64_ACCESS};
        return NULL;
    }
    return &c->code->inst[(pc & (IMAGE_PAGE - 1)) / 4];
}

/* --- the loop --- */

/* An instruction that was not executed to its end: the count does not have it. */
static bool is_done(enum a64_stop_kind kind)
{
    return kind == A64_RUNNING || kind == A64_SVC || kind == A64_CLOCK;
}

const struct a64_inst *a64_next(struct a64_cpu *c)
{
    c->stop.kind = A64_RUNNING;
    const struct a64_inst *i = go_to(c, c->pc);
    if (UNLIKELY(!i))
        i = a64_fetch(c, c->pc);
    return i && i->fn == decode_now ? decode_entry(c, i) : i;
}

const struct a64_inst *a64_execute(struct a64_cpu *c, const struct a64_inst *i)
{
    const struct a64_inst *next = i->fn(c, i);
    if (UNLIKELY(!next)) {
        c->inst += is_done(c->stop.kind);
        return NULL;
    }
    c->inst++;
    c->pc = a64_pc(c, next);
    return UNLIKELY(next->fn == decode_now || next->fn == page_end) ? NULL : next;
}

void a64_run(struct a64_cpu *c, uint64_t n)
{
    uint64_t left = n;
    c->stop.kind = A64_RUNNING;
    while (left) {
        const struct a64_inst *i = a64_fetch(c, c->pc);
        if (!i)
            break;
        do {
            i = i->fn(c, i);
            left--;
        } while (i && left);
        if (i)
            c->pc = a64_pc(c, i);
        left += c->page_ends;
        c->page_ends = 0;
        if (c->stop.kind) {
            left += !is_done(c->stop.kind);
            break;
        }
    }
    c->inst += n - left;
}
