/* Lines of a compressed file as numbers, and textures made of them. */
#include "support_vectors.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

char *vectors_read(const char *path)
{
    struct err err;
    size_t packed_len;
    char *name = xasprintf("%s/%s", getenv("PARSIM_TESTS"), path);
    char *packed = file_read(name, &packed_len, &err);
    if (!packed)
        fail_msg("%s", err.msg);
    const unsigned long long len = ZSTD_getFrameContentSize(packed, packed_len);
    assert_true(len < (1u << 30));
    char *text = xmalloc(len + 1);
    assert_int_equal(ZSTD_decompress(text, len, packed, packed_len), len);
    text[len] = 0;
    free(packed);
    free(name);
    return text;
}

char *vectors_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');
    if (!*line)
        return NULL;
    *at = end ? end + 1 : line + strlen(line);
    if (end)
        *end = 0;
    return line;
}

static uint32_t hash(uint32_t i)
{
    i *= 2654435761u;
    i ^= i >> 15;
    i *= 2246822519u;
    return i ^ (i >> 13);
}

static uint32_t float_texel(const struct texels *t, uint32_t i, uint32_t v)
{
    uint32_t bits;
    float f = (float)((int)(v >> 8) - (1 << 23)) / (float)(1 << 23);
    if (t->single >= 0)
        f = (int)i == t->single;
    memcpy(&bits, &f, sizeof bits);
    return t->wide ? (v & 0x80000000) | (110 + (v >> 23) % 34) << 23 | (hash(v) & 0x7fffff) : bits;
}

static uint32_t texel(const struct tex_object *o, const struct texels *t, uint32_t i)
{
    const uint32_t v = hash(i + t->seed * 7919u);
    const bool is_float = o->format == TEX_FLOAT;
    if (o->channel_bits == 16 && is_float)
        return (v >> 31) << 15 | (9 + ((v >> 20) & 7)) << 10 | (v & 1023);
    if (is_float)
        return float_texel(t, i, v);
    return v >> (32 - o->channel_bits);
}

void texels_make(struct tex_object *o, const struct texels *t)
{
    const unsigned step = o->channel_bits / 8, rows = o->height ? o->height : 1;
    const uint32_t n = o->width * rows * (o->depth ? o->depth : 1) * o->channels;
    char *p = xmalloc((size_t)n * step);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = texel(o, t, i);
        memcpy(p + (size_t)i * step, &v, step);
    }
    o->data = (uintptr_t)p;
    o->pitch_bytes = (uint64_t)o->width * o->channels * step;
    o->slice_bytes = o->pitch_bytes * rows;
}

void texels_free(struct tex_object *o)
{
    free((void *)(uintptr_t)o->data);
}
