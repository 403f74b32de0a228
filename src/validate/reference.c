/* Reference tables: CSV files. */
#include "base/file.h"
#include "validate/validate_int.h"

#include <stdlib.h>
#include <string.h>

/* Takes one field off `*p` in place; `*end_of_line` says what followed it. */
static char *field_take(char **p, bool *end_of_line)
{
    char *s = *p, *out = s, *start = s;
    bool quoted = *s == '"';
    if (quoted)
        s++;
    while (*s && (quoted || (*s != ',' && *s != '\n' && *s != '\r'))) {
        if (quoted && *s == '"') {
            if (s[1] != '"') {
                quoted = false;
                s++;
                continue;
            }
            s++;
        }
        *out++ = *s++;
    }
    *end_of_line = *s != ',';
    while (*s == '\r' || (*end_of_line && *s == '\n'))
        s++;
    if (!*end_of_line)
        s++;
    *out = '\0';
    *p = s;
    return start;
}

bool reference_load(struct reference *t, const char *dir, const char *file, struct err *err)
{
    *t = (struct reference){0};
    char *path = xasprintf("%s/%s", dir, file);
    size_t len;
    char *text = file_read(path, &len, err);
    free(path);
    if (!text)
        return false;
    char *p = arena_strndup(&t->arena, text, len);
    free(text);
    VEC(char *) cells = {0};
    VEC(char **) rows = {0};
    while (*p) {
        bool end = false;
        cells.len = 0;
        while (!end)
            vec_push(&cells, field_take(&p, &end));
        if (!t->ncols)
            t->ncols = cells.len;
        char **row = arena_array(&t->arena, char *, t->ncols);
        for (size_t i = 0; i < t->ncols; i++)
            row[i] = i < cells.len ? cells.data[i] : arena_strndup(&t->arena, "", 0);
        vec_push(&rows, row);
    }
    t->nrows = rows.len ? rows.len - 1 : 0;
    t->rows = arena_array(&t->arena, char **, t->nrows + 1);
    for (size_t i = 0; i < t->nrows; i++)
        t->rows[i] = rows.data[i + 1];
    t->names = rows.len ? rows.data[0] : NULL;
    vec_free(&cells);
    vec_free(&rows);
    return t->nrows || err_set(err, "%s/%s: no rows", dir, file);
}

void reference_free(struct reference *t)
{
    arena_free(&t->arena);
}

const char *reference_text(const struct reference *t, size_t row, const char *column)
{
    for (size_t i = 0; i < t->ncols; i++)
        if (!strcmp(t->names[i], column))
            return t->rows[row][i];
    return "";
}

double reference_number(const struct reference *t, size_t row, const char *column)
{
    return strtod(reference_text(t, row, column), NULL);
}
