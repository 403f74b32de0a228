/* The analysis as text and as JSON. */
#include "study/codec/codec_study.h"

#include "base/outfile.h"

#include "out/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

static void print_bursts(const struct codec_report *r, const struct codec_column *c, FILE *out)
{
    unsigned most = r->block_bytes / r->mag_bytes;
    for (unsigned k = 1; k <= most && most <= 4; k++)
        fprintf(out, " %5.1f", 100.0 * (double)c->burst_blocks[k] / (double)c->blocks);
}

/* Raw blocks, then the encodings that won most often in the others, as shares of what the codec
 * counts. */
static void print_kinds(const struct codec_report *r, const struct codec_column *c, FILE *out)
{
    enum { SHOWN = 4 };
    uint64_t total = 0, below = UINT64_MAX;
    unsigned n = codec_kind_count(c->codec) - 1, shown = 0;
    fprintf(out, " raw %.0f%%", 100.0 * (double)c->kinds[n] / (double)r->tallied_blocks);
    for (unsigned k = 0; k < n; k++)
        total += c->kinds[k];
    if (total)
        fprintf(out, "; %s:", codec_kind_unit(c->codec));
    while (shown < SHOWN) {
        uint64_t next = 0;
        for (unsigned k = 0; k < n; k++)
            next = c->kinds[k] < below && c->kinds[k] > next ? c->kinds[k] : next;
        if (!next)
            break;
        for (unsigned k = 0; k < n && shown < SHOWN; k++)
            if (c->kinds[k] == next && ++shown)
                fprintf(out, " %s %.0f%%", codec_kind_name(c->codec, k),
                        100.0 * (double)next / (double)total);
        below = next;
    }
}

static void print_shannon(const struct codec_report *r, FILE *out)
{
    if (r->entropy[0] < 0 && r->entropy[1] < 0 && r->entropy[2] < 0 && r->entropy[3] < 0)
        return;
    fprintf(out, "Shannon's bound:");
    for (unsigned l = 0; l < CODEC_LENGTHS; l++)
        if (r->entropy[l] > 0)
            fprintf(out, "  L=%u %s%.3f", 4u << l, r->exact[l] ? "" : "~",
                    (4u << l) / r->entropy[l]);
        else if (r->entropy[l] == 0)
            fprintf(out, "  L=%u inf", 4u << l);
    fprintf(out, "\n");
}

void codec_print_report(const struct codec_report *r, FILE *out)
{
    unsigned most = r->block_bytes / r->mag_bytes;
    fprintf(out, "%s: %llu blocks of %u bytes", r->file, (unsigned long long)r->blocks,
            r->block_bytes);
    if (r->tail_bytes)
        fprintf(out, " (the last %u bytes are no whole block and left out)", r->tail_bytes);
    fprintf(out, ", %.2f s, %.2f GB/s\n", r->seconds, 1e-9 * (double)r->file_bytes / r->seconds);
    fprintf(out, "%-12s %8s %8s", "codec", "ratio", "at MAG");
    for (unsigned k = 1; k <= most && most <= 4; k++)
        fprintf(out, "  %u*%-2u", k, r->mag_bytes);
    fprintf(out, "  encodings%s\n", r->tallied_blocks < r->blocks ? " (of sampled blocks)" : "");
    for (unsigned i = 0; i < r->ncolumns; i++) {
        const struct codec_column *c = &r->columns[i];
        fprintf(out, "%-12s %8.3f %8.3f", c->name, codec_ratio(r, c), codec_ratio_mag(r, c));
        print_bursts(r, c, out);
        fprintf(out, " ");
        if (c->codec)
            print_kinds(r, c, out);
        fprintf(out, "\n");
    }
    print_shannon(r, out);
    fprintf(out, "\n");
}

void codec_print_side_by_side(const struct codec_report *reports, unsigned n, FILE *out)
{
    enum { NAME_WIDTH = 17 };
    fprintf(out, "ratio / ratio at MAG\n%-12s", "codec");
    for (unsigned f = 0; f < n; f++) {
        const char *name = strrchr(reports[f].file, '/');
        fprintf(out, " %*.*s", NAME_WIDTH, NAME_WIDTH, name ? name + 1 : reports[f].file);
    }
    fprintf(out, " %*s\n", NAME_WIDTH, "geometric mean");
    for (unsigned i = 0; i < reports[0].ncolumns; i++) {
        double sum = 0, sum_mag = 0;
        fprintf(out, "%-12s", reports[0].columns[i].name);
        for (unsigned f = 0; f < n; f++) {
            const struct codec_column *c = &reports[f].columns[i];
            double ratio = codec_ratio(&reports[f], c), mag = codec_ratio_mag(&reports[f], c);
            fprintf(out, " %*.3f / %6.3f", NAME_WIDTH - 9, ratio, mag);
            sum += log(ratio);
            sum_mag += log(mag);
        }
        fprintf(out, " %*.3f / %6.3f\n", NAME_WIDTH - 9, exp(sum / n), exp(sum_mag / n));
    }
}

/* ---- JSON ---- */

/* JSON has no infinity: a ratio that is not a number is null. */
static void add_ratio(struct json_object *to, const char *key, double v)
{
    json_object_object_add(to, key, v > 0 ? json_object_new_double(v) : NULL);
}

/* Blocks by their own ratio, and the bytes that whole bursts of them fetch. */
static struct json_object *classes_json(const struct codec_column *c)
{
    struct json_object *all = json_object_new_array();
    for (unsigned k = 0; k < CODEC_CLASSES; k++) {
        struct json_object *o = json_object_new_object();
        json_add_count(o, "blocks", c->class_blocks[k]);
        json_add_count(o, "bytes_fetched", c->class_fetched[k]);
        json_object_array_add(all, o);
    }
    return all;
}

static struct json_object *column_json(const struct codec_report *r, const struct codec_column *c)
{
    struct json_object *o = json_object_new_object(), *bursts = json_object_new_array();
    json_add_count(o, "blocks", c->blocks);
    json_add_count(o, "bytes", c->bytes);
    json_add_count(o, "bursts", c->bursts);
    add_ratio(o, "ratio", codec_ratio(r, c));
    add_ratio(o, "ratio_mag", codec_ratio_mag(r, c));
    for (unsigned k = 0; k <= r->block_bytes / r->mag_bytes; k++)
        json_object_array_add(bursts, json_object_new_uint64(c->burst_blocks[k]));
    json_object_object_add(o, "blocks_by_bursts", bursts);
    json_object_object_add(o, "by_ratio", classes_json(c));
    if (!c->codec)
        return o;
    struct json_object *kinds = json_object_new_object();
    for (unsigned k = 0; k < codec_kind_count(c->codec); k++)
        json_add_count(kinds, codec_kind_name(c->codec, k), c->kinds[k]);
    json_object_object_add(o, "encodings", kinds);
    json_add_text(o, "encodings_of", codec_kind_unit(c->codec));
    return o;
}

/* NAME without a symbol length is NAME-L of some length: both names are there. */
static void add_plain_name(struct json_object *columns, const struct codec_column *c)
{
    enum codec_id id;
    unsigned symbol_bits, ways;
    const char *plain = codec_id_name(codec_id(c->codec));
    if (!codec_name_parse(plain, &id, &symbol_bits, &ways))
        return;
    char *full = xasprintf("%s-%u", plain, symbol_bits);
    struct json_object *same;
    if (json_object_object_get_ex(columns, full, &same) &&
        !json_object_object_get_ex(columns, plain, NULL))
        json_object_object_add(columns, plain, json_object_get(same));
    free(full);
}

static struct json_object *columns_json(const struct codec_report *r)
{
    struct json_object *o = json_object_new_object();
    for (unsigned i = 0; i < r->ncolumns; i++)
        json_object_object_add(o, r->columns[i].name, column_json(r, &r->columns[i]));
    for (unsigned i = 0; i < r->ncolumns; i++)
        if (r->columns[i].symbol_bits)
            add_plain_name(o, &r->columns[i]);
    return o;
}

static struct json_object *shannon_json(const struct codec_report *r)
{
    struct json_object *o = json_object_new_object();
    for (unsigned l = 0; l < CODEC_LENGTHS; l++) {
        char key[4];
        if (r->entropy[l] < 0)
            continue;
        struct json_object *bound = json_object_new_object();
        snprintf(key, sizeof key, "%u", 4u << l);
        json_object_object_add(bound, "bits_per_symbol", json_object_new_double(r->entropy[l]));
        add_ratio(bound, "ratio", r->entropy[l] > 0 ? (4u << l) / r->entropy[l] : 0);
        json_object_object_add(bound, "exact", json_object_new_boolean(r->exact[l]));
        json_object_object_add(o, key, bound);
    }
    return o;
}

static struct json_object *windows_json(const struct codec_report *r)
{
    struct json_object *o = json_object_new_object(), *ratios = json_object_new_object();
    json_add_count(o, "bytes", r->window_bytes);
    for (unsigned i = 0; i < r->ncolumns; i++) {
        struct json_object *a = json_object_new_array();
        for (uint64_t w = 0; w < r->nwindows; w++) {
            double raw = (double)(codec_window_blocks(r, w) * r->block_bytes);
            double bytes = (double)r->window_sizes[w * r->ncolumns + i];
            json_object_array_add(a, bytes > 0 ? json_object_new_double(raw / bytes) : NULL);
        }
        json_object_object_add(ratios, r->columns[i].name, a);
    }
    json_object_object_add(o, "ratio", ratios);
    return o;
}

static struct json_object *report_json(const struct codec_report *r, bool windows)
{
    struct json_object *o = json_object_new_object();
    json_add_text(o, "file", r->file);
    json_add_count(o, "size", r->file_bytes);
    json_add_count(o, "block", r->block_bytes);
    json_add_count(o, "mag", r->mag_bytes);
    json_add_count(o, "blocks", r->blocks);
    json_add_count(o, "tail_bytes", r->tail_bytes);
    json_object_object_add(o, "codecs", columns_json(r));
    json_object_object_add(o, "shannon", shannon_json(r));
    json_add_count(o, "encodings_over_blocks", r->tallied_blocks);
    if (windows)
        json_object_object_add(o, "windows", windows_json(r));
    return o;
}

bool codec_write_json(const char *path, const struct codec_report *reports, unsigned n,
                      bool windows, struct err *err)
{
    struct json_object *root = json_object_new_object(), *files = json_object_new_array();
    json_add_text(root, "parsim", PARSIM_VERSION);
    for (unsigned i = 0; i < n; i++)
        json_object_array_add(files, report_json(&reports[i], windows));
    json_object_object_add(root, "files", files);
    struct outfile *o = outfile_open(path, err);
    if (o)
        json_write(root, outfile_stream(o));
    json_object_put(root);
    return o && outfile_close(o, err);
}
