/* What the codec routines cost, by routine and by kind of line: printed as the table of
 * docs/assist-routines.md, which must have every row as measured. */
#include "assist/support_bench.h"

#include "sm/decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 60, REGS = 64, MAX_CASES = 12 };

/* A warp alone on an SM that issues in order, one instruction a cycle, each when its registers are
 * there: no routine is faster than this. */
struct clock {
    const struct dfunc *code;
    unsigned shared_latency, alu_latency;
    uint64_t ready[REGS], now, end;
};

static void clock_step(void *ctx, const struct step *s)
{
    struct clock *c = ctx;
    const struct dinst *d = &c->code->code[s->x - c->code->fn->code];
    uint64_t at = c->now + 1;
    for (unsigned k = 0; k < d->nregs; k++) {
        assert_in_range(d->regs[k], 0, REGS - 1);
        at = at < c->ready[d->regs[k]] ? c->ready[d->regs[k]] : at;
    }
    bool is_load = d->flags & DINST_LOAD;
    unsigned latency = !is_load                          ? d->latency
                       : d->x->space == PTX_SPACE_SHARED ? c->shared_latency
                                                         : c->alu_latency; /* a live-in value */
    for (unsigned k = 0; k < d->ndst; k++)
        c->ready[d->regs[k]] = at + latency;
    c->now = at;
    c->end = c->end < at + latency ? at + latency : c->end;
}

struct range {
    uint64_t n, low, high;
};

static void range_add(struct range *r, uint64_t v)
{
    r->low = r->n && r->low < v ? r->low : v;
    r->high = r->high > v ? r->high : v;
    r->n++;
}

static const char *range_text(const struct range *r, char *buf, size_t len)
{
    if (r->low == r->high)
        snprintf(buf, len, "%u", (unsigned)r->low);
    else
        snprintf(buf, len, "%u to %u", (unsigned)r->low, (unsigned)r->high);
    return buf;
}

/* One routine on lines of a few cases. */
struct cost {
    struct routine *routine;
    struct decoded *decoded;
    struct clock clock;
    struct range insts[MAX_CASES], cycles[MAX_CASES];
};

static void cost_open(struct cost *c, struct routine *r, const struct sm_cfg *cfg)
{
    memset(c, 0, sizeof *c);
    c->routine = r;
    c->decoded = decode_kernel(r->launch.kernel, cfg);
    c->clock = (struct clock){.code = decoded_func(c->decoded, r->launch.kernel->entry),
                              .shared_latency = (unsigned)cfg->shared_latency,
                              .alu_latency = (unsigned)sm_cfg_latency(cfg, OP_CLASS_alu)};
    r->on_step = clock_step;
    r->ctx = &c->clock;
}

static void cost_run(struct cost *c, const uint8_t *in, uint8_t *out, unsigned which)
{
    memset(c->clock.ready, 0, sizeof c->clock.ready);
    c->clock.now = c->clock.end = 0;
    routine_code(c->routine, in, out);
    assert_in_range(which, 0, MAX_CASES - 1);
    range_add(&c->insts[which], c->routine->ninst);
    range_add(&c->cycles[which], c->clock.end);
}

/* Prints its rows; how many of them the page does not have. */
static unsigned cost_close(struct cost *c, const char *const *cases, const char *page)
{
    const struct kernel *k = c->routine->launch.kernel;
    unsigned missing = 0;
    for (unsigned i = 0; cases[i]; i++) {
        char row[256], insts[32], cycles[32];
        if (!c->insts[i].n)
            fail_msg("%s: no line of case %s", k->src->name, cases[i]);
        snprintf(row, sizeof row, "| %s | %s | %u | %u | %s | %s |\n", k->src->name, cases[i],
                 k->src->ninsts, k->regs, range_text(&c->insts[i], insts, sizeof insts),
                 range_text(&c->cycles[i], cycles, sizeof cycles));
        printf("%s", row);
        missing += !strstr(page, row);
    }
    decoded_free(c->decoded);
    return missing;
}

/* --- cases of lines --- */

static unsigned bdi_case(const uint8_t *encoded, unsigned bytes)
{
    return bytes == LINE ? 8 : encoded[0];
}

static unsigned fpc_case(const uint8_t *encoded, unsigned bytes)
{
    (void)encoded;
    return bytes == LINE;
}

static unsigned cpack_case(const uint8_t *encoded, unsigned bytes)
{
    return bytes == LINE ? 5 : encoded[0] & 7;
}

static const struct {
    unsigned (*which)(const uint8_t *encoded, unsigned bytes);
    const char *const cases[MAX_CASES];
} kinds[SUITES] = {
    {bdi_case,
     {"zeros", "repeat", "base 8, delta 1", "base 8, delta 2", "base 8, delta 4", "base 4, delta 1",
      "base 4, delta 2", "base 2, delta 1", "raw"}},
    {fpc_case, {"compresses", "raw"}},
    {cpack_case, {"0 words", "1 word", "2 words", "3 words", "4 words", "raw"}},
};

/* The routines of a suite. */
struct costs {
    struct cost compress, form[MAX_ENCODINGS], decompress[MAX_ENCODINGS];
};

/* Lines until every case has been seen often; decompression of what compresses. */
static void measure(struct bench *b, unsigned suite, struct costs *k)
{
    for (unsigned i = 0; i < ROUNDS * LINE_KINDS; i++) {
        uint8_t line[LINE], encoded[LINE], out[LINE];
        lines_fill(&b->rng, i % LINE_KINDS, line);
        unsigned bytes = codec_bytes(codec_encode(b->codec, line, encoded));
        cost_run(&k->compress, line, out, kinds[suite].which(encoded, bytes));
        for (unsigned f = 0; f < b->suite->encodings; f++)
            cost_run(&k->form[f], line, out, 0);
        if (bytes < LINE)
            cost_run(&k->decompress[bench_decompressor(b, encoded) - b->decompress], encoded, out,
                     0);
    }
}

static unsigned costs_of(unsigned suite, const struct sm_cfg *cfg, const char *page)
{
    static const char *const any[] = {"all", NULL};
    const struct suite *s = &suites[suite];
    struct costs k;
    struct bench b;
    bench_open(&b, s, assist_text(s->file));
    cost_open(&k.compress, &b.compress, cfg);
    for (unsigned i = 0; i < b.ndecompress; i++)
        cost_open(&k.decompress[i], &b.decompress[i], cfg);
    for (unsigned i = 0; i < s->encodings; i++)
        cost_open(&k.form[i], &b.form[i], cfg);
    measure(&b, suite, &k);
    unsigned missing = 0;
    for (unsigned i = 0; i < b.ndecompress; i++)
        missing += cost_close(&k.decompress[i], any, page);
    for (unsigned i = 0; i < s->encodings; i++)
        missing += cost_close(&k.form[i], any, page);
    missing += cost_close(&k.compress, kinds[suite].cases, page);
    bench_close(&b);
    return missing;
}

static void the_page_has_what_is_measured(void **state)
{
    (void)state;
    struct sm_cfg cfg;
    struct conf *conf = conf_new();
    conf_add(conf, "sm", sm_fields, sm_nfields, &cfg);
    char *page = assist_text("../docs/assist-routines.md");
    unsigned missing = 0;
    for (unsigned i = 0; i < SUITES; i++)
        missing += costs_of(i, &cfg, page);
    test_free(page);
    conf_free(conf);
    if (missing)
        fail_msg("docs/assist-routines.md does not have %u of these rows", missing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_what_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
