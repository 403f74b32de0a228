/* Reads marks by the rows of ptx_marks.def. */
#include "ptx/marks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct row {
    const char *family, *word, *items;
};

static const struct row rows[] = {
#define MARK(family, word, items) {family, word, items},
#include "ptx/ptx_marks.def"
#undef MARK
};

/* A stretch of text: a word of the mark, or an item of its row without its brackets. */
struct span {
    const char *s;
    size_t len;
};

struct reading {
    const char *text;
    const struct row *row;
    struct ptx_mark *mark;
    struct ptx_mark_error *err;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The next word at or behind *p, which moves behind it; of length 0 at the end. */
static struct span next_word(const char **p)
{
    while (is_blank(**p))
        ++*p;
    struct span w = {*p, 0};
    while (**p && !is_blank(**p))
        ++*p;
    w.len = (size_t)(*p - w.s);
    return w;
}

static bool span_is(struct span a, const char *text)
{
    return strlen(text) == a.len && !memcmp(a.s, text, a.len);
}

PRINTF_LIKE(3, 4)
static bool wrong(const struct reading *r, const char *at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(r->err->msg, sizeof r->err->msg, fmt, ap);
    va_end(ap);
    r->err->at = (size_t)(at - r->text);
    return false;
}

/* The row's own form behind what is wrong. */
static bool wrong_form(const struct reading *r, const char *at, const char *what, struct span w)
{
    return wrong(r, at, "%s '%.*s'; it should be \"%s %s%s%s\"", what,
                 (int)(w.len < 40 ? w.len : 40), w.s, r->row->family, r->row->word,
                 *r->row->items ? " " : "", r->row->items);
}

/* --- values --- */

/* One number of `item`'s range at *p, which moves behind it. */
static bool read_number(struct span range, const char **p, const char *end, uint32_t *out)
{
    unsigned least, most;
    const char *s = *p;
    if (sscanf(range.s, "%9u..%9u", &least, &most) != 2)
        return false;
    *out = 0;
    while (*p < end && **p >= '0' && **p <= '9' && *out < 1000)
        *out = *out * 10 + (uint32_t)(*(*p)++ - '0');
    return *p > s && *out >= least && *out <= most;
}

static bool read_numbers(struct span form, struct span value, bool is_list, uint32_t *out)
{
    const char *p = value.s, *end = value.s + value.len;
    uint32_t n;
    if (!is_list)
        return read_number(form, &p, end, out) && p == end;
    for (*out = 0;; p++) {
        if (!read_number(form, &p, end, &n) || n >= PTX_MARK_LIST_MAX || *out >> n & 1)
            return false;
        *out |= 1u << n;
        if (p == end || *p != ',')
            return p == end;
    }
}

/* "%a", or "%a,%b". */
static bool are_registers(struct span value, bool is_list)
{
    bool at_start = true;
    for (size_t i = 0; i < value.len; i++) {
        if (value.s[i] == ',' && (at_start || !is_list))
            return false;
        at_start = value.s[i] == ',';
    }
    return value.len && !at_start;
}

static bool read_value(struct span form, struct span value, struct ptx_mark_item *to)
{
    const bool is_list = form.len > 4 && !memcmp(form.s + form.len - 4, ",...", 4);
    to->text = value.s;
    to->len = value.len;
    return form.s[0] == '%' ? are_registers(value, is_list)
                            : read_numbers(form, value, is_list, &to->value);
}

/* Which of "one|other" it is. */
static bool read_choice(struct span item, struct span w, struct ptx_mark_item *to)
{
    for (const char *p = item.s, *end = item.s + item.len; p < end; p++, to->value++) {
        const char *bar = memchr(p, '|', (size_t)(end - p));
        const size_t len = (size_t)((bar ? bar : end) - p);
        if (len == w.len && !memcmp(p, w.s, len))
            return true;
        p += len;
    }
    return false;
}

/* --- items --- */

/* The i-th item of the row; of length 0: there are fewer. */
static struct span item_at(const struct row *row, unsigned i, bool *is_needed)
{
    const char *p = row->items;
    struct span w = next_word(&p);
    while (i--)
        w = next_word(&p);
    *is_needed = w.len && *w.s != '[';
    return w.len && *w.s == '[' ? (struct span){w.s + 1, w.len - 2} : w;
}

/* Whether `w` is meant for the item: the same key, or one of its words. */
static bool is_for(struct span item, struct span w)
{
    const char *eq = memchr(item.s, '=', item.len);
    struct ptx_mark_item any = {0};
    const size_t key = eq ? (size_t)(eq - item.s) + 1 : 0;
    return eq ? w.len >= key && !memcmp(item.s, w.s, key) : read_choice(item, w, &any);
}

static bool read_item(const struct reading *r, struct span item, struct span w,
                      struct ptx_mark_item *to)
{
    const char *eq = memchr(item.s, '=', item.len);
    const size_t key = eq ? (size_t)(eq - item.s) + 1 : 0;
    const struct ptx_mark_item fresh = {.is_given = true};
    if (to->is_given)
        return wrong_form(r, w.s, "a second", w);
    *to = fresh;
    if (!eq)
        return read_choice(item, w, to);
    const struct span form = {eq + 1, item.len - key}, value = {w.s + key, w.len - key};
    return read_value(form, value, to) || wrong_form(r, value.s, "not", w);
}

static bool read_word(const struct reading *r, struct span w)
{
    bool is_needed;
    for (unsigned i = 0; i < PTX_MARK_ITEMS; i++) {
        const struct span item = item_at(r->row, i, &is_needed);
        if (!item.len)
            break;
        if (is_for(item, w))
            return read_item(r, item, w, &r->mark->items[i]);
    }
    return wrong_form(r, w.s, "there is no", w);
}

static bool read_items(const struct reading *r, const char *p)
{
    bool is_needed;
    for (struct span w = next_word(&p); w.len; w = next_word(&p))
        if (!read_word(r, w))
            return false;
    for (unsigned i = 0; i < PTX_MARK_ITEMS; i++) {
        const struct span item = item_at(r->row, i, &is_needed);
        if (is_needed && !r->mark->items[i].is_given)
            return wrong_form(r, p, "without", item);
    }
    return true;
}

/* --- marks --- */

/* "load, begin or end": the words of a family. */
static bool wrong_mark(const struct reading *r, struct span family, struct span word)
{
    char list[160] = "none";
    size_t len = 0;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (span_is(family, rows[i].family) && rows[i].word && len < sizeof list)
            len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", len ? ", " : "",
                                    rows[i].word);
    return wrong(r, word.s, "there is no mark \"%.*s %.*s\"; of \"%.*s\" there are: %s",
                 (int)family.len, family.s, (int)(word.len < 40 ? word.len : 40), word.s,
                 (int)family.len, family.s, list);
}

enum ptx_mark_kind ptx_mark_read(const char *text, struct ptx_mark *m, struct ptx_mark_error *e)
{
    struct reading r = {text, NULL, m, e};
    const char *p = text;
    const struct span family = next_word(&p), word = next_word(&p);
    bool is_ours = false;
    *m = (struct ptx_mark){0};
    for (size_t i = 0; i < ARRAY_LEN(rows) && !r.row; i++) {
        if (!span_is(family, rows[i].family))
            continue;
        is_ours = true;
        if (rows[i].word && span_is(word, rows[i].word))
            r.row = &rows[i];
    }
    if (!is_ours)
        return PTX_MARK_NONE;
    if (!r.row)
        return wrong_mark(&r, family, word), PTX_MARK_BAD;
    m->family = r.row->family;
    m->word = r.row->word;
    return read_items(&r, p) ? PTX_MARK_GOOD : PTX_MARK_BAD;
}

bool ptx_mark_is(const struct ptx_mark *m, const char *family, const char *word)
{
    return m->family && !strcmp(m->family, family) && !strcmp(m->word, word);
}
