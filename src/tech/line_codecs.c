/* One codec, or several of which each line has one. */
#include "tech/line_codecs.h"

#include <stdlib.h>
#include <string.h>

bool line_codecs_init(struct line_codecs *c, const struct tech_machine *m, const char *technique,
                      const char *names, struct err *err)
{
    *c = (struct line_codecs){.block_bytes = (uint32_t)m->mc->block_bytes,
                              .burst_bytes = (uint32_t)m->mc->burst_bytes,
                              .image = m->image};
    const struct codec_params params = {.block_bytes = c->block_bytes, .mag_bytes = c->burst_bytes};
    char *copy = xstrdup(names), *save = NULL;
    bool ok = true;
    for (char *w = strtok_r(copy, ",", &save); w && ok; w = strtok_r(NULL, ",", &save)) {
        struct codec_error why;
        assert(c->n < LINE_CODECS);
        struct codec *codec = codec_new(w, &params, &why);
        if (!(ok = codec || err_set(err, "%s: %s", technique, why.msg)))
            break;
        c->codecs[c->n] = codec;
        c->blocks[c->n++] = (struct block_codec){codec, c->block_bytes, m->verify};
    }
    free(copy);
    return ok;
}

void line_codecs_free(struct line_codecs *c)
{
    for (uint32_t i = 0; i < c->n; i++)
        codec_free(c->codecs[i]);
}

uint32_t line_codecs_most(const struct line_codecs *c)
{
    return c->block_bytes - c->burst_bytes;
}

struct line_form line_codecs_form_as(const struct line_codecs *c, uint32_t algorithm, addr_t line)
{
    const void *block = c->image.at(c->image.self, line, c->block_bytes);
    const uint32_t bytes =
        block ? block_codec_bytes(&c->blocks[algorithm], line, block) : c->block_bytes;
    return bytes <= line_codecs_most(c) ? (struct line_form){(uint16_t)bytes, (uint8_t)algorithm, 0}
                                        : (struct line_form){0};
}

struct line_form line_codecs_form(const struct line_codecs *c, addr_t line)
{
    struct line_form best = {0};
    for (uint32_t i = 0; i < c->n; i++) {
        const struct line_form f = line_codecs_form_as(c, i, line);
        if (f.bytes && (!best.bytes || f.bytes < best.bytes))
            best = f;
    }
    return best;
}

struct line_form line_codecs_store(const struct line_codecs *c, const struct codec_job *job)
{
    return c->is_chosen ? line_codecs_form_as(c, job->algorithm, job->line)
                        : line_codecs_form(c, job->line);
}
