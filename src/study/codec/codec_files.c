/* Files in a codec's format, and back. */
#include "study/codec/codec_study.h"

#include "base/outfile.h"
#include "codec/container.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
    struct codec_input in;
    struct outfile *out; /* NULL: not open */
    struct container box;
};

static bool read_input(void *self, uint64_t at, void *data, size_t n, struct err *err)
{
    const struct job *j = self;
    return codec_input_read(&j->in, at, data, n, err);
}

static bool write_output(void *self, const void *data, size_t n, struct err *err)
{
    struct job *j = self;
    return fwrite(data, 1, n, outfile_stream(j->out)) == n ||
           err_set(err, "the output cannot be written: %s", strerror(errno));
}

/* A codec's table is made from the whole input, unless it is given. */
static bool build_table(struct job *j, unsigned symbol_bits, struct err *err)
{
    enum { CHUNK = 1 << 16, VALUES_MAX = 3000000 };
    uint8_t *buf = xmalloc(CHUNK);
    struct codec_counts *counts = codec_counts_new(symbol_bits, VALUES_MAX);
    uint64_t end = j->in.bytes / j->box.block * j->box.block;
    bool ok = true;
    for (uint64_t at = 0; at < end && ok; at += CHUNK) {
        size_t n = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
        ok = codec_input_read(&j->in, at, buf, n, err);
        if (ok)
            codec_counts_add(counts, buf, n);
    }
    if (ok)
        j->box.table = codec_table_build(counts);
    codec_counts_free(counts);
    free(buf);
    return ok;
}

static void close_job(struct job *j)
{
    container_close(&j->box);
    outfile_discard(j->out);
    codec_input_close(&j->in);
}

/* The input is open. */
static void connect(struct job *j)
{
    j->box.name = j->in.name;
    j->box.bytes = j->in.bytes;
    j->box.read = read_input;
    j->box.write = write_output;
    j->box.self = j;
}

static bool finish_output(struct job *j, bool ok, struct err *err)
{
    struct outfile *o = j->out;
    if (!ok)
        return false; /* close_job() leaves nothing of it */
    j->out = NULL;
    return outfile_close(o, err);
}

static bool open_output(struct job *j, const struct codec_file *f, struct err *err)
{
    return (j->out = outfile_open(f->out ? f->out : "-", err));
}

static bool encode_file(const struct codec_file *f, struct job *j, struct err *err)
{
    enum codec_id id;
    unsigned symbol_bits, ways;
    struct codec_error why;
    bool known = codec_name_parse(f->codec, &id, &symbol_bits, &ways);
    if (f->mag > CODEC_BLOCK_MAX)
        return err_set(err, "a granularity of %llu bytes; at most a block is possible",
                       (unsigned long long)f->mag);
    if (!f->block || f->block > CODEC_BLOCK_MAX)
        return err_set(err, "a block of %llu bytes; 32, 64 or 128 is possible",
                       (unsigned long long)f->block);
    if (f->table && !(j->box.table = codec_table_load(f->table, &why)))
        return err_set(err, "%s", why.msg);
    if ((!known || !symbol_bits) && !container_open_codec(&j->box, err))
        return false;
    if (!codec_input_open(&j->in, f->in, j->box.block, err))
        return false;
    connect(j);
    if (symbol_bits && !j->box.table && !build_table(j, symbol_bits, err))
        return false;
    if ((!j->box.codec && !container_open_codec(&j->box, err)) || !open_output(j, f, err))
        return false;
    return finish_output(j, container_encode(&j->box, err), err);
}

bool codec_encode_file(const struct codec_file *f, struct err *err)
{
    struct job j = {.in.fd = -1, .box = {.block = (unsigned)f->block, .mag = (unsigned)f->mag}};
    snprintf(j.box.codec_name, sizeof j.box.codec_name, "%s", f->codec);
    bool ok = encode_file(f, &j, err);
    close_job(&j);
    return ok;
}

/* A first walk checks everything, so that nothing is written of a file that is not whole. */
static bool decode_file(const struct codec_file *f, struct job *j, struct err *err)
{
    if (!codec_input_open(&j->in, f->in, 1, err))
        return false;
    connect(j);
    return container_decode(&j->box, false, err) && open_output(j, f, err) &&
           finish_output(j, container_decode(&j->box, true, err), err);
}

bool codec_decode_file(const struct codec_file *f, struct err *err)
{
    struct job j = {.in.fd = -1};
    bool ok = decode_file(f, &j, err);
    close_job(&j);
    return ok;
}
