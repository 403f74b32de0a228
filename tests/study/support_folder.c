/* A folder of a test's own. */
#define _XOPEN_SOURCE 700 /* nftw() */
#include "study/support_folder.h"

#include "base/file.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

int folder_make(void **state)
{
    *state = xstrdup("/tmp/parsim-test-study-XXXXXX");
    return mkdtemp(*state) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st, (void)type, (void)walk;
    return remove(path);
}

int folder_remove(void **state)
{
    if (nftw(*state, remove_one, 8, FTW_DEPTH | FTW_PHYS))
        return -1;
    free(*state);
    return 0;
}

char *folder_path(void *const *state, const char *name)
{
    return xasprintf("%s/%s", (const char *)*state, name);
}

char *folder_read(void *const *state, const char *name)
{
    char *path = folder_path(state, name);
    size_t len;
    char *text = file_read(path, &len, NULL);
    free(path);
    return text;
}

void folder_write(void *const *state, const char *name, const void *data, size_t bytes)
{
    struct err err = {0};
    char *path = folder_path(state, name);
    if (!file_write(path, data, bytes, &err))
        fail_msg("%s", err.msg);
    free(path);
}
