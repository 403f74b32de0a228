/* Replays files (or folders of files) through a fuzz target, for compilers without libFuzzer. */
#include "base/file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replayed;

static void replay(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        struct dirent **names;
        int n = scandir(path, &names, NULL, alphasort);
        for (int i = 0; i < n; i++) {
            if (names[i]->d_name[0] != '.') {
                char *sub = xasprintf("%s/%s", path, names[i]->d_name);
                replay(sub);
                free(sub);
            }
            free(names[i]);
        }
        free(n >= 0 ? (void *)names : NULL);
        return;
    }
    struct err err;
    size_t len;
    char *data = file_read(path, &len, &err);
    if (!data) {
        fprintf(stderr, "%s\n", err.msg);
        exit(1);
    }
    LLVMFuzzerTestOneInput((const uint8_t *)data, len);
    free(data);
    replayed++;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    printf("%d inputs replayed\n", replayed);
    return replayed ? 0 : 1;
}
