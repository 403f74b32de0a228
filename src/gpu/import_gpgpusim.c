/* Reads options, turns them into settings of a machine, writes those that it takes. */
#include "gpu/import_gpgpusim.h"

#include "base/file.h"
#include "base/vec.h"
#include "gpu/import_int.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- settings --- */

bool import_left(struct import *im, struct import_option *o, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(o->why, sizeof o->why, fmt, ap);
    va_end(ap);
    (void)im;
    return false;
}

/* The machine's own bounds decide: what it does not take is left, with its reason. */
bool import_set(struct import *im, struct import_option *o, const char *key, const char *value)
{
    struct err err = {0};
    if (!conf_set_key(im->machine->conf, key, value, o->name, &err))
        return import_left(im, o, "%s", err.msg);
    o->is_taken = true;
    for (size_t i = 0; i < im->settings.len; i++)
        if (!strcmp(im->settings.data[i].key, key)) {
            snprintf(im->settings.data[i].value, sizeof im->settings.data[i].value, "%s", value);
            im->settings.data[i].from = o;
            return true;
        }
    struct import_setting s = {.from = o};
    snprintf(s.key, sizeof s.key, "%s", key);
    snprintf(s.value, sizeof s.value, "%s", value);
    vec_push(&im->settings, s);
    return true;
}

bool import_set_number(struct import *im, struct import_option *o, const char *key, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.10g", value);
    return import_set(im, o, key, text);
}

const struct import_option *import_find(const struct import *im, const char *name)
{
    const struct import_option *found = NULL;
    for (size_t i = 0; i < im->options.len; i++)
        if (!strcmp(im->options.data[i].name, name))
            found = &im->options.data[i]; /* the last one counts */
    return found;
}

double import_number(const struct import *im, const char *name, double otherwise)
{
    const struct import_option *o = import_find(im, name);
    char *end;
    const double v = o ? strtod(o->value, &end) : 0;
    return o && end != o->value && isfinite(v) ? v : otherwise;
}

/* --- reading --- */

struct reader {
    const char *path;
    char *at;
    unsigned line;
};

static void skip_blanks(struct reader *r)
{
    while (*r->at && (isspace((unsigned char)*r->at) || *r->at == '#')) {
        if (*r->at == '#')
            r->at += strcspn(r->at, "\n");
        else
            r->line += *r->at++ == '\n';
    }
}

/* Up to white space; within quotes white space goes, line breaks too. */
static char *next_word(struct reader *r)
{
    char *to = r->at, *word = to;
    bool is_quoted = false;
    for (; *r->at && (is_quoted || !isspace((unsigned char)*r->at)); r->at++) {
        r->line += *r->at == '\n';
        if (*r->at == '"')
            is_quoted = !is_quoted;
        else if (!isspace((unsigned char)*r->at))
            *to++ = *r->at;
    }
    if (*r->at)
        r->line += *r->at++ == '\n';
    *to = 0;
    return word;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && isalpha((unsigned char)word[1]);
}

static bool read_options(struct import *im, struct reader *r, struct err *err)
{
    for (skip_blanks(r); *r->at; skip_blanks(r)) {
        struct import_option o = {.line = r->line, .name = next_word(r), .value = ""};
        if (!is_option(o.name))
            return err_set(err, "%s:%u: expected an option ('-gpgpu_n_clusters 15'), found '%.40s'",
                           r->path, o.line, o.name);
        o.name++;
        skip_blanks(r);
        if (*r->at && !is_option(r->at))
            o.value = next_word(r);
        vec_push(&im->options, o);
    }
    return im->options.len || err_set(err, "%s: no option in it", r->path);
}

/* --- all of them --- */

static const struct import_row {
    const char *name, *to;
    import_fn *take;
} rows[] = {
#define OPTION(name, how, to) {#name, to, import_as_##how},
#include "gpu/import_gpgpusim.def"
};

static void take_option(struct import *im, struct import_option *o)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (!strcmp(rows[i].name, o->name)) {
            if (*o->value)
                rows[i].take(im, o, rows[i].to);
            else
                import_left(im, o, "it has no value");
            return;
        }
    import_left(im, o, "no field of ours");
}

static void write_settings(const struct import *im, FILE *out)
{
    static const char *const sections[] = {"gpu", "sm",  "l1", "l1c", "l1t", "l1i",
                                           "noc", "map", "l2", "mc",  "dram"};
    for (size_t s = 0; s < ARRAY_LEN(sections); s++) {
        const size_t n = strlen(sections[s]);
        bool is_first = strcmp(sections[s], "gpu") != 0; /* which has begun */
        for (size_t i = 0; i < im->settings.len; i++) {
            const struct import_setting *at = &im->settings.data[i];
            if (strncmp(at->key, sections[s], n) || at->key[n] != '.')
                continue;
            if (is_first)
                fprintf(out, "%s:\n", sections[s]);
            is_first = false;
            fprintf(out, "  %s: %s    # line %u: -%s\n", at->key + n + 1, at->value, at->from->line,
                    at->from->name);
        }
    }
}

/* In a comment or a value of YAML: nothing that ends a line, and nothing that nobody can print. */
static void write_text(FILE *out, const char *text, size_t most)
{
    for (; *text && most; text++, most--)
        fputc((unsigned char)*text < 0x20 || (unsigned char)*text > 0x7e ? '?' : *text, out);
}

static void write_left(const struct import_option *o, FILE *out)
{
    fprintf(out, "#   line %u: -", o->line);
    write_text(out, o->name, 80);
    fputc(' ', out);
    write_text(out, o->value, 80);
    fputs(": ", out);
    write_text(out, o->why, sizeof o->why);
    fputc('\n', out);
}

static void write_machine(struct import *im, const char *path, const char *name, FILE *out)
{
    fputs("# Made by 'parsim gpus --import ", out);
    write_text(out, path, SIZE_MAX);
    fprintf(out,
            "'. What it does not say is that of the base.\n"
            "base: %s\ngpu:\n  name: %s\n  about: imported from a configuration of GPGPU-Sim\n"
            "  calibration: nothing; GPGPU-Sim's configuration, as far as it could be taken over\n",
            IMPORT_BASE, name);
    write_settings(im, out);
    fprintf(out, "# Not taken over:\n");
    for (size_t i = 0; i < im->options.len; i++) {
        const struct import_option *o = &im->options.data[i];
        if (!o->is_taken || *o->why)
            write_left(o, out);
    }
}

/* Of "a/SM7_QV100/gpgpusim.config": sm7_qv100. */
static void name_of(const char *path, char *name, size_t size)
{
    const char *end = strrchr(path, '/'), *from = path;
    const char *base = end ? end + 1 : path;
    if (end && !strcmp(base, "gpgpusim.config")) {
        for (from = end; from > path && from[-1] != '/';)
            from--;
    } else {
        from = base;
        end = strrchr(base, '.');
    }
    size_t n = 0;
    for (; *from && from != end && n + 1 < size; from++)
        name[n++] = (char)(isalnum((unsigned char)*from) ? tolower((unsigned char)*from) : '_');
    name[n] = 0;
    if (!n || !isalpha((unsigned char)name[0]))
        snprintf(name, size, "imported");
}

static void finish(struct import *im, struct import_count *count)
{
    for (size_t i = 0; i < im->options.len; i++)
        ++*(im->options.data[i].is_taken ? &count->taken : &count->left);
    VEC(const char *) sets = {0};
    VEC(char *) texts = {0};
    for (size_t i = 0; i < im->settings.len; i++) {
        vec_push(&texts, xasprintf("%s=%s", im->settings.data[i].key, im->settings.data[i].value));
        vec_push(&sets, texts.data[i]);
    }
    struct machine *m = machine_new(IMPORT_BASE, sets.data, sets.len, &count->refused);
    machine_free(m);
    for (size_t i = 0; i < texts.len; i++)
        free(texts.data[i]);
    vec_free(&texts);
    vec_free(&sets);
}

/* A NUL would end the text, and what is behind it would be left without a word. */
static bool check_text(const char *path, const char *text, size_t len, struct err *err)
{
    unsigned line = 1;
    const char *nul = memchr(text, 0, len);
    for (const char *p = text; nul && p < nul; p++)
        line += *p == '\n';
    return !nul || err_set(err, "%s:%u: a byte 0: this is no text", path, line);
}

bool import_gpgpusim_text(const char *path, char *text, size_t len, FILE *out,
                          struct import_count *count, struct err *err)
{
    struct import im = {0};
    char name[64];
    struct reader r = {.path = path, .at = text, .line = 1};
    bool ok = check_text(path, text, len, err) && read_options(&im, &r, err);
    im.machine = ok ? machine_new(IMPORT_BASE, NULL, 0, err) : NULL;
    if (im.machine) {
        for (size_t i = 0; i < im.options.len; i++)
            take_option(&im, &im.options.data[i]);
        name_of(path, name, sizeof name);
        write_machine(&im, path, name, out);
        *count = (struct import_count){0};
        finish(&im, count);
    }
    ok = im.machine != NULL;
    machine_free(im.machine);
    vec_free(&im.options);
    vec_free(&im.settings);
    return ok;
}

bool import_gpgpusim(const char *path, FILE *out, struct import_count *count, struct err *err)
{
    size_t len;
    char *text = file_read_max(path, FILE_TEXT_MAX, &len, err);
    const bool ok = text && import_gpgpusim_text(path, text, len, out, count, err);
    free(text);
    return ok;
}
