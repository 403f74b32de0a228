/* --live: what a machine does, some times a second of the host, for out/live.h. Only looks. */
#ifndef GPU_LIVE_VIEW_H
#define GPU_LIVE_VIEW_H

#include "gpu/gpu.h"

struct live_view;

/* NULL with an error: the port cannot be had. */
struct live_view *live_view_new(struct gpu *g, uint64_t port, struct err *err);
void live_view_free(struct live_view *v);

#endif
