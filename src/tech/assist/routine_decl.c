/* Keys of a pragma, one function each, with the error that names what would be right. */
#include "tech/assist/routine_decl.h"

#include "parsim/codec.h"
#include "ptx/isa.h"
#include "sm/sm_stats.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct where {
    const struct ptx_func *f;
    uint32_t line;
    struct err *err;
};

PRINTF_LIKE(2, 3)
static bool wrong(const struct where *w, const char *fmt, ...)
{
    char what[384];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return err_set(w->err, "%s:%u: routine %s: %s", w->f->module->file, w->line, w->f->name, what);
}

static bool number(const char *s, int base, uint64_t *out)
{
    char *end;
    *out = strtoull(s, &end, base);
    return *s && *s != '-' && !*end;
}

static bool counter_of(const char *name, size_t len, size_t *offset)
{
    for (size_t i = 0; i < sm_nstat_rows; i++) {
        const struct stat_row *r = &sm_stat_rows[i];
        if (r->kind != STAT_COUNTER || strlen(r->name) != len || memcmp(r->name, name, len))
            continue;
        *offset = r->offset;
        return true;
    }
    return false;
}

static bool set_every(const struct where *w, const char *v, struct routine_decl *d)
{
    const char *colon = strchr(v, ':');
    if (!colon || !number(colon + 1, 10, &d->every) || !d->every)
        return wrong(w, "on=every:%s: should be every:COUNTER:N, for example every:warp_inst:1000",
                     v);
    d->on = ON_EVERY;
    return counter_of(v, (size_t)(colon - v), &d->counter) ||
           wrong(w,
                 "on=every:%s: an SM has no such counter ('parsim run --json' lists those of sm)",
                 v);
}

static bool set_interrupt(const struct where *w, const char *v, struct routine_decl *d)
{
    d->on = ON_INTERRUPT;
    return !*v || (*v == ':' && number(v + 1, 10, &d->every) && d->every) ||
           wrong(w, "on=interrupt%s: should be interrupt or interrupt:CYCLES", v);
}

static bool set_on(const struct where *w, const char *v, struct routine_decl *d)
{
    static const struct {
        const char *name;
        enum routine_on on;
    } words[] = {
        {"fill", ON_FILL},        {"store", ON_STORE},           {"load", ON_LOAD},
        {"l1_miss", ON_MISS},     {"divergence", ON_DIVERGENCE}, {"memo_begin", ON_MEMO_BEGIN},
        {"memo_end", ON_MEMO_END}};
    uint64_t n;
    d->has_on = true;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (!strcmp(v, words[i].name)) {
            d->on = words[i].on;
            return true;
        }
    if (!strncmp(v, "every:", 6))
        return set_every(w, v + 6, d);
    if (!strncmp(v, "interrupt", 9))
        return set_interrupt(w, v + 9, d);
    if (!strncmp(v, "inst:", 5) && number(v + 5, 10, &n) && n <= UINT32_MAX) {
        d->on = ON_INST;
        d->line = (uint32_t)n;
        return true;
    }
    return wrong(w,
                 "on=%s: should be fill, store, load, l1_miss, divergence, inst:LINE, "
                 "every:COUNTER:N, interrupt, memo_begin or memo_end",
                 v);
}

static bool set_priority(const struct where *w, const char *v, struct routine_decl *d)
{
    d->is_high = !strcmp(v, "high");
    return d->is_high || !strcmp(v, "low") || wrong(w, "priority=%s: should be high or low", v);
}

static bool set_codec(const struct where *w, const char *v, struct routine_decl *d)
{
    enum codec_id id;
    unsigned bits, ways;
    snprintf(d->codec, sizeof d->codec, "%s", v);
    return codec_name_parse(v, &id, &bits, &ways) ||
           wrong(w, "codec=%s: no such codec; routines are for bdi, fpc-seg and cpack4", v);
}

/* Predicates of the routine, with colons between, at most `most`. */
static bool set_predicates(const struct where *w, const char *key, const char *v, uint32_t *regs,
                           unsigned most, uint8_t *n)
{
    for (*n = 0; *n < most; ++*n) {
        const size_t len = strcspn(v, ":");
        if (!ptx_reg_find(w->f, v, len, &regs[*n]) || w->f->regs[regs[*n]].type != PTX_PRED)
            return wrong(w, "%s=%s: %.*s is no predicate register of it", key, v, (int)len, v);
        v += len;
        if (!*v++) {
            ++*n;
            return true;
        }
    }
    return wrong(w, "%s: at most %u predicates", key, most);
}

static bool set_step(const struct where *w, const char *reg, const char *bytes,
                     struct routine_step *s)
{
    char *end;
    const long n = strtol(bytes, &end, 10);
    s->bytes = (int32_t)n;
    if (!*bytes || *end || n < -128 || n > 128)
        return wrong(w, "steps: %s of %s should be bytes from -128 to 128", bytes, reg);
    if (!ptx_reg_find(w->f, reg, strlen(reg), &s->reg) ||
        ptx_type_bits(w->f->regs[s->reg].type) != 32)
        return wrong(w, "steps: %s is no register of 32 bits of it", reg);
    return true;
}

/* Registers and bytes in turn, with colons between. */
static bool set_steps(const struct where *w, const char *v, struct routine_decl *d)
{
    char *copy = xstrdup(v), *save = NULL;
    bool ok = true;
    for (char *reg = strtok_r(copy, ":", &save), *bytes; ok && reg;
         reg = strtok_r(NULL, ":", &save)) {
        bytes = strtok_r(NULL, ":", &save);
        if (!bytes || d->nsteps == ROUTINE_STEPS)
            ok = wrong(w, "steps=%s: should be %%REGISTER:BYTES, at most %d times", v,
                       ROUTINE_STEPS);
        else
            ok = set_step(w, reg, bytes, &d->steps[d->nsteps++]);
    }
    free(copy);
    return ok;
}

static bool set_key(const struct where *w, const char *key, const char *v, struct routine_decl *d)
{
    uint64_t n = 0;
    if (!strcmp(key, "on"))
        return set_on(w, v, d);
    if (!strcmp(key, "priority"))
        return set_priority(w, v, d);
    if (!strcmp(key, "codec"))
        return set_codec(w, v, d);
    if (!strcmp(key, "encoding")) {
        d->encoding = (int)(number(v, 0, &n) && n < 256 ? n : 256);
        return d->encoding < 256 || wrong(w, "encoding=%s: should be a number from 0 to 255", v);
    }
    if (!strcmp(key, "mask")) {
        bool ok = number(v, 0, &n) && n && n <= UINT32_MAX;
        d->mask = (uint32_t)n;
        return ok || wrong(w, "mask=%s: should be a set of lanes from 1 to 0xffffffff", v);
    }
    if (!strcmp(key, "when")) {
        d->when_memory_idle = !strcmp(v, "memory_idle");
        return d->when_memory_idle || wrong(w, "when=%s: should be memory_idle", v);
    }
    if (!strcmp(key, "registers")) {
        d->on_spares = !strcmp(v, "spare");
        return d->on_spares || wrong(w, "registers=%s: should be spare", v);
    }
    if (!strcmp(key, "waiting")) {
        bool ok = number(v, 0, &n) && n && n <= UINT32_MAX;
        d->waiting = (uint32_t)n;
        return ok || wrong(w, "waiting=%s: should be a number of instances", v);
    }
    if (!strcmp(key, "lanes"))
        return set_predicates(w, key, v, d->lanes, 2, &d->nlanes);
    if (!strcmp(key, "steps"))
        return set_steps(w, v, d);
    if (!strcmp(key, "all")) {
        uint8_t one;
        d->has_all = true;
        return set_predicates(w, key, v, &d->all, 1, &one);
    }
    if (!strcmp(key, "live_out")) {
        snprintf(d->live_out, sizeof d->live_out, "%s", v);
        return true;
    }
    return wrong(
        w,
        "'%s': the keys are on, codec, encoding, lanes, all, steps, priority, mask, registers, "
        "when, waiting and live_out",
        key);
}

static bool check(const struct where *w, struct routine_decl *d)
{
    if (!d->has_on)
        return wrong(w, "says not when it begins: on=... is missing");
    if (d->on == ON_STORE && *d->codec)
        d->on = ON_STORE_LINE;
    if (d->on == ON_FILL && !*d->codec)
        return wrong(w, "on=fill needs codec=...");
    if (*d->codec && d->on != ON_FILL && d->on != ON_STORE_LINE)
        return wrong(w, "codec=%s goes with on=fill (it decodes) or on=store (it encodes)",
                     d->codec);
    if (d->on == ON_MEMO_BEGIN && !d->is_high)
        return wrong(w, "on=memo_begin needs priority=high, since its parent waits for it");
    if (d->on == ON_INTERRUPT && !d->is_high)
        return wrong(w, "on=interrupt needs priority=high, since it is taken at once");
    const bool is_form = d->on == ON_STORE_LINE && d->encoding >= 0;
    if (d->encoding >= 0 && d->on != ON_FILL && !is_form)
        return wrong(w, "encoding=%d goes with on=fill or on=store and codec=...", d->encoding);
    if (d->nlanes && d->encoding < 0)
        return wrong(w, "lanes=... goes with encoding=..., whose mask it is");
    if (d->nsteps && d->on != ON_FILL && d->on != ON_STORE_LINE)
        return wrong(w, "steps=... goes with codec=..., whose line they lead through");
    if (d->has_all != is_form)
        return wrong(w, "all=... goes with on=store codec=... encoding=..., and these with it");
    return true;
}

static bool parse_text(const struct where *w, const char *text, struct routine_decl *d)
{
    char *copy = xstrdup(text), *save = NULL;
    bool ok = true;
    strtok_r(copy, " \t", &save); /* "assist" */
    for (char *k; ok && (k = strtok_r(NULL, " \t,", &save));) {
        char *eq = strchr(k, '=');
        if (!eq) {
            ok = wrong(w, "'%s' should be KEY=VALUE", k);
            break;
        }
        *eq = 0;
        ok = set_key(w, k, eq + 1, d);
    }
    free(copy);
    return ok && check(w, d);
}

bool routine_decl_parse(const struct ptx_func *f, struct routine_decl *d, struct err *err)
{
    *d = (struct routine_decl){.encoding = -1, .mask = UINT32_MAX};
    for (uint32_t i = 0; i < f->npragmas; i++) {
        const char *t = f->pragmas[i].text;
        if (strncmp(t, "assist", 6) || (t[6] && t[6] != ' '))
            continue;
        const struct where w = {f, f->pragmas[i].line, err};
        d->pragma_line = w.line;
        return parse_text(&w, t, d);
    }
    const struct where w = {f, f->line, err};
    return wrong(&w, "has no .pragma \"assist on=... priority=...\" in its body");
}
