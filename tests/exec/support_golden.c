/* Reads the cases of a .vec file, with their types and bits. */
#include "exec/support_golden.h"

#include "base/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static unsigned parse_types(const char *s, enum ptx_type *types, unsigned max)
{
    unsigned n = 0;
    while (*s && n < max) {
        const size_t len = strcspn(s, ", ");
        types[n++] = ptx_type_find(s, len);
        s += len + strspn(s + len, ", ");
    }
    return n;
}

/* "case KERNEL | OP | in TYPES | out TYPES | TOLERANCE" */
static void parse_head(char *line, struct golden_case *c)
{
    char *field[5] = {line};
    for (unsigned n = 1; n < 5; n++) {
        char *bar = strstr(field[n - 1], " | "); /* an operand like p|q has no blanks */
        *bar = 0;
        field[n] = bar + strlen(" | ");
    }
    memset(c, 0, sizeof *c);
    snprintf(c->name, sizeof c->name, "%s", field[0] + strlen("case "));
    snprintf(c->op, sizeof c->op, "%s", field[1]);
    c->nin = parse_types(field[2] + strlen("in "), c->in, GOLDEN_MAX_IN);
    c->nout = parse_types(field[3] + strlen("out "), c->out, GOLDEN_MAX_OUT);
    snprintf(c->tolerance, sizeof c->tolerance, "%s", field[4]);
}

static void parse_row(char *line, struct golden_case *c)
{
    for (unsigned k = 0; k < c->nin; k++)
        c->args[c->nrows][k] = strtoull(line, &line, 16);
    line = strchr(line, '>') + 1;
    for (unsigned k = 0; k < c->nout; k++)
        c->want[c->nrows][k] = strtoull(line, &line, 16);
    c->nrows++;
}

static char *read_family(const char *family)
{
    const char *root = getenv("PARSIM_TESTS");
    char *path = xasprintf("%s/golden/%s.vec.zst", root ? root : "tests", family);
    struct err err;
    size_t len;
    char *packed = file_read(path, &len, &err);
    free(path);
    if (!packed)
        return NULL;
    const unsigned long long bytes = ZSTD_getFrameContentSize(packed, len);
    char *text = xmalloc(bytes + 1);
    const size_t got = ZSTD_decompress(text, bytes, packed, len);
    free(packed);
    text[ZSTD_isError(got) ? 0 : got] = 0;
    return text;
}

bool golden_each(const char *family, golden_fn fn, void *arg)
{
    char *text = read_family(family);
    struct golden_case *c = xcalloc(1, sizeof *c);
    bool open = false;
    if (!text) {
        free(c);
        return false;
    }
    for (char *save, *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        if (!strncmp(line, "case ", 5)) {
            if (open)
                fn(c, arg);
            parse_head(line, c);
            open = true;
        } else if (open && strchr(line, '>') && c->nrows < GOLDEN_MAX_ROWS) {
            parse_row(line, c);
        }
    }
    if (open)
        fn(c, arg);
    free(c);
    free(text);
    return true;
}

/* A floating-point format's widths. */
static bool float_shape(enum ptx_type t, unsigned *exp_bits, unsigned *man_bits)
{
    *exp_bits = t == PTX_F64 ? 11 : t == PTX_F16 || t == PTX_F16X2 ? 5 : 8;
    *man_bits = t == PTX_F64                       ? 52
                : t == PTX_F16 || t == PTX_F16X2   ? 10
                : t == PTX_BF16 || t == PTX_BF16X2 ? 7
                                                   : 23;
    return ptx_type_is_float(t);
}

static double value_of(uint64_t bits, unsigned eb, unsigned mb)
{
    const uint64_t man = bits & ((UINT64_C(1) << mb) - 1);
    const int e = (int)(bits >> mb & ((1u << eb) - 1)), bias = (1 << (eb - 1)) - 1;
    const double m = e ? (double)(man | UINT64_C(1) << mb) : (double)man;
    const double v = ldexp(m, (e ? e : 1) - bias - (int)mb);
    return bits >> (eb + mb) & 1 ? -v : v;
}

static double parse_bound(const char *s)
{
    if (!strncmp(s, "2^", 2))
        return pow(2, strtod(s + 2, NULL));
    return strtod(s, NULL);
}

static bool accepts_one(const char *tolerance, uint64_t want, uint64_t got, unsigned eb,
                        unsigned mb)
{
    const uint64_t mag = (UINT64_C(1) << (eb + mb)) - 1, inf = ((UINT64_C(1) << eb) - 1) << mb;
    const bool nan_w = (want & mag) > inf, nan_g = (got & mag) > inf;
    if (nan_w || nan_g)
        return nan_w && nan_g;
    if (want == got)
        return true;
    if ((want & mag) == inf || (got & mag) == inf || !(want & mag) || !(got & mag))
        return false;
    const char *colon = strchr(tolerance, ':');
    if (!colon)
        return false;
    const double bound = parse_bound(colon + 1);
    if (!strncmp(tolerance, "ulp", 3)) {
        const uint64_t far = want > got ? want - got : got - want;
        return (want ^ got) >> (eb + mb) == 0 && (double)far <= bound;
    }
    const double w = value_of(want, eb, mb), dist = fabs(w - value_of(got, eb, mb));
    const bool abs_ok = dist <= bound, rel_ok = dist <= bound * fabs(w);
    if (!strncmp(tolerance, "abs-or-rel", 10))
        return abs_ok || rel_ok;
    return tolerance[0] == 'a' ? abs_ok : rel_ok;
}

bool golden_accepts(const char *tolerance, enum ptx_type t, uint64_t want, uint64_t got)
{
    unsigned eb, mb;
    if (!float_shape(t, &eb, &mb))
        return want == got;
    if (t == PTX_F16X2 || t == PTX_BF16X2)
        return accepts_one(tolerance, want & 0xffff, got & 0xffff, eb, mb) &&
               accepts_one(tolerance, want >> 16 & 0xffff, got >> 16 & 0xffff, eb, mb);
    return accepts_one(tolerance, want, got, eb, mb);
}
