/* Codecs with forms (bdi-lanes): lane masks between a line's head and a routine's predicates, and
 * which form a store tries: the one that won last, then what a search finds. */
#include "tech/assist/awc_int.h"

#include "parsim/codec.h"
#include "tech/assist/lane_masks.h"

#include <string.h>

enum { NO_FORM = CODEC_BDI_LANES_FORMS };

void awc_forms_bind(struct awc *c)
{
    c->have_forms = 0;
    for (unsigned i = 0; i < c->codec->n; i++)
        c->have_forms |= (uint32_t)(codec_id(c->codec->codecs[i]) == CODEC_BDI_LANES) << i;
}

static bool has_forms(const struct awc *c, const struct instance *in)
{
    return c->have_forms >> in->algorithm & 1;
}

/* --- masks --- */

void awc_forms_begin(struct awt_row *row, uint32_t window)
{
    const struct routine *r = row->in->r;
    lane_steps_set(row->x.w, r->kernel->entry, &r->decl, window);
    awc_forms_give_mask(row);
}

void awc_forms_give_mask(struct awt_row *row)
{
    const struct routine *r = row->in->r;
    row->in->form_fits = false;
    if (r->decl.on == ON_FILL && r->decl.nlanes)
        lane_masks_set(row->x.w, r->kernel->entry, &r->decl,
                       codec_bdi_lanes_mask(row->in->code, AWC_LINE));
}

void awc_forms_end(struct awt_row *row)
{
    const struct routine *r = row->in->r;
    if (r->decl.has_all)
        row->in->form_fits =
            lane_masks_get(row->x.w, r->kernel->entry, &r->decl, &row->in->form_mask);
}

/* --- lines that come --- */

/* In the form that it came in, which its length says (of two as long, the first that fits). */
bool awc_forms_encode(const struct awc *c, struct instance *in, const void *bytes)
{
    if (!has_forms(c, in) || in->job.bytes > AWC_LINE)
        return false;
    for (unsigned m = c->forms_of[in->job.bytes]; m; m &= m - 1) {
        const unsigned form = (unsigned)__builtin_ctz(m);
        memset(in->code, 0, sizeof in->code);
        if (codec_bdi_lanes_encode(bytes, AWC_LINE, form, in->code) >= 8 * AWC_LINE)
            continue;
        in->code_bytes = in->job.bytes;
        return true;
    }
    return false;
}

void awc_forms_init(struct awc *c)
{
    for (unsigned f = 0; f < NO_FORM; f++) {
        const unsigned bytes = codec_bdi_lanes_bytes(f, AWC_LINE);
        if (bytes <= AWC_LINE)
            c->forms_of[bytes] |= (uint8_t)(1u << f);
    }
}

/* --- lines that are stored --- */

void awc_forms_choose(struct awc *c, struct instance *in)
{
    struct awc_form *last = &awc_area_at(c, in->area)->forms[in->algorithm];
    const bool is_due = c->cfg->search_every && ++last->since >= (uint32_t)c->cfg->search_every;
    in->form = has_forms(c, in) && last->is_known && !is_due ? last->form : -1;
    last->since = is_due ? 0 : last->since;
    in->has_to_search = is_due;
}

bool awc_forms_has_won(struct awc *c, const struct instance *in)
{
    return in->form < 0 && in->is_job && in->job.kind == CODEC_STORE && !in->is_searched &&
           !in->has_to_search && has_forms(c, in) &&
           awc_area_at(c, in->area)->forms[in->algorithm].is_known;
}

void awc_forms_choose_again(struct awc *c, struct instance *in)
{
    if (!awc_forms_has_won(c, in))
        return;
    in->form = awc_area_at(c, in->area)->forms[in->algorithm].form;
    c->contexts[in->r->id].nwaiting--;
    in->r = awc_routine_of(c, in);
    c->contexts[in->r->id].nwaiting++;
}

/* The search has found a form, or that there is none. */
static bool searched(struct awc *c, struct instance *in, uint32_t *result)
{
    c->codec_stats.searches++;
    in->is_searched = true;
    if (*result >= NO_FORM) {
        *result = AWC_LINE;
        return false;
    }
    in->form = (int8_t)*result;
    return true;
}

/* One form was tried: it fits; or not, and all are tried unless that was before. */
static bool tried(struct awc *c, struct instance *in, uint32_t *result)
{
    if (in->form_fits) {
        *result = codec_bdi_lanes_bytes((unsigned)in->form, AWC_LINE);
        c->codec_stats.form_hits += !in->is_searched;
        struct awc_form *last = &awc_area_at(c, in->area)->forms[in->algorithm];
        last->form = in->form;
        last->is_known = true;
        return false;
    }
    *result = AWC_LINE;
    if (in->is_searched)
        return false;
    c->codec_stats.form_misses++;
    in->has_to_search = true;
    in->form = -1;
    return true;
}

bool awc_forms_go_on(struct awc *c, struct instance *in, uint32_t *result)
{
    if (!has_forms(c, in))
        return false;
    return in->form < 0 ? searched(c, in, result) : tried(c, in, result);
}

void awc_forms_close(const struct awc *c, struct instance *in, void *dst, uint32_t *result)
{
    if (!has_forms(c, in) || in->form < 0)
        return;
    *result = in->form_fits ? codec_bdi_lanes_bytes((unsigned)in->form, AWC_LINE) : AWC_LINE;
    codec_bdi_lanes_head(dst, AWC_LINE, (unsigned)in->form, in->form_mask);
}

unsigned awc_forms_expect(const struct awc *c, struct instance *in)
{
    if (has_forms(c, in) && in->form >= 0)
        return codec_bytes(codec_bdi_lanes_encode(in->raw, AWC_LINE, (unsigned)in->form, in->code));
    const unsigned n =
        codec_bytes(codec_encode(c->codec->codecs[in->algorithm], in->raw, in->code));
    if (!has_forms(c, in))
        return n;
    return n < AWC_LINE ? in->code[0] : NO_FORM;
}

bool awc_forms_is_search(const struct awc *c, const struct instance *in)
{
    return has_forms(c, in) && in->form < 0;
}
