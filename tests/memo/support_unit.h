/* A unit with the settings that a test names. */
#ifndef TESTS_MEMO_SUPPORT_UNIT_H
#define TESTS_MEMO_SUPPORT_UNIT_H

#include "memo/memo.h"

enum { WAY_SETS = 1024 }; /* of 64 bytes in a way of a cache of 1 MB with 16 */

/* Defaults, then "l1_bytes=4K monitor=lut": assignments apart by spaces. */
struct memo_cfg cfg_of(const char *settings);
struct memo_unit *unit_of(const char *settings);

/* One pass of a region with an input of 4 bytes: lookup, and an update if it misses. */
enum memo_answer pass(struct memo_unit *u, unsigned lut, uint32_t input, uint64_t result);

uint32_t bits_of(float v);

#endif
