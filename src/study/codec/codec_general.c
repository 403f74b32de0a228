/* zstd and lz4 on the same blocks. Both look at one block at a time, without a dictionary; zstd's
 * frame carries neither the content's size nor a checksum. */
#include "study/codec/codec_study.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct codec_general_state {
    ZSTD_CCtx *zstd;
    char out[1024];
};

static const char *const names[] = {[CODEC_LZ4] = "lz4", [CODEC_ZSTD] = "zstd"};

bool codec_general_name(const char *name, enum codec_general *which)
{
    *which = !strcmp(name, names[CODEC_ZSTD]) ? CODEC_ZSTD : CODEC_LZ4;
    return !strcmp(name, names[*which]);
}

struct codec_general_state *codec_general_new(void)
{
    struct codec_general_state *s = xcalloc(1, sizeof *s);
    s->zstd = ZSTD_createCCtx();
    if (!s->zstd)
        panic("no memory for zstd");
    ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, 1);
    ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_contentSizeFlag, 0);
    ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, 0);
    return s;
}

void codec_general_free(struct codec_general_state *s)
{
    if (s)
        ZSTD_freeCCtx(s->zstd);
    free(s);
}

unsigned codec_general_bytes(struct codec_general_state *s, enum codec_general which,
                             const void *block, unsigned block_bytes)
{
    size_t n;
    if (which == CODEC_LZ4)
        n = (size_t)LZ4_compress_default(block, s->out, (int)block_bytes, sizeof s->out);
    else
        n = ZSTD_compress2(s->zstd, s->out, sizeof s->out, block, block_bytes);
    return n > 0 && n < block_bytes ? (unsigned)n : block_bytes;
}
