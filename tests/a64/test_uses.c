/* What uses.def says of registers and accesses is what executing instructions shows: nothing else
 * is written, what is not read does not matter, what is read does. */
#include "a64/support_vectors.h"
#include "a64/uses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs those before it */
#include <cmocka.h>

enum { EACH = 16 }; /* vectors of a row that are tried */

static bool has(const uint8_t *list, unsigned n, unsigned reg)
{
    for (unsigned i = 0; i < n; i++)
        if (list[i] == reg)
            return true;
    return false;
}

/* A register of the state by its number; NULL: the zero register and what takes it. */
static uint64_t *place_of(struct vector_state *s, unsigned reg)
{
    if (reg < 31)
        return &s->x[reg];
    if (reg == A64_SP)
        return &s->sp;
    if (reg == A64_FLAGS)
        return &s->nzcv;
    return reg >= A64_V0 ? s->v[reg - A64_V0] : NULL;
}

/* Another value: some other bits, the other sign, zero. */
enum { FLIPS = 3 };
static void flip(struct vector_state *s, unsigned reg, unsigned how)
{
    static const uint64_t by[FLIPS] = {UINT64_C(0x4123456789abcdf1), UINT64_C(0x8000000080008080)};
    uint64_t *at = place_of(s, reg);
    if (!at)
        return;
    if (reg == A64_FLAGS)
        at[0] ^= how ? 0xc0000000 : 0xf0000000;
    else
        at[0] = how == 2 ? 0 : at[0] ^ by[how];
    if (reg >= A64_V0)
        at[1] = how == 2 ? 0 : at[1] ^ by[how];
}

static bool is_same(struct vector_state *a, struct vector_state *b, unsigned reg)
{
    const uint64_t *x = place_of(a, reg), *y = place_of(b, reg);
    return !x || (x[0] == y[0] && (reg < A64_V0 || x[1] == y[1]));
}

struct outcome {
    struct vector_state after;
    uint64_t memory[VECTOR_PAGE / 8];
    enum a64_stop_kind stop;
};

static struct outcome outcome_of(struct vector_core *c, const struct vector_state *before,
                                 const uint64_t *memory)
{
    struct outcome o;
    image_write(c->cpu.image, VECTOR_SCRATCH, memory, VECTOR_PAGE);
    vector_core_put(c, before);
    a64_run(&c->cpu, 1);
    vector_core_get(c);
    o.after = c->after;
    o.stop = c->cpu.stop.kind;
    image_read(c->cpu.image, VECTOR_SCRATCH, o.memory, sizeof o.memory);
    return o;
}

static bool differ(struct outcome *a, struct outcome *b, int but)
{
    if (a->stop != b->stop || a->after.step != b->after.step || a->after.fpsr != b->after.fpsr ||
        a->after.fpcr != b->after.fpcr || memcmp(a->memory, b->memory, sizeof a->memory))
        return true;
    for (int reg = 0; reg < A64_USED; reg++)
        if (reg != but && !is_same(&a->after, &b->after, (unsigned)reg))
            return true;
    return false;
}

struct tried {
    struct vector_core core;
    const struct vector_row *row;
    struct a64_uses uses;
    struct vector_state before;
    uint64_t memory[VECTOR_PAGE / 8];
    struct outcome plain;
    unsigned tried[A64_USES_MOST], mattered[A64_USES_MOST]; /* of the row, by place in its reads */
    unsigned wrong;
};

static void complain(struct tried *t, uint32_t word, const char *what, unsigned reg)
{
    if (!t->wrong++)
        printf("%s, word 0x%08x: %s %u\n", t->row->name, word, what, reg);
}

/* Registers that nothing is said of are neither written nor read. */
static void check_others(struct tried *t, uint32_t word)
{
    struct vector_state other = t->before;
    for (unsigned reg = 0; reg < A64_USED; reg++) {
        if (!has(t->uses.writes, t->uses.nwrites, reg) &&
            !is_same(&t->before, &t->plain.after, reg))
            complain(t, word, "writes", reg);
        if (!has(t->uses.reads, t->uses.nreads, reg))
            flip(&other, reg, 0);
    }
    struct outcome o = outcome_of(&t->core, &other, t->memory);
    for (unsigned reg = 0; reg < A64_USED; reg++) {
        const bool is_read = has(t->uses.reads, t->uses.nreads, reg),
                   is_written = has(t->uses.writes, t->uses.nwrites, reg);
        if ((is_read || is_written) && !is_same(&t->plain.after, &o.after, reg))
            complain(t, word, "reads more registers than are said; one that differs is", reg);
    }
    if (o.stop != t->plain.stop || memcmp(o.memory, t->plain.memory, sizeof o.memory))
        complain(t, word, "reads more registers than are said: memory differs", 0);
}

static void check_reads(struct tried *t)
{
    for (unsigned k = 0; k < t->uses.nreads * FLIPS; k++) {
        const unsigned i = k / FLIPS, reg = t->uses.reads[i];
        struct vector_state other = t->before;
        flip(&other, reg, k % FLIPS);
        struct outcome o = outcome_of(&t->core, &other, t->memory);
        const bool is_written = has(t->uses.writes, t->uses.nwrites, reg);
        t->tried[i]++;
        t->mattered[i] += differ(&t->plain, &o, is_written ? -1 : (int)reg);
    }
}

/* Memory outside the access is not changed, and does not matter. */
static void check_access(struct tried *t, uint32_t word, uint64_t at)
{
    uint64_t other[VECTOR_PAGE / 8];
    memcpy(other, t->memory, sizeof other);
    for (unsigned i = 0; i < VECTOR_PAGE; i++) {
        const uint64_t addr = VECTOR_SCRATCH + i;
        if (addr >= at && addr < at + t->uses.bytes)
            continue;
        ((uint8_t *)other)[i] ^= 0x55;
        if (((uint8_t *)t->memory)[i] != ((uint8_t *)t->plain.memory)[i])
            complain(t, word, "writes memory beside its access, at", i);
    }
    struct outcome o = outcome_of(&t->core, &t->before, other);
    memcpy(o.memory, t->plain.memory, sizeof o.memory);
    if (differ(&t->plain, &o, -1))
        complain(t, word, "reads memory beside its access", 0);
}

static void try_one(struct tried *t, unsigned k)
{
    uint32_t word;
    struct a64_inst i;
    memcpy(&word, t->row->at + 8 * k, 4);
    assert_true(a64_decode(&i, word, VECTOR_PC));
    t->uses = a64_uses_of(&i);
    vector_make(&t->before, word, (uint64_t)t->row->seed << 8 | k, t->row->kind);
    vector_core_place(&t->core, word);
    vector_core_memory(&t->core, t->memory);
    t->plain = outcome_of(&t->core, &t->before, t->memory);
    if (t->plain.stop)
        return;
    check_others(t, word);
    check_reads(t);
    vector_core_put(&t->core, &t->before);
    if (t->uses.mode)
        check_access(t, word, a64_address(&t->core.cpu, &i, (enum a64_mode)t->uses.mode));
}

/* Cache instructions do nothing here; exclusive stores fail without a load before; equality is too
 * rare for so few vectors. */
static bool is_exempt(const char *name)
{
    return !strncmp(name, "ic_", 3) || !strncmp(name, "dc_", 3) || !strncmp(name, "stx", 3) ||
           !strncmp(name, "stlx", 4) || strstr(name, "cmeq");
}

static unsigned wrong_of(struct tried *t, const struct vector_row *r)
{
    t->row = r;
    t->wrong = 0;
    memset(t->tried, 0, sizeof t->tried);
    memset(t->mattered, 0, sizeof t->mattered);
    for (unsigned k = 0; k < r->n && k < EACH; k++)
        try_one(t, k);
    for (unsigned i = 0; i < A64_USES_MOST; i++)
        if (t->tried[i] >= EACH && !t->mattered[i] && !is_exempt(r->name))
            complain(t, 0, "never needs what it reads, number", i);
    return t->wrong;
}

static void uses_are_what_execution_shows(void **state)
{
    (void)state;
    size_t len;
    uint8_t *bytes = vectors_read("vectors", &len);
    const uint8_t *at = bytes;
    struct tried *t = calloc(1, sizeof *t);
    struct vector_row r;
    unsigned rows = 0;
    vector_core_start(&t->core);
    while (vectors_row(&at, bytes + len, &r))
        rows += wrong_of(t, &r) > 0;
    vector_core_end(&t->core);
    free(t);
    free(bytes);
    assert_int_equal(rows, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uses_are_what_execution_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
