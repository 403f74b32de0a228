/* A folder of a test's own, which is gone afterwards. */
#ifndef TESTS_STUDY_SUPPORT_FOLDER_H
#define TESTS_STUDY_SUPPORT_FOLDER_H

#include "base/err.h"

/* For cmocka_unit_test_setup_teardown(): *state is the folder's path. */
int folder_make(void **state);
int folder_remove(void **state);
/* NAME in it; to be freed. */
char *folder_path(void *const *state, const char *name);
/* The text of a file in it; NULL: there is none. To be freed. */
char *folder_read(void *const *state, const char *name);
void folder_write(void *const *state, const char *name, const void *data, size_t bytes);

#endif
