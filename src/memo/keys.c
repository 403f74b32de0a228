/* Prints of inputs, and the set of all that were met. */
#include "memo/keys.h"

static uint64_t mix(uint64_t v)
{
    v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
    return v ^ v >> 31;
}

struct memo_print memo_print_start(unsigned id)
{
    return (struct memo_print){mix(id + 1), mix(~(uint64_t)id)};
}

void memo_print_add(struct memo_print *p, uint64_t value, unsigned bytes)
{
    p->a = mix(p->a ^ value) + bytes;
    p->b = mix(p->b * UINT64_C(0x9e3779b97f4a7c15) + value) ^ bytes;
}

/* Two that agree in `a` alone lie behind each other. */
uint32_t memo_key_of(struct memo_keys *k, struct memo_print p, bool *is_new)
{
    const uint64_t *at;
    while ((at = u64map_get(&k->by_a, p.a)) && k->b.data[*at] != p.b)
        p.a++;
    *is_new = !at;
    if (at)
        return (uint32_t)*at;
    u64map_put(&k->by_a, p.a, k->b.len);
    vec_push(&k->b, p.b);
    return (uint32_t)(k->b.len - 1);
}

void memo_keys_free(struct memo_keys *k)
{
    u64map_free(&k->by_a);
    vec_free(&k->b);
}
