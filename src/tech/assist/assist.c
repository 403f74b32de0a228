/* Routines of ours and of the user's are loaded once; controllers share them. */
#include "tech/assist/assist.h"

#include "base/file.h"
#include "ptx/isa.h"

#include <stdlib.h>
#include <string.h>

struct assist {
    struct aws aws;
    struct awc **awcs; /* by SM */
    uint32_t nsms;
    bool verify;
    const struct assist_cfg *cfg;
};

/* --- loading --- */

static bool load_ours(struct assist *a, const char *name, struct err *err)
{
    for (const struct assist_text *t = assist_texts(); t->name; t++) {
        char file[64];
        if (strcmp(t->name, name))
            continue;
        snprintf(file, sizeof file, "assist/%s.ptx", name);
        return aws_load(&a->aws, file, t->text, strlen(t->text), err);
    }
    return err_set(err, "there is no assist/%s.ptx", name);
}

static bool load_file(struct assist *a, const char *path, struct err *err)
{
    size_t len;
    char *text = file_read(path, &len, err);
    bool ok = text && aws_load(&a->aws, path, text, len, err);
    free(text);
    return ok;
}

static bool load_list(struct assist *a, const char *names,
                      bool (*load)(struct assist *a, const char *name, struct err *err),
                      struct err *err)
{
    char *copy = xstrdup(names), *save = NULL;
    bool ok = true;
    for (char *w = strtok_r(copy, ",", &save); w && ok; w = strtok_r(NULL, ",", &save))
        ok = load(a, w, err);
    free(copy);
    return ok;
}

static bool has_interrupts(const struct aws *aws)
{
    for (uint32_t i = 0; i < aws->nroutines; i++)
        if (aws->routines[i].decl.on == ON_INTERRUPT)
            return true;
    return false;
}

static void add_stats(struct tech_seams *s, const struct awc *c, bool is_interrupted)
{
    stats_add(s->stats, "assist", assist_stat_rows, assist_nstat_rows, awc_stats(c));
    if (is_interrupted)
        stats_add(s->stats, "assist_interrupt", assist_interrupt_stat_rows,
                  assist_interrupt_nstat_rows, awc_interrupt_stats(c));
}

struct assist *assist_new(const char *name, const char *ours, const struct tech_machine *m,
                          struct tech_seams *s, struct err *err)
{
    struct assist_service *service = assist_service(s);
    const struct assist_cfg *cfg = service->cfg;
    char names[256]; /* load_list() takes no notice of empty ones */
    struct warp_source *sources = tech_take(s, SEAM_warps, name, TAKE_ALONE, err);
    if (!sources)
        return NULL;
    snprintf(names, sizeof names, "%s,%s", ours, service->modules);
    struct assist *a = xcalloc(1, sizeof *a);
    aws_init(&a->aws, m->dev, m->sm);
    a->aws.mshrs = (uint32_t)m->l1->mshrs;
    a->aws.fair_replies =
        m->dram_bandwidth / (m->core_mhz * 1e6) / m->sms / (double)m->l1->line_bytes;
    a->verify = m->verify;
    a->cfg = cfg;
    if (!load_list(a, names, load_ours, err) || !load_list(a, cfg->files, load_file, err) ||
        !aws_check(&a->aws, cfg->aws_bytes, err)) {
        assist_free(a);
        return NULL;
    }
    a->nsms = m->sms;
    a->awcs = xcalloc(m->sms, sizeof *a->awcs);
    for (uint32_t i = 0; i < m->sms; i++) {
        a->awcs[i] = awc_new(&a->aws, cfg, i);
        sources[i] = awc_source(a->awcs[i]);
        add_stats(s, a->awcs[i], has_interrupts(&a->aws));
    }
    service->assist = a;
    return a;
}

void assist_free(struct assist *a)
{
    if (!a)
        return;
    for (uint32_t i = 0; i < a->nsms; i++)
        awc_free(a->awcs[i]);
    free(a->awcs);
    aws_free(&a->aws);
    free(a);
}

void assist_launch(struct assist *a)
{
    for (uint32_t i = 0; i < a->nsms; i++)
        awc_launch(a->awcs[i]);
}

/* --- codecs --- */

/* Encodings that the codec can make: a kind's number is the encoding's first byte. */
static int encodings_of(const struct codec *k)
{
    return codec_id(k) == CODEC_BDI_LANES ? CODEC_BDI_LANES_FORMS : 1;
}

bool assist_check_codec(const struct assist *a, const struct line_codecs *c, struct err *err)
{
    for (uint32_t i = 0; i < c->n; i++) {
        const char *name = codec_name(c->codecs[i]);
        for (int e = 0; e < encodings_of(c->codecs[i]); e++)
            if (!aws_codec(&a->aws, ON_FILL, name, e))
                return err_set(err, "no routine decodes encoding %d of %s (on=fill codec=%s)", e,
                               name, name);
        for (int e = 0; encodings_of(c->codecs[i]) > 1 && e < encodings_of(c->codecs[i]); e++)
            if (!aws_codec(&a->aws, ON_STORE_LINE, name, e))
                return err_set(err, "no routine encodes form %d of %s (on=store codec=%s)", e, name,
                               name);
        if (!aws_codec(&a->aws, ON_STORE_LINE, name, -1))
            return err_set(err, "no routine encodes %s (on=store codec=%s)", name, name);
    }
    return true;
}

struct codec_engine assist_engine(struct assist *a, uint32_t sm, const struct line_codecs *c,
                                  const struct store_room *room, struct tech_seams *s)
{
    stats_add(s->stats, "assist_codec", assist_codec_stat_rows, assist_codec_nstat_rows,
              awc_codec_stats(a->awcs[sm]));
    return awc_engine(a->awcs[sm], c, room, a->verify);
}

uint32_t assist_registers(const struct assist *a)
{
    return a->cfg->count_registers ? aws_registers(&a->aws, a->cfg->share_registers) : 0;
}

void assist_bind_registers(struct assist *a,
                           uint32_t (*registers)(const void *ctx, const struct kernel *k),
                           const void *ctx)
{
    for (uint32_t i = 0; i < a->nsms; i++)
        awc_bind_registers(a->awcs[i], registers, ctx);
}

void assist_set_bare(struct assist *a, bool is_bare)
{
    for (uint32_t i = 0; i < a->nsms; i++)
        awc_set_bare(a->awcs[i], is_bare);
}

/* --- what routines have counted --- */

static const struct ptx_var *var_at(const struct assist *a, uint32_t i, uint32_t *module)
{
    for (*module = 0; *module < a->aws.nmodules; ++*module) {
        const struct ptx_module *m = program_module(a->aws.modules[*module].prog, 0);
        for (uint32_t k = 0; k < m->nvars; k++)
            if (m->vars[k]->space == PTX_SPACE_SHARED && m->vars[k]->bytes && !i--)
                return m->vars[k];
    }
    return NULL;
}

static uint32_t element_bytes(const struct ptx_var *v)
{
    const unsigned n = ptx_type_bytes((enum ptx_type)v->type);
    return n == 8 ? 8 : 4;
}

bool assist_var(const struct assist *a, uint32_t i, struct assist_var *out)
{
    uint32_t module;
    const struct ptx_var *v = var_at(a, i, &module);
    if (!v)
        return false;
    *out = (struct assist_var){a->aws.modules[module].file, v->name,
                               (uint32_t)(v->bytes / element_bytes(v))};
    return true;
}

uint64_t assist_var_at(const struct assist *a, uint32_t i, uint32_t element)
{
    uint32_t module;
    uint64_t sum = 0;
    const struct ptx_var *v = var_at(a, i, &module);
    const uint32_t bytes = element_bytes(v);
    const uint32_t at = program_shared_offset(a->aws.modules[module].prog, v) + element * bytes;
    for (uint32_t k = 0; k < a->nsms; k++) {
        uint64_t x = 0;
        memcpy(&x, (const char *)awc_shared(a->awcs[k], module) + at, bytes);
        sum += x;
    }
    return sum;
}

const struct aws *assist_store(const struct assist *a)
{
    return &a->aws;
}
