/* Lines that the L1 wants encoded or decoded: instances on their real bytes. */
#include "tech/assist/awc_int.h"

#include "parsim/codec.h"
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

enum { HELD_MOST = 1024 }; /* that have gone, before the others move up */

/* --- making instances --- */

/* The line's code, in the form that it came in if it still fits, else as the codec makes it now. A
 * line that has changed since it was sent and cannot be encoded any more is stood in for by a line
 * of zeros. */
static void encode_line(struct awc *c, struct instance *in, const void *bytes)
{
    const struct codec *k = c->codec->codecs[in->algorithm];
    if (awc_forms_encode(c, in, bytes))
        return;
    memset(in->code, 0, sizeof in->code);
    unsigned bits = codec_encode(k, bytes, in->code);
    if (bits >= 8 * AWC_LINE) {
        c->stats.stale++;
        memset(in->raw, 0, sizeof in->raw);
        memset(in->code, 0, sizeof in->code); /* it has the line as it is */
        bits = codec_encode(k, in->raw, in->code);
    }
    in->code_bytes = (uint16_t)codec_bytes(bits);
}

const struct routine *awc_routine_of(struct awc *c, const struct instance *in)
{
    const bool is_store = in->job.kind == CODEC_STORE;
    const int form = is_store ? in->form : in->code[0];
    const struct routine **r = &c->routine_of[in->algorithm][is_store][form + 1];
    if (!*r)
        *r = aws_codec(c->aws, is_store ? ON_STORE_LINE : ON_FILL,
                       codec_name(c->codec->codecs[in->algorithm]), form);
    return *r;
}

static enum codec_answer answer_empty(struct awc *c, struct codec_job *job)
{
    c->stats.empty++;
    if (job->kind == CODEC_STORE) {
        const struct line_form f = line_codecs_store(c->codec, job);
        job->bytes = f.bytes ? f.bytes : job->bytes;
        job->algorithm = f.algorithm;
    }
    return CODEC_DONE;
}

static void push_done(struct awc *c, const struct codec_job *job)
{
    if (c->done_at == c->done.len)
        c->done_at = c->done.len = 0;
    vec_push(&c->done, *job);
    c->nstores -= job->kind == CODEC_STORE;
}

/* For one more store that waits. */
static bool has_room(struct awc *c)
{
    const bool ok =
        c->nstores < c->room.lines + c->spare_lines && c->waiting_low < (uint32_t)c->cfg->waiting;
    c->codec_stats.no_room += !ok;
    return ok;
}

/* The line's bytes, as they are now; NULL: it has none. */
static const void *bytes_of(const struct awc *c, addr_t line)
{
    const struct mem_image *image = &c->codec->image;
    return image->at(image->self, line, AWC_LINE);
}

/* An instance on the line's bytes. CODEC_DONE: there is nothing to execute. */
static enum codec_answer begin_job(struct awc *c, cycle_t now, struct codec_job *job,
                                   const void *bytes)
{
    const bool is_store = job->kind == CODEC_STORE;
    struct instance *in = instance_new(c, true);
    in->slot = NO_SLOT;
    in->mask = UINT32_MAX;
    in->addr = job->line;
    in->area = awc_area_number(c, job->line);
    in->is_job = true;
    in->job = *job;
    in->algorithm = is_store && !c->codec->is_chosen ? 0 : job->algorithm;
    in->best_bytes = AWC_LINE;
    if (is_store || c->verify)
        memcpy(in->raw, bytes, AWC_LINE);
    if (is_store)
        awc_forms_choose(c, in);
    else
        encode_line(c, in, bytes);
    in->r = awc_routine_of(c, in);
    if (in->r->is_empty) {
        instance_free(c, in);
        return answer_empty(c, job);
    }
    awc_trigger(c, NULL, in, now);
    return CODEC_TAKEN;
}

static void hold(struct awc *c, const struct codec_job *job, cycle_t due)
{
    if (c->held_at >= HELD_MOST) {
        c->held.len -= c->held_at;
        memmove(c->held.data, c->held.data + c->held_at, c->held.len * sizeof *c->held.data);
        c->held_at = 0;
    }
    vec_push(&c->held, ((struct held_store){*job, due}));
}

static enum codec_answer submit(void *self, cycle_t now, struct codec_job *job)
{
    struct awc *c = self;
    const bool is_store = job->kind == CODEC_STORE;
    const void *bytes = bytes_of(c, job->line);
    if (!bytes || !c->codec->n)
        return is_store ? CODEC_REFUSED : CODEC_DONE;
    c->stats.triggered++;
    if (is_store && !has_room(c)) {
        c->stats.overflow++;
        job->is_left = true;
        return CODEC_REFUSED;
    }
    if (is_store && !awc_is_worth_trying(c, job->line)) {
        c->stats.overflow++;
        return CODEC_REFUSED;
    }
    c->nstores += is_store;
    if (is_store && job->is_part && c->room.hold) {
        hold(c, job, now + c->room.hold);
        return CODEC_TAKEN;
    }
    const enum codec_answer a = begin_job(c, now, job, bytes);
    c->nstores -= is_store && a == CODEC_DONE;
    return a;
}

/* More stores wait than half of the room has place for. */
static bool is_crowded(const struct awc *c)
{
    return 2 * c->nstores > c->room.lines + c->spare_lines;
}

/* Of stores that are held, the first goes on. */
static bool is_due(const struct awc *c, cycle_t now)
{
    return c->held.data[c->held_at].due <= now || is_crowded(c);
}

void awc_release_held(struct awc *c, cycle_t now, bool all)
{
    while (c->held_at < c->held.len) {
        struct held_store *h = &c->held.data[c->held_at];
        if (!all && !is_due(c, now))
            return;
        c->held_at++;
        if (begin_job(c, now, &h->job, bytes_of(c, h->job.line)) == CODEC_DONE)
            push_done(c, &h->job);
    }
    c->held_at = c->held.len = 0;
}

void awc_load_line(const struct instance *in, char *src)
{
    memcpy(src, in->job.kind == CODEC_STORE ? in->raw : in->code, AWC_LINE);
}

/* --- what has become of them --- */

static void differ(struct sm *sm, struct awt_row *row, const char *what, unsigned at, unsigned is,
                   unsigned should)
{
    struct fault *f = &row->x.w->grid->fault;
    f->code = FAULT_LAUNCH_FAILED;
    snprintf(f->msg, sizeof f->msg,
             "assist routine %s, line 0x%llx: %s %u is 0x%02x, the codec's is 0x%02x",
             row->in->r->name, (unsigned long long)row->in->job.line, what, at, is, should);
    extra_fault(sm, &row->x);
}

static void compare(struct sm *sm, struct awt_row *row, const uint8_t *dst, const uint8_t *should,
                    unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (dst[i] != should[i]) {
            differ(sm, row, "byte", i, dst[i], should[i]);
            return;
        }
}

static void verify_store(struct awc *c, struct sm *sm, struct awt_row *row, const uint8_t *dst,
                         uint32_t result)
{
    struct instance *in = row->in;
    const unsigned n = awc_forms_expect(c, in);
    c->stats.verified++;
    if (result != n)
        differ(sm, row, "size or form at offset", 0, result, n);
    else if (n < AWC_LINE && !awc_forms_is_search(c, in))
        compare(sm, row, dst, in->code, n);
}

/* A code that saves no burst is not worth having. */
static bool saves(const struct line_codecs *k, uint32_t bytes)
{
    return bytes && bytes < AWC_LINE &&
           (bytes + k->burst_bytes - 1) / k->burst_bytes < AWC_LINE / k->burst_bytes;
}

static bool finish_store(struct awc *c, struct awt_row *row, uint32_t result)
{
    struct instance *in = row->in;
    if (awc_forms_go_on(c, in, &result)) {
        in->r = awc_routine_of(c, in);
        return true;
    }
    if (saves(c->codec, result) && result < in->best_bytes) {
        in->best_bytes = (uint16_t)result;
        in->best_algorithm = in->algorithm;
    }
    if (!c->codec->is_chosen && in->algorithm + 1u < c->codec->n) {
        in->algorithm++;
        in->is_searched = false;
        awc_forms_choose(c, in);
        in->r = awc_routine_of(c, in);
        return true;
    }
    if (in->best_bytes < AWC_LINE) {
        in->job.bytes = in->best_bytes;
        in->job.algorithm = in->best_algorithm;
    }
    in->job.began = in->began;
    c->codec_stats.not_encoded += in->best_bytes == AWC_LINE;
    awc_note_worth(c, in->job.line, in->best_bytes < AWC_LINE);
    c->stats.encoded++;
    return false;
}

void awc_drop_job(struct awc *c, struct instance *in)
{
    in->job.bytes = AWC_LINE;
    in->job.is_left = true;
    push_done(c, &in->job);
}

static bool encoded(struct awc *c, struct sm *sm, struct awt_row *row)
{
    uint32_t result;
    char *dst = awc_results(c, row, &result);
    awc_forms_close(c, row->in, dst, &result);
    if (c->verify)
        verify_store(c, sm, row, (const uint8_t *)dst, result);
    return finish_store(c, row, result);
}

static void decoded(struct awc *c, struct sm *sm, struct awt_row *row)
{
    uint32_t none;
    c->stats.decoded++;
    if (!c->verify)
        return;
    c->stats.verified++;
    compare(sm, row, (const uint8_t *)awc_results(c, row, &none), row->in->raw, AWC_LINE);
}

bool awc_finish_job(struct awc *c, struct sm *sm, struct awt_row *row)
{
    if (row->in->job.kind != CODEC_STORE)
        decoded(c, sm, row);
    else if (encoded(c, sm, row))
        return true;
    push_done(c, &row->in->job);
    return false;
}

/* --- the seam --- */

static bool done(void *self, cycle_t now, struct codec_job *job)
{
    struct awc *c = self;
    if (c->held_at < c->held.len && UNLIKELY(is_due(c, now)))
        awc_release_held(c, now, false);
    if (c->done_at == c->done.len)
        return false;
    *job = c->done.data[c->done_at++];
    return true;
}

static cycle_t next(const void *self, cycle_t now)
{
    const struct awc *c = self;
    if (c->done_at < c->done.len)
        return now;
    if (c->held_at == c->held.len)
        return CYCLE_NEVER;
    return is_crowded(c) ? now : c->held.data[c->held_at].due;
}

struct codec_engine awc_engine(struct awc *c, const struct line_codecs *codec,
                               const struct store_room *room, bool verify)
{
    c->codec = codec;
    awc_forms_bind(c);
    c->room = *room;
    c->spare_seen = UINT64_MAX; /* measured anew */
    c->verify = verify;
    return (struct codec_engine){submit, done, next, c, codec_engine_null.join};
}
