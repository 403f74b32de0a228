/* rodinia-bt: point and range queries on a B+ tree. */
#include "workload.h"

#include <limits.h>

enum { ORDER = 256 };

struct node {
    int32_t location, indices[ORDER + 1], keys[ORDER + 1], is_leaf, key_count;
};

struct state {
    int records_count, points, ranges, height;
    int32_t *keys; /* of the records, rising */
    struct wl_array *nodes, *records, *queries, *answers, *starts, *ends, *firsts, *lengths;
    struct wl_array *at, *next, *last_at, *last_next;
};

static void make_records(struct wl *w, struct state *s, struct rng *rng)
{
    int32_t key = 0;
    s->keys = wl_alloc(w, (size_t)s->records_count, sizeof *s->keys);
    for (int i = 0; i < s->records_count; i++) {
        key += 1 + (int32_t)rng_below(rng, 16);
        s->keys[i] = key;
        s->records->i32[i] = (int32_t)rng_below(rng, 1000000);
    }
}

/* One level of the tree as it is built: its nodes' numbers and least keys. */
struct level {
    int count;
    int32_t *number, *least;
};

/* Fills nodes with what is below (children, or records if `is_leaf`), half to all full as
 * insertions leave them. Returns the new level. */
static struct level add_level(struct wl *w, struct level below, bool is_leaf, struct rng *rng,
                              struct node *nodes, int *count)
{
    struct level up = {.number = wl_alloc(w, (size_t)below.count / 128 + 1, sizeof(int32_t)),
                       .least = wl_alloc(w, (size_t)below.count / 128 + 1, sizeof(int32_t))};
    for (int at = 0; at < below.count;) {
        int left = below.count - at, take = ORDER / 2 + (int)rng_below(rng, ORDER / 2 + 1);
        if (left <= ORDER)
            take = left;
        else if (left - take < ORDER / 2)
            take = ORDER / 2;
        struct node *n = &nodes[*count];
        n->location = *count;
        n->is_leaf = is_leaf;
        n->key_count = take;
        for (int i = 0; i <= ORDER; i++) {
            n->keys[i] = i < take ? below.least[at + i] : INT_MAX;
            n->indices[i] = i < take ? below.number[at + i] : 0;
        }
        up.least[up.count] = below.least[at];
        up.number[up.count++] = (*count)++;
        if (!is_leaf)
            n->keys[0] = INT_MIN; /* the first child has all smaller keys */
        at += take;
    }
    return up;
}

/* The last node is the root. */
static void make_tree(struct wl *w, struct state *s, struct rng *rng)
{
    size_t most = (size_t)s->records_count / 64 + 4;
    struct node *nodes = wl_alloc(w, most, sizeof *nodes);
    struct level level = {s->records_count, wl_alloc(w, (size_t)s->records_count, sizeof(int32_t)),
                          s->keys};
    int count = 0;
    for (int i = 0; i < s->records_count; i++)
        level.number[i] = i;
    level = add_level(w, level, true, rng, nodes, &count);
    for (; level.count > 1; s->height++)
        level = add_level(w, level, false, rng, nodes, &count);
    s->nodes = wl_array(w, "nodes", WL_INPUT, WL_I32, (size_t)count * (sizeof *nodes / 4));
    for (size_t i = 0; i < s->nodes->count; i++)
        s->nodes->i32[i] = ((const int32_t *)nodes)[i];
}

/* A query's place in the tree, at the root to begin with. */
static struct wl_array *places(struct wl *w, const struct state *s, const char *name, int n)
{
    struct wl_array *a = wl_array(w, name, WL_INPUT, WL_U64, (size_t)n);
    for (int i = 0; i < n; i++)
        a->u64[i] = s->nodes->count / (sizeof(struct node) / 4) - 1;
    return a;
}

static void make_queries(struct wl *w, struct state *s, struct rng *rng)
{
    size_t points = (size_t)s->points, ranges = (size_t)s->ranges;
    int most = s->points > s->ranges ? s->points : s->ranges;
    uint32_t n = (uint32_t)s->records_count;
    s->queries = wl_array(w, "queries", WL_INPUT, WL_I32, points);
    s->answers = wl_array(w, "answers", WL_INOUT, WL_I32, points);
    s->starts = wl_array(w, "starts", WL_INPUT, WL_I32, ranges);
    s->ends = wl_array(w, "ends", WL_INPUT, WL_I32, ranges);
    s->firsts = wl_array(w, "firsts", WL_OUTPUT, WL_I32, ranges);
    s->lengths = wl_array(w, "lengths", WL_OUTPUT, WL_I32, ranges);
    s->at = places(w, s, "at", most);
    s->next = places(w, s, "next", most);
    s->last_at = places(w, s, "last_at", s->ranges);
    s->last_next = places(w, s, "last_next", s->ranges);
    for (size_t i = 0; i < points; i++) { /* now and then a key that may be missing */
        s->queries->i32[i] = s->keys[rng_below(rng, n)] + (rng_below(rng, 8) == 0);
        s->answers->i32[i] = -1;
    }
    for (size_t i = 0; i < ranges; i++) {
        uint32_t first = rng_below(rng, n), length = 1 + rng_below(rng, 1000);
        s->starts->i32[i] = s->keys[first];
        s->ends->i32[i] = s->keys[first + length < n ? first + length : n - 1];
    }
}

static void make(struct wl *w, void *state)
{
    static const struct {
        int records, points, ranges;
    } sizes[WL_SIZES] = {{5000, 15, 12},
                         {60000, 400, 300},
                         {1000000, 6000, 4000},
                         {1000000, 20000, 12000},
                         {1000000, 10000, 6000}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->records_count = sizes[wl_size(w)].records;
    s->points = sizes[wl_size(w)].points;
    s->ranges = sizes[wl_size(w)].ranges;
    s->records = wl_array(w, "records", WL_INPUT, WL_I32, (size_t)s->records_count);
    make_records(w, s, &rng);
    make_tree(w, s, &rng);
    make_queries(w, s, &rng);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    wl_launch(w, "bt_find", WL_DIM((unsigned)s->points), WL_DIM(ORDER), 0,
              WL_ARGS(&s->height, &s->nodes->dev, &s->records->dev, &s->at->dev, &s->next->dev,
                      &s->queries->dev, &s->answers->dev));
    wl_write(w, s->at->dev, s->at->data, s->at->count * sizeof(uint64_t)); /* back to the root */
    wl_write(w, s->next->dev, s->next->data, s->next->count * sizeof(uint64_t));
    wl_launch(w, "bt_find_range", WL_DIM((unsigned)s->ranges), WL_DIM(ORDER), 0,
              WL_ARGS(&s->height, &s->nodes->dev, &s->at->dev, &s->next->dev, &s->last_at->dev,
                      &s->last_next->dev, &s->starts->dev, &s->ends->dev, &s->firsts->dev,
                      &s->lengths->dev));
}

/* The record with this key, or -1: by halving, without the tree. */
static int find_record(const struct state *s, int32_t key)
{
    int low = 0, high = s->records_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (s->keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->records_count && s->keys[low] == key ? low : -1;
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    (void)w;
    for (int i = 0; i < s->points; i++) {
        int record = find_record(s, s->queries->i32[i]);
        s->answers->expect_i32[i] = record < 0 ? -1 : s->records->i32[record];
    }
    for (int i = 0; i < s->ranges; i++) {
        int first = find_record(s, s->starts->i32[i]), last = find_record(s, s->ends->i32[i]);
        s->firsts->expect_i32[i] = first;
        s->lengths->expect_i32[i] = last - first + 1;
    }
}

const struct workload workload_rodinia_bt = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "a tree of order 256, a block of 256 threads a query, a thread a key of the node; one "
        "kernel for points, one for ranges; the CPU checks by halving the sorted keys",
    .input =
        "rising keys with gaps of 1 to 16 in nodes that are half to all full; uniform queries, "
        "about a tenth of the points for missing keys",
    .imitates = "Rodinia's file of a million keys (mil.txt)",
    .tolerance = "equal: integers",
};
