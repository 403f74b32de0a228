/* The analysis of one file: a pass that counts symbols (for codecs' tables and Shannon's bound),
 * then a pass that sizes every block under every codec. Threads take chunks of the file as they
 * come; everything they produce is a sum, so that the result does not depend on who took what. */
#include "study/codec/codec_study.h"

#include "base/wall_clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CHUNK_BYTES = 1 << 18,
    WINDOWS_DEFAULT = 512,
    WINDOWS_MAX = 1 << 16,
    VALUES_MAX = 3000000,  /* distinct 32-bit values that are counted exactly: 32 MB */
    TALLIED_MAX = 1 << 16, /* blocks whose encodings are told apart */
    L4 = 0,
    L8 = 1,
    L16 = 2,
    L32 = 3,
};

struct scan {
    const struct codec_options *opts;
    struct codec_report *report;
    struct codec_input in;
    uint64_t data_bytes; /* in whole blocks */
    uint64_t tally_step; /* every so many blocks */
    struct codec_counts *counts[CODEC_LENGTHS], *sampled[CODEC_LENGTHS];
    bool count_all[CODEC_LENGTHS];
    atomic_uint_fast64_t next_chunk, done_bytes;
    atomic_bool failed;
    pthread_mutex_t lock;
    struct err err;
    double start, shown;
    const char *what;
};

struct worker {
    struct scan *scan;
    unsigned index;
    pthread_t thread;
};

/* ---- the threads ---- */

static void show_progress(struct scan *s)
{
    double now = wall_seconds();
    if (!isatty(STDERR_FILENO) || now - s->start < 0.5 || now - s->shown < 0.2)
        return;
    double done = (double)atomic_load(&s->done_bytes);
    fprintf(stderr, "\r%s: %s %3.0f%%, %.2f GB/s   ", s->in.name, s->what,
            100 * done / (double)s->data_bytes, 1e-9 * done / (now - s->start));
    s->shown = now;
}

static void fail(struct scan *s, const struct err *err)
{
    pthread_mutex_lock(&s->lock);
    if (!atomic_exchange(&s->failed, true))
        s->err = *err;
    pthread_mutex_unlock(&s->lock);
}

/* The next chunk of whole blocks; 0 at the end. */
static size_t take_chunk(struct scan *s, uint8_t *buf, uint64_t *at)
{
    struct err err;
    *at = atomic_fetch_add(&s->next_chunk, 1) * CHUNK_BYTES;
    if (*at >= s->data_bytes || atomic_load(&s->failed))
        return 0;
    size_t n = s->data_bytes - *at < CHUNK_BYTES ? (size_t)(s->data_bytes - *at) : CHUNK_BYTES;
    if (!codec_input_read(&s->in, *at, buf, n, &err)) {
        fail(s, &err);
        return 0;
    }
    return n;
}

static bool run_threads(struct scan *s, const char *what, void *(*work)(void *))
{
    struct worker *workers = xcalloc(s->opts->threads, sizeof *workers);
    s->what = what;
    s->start = wall_seconds();
    atomic_store(&s->next_chunk, 0);
    atomic_store(&s->done_bytes, 0);
    unsigned started = 1;
    for (unsigned i = 0; i < s->opts->threads; i++)
        workers[i] = (struct worker){.scan = s, .index = i};
    while (started < s->opts->threads &&
           !pthread_create(&workers[started].thread, NULL, work, &workers[started]))
        started++;
    work(&workers[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    free(workers);
    if (s->shown > 0)
        fprintf(stderr, "\r\033[K");
    return !atomic_load(&s->failed);
}

/* ---- counting ---- */

/* 32-bit values in the order of the file, by one thread: which values are dropped when there are
 * too many of them depends on the order. */
static void count_words(struct scan *s, uint8_t *buf)
{
    struct err err;
    for (uint64_t at = 0; at < s->data_bytes && !atomic_load(&s->failed); at += CHUNK_BYTES) {
        size_t n = s->data_bytes - at < CHUNK_BYTES ? (size_t)(s->data_bytes - at) : CHUNK_BYTES;
        if (!codec_input_read(&s->in, at, buf, n, &err))
            fail(s, &err);
        else
            codec_counts_add(s->counts[L32], buf, n);
    }
}

static void *count_chunks(void *arg)
{
    struct worker *w = arg;
    struct scan *s = w->scan;
    uint8_t *buf = xmalloc(CHUNK_BYTES);
    struct codec_counts *bytes = codec_counts_new(8, 0), *halves = codec_counts_new(16, 0);
    if (w->index == 0 && s->count_all[L32])
        count_words(s, buf);
    uint64_t at;
    for (size_t n; (n = take_chunk(s, buf, &at)) > 0;) {
        if (s->count_all[L4] || s->count_all[L8])
            codec_counts_add(bytes, buf, n);
        if (s->count_all[L16])
            codec_counts_add(halves, buf, n);
        atomic_fetch_add(&s->done_bytes, n);
        if (w->index == 0)
            show_progress(s);
    }
    pthread_mutex_lock(&s->lock);
    codec_counts_merge(s->counts[L4], bytes);
    codec_counts_merge(s->counts[L8], bytes);
    codec_counts_merge(s->counts[L16], halves);
    pthread_mutex_unlock(&s->lock);
    codec_counts_free(bytes);
    codec_counts_free(halves);
    free(buf);
    return NULL;
}

/* Tables as in a sampling phase: from the first blocks alone. */
static bool count_sample(struct scan *s, struct err *err)
{
    uint8_t buf[4096];
    uint64_t end = s->opts->sample_bytes / s->opts->block_bytes * s->opts->block_bytes;
    end = end < s->data_bytes ? end : s->data_bytes;
    for (unsigned l = 0; l < CODEC_LENGTHS; l++)
        s->sampled[l] = codec_counts_new(4u << l, VALUES_MAX);
    for (uint64_t at = 0; at < end; at += sizeof buf) {
        size_t n = end - at < sizeof buf ? (size_t)(end - at) : sizeof buf;
        if (!codec_input_read(&s->in, at, buf, n, err))
            return false;
        for (unsigned l = 0; l < CODEC_LENGTHS; l++)
            codec_counts_add(s->sampled[l], buf, n);
    }
    return true;
}

/* ---- the codecs ---- */

static unsigned length_index(unsigned symbol_bits)
{
    return symbol_bits == 4 ? L4 : symbol_bits == 8 ? L8 : symbol_bits == 16 ? L16 : L32;
}

static const struct codec_table *table_for(struct scan *s, unsigned l)
{
    struct codec_report *r = s->report;
    if (s->opts->tables[l])
        return s->opts->tables[l];
    if (!r->tables[l])
        r->tables[l] = codec_table_build_values(
            s->opts->sample_bytes ? s->sampled[l] : s->counts[l], (unsigned)s->opts->values);
    return r->tables[l];
}

static bool open_column(struct scan *s, const char *name, struct codec_column *c, struct err *err)
{
    struct codec_error why;
    enum codec_general which;
    enum codec_id id;
    unsigned symbol_bits, ways;
    struct codec_params params = {.block_bytes = s->report->block_bytes,
                                  .mag_bytes = s->report->mag_bytes};
    c->name = name;
    if (codec_general_name(name, &which))
        return true;
    if (codec_name_parse(name, &id, &symbol_bits, &ways) && symbol_bits) {
        c->symbol_bits = symbol_bits;
        params.table = table_for(s, length_index(symbol_bits));
    }
    c->codec = codec_new(name, &params, &why);
    return c->codec || err_set(err, "%s", why.msg);
}

static bool open_columns(struct scan *s, struct err *err)
{
    for (unsigned i = 0; i < s->opts->ncolumns; i++)
        if (!open_column(s, s->opts->names[i], &s->report->columns[i], err))
            return false;
    s->report->ncolumns = s->opts->ncolumns;
    return true;
}

/* ---- sizing ---- */

/* What one thread sums up; counters only, merged into the report at the end. */
struct sums {
    struct codec_column columns[CODEC_COLUMNS_MAX];
    uint64_t tallied;
};

static void size_blocks(struct scan *s, const struct codec_column *c,
                        struct codec_general_state *general, const uint8_t *buf, size_t n,
                        uint16_t *bits)
{
    enum codec_general which;
    if (c->codec) {
        codec_size_blocks(c->codec, buf, n, bits);
        return;
    }
    codec_general_name(c->name, &which);
    unsigned bytes = s->report->block_bytes;
    for (size_t i = 0; i < n; i++)
        bits[i] = (uint16_t)(8 * codec_general_bytes(general, which, buf + i * bytes, bytes));
}

/* While a codec samples for its table, its blocks go raw. */
static void keep_sample_raw(struct scan *s, const struct codec_column *c, uint64_t first, size_t n,
                            uint16_t *bits)
{
    uint64_t sampled = s->opts->sample_bytes / s->opts->block_bytes;
    if (!c->symbol_bits)
        return;
    for (size_t i = 0; i < n && first + i < sampled; i++)
        bits[i] = (uint16_t)(8 * s->opts->block_bytes);
}

/* By the ratio alone, not by the bursts, so that what is fetched is seen to follow from it. */
static unsigned class_of(unsigned block_bytes, unsigned bytes)
{
    return bytes * 4 > block_bytes * 3 ? 0
           : bytes * 2 > block_bytes   ? 1
           : bytes * 4 > block_bytes   ? 2
                                       : 3;
}

static void add_sizes(struct scan *s, struct codec_column *sum, unsigned column, uint64_t first,
                      size_t n, const uint16_t *bits)
{
    struct codec_report *r = s->report;
    uint64_t per_window = r->window_bytes / r->block_bytes;
    for (size_t i = 0; i < n;) {
        uint64_t window = (first + i) / per_window, bytes = 0;
        size_t end = (size_t)((window + 1) * per_window - first);
        for (end = end < n ? end : n; i < end; i++) {
            unsigned bursts = codec_bursts(bits[i], r->block_bytes, r->mag_bytes);
            bytes += codec_bytes(bits[i]);
            sum->bursts += bursts;
            sum->burst_blocks[bursts]++;
            unsigned class = class_of(r->block_bytes, codec_bytes(bits[i]));
            sum->class_blocks[class]++;
            sum->class_fetched[class] += bursts * r->mag_bytes;
        }
        sum->bytes += bytes;
        __atomic_fetch_add(&r->window_sizes[window * r->ncolumns + column], bytes,
                           __ATOMIC_RELAXED);
    }
    sum->blocks += n;
}

static void tally_blocks(struct scan *s, struct sums *sums, const uint8_t *buf, uint64_t first,
                         size_t n)
{
    uint64_t skip = (s->tally_step - first % s->tally_step) % s->tally_step;
    for (uint64_t i = skip; i < n; i += s->tally_step) {
        for (unsigned c = 0; c < s->report->ncolumns; c++)
            if (s->report->columns[c].codec)
                codec_tally(s->report->columns[c].codec, buf + i * s->opts->block_bytes,
                            sums->columns[c].kinds);
        sums->tallied++;
    }
}

static void merge_sums(struct codec_report *r, const struct sums *sums)
{
    r->tallied_blocks += sums->tallied;
    for (unsigned i = 0; i < r->ncolumns; i++) {
        struct codec_column *to = &r->columns[i];
        const struct codec_column *from = &sums->columns[i];
        to->blocks += from->blocks;
        to->bytes += from->bytes;
        to->bursts += from->bursts;
        for (unsigned k = 0; k < CODEC_BURSTS_MAX; k++)
            to->burst_blocks[k] += from->burst_blocks[k];
        for (unsigned k = 0; k < CODEC_CLASSES; k++) {
            to->class_blocks[k] += from->class_blocks[k];
            to->class_fetched[k] += from->class_fetched[k];
        }
        for (unsigned k = 0; k < CODEC_KINDS_MAX; k++)
            to->kinds[k] += from->kinds[k];
    }
}

static void *size_chunks(void *arg)
{
    struct worker *w = arg;
    struct scan *s = w->scan;
    unsigned block = s->report->block_bytes;
    uint8_t *buf = xmalloc(CHUNK_BYTES);
    uint16_t *bits = xmalloc(CHUNK_BYTES / block * sizeof *bits);
    struct codec_general_state *general = codec_general_new();
    struct sums *sums = xcalloc(1, sizeof *sums);
    uint64_t at;
    for (size_t bytes; (bytes = take_chunk(s, buf, &at)) > 0;) {
        size_t n = bytes / block;
        for (unsigned i = 0; i < s->report->ncolumns; i++) {
            const struct codec_column *c = &s->report->columns[i];
            size_blocks(s, c, general, buf, n, bits);
            keep_sample_raw(s, c, at / block, n, bits);
            add_sizes(s, &sums->columns[i], i, at / block, n, bits);
        }
        tally_blocks(s, sums, buf, at / block, n);
        atomic_fetch_add(&s->done_bytes, bytes);
        if (w->index == 0)
            show_progress(s);
    }
    pthread_mutex_lock(&s->lock);
    merge_sums(s->report, sums);
    pthread_mutex_unlock(&s->lock);
    codec_general_free(general);
    free(sums);
    free(bits);
    free(buf);
    return NULL;
}

/* ---- one file ---- */

uint64_t codec_window_blocks(const struct codec_report *r, uint64_t window)
{
    uint64_t per_window = r->window_bytes / r->block_bytes, first = window * per_window;
    return r->blocks - first < per_window ? r->blocks - first : per_window;
}

static bool plan_windows(struct scan *s, struct err *err)
{
    struct codec_report *r = s->report;
    uint64_t block = r->block_bytes, want = s->opts->window_bytes;
    if (!want)
        want = (s->data_bytes + WINDOWS_DEFAULT - 1) / WINDOWS_DEFAULT;
    r->window_bytes = (want + block - 1) / block * block;
    r->nwindows = (s->data_bytes + r->window_bytes - 1) / r->window_bytes;
    if (r->nwindows > WINDOWS_MAX)
        return err_set(err, "%s: windows of %llu bytes would be more than %d; take larger ones",
                       r->file, (unsigned long long)want, WINDOWS_MAX);
    r->window_sizes = xcalloc(r->nwindows * s->opts->ncolumns, sizeof *r->window_sizes);
    return true;
}

/* Which statistics are needed: all for Shannon's bound, else those that make a table. */
static bool plan_counting(struct scan *s)
{
    bool any = s->opts->shannon;
    for (unsigned l = 0; l < CODEC_LENGTHS; l++) {
        s->counts[l] = codec_counts_new(4u << l, VALUES_MAX);
        s->count_all[l] = s->opts->shannon;
    }
    for (unsigned i = 0; i < s->opts->ncolumns && !s->opts->sample_bytes; i++) {
        enum codec_id id;
        unsigned symbol_bits, ways;
        if (!codec_name_parse(s->opts->names[i], &id, &symbol_bits, &ways) || !symbol_bits ||
            s->opts->tables[length_index(symbol_bits)])
            continue;
        s->count_all[length_index(symbol_bits)] = any = true;
    }
    return any;
}

static bool save_tables(struct scan *s, struct err *err)
{
    for (unsigned l = 0; l < CODEC_LENGTHS && s->opts->save_tables; l++) {
        struct codec_error why;
        if (!s->report->tables[l])
            continue;
        char *path = xasprintf("%s-%u" CODEC_TABLE_SUFFIX, s->opts->save_tables, 4u << l);
        bool ok = codec_table_save(s->report->tables[l], path, &why);
        free(path);
        if (!ok)
            return err_set(err, "%s", why.msg);
    }
    return true;
}

static bool scan_passes(struct scan *s, struct err *err)
{
    struct codec_report *r = s->report;
    if (!plan_windows(s, err))
        return false;
    if (plan_counting(s) && !run_threads(s, "counting", count_chunks))
        return err_set(err, "%s", s->err.msg);
    for (unsigned l = 0; l < CODEC_LENGTHS; l++) {
        r->entropy[l] = s->count_all[l] ? codec_counts_entropy(s->counts[l]) : -1;
        r->exact[l] = codec_counts_exact(s->counts[l]);
    }
    if (s->opts->sample_bytes && !count_sample(s, err))
        return false;
    if (!open_columns(s, err) || !save_tables(s, err))
        return false;
    /* The counts are not needed any more; on large files they are most of the memory. */
    codec_counts_free(s->counts[L32]);
    s->counts[L32] = NULL;
    return run_threads(s, "sizing", size_chunks) || err_set(err, "%s", s->err.msg);
}

bool codec_scan(const char *path, const struct codec_options *opts, struct codec_report *report,
                struct err *err)
{
    struct scan s = {.opts = opts, .report = report, .lock = PTHREAD_MUTEX_INITIALIZER};
    double start = wall_seconds();
    *report = (struct codec_report){.block_bytes = (unsigned)opts->block_bytes,
                                    .mag_bytes = (unsigned)opts->mag_bytes};
    if (!codec_input_open(&s.in, path, report->block_bytes, err))
        return false;
    report->file = path;
    report->file_bytes = s.in.bytes;
    report->blocks = s.in.bytes / opts->block_bytes;
    report->tail_bytes = (unsigned)(s.in.bytes % opts->block_bytes);
    s.data_bytes = report->blocks * opts->block_bytes;
    s.tally_step = (report->blocks + TALLIED_MAX - 1) / TALLIED_MAX;
    bool ok = scan_passes(&s, err);
    for (unsigned l = 0; l < CODEC_LENGTHS; l++) {
        codec_counts_free(s.counts[l]);
        codec_counts_free(s.sampled[l]);
    }
    codec_input_close(&s.in);
    report->seconds = wall_seconds() - start;
    return ok;
}

void codec_report_free(struct codec_report *report)
{
    for (unsigned i = 0; i < CODEC_COLUMNS_MAX; i++)
        codec_free(report->columns[i].codec);
    for (unsigned l = 0; l < CODEC_LENGTHS; l++)
        codec_table_free(report->tables[l]);
    free(report->window_sizes);
}
