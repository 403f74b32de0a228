/* The codecs of a design: how lines are encoded, and by which of them. */
#ifndef TECH_CABA_CABA_CODEC_H
#define TECH_CABA_CABA_CODEC_H

#include "tech/block_codec.h"
#include "tech/tech.h"

enum { CABA_CODECS = 3 };

struct caba_codec {
    struct codec *codecs[CABA_CODECS];
    struct block_codec blocks[CABA_CODECS];
    uint32_t n;     /* 0: every line stays as it is */
    bool is_chosen; /* a store's job says with which of them; else all are tried */
    uint32_t block_bytes, burst_bytes;
    struct mem_image image;
};

/* `names` are separated by commas; a line_form's `algorithm` is the place of one among them. */
bool caba_codec_init(struct caba_codec *c, const struct tech_machine *m, const char *technique,
                     const char *names, struct err *err);
void caba_codec_free(struct caba_codec *c);
/* The largest code that saves a burst. */
uint32_t caba_codec_most(const struct caba_codec *c);
/* The smallest code of the line's bytes now; the first of equal ones; raw if it saves no burst, or
 * if the line is not in device memory. */
struct line_form caba_codec_form(const struct caba_codec *c, addr_t line);
/* ... with one of them; ... of a line that is stored. */
struct line_form caba_codec_form_as(const struct caba_codec *c, uint32_t algorithm, addr_t line);
struct line_form caba_codec_store(const struct caba_codec *c, const struct codec_job *job);

#endif
