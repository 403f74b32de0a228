/* A view of what is under way, for a browser on this machine: a server on the loopback address that
 * gives a page and the text that was published last. It has a thread of its own and only reads, so
 * that what is simulated does not know of it. */
#ifndef OUT_LIVE_H
#define OUT_LIVE_H

#include "base/err.h"

struct live;

/* Whether the port is free; nothing is left behind. */
bool live_probe(uint64_t port, struct err *err);
struct live *live_new(uint64_t port, struct err *err);
void live_free(struct live *l);
/* JSON for /state.json; takes it over. */
void live_publish(struct live *l, char *json);

/* The page (live_page.c). */
extern const char live_page[];

#endif
