#include "memo/support_unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memo_cfg cfg_of(const char *settings)
{
    struct memo_cfg c;
    struct err err = {0};
    struct conf *conf = conf_new();
    char *copy = xstrdup(settings), *rest = copy, line[256];
    conf_add(conf, "memo", memo_fields, memo_nfields, &c);
    for (char *one; (one = strsep(&rest, " "));) {
        snprintf(line, sizeof line, "memo.%s", one);
        if (*one && !conf_set(conf, line, &err))
            panic("%s", err.msg);
    }
    if (!memo_cfg_check(&c, &err))
        panic("%s", err.msg);
    free(copy);
    conf_free(conf);
    return c;
}

struct memo_unit *unit_of(const char *settings)
{
    const struct memo_cfg c = cfg_of(settings);
    return memo_unit_new(&c, WAY_SETS);
}

enum memo_answer pass(struct memo_unit *u, unsigned lut, uint32_t input, uint64_t result)
{
    uint64_t found = 0;
    memo_input(u, 0, lut, input, 4, 0, true);
    const enum memo_answer a = memo_lookup(u, 0, lut, &found);
    if (!memo_is_hit(a))
        memo_update(u, 0, lut, result, (struct memo_type){MEMO_ONE, false, 4});
    return a;
}

uint32_t bits_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
