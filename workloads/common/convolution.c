/* Inputs of the separable convolutions. */
#include "convolution.h"

#include "gen.h"

static struct wl_array *declare(struct wl *w, const struct convolution *s, const char *name,
                                enum wl_role role)
{
    return wl_array(w, name, role, WL_F32, (size_t)s->width * (size_t)s->height);
}

void convolution_make(struct wl *w, struct convolution *s, int width, int height)
{
    struct rng rng = wl_rng(w, 0);
    s->width = width;
    s->height = height;
    s->in = declare(w, s, "in", WL_INPUT);
    s->rows = declare(w, s, "rows", WL_SCRATCH);
    s->out = declare(w, s, "out", WL_OUTPUT);
    wl_picture(s->in, (size_t)width, (size_t)height, 1);
    wl_picture(s->out, (size_t)width, (size_t)height, 1);
    wl_judge(s->out, "rmse");
    for (int i = 0; i < CONVOLUTION_TAPS; i++) /* as the SDK's program fills its filter */
        s->filter[i] = (float)rng_below(&rng, 16);
    uint8_t *photo = wl_alloc(w, s->in->count, 1);
    gen_photo(&rng, photo, (unsigned)width, (unsigned)height, 1);
    for (size_t i = 0; i < s->in->count; i++)
        s->in->f32[i] = (float)photo[i];
}
