/* Policies that change time alone change no result: every case of support_cases.c with costs,
 * banks, moves, pairs of warps and schedulers that follow no plan, against the functional run; and
 * on two threads. */
#include "gpu/support_outcome.h"

#include "gpu/gpu_tech.h"
#include "tech/tech_list_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SMS = 3, SLOTS = 64 };

/* Of one SM. */
struct dice {
    struct rf_policy rf;
    uint64_t state;
    const struct dinst *move[SLOTS]; /* that goes before the warp's next instruction */
    const struct dinst *before[SLOTS];
};

static uint32_t throw(struct dice * d, uint32_t sides)
{
    d->state = d->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(d->state >> 33) % sides;
}

static void cost(void *self, const struct rf_event *e, struct rf_cost *sum)
{
    struct dice *d = self;
    (void)e;
    sum->hold += throw(d, 4) ? 0 : throw(d, 9);
    sum->enter += throw(d, 3) ? 0 : throw(d, 9);
    sum->write += throw(d, 2) ? 0 : throw(d, 99);
}

static uint32_t bank(void *self, const struct rf_event *e, unsigned k, uint32_t plain)
{
    (void)e, (void)k;
    return throw(self, 5) ? plain : throw(self, 64);
}

static uint32_t initiation(void *self, const struct rf_event *e, uint32_t cycles)
{
    struct dice *d = self;
    if (e->d == d->move[e->slot])
        d->move[e->slot] = NULL;
    return cycles + throw(d, 5);
}

/* Decided once an instruction, so that it can be asked again. */
static const struct dinst *precede(void *self, struct sm *sm, unsigned slot, struct warp *w,
                                   const struct dinst *next)
{
    struct dice *d = self;
    (void)w;
    if (d->before[slot] != next) {
        d->before[slot] = next;
        d->move[slot] = throw(d, 4) ? NULL : tech_api.move(sm, next, throw(d, 4), d);
    }
    return d->move[slot];
}

static int partner(void *self, struct sm *sm, unsigned slot)
{
    (void)sm;
    return throw(self, 4) ? (int)(slot ^ 2) : -1;
}

static uint64_t narrow(void *self, struct sm *sm, unsigned sched, uint64_t can)
{
    (void)sm, (void)sched;
    return throw(self, 3) ? can : can & (can - 1);
}

static int pick(void *self, struct sm *sm, unsigned sched, uint64_t can)
{
    (void)sm, (void)sched;
    return throw(self, 2) ? -1 : 63 - __builtin_clzll(can);
}

static bool bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    static struct dice dice[SMS];
    struct tech_seams *s = at->seams;
    (void)part, (void)err;
    for (uint32_t i = 0; i < at->machine->sms; i++) {
        dice[i] = (struct dice){.state = i};
        s->registers[i] = (struct rf_policy){.wants = WANT_COST | WANT_BANK,
                                             .cost = cost,
                                             .bank = bank,
                                             .start = s->registers[i].start,
                                             .end = s->registers[i].end,
                                             .self = &dice[i]};
        s->issue[i] = (struct issue_policy){.wants = WANT_INITIATION | WANT_PRECEDE | WANT_PARTNER,
                                            .initiation = initiation,
                                            .precede = precede,
                                            .before = s->issue[i].before,
                                            .partner = partner,
                                            .self = &dice[i]};
        s->schedulers[i] = (struct sched_policy){WANT_PICK, narrow, pick, &dice[i]};
    }
    return true;
}

static const struct tech_design design = {"dice", "", "", 0, false};
static const struct technique technique = {
    .name = "dice", .designs = &design, .ndesigns = 1, .bind = bind};

static struct outcome run(const struct gpu_case *c, unsigned threads)
{
    static const char *const sets[] = {"gpu.sms=3"};
    struct case_run t;
    case_open(&t, c, "gtx480-gpgpusim", sets, 1, 0);
    tech_list_add(t.m->techs, &technique, NULL);
    t.m->gpu.with = design.name;
    case_start(&t, threads);
    case_run(&t);
    return outcome_take(&t, true);
}

static void results_are_those_of_the_program(void **state)
{
    (void)state;
    double joined = 0, moved = 0;
    for (size_t i = 0; i < ngpu_cases; i++) {
        const struct gpu_case *c = &gpu_cases[i];
        struct case_run f;
        if (c->needs_hopper)
            continue;
        case_open(&f, c, "gtx480-gpgpusim", NULL, 0, 0);
        case_run(&f);
        struct outcome one = run(c, 1), two = run(c, 2);
        if (memcmp(one.data, (const void *)(uintptr_t)f.buf->base, CASE_BYTES))
            fail_msg("%s: other results", c->name);
        outcome_assert_same(c, "2 threads", &one, &two);
        joined += outcome_stat(&one, "sm", "warp_inst") - outcome_stat(&one, "sm", "issue_active");
        moved += outcome_stat(&one, "sm", "extra_inst");
        outcome_free(&one);
        outcome_free(&two);
        case_close(&f);
    }
    assert_true(joined > 1000);
    assert_true(moved > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_are_those_of_the_program)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
