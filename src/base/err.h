/* Errors caused by the user's input.
 *
 * A function that can fail on input takes `struct err *err` as its last argument and returns false
 * (or NULL) after filling it in; on success it leaves it alone. The message is one sentence that
 * names the place (file:line, key) and what would be right; it has no trailing newline.
 * `code` is free for the callee's domain (for example a CUDA error number); 0 = unspecified. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/common.h"

struct err {
    int code;
    char msg[1024];
};

/* Fills in `err` (may be NULL) and returns false, so that `return err_set(err, ...)` reads well. */
bool err_set(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);
bool err_set_code(struct err *err, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Puts "prefix: " before the message that is there already; returns false. */
bool err_prefix(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
