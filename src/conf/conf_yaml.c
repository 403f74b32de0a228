/* YAML in: nested maps become dotted keys, scalars and lists of scalars become values. */
#include "base/file.h"
#include "base/strmap.h"
#include "conf/conf_int.h"

#include <string.h>
#include <yaml.h>

enum { DEPTH_MAX = 16, KEY_MAX = 128, VALUE_MAX = 4096, BASE_DEPTH_MAX = 8 };

struct reader {
    struct conf *conf;
    const char *name;
    yaml_document_t doc;
    int base_depth;
    struct strmap keys; /* of the values that the file has given */
    struct err *err;
};

static bool conf_parse_at(struct conf *c, const char *name, const char *text, size_t len, int depth,
                          struct err *err);

static bool fail(struct reader *r, const yaml_node_t *node, const char *what)
{
    return err_set(r->err, "%s:%zu: %s", r->name, node->start_mark.line + 1, what);
}

static bool base_load(struct reader *r, const yaml_node_t *node, const char *file)
{
    const char *slash = strrchr(r->name, '/');
    int dir = slash ? (int)(slash - r->name) + 1 : 0;
    if (r->base_depth >= BASE_DEPTH_MAX)
        return fail(r, node, "'base' is nested too deep (a file that is its own base?)");
    const char *known = r->conf->find ? r->conf->find(r->conf->find_ctx, file) : NULL;
    if (known)
        return conf_parse_at(r->conf, file, known, strlen(known), r->base_depth + 1, r->err);
    char *path = *file == '/' ? xstrdup(file) : xasprintf("%.*s%s", dir, r->name, file);
    size_t len;
    char *text = file_read_max(path, FILE_TEXT_MAX, &len, r->err);
    bool ok = text && conf_parse_at(r->conf, path, text, len, r->base_depth + 1, r->err);
    if (!text && r->conf->find)
        err_prefix(r->err, "%s:%zu: base '%s' is neither one of %s nor a file", r->name,
                   node->start_mark.line + 1, file, r->conf->find_names);
    else if (!text)
        err_prefix(r->err, "%s:%zu: base", r->name, node->start_mark.line + 1);
    free(text);
    free(path);
    return ok;
}

static bool list_join(struct reader *r, const yaml_node_t *node, char *buf, size_t size)
{
    size_t len = 0;
    for (yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top;
         i++) {
        const yaml_node_t *item = yaml_document_get_node(&r->doc, *i);
        if (!item || item->type != YAML_SCALAR_NODE)
            return fail(r, node, "a list holds plain values only");
        len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? "," : "",
                                (const char *)item->data.scalar.value);
        if (len >= size)
            return fail(r, node, "the list is too long");
    }
    return true;
}

/* Each character of the text stands for one byte (conf_dump() writes such strings). */
static bool bytes_decode(struct reader *r, const yaml_node_t *node, const char **value)
{
    const unsigned char *from = node->data.scalar.value;
    char *to = arena_alloc(&r->conf->arena, node->data.scalar.length + 1);
    *value = to;
    for (; *from; from++) {
        if (*from > 0xc3) /* beyond U+00FF */
            return fail(r, node, CONF_BYTES_TAG " takes characters up to \\xFF");
        const bool is_pair = *from >= 0xc2;
        *to++ = (char)(is_pair ? (from[0] & 3) << 6 | (from[1] & 0x3f) : *from);
        from += is_pair;
    }
    return true;
}

static bool value_apply(struct reader *r, const yaml_node_t *node, const char *key)
{
    char where[512], list[VALUE_MAX] = "";
    const char *value = list;
    snprintf(where, sizeof where, "%s:%zu", r->name, node->start_mark.line + 1);
    if (node->type == YAML_SEQUENCE_NODE) {
        if (!list_join(r, node, list, sizeof list))
            return false;
    } else {
        value = (const char *)node->data.scalar.value;
        if (strlen(value) != node->data.scalar.length)
            return fail(r, node, "a value holds a NUL byte");
        if (!strcmp((const char *)node->tag, CONF_BYTES_TAG) && !bytes_decode(r, node, &value))
            return false;
    }
    return conf_set_key(r->conf, key, value, where, r->err);
}

/* Of two values for a key nobody knows which one is meant. */
static bool check_first(struct reader *r, const yaml_node_t *node, const char *key)
{
    const size_t len = strlen(key);
    if (strmap_get(&r->keys, key, len))
        return err_set(r->err, "%s:%zu: '%s' is given twice", r->name, node->start_mark.line + 1,
                       key);
    const char *own = arena_strndup(&r->conf->arena, key, len);
    strmap_put(&r->keys, own, len, r);
    return true;
}

static bool map_walk(struct reader *r, const yaml_node_t *map, const char *prefix, int depth);

/* What `key` of the map is; `is_first` of its pairs. */
static bool pair_apply(struct reader *r, const yaml_node_t *k, const yaml_node_t *v,
                       const char *key, bool is_first, int depth)
{
    if (v->type == YAML_MAPPING_NODE)
        return map_walk(r, v, key, depth + 1);
    if (!check_first(r, k, key))
        return false;
    if (strcmp(key, "base") != 0)
        return value_apply(r, v, key);
    if (v->type != YAML_SCALAR_NODE)
        return fail(r, v, "'base' names one file");
    return is_first ? base_load(r, v, (const char *)v->data.scalar.value)
                    : fail(r, k, "'base' must come first: it sets all that stands before it again");
}

static bool map_walk(struct reader *r, const yaml_node_t *map, const char *prefix, int depth)
{
    const yaml_node_pair_t *first = map->data.mapping.pairs.start;
    const yaml_node_pair_t *end = map->data.mapping.pairs.top;
    if (depth > DEPTH_MAX) /* check_shape() does not follow aliases */
        return fail(r, map, "maps are nested too deep (one that is its own alias?)");
    if (first == end && depth) /* nor can aliases of aliases of nothing be walked for ever */
        return fail(r, map, "a map without keys");
    for (const yaml_node_pair_t *p = first; p < end; p++) {
        const yaml_node_t *k = yaml_document_get_node(&r->doc, p->key);
        const yaml_node_t *v = yaml_document_get_node(&r->doc, p->value);
        if (!k || !v || k->type != YAML_SCALAR_NODE ||
            strlen((const char *)k->data.scalar.value) != k->data.scalar.length)
            return fail(r, map, "a key must be a plain word");
        char key[KEY_MAX];
        if (snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "." : "",
                     (const char *)k->data.scalar.value) >= KEY_MAX)
            return fail(r, k, "the key is too long");
        if (!pair_apply(r, k, v, key, p == first, depth))
            return false;
    }
    return true;
}

static void parser_start(yaml_parser_t *parser, const char *text, size_t len)
{
    if (!yaml_parser_initialize(parser))
        panic("libyaml does not start");
    yaml_parser_set_input_string(parser, (const unsigned char *)text, len);
}

/* Before a document is built, which takes libyaml ages if it is deep: how deep it is, and that
 * there is one. What is not YAML passes. */
static bool check_shape(const char *name, const char *text, size_t len, struct err *err)
{
    yaml_parser_t parser;
    int depth = 0, ndocs = 0;
    size_t line = 0;
    bool is_end = false;
    parser_start(&parser, text, len);
    while (!is_end && depth <= DEPTH_MAX && ndocs <= 1) {
        yaml_event_t e;
        if (!yaml_parser_parse(&parser, &e))
            break;
        depth += e.type == YAML_MAPPING_START_EVENT || e.type == YAML_SEQUENCE_START_EVENT;
        depth -= e.type == YAML_MAPPING_END_EVENT || e.type == YAML_SEQUENCE_END_EVENT;
        ndocs += e.type == YAML_DOCUMENT_START_EVENT;
        is_end = e.type == YAML_STREAM_END_EVENT;
        line = e.start_mark.line;
        yaml_event_delete(&e);
    }
    yaml_parser_delete(&parser);
    if (depth > DEPTH_MAX)
        return err_set(err, "%s:%zu: nested more than %d deep", name, line + 1, DEPTH_MAX);
    return ndocs <= 1 || err_set(err, "%s:%zu: a second document: a file has one", name, line + 1);
}

static bool conf_parse_at(struct conf *c, const char *name, const char *text, size_t len, int depth,
                          struct err *err)
{
    struct reader r = {.conf = c, .name = name, .base_depth = depth, .err = err};
    yaml_parser_t parser;
    if (!check_shape(name, text, len, err))
        return false;
    parser_start(&parser, text, len);
    bool ok = yaml_parser_load(&parser, &r.doc);
    if (!ok) {
        err_set(err, "%s:%zu: %s", name, parser.problem_mark.line + 1,
                parser.problem ? parser.problem : "not YAML");
    } else {
        const yaml_node_t *root = yaml_document_get_root_node(&r.doc);
        if (root) /* an empty file changes nothing */
            ok = root->type == YAML_MAPPING_NODE ? map_walk(&r, root, "", 0)
                                                 : fail(&r, root, "expected 'section:' maps");
        yaml_document_delete(&r.doc);
        strmap_free(&r.keys);
    }
    yaml_parser_delete(&parser);
    return ok;
}

bool conf_parse(struct conf *c, const char *name, const char *text, size_t len, struct err *err)
{
    return conf_parse_at(c, name, text, len, 0, err);
}

bool conf_load(struct conf *c, const char *path, struct err *err)
{
    size_t len;
    char *text = file_read_max(path, FILE_TEXT_MAX, &len, err);
    if (!text)
        return false;
    bool ok = conf_parse(c, path, text, len, err);
    free(text);
    return ok;
}

void conf_set_finder(struct conf *c, conf_find_fn find, const char *names, void *ctx)
{
    c->find = find;
    c->find_ctx = ctx;
    c->find_names = arena_strndup(&c->arena, names, strlen(names));
}
