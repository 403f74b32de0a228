/* The codecs of a design: how lines are encoded, and by which of them. */
#ifndef TECH_LINE_CODECS_H
#define TECH_LINE_CODECS_H

#include "tech/block_codec.h"
#include "tech/tech.h"

enum { LINE_CODECS = 3 };

struct line_codecs {
    struct codec *codecs[LINE_CODECS];
    struct block_codec blocks[LINE_CODECS];
    uint32_t n;     /* 0: every line stays as it is */
    bool is_chosen; /* a store's job says with which of them; else all are tried */
    uint32_t block_bytes, burst_bytes;
    struct mem_image image;
};

/* `names` are separated by commas; a line_form's `algorithm` is the place of one among them. */
bool line_codecs_init(struct line_codecs *c, const struct tech_machine *m, const char *technique,
                      const char *names, struct err *err);
void line_codecs_free(struct line_codecs *c);
/* The largest code that saves a burst. */
uint32_t line_codecs_most(const struct line_codecs *c);
/* The smallest code of the line's bytes now; the first of equal ones; raw if it saves no burst, or
 * if the line is not in device memory. */
struct line_form line_codecs_form(const struct line_codecs *c, addr_t line);
/* ... with one of them; ... of a line that is stored. */
struct line_form line_codecs_form_as(const struct line_codecs *c, uint32_t algorithm, addr_t line);
struct line_form line_codecs_store(const struct line_codecs *c, const struct codec_job *job);

#endif
