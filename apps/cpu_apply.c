/* Which functions are memoized: those without an effect but their result, by what they would save.
 */
#include "cpu_apply.h"

#include "a64/paths.h"
#include "a64/rewrite.h"

#include <stdlib.h>

struct choice {
    const struct pure_function *f;
    double saving;
};

static int by_saving(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;
    if (x->saving != y->saving)
        return x->saving < y->saving ? 1 : -1;
    return (x->f->entry > y->f->entry) - (x->f->entry < y->f->entry);
}

static const char *const faults[] = {[PURE_STORES] = "stores",
                                     [PURE_LOADS] = "reads memory that can change",
                                     [PURE_SYSTEM] = "calls the system",
                                     [PURE_READS] = "reads other registers than arguments",
                                     [PURE_WIDE] = "has arguments of 16 bytes",
                                     [PURE_UNENDED] = "does not return as it was called",
                                     [PURE_UNKNOWN] =
                                         "goes where only a run can say, or is too large",
                                     [PURE_OUTPUTS] = "leaves not one result of 8 bytes"};

/* Why it cannot be; NULL: it can, as far as was seen. */
static const char *obstacle(const struct a64_process *p, const struct pure_function *f)
{
    uint32_t first = 0;
    if (f->fault)
        return faults[f->fault];
    if (!f->inputs)
        return "has no arguments";
    if (f->outputs != PURE_X0 && f->outputs != PURE_V0)
        return faults[PURE_OUTPUTS];
    image_peek(p->image, f->entry, &first, sizeof first);
    return rewrite_can_move(first) ? NULL : "begins with an instruction that cannot be moved";
}

static void print_inputs(uint32_t inputs)
{
    for (unsigned r = 0; r < PURE_REGISTERS; r++)
        if (inputs >> r & 1)
            printf(" %c%u", r < 8 ? 'x' : 'v', r & 7);
}

static void print_function(const struct a64_process *p, const struct choice *c, unsigned cut)
{
    const struct pure_function *f = c->f;
    char *place = a64_process_place(p, f->entry);
    printf("  %s: %llu calls of %.0f instructions,", place, (unsigned long long)f->returned,
           (double)f->inst / (double)f->returned);
    print_inputs(f->inputs);
    printf(" in, %llu distinct of %zu: %+.0f cycles", (unsigned long long)pure_distinct(f, cut),
           f->calls.len, -c->saving);
    free(place);
}

/* What speaks against it, or for care. */
static void print_verdict(const struct a64_process *p, const struct pure_function *f,
                          const char *why, const struct paths *paths)
{
    char *place = paths->fault ? a64_process_place(p, paths->at) : NULL;
    printf("%s%s%s", f->sets_errno || paths->sets_errno ? "; sets errno, which a hit does not" : "",
           why || paths->fault ? "; not memoized: it " : "", why ? why : "");
    if (!why && paths->fault)
        printf(
            "%s at %s, by its code or on a path that was not taken (--trust: neither is looked at)",
            faults[paths->fault], place);
    putchar('\n');
    free(place);
}

/* Sorted; those that save something, and are called more than once. */
static size_t candidates(const struct pure_finder *finder, unsigned cut, struct choice **all)
{
    const struct pure_function *f;
    const size_t n = pure_functions(finder, &f);
    size_t kept = 0;
    *all = xcalloc(n + 1, sizeof **all);
    for (size_t k = 0; k < n; k++) {
        const double saving = f[k].returned > 1 ? pure_saving(&f[k], cut) : 0;
        if (saving > 0)
            (*all)[kept++] = (struct choice){&f[k], saving};
    }
    qsort(*all, kept, sizeof **all, by_saving);
    return kept;
}

/* Decides about one, says so, and adds it to `chosen`. */
static size_t consider(const struct a64_process *p, const struct choice *c,
                       const struct cpu_apply_options *o, bool is_shown,
                       struct rewrite_function *chosen)
{
    const struct pure_function *f = c->f;
    const char *why = obstacle(p, f);
    struct paths paths = {0};
    if (!why && !o->is_trusted)
        paths = paths_look(p, o->timing, f->entry, f->outputs);
    if (is_shown) {
        print_function(p, c, o->cut);
        print_verdict(p, f, why, &paths);
    }
    if (why || paths.fault)
        return 0;
    *chosen = (struct rewrite_function){.entry = f->entry,
                                        .inputs = f->inputs | paths.inputs,
                                        .is_simd = f->outputs == PURE_V0,
                                        .cut = o->cut};
    return 1;
}

bool cpu_apply(const struct a64_process *p, const struct pure_finder *f,
               const struct cpu_apply_options *o, struct err *err)
{
    enum { SHOWN = 16 };
    struct rewrite_function chosen[REWRITE_MOST];
    struct choice *all;
    size_t n = 0;
    const size_t found = candidates(f, o->cut, &all);
    for (size_t k = 0; k < found && n < REWRITE_MOST; k++)
        n += consider(p, &all[k], o, !o->is_quiet && k < SHOWN, &chosen[n]);
    free(all);
    if (!n)
        return err_set(err,
                       "--apply: no function of %s was seen that computes its result from "
                       "arguments alone, again and again",
                       p->o.path);
    if (!rewrite_file(p->o.path, o->out, chosen, n, p->program.entry, err))
        return false;
    if (!o->is_quiet)
        printf("%zu memoized: parsim cpu run --set memo.data_bytes=8 %s ...\n%s", n, o->out,
               o->is_trusted ? "They are pure as far as was seen, which is no proof: a path that "
                               "was not taken may store, or read what changes. Compare the "
                               "outputs.\n"
                             : "");
    return true;
}
