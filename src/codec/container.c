/* Head, frames and tail are written and read in order, each with its checksum, so that pipes
 * will do. */
#include "codec/container.h"

#include <stdlib.h>
#include <string.h>

enum {
    VERSION = 1,
    HEAD_BYTES = 32,
    CRC_BYTES = 4,
    FRAME_HEAD_BYTES = 8,
    FRAME_BLOCKS = 2048,
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

/* ---- encode ---- */

bool container_open_codec(struct container *j, struct err *err)
{
    struct codec_error why;
    struct codec_params params = {.block_bytes = j->block, .mag_bytes = j->mag, .table = j->table};
    j->codec = codec_new(j->codec_name, &params, &why);
    return j->codec || err_set(err, "%s", why.msg);
}

static bool write_head(struct container *j, struct err *err)
{
    size_t name_bytes = strlen(j->codec_name), table_bytes = 0;
    uint8_t *table = j->table ? codec_table_pack(j->table, &table_bytes) : NULL;
    size_t bytes = HEAD_BYTES + name_bytes + table_bytes;
    uint8_t *p = xcalloc(1, bytes + CRC_BYTES);
    memcpy(p, magic, sizeof magic);
    put_le(p + 8, VERSION, 2);
    put_le(p + 10, j->block, 2);
    put_le(p + 12, j->mag, 2);
    put_le(p + 14, name_bytes, 2);
    put_le(p + 16, table_bytes, 4);
    put_le(p + 20, j->bytes, 8);
    put_le(p + 28, FRAME_BLOCKS, 4);
    memcpy(p + HEAD_BYTES, j->codec_name, name_bytes);
    if (table)
        memcpy(p + HEAD_BYTES + name_bytes, table, table_bytes);
    put_le(p + bytes, codec_crc32(0, p, bytes), CRC_BYTES);
    bool ok = j->write(j->self, p, bytes + CRC_BYTES, err);
    free(p);
    free(table);
    return ok;
}

static bool write_frame(struct container *j, uint8_t *frame, size_t bytes, struct err *err)
{
    put_le(frame + bytes, codec_crc32(0, frame, bytes), CRC_BYTES);
    return j->write(j->self, frame, bytes + CRC_BYTES, err);
}

static bool encode_frame(struct container *j, const uint8_t *data, unsigned n, uint8_t *frame,
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
static bool encode_tail(struct container *j, uint64_t at, uint8_t *frame, struct err *err)
{
    size_t tail = (size_t)(j->bytes - at);
    uint8_t *data = frame + FRAME_HEAD_BYTES;
    if (!j->read(j->self, at, data, tail, err))
        return false;
    j->crc = codec_crc32(j->crc, data, tail);
    put_le(frame, 0, 4);
    put_le(frame + 4, tail + CRC_BYTES, 4);
    put_le(data + tail, j->crc, CRC_BYTES);
    return write_frame(j, frame, FRAME_HEAD_BYTES + tail + CRC_BYTES, err);
}

bool container_encode(struct container *j, struct err *err)
{
    uint8_t *data = xmalloc((size_t)FRAME_BLOCKS * j->block), *frame = xmalloc(FRAME_MAX_BYTES);
    uint64_t blocks = j->bytes / j->block, at = 0;
    bool ok = write_head(j, err);
    while (ok && at < blocks) {
        unsigned n = blocks - at < FRAME_BLOCKS ? (unsigned)(blocks - at) : FRAME_BLOCKS;
        ok = j->read(j->self, at * j->block, data, (size_t)n * j->block, err);
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

static bool damaged(const struct container *j, const char *what, struct err *err)
{
    return err_set(err, "%s: damaged: %s", j->name, what);
}

struct reader {
    uint64_t at, end, data_bytes;
};

static bool take(struct container *j, struct reader *r, void *to, uint64_t n, struct err *err)
{
    if (r->end - r->at < n)
        return damaged(j, "it ends too early", err);
    if (!j->read(j->self, r->at, to, (size_t)n, err))
        return false;
    r->at += n;
    return true;
}

static bool read_head(struct container *j, struct reader *r, struct err *err)
{
    uint8_t head[HEAD_BYTES];
    struct codec_error why;
    if (j->bytes < sizeof magic || !take(j, r, head, sizeof magic, err) ||
        memcmp(head, magic, sizeof magic))
        return err_set(err, "%s: not a file that 'parsim codec encode' wrote", j->name);
    if (!take(j, r, head + sizeof magic, HEAD_BYTES - sizeof magic, err))
        return false;
    uint64_t name_bytes = get_le(head + 14, 2), table_bytes = get_le(head + 16, 4);
    if (get_le(head + 8, 2) != VERSION)
        return err_set(err, "%s: version %u of the container; this program reads %d", j->name,
                       (unsigned)get_le(head + 8, 2), VERSION);
    if (name_bytes > CONTAINER_NAME_MAX || table_bytes > TABLE_MAX_BYTES)
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
    const unsigned block = (unsigned)get_le(head + 10, 2);
    if (ok && j->codec && block != j->block)
        ok = damaged(j, "it was changed while it was read", err);
    memcpy(j->codec_name, rest, name_bytes);
    j->codec_name[name_bytes] = 0;
    free(rest);
    j->block = block;
    j->mag = (unsigned)get_le(head + 12, 2);
    r->data_bytes = get_le(head + 20, 8);
    /* to a codec 0 means the usual size; a file says which */
    if (ok && (!j->block || get_le(head + 28, 4) != FRAME_BLOCKS))
        ok = damaged(j, "its head makes no sense", err);
    return ok && (j->codec || container_open_codec(j, err));
}

/* One frame, checked; returns its payload's length, or -1. */
static int64_t read_frame(struct container *j, struct reader *r, uint8_t *frame, struct err *err)
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

static bool decode_blocks(struct container *j, const uint8_t *payload, uint64_t bytes, unsigned n,
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

static bool finish(struct container *j, const struct reader *r, uint64_t written,
                   const uint8_t *tail, uint64_t bytes, bool write, struct err *err)
{
    uint64_t n = bytes - CRC_BYTES;
    if (bytes < CRC_BYTES || n >= j->block || written + n != r->data_bytes)
        return damaged(j, "its length is wrong", err);
    if (codec_crc32(j->crc, tail, n) != get_le(tail + n, CRC_BYTES))
        return damaged(j, "the checksum of the data is wrong", err);
    if (r->at != r->end)
        return damaged(j, "something follows its end", err);
    return !write || j->write(j->self, tail, n, err);
}

bool container_decode(struct container *j, bool write, struct err *err)
{
    struct reader r = {.end = j->bytes};
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
            ok = !write || j->write(j->self, data, (size_t)n * j->block, err);
        }
    }
    free(data);
    free(frame);
    return ok;
}

void container_close(struct container *j)
{
    codec_free(j->codec);
    codec_table_free(j->table);
}
