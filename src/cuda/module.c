/* Images of a program: which of them are taken, and the functions and variables in them by name. */
#include "cuda/module.h"

#include "cuda/device_code.h"
#include "cuda/fatbin.h"
#include "cuda/mapped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct image { /* one PTX text, packed or not */
    const void *fatbin;
    size_t room; /* bytes that can be read there; its header claims how many are its own */
    char *text;  /* instead of a fatbin; owned */
    size_t text_len;
};

struct module {
    VEC(struct image) images;
    VEC(struct function *) functions;
    VEC(struct variable *) variables;
    struct fatbin_wrapper wrapper; /* registered: looked into when the module is opened */
    struct program *prog;
    int error; /* of an attempt to open it; 0 = none */
    bool is_registered;
};

/* --- images --- */

/* Nothing is added of a fatbin without entries. */
static void add_fatbin(struct module *m, const void *data)
{
    size_t room = mapped_bytes(data);
    if (room < FATBIN_HEADER || fatbin_bytes(data) != FATBIN_HEADER)
        vec_push(&m->images, ((struct image){.fatbin = data, .room = room}));
}

static void add_wrapper(struct module *m, const struct fatbin_wrapper *w)
{
    size_t links = w->version == 2 && w->link ? mapped_bytes(w->link) / sizeof *w->link : 0;
    for (size_t i = 0; i < links && w->link[i]; i++)
        add_fatbin(m, w->link[i]);
    if (!m->images.len && w->data)
        add_fatbin(m, w->data);
}

static void add_text(struct module *m, const char *text, size_t room)
{
    size_t len = strnlen(text, room);
    char *copy = xmalloc(len + 1);
    memcpy(copy, text, len);
    copy[len] = 0;
    vec_push(&m->images, ((struct image){.text = copy, .text_len = len}));
}

static struct ptx_module *image_parse(const struct image *im, unsigned number, int *error,
                                      struct err *err)
{
    char name[4096];
    size_t len = im->text_len, swapped_len = 0;
    char *text = im->text;
    if (im->fatbin) {
        struct fatbin_entry e;
        bool found_elf;
        *error = CUDA_INVALID_IMAGE;
        if (!fatbin_pick_ptx(im->fatbin, im->room, &e, &found_elf, err)) {
            if (found_elf)
                *error = CUDA_NO_BINARY_FOR_GPU;
            return NULL;
        }
        if (!(text = fatbin_unpack(&e, &len, err)))
            return NULL;
    }
    *error = CUDA_INVALID_PTX;
    snprintf(name, sizeof name, "module %u", number);
    len = strnlen(text, len);
    char *swapped = device_code_swap(text, len, name, &swapped_len, err);
    struct ptx_module *p = NULL;
    if (swapped || !*err->msg)
        p = ptx_parse(name, swapped ? swapped : text, swapped ? swapped_len : len, err);
    free(swapped);
    if (text != im->text)
        free(text);
    return p;
}

/* --- modules --- */

static struct module *module_new(struct ctx *c)
{
    struct module *m = xcalloc(1, sizeof *m);
    vec_push(&c->modules, m);
    handle_add(c, HANDLE_MODULE, m);
    return m;
}

struct module *module_register(struct ctx *c, const void *wrapper)
{
    struct module *m = module_new(c);
    const struct fatbin_wrapper *w = wrapper;
    m->is_registered = true;
    if (w && w->magic == WRAPPER_MAGIC)
        m->wrapper = *w;
    return m;
}

static void place_variables(struct module *m)
{
    for (size_t i = 0; i < m->variables.len; i++) {
        struct variable *v = m->variables.data[i];
        const struct mem_alloc *a = v->managed ? program_var(m->prog, v->name) : NULL;
        if (a)
            *v->managed = devmem_ptr(a->base);
    }
}

static bool parse_images(struct module *m, struct ptx_module **mods, unsigned *n, int *error,
                         struct err *err)
{
    for (*n = 0; *n < m->images.len; ++*n) {
        mods[*n] = image_parse(&m->images.data[*n], *n + 1, error, err);
        if (!mods[*n])
            return false;
    }
    if (!*n)
        *error = CUDA_NO_BINARY_FOR_GPU;
    return *n || err_set(err, "the program holds no PTX for its kernels: compile it with "
                              "-gencode arch=compute_75,code=compute_75");
}

int module_open(struct ctx *c, struct module *m)
{
    struct err err = {0};
    unsigned n;
    int error = CUDA_OK;
    if (m->prog || m->error)
        return m->error;
    if (!m->images.len)
        add_wrapper(m, &m->wrapper);
    struct ptx_module **mods = xcalloc(m->images.len + 1, sizeof(*mods));
    if (parse_images(m, mods, &n, &error, &err)) {
        error = CUDA_INVALID_IMAGE;
        m->prog = program_load(c->dev, mods, n, &err);
    } else {
        while (n)
            ptx_module_free(mods[--n]);
    }
    free(mods);
    if (!m->prog) {
        ctx_say("cannot load device code: %s", err.msg);
        m->error = error;
        return error;
    }
    place_variables(m);
    return CUDA_OK;
}

struct program *module_program(struct module *m)
{
    return m->prog;
}

static void module_close(struct ctx *c, struct module *m)
{
    (void)c;
    for (size_t i = 0; i < m->functions.len; i++)
        m->functions.data[i]->kernel = NULL;
    program_unload(m->prog);
    m->prog = NULL;
}

void module_close_all(struct ctx *c)
{
    for (size_t i = 0; i < c->modules.len; i++) {
        struct module *m = c->modules.data[i];
        module_close(c, m);
        /* What the program loaded itself is gone for good; what it registered comes back when used.
         */
        if (!m->is_registered)
            m->error = CUDA_INVALID_HANDLE;
    }
}

static void module_free(struct ctx *c, struct module *m)
{
    module_close(c, m);
    for (size_t i = 0; i < m->functions.len; i++) {
        struct function *f = m->functions.data[i];
        if (f->stub)
            u64map_put(&c->host_funcs, (uintptr_t)f->stub, 0);
        handle_remove(c, f);
        free((char *)(uintptr_t)f->name);
        free(f);
    }
    for (size_t i = 0; i < m->variables.len; i++) {
        u64map_put(&c->host_vars, (uintptr_t)m->variables.data[i]->shadow, 0);
        free(m->variables.data[i]);
    }
    for (size_t i = 0; i < m->images.len; i++)
        free(m->images.data[i].text);
    vec_drop(&c->modules, m);
    vec_free(&m->images);
    vec_free(&m->functions);
    vec_free(&m->variables);
    handle_remove(c, m);
    free(m);
}

void module_unregister(struct ctx *c, struct module *m)
{
    if (handle_is(c, HANDLE_MODULE, m))
        module_free(c, m);
}

/* `room`: bytes that can be read at `image`, of which it may be less. */
static int load_image(struct ctx *c, struct module **out, const void *image, size_t room)
{
    uint32_t magic;
    if (!out || !image)
        return CUDA_INVALID_VALUE;
    if (room < sizeof magic)
        return CUDA_INVALID_IMAGE;
    struct module *m = module_new(c);
    memcpy(&magic, image, sizeof magic);
    if (magic == WRAPPER_MAGIC && room >= sizeof m->wrapper)
        memcpy(&m->wrapper, image, sizeof m->wrapper);
    else if (magic == FATBIN_MAGIC)
        vec_push(&m->images, ((struct image){.fatbin = image, .room = room}));
    else if (!memcmp(image, "\177ELF", 4))
        m->error = CUDA_NO_BINARY_FOR_GPU;
    else
        add_text(m, image, room);
    if (m->error)
        ctx_say("a cubin holds machine code only: load PTX or a fatbin with PTX instead");
    int e = module_open(c, m);
    if (e)
        module_free(c, m);
    else
        *out = m;
    return e;
}

int module_load(struct ctx *c, struct module **out, const void *image)
{
    return load_image(c, out, image, mapped_bytes(image));
}

int module_load_bytes(struct ctx *c, struct module **out, const void *image, size_t len)
{
    return load_image(c, out, image, len);
}

int module_link(struct ctx *c, struct module **out, const char *const *texts, unsigned n)
{
    struct module *m = module_new(c);
    for (unsigned i = 0; i < n; i++)
        add_text(m, texts[i], strlen(texts[i]));
    int e = module_open(c, m);
    if (e)
        module_free(c, m);
    else
        *out = m;
    return e;
}

int module_unload(struct ctx *c, struct module *m)
{
    if (!handle_is(c, HANDLE_MODULE, m) || m->is_registered)
        return CUDA_INVALID_HANDLE;
    module_free(c, m);
    return CUDA_OK;
}

/* --- functions and variables --- */

static struct function *function_new(struct ctx *c, struct module *m, const char *name)
{
    struct function *f = xcalloc(1, sizeof *f);
    f->mod = m;
    f->name = xstrdup(name);
    f->max_dynamic_shared = -1;
    f->carveout = -1;
    vec_push(&m->functions, f);
    handle_add(c, HANDLE_FUNCTION, f);
    return f;
}

struct function *module_register_function(struct ctx *c, struct module *m, const void *stub,
                                          const char *name)
{
    struct function *f = function_new(c, m, name);
    f->stub = stub;
    u64map_put(&c->host_funcs, (uintptr_t)stub, (uintptr_t)f);
    return f;
}

void module_register_var(struct ctx *c, struct module *m, void *shadow, const char *name,
                         size_t bytes, void **managed)
{
    struct variable *v = xcalloc(1, sizeof *v);
    *v = (struct variable){m, name, shadow, managed, bytes};
    vec_push(&m->variables, v);
    u64map_put(&c->host_vars, (uintptr_t)shadow, (uintptr_t)v);
}

static struct function *find_function(struct module *m, const char *name)
{
    for (size_t i = 0; i < m->functions.len; i++)
        if (!strcmp(m->functions.data[i]->name, name))
            return m->functions.data[i];
    return NULL;
}

static bool has_entry(struct module *m, const char *name)
{
    for (uint32_t i = 0; i < program_func_count(m->prog); i++) {
        const struct ptx_func *f = program_func(m->prog, i);
        if (f->is_entry && !strcmp(f->name, name))
            return true;
    }
    return false;
}

int module_function(struct ctx *c, struct function **out, struct module *m, const char *name)
{
    if (!out || !name)
        return CUDA_INVALID_VALUE;
    if (!handle_is(c, HANDLE_MODULE, m))
        return CUDA_INVALID_HANDLE;
    int e = module_open(c, m);
    if (e)
        return e;
    if (!has_entry(m, name))
        return CUDA_NOT_FOUND;
    struct function *f = find_function(m, name);
    *out = f ? f : function_new(c, m, name);
    return CUDA_OK;
}

unsigned module_function_count(struct module *m)
{
    unsigned n = 0;
    for (uint32_t i = 0; m->prog && i < program_func_count(m->prog); i++)
        n += program_func(m->prog, i)->is_entry;
    return n;
}

struct function *module_function_at(struct ctx *c, struct module *m, unsigned at)
{
    struct function *f = NULL;
    for (uint32_t i = 0; m->prog && i < program_func_count(m->prog); i++) {
        const struct ptx_func *p = program_func(m->prog, i);
        if (p->is_entry && !at--)
            return module_function(c, &f, m, p->name) ? NULL : f;
    }
    return NULL;
}

int module_global(struct ctx *c, void **addr, size_t *bytes, struct module *m, const char *name)
{
    if (!name)
        return CUDA_INVALID_VALUE;
    if (!handle_is(c, HANDLE_MODULE, m))
        return CUDA_INVALID_HANDLE;
    int e = module_open(c, m);
    if (e)
        return e;
    const struct mem_alloc *a = program_var(m->prog, name);
    if (!a)
        return CUDA_NOT_FOUND;
    if (addr)
        *addr = devmem_ptr(a->base);
    if (bytes)
        *bytes = a->bytes;
    return CUDA_OK;
}

struct function *function_get(struct ctx *c, const void *p)
{
    uint64_t *f = u64map_get(&c->host_funcs, (uintptr_t)p);
    if (f && *f)
        return (struct function *)(uintptr_t)*f;
    return handle_is(c, HANDLE_FUNCTION, p) ? (struct function *)(uintptr_t)p : NULL;
}

int function_open(struct ctx *c, struct function *f)
{
    struct err err = {0};
    if (LIKELY(f->kernel != NULL))
        return CUDA_OK;
    int e = module_open(c, f->mod);
    if (e)
        return e;
    f->kernel = program_kernel(f->mod->prog, f->name, &err);
    if (f->kernel)
        return CUDA_OK;
    ctx_say("%s", err.msg);
    return has_entry(f->mod, f->name) ? CUDA_NOT_SUPPORTED : CUDA_INVALID_DEVICE_FUNCTION;
}

int symbol_address(struct ctx *c, void **addr, size_t *bytes, const void *symbol)
{
    uint64_t *slot = u64map_get(&c->host_vars, (uintptr_t)symbol);
    struct variable *v = slot ? (struct variable *)(uintptr_t)*slot : NULL;
    if (!v)
        return CUDA_INVALID_SYMBOL;
    int e = module_open(c, v->mod);
    if (e)
        return e;
    const struct mem_alloc *a = program_var(v->mod->prog, v->name);
    if (!a)
        return CUDA_INVALID_SYMBOL;
    if (addr)
        *addr = devmem_ptr(a->base);
    if (bytes)
        *bytes = a->bytes;
    return CUDA_OK;
}
