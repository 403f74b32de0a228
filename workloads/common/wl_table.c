/* The table of workloads, with their device code inside the program, so that it runs anywhere. */
#include "wl_int.h"

#include <string.h>

#define X(symbol, name, ...)                                 \
    __asm__(".section .rodata\n"                             \
            "wl_ptx_" #symbol ":\n"                          \
            ".incbin \"" WL_DIR "/" name "/" name ".ptx\"\n" \
            ".byte 0\n"                                      \
            ".previous\n"                                    \
            ".globl wl_ptx_" #symbol "\n");                  \
    extern const char wl_ptx_##symbol[];                     \
    extern const struct workload workload_##symbol;
#include "../workloads.def"
#undef X

const struct wl_row wl_rows[] = {
#define X(symbol, name, origin, domain, type, bound) \
    {name, origin, domain, type, bound, &workload_##symbol, wl_ptx_##symbol},
#include "../workloads.def"
#undef X
};
const size_t wl_nrows = ARRAY_LEN(wl_rows);

const struct wl_row *wl_find(const char *name)
{
    for (size_t i = 0; i < wl_nrows; i++)
        if (!strcmp(wl_rows[i].name, name))
            return &wl_rows[i];
    return NULL;
}
