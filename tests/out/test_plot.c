/* Pictures: everything that is said is in them, in both forms; legends stay inside, colours differ.
 */
#include "out/canvas.h"
#include "out/plot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef void (*writer)(const struct plot *p, FILE *out);

static char *drawn(writer write, const struct plot *p)
{
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    write(p, f);
    fclose(f);
    char *copy = xstrdup(text);
    free(text);
    return copy;
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        n++;
    return n;
}

enum { GROUPS = 3, BARS = 12 };
static const char *const groups[GROUPS] = {"first", "second & <last>", "mean"};
static const char *const names[BARS] = {
    "base",
    "e2mc@e2mc.symbol_bits=16@e2mc.latency_scale=0.25",
    "a name that is by itself wider than a picture of bars would be that has no such "
    "names, which hardly happens but has been seen where designs are made of many "
    "settings",
    "d",
    "e",
    "f",
    "g",
    "h",
    "i",
    "j",
    "k",
    "l"};

static struct plot_bars bars_of(const double *values, const double *marks)
{
    return (struct plot_bars){.groups = groups,
                              .ngroups = GROUPS,
                              .nmeans = 1,
                              .bars = names,
                              .nbars = BARS,
                              .nparts = 1,
                              .values = values,
                              .marks = marks,
                              .mark_name = "the paper's mean",
                              .base = 0};
}

static void test_every_bar_is_drawn(void **state)
{
    double values[GROUPS * BARS], marks[GROUPS * BARS];
    for (unsigned i = 0; i < GROUPS * BARS; i++) {
        values[i] = 1 + i;
        marks[i] = NAN;
    }
    values[5] = NAN;
    marks[2 * BARS + 1] = 20;
    const struct plot_bars bars = bars_of(values, marks);
    const struct plot_panel panel = {.y = "speedup", .bars = &bars};
    const struct plot p = {"a title", "2 runs are missing", &panel, 1};
    char *svg = drawn(plot_svg, &p), *pdf = drawn(plot_pdf, &p), *data = drawn(plot_data, &p);
    (void)state;
    /* the page, bars, squares of the legend */
    assert_int_equal(count(svg, "<rect"), 1 + GROUPS * BARS - 1 + BARS);
    assert_int_equal(count(svg, "<circle"), 2);
    assert_int_equal(count(svg, ">×<"), 1);
    assert_non_null(strstr(svg, "second &amp; &lt;last>"));
    assert_non_null(strstr(svg, "2 runs are missing"));
    assert_int_equal(count(pdf, " re f"), GROUPS * BARS - 1 + BARS);
    assert_non_null(strstr(pdf, "(second & <last>) Tj"));
    assert_memory_equal(pdf, "%PDF-1.4\n", 9);
    assert_string_equal(pdf + strlen(pdf) - 6, "%%EOF\n");
    assert_non_null(strstr(data, "\"second & <last>\" 13 14 15"));
    assert_int_equal(count(data, "NaN"), 1);
    free(svg);
    free(pdf);
    free(data);
}

/* The file's own table says where its objects are. */
static void test_pdf_objects_are_where_it_says(void **state)
{
    const double x[] = {0, 1}, y[] = {3, 4};
    const struct plot_line line = {.name = "a (b) \\c", .x = x, .y = y, .n = 2};
    const struct plot_panel panel = {.x = "x", .y = "y", .lines = &line, .nlines = 1};
    const struct plot p = {.title = "E²MC", .panels = &panel, .npanels = 1};
    char *pdf = drawn(plot_pdf, &p), *xref = strstr(pdf, "\nxref\n") + 1, head[16];
    (void)state;
    assert_int_equal(xref - pdf, strtol(strstr(pdf, "startxref\n") + 10, NULL, 10));
    for (unsigned i = 1; i <= 6; i++) {
        const char *row = xref + strlen("xref\n0 7\n") + 20 * i;
        snprintf(head, sizeof head, "%u 0 obj\n", i);
        assert_memory_equal(pdf + strtol(row, NULL, 10), head, strlen(head));
    }
    const char *stream = strstr(pdf, "stream\n") + 7;
    assert_int_equal(strstr(stream, "\nendstream") - stream,
                     strtol(strstr(pdf, "/Length ") + 8, NULL, 10));
    assert_non_null(strstr(pdf, "(E\\262MC) Tj"));
    assert_non_null(strstr(pdf, "(a \\(b\\) \\\\c) Tj"));
    free(pdf);
}

/* Every word of the legend ends inside the page. */
static void test_legends_fit(void **state)
{
    double values[GROUPS * BARS];
    for (unsigned i = 0; i < GROUPS * BARS; i++)
        values[i] = 1;
    const struct plot_bars bars = bars_of(values, NULL);
    const struct plot_panel panel = {.y = "speedup", .bars = &bars};
    const struct plot p = {.title = "", .panels = &panel, .npanels = 1};
    char *svg = drawn(plot_svg, &p);
    const double width = strtod(strstr(svg, "width='") + 7, NULL);
    (void)state;
    for (unsigned i = 0; i < BARS; i++) {
        char *mark = xasprintf(">%s</text>", names[i]);
        const char *at = strstr(svg, mark), *x;
        assert_non_null(at);
        for (x = at; strncmp(x, " x='", 4); x--)
            ;
        assert_true(strtod(x + 4, NULL) + canvas_text_width(names[i], 12) < width);
        free(mark);
    }
    free(svg);
}

static double distance(uint32_t a, uint32_t b)
{
    double sum = 0;
    for (unsigned k = 0; k < 24; k += 8) {
        const double d = (double)(a >> k & 255) - (double)(b >> k & 255);
        sum += d * d;
    }
    return sqrt(sum);
}

static void test_colours_do_not_repeat(void **state)
{
    (void)state;
    for (size_t i = 0; i < 100; i++)
        for (size_t k = 0; k < i; k++) {
            if (plot_colour(i) == plot_colour(k))
                fail_msg("colours %zu and %zu are both %06x", k, i, plot_colour(i));
            if (i < 16 && distance(plot_colour(i), plot_colour(k)) < 50)
                fail_msg("colours %zu and %zu are hard to tell apart", k, i);
        }
}

static void test_strange_values_and_names(void **state)
{
    static const char *const odd[] = {"\xff\x01 not UTF-8", ""};
    static const double nothing[] = {NAN, NAN}, huge[] = {1e300, 0}, minus[] = {-1, 2};
    const double *const all[] = {nothing, huge, minus};
    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(all); i++) {
        const struct plot_bars bars = {.groups = odd,
                                       .ngroups = 2,
                                       .nbars = 1,
                                       .nparts = 1,
                                       .values = all[i],
                                       .base = SIZE_MAX};
        const struct plot_line line = {.name = odd[0], .x = minus, .y = all[i], .n = 2};
        const struct plot_panel panels[] = {{.y = "y", .bars = &bars},
                                            {.y = "y", .lines = &line, .nlines = 1},
                                            {.y = "y", .is_log = true, .lines = &line, .nlines = 1},
                                            {.y = "y"}};
        const struct plot p = {.title = odd[0], .panels = panels, .npanels = ARRAY_LEN(panels)};
        char *svg = drawn(plot_svg, &p), *pdf = drawn(plot_pdf, &p);
        assert_null(strchr(svg, '\xff'));
        assert_null(strchr(svg, '\x01'));
        assert_null(strstr(svg, "nan"));
        assert_null(strstr(svg, "inf"));
        assert_true(strlen(svg) < 100000 && strlen(pdf) < 100000);
        free(svg);
        free(pdf);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_bar_is_drawn),
        cmocka_unit_test(test_pdf_objects_are_where_it_says),
        cmocka_unit_test(test_legends_fit),
        cmocka_unit_test(test_colours_do_not_repeat),
        cmocka_unit_test(test_strange_values_and_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
