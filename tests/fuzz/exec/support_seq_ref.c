/* The plain interpreter: one thread, one statement at a time. */
#include "fuzz/exec/seq.h"

#include <string.h>

uint32_t seq_mix(uint32_t x)
{
    return x & 1 ? x * 3 + 1 : x >> 1;
}

uint32_t seq_initial(unsigned thread, unsigned word)
{
    uint32_t x = thread * 2654435761u + word * 40503u + 12345u;
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    x ^= x >> 12;
    return word % 3 ? x : x & 255; /* small numbers meet more often */
}

static uint64_t get(const struct seq_thread *t, char c, unsigned n)
{
    return c == 'R' ? t->r[n] : c == 'D' ? t->d[n] : c == 'F' ? t->f[n] : (t->p >> n) & 1;
}

static void set(struct seq_thread *t, char c, unsigned n, uint64_t v)
{
    if (c == 'R')
        t->r[n] = (uint32_t)v;
    else if (c == 'D')
        t->d[n] = v;
    else if (c == 'F')
        t->f[n] = (uint32_t)v;
    else
        t->p = (t->p & ~(1u << n)) | (uint32_t)(v & 1) << n;
}

static void run_op(const struct seq_stmt *s, struct seq_thread *t)
{
    const struct seq_form *f = &seq_forms[s->form];
    const uint8_t src[] = {s->a, s->b, s->c};
    uint64_t v[3] = {0};
    if (s->guarded && ((t->p >> s->guard) & 1) == s->guard_neg)
        return;
    unsigned n = 0;
    for (; n < 3 && f->classes[1 + n] && strchr("RDFP", f->classes[1 + n]); n++)
        v[n] = get(t, f->classes[1 + n], src[n]);
    if (s->has_imm)
        v[n - 1] = s->imm;
    set(t, f->classes[0], s->d, f->eval(v[0], v[1], v[2]));
}

static void run_thread(const struct seq_stmt *s, struct seq_state *st, unsigned i);

static void run_stmt(const struct seq_stmt *s, struct seq_state *st, unsigned i)
{
    struct seq_thread *t = &st->t[i];
    switch (s->kind) {
    case SEQ_OP:
        run_op(s, t);
        break;
    case SEQ_IF:
        run_thread((t->p >> s->a) & 1 ? s->body : s->other, st, i);
        break;
    case SEQ_LOOP:
        for (uint32_t n = t->r[s->a] & 3; n; n--)
            run_thread(s->body, st, i);
        break;
    case SEQ_STORE:
        st->mem[i][s->space][t->r[s->b] % SEQ_LOCAL] = t->r[s->a];
        break;
    case SEQ_LOAD:
        t->r[s->d] = st->mem[i][s->space][t->r[s->b] % SEQ_LOCAL];
        break;
    case SEQ_COUNT:
        st->counters[s->d] += t->r[s->a];
        break;
    case SEQ_CALL:
        t->r[s->d] = seq_mix(t->r[s->a]);
        break;
    default:
        break;
    }
}

static void run_thread(const struct seq_stmt *s, struct seq_state *st, unsigned i)
{
    for (; s; s = s->next)
        run_stmt(s, st, i);
}

/* Statements across the lanes of each warp; lanes that do not exist take no part. */
static void run_warp(const struct seq_stmt *s, struct seq_state *st, unsigned first)
{
    unsigned n = st->nthreads - first < 32 ? st->nthreads - first : 32;
    uint32_t src[32] = {0}, ballot = 0, sum = 0;
    for (unsigned l = 0; l < n; l++) {
        const struct seq_thread *t = &st->t[first + l];
        src[l] = t->r[s->a % SEQ_R];
        sum += src[l];
        ballot |= ((t->p >> (s->a % SEQ_P)) & 1) << l;
    }
    for (unsigned l = 0; l < n; l++) {
        uint32_t *d = &st->t[first + l].r[s->d];
        if (s->kind == SEQ_BALLOT)
            *d = ballot;
        else if (s->kind == SEQ_REDUX)
            *d = sum;
        else if (s->kind == SEQ_SHFL)
            *d = src[l ^ s->imm];
    }
}

void seq_interpret(const struct seq_stmt *s, struct seq_state *st)
{
    for (; s; s = s->next) {
        if (s->kind >= SEQ_SHFL) {
            for (unsigned w = 0; w < st->nthreads; w += 32)
                run_warp(s, st, w);
            continue;
        }
        for (unsigned i = 0; i < st->nthreads; i++)
            run_stmt(s, st, i);
    }
}
