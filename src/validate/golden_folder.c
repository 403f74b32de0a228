/* A folder of vectors: every NAME.vec with its NAME.ptx, plain or compressed. */
#include "validate/golden.h"

#include "base/file.h"
#include "base/vec.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Reads path, or path.zst decompressed. */
static char *read_maybe_zst(const char *path, size_t *len, struct err *err)
{
    char *text = file_read(path, len, err);
    if (text)
        return text;
    char *zst = xasprintf("%s.zst", path);
    size_t n;
    char *packed = file_read(zst, &n, NULL);
    free(zst);
    if (!packed)
        return NULL;
    unsigned long long size = ZSTD_getFrameContentSize(packed, n);
    if (size < (1ull << 32)) {
        text = xmalloc(size + 1);
        *len = ZSTD_decompress(text, size, packed, n);
        if (ZSTD_isError(*len)) {
            free(text);
            text = NULL;
        } else {
            text[*len] = 0;
        }
    }
    free(packed);
    if (!text)
        err_set(err, "%s.zst is damaged", path);
    return text;
}

static bool run_pair(const char *dir, const char *name, const struct session_options *o, FILE *out,
                     struct golden_count *count, struct err *err)
{
    char *ptx_path = xasprintf("%s/%s.ptx", dir, name),
         *vec_path = xasprintf("%s/%s.vec", dir, name);
    size_t ptx_len = 0, vec_len = 0;
    char *ptx = read_maybe_zst(ptx_path, &ptx_len, err);
    char *vec = ptx ? read_maybe_zst(vec_path, &vec_len, err) : NULL;
    struct ptx_module *m = vec ? ptx_parse(ptx_path, ptx, ptx_len, err) : NULL;
    struct session *s = m ? session_new(o, err) : NULL;
    struct program *p = s ? program_load(session_device(s), &m, 1, err) : NULL;
    bool ok = p && golden_run_vectors(name, vec, s, p, out, count, err);
    program_unload(p);
    session_free(s);
    free(ptx);
    free(vec);
    free(ptx_path);
    free(vec_path);
    return ok;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of NAME.vec and NAME.vec.zst, sorted, each once. */
static bool list_names(const char *dir, char ***names, size_t *n)
{
    VEC(char *) v = {0};
    DIR *d = opendir(dir);
    if (!d)
        return false;
    for (struct dirent *e; (e = readdir(d));) {
        const char *dot = strstr(e->d_name, ".vec");
        if (dot && (!dot[4] || !strcmp(dot + 4, ".zst"))) {
            char *s = xstrdup(e->d_name);
            s[dot - e->d_name] = 0;
            vec_push(&v, s);
        }
    }
    closedir(d);
    if (v.len)
        qsort(v.data, v.len, sizeof(char *), by_name);
    *n = 0;
    for (size_t i = 0; i < v.len; i++) {
        if (*n && !strcmp(v.data[i], v.data[*n - 1]))
            free(v.data[i]);
        else
            v.data[(*n)++] = v.data[i];
    }
    *names = v.data;
    return true;
}

bool golden_run_folder(const char *dir, const struct session_options *o, FILE *out,
                       struct golden_count *count, struct err *err)
{
    char **names;
    size_t n;
    count->hash = UINT64_C(0xcbf29ce484222325);
    if (!list_names(dir, &names, &n))
        return err_set(err, "cannot read the folder %s", dir);
    bool ok = n || err_set(err, "%s has no .vec files", dir);
    for (size_t i = 0; i < n; i++) {
        ok = ok && run_pair(dir, names[i], o, out, count, err);
        free(names[i]);
    }
    free(names);
    return ok;
}
