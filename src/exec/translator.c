/* A module that may not be there: without it nothing is translated and nothing else changes. */
#define _GNU_SOURCE /* dladdr() */
#include "exec/translator.h"

#include "base/cpu.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Translating an instruction takes about as long as executing it this many times. */
enum { HOT = 15000 };
/* Loading the translator and its first translations take about as long as executing this many of
 * them. */
enum { LOAD = 12000000 };

static struct {
    pthread_once_t asked, loaded;
    uint32_t threshold;
    const struct translator *translator;
    atomic_uint_fast64_t executed;
    atomic_bool is_loaded;
} state = {.asked = PTHREAD_ONCE_INIT, .loaded = PTHREAD_ONCE_INIT};

static const struct {
    const char *name;
    uint32_t threshold;
} settings[] = {{"auto", HOT}, {"off", 0}, {"always", 1}};

/* The row of `settings` that PARSIM_JIT names, the first if it is not set; -1: none. */
static int setting(void)
{
    const char *want = getenv("PARSIM_JIT");
    if (!want || !*want)
        return 0;
    for (size_t i = 0; i < ARRAY_LEN(settings); i++)
        if (!strcmp(want, settings[i].name))
            return (int)i;
    return -1;
}

bool translator_check(struct err *err)
{
    return setting() >= 0 ||
           err_set(err, "PARSIM_JIT=%s: there are auto, off and always", getenv("PARSIM_JIT"));
}

static void ask(void)
{
    const int row = setting();
    state.threshold = cpu_level() < CPU_avx2 || row < 0 ? 0 : settings[row].threshold;
}

uint32_t translator_threshold(void)
{
    pthread_once(&state.asked, ask);
    return state.threshold;
}

bool translator_is_worth(uint64_t ninsts, double to_come)
{
    const uint64_t before = atomic_fetch_add(&state.executed, ninsts);
    return translator_threshold() != HOT || atomic_load(&state.is_loaded) ||
           (double)(before + ninsts) + to_come >= LOAD;
}

/* The module lies in the folder lib of the build, where this code may be in the library beside it,
 * in the program above it, or in a test elsewhere in the tree. */
static void *open_module(void)
{
    static const char *const places[] = {"", "lib/", "../lib/", "../../lib/"};
    Dl_info self;
    if (!dladdr((const void *)&state, &self) || !self.dli_fname)
        return NULL;
    const char *slash = strrchr(self.dli_fname, '/');
    void *module = NULL;
    for (size_t i = 0; !module && i < ARRAY_LEN(places); i++) {
        char *path =
            xasprintf("%.*s%s" TRANSLATOR_MODULE, slash ? (int)(slash - self.dli_fname) + 1 : 2,
                      slash ? self.dli_fname : "./", places[i]);
        module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        free(path);
    }
    return module;
}

static void load(void)
{
    void *module = translator_threshold() ? open_module() : NULL;
    translator_fn *entry = NULL;
    if (module)
        *(void **)&entry = dlsym(module, TRANSLATOR_SYMBOL);
    const struct translator *t = entry ? entry() : NULL;
    state.translator = t && t->abi == RUN_ABI ? t : NULL;
    atomic_store(&state.is_loaded, true);
}

const struct translator *translator_get(void)
{
    pthread_once(&state.loaded, load);
    return state.translator;
}
