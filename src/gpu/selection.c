/* Launches by name and number; what a functional one leaves in the machine's L2 and tells its
 * techniques. */
#include "gpu/selection.h"

#include "base/vec.h"
#include "exec/watch.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

struct selection {
    struct gpu *gpu;
    const struct session_options *o;
    regex_t regex;
    bool has_regex, is_cold;
    uint64_t seen, matched, taken;
    struct selection_passed passed;
    struct mem_watch watch;
    addr_t last;       /* the line of the last access */
    bool last_written; /* and whether techniques were told of it */
    bool is_stale;     /* functional launches ran since the last timed one */
    VEC(char *) names; /* of kernels, for the message that none matched */
};

enum { LINE = 128, NAMES_KEPT = 8 };

static bool is_asked(const struct session_options *o)
{
    return o->kernel || o->skip || o->count;
}

bool selection_check(const struct session_options *o, struct err *err)
{
    if (o->caches && strcmp(o->caches, "warm") && strcmp(o->caches, "cold"))
        return err_set(err, "--caches %s: must be warm or cold", o->caches);
    if (o->caches && !is_asked(o))
        return err_set(err, "--caches says what launches that are not timed leave behind: it needs "
                            "--kernel, --skip or --count");
    if (!o->kernel)
        return true;
    char text[256];
    regex_t regex;
    const int e = regcomp(&regex, o->kernel, REG_EXTENDED | REG_NOSUB);
    if (e) {
        regerror(e, &regex, text, sizeof text);
        return err_set(err, "--kernel %s: %s", o->kernel, text);
    }
    regfree(&regex);
    return true;
}

/* --- what functional launches leave behind --- */

static void touched(void *self, addr_t addr, uint64_t bytes, bool is_write)
{
    struct selection *s = self;
    for (addr_t line = addr & ~(addr_t)(LINE - 1); line < addr + bytes; line += LINE) {
        if (line == s->last && (s->last_written || !is_write))
            continue;
        if (line != s->last && !s->is_cold)
            gpu_touched(s->gpu, line, LINE);
        if (is_write)
            gpu_rewritten(s->gpu, line, LINE);
        s->last_written = is_write || (line == s->last && s->last_written);
        s->last = line;
    }
}

bool selection_pass(struct selection *s, struct device *d, const struct launch *l,
                    struct launch_result *result, struct err *err)
{
    s->is_stale = true;
    s->last = UINT64_MAX;
    d->watch = s->is_cold && !gpu_technique(s->gpu, 0) ? NULL : &s->watch;
    const bool ok = grid_run(d, l, result, err);
    d->watch = NULL;
    s->passed.launches++;
    s->passed.warp_inst += result->warp_inst;
    s->passed.thread_inst += result->thread_inst;
    return ok;
}

/* --- which --- */

static void keep_name(struct selection *s, const char *name)
{
    for (size_t i = 0; i < s->names.len; i++)
        if (!strcmp(s->names.data[i], name))
            return;
    if (s->names.len < NAMES_KEPT)
        vec_push(&s->names, xstrdup(name));
}

bool selection_takes(struct selection *s, const char *kernel)
{
    s->seen++;
    if (s->has_regex && regexec(&s->regex, kernel, 0, NULL, 0)) {
        keep_name(s, kernel);
        return false;
    }
    const uint64_t number = s->matched++;
    if (number < s->o->skip || (s->o->count && number - s->o->skip >= s->o->count))
        return false;
    if (s->is_stale && s->is_cold)
        gpu_forget(s->gpu);
    s->is_stale = false;
    s->taken++;
    return true;
}

struct selection *selection_new(const struct session_options *o, struct gpu *g)
{
    if (!is_asked(o))
        return NULL;
    struct selection *s = xcalloc(1, sizeof *s);
    s->gpu = g;
    s->o = o;
    s->is_cold = o->caches && !strcmp(o->caches, "cold");
    s->has_regex = o->kernel && !regcomp(&s->regex, o->kernel, REG_EXTENDED | REG_NOSUB);
    s->watch = (struct mem_watch){touched, s};
    return s;
}

void selection_free(struct selection *s)
{
    if (!s)
        return;
    if (s->has_regex)
        regfree(&s->regex);
    for (size_t i = 0; i < s->names.len; i++)
        free(s->names.data[i]);
    vec_free(&s->names);
    free(s);
}

uint64_t selection_taken(const struct selection *s)
{
    return s->taken;
}

const struct selection_passed *selection_passed(const struct selection *s)
{
    return &s->passed;
}

bool selection_holds(const struct selection *s, struct err *err)
{
    if (s->taken)
        return true;
    if (s->matched || !s->o->kernel)
        return err_set(err, "no launch was timed: --skip passes over %llu, there were %llu",
                       (unsigned long long)s->o->skip, (unsigned long long)s->matched);
    char *list = xstrdup("");
    for (size_t i = 0; i < s->names.len; i++) {
        char *more = xasprintf("%s%s%s", list, i ? ", " : "; there were ", s->names.data[i]);
        free(list);
        list = more;
    }
    err_set(err, "--kernel %s matches no launch of the program's %llu%.800s", s->o->kernel,
            (unsigned long long)s->seen, list);
    free(list);
    return false;
}
