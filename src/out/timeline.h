/* A timeline in the Trace Event Format, which ui.perfetto.dev and chrome://tracing show. Every
 * source has a buffer of its own, so that sources on different host threads share nothing; where
 * they meet, timeline_flush() merges the buffers by (time, source) and writes, so that the file is
 * the same for every number of threads. */
#ifndef OUT_TIMELINE_H
#define OUT_TIMELINE_H

#include "base/err.h"

enum timeline_name { TIMELINE_PLAIN, TIMELINE_NUMBERED, TIMELINE_ADDRESS };

struct timeline_event {
    uint64_t ps, dur; /* picoseconds */
    const char *name; /* an identifier that lives as long as the timeline: nothing is quoted */
    enum timeline_name form;
    uint64_t number; /* shown behind the name */
    uint64_t id;     /* of an asynchronous event */
    uint32_t tid;    /* the track in its process */
    char ph;         /* as the format has it: B, E, X (with dur), b and e (with id) */
};

struct timeline;
struct timeline_source;

/* Compressed if the name ends in ".gz". */
struct timeline *timeline_new(const char *path, uint64_t limit, struct err *err);
/* There is no file, if nobody closed it. */
void timeline_free(struct timeline *t);
/* Names a process; `number` < 0: it has none. */
void timeline_name_process(struct timeline *t, uint32_t pid, const char *name, int64_t number);
/* A source of events of that process. It lives as long as the timeline. `lane_name` says what its
 * tracks are called, with a number behind if it sets one; NULL: they have no names. */
struct timeline_source *timeline_add_source(struct timeline *t, uint32_t pid,
                                            const char *(*lane_name)(uint32_t tid,
                                                                     uint32_t *number));
void timeline_put(struct timeline_source *s, const struct timeline_event *e);
/* Writes what sources have; false: the limit has been reached, and nothing more will be. */
bool timeline_flush(struct timeline *t);
/* Writes an event at once. */
void timeline_write(struct timeline *t, uint32_t pid, const struct timeline_event *e);
/* Ends the file; `interrupted` is the signal that stopped what is shown, or 0. Once. */
bool timeline_close(struct timeline *t, int interrupted, struct err *err);

#endif
