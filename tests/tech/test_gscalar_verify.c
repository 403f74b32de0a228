/* --verify: a bug that is planted in G-Scalar's metadata is found by the instruction that would
 * compute with it. */
#include "tech/support_gscalar.h"

static const char program[] =
    RIG_KERNEL("mov.u32 %r1,%tid.x; setp.lt.u32 %p1,%r1,16; mov.u32 %r2,7; add.u32 %r3,%r1,5;\n"
               "@%p1 mov.u32 %r3,9; @!%p1 add.u32 %r4,%r3,1; @%p1 add.u32 %r5,%r3,%r2;\n"
               "add.u32 %r6,%r3,%r1; add.u32 %r7,%r2,1; ret;\n");
enum { WRITES_IN_PART = 4, READS_BY_OTHERS = 5, READS_ALL = 7 };

static uint32_t pc_of(const struct rf_event *e)
{
    return (uint32_t)(e->d - e->d->fn->code);
}

/* Metadata of the register that the instruction has written. */
static struct gs_reg *written(struct gs_rig *b, const struct rf_event *e)
{
    struct gs_slot *s = &b->m.slots[e->slot];
    return &s->regs[s->func->code[pc_of(e)].dst[0].at];
}

static struct gs_base *base_written(struct gs_rig *b, const struct rf_event *e)
{
    struct gs_slot *s = &b->m.slots[e->slot];
    return &s->bases[s->func->code[pc_of(e)].dst[0].at];
}

static void run(struct gs_rig *b)
{
    b->g.verify = true;
    gs_rig_run(b, 32);
}

static void expect_breach(struct gs_rig *b, const char *what)
{
    run(b);
    assert_true(b->r->is_breached);
    assert_int_equal(b->r->breach.seam, SEAM_registers);
    if (!strstr(b->r->breach.what, what))
        fail_msg("'%s' is not in '%s'", what, b->r->breach.what);
    gs_rig_close(b);
}

static void nothing_is_found_where_nothing_is_wrong(void **state)
{
    (void)state;
    static const char *const designs[] = {
        "gscalar",    "gscalar-nodiv", "gscalar-nohalf",     "gscalar-rvc",
        "alu-scalar", "scalar-rf",     "warped-compression", "gscalar-null"};
    for (unsigned i = 0; i < ARRAY_LEN(designs); i++) {
        struct gs_rig b;
        gs_rig_open(&b, program, NULL, designs[i]);
        run(&b);
        if (b.r->is_breached)
            fail_msg("%s: %s", designs[i], b.r->breach.what);
        gs_rig_close(&b);
    }
}

/* The mask of a divergent write is taken to be that of the other lanes. */
static void plant_mask(struct gs_rig *b, const struct rf_event *e)
{
    if (pc_of(e) == WRITES_IN_PART)
        written(b, e)->mask = ~e->mask;
}

static void a_wrong_mask_is_found(void **state)
{
    (void)state;
    struct gs_rig b;
    gs_rig_open(&b, program, NULL, "gscalar");
    b.plant = plant_mask;
    expect_breach(&b, "register %r3, lane 16: metadata say that it has one value in these lanes");
}

/* A divergent write leaves metadata of the write before. */
static void plant_stale(struct gs_rig *b, const struct rf_event *e)
{
    if (pc_of(e) != WRITES_IN_PART)
        return;
    *written(b, e) = (struct gs_reg){.flags = GS_PACKED, .arrays = 2, .same = 3};
    *base_written(b, e) = (struct gs_base){.k = {3, 3}, .bvr = {5, 21}};
}

static void plant_stale_scalar(struct gs_rig *b, const struct rf_event *e)
{
    if (pc_of(e) != WRITES_IN_PART)
        return;
    *written(b, e) = (struct gs_reg){.flags = GS_PACKED, .scalar = GS_ALL, .same = 4};
    *base_written(b, e) = (struct gs_base){.k = {4, 4}, .bvr = {5, 5}};
}

static void stale_metadata_is_found(void **state)
{
    (void)state;
    struct gs_rig b;
    gs_rig_open(&b, program, NULL, "gscalar");
    b.plant = plant_stale_scalar;
    expect_breach(&b, "arrays and metadata do not give its value");
    gs_rig_open(&b,
                RIG_KERNEL("mov.u32 %r1,%tid.x; setp.lt.u32 %p1,%r1,16; add.u32 %r2,%r1,5;\n"
                           "add.u32 %r3,%r1,5; @%p1 mov.u32 %r3,0x1000; add.u32 %r4,%r3,1; ret;\n"),
                NULL, "gscalar");
    b.plant = plant_stale;
    expect_breach(&b, "line ");
}

/* The register lies compressed where some lanes write it: the others find half of their value. */
static void a_move_that_is_left_out_is_found(void **state)
{
    (void)state;
    static const char *const designs[] = {"gscalar", "gscalar-nohalf", "gscalar-rvc",
                                          "warped-compression"};
    for (unsigned i = 0; i < ARRAY_LEN(designs); i++) {
        struct gs_rig b;
        gs_rig_open(&b, program, NULL, designs[i]);
        b.drops_moves = true;
        expect_breach(&b, "register %r3, lane 16: arrays and metadata do not give its value");
    }
}

/* A register is taken to be scalar that is not: the instruction's lanes have other results. */
static void plant_scalar(struct gs_rig *b, const struct rf_event *e)
{
    if (pc_of(e) == 0)
        written(b, e)->scalar = GS_ALL;
}

static void lanes_that_were_gated_are_compared(void **state)
{
    (void)state;
    struct gs_rig b;
    gs_rig_open(&b, program, NULL, "gscalar");
    b.plant = plant_scalar;
    expect_breach(&b, "one lane was executed for others, which have other results");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_found_where_nothing_is_wrong),
        cmocka_unit_test(a_wrong_mask_is_found),
        cmocka_unit_test(stale_metadata_is_found),
        cmocka_unit_test(a_move_that_is_left_out_is_found),
        cmocka_unit_test(lanes_that_were_gated_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
