/* Lines through the controller of one SM between mocks: in which cycle what was given to it is
 * decoded or encoded, on an SM whose other warps do nothing. */
#include "tech/support_assist_rig.h"

#include <stdio.h>
#include <string.h>

enum { LINE = 128, GIVEN = 40 };

/* A warp that waits for a load, long enough. */
static const char waits[] = RIG_KERNEL("ld.param.u64 %rd1,[p]; ld.global.u32 %r1,[%rd1];\n"
                                       "add.u32 %r2,%r1,1; st.global.u32 [%rd1],%r2; ret;\n");

struct lines {
    struct codec *codec;
    uint8_t bytes[LINE], four[4][LINE];
    struct line_codecs all;
};

static const void *line_at(const void *self, addr_t addr, uint32_t bytes)
{
    (void)addr, (void)bytes;
    return ((const struct lines *)self)->bytes;
}

static void lines_open(struct lines *l)
{
    l->codec = codec_new("bdi-lanes", NULL, NULL);
    l->all = (struct line_codecs){.codecs = {l->codec},
                                  .n = 1,
                                  .block_bytes = LINE,
                                  .burst_bytes = 32,
                                  .image = {.at = line_at, .self = l}};
}

/* A line that takes the form, and no smaller one. */
static void fill_form(struct lines *l, unsigned form)
{
    static const struct {
        unsigned value_bytes;
        uint64_t base, step;
    } of[] = {{8, 0, 0},
              {8, 0x1234567890, 0},
              {8, 0x1234567890, 3},
              {8, 0x1234567890, 300},
              {8, 0x1234567890, 70001},
              {4, 0x12345678, 3},
              {4, 0x12345678, 300},
              {2, 0x1234, 1}};
    for (unsigned i = 0; i < LINE / of[form].value_bytes; i++) {
        const uint64_t v = of[form].base + i * of[form].step + (form == 4 ? i % 3 * 0x8000 : 0);
        memcpy(l->bytes + i * of[form].value_bytes, &v, of[form].value_bytes);
    }
}

/* From now on instructions are executed when they are issued. */
static void let_none_go_ahead(struct assist_rig *b)
{
    for (uint32_t i = 0; i < b->aws.nroutines; i++)
        b->aws.routines[i].can_go_ahead = false;
}

/* Cycles from when the line is given to when it is decoded: the parent goes on in the next. */
static uint64_t decoding_takes(struct lines *l, unsigned form, bool goes_ahead,
                               uint64_t *instructions)
{
    struct assist_rig b;
    assist_rig_open(&b, waits, "bdi");
    b.r->memory = 400;
    b.r->is_unwatched = true;
    if (!goes_ahead)
        let_none_go_ahead(&b);
    fill_form(l, form);
    const struct codec_job job = {
        .line = 0x1000, .kind = CODEC_FILL, .bytes = (uint16_t)codec_bdi_lanes_bytes(form, LINE)};
    assist_rig_give_line(&b, &l->all, &job, GIVEN);
    sm_rig_run(b.r, 1, 32);
    *instructions = b.c->stats.issued_high;
    assert_int_equal(b.c->stats.verified, 1);
    assert_int_equal(b.c->stats.decoded, 1);
    const uint64_t cycles = b.done - GIVEN;
    assist_rig_close(&b);
    return cycles;
}

/* By form. A live-in value before the loads, 26 cycles of shared memory, the addition, the store.
 */
static void decoding_takes_so_many_cycles(void **state)
{
    (void)state;
    static const char want[] =
        "2 in 10, 3 in 46, 5 in 58, 5 in 58, 5 in 58, 5 in 58, 5 in 58, 6 in 60, ";
    char got[256] = "";
    struct lines l;
    lines_open(&l);
    for (unsigned form = 0; form < CODEC_BDI_LANES_FORMS; form++) {
        uint64_t n, stepped;
        const uint64_t cycles = decoding_takes(&l, form, true, &n);
        assert_int_equal(cycles, decoding_takes(&l, form, false, &stepped));
        assert_int_equal(n, stepped);
        snprintf(got + strlen(got), sizeof got - strlen(got), "%u in %u, ", (unsigned)n,
                 (unsigned)cycles);
    }
    codec_free(l.codec);
    assert_string_equal(got, want);
}

/* Lines of one form, each with a value of its own that is on no base. */
static const void *one_of_four(const void *self, addr_t addr, uint32_t bytes)
{
    (void)bytes;
    return ((const struct lines *)self)->four[addr / LINE % 4];
}

static void fill_four(struct lines *l, unsigned form)
{
    const unsigned bytes = form <= 4 ? 8 : form <= 6 ? 4 : 2;
    fill_form(l, form);
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t own = 10 + i;
        memcpy(l->four[i], l->bytes, LINE);
        if (form > 1)
            memcpy(l->four[i] + (2 + 3 * i) * bytes, &own, bytes);
    }
    l->all.image.at = one_of_four;
}

/* From the second line on a routine is only told its line and its mask. */
static void a_routine_that_repeats_decodes_each_line(void **state)
{
    (void)state;
    struct lines l;
    lines_open(&l);
    for (unsigned form = 0; form < CODEC_BDI_LANES_FORMS; form++) {
        struct assist_rig b;
        uint64_t one;
        l.all.image.at = line_at;
        decoding_takes(&l, form, true, &one);
        assist_rig_open(&b, waits, "bdi");
        b.r->memory = 4000;
        b.r->is_unwatched = true;
        b.more = 3;
        fill_four(&l, form);
        const struct codec_job job = {.line = 0x1000,
                                      .kind = CODEC_FILL,
                                      .bytes = (uint16_t)codec_bdi_lanes_bytes(form, LINE)};
        assist_rig_give_line(&b, &l.all, &job, GIVEN);
        sm_rig_run(b.r, 1, 32);
        assert_int_equal(b.c->stats.stale, 0);
        assert_int_equal(b.c->stats.verified, 4);
        assert_int_equal(b.c->stats.issued_high, 4 * one);
        assert_true(b.c->contexts[form].is_known);
        assist_rig_close(&b);
    }
    codec_free(l.codec);
}

/* The same line once more takes the form that won: no search. */
static uint64_t encoding_takes(struct lines *l, const struct awc_form *last, bool goes_ahead,
                               uint64_t *instructions)
{
    struct assist_rig b;
    assist_rig_open(&b, waits, "bdi");
    if (!goes_ahead)
        let_none_go_ahead(&b);
    b.r->memory = 2000;
    b.r->is_unwatched = true;
    b.last = last;
    const struct codec_job job = {.line = 0x1000, .kind = CODEC_STORE, .bytes = LINE};
    assist_rig_give_line(&b, &l->all, &job, GIVEN);
    sm_rig_run(b.r, 1, 32);
    *instructions = b.c->stats.issued_low;
    assert_int_equal(b.c->stats.encoded, 1);
    assert_int_equal(b.c->codec_stats.form_hits, last->is_known);
    assert_int_equal(b.c->codec_stats.searches, !last->is_known);
    assert_int_equal(b.c->stats.verified, last->is_known ? 1 : 2);
    const uint64_t cycles = b.done - GIVEN;
    assist_rig_close(&b);
    return cycles;
}

static void the_form_that_won_last_is_quick(void **state)
{
    (void)state;
    struct lines l;
    uint64_t n, all, stepped;
    lines_open(&l);
    fill_form(&l, 5);
    const uint64_t quick = encoding_takes(&l, &(struct awc_form){5, true, 0}, true, &n);
    const uint64_t slow = encoding_takes(&l, &(struct awc_form){0}, true, &all);
    assert_int_equal(quick, encoding_takes(&l, &(struct awc_form){5, true, 0}, false, &stepped));
    assert_int_equal(stepped, n);
    assert_int_equal(slow, encoding_takes(&l, &(struct awc_form){0}, false, &stepped));
    assert_int_equal(stepped, all);
    assert_int_equal(n, 12);
    assert_int_equal(all, 12 + 52);
    assert_int_equal(quick, 143);
    assert_int_equal(slow, 686);
    codec_free(l.codec);
}

/* Decodes form 5 of bdi-lanes; `before` stands in front of it, `variables` before the entry. */
#define FORM_5(variables, before)                                                     \
    ".version 5.0\n.target sm_30\n.address_size 64\n" variables                       \
    ".visible .entry own(.param .u32 src) {\n"                                        \
    ".pragma \"assist on=fill codec=bdi-lanes encoding=5 priority=high lanes=%based " \
    "steps=%at:1:%to:4\";\n"                                                          \
    ".reg .b32 %src, %at, %to, %v, %base, %n; .reg .pred %based, %more;\n"            \
    "ld.param.u32 %src, [src];\n" before                                              \
    "ld.shared.u32 %base, [%src+8]; ld.shared.s8 %v, [%at+12];\n"                     \
    "@%based add.u32 %v, %v, %base; st.shared.u32 [%to+128], %v; ret; }\n"

/* A routine that is not executed when it starts, or not to its end, is executed as it is issued. */
static void others_are_executed_as_they_are_issued(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned instructions;
        bool can_go_ahead, is_stepped;
    } of[] = {
        {FORM_5("", ""), 5, true, false},
        {FORM_5("", "mov.u32 %n, 60; TURN: sub.u32 %n, %n, 1; setp.ne.u32 %more, %n, 0; "
                    "@%more bra TURN;\n"),
         5 + 1 + 60 * 3, true, true},
        {FORM_5("", "mov.u32 %n, 3; TURN: sub.u32 %n, %n, 1; setp.ne.u32 %more, %n, 0; "
                    "@%more bra TURN;\n"),
         5 + 1 + 3 * 3, true, false},
        /* begun anew, it must find its line as it was */
        {FORM_5("", "ld.shared.u32 %v, [%src+8]; add.u32 %v, %v, 1; st.shared.u32 [%src+8], %v; "
                    "mov.u32 %n, 60; TURN: sub.u32 %n, %n, 1; setp.ne.u32 %more, %n, 0; "
                    "@%more bra TURN; "
                    "ld.shared.u32 %v, [%src+8]; sub.u32 %v, %v, 1; st.shared.u32 [%src+8], %v;\n"),
         5 + 3 + 1 + 60 * 3 + 3, true, true},
        {FORM_5("", "mov.u32 %n, %clock;\n"), 6, false, false},
        {FORM_5("", "mov.u32 %n, %warpid;\n"), 6, false, false},
        {FORM_5(".shared .b32 count;\n", "st.shared.u32 [count], 1;\n"), 6, false, false}};
    struct lines l;
    lines_open(&l);
    fill_form(&l, 5);
    for (unsigned i = 0; i < ARRAY_LEN(of); i++) {
        struct assist_rig b;
        struct err err;
        assist_rig_open(&b, waits, "bdi");
        assert_true(aws_load(&b.aws, "own", of[i].text, strlen(of[i].text), &err));
        const struct codec_job job = {
            .line = 0x1000, .kind = CODEC_FILL, .bytes = (uint16_t)codec_bdi_lanes_bytes(5, LINE)};
        b.r->memory = 4000;
        b.r->is_unwatched = true;
        assist_rig_give_line(&b, &l.all, &job, GIVEN);
        sm_rig_run(b.r, 1, 32);
        const struct routine *r = &b.aws.routines[b.aws.nroutines - 1];
        assert_int_equal(b.c->stats.issued_high, of[i].instructions);
        assert_int_equal(b.c->stats.verified, 1);
        assert_int_equal(b.c->stats.decoded, 1);
        assert_int_equal(r->can_go_ahead, of[i].can_go_ahead);
        assert_int_equal(b.c->contexts[r->id].is_stepped, of[i].is_stepped);
        assist_rig_close(&b);
    }
    codec_free(l.codec);
}

/* Cycles of shared memory are those of the instance before where the address is the controller's,
 * comes from one load that all lanes execute, or is made of such since lanes met last. */
static void accesses_are_alike_where_all_lanes_have_what_they_were_given(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t alike;
    } of[] = {
        {FORM_5("", ""), 0x16},
        {FORM_5("", "ld.param.u32 %n, [src]; ld.shared.u32 %v, [%n];\n"), 0x5c},
        {FORM_5(
             "",
             "ld.param.u32 %n, [src]; @%based ld.param.u32 %n, [src]; ld.shared.u32 %v, [%n];\n"),
         0xb0},
        {FORM_5("", "@%more bra OVER; ld.param.u32 %n, [src]; OVER: ld.shared.u32 %v, [%n];\n"),
         0xb0},
        {FORM_5("", "mov.u32 %n, %laneid; mad.lo.u32 %n, %n, 4, %src; ld.shared.u32 %v, [%n];\n"),
         0xb8},
        {FORM_5("", "mov.u32 %n, %laneid; @%based mad.lo.u32 %n, %n, 4, %src; "
                    "ld.shared.u32 %v, [%n];\n"),
         0xb0},
        {FORM_5("", "ld.shared.u32 %n, [%src]; ld.shared.u32 %v, [%n];\n"), 0x5a},
        {FORM_5("", "mov.u32 %n, 4; @%more bra OVER; mov.u32 %n, %laneid; "
                    "OVER: ld.shared.u32 %v, [%n];\n"),
         0x160}};
    for (unsigned i = 0; i < ARRAY_LEN(of); i++) {
        struct assist_rig b;
        struct err err;
        assist_rig_open(&b, waits, "bdi");
        assert_true(aws_load(&b.aws, "own", of[i].text, strlen(of[i].text), &err));
        assert_int_equal(b.aws.routines[b.aws.nroutines - 1].alike[0], of[i].alike);
        assist_rig_close(&b);
    }
}

/* Of a window of 4 no line is encoded: the next 4 are not tried, then 4, then 16 are not. */
static void compression_gives_up_where_it_never_succeeds(void **state)
{
    (void)state;
    struct assist_rig b;
    assist_rig_open(&b, waits, "bdi");
    b.cfg.give_up_window = 4;
    struct awc *c = awc_new(&b.aws, &b.cfg, 0);
    char tried[64] = "";
    for (unsigned i = 0; i < 40; i++) {
        const bool is_tried = awc_is_worth_trying(c, 0x10000);
        tried[i] = is_tried ? 'x' : '.';
        if (is_tried)
            awc_note_worth(c, 0x10000, i >= 28);
    }
    assert_string_equal(tried, "xxxx....xxxx................xxxxxxxxxxxx");
    assert_int_equal(c->codec_stats.given_up, 20);
    for (unsigned i = 0; i < 4; i++) /* of another area, and back */
        awc_note_worth(c, 0x20000, false);
    assert_false(awc_is_worth_trying(c, 0x20000));
    assert_true(awc_is_worth_trying(c, 0x10000));
    awc_free(c);
    assist_rig_close(&b);
}

/* A line that was written in part is kept for other parts, one that is whole is not; where stores
 * take more than half of their room, none is. */
static void parts_are_held(void **state)
{
    (void)state;
    struct assist_rig b;
    struct lines l;
    lines_open(&l);
    fill_form(&l, 5);
    assist_rig_open(&b, waits, "bdi");
    struct awc *c = awc_new(&b.aws, &b.cfg, 0);
    const struct store_room room = {.lines = 4, .hold = 300};
    const struct codec_engine e = awc_engine(c, &l.all, &room, false);
    struct codec_job job = {.line = 0x1000, .kind = CODEC_STORE, .bytes = LINE, .is_part = true};
    assert_int_equal(e.submit(e.self, 10, &job), CODEC_TAKEN);
    assert_int_equal(e.next(e.self, 10), 310);
    assert_false(e.done(e.self, 309, &job));
    assert_int_equal(c->inbox.len, 0);
    assert_false(e.done(e.self, 310, &job));
    assert_int_equal(c->inbox.len, 1);
    job.is_part = false;
    assert_int_equal(e.submit(e.self, 320, &job), CODEC_TAKEN);
    assert_int_equal(c->inbox.len, 2);
    job.is_part = true;
    assert_int_equal(e.submit(e.self, 330, &job), CODEC_TAKEN);
    assert_int_equal(e.next(e.self, 331), 331);
    assert_false(e.done(e.self, 331, &job));
    assert_int_equal(c->inbox.len, 3);
    awc_free(c);
    assist_rig_close(&b);
    codec_free(l.codec);
}

/* A line that has changed since it was sent, and fits no form, is stood in for by one of zeros:
 * nothing of it lies behind the code. */
static void what_fits_no_more_is_a_line_of_zeros(void **state)
{
    (void)state;
    static const char copies[] = PTX_HEAD
        ".visible .entry zeros(.param .u32 src) {\n"
        ".pragma \"assist on=fill codec=bdi-lanes encoding=0 priority=high steps=%at:4\";\n"
        ".reg .b32 %src, %at, %v;\n"
        "ld.param.u32 %src, [src]; ld.shared.u32 %v, [%at]; st.shared.u32 [%at+128], %v; ret; }\n";
    struct assist_rig b;
    struct err err;
    struct lines l;
    lines_open(&l);
    for (unsigned i = 0; i < LINE; i++)
        l.bytes[i] = (uint8_t)(i * 151 + 7);
    assist_rig_open(&b, waits, "bdi");
    b.r->memory = 400;
    b.r->is_unwatched = true;
    assert_true(aws_load(&b.aws, "own", copies, strlen(copies), &err));
    const struct codec_job job = {.line = 0x1000, .kind = CODEC_FILL, .bytes = 1};
    assist_rig_give_line(&b, &l.all, &job, GIVEN);
    sm_rig_run(b.r, 1, 32);
    assert_int_equal(b.c->stats.stale, 1);
    assert_int_equal(b.c->stats.verified, 1);
    assert_int_equal(b.c->stats.decoded, 1);
    assist_rig_close(&b);
    codec_free(l.codec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoding_takes_so_many_cycles),
        cmocka_unit_test(a_routine_that_repeats_decodes_each_line),
        cmocka_unit_test(the_form_that_won_last_is_quick),
        cmocka_unit_test(others_are_executed_as_they_are_issued),
        cmocka_unit_test(accesses_are_alike_where_all_lanes_have_what_they_were_given),
        cmocka_unit_test(what_fits_no_more_is_a_line_of_zeros),
        cmocka_unit_test(compression_gives_up_where_it_never_succeeds),
        cmocka_unit_test(parts_are_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
