/* The fatbin reader and the ELF reader on arbitrary bytes: everything they find is unpacked. */
#include "cuda/elf_modules.h"
#include "cuda/fatbin.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool unpack(const struct fatbin_entry *e, void *arg)
{
    struct err err;
    size_t len;
    unsigned *left = arg;
    /* An entry may claim a gigabyte that it does not have: allocation is not what is tested. */
    if (e->unpacked_bytes <= (1u << 20)) {
        char *text = fatbin_unpack(e, &len, &err);
        assert(!text || strlen(text) <= len);
        free(text);
    }
    return --*left;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct fatbin_entry e;
    unsigned left = 64;
    bool found_elf;
    fatbin_each(data, size, unpack, &left, &err);
    fatbin_pick_ptx(data, size, &e, &found_elf, &err);
    left = 64;
    elf_each_module_in("input", data, size, unpack, &left, &err);
    return 0;
}
