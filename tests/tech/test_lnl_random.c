/* Random kernels with a marked region, by all designs of Lock and Load, against a plain model: the
 * same bytes, the same counts. PARSIM_LNL_KERNELS=N tries more of them. */
#include "tech/support_lnl.h"
#include "tech/support_lnl_model.h"

#include <math.h>

enum { WORDS = (3 + MODEL_STORES) * MODEL_STRIDE, KERNELS = 120 };

/* Some warps are smooth, some less, some not at all. */
static void fill(uint32_t *words, struct rng *r)
{
    for (unsigned i = 0; i < 2; i++)
        for (unsigned warp = 0; warp < MODEL_WARPS; warp++) {
            static const float steps[] = {0, 0.01f, 0.2f, 2, 30};
            const float step = steps[rng_below(r, 5)];
            for (unsigned l = 0; l < WARP_LANES; l++)
                words[i * MODEL_STRIDE + warp * WARP_LANES + l] =
                    lnl_bits(100 + step * (float)l - (float)rng_below(r, 100) * step / 100);
        }
}

static void expect_words(const struct model_kernel *k, uint64_t seed, const char *design,
                         const uint32_t *got, const uint32_t *expected)
{
    for (unsigned i = 0; i < WORDS; i++)
        if (got[i] != expected[i] && !(isnan(lnl_float(got[i])) && isnan(lnl_float(expected[i]))))
            fail_msg("kernel %llu, %s: array %u, thread %u: %g for %g\n%s",
                     (unsigned long long)seed, design, i / MODEL_STRIDE, i % MODEL_STRIDE,
                     (double)lnl_float(got[i]), (double)lnl_float(expected[i]), k->text);
}

static void expect_counts(uint64_t seed, const char *design, const struct lnl_stats *s,
                          const struct model_counts *c)
{
    const uint64_t got[] = {s->approx_regions, s->precise_regions,
                            s->approx_inst,    s->precise_inst,
                            s->lanes_skipped,  2 * s->fused_inst + s->lone_inst};
    const uint64_t expected[] = {c->approx_regions, c->precise_regions,
                                 c->approx_inst,    c->precise_inst,
                                 c->lanes_skipped,  c->approx_inst + c->precise_inst};
    static const char *const names[] = {"approx_regions", "precise_regions", "approx_inst",
                                        "precise_inst",   "lanes_skipped",   "issues in regions"};
    for (unsigned i = 0; i < ARRAY_LEN(got); i++)
        if (got[i] != expected[i])
            fail_msg("kernel %llu, %s: %s is %llu for %llu", (unsigned long long)seed, design,
                     names[i], (unsigned long long)got[i], (unsigned long long)expected[i]);
}

/* The marks as the technique reads them: which instructions are precise has tests of its own. */
static void read_marks(const struct lnl_rig *b, struct lnl_marks *marks)
{
    struct err err;
    if (!lnl_marks_read(b->r->kernel->src, marks, &err))
        fail_msg("%s", err.msg);
}

static uint64_t try_one(const struct model_kernel *k, uint64_t seed, const char *design)
{
    static const double thresholds[] = {0, 0.02, 0.1, 0.6};
    static uint32_t words[WORDS];
    struct rng r = {seed * 77};
    struct lnl_rig b;
    struct lnl_marks marks;
    struct model_counts counts;
    lnl_rig_open(&b, k->text, NULL, design);
    b.cfg.group = 1 << rng_below(&r, 5);
    b.cfg.threshold = thresholds[rng_below(&r, 4)];
    const uint32_t threads = 1 + rng_below(&r, MODEL_WARPS * WARP_LANES);
    fill(words, &r);
    memcpy(b.r->f.words, words, sizeof words);
    read_marks(&b, &marks);
    model_run(k, &marks, &b.cfg, b.g.design.uses & LNL_USE_REPLICATE, threads, words, &counts);
    lnl_marks_free(&marks);
    const struct lnl_stats s = *lnl_rig_run(&b, 1, threads);
    expect_words(k, seed, design, b.r->f.words, words);
    expect_counts(seed, design, &s, &counts);
    lnl_rig_close(&b);
    return s.fused_inst;
}

static void random_kernels_do_what_the_model_does(void **state)
{
    (void)state;
    const char *more = getenv("PARSIM_LNL_KERNELS");
    const uint64_t n = more ? strtoull(more, NULL, 10) : KERNELS;
    static struct model_kernel k;
    uint64_t fused = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        model_make(&k, seed);
        try_one(&k, seed, "lnl-nofuse");
        fused += try_one(&k, seed, "lnl");
        if (seed % 4 == 0)
            try_one(&k, seed, "lnl-replicate");
    }
    assert_true(fused > n); /* there was something to see */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_kernels_do_what_the_model_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
