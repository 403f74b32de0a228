/* What samplers want to know of a kernel, found when it is asked for. */
#include "exec/program.h"

#include "exec/code.h"
#include "ptx/waits.h"

static bool waits(const struct kernel *k)
{
    for (uint32_t i = 0; i < program_func_count(k->prog); i++)
        if (k->funcs[i] && ptx_waits(k->funcs[i]->src))
            return true;
    return false;
}

static uint64_t hash_code(const struct kernel *k)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (unsigned i = 0; i < program_module_count(k->prog); i++)
        for (const char *p = program_module(k->prog, i)->text; p && *p; p++)
            h = (h ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    return h;
}

const struct kernel_facts *kernel_facts(struct kernel *k)
{
    if (!k->facts.is_known)
        k->facts = (struct kernel_facts){true, waits(k), hash_code(k)};
    return &k->facts;
}
