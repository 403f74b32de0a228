/* Short ways to parse text in tests. */
#ifndef TESTS_PTX_SUPPORT_PARSE_H
#define TESTS_PTX_SUPPORT_PARSE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/cfg.h"
#include "ptx/ir.h"
#include "ptx/regs.h"

#define PTX_HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

/* Parses all of `text`; fails the test on an error. */
struct ptx_module *parse_text(const char *text);
/* Parses `body` as the body of the entry `k` of a module; declares %r<10> %f<10> %rd<10> %fd<10>
 * %rs<10> %p<10>, and shared array `sh`, global array `gl`. */
struct ptx_module *parse_body_text(const char *body);
/* The first function that has a body. */
struct ptx_func *first_func(const struct ptx_module *m);
/* `text` must be refused with exactly this message. */
void expect_error(const char *text, const char *message);
void expect_body_error(const char *body, const char *message); /* lines counted from the body */

#endif
