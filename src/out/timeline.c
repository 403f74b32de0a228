/* Buffers by source, merged and written as JSON. */
#include "out/timeline.h"

#include "base/interrupt.h"
#include "base/outfile.h"
#include "base/vec.h"
#include "out/gzip_stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LANES_NAMED = 512 };

/* An event with its place among others of the same time. */
struct entry {
    struct timeline_event event;
    uint32_t source, order;
};

struct timeline_source {
    uint32_t index, pid;
    const char *(*lane_name)(uint32_t tid, uint32_t *number);
    uint64_t named[LANES_NAMED / 64]; /* tracks of which the file has the name */
    VEC(struct entry) events;
};

struct timeline {
    struct outfile *file; /* NULL: closed */
    FILE *out;            /* the same, or what compresses into it */
    bool is_packed;
    uint64_t left;
    VEC(struct timeline_source *) sources;
    VEC(struct entry) merged;
    bool has_event;
};

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), k = strlen(end);
    return n > k && !strcmp(text + n - k, end);
}

struct timeline *timeline_new(const char *path, uint64_t limit, struct err *err)
{
    struct outfile *file = outfile_open(path, err);
    const bool is_packed = ends_with(path, ".gz");
    FILE *out = !file ? NULL : is_packed ? gzip_stream(outfile_stream(file)) : outfile_stream(file);
    if (!out) {
        outfile_discard(file);
        if (file)
            err_set(err, "%s: no memory to compress it", path);
        return NULL;
    }
    struct timeline *t = xcalloc(1, sizeof *t);
    t->file = file;
    t->out = out;
    t->is_packed = is_packed;
    t->left = limit;
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", t->out);
    return t;
}

struct timeline_source *timeline_add_source(struct timeline *t, uint32_t pid,
                                            const char *(*lane_name)(uint32_t, uint32_t *))
{
    struct timeline_source *s = xcalloc(1, sizeof *s);
    s->lane_name = lane_name;
    s->index = (uint32_t)t->sources.len;
    s->pid = pid;
    vec_push(&t->sources, s);
    return s;
}

void timeline_put(struct timeline_source *s, const struct timeline_event *e)
{
    vec_push(&s->events, ((struct entry){*e, s->index, (uint32_t)s->events.len}));
}

/* --- the file --- */

static void begin_event(struct timeline *t)
{
    fputs(t->has_event ? ",\n" : "\n", t->out);
    t->has_event = true;
}

void timeline_name_process(struct timeline *t, uint32_t pid, const char *name, int64_t number)
{
    begin_event(t);
    fprintf(t->out, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"%s",
            pid, name);
    if (number >= 0)
        fprintf(t->out, " %" PRId64, number);
    fprintf(t->out, "\"}}");
}

static void write_us(FILE *f, const char *key, uint64_t ps)
{
    fprintf(f, ",\"%s\":%" PRIu64 ".%06" PRIu64, key, ps / 1000000, ps % 1000000);
}

static void write_name(FILE *f, const struct timeline_event *e)
{
    if (e->form == TIMELINE_ADDRESS)
        fprintf(f, "\"%s 0x%" PRIx64 "\"", e->name, e->number);
    else if (e->form == TIMELINE_NUMBERED)
        fprintf(f, "\"%s %" PRIu64 "\"", e->name, e->number);
    else
        fprintf(f, "\"%s\"", e->name);
}

static void write_event(struct timeline *t, uint32_t pid, uint32_t source,
                        const struct timeline_event *e)
{
    begin_event(t);
    fprintf(t->out, "{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,\"name\":", e->ph, pid, e->tid);
    write_name(t->out, e);
    write_us(t->out, "ts", e->ps);
    if (e->ph == 'X')
        write_us(t->out, "dur", e->dur);
    if (e->ph == 'b' || e->ph == 'e')
        fprintf(t->out, ",\"cat\":\"load\",\"id\":\"%u.%" PRIu64 "\"", source, e->id);
    fputc('}', t->out);
}

void timeline_write(struct timeline *t, uint32_t pid, const struct timeline_event *e)
{
    write_event(t, pid, 0, e);
}

/* The name of a track, before its first event. */
static void name_lane(struct timeline *t, struct timeline_source *s, const struct timeline_event *e)
{
    uint64_t *word = &s->named[e->tid / 64 % ARRAY_LEN(s->named)];
    const uint64_t bit = UINT64_C(1) << e->tid % 64;
    if (!s->lane_name || e->ph == 'b' || e->ph == 'e' || e->tid >= LANES_NAMED || *word & bit)
        return;
    uint32_t number = UINT32_MAX;
    const char *name = s->lane_name(e->tid, &number);
    *word |= bit;
    begin_event(t);
    fprintf(t->out, "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\",", s->pid,
            e->tid);
    fprintf(t->out, "\"args\":{\"name\":\"%s", name);
    if (number != UINT32_MAX)
        fprintf(t->out, " %u", number);
    fputs("\"}}", t->out);
}

static int by_time(const void *pa, const void *pb)
{
    const struct entry *a = pa, *b = pb;
    if (a->event.ps != b->event.ps)
        return a->event.ps < b->event.ps ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

bool timeline_flush(struct timeline *t)
{
    t->merged.len = 0;
    for (size_t i = 0; i < t->sources.len; i++) {
        struct timeline_source *s = t->sources.data[i];
        for (size_t k = 0; k < s->events.len; k++)
            vec_push(&t->merged, s->events.data[k]);
        s->events.len = 0;
    }
    if (t->merged.len)
        qsort(t->merged.data, t->merged.len, sizeof *t->merged.data, by_time);
    for (size_t i = 0; i < t->merged.len && t->left; i++, t->left--) {
        const struct entry *e = &t->merged.data[i];
        name_lane(t, t->sources.data[e->source], &e->event);
        write_event(t, t->sources.data[e->source]->pid, e->source, &e->event);
    }
    return t->left > 0;
}

bool timeline_close(struct timeline *t, int interrupted, struct err *err)
{
    struct outfile *file = t->file;
    fputs("\n]", t->out);
    if (interrupted)
        fprintf(t->out, ",\"otherData\":{\"interrupted\":\"%s\"}", interrupt_name(interrupted));
    fputs("}\n", t->out);
    if (t->is_packed)
        fclose(t->out);
    t->file = NULL;
    return outfile_close(file, err);
}

void timeline_free(struct timeline *t)
{
    if (!t)
        return;
    if (t->file && t->is_packed)
        fclose(t->out);
    outfile_discard(t->file);
    for (size_t i = 0; i < t->sources.len; i++) {
        vec_free(&t->sources.data[i]->events);
        free(t->sources.data[i]);
    }
    vec_free(&t->sources);
    vec_free(&t->merged);
    free(t);
}
