/* Lane arithmetic agrees with the scalar reference: every form, many operands, all CPU levels. */
#include "exec/support_forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

struct random_source {
    struct form_source base;
    uint64_t state;
};

static uint64_t random_below(struct form_source *s, uint64_t n)
{
    struct random_source *r = (struct random_source *)s;
    uint64_t z = r->state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % n;
}

static void all_forms(void **state)
{
    const char *rounds = getenv("PARSIM_ROUNDS");
    const unsigned n = rounds ? (unsigned)atoi(rounds) : 60;
    struct random_source r = {{random_below}, 1};
    unsigned bad = 0;
    (void)state;
    for (unsigned k = 0; k < forms_count(); k++)
        for (unsigned j = 0; j < n; j++) {
            struct lane_form f;
            form_make(&f, k, &r.base);
            if (!form_check(&f, &r.base)) {
                bad++;
                break;
            }
        }
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
