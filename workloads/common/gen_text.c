/* Lines of a web log: sites and pages that are asked for as often as in real ones (Zipf); prose and
 * HTML with words as frequent as in real ones. */
#include "gen_text.h"

#include "gen.h"

#include <stdio.h>
#include <string.h>

enum { MAX_LINE = 128, PAGES_PER_SITE = 24 };

static const char *const words[] = {
    "news",  "sport", "home", "shop",  "world", "tech",   "photo", "music",
    "video", "game",  "book", "city",  "green", "travel", "food",  "health",
    "blue",  "star",  "day",  "media", "press", "radio",  "art",   "data",
    "wiki",  "forum", "blog", "mail",  "job",   "auto",   "film",  "live",
};

static const char *word(uint64_t bits)
{
    return words[bits % ARRAY_LEN(words)];
}

/* The URL of a page: always the same for the same page and salt. */
static int print_url(char *out, uint64_t salt, uint32_t page)
{
    struct rng site = {salt + page / PAGES_PER_SITE}, own = {salt ^ ((uint64_t)page << 32)};
    uint64_t s = rng_u64(&site), p = rng_u64(&own);

    return snprintf(out, MAX_LINE, "http://www.%s%s%u.%s/%s/%s-%s/%u.html", word(s), word(s >> 8),
                    page / PAGES_PER_SITE, s >> 16 & 1 ? "com" : "org", word(s >> 24), word(p),
                    word(p >> 8), (unsigned)(p >> 16 & 0xffff));
}

uint64_t *gen_zipf_table(struct wl *w, uint32_t n)
{
    uint64_t *table = wl_alloc(w, n, sizeof *table), sum = 0;

    for (uint32_t k = 0; k < n; k++)
        table[k] = sum += ((uint64_t)1 << 32) / (k + 1);
    return table;
}

uint32_t gen_zipf(struct rng *rng, const uint64_t *table, uint32_t n)
{
    uint64_t at = rng_u64(rng) % table[n - 1];
    uint32_t low = 0, high = n - 1;

    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (at < table[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static struct gen_text new_text(struct wl *w, uint32_t lines)
{
    return (struct gen_text){
        .text = wl_alloc(w, (size_t)lines * MAX_LINE, 1),
        .starts = wl_alloc(w, (size_t)lines + 1, sizeof(uint32_t)),
        .page = wl_alloc(w, lines, sizeof(uint32_t)),
    };
}

static void add_line(struct gen_text *t, const char *line, int bytes, uint32_t page)
{
    uint32_t at = t->starts[t->lines];

    assert(bytes > 0 && bytes < MAX_LINE);
    memcpy(t->text + at, line, (size_t)bytes);
    t->text[at + (uint32_t)bytes] = '\n';
    t->page[t->lines++] = page;
    t->starts[t->lines] = at + (uint32_t)bytes + 1;
}

static void repeat_line(struct gen_text *t, uint32_t line)
{
    add_line(t, (const char *)t->text + t->starts[line],
             (int)(t->starts[line + 1] - t->starts[line] - 1), t->page[line]);
}

struct gen_text gen_web_log(struct wl *w, struct rng *rng, uint32_t lines, uint32_t pages)
{
    struct gen_text t = new_text(w, lines);
    uint32_t visitors = lines / 4 + 1;
    uint64_t *page_table = gen_zipf_table(w, pages), *visitor_table = gen_zipf_table(w, visitors);
    uint64_t salt = rng_u64(rng);
    char line[2 * MAX_LINE];

    while (t.lines < lines) {
        uint32_t recent = t.lines < 64 ? t.lines : 64;
        if (recent && rng_below(rng, 10) == 0) {
            repeat_line(&t, t.lines - 1 - rng_below(rng, recent));
            continue;
        }
        uint32_t page = gen_zipf(rng, page_table, pages);
        struct rng who = {salt + ((uint64_t)gen_zipf(rng, visitor_table, visitors) << 40)};
        uint64_t ip = rng_u64(&who);
        int bytes = print_url(line, salt, page);
        bytes += snprintf(line + bytes, MAX_LINE, " %u.%u.%u.%u %08x", 11 + (unsigned)(ip % 200),
                          (unsigned)(ip >> 8 & 255), (unsigned)(ip >> 16 & 255),
                          (unsigned)(ip >> 24 & 255), (unsigned)rng_u64(rng));
        add_line(&t, line, bytes, page);
    }
    return t;
}

struct gen_text gen_page_views(struct wl *w, struct rng *rng, uint32_t pages)
{
    struct gen_text t = new_text(w, pages);
    uint32_t *rank = wl_alloc(w, pages, sizeof *rank);
    uint64_t *table = gen_zipf_table(w, pages), salt = rng_u64(rng);
    char line[2 * MAX_LINE];

    gen_permutation(rng, rank, pages);
    for (uint32_t page = 0; page < pages; page++) {
        uint64_t weight = ((uint64_t)1 << 32) / (rank[page] + 1);
        uint64_t visits = 20 * (uint64_t)pages * weight / table[pages - 1];
        visits = visits * (70 + rng_below(rng, 61)) / 100 + 1;
        int bytes = print_url(line, salt, page);
        bytes += snprintf(line + bytes, MAX_LINE, " %u", (unsigned)visits);
        add_line(&t, line, bytes, page);
    }
    return t;
}

/* A language: its words by rank. */
struct language {
    uint64_t salt, *table;
    uint32_t vocabulary;
};

static struct language new_language(struct wl *w, struct rng *rng, uint32_t vocabulary)
{
    return (struct language){rng_u64(rng), gen_zipf_table(w, vocabulary), vocabulary};
}

/* A random word: syllables that depend on its rank alone, one for the commonest, up to four. */
static int print_word(char *out, const struct language *l, struct rng *rng)
{
    static const char onsets[] = "tnsrhldcmfpgwbvk", vowels[] = "eaoiuea", codas[] = "nsrtldy";
    uint32_t rank = gen_zipf(rng, l->table, l->vocabulary);
    struct rng spelling = {l->salt + ((uint64_t)rank << 32)};
    int bytes = 0;

    for (uint32_t left = rank; bytes < 12; left /= 24) {
        uint64_t bits = rng_u64(&spelling);
        out[bytes++] = onsets[bits % 16];
        out[bytes++] = vowels[(bits >> 8) % 7];
        if (bits >> 16 & 1)
            out[bytes++] = codas[(bits >> 24) % 7];
        if (left < 24)
            break;
    }
    return bytes;
}

/* Words up to `most` bytes, at least one. */
static int print_prose(char *out, int most, const struct language *l, struct rng *rng)
{
    int bytes = print_word(out, l, rng);

    for (char next[16];;) {
        int word_bytes = print_word(next, l, rng);
        const char *gap = rng_below(rng, 8) ? " " : rng_below(rng, 2) ? ", " : ". ";
        int gap_bytes = (int)strlen(gap);
        if (bytes + gap_bytes + word_bytes > most)
            return bytes;
        memcpy(out + bytes, gap, (size_t)gap_bytes);
        memcpy(out + bytes + gap_bytes, next, (size_t)word_bytes);
        bytes += gap_bytes + word_bytes;
    }
}

struct gen_text gen_prose(struct wl *w, struct rng *rng, uint32_t lines, uint32_t line_bytes,
                          uint32_t vocabulary)
{
    struct gen_text t = new_text(w, lines);
    struct language l = new_language(w, rng, vocabulary);
    char line[2 * MAX_LINE];

    while (t.lines < lines)
        add_line(&t, line, print_prose(line, (int)line_bytes, &l, rng), 0);
    return t;
}

struct gen_text gen_html(struct wl *w, struct rng *rng, uint32_t lines, uint32_t pages)
{
    struct gen_text t = new_text(w, lines);
    struct language l = new_language(w, rng, 4096);
    uint64_t *table = gen_zipf_table(w, pages);
    char line[2 * MAX_LINE], url[MAX_LINE], text[MAX_LINE];

    while (t.lines < lines) {
        int bytes = print_prose(line, 28, &l, rng);
        uint32_t page = UINT32_MAX;
        if (rng_below(rng, 4) == 0) {
            page = gen_zipf(rng, table, pages);
            print_url(url, l.salt, page);
            text[print_word(text, &l, rng)] = 0;
            bytes += snprintf(line + bytes, MAX_LINE, " <a href=\"%s\">%s</a>", url, text);
        }
        add_line(&t, line, bytes, page);
    }
    return t;
}

struct gen_text gen_word_list(struct wl *w, struct rng *rng, uint32_t lines, uint32_t vocabulary)
{
    struct gen_text t = {.text = wl_alloc(w, lines, 16),
                         .starts = wl_alloc(w, (size_t)lines + 1, sizeof(uint32_t))};
    struct language l = new_language(w, rng, vocabulary);

    while (t.lines < lines) {
        uint32_t at = t.starts[t.lines];
        at += (uint32_t)print_word((char *)t.text + at, &l, rng);
        t.text[at++] = '\n';
        t.starts[++t.lines] = at;
    }
    return t;
}

uint32_t gen_chunks(const struct gen_text *text, uint32_t bytes, uint32_t *out)
{
    uint32_t chunks = 0;

    out[0] = 0;
    for (uint32_t line = 1; line <= text->lines; line++)
        if (text->starts[line] - out[chunks] >= bytes || line == text->lines)
            out[++chunks] = text->starts[line];
    return chunks;
}
