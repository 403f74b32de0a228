/* PTX by the hash of its bytes. */
#include "cuda/device_code.h"

#include "base/file.h"
#include "base/outfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 4096 };

/* Of the process, as its environment: texts that were looked for in PARSIM_PTX, and found. */
static unsigned long looked_for, found;

/* FNV-1a. */
static uint64_t hash_of(const char *text, size_t len)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < len; i++)
        h = (h ^ (uint8_t)text[i]) * UINT64_C(0x100000001B3);
    return h;
}

static char *path_of(const char *folder, const char *text, size_t len)
{
    return xasprintf("%s/%016llx.ptx", folder, (unsigned long long)hash_of(text, len));
}

static bool save(const char *text, size_t len, struct err *err)
{
    const char *folder = getenv("PARSIM_SAVE_PTX");
    if (!folder || !*folder)
        return true;
    char *path = path_of(folder, text, len);
    const bool ok = outfile_probe_folder(folder, err) && file_write(path, text, len, err);
    free(path);
    return ok;
}

char *device_code_swap(const char *text, size_t len, char *name, size_t *swapped_len,
                       struct err *err)
{
    const char *folder = getenv("PARSIM_PTX");
    if (!save(text, len, err) || !folder || !*folder)
        return NULL;
    char *path = path_of(folder, text, len), *swapped = NULL;
    looked_for++;
    if (!access(path, F_OK)) {
        found++;
        swapped = file_read(path, swapped_len, err);
        snprintf(name, NAME_MAX_BYTES, "%s", path);
    }
    free(path);
    return swapped;
}

bool device_code_held(struct err *err)
{
    return found || !looked_for ||
           err_set(err,
                   "--ptx %s: has none of the %lu texts of PTX that the program has loaded; "
                   "--save-ptx writes them under the names that are looked for",
                   getenv("PARSIM_PTX"), looked_for);
}
