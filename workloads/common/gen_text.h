/* Web logs, prose and HTML as text. */
#ifndef WORKLOADS_COMMON_GEN_TEXT_H
#define WORKLOADS_COMMON_GEN_TEXT_H

#include "workload.h"

/* Lines of text: line i is text[starts[i]] up to the newline before text[starts[i + 1]]. */
struct gen_text {
    uint8_t *text;
    uint32_t *starts; /* lines + 1 */
    uint32_t lines;
    uint32_t *page; /* of each line: the number of its page */
};

/* "URL IP cookie" a line: visits to `pages` pages, the k-th most popular with a probability of 1/k
 * (Zipf); by visitors who have an address each, as unevenly active; every visit has a cookie of its
 * own, 8 hexadecimal digits. One line in ten repeats one of the last 64 (the page was loaded
 * again). URLs have 40 to 70 bytes; pages of one site share their beginning. */
struct gen_text gen_web_log(struct wl *w, struct rng *rng, uint32_t lines, uint32_t pages);

/* "URL count" a line: each of `pages` pages once, in random order, with counts as Zipf's law gives
 * for 20 visits a page, 30 % more or less. */
struct gen_text gen_page_views(struct wl *w, struct rng *rng, uint32_t pages);

/* Prose: lower-case words, the k-th most frequent of `vocabulary` with a probability of 1/k (Zipf),
 * frequent ones shorter, with commas and full stops. Lines of up to line_bytes (at most 120) bytes
 * that end with a whole word. `page` is not set. */
struct gen_text gen_prose(struct wl *w, struct rng *rng, uint32_t lines, uint32_t line_bytes,
                          uint32_t vocabulary);

/* HTML: lines of up to 28 bytes of prose, one in four with `<a href="URL">word</a>` after it, the
 * URL one of `pages` by Zipf's law; page[] says which, UINT32_MAX without. */
struct gen_text gen_html(struct wl *w, struct rng *rng, uint32_t lines, uint32_t pages);

/* Words as in gen_prose(), one a line. `page` is NULL. */
struct gen_text gen_word_list(struct wl *w, struct rng *rng, uint32_t lines, uint32_t vocabulary);

/* Cuts a text into chunks of whole lines, each the least that has `bytes` bytes (the last one has
 * what is left), as a job's records. out[] has room for lines + 1 starts; returns how many chunks.
 */
uint32_t gen_chunks(const struct gen_text *text, uint32_t bytes, uint32_t *out);

/* Zipf's law over 0 .. n-1: `table` has the running sums of 2^32 / (k + 1). */
uint64_t *gen_zipf_table(struct wl *w, uint32_t n);
uint32_t gen_zipf(struct rng *rng, const uint64_t *table, uint32_t n);

#endif
