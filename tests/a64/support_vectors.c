/* Reading vectors, and running them on a core of two pages. */
#include "a64/support_vectors.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

uint8_t *vectors_read(const char *name, size_t *len)
{
    struct err err;
    char *path = xasprintf("%s/golden/a64/%s.zst", getenv("PARSIM_TESTS"), name);
    size_t packed_len;
    char *packed = file_read(path, &packed_len, &err);
    if (!packed)
        panic("%s", err.msg);
    const size_t room = ZSTD_getFrameContentSize(packed, packed_len) == ZSTD_CONTENTSIZE_UNKNOWN
                            ? (size_t)8 << 20
                            : ZSTD_getFrameContentSize(packed, packed_len);
    uint8_t *bytes = xmalloc(room);
    *len = ZSTD_decompress(bytes, room, packed, packed_len);
    if (ZSTD_isError(*len))
        panic("%s is damaged", path);
    free(packed);
    free(path);
    return bytes;
}

bool vectors_row(const uint8_t **at, const uint8_t *end, struct vector_row *r)
{
    if (*at >= end)
        return false;
    const unsigned len = *(*at)++;
    if (len >= sizeof r->name)
        panic("a name of %u bytes", len);
    memcpy(r->name, *at, len);
    r->name[len] = 0;
    *at += len;
    r->kind = *(*at)++;
    r->n = *(*at)++;
    memcpy(&r->seed, *at, 4);
    r->at = *at + 4;
    *at = r->at + 8 * r->n;
    return true;
}

void vector_core_start(struct vector_core *c)
{
    *c = (struct vector_core){0};
    c->cpu.image = image_new(UINT64_C(1) << 30);
    uint32_t words[VECTOR_WORDS];
    for (unsigned i = 0; i < VECTOR_WORDS; i++)
        words[i] = vector_word(i);
    image_map(c->cpu.image, VECTOR_CODE, VECTOR_PAGE, IMAGE_R | IMAGE_W | IMAGE_X);
    image_map(c->cpu.image, VECTOR_SCRATCH, VECTOR_PAGE, IMAGE_R | IMAGE_W | IMAGE_X);
    image_write(c->cpu.image, VECTOR_CODE, words, sizeof words);
}

void vector_core_end(struct vector_core *c)
{
    image_free(c->cpu.image);
}

static void put_state(struct a64_cpu *c, const struct vector_state *t)
{
    memcpy(c->x, t->x, sizeof t->x);
    memcpy(c->v, t->v, sizeof t->v);
    c->x[A64_SP] = t->sp;
    c->nzcv = (uint32_t)(t->nzcv >> 28);
    c->fpcr = (uint32_t)t->fpcr;
    c->fpsr = (uint32_t)t->fpsr;
    c->pc = VECTOR_PC;
    c->monitor.bytes = 0;
}

static void get_state(const struct a64_cpu *c, struct vector_state *t)
{
    memcpy(t->x, c->x, sizeof t->x);
    memcpy(t->v, c->v, sizeof t->v);
    t->sp = c->x[A64_SP];
    t->nzcv = (uint64_t)c->nzcv << 28;
    t->fpcr = c->fpcr;
    t->fpsr = c->fpsr;
    t->step = c->pc - VECTOR_PC;
}

void vector_core_memory(struct vector_core *c, uint64_t *memory)
{
    uint64_t s = 1;
    for (unsigned i = 0; i < VECTOR_PAGE / 8; i++)
        memory[i] = vector_next(&s);
    image_write(c->cpu.image, VECTOR_SCRATCH, memory, VECTOR_PAGE);
}

void vector_core_place(struct vector_core *c, uint32_t word)
{
    image_write(c->cpu.image, VECTOR_PC, &word, sizeof word);
}

void vector_core_put(struct vector_core *c, const struct vector_state *before)
{
    put_state(&c->cpu, before);
}

void vector_core_get(struct vector_core *c)
{
    get_state(&c->cpu, &c->after);
}

bool vector_core_run(struct vector_core *c, uint32_t word, uint64_t seed, unsigned kind,
                     uint32_t *digest)
{
    struct vector_state before;
    uint64_t memory[VECTOR_PAGE / 8];
    vector_core_memory(c, memory);
    vector_core_place(c, word);
    vector_make(&before, word, seed, kind);
    put_state(&c->cpu, &before);
    a64_run(&c->cpu, 1);
    get_state(&c->cpu, &c->after);
    image_read(c->cpu.image, VECTOR_SCRATCH, memory, sizeof memory);
    *digest = vector_digest(&c->after, memory);
    return !c->cpu.stop.kind;
}
