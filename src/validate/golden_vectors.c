/* The .vec format: blocks of `case KERNEL | OP | in TYPES | out TYPES | TOLERANCE` with a line a
 * vector, and `program NAME | grid | block | shared` with one line of outputs. */
#include "validate/golden.h"

#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *name;
    char *at;
    unsigned line;
    struct session *session;
    struct device *dev; /* its device */
    struct program *prog;
    FILE *out;
    struct golden_count *count;
    VEC(uint32_t) input; /* of programs */
};

static char *next_line(struct reader *r)
{
    if (!*r->at)
        return NULL;
    char *line = r->at, *end = strchr(line, '\n');
    r->at = end ? end + 1 : line + strlen(line);
    if (end)
        *end = 0;
    r->line++;
    return line;
}

static char *trim(char *s)
{
    while (*s == ' ')
        s++;
    size_t n = strlen(s);
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\r'))
        s[--n] = 0;
    return s;
}

/* Splits "a | b | c" in place. A bar inside a field ("p|q") has no spaces around it. */
static unsigned split_fields(char *s, char **fields, unsigned max)
{
    unsigned n = 0;
    while (n < max) {
        char *bar = strstr(s, " | ");
        if (bar)
            *bar = 0;
        fields[n++] = trim(s);
        if (!bar)
            break;
        s = bar + 3;
    }
    return n;
}

/* "in u16,pred" */
static int parse_types(char *s, const char *word, enum ptx_type *types)
{
    int n = 0;
    if (strncmp(s, word, strlen(word)))
        return -1;
    for (char *t = strtok(s + strlen(word), " ,"); t; t = strtok(NULL, " ,")) {
        if (n == GOLDEN_MAX_TYPES || !(types[n] = ptx_type_find(t, strlen(t))))
            return -1;
        n++;
    }
    return n;
}

/* `pred` is a 32-bit 0 or 1 in memory. */
static unsigned stored_bytes(enum ptx_type t)
{
    return t == PTX_PRED ? 4 : ptx_type_bytes(t);
}

/* FNV-1a, of what was computed. */
static void add_results(struct reader *r, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++)
        r->count->hash = (r->count->hash ^ p[i]) * UINT64_C(0x100000001b3);
}

/* --- cases --- */

struct golden_case {
    const char *kernel, *op;
    enum ptx_type in[GOLDEN_MAX_TYPES], out[GOLDEN_MAX_TYPES];
    int nin, nout;
    struct tolerance tol;
    VEC(uint64_t) values; /* nin operands and nout results a vector */
};

static bool parse_case(struct reader *r, char *line, struct golden_case *c, struct err *err)
{
    char *f[5];
    memset(c, 0, sizeof *c);
    if (split_fields(line + strlen("case "), f, 5) != 5 ||
        (c->nin = parse_types(f[2], "in", c->in)) < 0 || c->nin > 3 ||
        (c->nout = parse_types(f[3], "out", c->out)) < 1 || c->nout > 2 ||
        !tolerance_parse(f[4], &c->tol))
        return err_set(err, "%s:%u: expected 'case KERNEL | OP | in TYPES | out TYPES | TOLERANCE'",
                       r->name, r->line);
    c->kernel = f[0];
    c->op = f[1];
    return true;
}

static bool parse_vector(struct reader *r, char *line, struct golden_case *c, struct err *err)
{
    int n = 0;
    for (char *t = strtok(line, " "); t; t = strtok(NULL, " ")) {
        if (!strcmp(t, ">"))
            continue;
        char *end;
        vec_push(&c->values, strtoull(t, &end, 16));
        n += *end ? 100 : 1;
    }
    if (n != c->nin + c->nout)
        return err_set(err, "%s:%u: expected %d operands, '>' and %d results in hexadecimal",
                       r->name, r->line, c->nin, c->nout);
    return true;
}

static addr_t place_column(struct reader *r, const struct golden_case *c, int column,
                           enum ptx_type t, bool is_input)
{
    int width = c->nin + c->nout;
    size_t n = c->values.len / (size_t)width, bytes = stored_bytes(t);
    const struct mem_alloc *m = devmem_alloc(r->dev->mem, n * bytes, 0, MEM_DEVICE, NULL);
    if (!m)
        panic("no memory for golden vectors");
    char *p = devmem_ptr(m->base);
    memset(p, 0, n * bytes);
    for (size_t i = 0; is_input && i < n; i++)
        memcpy(p + i * bytes, &c->values.data[i * (size_t)width + (size_t)column], bytes);
    return m->base;
}

static void print_failure(const struct reader *r, const struct golden_case *c, size_t vector,
                          const uint64_t *got)
{
    const uint64_t *v = &c->values.data[vector * (size_t)(c->nin + c->nout)];
    fprintf(r->out, "FAIL %s %s %s:", r->name, c->kernel, c->op);
    for (int i = 0; i < c->nin; i++)
        fprintf(r->out, " %llx", (unsigned long long)v[i]);
    fprintf(r->out, " > expected");
    for (int i = 0; i < c->nout; i++)
        fprintf(r->out, " %llx", (unsigned long long)v[c->nin + i]);
    fprintf(r->out, ", got");
    for (int i = 0; i < c->nout; i++)
        fprintf(r->out, " %llx", (unsigned long long)got[i]);
    fputc('\n', r->out);
}

static bool compare_case(struct reader *r, const struct golden_case *c, const addr_t *out)
{
    size_t width = (size_t)(c->nin + c->nout), n = c->values.len / width, bad = 0;
    for (int k = 0; k < c->nout; k++)
        add_results(r, devmem_ptr(out[k]), n * stored_bytes(c->out[k]));
    for (size_t i = 0; i < n; i++) {
        uint64_t got[GOLDEN_MAX_TYPES] = {0};
        bool ok = true;
        for (int k = 0; k < c->nout; k++) {
            unsigned bytes = stored_bytes(c->out[k]);
            memcpy(&got[k], (char *)devmem_ptr(out[k]) + i * bytes, bytes);
            ok &= tolerance_accepts(&c->tol, c->out[k],
                                    c->values.data[i * width + (size_t)(c->nin + k)], got[k]);
        }
        if (!ok && bad++ < 4)
            print_failure(r, c, i, got);
    }
    if (bad > 4)
        fprintf(r->out, "FAIL %s %s %s: %zu of %zu vectors differ\n", r->name, c->kernel, c->op,
                bad, n);
    return !bad;
}

static bool launch_case(struct reader *r, const struct golden_case *c, const addr_t *in,
                        const addr_t *out)
{
    struct err err = {0};
    struct kernel *k = program_kernel(r->prog, c->kernel, &err);
    struct {
        uint64_t in[3], out[2];
        uint32_t n;
    } params = {.n = (uint32_t)(c->values.len / (size_t)(c->nin + c->nout))};
    memcpy(params.in, in, sizeof params.in);
    memcpy(params.out, out, sizeof params.out);
    struct launch_result res;
    struct launch l = {.kernel = k,
                       .grid = {(params.n + 31) / 32, 1, 1},
                       .block = {32, 1, 1},
                       .params = &params,
                       .max_inst = 1u << 24};
    bool ok = k && k->src->param_bytes <= sizeof params;
    if (k && !ok)
        err_set(&err, "the kernel's parameters are not (u64 x 5, u32)");
    ok = ok && session_run(r->session, &l, &res, &err);
    if (!ok)
        fprintf(r->out, "FAIL %s %s %s: %s\n", r->name, c->kernel, c->op, err.msg);
    return ok;
}

static void run_case(struct reader *r, struct golden_case *c)
{
    addr_t in[3] = {0}, out[2] = {0};
    for (int i = 0; i < c->nin; i++)
        in[i] = place_column(r, c, i, c->in[i], true);
    for (int i = 0; i < c->nout; i++)
        out[i] = place_column(r, c, c->nin + i, c->out[i], false);
    bool ok = c->values.len && launch_case(r, c, in, out) && compare_case(r, c, out);
    if (!c->values.len)
        fprintf(r->out, "FAIL %s %s %s: no vectors\n", r->name, c->kernel, c->op);
    *(ok ? &r->count->passed : &r->count->failed) += 1;
    for (int i = 0; i < 3; i++)
        if (in[i])
            devmem_release(r->dev->mem, in[i]);
    for (int i = 0; i < 2; i++)
        if (out[i])
            devmem_release(r->dev->mem, out[i]);
}

/* A vector's line begins with a hexadecimal number; so does "case", almost. */
static bool is_vector(const char *at)
{
    return *at && *at != '#' && strncmp(at, "case ", 5) && strncmp(at, "program ", 8) &&
           strncmp(at, "input ", 6);
}

static bool read_case(struct reader *r, char *line, struct err *err)
{
    struct golden_case c;
    if (!parse_case(r, line, &c, err))
        return false;
    bool ok = true;
    while (ok && is_vector(r->at)) {
        char *v = trim(next_line(r));
        ok = !*v || parse_vector(r, v, &c, err);
    }
    if (ok)
        run_case(r, &c);
    vec_free(&c.values);
    return ok;
}

/* --- programs --- */

struct golden_program {
    const char *name;
    uint32_t grid[3], block[3];
    unsigned shared;
};

static void parse_words(char *line, uint32_t **words, size_t *n)
{
    VEC(uint32_t) v = {0};
    for (char *t = strtok(line, " "); t; t = strtok(NULL, " "))
        vec_push(&v, (uint32_t)strtoul(t, NULL, 16));
    *words = v.data;
    *n = v.len;
}

static bool run_program(struct reader *r, const struct golden_program *g, const uint32_t *want,
                        size_t n)
{
    struct err err = {0};
    struct kernel *k = program_kernel(r->prog, g->name, &err);
    const struct mem_alloc *in =
        devmem_alloc(r->dev->mem, r->input.len * 4 + 4, 0, MEM_DEVICE, NULL);
    /* a kernel may write words that are not listed only by mistake; the listed ones are all */
    const struct mem_alloc *out = devmem_alloc(r->dev->mem, n * 4 + 4, 0, MEM_DEVICE, NULL);
    uint64_t params[2] = {in->base, out->base};
    memcpy(devmem_ptr(in->base), r->input.data, r->input.len * 4);
    memset(devmem_ptr(out->base), 0, out->bytes);
    struct launch l = {
        .kernel = k, .dynamic_shared_bytes = g->shared, .params = params, .max_inst = 1u << 26};
    memcpy(l.grid, g->grid, sizeof l.grid);
    memcpy(l.block, g->block, sizeof l.block);
    struct launch_result res;
    bool ok = k && session_run(r->session, &l, &res, &err);
    if (!ok)
        fprintf(r->out, "FAIL %s %s: %s\n", r->name, g->name, err.msg);
    const uint32_t *got = devmem_ptr(out->base);
    add_results(r, got, n * 4);
    for (size_t i = 0, bad = 0; ok && i < n && bad < 4; i++)
        if (got[i] != want[i]) {
            fprintf(r->out, "FAIL %s %s: output word %zu: expected %x, got %x\n", r->name, g->name,
                    i, want[i], got[i]);
            bad++;
        }
    ok = ok && !memcmp(got, want, n * 4);
    devmem_release(r->dev->mem, in->base);
    devmem_release(r->dev->mem, out->base);
    return ok;
}

static bool read_program(struct reader *r, char *line, struct err *err)
{
    char *f[4];
    struct golden_program g = {0};
    if (split_fields(line + strlen("program "), f, 4) != 4 ||
        sscanf(f[1], "grid %u,%u,%u", &g.grid[0], &g.grid[1], &g.grid[2]) != 3 ||
        sscanf(f[2], "block %u,%u,%u", &g.block[0], &g.block[1], &g.block[2]) != 3 ||
        sscanf(f[3], "shared %u", &g.shared) != 1)
        return err_set(err,
                       "%s:%u: expected 'program NAME | grid x,y,z | block x,y,z | shared BYTES'",
                       r->name, r->line);
    g.name = f[0];
    char *out = next_line(r);
    if (!out || strncmp(out, "out ", 4))
        return err_set(err, "%s:%u: expected 'out' and the output words", r->name, r->line);
    uint32_t *want;
    size_t n;
    parse_words(out + 4, &want, &n);
    bool ok = run_program(r, &g, want, n);
    *(ok ? &r->count->passed : &r->count->failed) += 1;
    free(want);
    return true;
}

bool golden_run_vectors(const char *name, char *text, struct session *s, struct program *p,
                        FILE *out, struct golden_count *count, struct err *err)
{
    struct reader r = {.name = name,
                       .at = text,
                       .session = s,
                       .dev = session_device(s),
                       .prog = p,
                       .out = out,
                       .count = count};
    bool ok = true;
    for (char *line; ok && (line = next_line(&r));) {
        line = trim(line);
        if (!*line || *line == '#')
            continue;
        if (!strncmp(line, "case ", 5)) {
            ok = read_case(&r, line, err);
        } else if (!strncmp(line, "program ", 8)) {
            ok = read_program(&r, line, err);
        } else if (!strncmp(line, "input ", 6)) {
            size_t n;
            vec_free(&r.input);
            parse_words(line + 6, &r.input.data, &n);
            r.input.len = r.input.cap = n;
        } else {
            ok = err_set(err, "%s:%u: expected case, program or input, found '%.40s'", name, r.line,
                         line);
        }
    }
    vec_free(&r.input);
    return ok;
}
