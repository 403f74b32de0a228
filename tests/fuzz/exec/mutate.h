/* Mutations of PTX text by whole tokens, most of which still parse. */
#ifndef TESTS_FUZZ_EXEC_MUTATE_H
#define TESTS_FUZZ_EXEC_MUTATE_H

#include "base/common.h"

/* Changes the text in place, up to `max` bytes; returns its new length. */
size_t mutate_ptx(char *text, size_t len, size_t max, unsigned seed);

#endif
