/* Containers from any bytes, with all checksums put right, so that the checks behind them are
 * reached: refused, or decoded to what their head promises. */
#include "codec/container.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 32, FRAME_HEAD = 8, CRC = 4 };

struct bytes {
    uint8_t *data;
    size_t len, written;
};

static bool read_bytes(void *self, uint64_t at, void *to, size_t n, struct err *err)
{
    const struct bytes *b = self;
    (void)err;
    if (at > b->len || n > b->len - at)
        abort(); /* the decoder knows the length */
    memcpy(to, b->data + at, n);
    return true;
}

static bool write_bytes(void *self, const void *data, size_t n, struct err *err)
{
    struct bytes *b = self;
    volatile uint8_t sum = 0; /* every byte must be there to be read */
    (void)err;
    for (size_t i = 0; i < n; i++)
        sum = (uint8_t)(sum + ((const uint8_t *)data)[i]);
    b->written += n;
    return true;
}

static uint64_t get(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;
    memcpy(&v, p, n);
    return v;
}

static void put_crc(struct bytes *b, size_t from, size_t to)
{
    uint32_t crc = codec_crc32(0, b->data + from, to - from);
    memcpy(b->data + to, &crc, CRC);
}

/* Where the last frame lies, which holds the checksum of all data; 0: there is none. The table
 * inside the head has a checksum of its own, at its end. */
static size_t repair(struct bytes *b)
{
    uint64_t name, table;
    if (b->len < HEAD + CRC)
        return 0;
    name = get(b->data + 14, 2);
    table = get(b->data + 16, 4);
    size_t at = HEAD + name + table;
    if (at + CRC > b->len)
        return 0;
    if (table >= CRC)
        put_crc(b, HEAD + name, at - CRC);
    put_crc(b, 0, at);
    at += CRC;
    while (b->len - at >= FRAME_HEAD + CRC) {
        uint64_t payload = get(b->data + at + 4, 4);
        if (payload > b->len - at - FRAME_HEAD - CRC)
            return 0;
        put_crc(b, at, at + FRAME_HEAD + payload);
        if (!get(b->data + at, 4))
            return at;
        at += FRAME_HEAD + payload + CRC;
    }
    return 0;
}

/* `crc` is that of the blocks. */
static void repair_last(struct bytes *b, size_t at, uint32_t crc)
{
    uint8_t *tail = b->data + at + FRAME_HEAD;
    uint64_t payload = get(b->data + at + 4, 4);
    if (payload < CRC)
        return;
    crc = codec_crc32(crc, tail, payload - CRC);
    memcpy(tail + payload - CRC, &crc, CRC);
    put_crc(b, at, at + FRAME_HEAD + payload);
}

static bool decode(struct bytes *b, bool write, uint32_t *crc)
{
    struct err err = {0};
    struct container box = {
        .name = "input", .bytes = b->len, .read = read_bytes, .write = write_bytes, .self = b};
    bool ok = container_decode(&box, write, &err);
    *crc = box.crc;
    container_close(&box);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes b = {malloc(size ? size : 1), size, 0};
    uint32_t crc;
    memcpy(b.data, data, size);
    size_t last = repair(&b);
    if (!decode(&b, false, &crc) && last)
        repair_last(&b, last, crc);
    if (decode(&b, true, &crc) && b.written != get(b.data + 20, 8))
        abort();
    free(b.data);
    return 0;
}
