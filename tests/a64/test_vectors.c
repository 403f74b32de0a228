/* Every row of a64_ops.def gives what QEMU gives, in 64 states and with 64 random words each. */
#include "a64/decode.h"
#include "a64/support_vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs those before it */
#include <cmocka.h>

/* How many vectors of a row are not as they should be; the first is shown. */
static unsigned wrong_of(struct vector_core *c, const struct vector_row *r)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < r->n; i++) {
        uint32_t word, expected, digest;
        memcpy(&word, r->at + 8 * i, 4);
        memcpy(&expected, r->at + 8 * i + 4, 4);
        const struct a64_row *row = a64_find_row(word);
        const bool runs = vector_core_run(c, word, (uint64_t)r->seed << 8 | i, r->kind, &digest);
        if (runs && digest == expected && row && !strcmp(row->name, r->name))
            continue;
        if (!wrong++)
            printf("%s: vector %u, word 0x%08x: %s (tools/a64/vectors %s %u)\n", r->name, i, word,
                   runs ? "another result" : "stops", r->name, i);
        if (getenv("PARSIM_A64_SHOW") && wrong == 1)
            for (unsigned k = 0; k < 32; k++)
                printf("x%-2u %016llx   v%-2u %016llx %016llx\n", k,
                       (unsigned long long)(k < 31 ? c->after.x[k] : c->after.sp), k,
                       (unsigned long long)c->after.v[k][1], (unsigned long long)c->after.v[k][0]);
    }
    return wrong;
}

static void every_vector_is_qemus(void **state)
{
    (void)state;
    size_t len;
    uint8_t *bytes = vectors_read("vectors", &len);
    const uint8_t *at = bytes;
    struct vector_core c;
    struct vector_row r;
    unsigned rows = 0;
    vector_core_start(&c);
    while (vectors_row(&at, bytes + len, &r))
        rows += wrong_of(&c, &r) > 0;
    vector_core_end(&c);
    free(bytes);
    assert_int_equal(rows, 0);
}

/* What stops, belongs to the guest's own needs, changes with time, or is not Arm's: other tests
 * have these. */
static bool is_exempt(const char *name)
{
    static const char *const exempt[] = {"svc",       "brk",    "mrs_cntvct", "mrs_tpidr",
                                         "msr_tpidr", "ld_crc", "ld_crc_reg", "reg_crc",
                                         "lookup",    "update", "invalidate"};
    for (unsigned i = 0; i < ARRAY_LEN(exempt); i++)
        if (!strcmp(name, exempt[i]))
            return true;
    return false;
}

static bool has_vectors(const uint8_t *at, size_t len, const char *name)
{
    const uint8_t *end = at + len;
    struct vector_row r;
    while (vectors_row(&at, end, &r))
        if (!strcmp(r.name, name))
            return r.n >= 64;
    return false;
}

static void every_row_has_64_vectors(void **state)
{
    (void)state;
    size_t len;
    uint8_t *bytes = vectors_read("vectors", &len);
    const struct a64_row *rows;
    const size_t n = a64_rows(&rows);
    for (size_t i = 0; i < n; i++)
        if (!is_exempt(rows[i].name) && !has_vectors(bytes, len, rows[i].name))
            fail_msg("row %s has no vectors: run tools/a64/vectors", rows[i].name);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vector_is_qemus),
        cmocka_unit_test(every_row_has_64_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
