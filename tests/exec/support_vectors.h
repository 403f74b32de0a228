/* Vectors for the tests of textures and matrices: compressed files of lines. */
#ifndef TESTS_EXEC_SUPPORT_VECTORS_H
#define TESTS_EXEC_SUPPORT_VECTORS_H

#include "exec/texture_int.h"

/* The text of $PARSIM_TESTS/`path`, to be freed; fails the test if it cannot be read. */
char *vectors_read(const char *path);
/* Cuts the next line off *at; NULL at the end. */
char *vectors_line(char **at);

/* n channels of made-up texels, the same that the GPU was given. `wide`: floats of many
 * magnitudes; `single` >= 0: zeros but for a one there. */
struct texels {
    uint32_t seed;
    bool wide;
    int single;
};
/* Fills in the object's data and its pitches; freed with texels_free(). */
void texels_make(struct tex_object *o, const struct texels *t);
void texels_free(struct tex_object *o);

#endif
