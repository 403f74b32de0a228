/* Graphs have the degrees of the suites' graphs, texts the frequencies of natural ones. */
#include "gen.h"
#include "gen_text.h"
#include "support_wl.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int fresh_run(void **state)
{
    *state = test_wl_new();
    return *state == NULL;
}

static int end_run(void **state)
{
    test_wl_free(*state);
    return 0;
}

static int falling(const void *pa, const void *pb)
{
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    return (a < b) - (a > b);
}

/* A graph's degrees, the greatest first. */
struct degrees {
    double mean, variance;
    uint32_t n, *sorted;
};

static struct degrees degrees_of(struct wl *w, const struct gen_graph *g)
{
    struct degrees d = {.n = g->n, .sorted = wl_alloc(w, g->n, sizeof *d.sorted)};
    d.mean = (double)g->m / g->n;
    for (uint32_t v = 0; v < g->n; v++) {
        d.sorted[v] = g->first[v + 1] - g->first[v];
        d.variance += (d.sorted[v] - d.mean) * (d.sorted[v] - d.mean) / g->n;
    }
    qsort(d.sorted, g->n, sizeof *d.sorted, falling);
    return d;
}

static void drawn_graphs_have_six_neighbours_and_no_hubs(void **state)
{
    struct rng rng = {7};
    struct gen_graph g = gen_graph_drawn(*state, &rng, 20000);
    struct degrees d = degrees_of(*state, &g);
    assert_float_equal(d.mean, 6, 0.1);
    assert_float_equal(d.variance, 3 + 2.0 / 3,
                       0.2); /* Poisson's from others, 2 to 4 of one's own */
    assert_true(d.sorted[0] < 20);
    assert_true(d.sorted[d.n - 1] >= 1);
}

static void uniform_graphs_follow_poisson(void **state)
{
    struct rng rng = {7};
    struct gen_graph g = gen_graph_uniform(*state, &rng, 20000, 40000);
    struct degrees d = degrees_of(*state, &g);
    assert_float_equal(d.mean, 4, 0.1);
    assert_float_equal(d.variance, d.mean, 0.3);
}

static void rmat_graphs_have_hubs(void **state)
{
    struct rng rng = {7};
    struct gen_graph g = gen_graph_rmat(*state, &rng, 15, 8u << 15);
    struct degrees d = degrees_of(*state, &g);
    uint64_t top = 0;
    for (uint32_t i = 0; i < d.n / 100; i++)
        top += d.sorted[i];
    assert_true(top > g.m / 20);             /* a hundredth of the vertices: 5 % of the ends */
    assert_true(d.sorted[0] > 10 * d.mean);  /* hundreds */
    assert_true(d.variance > 5 * d.mean);    /* nothing like Poisson's */
    assert_true(d.sorted[d.n / 2] < d.mean); /* most have fewer than the mean */
}

static void roads_have_few_neighbours(void **state)
{
    struct rng rng = {7};
    struct gen_graph g = gen_graph_road(*state, &rng, 128, 128);
    struct degrees d = degrees_of(*state, &g);
    assert_true(d.mean > 2.5 && d.mean < 3.8);
    assert_true(d.sorted[0] <= 6);
}

static void graphs_are_symmetric(void **state)
{
    struct rng rng = {9};
    struct gen_graph g = gen_graph_drawn(*state, &rng, 500);
    for (uint32_t v = 0; v < g.n; v++)
        for (uint32_t i = g.first[v]; i < g.first[v + 1]; i++) {
            uint32_t to = g.to[i], back = g.first[to];
            while (back < g.first[to + 1] && g.to[back] != v)
                back++;
            assert_true(back < g.first[to + 1] && g.weight[back] == g.weight[i]);
            assert_true(to != v && (i == g.first[v] || g.to[i - 1] < to));
        }
}

/* How often each different word of a text occurs, the commonest first. */
struct words {
    uint32_t count, total, *times;
    double letters; /* in a word, on average */
};

static int by_text(const void *pa, const void *pb)
{
    return strcmp(*(char *const *)pa, *(char *const *)pb);
}

static struct words words_of(struct wl *w, const struct gen_text *t)
{
    uint32_t bytes = t->starts[t->lines];
    char *text = wl_alloc(w, bytes + 1, 1), **list = wl_alloc(w, bytes, sizeof *list), *next = NULL;
    struct words out = {.times = wl_alloc(w, bytes, sizeof *out.times)};
    memcpy(text, t->text, bytes);
    for (char *word = strtok_r(text, " ,.\n", &next); word; word = strtok_r(NULL, " ,.\n", &next)) {
        list[out.total++] = word;
        out.letters += (double)strlen(word);
    }
    out.letters /= out.total;
    qsort(list, out.total, sizeof *list, by_text);
    for (uint32_t i = 0; i < out.total; i++) {
        bool same = i && strcmp(list[i], list[i - 1]) == 0;
        out.count += !same;
        out.times[out.count - 1]++;
    }
    qsort(out.times, out.count, sizeof *out.times, falling);
    return out;
}

/* Zipf's law: times ~ rank^slope with a slope of -1. */
static double zipf_slope(const uint32_t *times, uint32_t from, uint32_t to)
{
    return log((double)times[to - 1] / times[from - 1]) / log((double)to / from);
}

static void prose_has_natural_word_frequencies(void **state)
{
    struct rng rng = {7};
    struct gen_text t = gen_prose(*state, &rng, 8000, 60, 8192);
    struct words w = words_of(*state, &t);
    double commonest = (double)w.times[0] / w.total;
    assert_true(commonest > 0.07 && commonest < 0.13); /* English: 0.06, "the" */
    assert_float_equal(zipf_slope(w.times, 4, 40), -1, 0.25);
    assert_float_equal(zipf_slope(w.times, 10, 500), -1, 0.25);
    assert_true(w.letters > 3.5 && w.letters < 6); /* English: 4.7 */
}

static void a_few_pages_get_most_visits(void **state)
{
    struct rng rng = {7};
    uint32_t pages = 4000;
    struct gen_text t = gen_web_log(*state, &rng, 20000, pages);
    uint32_t *visits = wl_alloc(*state, pages, sizeof *visits);
    for (uint32_t i = 0; i < t.lines; i++)
        visits[t.page[i]]++;
    qsort(visits, pages, sizeof *visits, falling);
    assert_float_equal(zipf_slope(visits, 1, 100), -1, 0.25);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh_run, end_run)
    const struct CMUnitTest tests[] = {
        TEST(drawn_graphs_have_six_neighbours_and_no_hubs),
        TEST(uniform_graphs_follow_poisson),
        TEST(rmat_graphs_have_hubs),
        TEST(roads_have_few_neighbours),
        TEST(graphs_are_symmetric),
        TEST(prose_has_natural_word_frequencies),
        TEST(a_few_pages_get_most_visits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
