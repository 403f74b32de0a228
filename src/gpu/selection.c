/* Launches by name and number; what a functional one leaves in the machine's L2 and tells its
 * techniques. */
#include "gpu/selection.h"

#include "base/vec.h"
#include "exec/watch.h"
#include "gpu/checkpoint.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

struct selection {
    struct gpu *gpu;
    const struct session_options *o;
    regex_t regex;
    bool has_regex, is_cold, is_begun;
    uint64_t seen, matched, taken;
    struct selection_passed passed;
    struct mem_watch watch;
    struct checkpoint *checkpoint; /* NULL: none */
    addr_t last;                   /* the line of the last access */
    bool last_written;             /* and whether techniques were told of it */
    bool is_stale;                 /* functional launches ran since the last timed one */
    struct err failure;            /* the first of the checkpoint */
    bool has_failed;
    VEC(char *) names; /* of kernels, for the message that none matched */
};

enum { LINE = 128, NAMES_KEPT = 8 };
/* In a checkpoint: the line that was touched last, now written. */
enum { AGAIN = 2 };

static bool is_asked(const struct session_options *o)
{
    return o->kernel || o->skip || o->count;
}

bool selection_check(const struct session_options *o, struct err *err)
{
    if (o->caches && strcmp(o->caches, "warm") && strcmp(o->caches, "cold"))
        return err_set(err, "--caches %s: must be warm or cold", o->caches);
    if (o->checkpoint && o->resume)
        return err_set(err, "--checkpoint and --resume: only one of them");
    if ((o->checkpoint || o->resume) && !is_asked(o))
        return err_set(err,
                       "--%s is of launches that are not timed: it needs --kernel, --skip or "
                       "--count, the same as when the file was made",
                       o->checkpoint ? "checkpoint" : "resume");
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

static void touch_line(struct selection *s, addr_t line, bool is_write, bool is_other)
{
    if (is_other && !s->is_cold)
        gpu_touched(s->gpu, line, LINE);
    if (is_write)
        gpu_rewritten(s->gpu, line, LINE);
}

static void touched_before(void *self, addr_t line, bool is_write)
{
    touch_line(self, line & ~(addr_t)AGAIN, is_write, !(line & AGAIN));
}

static void touched(void *self, addr_t addr, uint64_t bytes, bool is_write)
{
    struct selection *s = self;
    for (addr_t line = addr & ~(addr_t)(LINE - 1); line < addr + bytes; line += LINE) {
        if (line == s->last && (s->last_written || !is_write))
            continue;
        touch_line(s, line, is_write, line != s->last);
        if (s->checkpoint)
            checkpoint_touched(s->checkpoint, line | (line == s->last ? AGAIN : 0), is_write);
        s->last_written = is_write || (line == s->last && s->last_written);
        s->last = line;
    }
}

/* What comes behind a launch that a checkpoint could not give or keep is not the program's: the end
 * of the run says so, whatever the program does with the error. */
static bool noted(struct selection *s, bool ok, const struct err *err)
{
    if (!ok && !s->has_failed)
        s->failure = *err;
    s->has_failed = s->has_failed || !ok;
    return ok;
}

/* Runs it, or takes it from a file; a checkpoint is of what comes before the first timed launch. */
static bool run_passed(struct selection *s, struct device *d, const struct launch *l,
                       struct launch_result *result, struct err *err)
{
    struct checkpoint *c = s->taken ? NULL : s->checkpoint;
    if (c && checkpoint_is_resumed(c) && checkpoint_has_more(c))
        return launch_check(d, l, err) &&
               noted(s, checkpoint_replay(c, d, l, result, touched_before, s, err), err);
    const bool is_kept = c && !checkpoint_is_resumed(c);
    if (is_kept)
        checkpoint_before(c, d);
    d->watch = s->is_cold && !gpu_technique(s->gpu, 0) ? NULL : &s->watch;
    const bool ok = grid_run(d, l, result, err);
    d->watch = NULL;
    return ok && (!is_kept || noted(s, checkpoint_after(c, d, l, result, err), err));
}

static bool end_checkpoint(const struct selection *s, struct err *err)
{
    if (checkpoint_is_resumed(s->checkpoint) && checkpoint_has_more(s->checkpoint))
        return err_set(err,
                       "--resume %s: has more launches than there were before the first timed "
                       "one; --kernel and --skip must be as when it was made",
                       s->o->resume);
    return checkpoint_is_resumed(s->checkpoint) || checkpoint_end(s->checkpoint, err);
}

bool selection_begin(struct selection *s, struct err *err)
{
    if (!s->checkpoint || s->is_begun)
        return true;
    s->is_begun = true;
    return noted(s, end_checkpoint(s, err), err);
}

bool selection_pass(struct selection *s, struct device *d, const struct launch *l,
                    struct launch_result *result, struct err *err)
{
    s->is_stale = true;
    s->last = UINT64_MAX;
    const bool ok = run_passed(s, d, l, result, err);
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

bool selection_new(const struct session_options *o, struct gpu *g, struct selection **made,
                   struct err *err)
{
    *made = NULL;
    if (!is_asked(o))
        return true;
    struct selection *s = *made = xcalloc(1, sizeof *s);
    s->gpu = g;
    s->o = o;
    s->is_cold = o->caches && !strcmp(o->caches, "cold");
    s->has_regex = o->kernel && !regcomp(&s->regex, o->kernel, REG_EXTENDED | REG_NOSUB);
    s->watch = (struct mem_watch){.touched = touched, .self = s};
    s->checkpoint = o->checkpoint ? checkpoint_create(o->checkpoint, err)
                    : o->resume   ? checkpoint_open(o->resume, err)
                                  : NULL;
    return s->checkpoint || (!o->checkpoint && !o->resume);
}

void selection_free(struct selection *s)
{
    if (!s)
        return;
    if (s->has_regex)
        regfree(&s->regex);
    checkpoint_free(s->checkpoint);
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
    if (s->has_failed)
        return err_set(err, "what this run computed is not the program's: %s", s->failure.msg);
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
