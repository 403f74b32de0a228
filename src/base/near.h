/* For error texts: of many known words the nearest to one that is not known. */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stdbool.h>
#include <stddef.h>

struct near {
    const char *word;
    char *buf; /* the nearest so far */
    size_t size;
    unsigned best;
    bool is_found;
};

void near_begin(struct near *n, const char *word, char *buf, size_t size);
void near_try(struct near *n, const char *known);
/* NULL: none of them is near. */
const char *near_found(const struct near *n);

#endif
