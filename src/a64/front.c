/* Fetch: instruction i arrives at A(i) = max(A(i-2) + 1, issue(i-14), its line + 2), two cycles
 * behind a branch predicted taken, eight behind the issue of one predicted wrongly. It is executed
 * here, so that everything is known of it. */
#include "a64/core_int.h"

/* --- lines of instructions --- */

static struct l1_access line_access(const struct a64_core *c)
{
    return (struct l1_access){.addr = c->front.line_at,
                              .bytes = c->line_bytes,
                              .sectors = 1,
                              .kind = MEM_READ,
                              .space = MEM_GLOBAL};
}

static void line_done(struct a64_core *c, cycle_t now)
{
    struct core_front *f = &c->front;
    const bool is_hit = now == f->line_asked - 1 + c->l1i_latency;
    f->line_bound = is_hit ? 0 : now + (cycle_t)c->timing.line;
    f->line_asked = 0;
}

/* One line is waited for at a time: the cache has nothing else to do, and sees it when it is due.
 */
void core_line_collect(struct a64_core *c, cycle_t now)
{
    struct core_front *f = &c->front;
    uint32_t token;
    if (!f->is_line_due) {
        l1_tick(c->l1i, now);
    } else if (now == f->line_asked - 1 + c->l1i_latency) {
        const struct l1_access a = line_access(c);
        l1_submit_due(c->l1i, now, &a);
        f->is_line_due = false;
    }
    while (l1_pop_done(c->l1i, now, &token))
        line_done(c, now);
}

cycle_t core_line_next(const struct a64_core *c, cycle_t now)
{
    const struct core_front *f = &c->front;
    return f->is_line_due ? f->line_asked - 1 + c->l1i_latency : l1_next(c->l1i, now);
}

/* Whether the line of pc is there; it is asked for. */
static bool has_line(struct a64_core *c, uint64_t pc)
{
    struct core_front *f = &c->front;
    const uint64_t line = pc & -(uint64_t)c->line_bytes;
    if (LIKELY(line == f->line))
        return true;
    f->line = line;
    f->line_at = frames_address(&c->frames, line);
    f->line_asked = c->now + 1;
    f->is_line_due = true;
    return false;
}

/* --- what is known before and behind execution --- */

static unsigned width(uint64_t v)
{
    return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

static uint64_t magnitude(uint64_t v, bool is_wide, bool is_signed)
{
    const int64_t s = is_wide ? (int64_t)v : (int32_t)v;
    if (!is_signed)
        return is_wide ? v : (uint32_t)v;
    return s < 0 ? -(uint64_t)s : (uint64_t)s;
}

/* Steps of a division: by the widths of its operands. */
static unsigned steps_of(const struct a64_cpu *cpu, const struct a64_inst *i)
{
    const bool is_wide = i->word >> 31, is_signed = i->word >> 10 & 1;
    const unsigned top = is_wide ? 63 : 31;
    const uint64_t a = magnitude(cpu->x[i->rn], is_wide, is_signed),
                   b = magnitude(cpu->x[i->rm], is_wide, is_signed);
    const bool is_negative =
        is_signed && ((cpu->x[i->rn] >> top & 1) || (cpu->x[i->rm] >> top & 1));
    if (!b)
        return 0;
    const unsigned wa = width(a), wb = width(b / (is_negative ? 4 : 2));
    return is_negative + (wa > wb ? (wa - wb) / 4 : 0);
}

static void note_access(struct a64_core *c, struct core_record *r, const struct a64_inst *i)
{
    const struct a64_uses *u = &r->op->uses;
    const uint64_t mask = -(uint64_t)c->line_bytes;
    const uint64_t at = a64_address(&c->process->cpu, i, (enum a64_mode)u->mode);
    const uint64_t end = at + u->bytes - 1;
    r->lines[r->nlines++] = frames_address(&c->frames, at) & mask;
    if ((at ^ end) & mask)
        r->lines[r->nlines++] = frames_address(&c->frames, end) & mask;
}

/* Of a record that was used before: what not every instruction has is taken back. */
static void note_before(struct a64_core *c, struct core_record *r, const struct a64_inst *i)
{
    r->nlines = r->steps = 0;
    r->is_off = false;
    if (r->op->uses.mode)
        note_access(c, r, i);
    if (LIKELY(!r->op->special))
        return;
    if (r->op->special == A64_DIVIDE)
        r->steps = (uint8_t)steps_of(&c->process->cpu, i);
    if (c->memo && r->op->special >= A64_INPUT)
        r->is_off = memo_is_off(c->memo, r->op->lut);
}

/* What comes next arrives when? */
static void note_event(struct a64_core *c, struct core_record *r)
{
    struct core_front *f = &c->front;
    const uint64_t next = c->process->cpu.pc;
    const unsigned special = r->op->special;
    r->is_redirect = special >= A64_KERNEL && special <= A64_END;
    r->is_memo_branch = f->was_lookup && r->op->branch == A64_IF;
    if (special == A64_LOOKUP)
        r->answer = (uint8_t)c->memo->last;
    if (r->op->branch && !bpred_branch(&c->bpred, (enum a64_branch)r->op->branch, r->pc, next)) {
        r->is_redirect = true;
        c->stats.mispredicts++;
    } else if (next != r->pc + 4) {
        f->bound = r->arrives + (cycle_t)c->timing.taken;
    }
    f->is_waiting = r->is_redirect;
}

void core_redirect(struct a64_core *c, const struct core_record *r, cycle_t issue)
{
    struct core_front *f = &c->front;
    f->is_waiting = false;
    f->was_wrong = r->op->branch != A64_NO_BRANCH;
    f->bound = issue + (cycle_t)c->timing.mispredict;
}

/* --- one instruction --- */

static cycle_t arrival(const struct a64_core *c)
{
    const struct core_front *f = &c->front;
    const uint64_t buffer = (uint64_t)c->cfg.buffer;
    cycle_t at = core_later(f->bound, f->line_bound);
    if (f->fetched >= 2)
        at = core_later(at, f->arrivals[f->fetched & 1] + 1);
    if (f->fetched >= buffer)
        at = core_later(at, f->issues[(f->fetched - buffer) % CORE_WINDOW]);
    return at;
}

/* The kernel's turn, or the program's end; one that cannot be executed is not fetched. */
static bool serve(struct a64_core *c)
{
    struct a64_cpu *cpu = &c->process->cpu;
    if (cpu->stop.kind)
        a64_process_serve(c->process);
    c->front.is_ended = cpu->stop.kind;
    return cpu->stop.kind == A64_RUNNING || cpu->stop.kind == A64_EXIT;
}

/* Executes instruction i, which is here, and remembers what time needs to know. */
static bool fetch(struct a64_core *c, const struct a64_inst *i)
{
    struct core_front *f = &c->front;
    struct a64_cpu *cpu = &c->process->cpu;
    struct core_record *r = &f->window[f->fetched % CORE_WINDOW];
    r->op = a64_op_of(&c->ops, i, cpu->pc);
    r->pc = cpu->pc;
    r->arrives = arrival(c);
    r->was_wrong = f->was_wrong;
    f->line_bound = 0;
    note_before(c, r, i);
    f->next = a64_execute(cpu, i);
    if (UNLIKELY(!f->next) && !serve(c))
        return false;
    f->arrivals[f->fetched++ & 1] = r->arrives;
    f->bound = 0;
    f->was_wrong = false;
    if (r->op->is_eventful)
        note_event(c, r);
    f->was_lookup = r->op->special == A64_LOOKUP;
    if (UNLIKELY(cpu->inst >= f->limit))
        f->is_ended = true;
    return true;
}

bool core_fetch(struct a64_core *c)
{
    struct core_front *f = &c->front;
    struct a64_cpu *cpu = &c->process->cpu;
    const uint64_t before = f->fetched, most = f->issued + (uint64_t)c->cfg.buffer;
    while (f->fetched < most && !f->line_asked && !(f->is_ended | f->is_waiting)) {
        const struct a64_inst *i = f->next ? f->next : a64_next(cpu);
        f->is_ended = !i;
        if (!i || !has_line(c, cpu->pc) || !fetch(c, i))
            break;
    }
    return f->fetched != before;
}
