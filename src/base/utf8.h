/* Text of unknown origin (paths, names in a program) as valid UTF-8. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/common.h"

/* Bytes of the character at `text` (not its end); 0: they are no UTF-8. */
unsigned utf8_length(const char *text);
/* A copy in which every byte that is no part of a character is U+FFFD. The caller frees it. */
char *utf8_repair(const char *text);

#endif
