/* sdk-mum: maximal matches of sequencing reads in a genome, by suffix tree. */
#include "gen.h"
#include "suffix_tree.h"
#include "workload.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 14 }; /* shorter matches are noise */

struct state {
    int n, reads;
    uint8_t *genome; /* n letters and a 0 */
    struct wl_array *nodes, *reference, *letters, *offsets, *positions, *lengths;
};

static const char alphabet[4] = {'A', 'C', 'G', 'T'};

/* Reads of 25 to 75 letters from anywhere, one letter in 60 misread; one read in ten is foreign. */
static void make_reads(struct wl *w, struct state *s, struct rng *rng)
{
    uint8_t *letters = wl_alloc(w, (size_t)s->reads * 75, 1);
    int at = 0;
    for (int r = 0; r < s->reads; r++) {
        int len = 25 + (int)rng_below(rng, 51), from = (int)rng_below(rng, (uint32_t)(s->n - len));
        bool foreign = rng_below(rng, 10) == 0;
        s->offsets->i32[r] = at;
        for (int i = 0; i < len; i++) {
            bool wrong = foreign || rng_below(rng, 60) == 0;
            letters[at++] = wrong ? (uint8_t)alphabet[rng_below(rng, 4)] : s->genome[from + i];
        }
    }
    s->offsets->i32[s->reads] = at;
    s->letters = wl_array(w, "reads", WL_INPUT, WL_U8, (size_t)at);
    memcpy(s->letters->u8, letters, (size_t)at);
}

static void make(struct wl *w, void *state)
{
    static const struct {
        int n, reads;
    } sizes[WL_SIZES] = {
        {4000, 110}, {60000, 3200}, {500000, 8000}, {2000000, 50000}, {1000000, 28672}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->n = sizes[wl_size(w)].n;
    s->reads = sizes[wl_size(w)].reads;
    size_t n = (size_t)s->n;
    s->reference = wl_array(w, "reference", WL_INPUT, WL_U8, n);
    s->genome = wl_alloc(w, n + 1, 1);
    gen_dna(&rng, s->genome, n);
    for (size_t i = 0; i < n; i++)
        s->genome[i] = (uint8_t)alphabet[s->genome[i]];
    memcpy(s->reference->u8, s->genome, n);
    struct tree_node *nodes = wl_alloc(w, 2 * n + 1, sizeof *nodes);
    int count = suffix_tree_build(nodes, s->genome, s->n);
    s->nodes = wl_array(w, "nodes", WL_INPUT, WL_I32, (size_t)count * 8);
    memcpy(s->nodes->data, nodes, (size_t)count * sizeof *nodes);
    s->offsets = wl_array(w, "offsets", WL_INPUT, WL_I32, (size_t)s->reads + 1);
    make_reads(w, s, &rng);
    s->positions = wl_array(w, "positions", WL_OUTPUT, WL_I32, s->letters->count);
    s->lengths = wl_array(w, "lengths", WL_OUTPUT, WL_I32, s->letters->count);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    int least = LEAST;
    wl_launch(w, "match_reads", WL_DIM(wl_blocks((size_t)s->reads, 128)), WL_DIM(128), 0,
              WL_ARGS(&s->nodes->dev, &s->reference->dev, &s->n, &s->letters->dev, &s->offsets->dev,
                      &s->positions->dev, &s->lengths->dev, &s->reads, &least));
}

static int compare_suffixes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int common(const uint8_t *a, const uint8_t *b, int len)
{
    int k = 0;
    while (k < len && a[k] == b[k])
        k++;
    return k;
}

/* The longest prefix of p[0 .. len-1] that the genome has, and its first place: beside the place
 * where p would be among the sorted suffixes, and then among all that share it. */
static int longest_match(const struct state *s, const uint8_t *const *sorted, const uint8_t *p,
                         int len, int *first)
{
    int low = 0, high = s->n;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (strncmp((const char *)sorted[mid], (const char *)p, (size_t)len) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    int before = low > 0 ? common(sorted[low - 1], p, len) : 0;
    int after = low < s->n ? common(sorted[low], p, len) : 0;
    int best = before > after ? before : after;
    const uint8_t *place = s->genome + s->n;
    if (best < LEAST)
        return best;
    for (int i = low - 1; i >= 0 && common(sorted[i], p, best) == best; i--)
        place = sorted[i] < place ? sorted[i] : place;
    for (int i = low; i < s->n && common(sorted[i], p, best) == best; i++)
        place = sorted[i] < place ? sorted[i] : place;
    *first = (int)(place - s->genome);
    return best;
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    const uint8_t **sorted = wl_alloc(w, (size_t)s->n, sizeof *sorted);
    for (int i = 0; i < s->n; i++)
        sorted[i] = s->genome + i;
    qsort(sorted, (size_t)s->n, sizeof *sorted, compare_suffixes);
    for (int r = 0; r < s->reads; r++)
        for (int i = s->offsets->i32[r], end = s->offsets->i32[r + 1]; i < end; i++) {
            int first = -1, len = longest_match(s, sorted, s->letters->u8 + i, end - i, &first);
            s->positions->expect_i32[i] = first;
            s->lengths->expect_i32[i] = len >= LEAST ? len : 0;
        }
}

const struct workload workload_sdk_mum = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "a thread a read walks a suffix tree (32-byte nodes) with suffix links; the CPU "
                 "checks it with a suffix array",
    .input =
        "DNA with repeats (half of it mutated copies of itself), reads of 25 to 75 letters with "
        "errors, a tenth of them foreign",
    .imitates = "a bacterium's genome and a sequencer's reads, as MUMmerGPU has; "
                "repeats as in genomes",
    .tolerance = "bit-equal: integers",
    .idle = "few long blocks: reads differ in length and in how deep they go, and "
            "the last ones run alone",
};
