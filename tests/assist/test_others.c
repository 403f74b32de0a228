/* Routines beyond compression: memoization and prefetching, against plain models. */
#include "assist/support_routine.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void open_text(struct assist *a, const char *file)
{
    char *text = assist_text(file);
    assist_open(a, file, text);
    test_free(text);
}

/* --- memoization --- */

/* 256 of the table's 1024 entries; the lowest 4 bits of inputs do not count. */
enum { TABLE = 4096, ENTRIES = 256, REGION = 5, DST = 256, HIT_MASK = 512 };
static const uint32_t keep = 0xfffffff0, active = 0x7fffffff;

struct memo {
    struct assist assist;
    struct routine lookup, update;
    uint32_t model[ENTRIES][4];
    _Alignas(8) uint32_t in[2][WARP_LANES];
    _Alignas(8) uint32_t out[WARP_LANES];
};

static uint32_t place(uint32_t a, uint32_t b)
{
    const uint32_t t = (a & keep) * 0x9e3779b1u + (b & keep) * 0x85ebca6bu;
    uint32_t at = REGION;
    for (unsigned k = 0; k < 8; k++)
        at += (t >> (31 - k) & 1) << k;
    return at % ENTRIES;
}

static uint32_t function(uint32_t a, uint32_t b)
{
    return (a & keep) * 7 + ((b & keep) ^ 0x1234567);
}

static void prepare(struct memo *m, struct routine *r)
{
    routine_set(r, "region", REGION);
    routine_set(r, "entries", ENTRIES);
    routine_set(r, "keep", keep);
    routine_set(r, "mask", active);
    routine_set_lanes(r, "in0", (const uint64_t *)m->in[0]);
    routine_set_lanes(r, "in1", (const uint64_t *)m->in[1]);
}

/* Both routines see one table, as on an SM. */
static uint32_t check_lookup(struct memo *m)
{
    struct routine *r = &m->lookup;
    const uint32_t at = routine_windows(r);
    uint32_t hits, out[WARP_LANES];
    prepare(m, r);
    routine_set(r, "dst", at + DST);
    routine_set(r, "result", at + HIT_MASK);
    memcpy(r->cta->shared, m->update.cta->shared, TABLE);
    memset(r->cta->shared + at + DST, 0xee, sizeof out);
    routine_run(r);
    memcpy(&hits, r->cta->shared + at + HIT_MASK, 4);
    memcpy(out, r->cta->shared + at + DST, sizeof out);
    for (unsigned l = 0; l < WARP_LANES; l++) {
        const uint32_t *e = m->model[place(m->in[0][l], m->in[1][l])];
        bool hit = e[3] && e[0] == (m->in[0][l] & keep) && e[1] == (m->in[1][l] & keep);
        assert_int_equal(hits >> l & 1, hit && (active >> l & 1));
        assert_int_equal(out[l], hit ? function(m->in[0][l], m->in[1][l]) : 0xeeeeeeee);
    }
    return hits;
}

static void update(struct memo *m)
{
    for (unsigned l = 0; l < WARP_LANES; l++)
        m->out[l] = function(m->in[0][l], m->in[1][l]);
    prepare(m, &m->update);
    routine_set_lanes(&m->update, "out0", (const uint64_t *)m->out);
    routine_run(&m->update);
    for (unsigned l = 0; l < WARP_LANES; l++)
        if (active >> l & 1) {
            const uint32_t e[] = {m->in[0][l] & keep, m->in[1][l] & keep, m->out[l], REGION};
            memcpy(m->model[place(m->in[0][l], m->in[1][l])], e, sizeof e);
        }
    assert_memory_equal(m->update.cta->shared, m->model, TABLE);
}

static void results_are_found_again(void **state)
{
    (void)state;
    struct memo *m = test_calloc(1, sizeof *m);
    struct rng r = {3};
    open_text(&m->assist, "memoize.ptx");
    routine_open(&m->lookup, &m->assist, "memo_lookup");
    routine_open(&m->update, &m->assist, "memo_update");
    unsigned hits = 0, misses = 0;
    for (unsigned round = 0; round < 200; round++) {
        for (unsigned l = 0; l < WARP_LANES; l++) {
            m->in[0][l] = rng_below(&r, 8) ? rng_below(&r, 16) << 4 | rng_below(&r, 16)
                                           : 0; /* what is in an empty entry: 0, 0 */
            m->in[1][l] = rng_below(&r, 16) << 20;
        }
        unsigned n = (unsigned)__builtin_popcount(check_lookup(m));
        hits += n;
        misses += WARP_LANES - n;
        update(m);
    }
    assert_in_range(hits, 1000, 200 * WARP_LANES);
    assert_in_range(misses, 100, 200 * WARP_LANES);
    routine_close(&m->lookup);
    routine_close(&m->update);
    assist_close(&m->assist);
    test_free(m);
}

/* --- prefetching --- */

/* What the last run of a routine asked for. */
struct asked {
    struct routine r;
    struct assist assist;
    uint64_t addr[WARP_LANES];
    unsigned n;
};

static void note_prefetch(void *ctx, const struct step *s)
{
    struct asked *a = ctx;
    const struct ptx_inst *i = s->x->src;
    if (i->op != PTX_OP_PREFETCH)
        return;
    const struct warp *w = &a->r.cta->warps[0];
    const struct lane_ref *reg = &a->r.launch.kernel->entry->regs[i->ops[0].elems[0].reg];
    for (unsigned l = 0; l < WARP_LANES; l++)
        if (s->mask >> l & 1)
            a->addr[a->n++] = lane_u64(reg, w->base, l) + (uint64_t)i->ops[0].imm;
}

static void asked_open(struct asked *a, const char *file, const char *name)
{
    memset(a, 0, sizeof *a);
    open_text(&a->assist, file);
    routine_open(&a->r, &a->assist, name);
    a->r.on_step = note_prefetch;
    a->r.ctx = a;
}

static void asked_close(struct asked *a)
{
    routine_close(&a->r);
    assist_close(&a->assist);
}

static void asked_run(struct asked *a, uint64_t addr)
{
    a->n = 0;
    routine_set(&a->r, "addr", addr);
    routine_run(&a->r);
}

/* What a load of some lanes does, 12 bytes apart; and what it must ask for. */
static void check_load(struct asked *a, uint64_t at, uint32_t mask, bool is_trained, int64_t ahead)
{
    uint64_t addrs[WARP_LANES] = {0};
    for (unsigned l = 0; l < WARP_LANES; l++)
        if (mask >> l & 1)
            addrs[l] = at + 12 * l;
    routine_set_lanes(&a->r, "addrs", addrs);
    asked_run(a, addrs[__builtin_ctz(mask)]);
    assert_int_equal(a->n, is_trained ? __builtin_popcount(mask) : 0);
    for (unsigned l = 0, n = 0; is_trained && l < WARP_LANES; l++)
        if (mask >> l & 1)
            assert_int_equal(a->addr[n++], addrs[l] + (uint64_t)ahead);
}

static void a_stride_is_followed(void **state)
{
    (void)state;
    struct asked a;
    asked_open(&a, "prefetch_stride.ptx", "prefetch_stride");
    static const int64_t strides[] = {512, -4096, 12, 0};
    enum { WARPS = 64, LOADS = 8, DISTANCE = 3 };
    uint64_t at[WARPS][LOADS];
    routine_set(&a.r, "distance", DISTANCE);
    for (unsigned w = 0; w < WARPS; w++)
        for (unsigned k = 0; k < LOADS; k++)
            at[w][k] = UINT64_C(0x2000fffff000) + (w * LOADS + k) * UINT64_C(0x10000000);
    /* all warps and loads at once, each with a stride of its own; then one step that is not it */
    for (unsigned i = 0; i < 9; i++)
        for (unsigned w = 0; w < WARPS; w++)
            for (unsigned k = 0; k < LOADS; k++) {
                int64_t stride = strides[(w + k) % 4];
                at[w][k] += (uint64_t)(i == 6 ? 99999 : stride);
                routine_set(&a.r, "warp", w);
                routine_set(&a.r, "inst", k);
                check_load(&a, at[w][k], UINT32_C(0x80010001) << k % 2 | 6,
                           stride && i >= 2 && i != 6 && i != 7, DISTANCE * stride);
            }
    asked_close(&a);
}

static void streams_are_followed(void **state)
{
    (void)state;
    struct asked a;
    asked_open(&a, "prefetch_stream.ptx", "prefetch_stream");
    /* 32 streams side by side begin, then go on by 1 and, over what was fetched, by 5 lines */
    static const unsigned steps[] = {0, 1, 5, 5, 8, 9};
    uint64_t lines = 0;
    for (unsigned i = 0; i < ARRAY_LEN(steps); i++) {
        lines += steps[i];
        for (unsigned k = 0; k < 32; k++) {
            uint64_t addr = UINT64_C(0x200000000000) + k * UINT64_C(0x100000) + lines * 128 + 4 * k;
            asked_run(&a, addr);
            bool goes_on = i && steps[i] <= 8;
            assert_int_equal(a.n, goes_on ? 4 : 0);
            for (unsigned l = 0; l < a.n; l++)
                assert_int_equal(a.addr[l], addr + 128 * (l + 1));
        }
    }
    asked_close(&a);
}

/* A 33rd stream takes the place of the oldest. */
static void streams_are_replaced(void **state)
{
    (void)state;
    struct asked a;
    asked_open(&a, "prefetch_stream.ptx", "prefetch_stream");
    const uint64_t base = UINT64_C(0x200000000000);
    for (unsigned k = 0; k < 33; k++)
        asked_run(&a, base + k * UINT64_C(0x100000));
    asked_run(&a, base + 128);
    assert_int_equal(a.n, 0); /* stream 0 is gone; it now stands where stream 1 was */
    asked_run(&a, base + UINT64_C(0x200000) + 128);
    assert_int_equal(a.n, 4);
    asked_run(&a, base + UINT64_C(0x100000) + 128);
    assert_int_equal(a.n, 0);
    asked_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_found_again),
        cmocka_unit_test(a_stride_is_followed),
        cmocka_unit_test(streams_are_followed),
        cmocka_unit_test(streams_are_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
