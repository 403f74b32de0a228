/* Builds the tree from the fuzzer's bytes, and prints it as PTX. */
#include "fuzz/exec/seq.h"

#include <stdlib.h>
#include <string.h>

uint32_t seq_take(struct seq_input *in, uint32_t below)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < (below > 256 ? 4u : 1u); i++) {
        if (!in->left)
            break;
        v = v << 8 | *in->p++;
        in->left--;
    }
    return below ? v % below : v;
}

static unsigned class_size(char c)
{
    return c == 'R' ? SEQ_R : c == 'D' ? SEQ_D : c == 'F' ? SEQ_F : SEQ_P;
}

static unsigned source_count(const char *classes)
{
    unsigned n = 0;
    while (classes[1 + n] && strchr("RDFP", classes[1 + n]))
        n++;
    return n;
}

static struct seq_stmt *generate_list(struct seq_input *in, unsigned depth, unsigned *budget);

static void fill_op(struct seq_input *in, struct seq_stmt *s)
{
    s->form = (uint8_t)seq_take(in, seq_nforms);
    const char *cl = seq_forms[s->form].classes;
    unsigned n = source_count(cl);
    uint8_t *src[] = {&s->a, &s->b, &s->c};
    s->d = (uint8_t)seq_take(in, class_size(cl[0]));
    for (unsigned k = 0; k < n; k++)
        *src[k] = (uint8_t)seq_take(in, class_size(cl[1 + k]));
    s->guarded = seq_take(in, 4) == 0;
    s->guard = (uint8_t)seq_take(in, SEQ_P);
    s->guard_neg = seq_take(in, 2) != 0;
    s->has_imm = cl[n] == 'R' && n > 1 && seq_take(in, 4) == 0;
    if (s->has_imm)
        s->imm = seq_take(in, 2) ? seq_take(in, 64) : seq_take(in, UINT32_MAX);
}

static struct seq_stmt *generate_one(struct seq_input *in, unsigned depth, unsigned *budget)
{
    struct seq_stmt *s = xcalloc(1, sizeof *s);
    unsigned pick = seq_take(in, 32);
    static const uint8_t kinds[] = {SEQ_IF,    SEQ_LOOP,    SEQ_STORE, SEQ_LOAD,
                                    SEQ_COUNT, SEQ_CALL,    SEQ_SHFL,  SEQ_BALLOT,
                                    SEQ_REDUX, SEQ_BARRIER, SEQ_IF,    SEQ_LOOP};
    s->kind = pick < sizeof kinds ? kinds[pick] : (uint8_t)SEQ_OP;
    if (s->kind >= SEQ_SHFL && depth)
        s->kind = SEQ_OP;
    if ((s->kind == SEQ_IF || s->kind == SEQ_LOOP) && depth >= SEQ_DEPTH)
        s->kind = SEQ_OP;
    if (s->kind == SEQ_OP) {
        fill_op(in, s);
        return s;
    }
    s->d = (uint8_t)seq_take(in, s->kind == SEQ_COUNT ? SEQ_COUNTERS : SEQ_R);
    s->a = (uint8_t)seq_take(in, s->kind == SEQ_IF || s->kind == SEQ_BALLOT ? SEQ_P : SEQ_R);
    s->b = (uint8_t)seq_take(in, SEQ_R);
    s->space = (uint8_t)seq_take(in, 3);
    s->imm = seq_take(in, 32);
    if (s->kind == SEQ_IF || s->kind == SEQ_LOOP)
        s->body = generate_list(in, depth + 1, budget);
    if (s->kind == SEQ_IF)
        s->other = generate_list(in, depth + 1, budget);
    return s;
}

static struct seq_stmt *generate_list(struct seq_input *in, unsigned depth, unsigned *budget)
{
    struct seq_stmt *head = NULL, **tail = &head;
    unsigned n = depth ? seq_take(in, 6) : 48;
    while (n-- && *budget && in->left) {
        --*budget;
        *tail = generate_one(in, depth, budget);
        tail = &(*tail)->next;
    }
    return head;
}

struct seq_stmt *seq_generate(struct seq_input *in)
{
    unsigned budget = 96;
    return generate_list(in, 0, &budget);
}

void seq_free(struct seq_stmt *s)
{
    while (s) {
        struct seq_stmt *next = s->next;
        seq_free(s->body);
        seq_free(s->other);
        free(s);
        s = next;
    }
}

/* --- PTX --- */

static const char *reg_name(char c, unsigned n, char *buf, size_t len)
{
    snprintf(buf, len, "%s%u", c == 'R' ? "%r" : c == 'D' ? "%d" : c == 'F' ? "%f" : "%p", n);
    return buf;
}

static void print_op(const struct seq_stmt *s, FILE *out)
{
    const struct seq_form *f = &seq_forms[s->form];
    unsigned n = source_count(f->classes);
    const uint8_t src[] = {s->a, s->b, s->c};
    char buf[16];
    if (s->guarded)
        fprintf(out, "@%s%%p%u ", s->guard_neg ? "!" : "", s->guard);
    fprintf(out, "%s %s", f->text, reg_name(f->classes[0], s->d, buf, sizeof buf));
    for (unsigned k = 0; k < n; k++) {
        if (s->has_imm && k == n - 1)
            fprintf(out, ", 0x%x", s->imm);
        else
            fprintf(out, ", %s", reg_name(f->classes[1 + k], src[k], buf, sizeof buf));
    }
    if (f->classes[1 + n])
        fprintf(out, ", %s", f->classes + 1 + n);
    fprintf(out, ";\n");
}

static const char *const spaces[] = {"local", "shared", "global"};

static void print_memory(const struct seq_stmt *s, FILE *out)
{
    fprintf(out,
            "and.b32 %%t0,%%r%u,%d; shl.b32 %%t0,%%t0,2; cvt.u64.u32 %%x0,%%t0; add.u64 "
            "%%x0,%%x0,%%m%u;\n",
            s->b, SEQ_LOCAL - 1, s->space);
    if (s->kind == SEQ_STORE)
        fprintf(out, "st.%s.u32 [%%x0],%%r%u;\n", spaces[s->space], s->a);
    else
        fprintf(out, "ld.%s.u32 %%r%u,[%%x0];\n", spaces[s->space], s->d);
}

static void print_list(const struct seq_stmt *s, FILE *out, unsigned *label, unsigned depth);

static void print_branchy(const struct seq_stmt *s, FILE *out, unsigned *label, unsigned depth)
{
    unsigned l = (*label)++;
    if (s->kind == SEQ_IF) {
        fprintf(out, "@!%%p%u bra E%u;\n", s->a, l);
        print_list(s->body, out, label, depth + 1);
        fprintf(out, "bra D%u;\nE%u:\n", l, l);
        print_list(s->other, out, label, depth + 1);
        fprintf(out, "D%u:\n", l);
        return;
    }
    fprintf(out, "and.b32 %%n%u,%%r%u,3;\nL%u: setp.eq.u32 %%q0,%%n%u,0; @%%q0 bra X%u;\n", depth,
            s->a, l, depth, l);
    print_list(s->body, out, label, depth + 1);
    fprintf(out, "sub.u32 %%n%u,%%n%u,1; bra L%u;\nX%u:\n", depth, depth, l, l);
}

static void print_list(const struct seq_stmt *s, FILE *out, unsigned *label, unsigned depth)
{
    for (; s; s = s->next) {
        switch (s->kind) {
        case SEQ_OP:
            print_op(s, out);
            break;
        case SEQ_IF:
        case SEQ_LOOP:
            print_branchy(s, out, label, depth);
            break;
        case SEQ_STORE:
        case SEQ_LOAD:
            print_memory(s, out);
            break;
        case SEQ_COUNT:
            fprintf(out, "red.global.add.u32 [%%g+%d],%%r%u;\n", 4 * s->d, s->a);
            break;
        case SEQ_CALL:
            fprintf(out,
                    "{ .param .b32 a; .param .b32 b; st.param.b32 [a],%%r%u; call (b), mix, (a); "
                    "ld.param.b32 %%r%u,[b]; }\n",
                    s->a, s->d);
            break;
        case SEQ_SHFL:
            fprintf(out, "shfl.sync.bfly.b32 %%r%u,%%r%u,%u,0x1f,-1;\n", s->d, s->a, s->imm);
            break;
        case SEQ_BALLOT:
            fprintf(out, "vote.sync.ballot.b32 %%r%u,%%p%u,-1;\n", s->d, s->a);
            break;
        case SEQ_REDUX:
            fprintf(out, "redux.sync.add.s32 %%r%u,%%r%u,-1;\n", s->d, s->a);
            break;
        default:
            fprintf(out, "bar.sync 0;\n");
            break;
        }
    }
}

static void print_words(FILE *out, const char *op, char c, unsigned n, unsigned *word)
{
    char buf[16];
    for (unsigned i = 0; i < n; i++, *word += c == 'D' ? 2 : 1) {
        const char *type = c == 'D' ? "u64" : c == 'F' ? "f32" : "u32";
        reg_name(c, i, buf, sizeof buf);
        if (op[0] == 'l')
            fprintf(out, "ld.global.%s %s,[%%o+%u];\n", type, buf, 4 * *word);
        else
            fprintf(out, "st.global.%s [%%o+%u],%s;\n", type, 4 * *word, buf);
    }
}

/* The order of words is that of struct seq_thread. */
static void print_transfer(FILE *out, const char *op)
{
    unsigned word = 0;
    print_words(out, op, 'R', SEQ_R, &word);
    print_words(out, op, 'D', SEQ_D, &word);
    print_words(out, op, 'F', SEQ_F, &word);
    if (op[0] == 'l')
        fprintf(out, "ld.global.u32 %%t0,[%%o+%u];\n", 4 * word);
    else
        fprintf(out, "mov.u32 %%t0,0;\n");
    for (unsigned i = 0; i < SEQ_P; i++) {
        if (op[0] == 'l')
            fprintf(out, "and.b32 %%t1,%%t0,%u; setp.ne.u32 %%p%u,%%t1,0;\n", 1u << i, i);
        else
            fprintf(out, "selp.u32 %%t1,%u,0,%%p%u; or.b32 %%t0,%%t0,%%t1;\n", 1u << i, i);
    }
    if (op[0] != 'l')
        fprintf(out, "st.global.u32 [%%o+%u],%%t0;\n", 4 * word);
}

void seq_print(const struct seq_stmt *s, FILE *out)
{
    unsigned label = 0;
    fprintf(out,
            ".version 8.0\n.target sm_90\n.address_size 64\n"
            ".func (.param .b32 r) mix (.param .b32 a) {\n.reg .b32 %%x<4>; .reg .pred %%q;\n"
            "ld.param.b32 %%x0,[a]; and.b32 %%x1,%%x0,1; setp.eq.u32 %%q,%%x1,0; @%%q bra EVEN;\n"
            "mad.lo.u32 %%x0,%%x0,3,1; bra OUT;\nEVEN: shr.u32 %%x0,%%x0,1;\n"
            "OUT: st.param.b32 [r],%%x0; ret; }\n"
            ".visible .entry k(.param .u64 po, .param .u64 pg, .param .u64 pm) {\n"
            ".reg .b32 %%r<%d>; .reg .b64 %%d<%d>; .reg .f32 %%f<%d>; .reg .pred %%p<%d>;\n"
            ".reg .b32 %%t<4>; .reg .b32 %%n<8>; .reg .b64 %%x<4>; .reg .b64 %%m<3>; .reg .b64 "
            "%%o; .reg .b64 %%g; .reg .pred %%q<2>;\n"
            ".local .align 4 .b8 loc[%d]; .shared .align 4 .b8 sh[%d];\n"
            "mov.u32 %%t0,%%tid.x; mul.wide.u32 %%x0,%%t0,%zu; ld.param.u64 %%o,[po]; add.u64 "
            "%%o,%%o,%%x0;\n"
            "ld.param.u64 %%g,[pg]; mov.u64 %%m0,loc; mul.wide.u32 %%x0,%%t0,%d; mov.u64 %%m1,sh; "
            "add.u64 %%m1,%%m1,%%x0;\n"
            "ld.param.u64 %%m2,[pm]; add.u64 %%m2,%%m2,%%x0;\n",
            SEQ_R, SEQ_D, SEQ_F, SEQ_P, 4 * SEQ_LOCAL, 4 * SEQ_LOCAL * 1024,
            sizeof(struct seq_thread), 4 * SEQ_LOCAL);
    for (unsigned i = 0; i < SEQ_LOCAL; i++)
        fprintf(out, "st.local.u32 [%%m0+%u],0; st.shared.u32 [%%m1+%u],0;\n", 4 * i, 4 * i);
    print_transfer(out, "load");
    print_list(s, out, &label, 0);
    print_transfer(out, "store");
    fprintf(out, "ret; }\n");
}
