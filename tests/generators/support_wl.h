/* What generators need of a run: memory that lives as long. */
#ifndef TESTS_GENERATORS_SUPPORT_WL_H
#define TESTS_GENERATORS_SUPPORT_WL_H

#include "workload.h"

#include <stddef.h>

struct wl *test_wl_new(void);
void test_wl_free(struct wl *w);

#endif
