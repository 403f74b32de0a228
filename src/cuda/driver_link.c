/* cuLink*: PTX texts gathered into an image that cuModuleLoadData() takes: a fatbin wrapper of
 * version 2 whose fatbins are plain. */
#include "base/file.h"
#include "cuda/driver_api.h"
#include "cuda/fatbin.h"
#include "cuda/module.h"

#include <string.h>

struct CUlinkState_st {
    VEC(void *) fatbins;
    struct fatbin_wrapper wrapper;
};

enum { ENTRY_BYTES = 64 };

static void *plain_fatbin(const char *text, size_t len)
{
    uint64_t payload = align_up(len + 1, 8), body = ENTRY_BYTES + payload;
    char *p = xcalloc(1, FATBIN_HEADER + body), *e = p + FATBIN_HEADER;
    memcpy(p, &(uint32_t){FATBIN_MAGIC}, 4);
    memcpy(p + 4, &(uint16_t){1}, 2);
    memcpy(p + 6, &(uint16_t){FATBIN_HEADER}, 2);
    memcpy(p + 8, &body, 8);
    memcpy(e, &(uint16_t){FATBIN_PTX}, 2);
    memcpy(e + 4, &(uint32_t){ENTRY_BYTES}, 4);
    memcpy(e + 8, &payload, 8);
    memcpy(e + ENTRY_BYTES, text, len);
    return p;
}

int driver_link_create(struct ctx *c, CUlinkState *out)
{
    if (!out)
        return CUDA_INVALID_VALUE;
    *out = xcalloc(1, sizeof **out);
    handle_add(c, HANDLE_LINK, *out);
    return CUDA_OK;
}

int driver_link_add(struct ctx *c, CUlinkState l, int type, const void *data, size_t bytes)
{
    if (!handle_is(c, HANDLE_LINK, l))
        return CUDA_INVALID_HANDLE;
    if (!data || !bytes)
        return CUDA_INVALID_VALUE;
    if (type == CU_JIT_INPUT_PTX) {
        vec_push(&l->fatbins, plain_fatbin(data, strnlen(data, bytes)));
        return CUDA_OK;
    }
    struct fatbin_entry e;
    struct err err = {0};
    bool found_elf;
    size_t len;
    char *text = NULL;
    if (type == CU_JIT_INPUT_FATBINARY && fatbin_pick_ptx(data, bytes, &e, &found_elf, &err))
        text = fatbin_unpack(&e, &len, &err);
    if (!text) {
        ctx_say("cannot link: %s", err.msg[0] ? err.msg : "only PTX and fatbins with PTX can be");
        return CUDA_NO_BINARY_FOR_GPU;
    }
    vec_push(&l->fatbins, plain_fatbin(text, strnlen(text, len)));
    free(text);
    return CUDA_OK;
}

int driver_link_add_file(struct ctx *c, CUlinkState l, int type, const char *path)
{
    struct err err;
    size_t len;
    char *data = path ? file_read(path, &len, &err) : NULL;
    if (!data)
        return CUDA_FILE_NOT_FOUND;
    int e = driver_link_add(c, l, type, data, len);
    free(data);
    return e;
}

int driver_link_complete(struct ctx *c, CUlinkState l, void **image, size_t *bytes)
{
    if (!handle_is(c, HANDLE_LINK, l))
        return CUDA_INVALID_HANDLE;
    if (!image)
        return CUDA_INVALID_VALUE;
    vec_push(&l->fatbins, NULL);
    l->fatbins.len--;
    l->wrapper =
        (struct fatbin_wrapper){WRAPPER_MAGIC, 2, NULL, (const void *const *)l->fatbins.data};
    *image = &l->wrapper;
    if (bytes)
        *bytes = sizeof l->wrapper;
    return CUDA_OK;
}

int driver_link_destroy(struct ctx *c, CUlinkState l)
{
    if (!handle_is(c, HANDLE_LINK, l))
        return CUDA_INVALID_HANDLE;
    for (size_t i = 0; i < l->fatbins.len; i++)
        free(l->fatbins.data[i]);
    vec_free(&l->fatbins);
    handle_remove(c, l);
    free(l);
    return CUDA_OK;
}

int driver_load_file(struct ctx *c, CUmodule *out, const char *path)
{
    struct err err;
    size_t len;
    char *data = path ? file_read(path, &len, &err) : NULL;
    if (!data)
        return path ? CUDA_FILE_NOT_FOUND : CUDA_INVALID_VALUE;
    int e = module_load_bytes(c, out, data, len);
    /* The module refers to a fatbin's bytes only until it has been opened, which loading does. */
    free(data);
    return e;
}
