/* Names of C++ kernels: what binutils' c++filt says of them (without the result, anonymous
 * namespaces shortened), what is left alone, and columns in which different names differ. */
#include "base/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void is(const char *mangled, const char *whole, const char *brief)
{
    char *a = demangle(mangled), *b = demangle_short(mangled);
    assert_string_equal(a, whole);
    assert_string_equal(b, brief);
    free(a);
    free(b);
}

static void names_are_read(void **state)
{
    (void)state;
    is("_Z6vecaddPKfS0_Pfi", "vecadd(float const*, float const*, float*, int)", "vecadd");
    is("_Z5scaleIfLi4EEvPT_i", "scale<float, 4>(float*, int)", "scale<float, 4>");
    is("_ZN2ns6kernelIdEEvPKT_PS1_m", "ns::kernel<double>(double const*, double*, unsigned long)",
       "ns::kernel<double>");
    is("_Z3fooILb1ELin3EEvv", "foo<true, -3>()", "foo<true, -3>");
    is("_ZN2ns1A3runIfEEvNS_1BIT_EES3_PS2_", "ns::A::run<float>(ns::B<float>, float, ns::B*)",
       "ns::A::run<float>");
    is("_ZN12_GLOBAL__N_14kernEPf", "(anonymous)::kern(float*)", "(anonymous)::kern");
    is("_Z7reduce6IiLj512ELb1EEvPT_S1_j", "reduce6<int, 512, true>(int*, int*, unsigned int)",
       "reduce6<int, 512, true>");
}

static void others_stay_as_they_are(void **state)
{
    (void)state;
    static const char *const names[] = {"vecadd",         "",     "_Z",   "_Z5scal",
                                        "_Z1fS9_",        "_ZN",  "_ZNE", "_Z1fIXadL_Z1gEEEvv",
                                        "_Z99999999999x", "_ZUlE"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        is(names[i], names[i], names[i]);
}

static void deep_ones_end(void **state)
{
    (void)state;
    char deep[2000] = "_Z1f";
    memset(deep + 4, 'P', sizeof deep - 5);
    is(deep, deep, deep);
}

static void column_is(const char *const *names, size_t n, size_t width, const char *const *want)
{
    char **texts = demangle_column(names, n, width);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(texts[i], want[i]);
        free(texts[i]);
    }
    free(texts);
}

static void columns_tell_names_apart(void **state)
{
    (void)state;
    column_is((const char *const[]){"_Z1fi", "_Z1gi"}, 2, 20, (const char *const[]){"f", "g"});
    /* overloads keep their parameters */
    column_is((const char *const[]){"_Z1fi", "_Z1ff"}, 2, 20,
              (const char *const[]){"f(int)", "f(float)"});
    /* long ones are cut in the middle, unless that makes them equal */
    column_is((const char *const[]){"a_very_long_name_of_one_kernel"}, 1, 12,
              (const char *const[]){"a_ver..ernel"});
    column_is((const char *const[]){"begin_AAAAAAAA_end_is_one", "begin_BBBBBBBB_end_is_one"}, 2,
              12, (const char *const[]){"begin_AAAAAAAA_end_is_one", "begin_BBBBBBBB_end_is_one"});
    /* the same name twice is no matter */
    column_is((const char *const[]){"_Z1fi", "_Z1fi"}, 2, 20, (const char *const[]){"f", "f"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_read),
        cmocka_unit_test(others_stay_as_they_are),
        cmocka_unit_test(deep_ones_end),
        cmocka_unit_test(columns_tell_names_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
