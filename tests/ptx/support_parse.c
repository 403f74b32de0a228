/* Parses whole modules, or a body put into a kernel; an error that is not expected fails the test.
 */
#include "ptx/support_parse.h"

static const char body_head[] = PTX_HEAD ".global .u32 gl[8];\n.entry k(.param .u64 pa)\n"
                                         "{ .reg .b32 %r<10>; .reg .f32 %f<10>; .reg .b64 %rd<10>;"
                                         ".reg .f64 %fd<10>; .reg .b16 %rs<10>; .reg .pred %p<10>;"
                                         ".shared .b32 sh[4];\n";
enum { BODY_LINE = 6 }; /* lines before the body: those of body_head */

struct ptx_module *parse_text(const char *text)
{
    struct err err = {0};
    struct ptx_module *m = ptx_parse("t.ptx", text, strlen(text), &err);
    if (!m)
        fail_msg("%s\n%s", err.msg, text);
    return m;
}

static char *wrap_body(const char *body)
{
    return xasprintf("%s%s\n}\n", body_head, body);
}

struct ptx_module *parse_body_text(const char *body)
{
    char *text = wrap_body(body);
    struct ptx_module *m = parse_text(text);
    free(text);
    return m;
}

struct ptx_func *first_func(const struct ptx_module *m)
{
    for (uint32_t i = 0; i < m->nfuncs; i++)
        if (!m->funcs[i]->is_decl)
            return m->funcs[i];
    fail_msg("no function");
    return NULL;
}

void expect_error(const char *text, const char *message)
{
    struct err err = {0};
    struct ptx_module *m = ptx_parse("t.ptx", text, strlen(text), &err);
    if (m)
        fail_msg("parsed, but should fail with: %s\n%s", message, text);
    assert_string_equal(err.msg, message);
}

void expect_body_error(const char *body, const char *message)
{
    char *text = wrap_body(body);
    unsigned line = 0, col = 0;
    int used = 0;
    sscanf(message, "%u:%u: %n", &line, &col, &used);
    char *full = xasprintf("t.ptx:%u:%u: %s", line + BODY_LINE, col, message + used);
    expect_error(text, full);
    free(full);
    free(text);
}
