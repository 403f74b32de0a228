/* Names of C++ functions as people write them, from names as linkers see them (Itanium ABI:
 * "_Z..."). What is not understood stays as it is. */
#ifndef BASE_DEMANGLE_H
#define BASE_DEMANGLE_H

#include "base/common.h"

/* "void" of a return type is left out: "ns::scale<float, 4>(float*, int)". To be freed. */
char *demangle(const char *name);
/* The same without parameters. To be freed. */
char *demangle_short(const char *name);

/* Names for a column that is `width` wide: each without parameters, cut in its middle where it is
 * longer, and so that different names stay different (with parameters, uncut, at last by number).
 * Texts and the list are to be freed. */
char **demangle_column(const char *const *names, size_t n, size_t width);

#endif
