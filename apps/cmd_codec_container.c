/* parsim codec encode and decode: files in a codec's format, in a container in which every byte is
 * under a checksum. Layout: docs/codecs.md. */
#include "cli.h"
#include "cmd.h"
#include "cmd_codec.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    VERSION = 1,
    HEAD_BYTES = 32,
    CRC_BYTES = 4,
    FRAME_HEAD_BYTES = 8,
    FRAME_BLOCKS = 2048,
    NAME_MAX_BYTES = 95,
    TABLE_MAX_BYTES = 1 << 16,
    FRAME_MAX_BYTES = FRAME_HEAD_BYTES + FRAME_BLOCKS * (CODEC_BLOCK_MAX + 2) + CRC_BYTES,
};

static const char magic[8] = "PSCODEC";

static void put_le(uint8_t *p, uint64_t v, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

static uint64_t get_le(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = n; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

/* ---- output: a file that is removed again if something fails ---- */

struct output {
    FILE *f;
    const char *path; /* NULL: standard output */
};

static bool output_open(struct output *o, const char *path, struct err *err)
{
    o->path = path && strcmp(path, "-") ? path : NULL;
    o->f = o->path ? fopen(o->path, "wb") : stdout;
    return o->f || err_set(err, "%s: %s", path, strerror(errno));
}

static bool output_write(struct output *o, const void *data, size_t n, struct err *err)
{
    if (fwrite(data, 1, n, o->f) == n)
        return true;
    return err_set(err, "%s: %s", o->path ? o->path : "standard output", strerror(errno));
}

static bool output_close(struct output *o, bool ok, struct err *err)
{
    if ((o->path ? fclose(o->f) : fflush(o->f)) != 0 && ok)
        ok = err_set(err, "%s: %s", o->path ? o->path : "standard output", strerror(errno));
    if (!ok && o->path)
        remove(o->path);
    return ok;
}

/* ---- encode ---- */

struct job {
    struct codec_input in;
    struct output out;
    struct codec *codec;
    struct codec_table *table;
    char name[NAME_MAX_BYTES + 1];
    unsigned block, mag;
    uint32_t crc; /* of the data */
};

/* e2mc's table is made from the whole input, unless it is given. */
static bool build_table(struct job *j, unsigned symbol_bits, struct err *err)
{
    enum { CHUNK = 1 << 16, VALUES_MAX = 3000000 };
    uint8_t *buf = xmalloc(CHUNK);
    struct codec_counts *counts = codec_counts_new(symbol_bits, VALUES_MAX);
    uint64_t end = j->in.bytes / j->block * j->block;
    bool ok = true;
    for (uint64_t at = 0; at < end && ok; at += CHUNK) {
        size_t n = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
        ok = codec_input_read(&j->in, at, buf, n, err);
        if (ok)
            codec_counts_add(counts, buf, n);
    }
    if (ok)
        j->table = codec_table_build(counts);
    codec_counts_free(counts);
    free(buf);
    return ok;
}

static bool open_codec(struct job *j, struct err *err)
{
    struct codec_error why;
    struct codec_params params = {.block_bytes = j->block, .mag_bytes = j->mag, .table = j->table};
    j->codec = codec_new(j->name, &params, &why);
    return j->codec || err_set(err, "%s", why.msg);
}

static bool write_head(struct job *j, struct err *err)
{
    size_t name_bytes = strlen(j->name), table_bytes = 0;
    uint8_t *table = j->table ? codec_table_pack(j->table, &table_bytes) : NULL;
    size_t bytes = HEAD_BYTES + name_bytes + table_bytes;
    uint8_t *p = xcalloc(1, bytes + CRC_BYTES);
    memcpy(p, magic, sizeof magic);
    put_le(p + 8, VERSION, 2);
    put_le(p + 10, j->block, 2);
    put_le(p + 12, j->mag, 2);
    put_le(p + 14, name_bytes, 2);
    put_le(p + 16, table_bytes, 4);
    put_le(p + 20, j->in.bytes, 8);
    put_le(p + 28, FRAME_BLOCKS, 4);
    memcpy(p + HEAD_BYTES, j->name, name_bytes);
    if (table)
        memcpy(p + HEAD_BYTES + name_bytes, table, table_bytes);
    put_le(p + bytes, codec_crc32(0, p, bytes), CRC_BYTES);
    bool ok = output_write(&j->out, p, bytes + CRC_BYTES, err);
    free(p);
    free(table);
    return ok;
}

static bool write_frame(struct job *j, uint8_t *frame, size_t bytes, struct err *err)
{
    put_le(frame + bytes, codec_crc32(0, frame, bytes), CRC_BYTES);
    return output_write(&j->out, frame, bytes + CRC_BYTES, err);
}

static bool encode_frame(struct job *j, const uint8_t *data, unsigned n, uint8_t *frame,
                         struct err *err)
{
    uint8_t *sizes = frame + FRAME_HEAD_BYTES, *p = sizes + 2 * n;
    for (unsigned i = 0; i < n; i++) {
        unsigned bits = codec_encode(j->codec, data + i * j->block, p);
        put_le(sizes + 2 * i, bits, 2);
        p += codec_bytes(bits);
    }
    put_le(frame, n, 4);
    put_le(frame + 4, (uint64_t)(p - sizes), 4);
    return write_frame(j, frame, (size_t)(p - frame), err);
}

/* The last frame holds no blocks: what is left of the input, and the checksum of all of it. */
static bool encode_tail(struct job *j, uint64_t at, uint8_t *frame, struct err *err)
{
    size_t tail = (size_t)(j->in.bytes - at);
    uint8_t *data = frame + FRAME_HEAD_BYTES;
    if (!codec_input_read(&j->in, at, data, tail, err))
        return false;
    j->crc = codec_crc32(j->crc, data, tail);
    put_le(frame, 0, 4);
    put_le(frame + 4, tail + CRC_BYTES, 4);
    put_le(data + tail, j->crc, CRC_BYTES);
    return write_frame(j, frame, FRAME_HEAD_BYTES + tail + CRC_BYTES, err);
}

static bool encode_all(struct job *j, struct err *err)
{
    uint8_t *data = xmalloc((size_t)FRAME_BLOCKS * j->block), *frame = xmalloc(FRAME_MAX_BYTES);
    uint64_t blocks = j->in.bytes / j->block, at = 0;
    bool ok = write_head(j, err);
    while (ok && at < blocks) {
        unsigned n = blocks - at < FRAME_BLOCKS ? (unsigned)(blocks - at) : FRAME_BLOCKS;
        ok = codec_input_read(&j->in, at * j->block, data, (size_t)n * j->block, err);
        if (!ok)
            break;
        j->crc = codec_crc32(j->crc, data, (size_t)n * j->block);
        ok = encode_frame(j, data, n, frame, err);
        at += n;
    }
    ok = ok && encode_tail(j, blocks * j->block, frame, err);
    free(data);
    free(frame);
    return ok;
}

/* ---- decode ---- */

static bool damaged(const struct job *j, const char *what, struct err *err)
{
    return err_set(err, "%s: damaged: %s", j->in.name, what);
}

struct reader {
    uint64_t at, end, data_bytes;
};

static bool take(struct job *j, struct reader *r, void *to, uint64_t n, struct err *err)
{
    if (r->end - r->at < n)
        return damaged(j, "it ends too early", err);
    if (!codec_input_read(&j->in, r->at, to, (size_t)n, err))
        return false;
    r->at += n;
    return true;
}

static bool read_head(struct job *j, struct reader *r, struct err *err)
{
    uint8_t head[HEAD_BYTES];
    struct codec_error why;
    if (j->in.bytes < sizeof magic || !take(j, r, head, sizeof magic, err) ||
        memcmp(head, magic, sizeof magic))
        return err_set(err, "%s: not a file that 'parsim codec encode' wrote", j->in.name);
    if (!take(j, r, head + sizeof magic, HEAD_BYTES - sizeof magic, err))
        return false;
    uint64_t name_bytes = get_le(head + 14, 2), table_bytes = get_le(head + 16, 4);
    if (get_le(head + 8, 2) != VERSION)
        return err_set(err, "%s: version %u of the container; this program reads %d", j->in.name,
                       (unsigned)get_le(head + 8, 2), VERSION);
    if (name_bytes > NAME_MAX_BYTES || table_bytes > TABLE_MAX_BYTES)
        return damaged(j, "its head makes no sense", err);
    uint8_t *rest = xcalloc(1, name_bytes + table_bytes + CRC_BYTES);
    bool ok = take(j, r, rest, name_bytes + table_bytes + CRC_BYTES, err);
    uint32_t crc = codec_crc32(codec_crc32(0, head, HEAD_BYTES), rest, name_bytes + table_bytes);
    if (ok && crc != get_le(rest + name_bytes + table_bytes, CRC_BYTES))
        ok = damaged(j, "the checksum of its head is wrong", err);
    if (ok && table_bytes && !j->table) {
        j->table = codec_table_unpack(rest + name_bytes, table_bytes, &why);
        ok = j->table || damaged(j, why.msg, err);
    }
    memcpy(j->name, rest, name_bytes);
    j->name[name_bytes] = 0;
    free(rest);
    j->block = (unsigned)get_le(head + 10, 2);
    j->mag = (unsigned)get_le(head + 12, 2);
    r->data_bytes = get_le(head + 20, 8);
    if (ok && get_le(head + 28, 4) != FRAME_BLOCKS)
        ok = damaged(j, "its head makes no sense", err);
    return ok && (j->codec || open_codec(j, err));
}

/* One frame, checked; returns its payload's length, or -1. */
static int64_t read_frame(struct job *j, struct reader *r, uint8_t *frame, struct err *err)
{
    if (!take(j, r, frame, FRAME_HEAD_BYTES, err))
        return -1;
    uint64_t payload = get_le(frame + 4, 4);
    if (payload > FRAME_MAX_BYTES - FRAME_HEAD_BYTES - CRC_BYTES) {
        damaged(j, "a frame is too long", err);
        return -1;
    }
    if (!take(j, r, frame + FRAME_HEAD_BYTES, payload + CRC_BYTES, err))
        return -1;
    if (codec_crc32(0, frame, FRAME_HEAD_BYTES + payload) !=
        get_le(frame + FRAME_HEAD_BYTES + payload, CRC_BYTES)) {
        damaged(j, "the checksum of a frame is wrong", err);
        return -1;
    }
    return (int64_t)payload;
}

static bool decode_blocks(struct job *j, const uint8_t *payload, uint64_t bytes, unsigned n,
                          uint8_t *data, struct err *err)
{
    if (n > FRAME_BLOCKS || bytes < 2 * n)
        return damaged(j, "a frame's length is wrong", err);
    const uint8_t *p = payload + 2 * n, *end = payload + bytes;
    for (unsigned i = 0; i < n; i++) {
        unsigned bits = (unsigned)get_le(payload + 2 * i, 2);
        if ((uint64_t)(end - p) < codec_bytes(bits) ||
            !codec_decode(j->codec, p, bits, data + (size_t)i * j->block))
            return damaged(j, "a block cannot be decoded", err);
        p += codec_bytes(bits);
    }
    return p == end || damaged(j, "a frame's length is wrong", err);
}

static bool finish(struct job *j, const struct reader *r, uint64_t written, const uint8_t *tail,
                   uint64_t bytes, bool write, struct err *err)
{
    uint64_t n = bytes - CRC_BYTES;
    if (bytes < CRC_BYTES || n >= j->block || written + n != r->data_bytes)
        return damaged(j, "its length is wrong", err);
    if (codec_crc32(j->crc, tail, n) != get_le(tail + n, CRC_BYTES))
        return damaged(j, "the checksum of the data is wrong", err);
    if (r->at != r->end)
        return damaged(j, "something follows its end", err);
    return !write || output_write(&j->out, tail, n, err);
}

/* Walks the whole container; writes the data only if told to. */
static bool decode_all(struct job *j, bool write, struct err *err)
{
    struct reader r = {.end = j->in.bytes};
    uint64_t written = 0;
    j->crc = 0;
    if (!read_head(j, &r, err))
        return false;
    uint8_t *data = xmalloc((size_t)FRAME_BLOCKS * j->block), *frame = xmalloc(FRAME_MAX_BYTES);
    bool ok = true, last = false;
    while (ok && !last) {
        int64_t bytes = read_frame(j, &r, frame, err);
        unsigned n = bytes < 0 ? 0 : (unsigned)get_le(frame, 4);
        const uint8_t *payload = frame + FRAME_HEAD_BYTES;
        last = n == 0;
        if (bytes < 0)
            ok = false;
        else if (last)
            ok = finish(j, &r, written, payload, (uint64_t)bytes, write, err);
        else
            ok = decode_blocks(j, payload, (uint64_t)bytes, n, data, err);
        if (ok && !last) {
            j->crc = codec_crc32(j->crc, data, (size_t)n * j->block);
            written += (uint64_t)n * j->block;
            ok = !write || output_write(&j->out, data, (size_t)n * j->block, err);
        }
    }
    free(data);
    free(frame);
    return ok;
}

/* ---- the commands ---- */

struct args {
    const char *codec, *in, *out, *table;
    uint64_t block, mag;
};

static bool parse_args(struct args *a, int argc, char **argv, struct err *err)
{
    static const struct option options[] = {{"codec", 1, NULL, 'c'},  {"block", 1, NULL, 'b'},
                                            {"mag", 1, NULL, 'm'},    {"table", 1, NULL, 't'},
                                            {"output", 1, NULL, 'o'}, {0}};
    optind = 1;
    opterr = 0;
    for (int k; (k = getopt_long(argc, argv, "c:o:", options, NULL)) != -1;) {
        if (k == 'c')
            a->codec = optarg;
        else if (k == 't')
            a->table = optarg;
        else if (k == 'o')
            a->out = optarg;
        else if (k == '?' || !cli_u64(optarg, k == 'b' ? &a->block : &a->mag))
            return err_set(err, "bad option '%s'; see parsim codec --help", argv[optind - 1]);
    }
    if (optind < argc)
        a->in = argv[optind++];
    if (optind < argc && !a->out)
        a->out = argv[optind++];
    if (!a->in || optind < argc)
        return err_set(err, "takes IN and OUT; see parsim codec --help");
    if (!a->out && isatty(STDOUT_FILENO))
        return err_set(err, "will not write binary data to a terminal; name a file");
    return true;
}

static bool is_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return true;
    return false;
}

static void close_job(struct job *j)
{
    codec_free(j->codec);
    codec_table_free(j->table);
    codec_input_close(&j->in);
}

static bool encode_file(const struct args *a, struct job *j, struct err *err)
{
    enum codec_id id;
    unsigned symbol_bits, ways;
    struct codec_error why;
    bool known = codec_name_parse(a->codec, &id, &symbol_bits, &ways);
    if (a->block > CODEC_BLOCK_MAX || a->mag > CODEC_BLOCK_MAX)
        return err_set(err, "a block of %llu bytes; 32, 64 or 128 is possible",
                       (unsigned long long)a->block);
    if (a->table && !(j->table = codec_table_load(a->table, &why)))
        return err_set(err, "%s", why.msg);
    if ((!known || !symbol_bits) && !open_codec(j, err))
        return false;
    if (!codec_input_open(&j->in, a->in, j->block, err))
        return false;
    if (symbol_bits && !j->table && !build_table(j, symbol_bits, err))
        return false;
    if ((!j->codec && !open_codec(j, err)) || !output_open(&j->out, a->out, err))
        return false;
    return output_close(&j->out, encode_all(j, err), err);
}

int codec_cmd_encode(int argc, char **argv)
{
    struct args a = {.codec = "bestof", .block = 128, .mag = 32};
    struct err err;
    if (is_help(argc, argv))
        return cmd_codec(2, (char *[]){"codec", "--help", NULL});
    bool ok = parse_args(&a, argc, argv, &err);
    struct job j = {.in.fd = -1, .block = (unsigned)a.block, .mag = (unsigned)a.mag};
    snprintf(j.name, sizeof j.name, "%s", a.codec);
    ok = ok && encode_file(&a, &j, &err);
    close_job(&j);
    return ok ? EXIT_DONE : cli_fail("codec encode", "%s", err.msg);
}

/* A first walk checks everything, so that nothing is written of a file that is not whole. */
static bool decode_file(const struct args *a, struct job *j, struct err *err)
{
    if (!codec_input_open(&j->in, a->in, 1, err) || !decode_all(j, false, err))
        return false;
    if (!output_open(&j->out, a->out, err))
        return false;
    return output_close(&j->out, decode_all(j, true, err), err);
}

int codec_cmd_decode(int argc, char **argv)
{
    struct args a = {0};
    struct err err;
    if (is_help(argc, argv))
        return cmd_codec(2, (char *[]){"codec", "--help", NULL});
    struct job j = {.in.fd = -1};
    bool ok = parse_args(&a, argc, argv, &err) && decode_file(&a, &j, &err);
    close_job(&j);
    return ok ? EXIT_DONE : cli_fail("codec decode", "%s", err.msg);
}
