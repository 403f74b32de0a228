/* What is told at the end of a program: faults, findings, leaks, and the files that were asked
 * for. */
#include "gpu/report.h"
#include "cuda/batch.h"
#include "cuda/device_code.h"
#include "gpu/judge.h"
#include "gpu/selection.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void report_fault(struct ctx *c, const char *msg)
{
    vec_push(&c->faults, xstrdup(msg));
    ctx_say("%s", msg);
}

void report_finding(const char *msg, void *ctx)
{
    struct ctx *c = ctx;
    vec_push(&c->findings, xstrdup(msg));
    ctx_say("check: %s", msg);
}

static bool report_leak(const struct mem_alloc *a, void *arg)
{
    static const char *const kinds[] = {
        [MEM_DEVICE] = "device memory", [MEM_MANAGED] = "managed memory",
        [MEM_HOST] = "pinned memory",   [MEM_HEAP] = "device heap",
        [MEM_ARRAY] = "array",
    };
    char msg[160];
    if (a->kind >= ARRAY_LEN(kinds) || !kinds[a->kind] || a->name)
        return true;
    snprintf(msg, sizeof msg, "never freed: allocation #%llu, %llu bytes of %s at 0x%llx",
             (unsigned long long)a->serial, (unsigned long long)a->bytes, kinds[a->kind],
             (unsigned long long)a->base);
    report_finding(msg, arg);
    return true;
}

void report_leaks(struct ctx *c)
{
    if (c->checks_memory && c->dev)
        devmem_each(c->dev->mem, report_leak, c);
}

static void print_report(const struct ctx *c, const struct run_report *r)
{
    fflush(stdout); /* what the program has said comes first */
    fputs("parsim: ", stderr);
    run_report_print(r, stderr);
    if (c->checks_memory || c->checks_race)
        ctx_say("check: %zu finding%s", c->findings.len, c->findings.len == 1 ? "" : "s");
}

/* Whether this is the program that `parsim run` was given, not one that it has started. */
static bool is_run_itself(void)
{
    const char *pid = getenv("PARSIM_RUN_PID");
    return pid && strtoll(pid, NULL, 10) == getpid();
}

/* What is asked of launches says nothing where there are none. */
static bool launches_hold(const struct session *s, struct err *err)
{
    static const struct {
        const char *name, *variable;
    } asked[] = {{"hot", "PARSIM_HOT"},
                 {"checkpoint", "PARSIM_CHECKPOINT"},
                 {"resume", "PARSIM_RESUME"},
                 {"kernel", "PARSIM_KERNEL"}};
    if (s ? session_kernel_count(s) != 0 : !is_run_itself())
        return true;
    for (unsigned i = 0; i < ARRAY_LEN(asked); i++) {
        const char *value = getenv(asked[i].variable);
        if (value && *value && strcmp(value, "0"))
            return err_set(err, "--%s: the program has launched no kernel", asked[i].name);
    }
    return true;
}

/* Whether there was what was asked for: --kernel, --hot, --ptx. */
static bool asked_is_met(const struct ctx *c, int interrupted)
{
    struct err err = {0};
    const struct selection *s = c->session ? session_selection(c->session) : NULL;
    if (interrupted)
        return true;
    if ((!s || selection_holds(s, &err)) && launches_hold(c->session, &err) &&
        device_code_held(&err))
        return true;
    ctx_say("%s", err.msg);
    return false;
}

int report_write_all(struct ctx *c, int interrupted)
{
    enum { DONE, FAILED, UNMET };
    if (c->session && c->owner != getpid())
        return DONE;
    if (!interrupted)
        batch_flush(c);
    report_leaks(c);
    const char *wanted = getenv("PARSIM_REPORT"), *json = getenv("PARSIM_JSON");
    struct run_report r = {.session = c->session,
                           .faults = c->faults.data,
                           .nfaults = c->faults.len,
                           .findings = c->findings.data,
                           .nfindings = c->findings.len,
                           .interrupted = interrupted};
    struct err err = {0};
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN); /* too large is an error of the write */
    if (wanted && *wanted && strcmp(wanted, "0"))
        print_report(c, &r);
    const bool is_written = c->session      ? run_report_write(&r, &err)
                            : json && *json ? run_report_write_json(&r, json, &err)
                                            : true;
    const bool ok = is_written && (!c->session || interrupted || judge_holds(c->session, &err));
    if (!ok)
        ctx_say("%s", err.msg);
    signal(SIGXFSZ, before);
    return !is_written ? UNMET : !ok ? FAILED : asked_is_met(c, interrupted) ? DONE : UNMET;
}
