/* Configuration declared once.
 *
 * A module lists its fields in a table file of rows
 *     ROW(TYPE, name, default, min, max, unit, help)
 *     ROW_ENUM(name, default, choices, help)
 * and includes it twice: inside `struct x_cfg { ... }` with the CONF_MEMBER macros, and inside its
 * field table with the CONF_FIELD macros (see dram/dram_cfg.h for an example). The row is then the
 * struct member, the parser, the bounds, the error text, the documentation and the dump.
 *
 * A `struct conf` is a tree of named sections ("dram", "l1", "sm.sched"), each bound to such a
 * struct. It is filled from defaults, then YAML files, then `--set section.field=value`, the later
 * winning; every value remembers where it came from. Unknown keys are errors that name the place
 * and the nearest known key. The dump is YAML that reproduces the configuration when read back.
 *
 * Numbers of type SIZE take the suffixes K, M and G (powers of 1024). A YAML file may start with
 * `base: other.yaml` (path relative to the file): that file is read first. */
#ifndef CONF_CONF_H
#define CONF_CONF_H

#include "base/err.h"
#include "parsim/rows.h"

#include <stdio.h>

struct conf;

struct conf *conf_new(void);
void conf_free(struct conf *c);

/* Binds `base` (a struct described by `fields`) as section `name` and fills in the defaults. Of a
 * section that is there already these are further fields. */
void conf_add(struct conf *c, const char *name, const struct conf_field *fields, size_t n,
              void *base);
/* Whether rows from outside the tree, of a struct of `bytes`, can be added: an error names the
 * field and what is wrong. Those of the tree are right, or conf_add() panics. */
bool conf_check_fields(const struct conf_field *fields, size_t n, size_t bytes, struct err *err);
/* The row behind a key; NULL: there is none. */
const struct conf_field *conf_row(const struct conf *c, const char *key);
/* Letters, digits, '_' and '-', a letter first: what can be a key, a name in a list and a file's.
 */
bool conf_is_word(const char *s);
/* Not NULL, and without control characters: it can be written into a line. */
bool conf_is_text(const char *s);
bool conf_has_section(const struct conf *c, const char *name);

/* `fn` is called after the value of `key` was set, and may add sections; false: the value is
 * refused. One key a conf. */
typedef bool (*conf_watch_fn)(void *ctx, struct err *err);
void conf_watch(struct conf *c, const char *key, conf_watch_fn fn, void *ctx);

/* Where `base: NAME` is looked for before files are: the text behind a name, or NULL. `names` are
 * those that it knows, for messages. */
typedef const char *(*conf_find_fn)(void *ctx, const char *name);
void conf_set_finder(struct conf *c, conf_find_fn find, const char *names, void *ctx);

bool conf_load(struct conf *c, const char *path, struct err *err);
/* `name` stands for the file in messages; `base:` is resolved relative to it. */
bool conf_parse(struct conf *c, const char *name, const char *text, size_t len, struct err *err);
/* One override, "section.field=value". */
bool conf_set(struct conf *c, const char *assignment, struct err *err);
/* Sets one field by its full key; `where` (file:line, "--set", a unit test) is remembered. */
bool conf_set_key(struct conf *c, const char *key, const char *value, const char *where,
                  struct err *err);

/* The value as it would be written in YAML, into `buf`; false when there is no such key. */
bool conf_get(const struct conf *c, const char *key, char *buf, size_t size);
/* "default", "file.yaml:12" or "--set"; NULL when there is no such key. */
const char *conf_source(const struct conf *c, const char *key);

/* Everything, as YAML; `comments` adds each field's unit, help and source. */
void conf_dump(const struct conf *c, FILE *out, bool comments);
/* A Markdown table of every field. */
void conf_write_docs(const struct conf *c, FILE *out);
/* Calls `fn` for every field in order. */
void conf_each(const struct conf *c,
               void (*fn)(void *ctx, const char *section, const struct conf_field *f,
                          const char *value),
               void *ctx);

/* Without a conf: fills `base` with the defaults of its rows (strings stay static). */
void conf_defaults(const struct conf_field *fields, size_t n, void *base);

#endif
