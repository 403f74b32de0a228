/* Programs with the static CUDA runtime, nvcc's default. Their calls never leave the executable; so
 * `parsim run` preloads this library, and before the program's own constructors run, every runtime
 * function in the executable is made to jump to ours. Its symbol table says where they are. */
#define _GNU_SOURCE /* dlvsym, dl_iterate_phdr */
#include "base/file.h"
#include "cuda/ctx.h"
#include "cuda/elf_modules.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Functions are aligned to 16 bytes, so that this much is always theirs. */
#if defined(__x86_64__)
static const uint8_t jump_code[] = {0xFF, 0x25, 0, 0, 0, 0}; /* jmp *0(%rip) */
#elif defined(__aarch64__)
static const uint8_t jump_code[] = {0x50, 0, 0, 0x58, 0, 0x02, 0x1F, 0xD6}; /* ldr x16, 8; br x16 */
#else
#error "no jump known for this processor"
#endif

struct patch {
    void *self;       /* this library */
    uintptr_t bias;   /* of the executable */
    const char *node; /* version of the runtime inside it */
    bool has_get_kernel, has_properties_v2;
};

static int find_bias(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    *(uintptr_t *)arg = info->dlpi_addr;
    return 1; /* the executable comes first */
}

/* Structs differ between toolkits, and these names tell them apart. */
static void note_toolkit(const char *name, uint64_t value, void *arg)
{
    struct patch *p = arg;
    (void)value;
    p->has_get_kernel |= !strcmp(name, "__cudaGetKernel");
    p->has_properties_v2 |= !strcmp(name, "cudaGetDeviceProperties_v2");
}

static void write_jump(uintptr_t at, void *target)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = at / page * page;
    size_t bytes = at + sizeof jump_code + sizeof target - first;
    if (mprotect((void *)first, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
        return;
    memcpy((void *)at, jump_code, sizeof jump_code);
    memcpy((void *)(at + sizeof jump_code), &target, sizeof target);
    mprotect((void *)first, bytes, PROT_READ | PROT_EXEC);
    __builtin___clear_cache((char *)at, (char *)at + sizeof jump_code + sizeof target);
}

static void patch_function(const char *name, uint64_t value, void *arg)
{
    struct patch *p = arg;
    if (strncmp(name, "cuda", 4) && strncmp(name, "__cuda", 6))
        return;
    void *ours = dlvsym(p->self, name, p->node);
    if (!ours)
        ours = dlsym(p->self, name);
    if (ours)
        write_jump(p->bias + value, ours);
}

__attribute__((constructor)) static void replace_static_runtime(void)
{
    struct err err;
    struct patch p = {0};
    Dl_info info;
    size_t len;
    const char *preload = getenv("LD_PRELOAD");
    if (!preload || !dladdr((void *)jump_code, &info) || strcmp(preload, info.dli_fname))
        return;
    unsetenv("LD_PRELOAD"); /* programs that this one starts have no need of it */
    char *data = file_read("/proc/self/exe", &len, &err);
    if (!data)
        return;
    dl_iterate_phdr(find_bias, &p.bias);
    p.self = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    elf_each_function(data, len, note_toolkit, &p);
    p.node = p.has_properties_v2 ? "libcudart.so.12"
             : p.has_get_kernel  ? "libcudart.so.13"
                                 : "libcudart.so.11.0";
    if (p.self)
        elf_each_function(data, len, patch_function, &p);
    free(data);
}
