/* Private to src/conf and its tests. */
#ifndef CONF_CONF_INT_H
#define CONF_CONF_INT_H

#include "base/arena.h"
#include "base/vec.h"
#include "conf/conf.h"

/* Of a string that is written byte by byte. */
#define CONF_BYTES_TAG "!bytes"

struct conf_section {
    const char *name;
    const struct conf_field *fields;
    size_t nfields;
    char *base;
    const char **sources; /* one a field */
};

struct conf {
    struct arena arena;
    VEC(struct conf_section) sections;
    conf_find_fn find;
    void *find_ctx;
    const char *find_names;
    const char *watched; /* key, or NULL */
    conf_watch_fn watch;
    void *watch_ctx;
};

/* Parses `text` into the member; on failure the message says what would be right. */
bool conf_field_parse(const struct conf_field *f, void *base, const char *text, struct arena *arena,
                      struct err *err);
void conf_field_format(const struct conf_field *f, const void *base, char *buf, size_t size);

/* The field of full key `key`; *section is set too. */
const struct conf_field *conf_find(const struct conf *c, const char *key, size_t *section);
/* The known key nearest to `key`, by edit distance; NULL when none is near. */
const char *conf_nearest(const struct conf *c, const char *key, char *buf, size_t size);

#endif
