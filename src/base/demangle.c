/* A reader of the grammar's part that names of functions are made of: nested names, template
 * arguments, types, literals, substitutions, lambdas. Anything else ends it. */
#include "base/demangle.h"

#include "base/vec.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64, MAX_TEXT = 4096 };

typedef VEC(char *) strings;

struct reader {
    const char *p;
    strings subs; /* what S_, S0_, ... stand for */
    strings args; /* what T_, T0_, ... stand for: of the template that was read last */
    unsigned depth;
    bool has_args; /* the name that was read last ended in template arguments */
};

static char *read_type(struct reader *r);
static char *read_name(struct reader *r);
static char *read_arguments(struct reader *r, strings *into);

static void drop(strings *s)
{
    for (size_t i = 0; i < s->len; i++)
        free(s->data[i]);
    s->len = 0;
}

/* "a" and "b" become "ab"; both are given up. NULL if one is, or it is too long. */
static char *join(char *a, const char *between, char *b)
{
    char *text = NULL;
    if (a && b && strlen(a) + strlen(b) < MAX_TEXT)
        text = xasprintf("%s%s%s", a, between, b);
    free(a);
    free(b);
    return text;
}

static char *append(char *a, const char *b)
{
    return join(a, "", xstrdup(b));
}

static bool accept(struct reader *r, const char *text)
{
    const size_t n = strlen(text);
    if (strncmp(r->p, text, n))
        return false;
    r->p += n;
    return true;
}

static char *keep(struct reader *r, char *text)
{
    if (text)
        vec_push(&r->subs, xstrdup(text));
    return text;
}

/* --- names --- */

static const struct {
    const char *code, *text;
} operators[] = {
    {"nw", "operator new"}, {"dl", "operator delete"}, {"pl", "operator+"},  {"mi", "operator-"},
    {"ml", "operator*"},    {"dv", "operator/"},       {"rm", "operator%"},  {"an", "operator&"},
    {"or", "operator|"},    {"eo", "operator^"},       {"aS", "operator="},  {"eq", "operator=="},
    {"ne", "operator!="},   {"lt", "operator<"},       {"gt", "operator>"},  {"le", "operator<="},
    {"ge", "operator>="},   {"nt", "operator!"},       {"cl", "operator()"}, {"ix", "operator[]"},
    {"ls", "operator<<"},   {"rs", "operator>>"},      {"pp", "operator++"}, {"mm", "operator--"},
};

/* 5scale */
static char *read_source_name(struct reader *r)
{
    size_t n = 0;
    while (isdigit((unsigned char)*r->p) && n < MAX_TEXT)
        n = n * 10 + (size_t)(*r->p++ - '0');
    if (!n || strnlen(r->p, n) < n)
        return NULL;
    char *text = xasprintf("%.*s", (int)n, r->p);
    r->p += n;
    if (!strncmp(text, "_GLOBAL__N_", strlen("_GLOBAL__N_"))) {
        free(text);
        text = xstrdup("(anonymous)");
    }
    return text;
}

/* UlvE0_: a lambda */
static char *read_lambda(struct reader *r)
{
    char *params = read_arguments(r, NULL);
    if (!params)
        return NULL;
    free(params);
    unsigned long n = 1;
    if (isdigit((unsigned char)*r->p))
        n = strtoul(r->p, (char **)&r->p, 10) + 2;
    return accept(r, "_") ? xasprintf("{lambda#%lu}", n) : NULL;
}

static char *read_unqualified(struct reader *r)
{
    accept(r, "L");
    if (isdigit((unsigned char)*r->p))
        return read_source_name(r);
    if (accept(r, "Ul"))
        return read_lambda(r);
    for (unsigned i = 0; i < ARRAY_LEN(operators); i++)
        if (accept(r, operators[i].code))
            return xstrdup(operators[i].text);
    return NULL;
}

/* --- template arguments --- */

/* L, then a type, a number and E */
static char *read_literal(struct reader *r)
{
    if (accept(r, "_Z"))
        return NULL;
    char *type = read_type(r);
    const char *digits = r->p;
    if (*r->p == 'n')
        r->p++;
    while (isdigit((unsigned char)*r->p))
        r->p++;
    char *text = NULL;
    if (type && *r->p == 'E') {
        const bool is_negative = *digits == 'n';
        const int n = (int)(r->p - digits) - is_negative;
        if (!strcmp(type, "bool"))
            text = xstrdup(digits[0] == '1' ? "true" : "false");
        else if (!strcmp(type, "int") || !strncmp(type, "unsigned", 8) || strstr(type, "long"))
            text = xasprintf("%s%.*s", is_negative ? "-" : "", n, digits + is_negative);
        else
            text =
                xasprintf("(%.200s)%s%.*s", type, is_negative ? "-" : "", n, digits + is_negative);
        r->p++;
    }
    free(type);
    return text;
}

static char *read_argument(struct reader *r, strings *into)
{
    if (accept(r, "L"))
        return read_literal(r);
    if (accept(r, "J"))
        return read_arguments(r, into);
    return *r->p == 'X' ? NULL : read_type(r);
}

/* Up to E, with commas between; each is one of `into`, unless that is NULL. */
static char *read_arguments(struct reader *r, strings *into)
{
    char *all = xstrdup("");
    while (all && *r->p && *r->p != 'E') {
        char *one = read_argument(r, NULL);
        if (one && into)
            vec_push(into, xstrdup(one));
        all = join(all, all[0] ? ", " : "", one);
    }
    if (all && accept(r, "E"))
        return all;
    free(all);
    return NULL;
}

/* I...E behind a name. */
static char *read_template(struct reader *r, char *name)
{
    strings args = {0};
    char *text = read_arguments(r, &args);
    if (!text) {
        drop(&args);
        vec_free(&args);
        free(name);
        return NULL;
    }
    drop(&r->args);
    vec_free(&r->args);
    r->args = args;
    r->has_args = true;
    return append(join(append(name, "<"), "", text), ">");
}

/* --- substitutions --- */

/* _ is the first, 0_ the second, in base 36 */
static char *read_numbered(struct reader *r, const strings *from)
{
    size_t n = 0;
    if (!accept(r, "_")) {
        while (isdigit((unsigned char)*r->p) || isupper((unsigned char)*r->p)) {
            n = n * 36 + (size_t)(isdigit((unsigned char)*r->p) ? *r->p - '0' : *r->p - 'A' + 10);
            r->p++;
        }
        n++;
        if (!accept(r, "_") || n > MAX_TEXT)
            return NULL;
    }
    return n < from->len ? xstrdup(from->data[n]) : NULL;
}

static char *read_substitution(struct reader *r)
{
    static const struct {
        const char *code, *text;
    } known[] = {{"a", "std::allocator"},
                 {"b", "std::basic_string"},
                 {"s", "std::string"},
                 {"i", "std::istream"},
                 {"o", "std::ostream"}};
    for (unsigned i = 0; i < ARRAY_LEN(known); i++)
        if (accept(r, known[i].code))
            return xstrdup(known[i].text);
    if (accept(r, "t")) {
        char *name = read_unqualified(r);
        return keep(r, name ? join(xstrdup("std"), "::", name) : NULL);
    }
    return read_numbered(r, &r->subs);
}

/* --- nested names --- */

/* One more part of a nested name, whose beginning is `all` (NULL: nothing yet), which is given up.
 */
static char *read_part(struct reader *r, char *all)
{
    if (all && accept(r, "I"))
        return read_template(r, all);
    r->has_args = false;
    if (!all && accept(r, "St"))
        return xstrdup("std");
    if (!all && accept(r, "S"))
        return read_substitution(r);
    if (!all && accept(r, "T"))
        return read_numbered(r, &r->args);
    char *last;
    if ((*r->p == 'C' || *r->p == 'D') && isdigit((unsigned char)r->p[1])) {
        r->p += 2;
        last = xstrdup("{constructor}");
    } else {
        last = read_unqualified(r);
    }
    return all ? join(all, "::", last) : last;
}

/* Up to E: parts that are each a prefix of the next. */
static char *read_nested(struct reader *r)
{
    char *all = NULL;
    while (*r->p == 'K' || *r->p == 'V' || *r->p == 'r')
        r->p++;
    while (*r->p && *r->p != 'E') {
        const char *before = r->p;
        const bool is_new = *before != 'S' && *before != 'T'; /* not one that is known */
        all = read_part(r, all);
        if (!all || r->p == before)
            break;
        if (is_new && *r->p != 'E') /* the whole is one only if it is a type */
            keep(r, all);
    }
    if (all && accept(r, "E"))
        return all;
    free(all);
    return NULL;
}

static char *read_encoding(struct reader *r);

static char *read_name(struct reader *r)
{
    char *name;
    r->has_args = false;
    if (accept(r, "N"))
        return read_nested(r);
    if (accept(r, "Z")) {
        char *in = read_encoding(r);
        if (!in || !accept(r, "E")) {
            free(in);
            return NULL;
        }
        accept(r, "s");
        return join(in, "::", read_name(r));
    }
    if (accept(r, "S")) {
        const bool is_std = *r->p == 't';
        name = read_substitution(r);
        if (is_std && *r->p != 'I')
            return name;
    } else {
        name = read_unqualified(r);
        if (name && *r->p == 'I')
            keep(r, name);
    }
    if (name && accept(r, "I"))
        name = read_template(r, name);
    return name;
}

/* --- types --- */

static const char *builtin(struct reader *r)
{
    static const struct {
        const char *code, *text;
    } types[] = {
        {"v", "void"},
        {"b", "bool"},
        {"c", "char"},
        {"a", "signed char"},
        {"h", "unsigned char"},
        {"s", "short"},
        {"t", "unsigned short"},
        {"i", "int"},
        {"j", "unsigned int"},
        {"l", "long"},
        {"m", "unsigned long"},
        {"x", "long long"},
        {"n", "__int128"},
        {"o", "unsigned __int128"},
        {"y", "unsigned long long"},
        {"f", "float"},
        {"d", "double"},
        {"e", "long double"},
        {"w", "wchar_t"},
        {"z", "..."},
        {"Dn", "nullptr_t"},
        {"Dh", "half"},
        {"Di", "char32_t"},
        {"Ds", "char16_t"},
    };
    for (unsigned i = 0; i < ARRAY_LEN(types); i++)
        if (accept(r, types[i].code))
            return types[i].text;
    return NULL;
}

/* P i: what stands behind the type that follows. */
static char *read_derived(struct reader *r, const char *behind)
{
    char *of = read_type(r);
    return of ? keep(r, append(of, behind)) : NULL;
}

/* A10_i */
static char *read_array(struct reader *r)
{
    const char *n = r->p;
    while (isdigit((unsigned char)*r->p))
        r->p++;
    const int len = (int)(r->p - n);
    if (!accept(r, "_"))
        return NULL;
    char *of = read_type(r), *text = of ? xasprintf("%s[%.*s]", of, len, n) : NULL;
    free(of);
    return keep(r, text);
}

/* F v i E: a function's result and parameters */
static char *read_function(struct reader *r)
{
    char *result = read_type(r), *params = result ? read_arguments(r, NULL) : NULL;
    if (params && !strcmp(params, "void"))
        params[0] = 0;
    char *text = params ? xasprintf("%s (%s)", result, params) : NULL;
    free(result);
    free(params);
    return keep(r, text);
}

static char *read_other_type(struct reader *r)
{
    const char *plain = builtin(r);
    if (plain)
        return xstrdup(plain);
    if (accept(r, "P"))
        return read_derived(r, "*");
    if (accept(r, "R"))
        return read_derived(r, "&");
    if (accept(r, "O"))
        return read_derived(r, "&&");
    if (accept(r, "K"))
        return read_derived(r, " const");
    if (accept(r, "V"))
        return read_derived(r, " volatile");
    if (accept(r, "A"))
        return read_array(r);
    if (accept(r, "F"))
        return read_function(r);
    if (accept(r, "Dp"))
        return read_type(r);
    if (accept(r, "T"))
        return keep(r, read_numbered(r, &r->args));
    if (*r->p == 'S' && r->p[1] != 't') {
        r->p++;
        char *name = read_substitution(r);
        return name && accept(r, "I") ? keep(r, read_template(r, name)) : name;
    }
    return keep(r, read_name(r));
}

static char *read_type(struct reader *r)
{
    if (r->depth >= MAX_DEPTH)
        return NULL;
    r->depth++;
    char *text = read_other_type(r);
    r->depth--;
    return text;
}

/* A name, and the parameters of its function; a template says what it returns first. */
static char *read_encoding(struct reader *r)
{
    char *name = read_name(r), *params = xstrdup("");
    if (name && r->has_args && *r->p && *r->p != 'E')
        free(read_type(r));
    while (name && params && *r->p && *r->p != 'E' && *r->p != '.')
        params = join(params, params[0] ? ", " : "", read_type(r));
    if (params && !strcmp(params, "void"))
        params[0] = 0;
    return append(join(append(name, "("), "", params), ")");
}

char *demangle(const char *name)
{
    struct reader r = {.p = name};
    char *text = accept(&r, "_Z") ? read_encoding(&r) : NULL;
    if (text && *r.p && *r.p != '.') {
        free(text);
        text = NULL;
    }
    drop(&r.subs);
    drop(&r.args);
    vec_free(&r.subs);
    vec_free(&r.args);
    return text ? text : xstrdup(name);
}

char *demangle_short(const char *name)
{
    char *text = demangle(name);
    const size_t len = strlen(text);
    unsigned depth = 0;
    if (!len || text[len - 1] != ')' || !strcmp(text, name))
        return text;
    for (size_t i = len; i-- > 0;) {
        depth += text[i] == ')';
        depth -= text[i] == '(';
        if (!depth) {
            if (i)
                text[i] = 0;
            break;
        }
    }
    return text;
}

/* --- columns --- */

static char *cut(const char *text, size_t width)
{
    const size_t len = strlen(text), left = width > 3 ? (width - 2) / 2 : 1;
    if (len <= width || width < 8)
        return xstrdup(text);
    return xasprintf("%.*s..%s", (int)left, text, text + len - (width - 2 - left));
}

static bool are_different(char *const *texts, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (!strcmp(texts[i], texts[k]) && strcmp(names[i], names[k]))
                return false;
    return true;
}

char **demangle_column(const char *const *names, size_t n, size_t width)
{
    char **texts = xcalloc(n + 1, sizeof *texts);
    for (unsigned step = 0; step < 4; step++) {
        for (size_t i = 0; i < n; i++) {
            char *whole = step == 1 || step == 2 ? demangle(names[i]) : demangle_short(names[i]);
            free(texts[i]);
            texts[i] = step == 2 ? xstrdup(whole) : cut(whole, width);
            if (step == 3) {
                char *numbered = xasprintf("%zu:%s", i + 1, texts[i]);
                free(texts[i]);
                texts[i] = numbered;
            }
            free(whole);
        }
        if (are_different(texts, names, n))
            break;
    }
    return texts;
}
