/* JSON of what rooms have: members, configurations, statistics, series. Objects are the caller's.
 */
#ifndef OUT_JSON_H
#define OUT_JSON_H

#include "conf/conf.h"
#include "stats/stats.h"

#include <json-c/json.h>

typedef struct json_object json;

/* NULL: null. */
void json_add_text(json *o, const char *key, const char *v);
void json_add_count(json *o, const char *key, uint64_t v);
void json_add_real(json *o, const char *key, double v);
/* The object `key` of `parent`, which is made if it is not there. */
json *json_child(json *parent, const char *key);
json *json_strings(char *const *at, size_t n);
json *json_triple(const uint32_t d[3]);

/* Every field, by section, with numbers as numbers. */
json *json_conf(const struct conf *c);
/* Every group. */
json *json_stats(const struct stats *st, bool instances);
/* Samples: cycles, and the differences of every counter as a column. */
json *json_series(const struct stats *st, cycle_t interval);

/* Text on several lines, as valid UTF-8, and a line feed. */
void json_write(json *o, FILE *out);

#endif
