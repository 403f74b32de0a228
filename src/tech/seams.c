/* The arrays of a machine's seams, who has taken which, and what is bound at one place. */
#include "tech/tech.h"

#include <stdio.h>
#include <stdlib.h>

const struct seam_row seam_rows[SEAMS] = {
#define L1_SEAM(name, type, decides, called)      {#name, #type, PER_SM, decides, called},
#define SM_SEAM(name, type, decides, called)      {#name, #type, PER_SM, decides, called},
#define SLICE_SEAM(name, type, decides, called)   {#name, #type, PER_SLICE, decides, called},
#define CHANNEL_SEAM(name, type, decides, called) {#name, #type, PER_CHANNEL, decides, called},
#define GPU_SEAM(name, type, decides, called)     {#name, #type, PER_GPU, decides, called},
#include "parsim/seams.def"
};

#define FILL(name, type, n)                               \
    s->name = xcalloc(n, sizeof *s->name);                \
    for (uint32_t name##_i = 0; name##_i < n; name##_i++) \
        s->name[name##_i] = type##_null;

void tech_seams_init(struct tech_seams *s, const struct tech_machine *m, struct stats *stats)
{
    *s = (struct tech_seams){.stats = stats, .n = {m->sms, m->slices, m->channels, 1}};
    for (unsigned per = 0; per < ARRAY_LEN(s->n); per++) {
        s->breaches[per] = xcalloc(s->n[per], sizeof *s->breaches[per]);
        s->marks[per] = xcalloc(s->n[per], sizeof *s->marks[per]);
        for (uint32_t i = 0; i < s->n[per]; i++) {
            s->breaches[per][i].any = &s->is_breached;
            s->marks[per][i] = &probe_null;
        }
    }
#define L1_SEAM(name, type, ...)      FILL(name, type, m->sms)
#define SM_SEAM(name, type, ...)      FILL(name, type, m->sms)
#define SLICE_SEAM(name, type, ...)   FILL(name, type, m->slices)
#define CHANNEL_SEAM(name, type, ...) FILL(name, type, m->channels)
#define GPU_SEAM(name, type, ...)     FILL(name, type, 1)
#include "parsim/seams.def"
}

void tech_seams_free(struct tech_seams *s)
{
#define L1_SEAM(name, ...)      free(s->name);
#define SM_SEAM(name, ...)      free(s->name);
#define SLICE_SEAM(name, ...)   free(s->name);
#define CHANNEL_SEAM(name, ...) free(s->name);
#define GPU_SEAM(name, ...)     free(s->name);
#include "parsim/seams.def"
    for (unsigned per = 0; per < ARRAY_LEN(s->n); per++) {
        free(s->breaches[per]);
        free(s->marks[per]);
    }
    for (unsigned seam = 0; seam < SEAMS; seam++) {
        free(s->owner[seam]);
        free(s->wrapper[seam]);
    }
}

struct sm_seams tech_sm_seams(const struct tech_seams *s, uint32_t sm)
{
    return (struct sm_seams){
#define L1_SEAM(name, ...) .l1.name = &s->name[sm],
#define SM_SEAM(name, ...) .name = &s->name[sm],
#include "parsim/seams.def"
        .l1.breach = &s->breaches[PER_SM][sm],
    };
}

struct channel_seams tech_channel_seams(const struct tech_seams *s, uint32_t channel)
{
    return (struct channel_seams){
#define CHANNEL_SEAM(name, ...) .name = &s->name[channel],
#include "parsim/seams.def"
        .breach = &s->breaches[PER_CHANNEL][channel],
    };
}

struct slice_seams tech_slice_seams(const struct tech_seams *s, uint32_t slice, uint32_t channel)
{
    return (struct slice_seams){
        .channel = tech_channel_seams(s, channel),
#define SLICE_SEAM(name, ...) .name = &s->name[slice],
#include "parsim/seams.def"
        .breach = &s->breaches[PER_SLICE][slice],
    };
}

struct gpu_seams tech_gpu_seams(const struct tech_seams *s)
{
    return (struct gpu_seams){
#define GPU_SEAM(name, ...) .name = s->name,
#include "parsim/seams.def"
        .breach = s->breaches[PER_GPU],
    };
}

void *tech_seams_array(const struct tech_seams *s, enum tech_seam seam)
{
    void *const arrays[SEAMS] = {
#define L1_SEAM(name, ...)      s->name,
#define SM_SEAM(name, ...)      s->name,
#define SLICE_SEAM(name, ...)   s->name,
#define CHANNEL_SEAM(name, ...) s->name,
#define GPU_SEAM(name, ...)     s->name,
#include "parsim/seams.def"
    };
    return arrays[seam];
}

/* A name is the caller's, and need not last. */
static void rename_to(char **at, const char *name)
{
    free(*at);
    *at = xstrdup(name);
}

void tech_seams_dump(const struct tech_seams *s, FILE *out)
{
    for (unsigned i = 0; i < SEAMS; i++) {
        const char *owner = s->owner[i], *wrapper = s->wrapper[i];
        if (owner || wrapper)
            fprintf(out, "seam %s: technique %s%s%s\n", seam_rows[i].name, owner ? owner : wrapper,
                    owner && wrapper ? ", around it " : "", owner && wrapper ? wrapper : "");
    }
}

void *tech_take(struct tech_seams *s, enum tech_seam seam, const char *name, enum tech_take how,
                struct err *err)
{
    if ((unsigned)seam >= SEAMS) {
        err_set(err, "%s wants seam %d, and there are %d", name, (int)seam, SEAMS);
        return NULL;
    }
    if (!name) {
        err_set(err, "the seam %s is taken without a design's name", seam_rows[seam].name);
        return NULL;
    }
    if (how == TAKE_WRAP) {
        rename_to(&s->wrapper[seam], name);
        return tech_seams_array(s, seam);
    }
    if (s->owner[seam]) {
        err_set(err, "%s cannot be combined with %s: both decide %s", name, s->owner[seam],
                seam_rows[seam].decides);
        return NULL;
    }
    if (s->wrapper[seam]) {
        err_set(err, "%s must be named before %s, which adds to what decides %s", name,
                s->wrapper[seam], seam_rows[seam].decides);
        return NULL;
    }
    rename_to(&s->owner[seam], name);
    return tech_seams_array(s, seam);
}
