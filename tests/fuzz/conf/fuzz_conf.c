/* Any bytes as a configuration file: accepted or refused with a message, never a crash; what is
 * accepted survives a dump and a second reading. */
#include "conf/conf.h"

#include <stdlib.h>

static const char *const kinds[] = {"one", "two", NULL};

struct fuzz_cfg {
    uint64_t size;
    int64_t ways;
    const char *map;
    struct conf_list nodes;
    int kind;
};

static const struct conf_field fields[] = {
    CONF_FIELD(fuzz_cfg, SIZE, size, "1K", 0, 1e15, "", "") /**/
    CONF_FIELD(fuzz_cfg, INT, ways, "1", -1e9, 1e9, "", "") /**/
    CONF_FIELD(fuzz_cfg, STRING, map, "a", 0, 0, "", "")    /**/
    CONF_FIELD(fuzz_cfg, LIST, nodes, "1", 0, 1e6, "", "")  /**/
    CONF_FIELD_ENUM(fuzz_cfg, kind, "one", kinds, "")       /**/
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_cfg cfg;
    struct err err;
    struct conf *c = conf_new();
    conf_add(c, "l1", fields, ARRAY_LEN(fields), &cfg);
    if (conf_parse(c, "fuzz", (const char *)data, size, &err)) {
        char *text;
        size_t len;
        FILE *out = open_memstream(&text, &len);
        conf_dump(c, out, false);
        fclose(out);
        uint64_t was = cfg.size;
        if (conf_parse(c, "dump", text, len, &err) && cfg.size != was)
            abort();
        free(text);
    }
    conf_free(c);
    return 0;
}
