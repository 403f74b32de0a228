/* Codecs on the arrays of a program: `parsim codec` on its dump. */
#include "study/study_kind.h"
#include "study/study_words.h"

#include <stdlib.h>
#include <string.h>

static const char bound[] = "shannon-";

static char *codec_maker(const struct study_job *j, struct study_job *maker)
{
    char *text = xstrdup("arrays");
    *maker = *j;
    maker->kind = STUDY_DUMP;
    maker->design = text;
    return text;
}

/* "CODEC[@OPTION=VALUE...]": options of `parsim codec`. A bound is told with whatever codec. */
static NORETURN void codec_child(const struct study_setup *s, const struct study_job *j,
                                 const char *json, const char *part)
{
    struct study_words w = {0};
    const bool is_bound = !strncmp(j->design, bound, strlen(bound));
    char *save = NULL, *name = strtok_r(xstrdup(is_bound ? "zero" : j->design), "@", &save);
    const char *const more[] = {"--threads", "1", "--codec", name, "--json", json};
    (void)part;
    study_words_parsim(&w, "codec");
    for (unsigned i = 0; i < ARRAY_LEN(more); i++)
        study_words_add(&w, more[i]);
    for (char *t; (t = strtok_r(NULL, "@", &save));)
        study_words_take(&w, xasprintf("--%s", t));
    study_words_take(&w, study_needs(s, j));
    study_words_exec(&w);
}

const struct study_kind_ops study_kind_codec = {
    .has_result = true, .maker = codec_maker, .child = codec_child};
