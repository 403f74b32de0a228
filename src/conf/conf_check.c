/* Rows of fields that were not compiled with the tree: whether conf_add() can take them. */
#include "conf/conf_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { STRUCT_MAX = 1 << 20 };

bool conf_is_word(const char *s)
{
    if (!s || !isalpha((unsigned char)*s))
        return false;
    while (isalnum((unsigned char)*s) || *s == '_' || *s == '-')
        s++;
    return !*s;
}

bool conf_is_text(const char *s)
{
    for (; s && *s; s++)
        if (iscntrl((unsigned char)*s))
            return false;
    return s;
}

static size_t member_bytes(enum conf_type t)
{
    switch (t) {
    case CONF_BOOL:
        return sizeof(CONF_MEMBER_BOOL);
    case CONF_INT:
        return sizeof(CONF_MEMBER_INT);
    case CONF_SIZE:
        return sizeof(CONF_MEMBER_SIZE);
    case CONF_REAL:
        return sizeof(CONF_MEMBER_REAL);
    case CONF_ENUM:
        return sizeof(int);
    case CONF_STRING:
        return sizeof(CONF_MEMBER_STRING);
    case CONF_LIST:
        return sizeof(CONF_MEMBER_LIST);
    }
    return 0;
}

static bool is_twice(const struct conf_field *fields, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!strcmp(fields[k].name, fields[i].name))
            return true;
    return false;
}

/* What is wrong with the row itself; NULL = nothing. */
static const char *row_fault(const struct conf_field *f, size_t bytes)
{
    const size_t own = member_bytes(f->type);
    return !own ? "has no type"
           : !conf_is_text(f->dflt) || !conf_is_text(f->unit) || !conf_is_text(f->help)
               ? "lacks a default, a unit or a help text of one line"
           : f->type == CONF_ENUM && !f->choices    ? "has no choices"
           : own > bytes || f->offset > bytes - own ? "lies outside the section's struct"
                                                    : NULL;
}

/* Parses the default, into a struct that nobody keeps. */
static bool default_fits(const struct conf_field *f, size_t bytes, struct err *err)
{
    void *scratch = xcalloc(1, bytes);
    const bool ok = conf_field_parse(f, scratch, f->dflt, NULL, err) ||
                    err_prefix(err, "the default of field '%s'", f->name);
    free(scratch);
    return ok;
}

bool conf_check_fields(const struct conf_field *fields, size_t n, size_t bytes, struct err *err)
{
    if (!fields && n)
        return err_set(err, "%zu fields, and no rows of them", n);
    if (bytes > STRUCT_MAX)
        return err_set(err, "a struct of %zu bytes: at most %d", bytes, STRUCT_MAX);
    for (size_t i = 0; i < n; i++) {
        const struct conf_field *f = &fields[i];
        if (!conf_is_word(f->name))
            return err_set(err, "field %zu has no name of letters, digits, '_' and '-'", i + 1);
        const char *fault = is_twice(fields, i) ? "is there twice" : row_fault(f, bytes);
        if (fault)
            return err_set(err, "field '%s' %s", f->name, fault);
        if (!default_fits(f, bytes, err))
            return false;
    }
    return true;
}
