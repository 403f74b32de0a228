/* Random kernels: made as trees, written as PTX, executed lane by lane. */
#include "tech/support_lnl_model.h"

#include "exec/texture.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- the text --- */

static void say(struct model_kernel *k, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    k->len += (size_t)vsnprintf(k->text + k->len, sizeof k->text - k->len, fmt, args);
    va_end(args);
}

/* One instruction. */
static void say_inst(struct model_kernel *k, const struct model_node *n, const char *fmt, ...)
{
    va_list args;
    if (n && n->is_marked)
        say(k, ".pragma \"lnl precise\";\n");
    if (n && n->guard >= 0)
        say(k, "@%%p%d ", n->guard);
    va_start(args, fmt);
    k->len += (size_t)vsnprintf(k->text + k->len, sizeof k->text - k->len, fmt, args);
    va_end(args);
    say(k, ";\n");
    k->pc++;
}

static void write_list(struct model_kernel *k, struct model_node *n);

static void write_if(struct model_kernel *k, struct model_node *n)
{
    const unsigned label = k->nlabels++;
    n->pc = k->pc;
    say_inst(k, NULL, "@%%p%u bra T%u", n->a, label);
    write_list(k, n->other);
    say_inst(k, NULL, "bra M%u", label);
    say(k, "T%u:\n", label);
    write_list(k, n->body);
    say(k, "M%u:\n", label);
}

static void write_loop(struct model_kernel *k, struct model_node *n)
{
    const unsigned label = k->nlabels++;
    say(k, "L%u:\n", label);
    write_list(k, n->body);
    n->pc = k->pc;
    say_inst(k, NULL, "@%%p%u bra L%u", n->a, label);
}

static void write_node(struct model_kernel *k, struct model_node *n)
{
    uint32_t c;
    memcpy(&c, &n->c, sizeof c);
    n->pc = k->pc;
    switch (n->kind) {
    case MODEL_FADD:
        say_inst(k, n, "add.rn.f32 %%f%u, %%f%u, %%f%u", n->d, n->a, n->b);
        break;
    case MODEL_FSUB:
        say_inst(k, n, "sub.rn.f32 %%f%u, %%f%u, %%f%u", n->d, n->a, n->b);
        break;
    case MODEL_FSCALE:
        say_inst(k, n, "mul.rn.f32 %%f%u, %%f%u, 0f%08X", n->d, n->a, c);
        break;
    case MODEL_FBELOW:
        say_inst(k, n, "setp.lt.f32 %%p%u, %%f%u, %%f%u", n->d, n->a, n->b);
        break;
    case MODEL_IBELOW:
        say_inst(k, n, "setp.lt.u32 %%p%u, %%r%u, %%r%u", n->d, n->a, n->b);
        break;
    case MODEL_ISET:
        say_inst(k, n, "mov.u32 %%r%u, %u", n->d, n->number);
        break;
    case MODEL_IADD:
        say_inst(k, n, "add.u32 %%r%u, %%r%u, %u", n->d, n->a, n->number);
        break;
    case MODEL_STORE:
        say_inst(k, n, "st.global.f32 [%%rd2+%u], %%f%u", 4 * MODEL_STRIDE * (2 + n->number), n->a);
        break;
    case MODEL_BARRIER:
        say_inst(k, n, "bar.sync 0");
        break;
    case MODEL_IF:
        write_if(k, n);
        break;
    case MODEL_LOOP:
        write_loop(k, n);
        break;
    }
}

static void write_list(struct model_kernel *k, struct model_node *n)
{
    for (; n; n = n->next)
        write_node(k, n);
}

/* %r0 the thread's number, %r1 to %r5 numbers of it, %f0 and %f1 loaded. */
static void write_head(struct model_kernel *k)
{
    say(k, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
           ".reg .pred %%p<10>; .reg .b32 %%r<20>; .reg .b64 %%rd<4>; .reg .f32 %%f<10>;\n");
    say_inst(k, NULL, "ld.param.u64 %%rd1, [p]");
    say_inst(k, NULL, "mov.u32 %%r0, %%tid.x");
    say_inst(k, NULL, "mad.wide.u32 %%rd2, %%r0, 4, %%rd1");
    for (unsigned i = 0; i < 2; i++) {
        if (i < k->loads)
            say(k, ".pragma \"lnl load H=%u uses=1\";\n", i);
        say_inst(k, NULL, "ld.global.f32 %%f%u, [%%rd2+%u]", i, 4 * MODEL_STRIDE * i);
    }
    say_inst(k, NULL, "and.b32 %%r1, %%r0, 3");
    say_inst(k, NULL, "shr.u32 %%r2, %%r0, 3");
    say_inst(k, NULL, "shr.u32 %%r3, %%r0, 5");
    say_inst(k, NULL, "and.b32 %%r4, %%r2, 3");
    say_inst(k, NULL, "mov.u32 %%r5, 2");
    for (unsigned i = 6; i < MODEL_INTS; i++)
        say_inst(k, NULL, "mov.u32 %%r%u, 0", i);
    for (unsigned i = 2; i < MODEL_FLOATS; i++)
        say_inst(k, NULL, "cvt.rn.f32.u32 %%f%u, %%r%u", i, i % 5);
    for (unsigned i = 0; i < MODEL_PREDS; i++)
        say_inst(k, NULL, "setp.lt.u32 %%p%u, %%r%u, %%r5", i, i % 5);
}

/* --- the tree --- */

static struct model_node *node_new(struct model_kernel *k, enum model_kind kind)
{
    struct model_node *n = &k->nodes[k->nnodes++];
    *n = (struct model_node){.kind = kind, .guard = -1};
    return n;
}

static struct model_node *list_new(struct model_kernel *k, struct rng *r, unsigned depth,
                                   unsigned most);

/* A counter of its own, so that loops end: at most 3 rounds. */
static struct model_node *loop_new(struct model_kernel *k, struct rng *r, unsigned depth)
{
    struct model_node *set = node_new(k, MODEL_ISET), *loop = node_new(k, MODEL_LOOP);
    struct model_node *add = node_new(k, MODEL_IADD), *test = node_new(k, MODEL_IBELOW);
    const unsigned counter = 6 + depth;
    set->d = add->d = add->a = test->a = counter;
    add->number = 1;
    test->b = 1 + rng_below(r, 5);
    test->d = loop->a = MODEL_PREDS - 1 - depth;
    loop->body = list_new(k, r, depth + 1, 3);
    struct model_node **end = &loop->body;
    while (*end)
        end = &(*end)->next;
    *end = add;
    add->next = test;
    set->next = loop;
    return set;
}

static struct model_node *simple_new(struct model_kernel *k, struct rng *r)
{
    static const enum model_kind kinds[] = {MODEL_FADD,   MODEL_FADD,   MODEL_FSUB,  MODEL_FSCALE,
                                            MODEL_FSCALE, MODEL_FBELOW, MODEL_IBELOW};
    struct model_node *n = node_new(k, kinds[rng_below(r, ARRAY_LEN(kinds))]);
    const bool is_test = n->kind == MODEL_FBELOW || n->kind == MODEL_IBELOW;
    n->d = rng_below(r, is_test ? 3 : MODEL_FLOATS);
    n->a = rng_below(r, n->kind == MODEL_IBELOW ? 6 : MODEL_FLOATS);
    n->b = rng_below(r, n->kind == MODEL_IBELOW ? 6 : MODEL_FLOATS);
    n->c = rng_below(r, 2) ? 0.5f : -0.75f;
    n->guard = rng_below(r, 5) ? -1 : (int)rng_below(r, 3);
    n->is_marked = !rng_below(r, 8);
    return n;
}

static struct model_node *any_new(struct model_kernel *k, struct rng *r, unsigned depth)
{
    const unsigned dice = rng_below(r, 10);
    struct model_node *n;
    if (dice == 0 && depth < 2)
        return loop_new(k, r, depth);
    if (dice == 1 && depth < 2) {
        n = node_new(k, MODEL_IF);
        n->a = rng_below(r, 3);
        n->body = list_new(k, r, depth + 1, 3);
        n->other = list_new(k, r, depth + 1, 3);
        return n;
    }
    if (dice == 2 && k->nstores < MODEL_STORES - 1) {
        n = node_new(k, MODEL_STORE);
        n->a = rng_below(r, MODEL_FLOATS);
        n->number = k->nstores++;
        n->guard = rng_below(r, 3) ? -1 : (int)rng_below(r, 3);
        n->is_marked = !rng_below(r, 6);
        return n;
    }
    if (dice == 3 && depth == 0 && !k->below)
        return node_new(k, MODEL_BARRIER);
    return simple_new(k, r);
}

static struct model_node *list_new(struct model_kernel *k, struct rng *r, unsigned depth,
                                   unsigned most)
{
    struct model_node *list = NULL, **end = &list;
    for (unsigned i = 1 + rng_below(r, most); i; i--) {
        *end = any_new(k, r, depth);
        while (*end)
            end = &(*end)->next;
    }
    return list;
}

void model_make(struct model_kernel *k, uint64_t seed)
{
    struct rng r = {seed};
    *k = (struct model_kernel){.loads = 1 + rng_below(&r, 2),
                               .below = rng_below(&r, 3) ? 0 : rng_below(&r, 70),
                               .shown = rng_below(&r, MODEL_FLOATS)};
    k->region = list_new(k, &r, 0, 14);
    write_head(k);
    if (k->below) {
        say_inst(k, NULL, "setp.lt.u32 %%p9, %%r0, %u", k->below);
        say_inst(k, NULL, "@%%p9 bra OUT");
    }
    say(k, ".pragma \"lnl begin loads=%s\";\n", k->loads == 2 ? "0,1" : "0");
    write_list(k, k->region);
    say(k, ".pragma \"lnl end\";\nOUT:\n");
    say_inst(k, NULL, "st.global.f32 [%%rd2+%u], %%f%u", 4 * MODEL_STRIDE * (2 + MODEL_STORES),
             k->shown);
    say_inst(k, NULL, "ret");
    say(k, "}\n");
}

/* --- the model: a warp --- */

struct model_warp {
    const struct model_kernel *k;
    const struct lnl_marks *marks;
    unsigned n;
    bool is_approx, replicates;
    float f[MODEL_FLOATS][WARP_LANES];
    uint32_t i[MODEL_INTS][WARP_LANES];
    uint32_t p[MODEL_PREDS];           /* a bit a lane */
    bool is_anchors_only[MODEL_PREDS]; /* an approximated instruction of the region writes it */
    uint32_t *words, first;
    struct model_counts *counts;
};

static bool is_lane(uint32_t mask, unsigned l)
{
    return mask >> l & 1;
}

/* The first lane of the group that is in the mask, or 32. */
static unsigned anchor_of(uint32_t mask, unsigned group, unsigned n)
{
    for (unsigned l = group * n; l < (group + 1) * n; l++)
        if (is_lane(mask, l))
            return l;
    return WARP_LANES;
}

static uint32_t anchors_of(uint32_t mask, unsigned n)
{
    uint32_t anchors = 0;
    for (unsigned l = 0; l < WARP_LANES; l++)
        if (anchor_of(mask, l / n, n) == l)
            anchors |= UINT32_C(1) << l;
    return anchors;
}

/* Each lane of the mask has its anchor's bit. */
static uint32_t as_anchors(uint32_t bits, uint32_t mask, unsigned n)
{
    uint32_t result = 0;
    for (unsigned l = 0; l < WARP_LANES; l++)
        if (is_lane(mask, l) && is_lane(bits, anchor_of(mask, l / n, n)))
            result |= UINT32_C(1) << l;
    return result;
}

static void compute(struct model_warp *w, const struct model_node *n, unsigned l)
{
    const float a = w->f[n->a % MODEL_FLOATS][l], b = w->f[n->b % MODEL_FLOATS][l];
    const uint32_t bit = UINT32_C(1) << l;
    bool below = a < b;
    switch (n->kind) {
    case MODEL_FADD:
        w->f[n->d][l] = a + b;
        break;
    case MODEL_FSUB:
        w->f[n->d][l] = a - b;
        break;
    case MODEL_FSCALE:
        w->f[n->d][l] = a * n->c;
        break;
    case MODEL_ISET:
        w->i[n->d][l] = n->number;
        break;
    case MODEL_IADD:
        w->i[n->d][l] = w->i[n->a][l] + n->number;
        break;
    case MODEL_IBELOW:
        below = w->i[n->a][l] < w->i[n->b][l];
        /* fall through */
    default:
        w->p[n->d] = below ? w->p[n->d] | bit : w->p[n->d] & ~bit;
        break;
    }
}

static float between(const struct model_warp *w, const float *t, uint32_t mask, unsigned l)
{
    const unsigned n = w->n, group = l / n, here = anchor_of(mask, group, n);
    const unsigned next = (group + 1) * n < WARP_LANES ? anchor_of(mask, group + 1, n) : WARP_LANES;
    uint32_t a, b, mixed;
    float result;
    if (l == here || next == WARP_LANES || w->replicates)
        return t[here];
    memcpy(&a, &t[here], sizeof a);
    memcpy(&b, &t[next], sizeof b);
    mixed = texture_between(a, b, 256 * (l % n) / n);
    memcpy(&result, &mixed, sizeof result);
    return result;
}

static void store(struct model_warp *w, const struct model_node *n, uint32_t mask, bool is_precise)
{
    for (unsigned l = 0; l < WARP_LANES; l++)
        if (is_lane(mask, l)) {
            const float *t = w->f[n->a];
            const float v = is_precise ? t[l] : between(w, t, mask, l);
            memcpy(&w->words[(2 + n->number) * MODEL_STRIDE + w->first + l], &v, sizeof v);
        }
}

static void run_simple(struct model_warp *w, const struct model_node *n, uint32_t mask)
{
    const bool is_precise = !w->is_approx || w->marks->is_precise[n->pc];
    const uint32_t guard = n->guard < 0 ? UINT32_MAX : w->p[n->guard];
    const bool is_late = n->guard >= 0 && w->is_anchors_only[n->guard];
    uint32_t lanes = mask & guard;
    if (n->kind == MODEL_STORE) {
        store(w, n, lanes, is_precise);
        w->counts->precise_inst += w->is_approx;
        return;
    }
    if (n->kind == MODEL_BARRIER || is_precise) {
        w->counts->precise_inst += w->is_approx;
    } else {
        const uint32_t all = is_late ? as_anchors(guard, mask, w->n) : lanes;
        lanes = is_late ? anchors_of(mask, w->n) & guard : anchors_of(lanes, w->n);
        w->counts->approx_inst++;
        w->counts->lanes_skipped += (unsigned)__builtin_popcount(all & ~lanes);
    }
    for (unsigned l = 0; l < WARP_LANES && n->kind != MODEL_BARRIER; l++)
        if (is_lane(lanes, l))
            compute(w, n, l);
}

/* Where lanes go at a branch. */
static uint32_t taken_at(struct model_warp *w, const struct model_node *n, uint32_t mask)
{
    if (!w->is_approx)
        return w->p[n->a] & mask;
    ++*(w->marks->is_precise[n->pc] ? &w->counts->precise_inst : &w->counts->approx_inst);
    return w->marks->is_precise[n->pc] ? w->p[n->a] & mask : as_anchors(w->p[n->a], mask, w->n);
}

static void run_list(struct model_warp *w, const struct model_node *n, uint32_t mask)
{
    for (; n && mask; n = n->next)
        if (n->kind == MODEL_IF) {
            const uint32_t taken = taken_at(w, n, mask);
            run_list(w, n->body, taken);
            run_list(w, n->other, mask & ~taken);
            w->counts->precise_inst += w->is_approx && (mask & ~taken); /* the jump behind it */
        } else if (n->kind == MODEL_LOOP) {
            for (uint32_t in = mask; in; in = taken_at(w, n, in))
                run_list(w, n->body, in);
        } else {
            run_simple(w, n, mask);
        }
}

/* --- the model: similar or not, in the words of 2.2 --- */

static bool is_near(uint32_t a, uint32_t b, uint32_t limit)
{
    const int ea = (int)(a >> 23 & 255), eb = (int)(b >> 23 & 255);
    if (a >> 31 != b >> 31 || ea == 255 || eb == 255 || ea - eb > 1 || eb - ea > 1)
        return false;
    const unsigned ma = 128 + (a >> 16) % 128, mb = 128 + (b >> 16) % 128;
    const unsigned divisor = (eb > ea ? mb : ma) - 128;
    const unsigned recip = divisor <= 16   ? 255 - 2 * divisor
                           : divisor <= 96 ? 240 - divisor
                                           : 191 - divisor / 2;
    const int difference = (int)(ea < eb ? ma / 2 : ma) - (int)(eb < ea ? mb / 2 : mb);
    return (unsigned)(difference < 0 ? -difference : difference) * recip < limit;
}

static bool is_similar(const struct model_warp *w, const float *values, uint32_t mask,
                       uint32_t limit)
{
    bool similar = limit > 0;
    for (unsigned l = 0; l < WARP_LANES; l++) {
        const unsigned anchor = is_lane(mask, l) ? anchor_of(mask, l / w->n, w->n) : l;
        uint32_t a, b;
        memcpy(&a, &values[anchor], sizeof a);
        memcpy(&b, &values[l], sizeof b);
        similar &= anchor == l || is_near(a, b, limit);
    }
    return similar;
}

/* --- the model: a kernel --- */

static void begin_warp(struct model_warp *w, uint32_t all)
{
    for (unsigned l = 0; l < WARP_LANES; l++) {
        const uint32_t t = w->first + l, r[6] = {t, t & 3, t >> 3, t >> 5, t >> 3 & 3, 2};
        for (unsigned i = 0; i < 6; i++)
            w->i[i][l] = r[i];
        for (unsigned i = 0; i < 2 && is_lane(all, l); i++)
            memcpy(&w->f[i][l], &w->words[i * MODEL_STRIDE + t], sizeof **w->f);
        for (unsigned i = 2; i < MODEL_FLOATS; i++)
            w->f[i][l] = (float)r[i % 5];
        for (unsigned i = 0; i < MODEL_PREDS; i++)
            w->p[i] |= (uint32_t)(r[i % 5] < 2) << l;
    }
}

static void find_guards(struct model_warp *w)
{
    for (unsigned i = 0; i < w->k->nnodes; i++) {
        const struct model_node *n = &w->k->nodes[i];
        if ((n->kind == MODEL_FBELOW || n->kind == MODEL_IBELOW) && !w->marks->is_precise[n->pc])
            w->is_anchors_only[n->d] = true;
    }
}

/* What is read behind the region. */
static void leave(struct model_warp *w, uint32_t mask)
{
    const struct lnl_region *r = &w->marks->regions[0];
    for (uint32_t i = 0; w->is_approx && i < r->nouts; i++) {
        /* %f0 has some number; only %f registers and counters can be there */
        for (unsigned f = 0; f < MODEL_FLOATS; f++) {
            const struct ptx_reg *reg = &w->marks->f->regs[r->outs[i].reg];
            float t[WARP_LANES];
            if (reg->type != PTX_F32 || reg->number != f)
                continue;
            for (unsigned l = 0; l < WARP_LANES; l++)
                t[l] = is_lane(mask, l) ? between(w, w->f[f], mask, l) : w->f[f][l];
            memcpy(w->f[f], t, sizeof t);
        }
    }
}

static void run_warp(struct model_warp *w, uint32_t all, uint32_t limit)
{
    uint32_t in = 0;
    begin_warp(w, all);
    find_guards(w);
    for (unsigned l = 0; l < WARP_LANES; l++)
        in |= (uint32_t)(is_lane(all, l) && w->first + l >= w->k->below) << l;
    w->is_approx = is_similar(w, w->f[0], all, limit) &&
                   (w->k->loads < 2 || is_similar(w, w->f[1], all, limit));
    w->is_approx &= in != 0;
    if (in)
        ++*(w->is_approx ? &w->counts->approx_regions : &w->counts->precise_regions);
    run_list(w, w->k->region, in);
    leave(w, in);
    w->is_approx = false;
    store(w, &(struct model_node){.a = w->k->shown, .number = MODEL_STORES}, all, true);
}

void model_run(const struct model_kernel *k, const struct lnl_marks *marks,
               const struct lnl_cfg *cfg, bool replicates, uint32_t threads, uint32_t *words,
               struct model_counts *counts)
{
    *counts = (struct model_counts){0};
    for (uint32_t first = 0; first < threads; first += WARP_LANES) {
        const uint32_t left = threads - first;
        struct model_warp w = {.k = k,
                               .marks = marks,
                               .n = (unsigned)cfg->group,
                               .replicates = replicates,
                               .words = words,
                               .first = first,
                               .counts = counts};
        run_warp(&w, left < WARP_LANES ? (UINT32_C(1) << left) - 1 : UINT32_MAX,
                 (uint32_t)(cfg->threshold * 32768));
    }
}
