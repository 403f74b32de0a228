/* From the lanes' addresses to lines: a table of patterns. */
#include "support_sm_rig.h"

enum { BASE = 0x10000, MAX_LINES = 64 };

struct pattern {
    const char *what;
    uint32_t mask;
    int64_t first, stride; /* lane l accesses BASE + first + l * stride */
    unsigned bytes;
    bool is_write;
    unsigned lines;
    struct {
        int64_t at; /* of the line, from BASE */
        uint16_t sectors, full, bytes;
    } line[4]; /* the first of them */
};

static const struct pattern patterns[] = {
    {"words side by side", ~0u, 0, 4, 4, false, 1, {{0, 0xf, 0, 128}}},
    {"one word for all", ~0u, 64, 0, 4, false, 1, {{0, 0x4, 0, 32}}},
    {"one lane", 1, 100, 0, 4, false, 1, {{0, 0x8, 0, 32}}},
    {"words side by side, off by one", ~0u, 4, 4, 4, false, 2, {{0, 0xf, 0, 128}, {128, 1, 0, 32}}},
    {"backwards", ~0u, 124, -4, 4, false, 1, {{0, 0xf, 0, 128}}},
    {"half a warp", 0xffff, 0, 4, 4, false, 1, {{0, 0x3, 0, 64}}},
    {"every other lane", 0x55555555, 0, 4, 4, false, 1, {{0, 0xf, 0, 128}}},
    {"bytes", ~0u, 0, 1, 1, false, 1, {{0, 1, 0, 32}}},
    {"halves", ~0u, 32, 2, 2, false, 1, {{0, 6, 0, 64}}},
    {"doubles", ~0u, 0, 8, 8, false, 2, {{0, 0xf, 0, 128}, {128, 0xf, 0, 128}}},
    {"vectors of 16 bytes",
     ~0u,
     0,
     16,
     16,
     false,
     4,
     {{0, 0xf, 0, 128}, {128, 0xf, 0, 128}, {256, 0xf, 0, 128}, {384, 0xf, 0, 128}}},
    {"stride of two words", ~0u, 0, 8, 4, false, 2, {{0, 0xf, 0, 128}, {128, 0xf, 0, 128}}},
    {"stride of a sector", ~0u, 0, 32, 4, false, 8, {{0, 0xf, 0, 128}}},
    {"stride of a line", ~0u, 0, 128, 4, false, 32, {{0, 1, 0, 32}, {128, 1, 0, 32}}},
    {"far apart", 3, 0, 0x8000, 4, false, 2, {{0, 1, 0, 32}, {0x8000, 1, 0, 32}}},
    /* writes: which sectors are whole, how many bytes */
    {"words written side by side", ~0u, 0, 4, 4, true, 1, {{0, 0xf, 0xf, 128}}},
    {"one word written by all", ~0u, 64, 0, 4, true, 1, {{0, 0x4, 0, 4}}},
    {"half a warp writes, off by one", 0xffff, 4, 4, 4, true, 1, {{0, 0x7, 0x2, 64}}},
    {"every other word written", ~0u, 0, 8, 4, true, 2, {{0, 0xf, 0, 64}, {128, 0xf, 0, 64}}},
    {"bytes written", ~0u, 32, 1, 1, true, 1, {{0, 2, 2, 32}}},
    {"vectors written", 0xf, 0, 16, 16, true, 1, {{0, 3, 3, 64}}},
    {"written across lines", ~0u, 64, 4, 4, true, 2, {{0, 0xc, 0xc, 64}, {128, 0x3, 0x3, 64}}},
};

struct bench {
    struct sm *sm;
    struct sm_cfg cfg;
    struct dinst d;
    struct sm_launch launch; /* of the warp that accesses */
    struct inflight *f;
    uint16_t i;
};

static void bench_open(struct bench *b, int64_t coalesce, uint32_t line)
{
    memset(b, 0, sizeof *b);
    conf_defaults(sm_fields, sm_nfields, &b->cfg);
    b->cfg.coalesce_bytes = coalesce;
    b->sm = xalloc_aligned(64, sizeof *b->sm);
    memset(b->sm, 0, sizeof *b->sm);
    b->sm->cfg = &b->cfg;
    b->sm->probe = &probe_null;
    b->sm->fl_free = NO_INFLIGHT;
    b->sm->ctas[0].launch = &b->launch;
    b->sm->sector = 32;
    b->sm->sector_shift = 5;
    b->sm->const_line = 64;
    b->sm->data_line = b->sm->tex_line = line;
    b->i = inflight_get(b->sm);
    b->f = &b->sm->fl[b->i];
    b->f->d = &b->d;
    b->d.flags = DINST_LOAD;
}

static void bench_close(struct bench *b)
{
    for (uint32_t i = 0; i < b->sm->nfl; i++)
        free(b->sm->fl[i].acc);
    free(b->sm->fl);
    free(b->sm);
}

static void fill(struct step_access *a, const struct pattern *p)
{
    *a = (struct step_access){.mask = p->mask,
                              .bytes = (uint16_t)p->bytes,
                              .space = PTX_SPACE_GLOBAL,
                              .is_write = p->is_write};
    for (unsigned l = 0; l < WARP_LANES; l++)
        a->addr[l] = (addr_t)(BASE + p->first + l * p->stride);
}

static void address_patterns(void **state)
{
    (void)state;
    for (size_t k = 0; k < ARRAY_LEN(patterns); k++) {
        const struct pattern *p = &patterns[k];
        struct bench b;
        struct step s = {.mask = p->mask, .naccesses = 1};
        bench_open(&b, 128, 128);
        b.d.flags = p->is_write ? DINST_STORE : DINST_LOAD;
        fill(&s.access[0], p);
        lsu_resolve(b.sm, b.i, &s);
        if (b.f->naccesses != p->lines)
            fail_msg("%s: %u lines, not %u", p->what, b.f->naccesses, p->lines);
        for (unsigned i = 0; i < 4 && p->line[i].sectors; i++) {
            const struct line_access *a = &b.f->acc[i];
            if (a->addr != (addr_t)(BASE + p->line[i].at) || a->sectors != p->line[i].sectors ||
                a->full != p->line[i].full || a->bytes != p->line[i].bytes)
                fail_msg("%s, line %u: at %llx sectors %x full %x bytes %u", p->what, i,
                         (unsigned long long)(a->addr - BASE), a->sectors, a->full, a->bytes);
        }
        bench_close(&b);
    }
}

/* Blocks shorter than a line are accesses of their own, with the sectors where the line has them.
 */
static void blocks_shorter_than_a_line(void **state)
{
    (void)state;
    static const struct pattern p = {"", ~0u, 0, 4, 4, true, 0, {{0, 0, 0, 0}}};
    struct bench b;
    struct step s = {.mask = p.mask, .naccesses = 1};
    bench_open(&b, 32, 128);
    b.d.flags = DINST_STORE;
    fill(&s.access[0], &p);
    lsu_resolve(b.sm, b.i, &s);
    assert_int_equal(b.f->naccesses, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(b.f->acc[i].addr, BASE + 32 * i);
        assert_int_equal(b.f->acc[i].sectors, 1u << i);
        assert_int_equal(b.f->acc[i].full, 1u << i);
        assert_int_equal(b.f->acc[i].bytes, 32);
    }
    bench_close(&b);
}

/* An instruction whose accesses meet in one line asks for it once, with all of its sectors. */
static void two_accesses_in_one_line(void **state)
{
    (void)state;
    static const struct pattern low = {"", 1, 0, 4, 4, false, 0, {{0, 0, 0, 0}}},
                                high = {"", 2, 60, 4, 4, false, 0, {{0, 0, 0, 0}}};
    struct bench b;
    struct step s = {.mask = 3, .naccesses = 2};
    bench_open(&b, 128, 128);
    fill(&s.access[0], &low);
    fill(&s.access[1], &high);
    lsu_resolve(b.sm, b.i, &s);
    assert_int_equal(b.f->naccesses, 1);
    assert_int_equal(b.f->acc[0].sectors, 0x5);
    assert_int_equal(b.f->acc[0].bytes, 64);
    bench_close(&b);
}

/* Local words of a warp lie side by side; the next word of a lane is a row of all warps further. */
static void local_layout(void **state)
{
    (void)state;
    struct bench b;
    struct step s = {.mask = ~0u, .naccesses = 1};
    bench_open(&b, 128, 128);
    b.d.flags = DINST_STORE;
    b.f->slot = 3;
    s.access[0] =
        (struct step_access){.mask = ~0u, .bytes = 8, .space = PTX_SPACE_LOCAL, .is_write = true};
    for (unsigned l = 0; l < WARP_LANES; l++)
        s.access[0].addr[l] = 16;
    lsu_resolve(b.sm, b.i, &s);
    assert_int_equal(b.f->naccesses, 2);
    assert_int_equal(b.f->acc[1].addr - b.f->acc[0].addr, 48 * 128);
    assert_int_equal(b.f->acc[0].addr % (48 * 128), b.f->acc[1].addr % (48 * 128));
    addr_t at = b.f->acc[0].addr;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(b.f->acc[i].full, 0xf);
        assert_int_equal(b.f->acc[i].bytes, 128);
        assert_int_equal(b.f->acc[i].space, MEM_LOCAL);
    }
    bench_close(&b);
    /* the neighbouring warp's are the line behind */
    bench_open(&b, 128, 128);
    b.f->slot = 4;
    lsu_resolve(b.sm, b.i, &s);
    assert_int_equal(b.f->acc[0].addr, at + 128);
    bench_close(&b);
    /* another SM's are elsewhere */
    bench_open(&b, 128, 128);
    b.sm->id = 1;
    b.f->slot = 3;
    lsu_resolve(b.sm, b.i, &s);
    assert_true(b.f->acc[0].addr >= at + (UINT64_C(1) << 32));
    bench_close(&b);
}

/* A byte store to local memory writes a byte of each lane's word. */
static void local_bytes(void **state)
{
    (void)state;
    struct bench b;
    struct step s = {.mask = 0xff, .naccesses = 1};
    bench_open(&b, 128, 128);
    b.d.flags = DINST_STORE;
    s.access[0] =
        (struct step_access){.mask = 0xff, .bytes = 1, .space = PTX_SPACE_LOCAL, .is_write = true};
    for (unsigned l = 0; l < WARP_LANES; l++)
        s.access[0].addr[l] = 5;
    lsu_resolve(b.sm, b.i, &s);
    assert_int_equal(b.f->naccesses, 1);
    assert_int_equal(b.f->acc[0].sectors, 1);
    assert_int_equal(b.f->acc[0].full, 0);
    assert_int_equal(b.f->acc[0].bytes, 8);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(address_patterns),
        cmocka_unit_test(blocks_shorter_than_a_line),
        cmocka_unit_test(two_accesses_in_one_line),
        cmocka_unit_test(local_layout),
        cmocka_unit_test(local_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
