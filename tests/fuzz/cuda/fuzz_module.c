/* What a running program's runtime does with a fatbin: opens the module, asks for its kernels. The
 * bytes end where they end: an overrun is found by the sanitizer. Not with a wrapper, which is
 * pointers: they may lead into the sanitizer's own memory, mapped but not to be read. */
#include "cuda/ctx.h"
#include "cuda/fatbin.h"
#include "cuda/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_modest(const struct fatbin_entry *e, void *arg)
{
    /* An entry may claim what it does not have: allocation is not what is tested. */
    *(bool *)arg &= e->unpacked_bytes <= (1u << 20);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct module *m = NULL;
    bool is_small = true;
    uint32_t magic = 0;
    memcpy(&magic, data, size < sizeof magic ? size : sizeof magic);
    if (magic == WRAPPER_MAGIC)
        return 0;
    static FILE *quiet; /* what is refused is said; the fuzzer's own words go another way */
    if (!quiet && (quiet = fopen("/dev/null", "w")))
        stderr = quiet;
    fatbin_each(data, size, is_modest, &is_small, &err);
    if (!is_small)
        return 0;
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    struct ctx *c = ctx_lock();
    if (!module_load_bytes(c, &m, copy, size)) {
        for (unsigned i = 0; i < module_function_count(m); i++)
            function_open(c, module_function_at(c, m, i));
        module_unload(c, m);
    }
    ctx_unlock(c);
    free(copy);
    return 0;
}
