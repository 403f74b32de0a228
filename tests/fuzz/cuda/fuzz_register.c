/* A program's start-up with damaged device code: the compiler's constructors register a fatbin by
 * its wrapper, then main() asks for the kernel and the variable in it, launches, and copies; the
 * same image through the driver. The bytes lie at the very end of readable memory, so that whoever
 * believes a size too much is caught.
 *
 * The first byte of the input chooses how the fatbin is handed over, the others are its bytes. */
#include "base/rng.h"
#include "cuda/cuda_types.h"
#include "cuda/fatbin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

/* What nvcc's host code and a C host call. */
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *fun, const char *name, int limit,
                            void *tid, void *bid, void *bdim, void *gdim, int *wsize);
void __cudaRegisterVar(void **handle, char *shadow, char *addr, const char *name, int is_extern,
                       size_t bytes, int is_const, int is_global);
char __cudaInitModule(void **handle);
int cudaLaunchKernel(const void *f, struct dim3 grid, struct dim3 block, void **args, size_t shared,
                     void *stream);
int cudaDeviceSynchronize(void);
int cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset, int kind);
int cudaMalloc(void **p, size_t bytes);
int cudaDeviceReset(void);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleGetGlobal_v2(uint64_t *p, size_t *bytes, void *module, const char *name);
int cuModuleUnload(void *module);

/* Bits of the first byte. */
enum {
    BY_LINK = 1,      /* a version-2 wrapper: an array of fatbins */
    LINK_OPEN = 2,    /* the array has no NULL at its end, and memory ends there */
    SHIFTED = 4,      /* the pointer is off by one */
    NOT_MAPPED = 8,   /* ... or leads nowhere */
    BAD_MAGIC = 16,   /* of the wrapper */
    BY_DRIVER = 32,   /* cuModuleLoadData */
    SEVERAL_SIZE = 3, /* of an array */
};
enum { ROOM = 1 << 16, PAGE = 4096 };

/* Readable memory that ends where the next page cannot be read: for the fatbin, for an array. */
static char *end_of_memory(unsigned which)
{
    static char *ends[2];
    if (!ends[which]) {
        char *p =
            mmap(NULL, ROOM + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED || mprotect(p + ROOM, PAGE, PROT_NONE))
            abort();
        ends[which] = p + ROOM;
    }
    return ends[which];
}

static void set_up_once(void)
{
    static FILE *quiet; /* what is refused is said; the fuzzer's own words go another way */
    if (quiet || !(quiet = fopen("/dev/null", "w")))
        return;
    stderr = quiet;
    setenv("PARSIM_MAX_INST", "2000", 1);
}

static void use_registered(unsigned how, const void *image)
{
    static char stub, shadow[64];
    struct fatbin_wrapper w = {.magic = how & BAD_MAGIC ? 7 : WRAPPER_MAGIC,
                               .version = how & BY_LINK ? 2 : 1,
                               .data = image};
    const void **list = (const void **)(void *)end_of_memory(1) - SEVERAL_SIZE;
    for (unsigned i = 0; i < SEVERAL_SIZE; i++)
        list[i] = i == SEVERAL_SIZE - 1 && !(how & LINK_OPEN) ? NULL : image;
    w.link = how & BY_LINK ? list : NULL;
    void **handle = __cudaRegisterFatBinary(&w);
    __cudaRegisterFunction(handle, &stub, &stub, "_Z1kPi", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, shadow, shadow, "v", 0, sizeof shadow, 0, 1);
    __cudaRegisterFatBinaryEnd(handle);
    __cudaInitModule(handle);

    void *buffer = NULL, *args[] = {&buffer, &buffer, &buffer, &buffer};
    uint64_t numbers[64] = {0};
    cudaMalloc(&buffer, 256);
    cudaMemcpyToSymbol(shadow, numbers, sizeof shadow, 0, 1);
    cudaLaunchKernel(&stub, (struct dim3){1, 1, 1}, (struct dim3){32, 1, 1}, args, 0, NULL);
    cudaDeviceSynchronize();
    __cudaUnregisterFatBinary(handle);
}

static void use_driver(const void *image)
{
    void *module = NULL, *function = NULL;
    uint64_t address = 0;
    size_t bytes = 0;
    if (cuModuleLoadData(&module, image))
        return;
    cuModuleGetFunction(&function, module, "_Z1kPi");
    cuModuleGetGlobal_v2(&address, &bytes, module, "v");
    cuModuleUnload(module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || size > ROOM)
        return 0;
    set_up_once();
    const unsigned how = data[0];
    char *end = end_of_memory(0), *image = end - (size - 1);
    memset(end - ROOM, 0, ROOM);
    memcpy(image, data + 1, size - 1);
    const void *at = how & NOT_MAPPED ? end : how & SHIFTED ? image + 1 : image;
    uint32_t magic = 0;
    memcpy(&magic, image, size - 1 < 4 ? size - 1 : 4);
    /* the driver takes wrappers too; their pointers may lead into the sanitizer's own memory */
    if (how & BY_DRIVER && magic != WRAPPER_MAGIC)
        use_driver(at);
    else
        use_registered(how, at);
    cudaDeviceReset(); /* of a fault, and of what was allocated */
    return 0;
}

/* Half of the time a field of the fatbin's header or of its first entry's gets a value that is hard
 * to get right, else a byte changes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    static const uint64_t hard[] = {
        0,         1,          15,         16,         63,         64,        80,
        0xffff,    0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff, INT64_MAX, UINT64_MAX - 15,
        UINT64_MAX};
    enum { HEADERS = FATBIN_HEADER + 80 };
    struct rng rng = {seed};
    for (unsigned n = 1 + rng_below(&rng, 3); n && size > 1; n--) {
        const size_t width = (size_t)1 << rng_below(&rng, 4),
                     span = size - 1 < HEADERS ? size - 1 : HEADERS;
        if (rng_below(&rng, 2) && span >= width) {
            const size_t field = rng_below(&rng, (uint32_t)(span / width));
            memcpy(data + 1 + field * width, &hard[rng_below(&rng, ARRAY_LEN(hard))], width);
        } else {
            data[rng_below(&rng, (uint32_t)size)] ^= (uint8_t)(1u << rng_below(&rng, 8));
        }
    }
    if (!rng_below(&rng, 8) && size > 1) /* cut off, or padded */
        size = 1 + rng_below(&rng, (uint32_t)size);
    else if (!rng_below(&rng, 8) && size + 16 <= max)
        memset(data + size, 0, 16), size += 16;
    return size;
}
