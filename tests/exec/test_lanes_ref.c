/* Lane arithmetic agrees with the scalar reference: every form, many operands, all CPU levels. */
#include "exec/support_forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void all_forms(void **state)
{
    const char *rounds = getenv("PARSIM_ROUNDS");
    const unsigned n = rounds ? (unsigned)atoi(rounds) : 60;
    struct form_random r = {{form_random_below}, 1};
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
