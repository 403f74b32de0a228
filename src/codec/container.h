/* A file in a codec's format: a head, frames of blocks, the rest of the data; every byte is under a
 * checksum. Layout: docs/codecs.md. A checksum that is right does not make the rest right: nothing
 * that is read is trusted. */
#ifndef CODEC_CONTAINER_H
#define CODEC_CONTAINER_H

#include "base/err.h"
#include "parsim/codec.h"

enum { CONTAINER_NAME_MAX = 95 };

struct container {
    /* the input: its name in messages, its length, any part of it */
    const char *name;
    uint64_t bytes;
    bool (*read)(void *self, uint64_t at, void *data, size_t n, struct err *err);
    bool (*write)(void *self, const void *data, size_t n, struct err *err);
    void *self;
    /* encoding: given; decoding: from the head */
    char codec_name[CONTAINER_NAME_MAX + 1];
    unsigned block, mag;
    struct codec_table *table; /* owned */
    struct codec *codec;       /* container_open_codec(); owned */
    uint32_t crc;              /* of the data so far */
};

bool container_open_codec(struct container *j, struct err *err);
/* The codec is open. */
bool container_encode(struct container *j, struct err *err);
/* Walks the whole container; writes the data only if told to. */
bool container_decode(struct container *j, bool write, struct err *err);
void container_close(struct container *j);

#endif
