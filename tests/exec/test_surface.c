/* Surface accesses against what an H200 did (surface.vec.zst), and textures and surfaces used by
 * kernels. */
#include "exec/surface.h"
#include "fixture.h"
#include "support_vectors.h"

/* Formats of the loads of `suld SHAPE MODE FORM`: vector length, bytes of an element. */
static const uint8_t load_forms[10][2] = {{1, 1}, {1, 2}, {1, 4}, {1, 8}, {2, 1},
                                          {4, 2}, {2, 4}, {4, 4}, {2, 8}, {4, 1}};

static enum tex_shape shape_named(const char *s)
{
    return !strcmp(s, "1d")    ? TEX_1D
           : !strcmp(s, "2d")  ? TEX_2D
           : !strcmp(s, "3d")  ? TEX_3D
           : !strcmp(s, "a1d") ? TEX_1D_LAYERED
                               : TEX_2D_LAYERED;
}

static void object_open(struct tex_object *o, const char *rest)
{
    unsigned seed;
    int w, h, d, fmt, bits, ch;
    assert_int_equal(sscanf(rest, "| %d %d %d | %d %d %d %u", &w, &h, &d, &fmt, &bits, &ch, &seed),
                     7);
    *o = (struct tex_object){.is_used = true,
                             .is_surface = true,
                             .format = (uint8_t)(fmt == 0   ? TEX_UNSIGNED
                                                 : fmt == 1 ? TEX_SIGNED
                                                            : TEX_FLOAT),
                             .channel_bits = (uint8_t)bits,
                             .channels = (uint8_t)ch,
                             .width = (uint32_t)w,
                             .height = (uint32_t)h,
                             .depth = (uint32_t)d,
                             .levels = 1};
    texels_make(o, &(struct texels){seed, false, -1});
}

static bool load_matches(const struct tex_object *o, enum tex_shape shape, int mode, int form,
                         const char *line)
{
    unsigned x, y, z, l, want[4];
    assert_int_equal(sscanf(line, "%x %x %x %x > %x %x %x %x", &x, &y, &z, &l, &want[0], &want[1],
                            &want[2], &want[3]),
                     8);
    const unsigned count = load_forms[form][0], step = load_forms[form][1];
    const struct surf_place p = {(int32_t)x, (int32_t)y, (int32_t)z, l};
    addr_t addr;
    const bool found =
        surface_locate(o, shape, &p, count * step, mode ? PTX_M_CLAMP : PTX_M_ZERO, &addr);
    for (unsigned i = 0; i < count; i++) {
        uint64_t v = 0;
        if (found)
            memcpy(&v, devmem_ptr(addr + (uint64_t)i * step), step);
        const uint64_t w = step == 8 ? want[2 * i] | (uint64_t)want[2 * i + 1] << 32 : want[i];
        if (v != w)
            return false;
    }
    return true;
}

/* FORM of `sust 2d FORM`: 0.. of sust.b.zero, 10.. of sust.b.clamp, 6 8 17 of sust.p */
static void store(const struct tex_object *o, int form, const char *line)
{
    static const uint8_t forms[6][2] = {{1, 1}, {1, 2}, {1, 4}, {1, 8}, {4, 4}, {4, 1}};
    unsigned x, y, v[4];
    assert_int_equal(sscanf(line, "%x %x < %x %x %x %x", &x, &y, &v[0], &v[1], &v[2], &v[3]), 6);
    struct surf_place p = {(int32_t)x, (int32_t)y, 0, 0};
    const enum ptx_mod mode = form >= 10 ? PTX_M_CLAMP : PTX_M_ZERO;
    addr_t addr;
    if (form % 10 >= 6) {
        const unsigned bytes = o->channels * o->channel_bits / 8u;
        p.x *= bytes;
        if (surface_locate(o, TEX_2D, &p, bytes, mode, &addr))
            surface_format(o, v, form % 10 == 6 ? 4 : form % 10 == 7 ? 2 : 1, devmem_ptr(addr));
        return;
    }
    const unsigned count = forms[form % 10][0], step = forms[form % 10][1];
    if (!surface_locate(o, TEX_2D, &p, count * step, mode, &addr))
        return;
    for (unsigned i = 0; i < count; i++)
        memcpy(devmem_ptr(addr + (uint64_t)i * step), &v[i], step);
}

static bool memory_matches(const struct tex_object *o, const char *line)
{
    const uint8_t *p = devmem_ptr(o->data);
    char *end = (char *)(uintptr_t)line + 3;
    for (uint64_t i = 0; i < o->slice_bytes; i++)
        if (strtoul(end, &end, 16) != p[i])
            return false;
    return true;
}

struct counts {
    unsigned bad, total;
};

static void count(struct counts *c, bool ok, const char *header)
{
    c->total++;
    if (!ok && !c->bad++)
        print_error("first difference in: %s\n", header);
}

static void accesses_are_those_of_an_h200(void **state)
{
    (void)state;
    char *text = vectors_read("exec/surface.vec.zst"), *at = text;
    struct tex_object o = {0};
    struct counts c = {0};
    char header[128] = "", shape[8] = "";
    int mode = 0, form = 0;
    bool is_load = false;
    for (char *line; (line = vectors_line(&at));) {
        if (line[0] == 's' && line[1] == 'u') {
            texels_free(&o);
            is_load = !strncmp(line, "suld", 4);
            snprintf(header, sizeof header, "%s", line);
            assert_true(is_load ? sscanf(line, "suld %7s %d %d", shape, &mode, &form) == 3
                                : sscanf(line, "sust %7s %d", shape, &form) == 2);
            object_open(&o, strchr(line, '|'));
        } else if (is_load)
            count(&c, load_matches(&o, shape_named(shape), mode, form, line), header);
        else if (form >= 20)
            continue; /* sured: by the kernel below */
        else if (!strncmp(line, "mem", 3))
            count(&c, memory_matches(&o, line), header);
        else
            store(&o, form, line);
    }
    texels_free(&o);
    free(text);
    assert_int_equal(c.bad, 0);
    assert_true(c.total > 4000);
}

/* %rd2 is the handle in the buffer's first 8 bytes; results go behind. */
#define WITH_HANDLE "ld.global.u64 %rd2,[%rd1];\n"

static uint64_t add_object(struct fixture *f, struct tex_object *o, uint32_t w, uint32_t h)
{
    *o = (struct tex_object){.shape = TEX_2D,
                             .is_surface = o->is_surface,
                             .format = TEX_FLOAT,
                             .channel_bits = 32,
                             .channels = 1,
                             .address = {TEX_CLAMP, TEX_CLAMP, TEX_CLAMP},
                             .data = f->buf->base + 256,
                             .pitch_bytes = w * 4,
                             .slice_bytes = (uint64_t)w * h * 4,
                             .width = w,
                             .height = h,
                             .levels = 1};
    return tex_table_add(&f->dev->textures, o);
}

static void kernels_read_textures(void **state)
{
    (void)state;
    struct fixture f;
    struct tex_object o = {0};
    fixture_open(&f,
                 PTX_KERNEL(WITH_HANDLE
                            "cvt.rn.f32.u32 %f1,%r1; add.f32 %f1,%f1,0f3F000000;"
                            "mov.f32 %f2,0f3FC00000;"
                            "tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6},[%rd2,{%f1,%f2}];"
                            "txq.width.b32 %r2,[%rd2]; txq.height.b32 %r3,[%rd2];"
                            "istypep.texref %p1,%rd2; selp.u32 %r4,1,0,%p1;"
                            "mul.wide.u32 %rd3,%r1,16; add.u64 %rd3,%rd3,%rd1;"
                            "st.global.f32 [%rd3+16],%f3; st.global.u32 [%rd3+20],%r2;"
                            "st.global.u32 [%rd3+24],%r3; st.global.u32 [%rd3+28],%r4;"),
                 4096);
    const uint64_t handle = add_object(&f, &o, 4, 2);
    float *texels = (float *)&f.words[64];
    for (int i = 0; i < 8; i++)
        texels[i] = (float)i;
    memcpy(f.words, &handle, 8);
    fixture_run(&f, 1, 5, 0);
    for (uint32_t t = 0; t < 5; t++) {
        float got;
        memcpy(&got, &f.words[4 + 4 * t], 4);
        assert_float_equal(got, t < 4 ? 4 + t : 7, 0);
        assert_int_equal(f.words[5 + 4 * t], 4);
        assert_int_equal(f.words[6 + 4 * t], 2);
        assert_int_equal(f.words[7 + 4 * t], 1);
    }
    fixture_close(&f);
}

static void kernels_use_surfaces(void **state)
{
    (void)state;
    struct fixture f;
    struct tex_object o = {.is_surface = true};
    fixture_open(&f,
                 PTX_KERNEL(WITH_HANDLE "shl.b32 %r2,%r1,2; mov.u32 %r3,1;"
                                        "suld.b.2d.b32.trap %r4,[%rd2,{%r2,%r3}];"
                                        "add.u32 %r4,%r4,100;"
                                        "mov.u32 %r5,0;"
                                        "sust.b.2d.b32.trap [%rd2,{%r2,%r5}],%r4;"
                                        "mov.u32 %r6,0;"
                                        "sured.b.add.2d.u32.clamp [%rd2,{%r6,%r3}],%r4;"),
                 4096);
    const uint64_t handle = add_object(&f, &o, 4, 2);
    for (uint32_t i = 0; i < 8; i++)
        f.words[64 + i] = i;
    memcpy(f.words, &handle, 8);
    fixture_run(&f, 1, 4, 0);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(f.words[64 + i], 104 + i);
    assert_int_equal(f.words[68], 4 + 104 + 105 + 106 + 107);
    fixture_close(&f);
}

static void outside_a_surface_traps(void **state)
{
    (void)state;
    struct fixture f;
    struct tex_object o = {.is_surface = true};
    fixture_open(&f,
                 PTX_KERNEL(WITH_HANDLE "mov.u32 %r3,7; suld.b.2d.b32.trap %r4,[%rd2,{%r3,%r3}];"),
                 4096);
    const uint64_t handle = add_object(&f, &o, 4, 2);
    memcpy(f.words, &handle, 8);
    const char *pieces[] = {"outside the surface", NULL};
    fixture_expect_fault(&f, 1, FAULT_LAUNCH_FAILED, pieces);
    fixture_close(&f);
}

static void a_stray_handle_is_reported(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f,
                 PTX_KERNEL(WITH_HANDLE "mov.f32 %f1,0f00000000;"
                                        "tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6},[%rd2,{%f1,%f1}];"),
                 4096);
    f.words[0] = 12345;
    const char *pieces[] = {"texture handle 0x3039", NULL};
    fixture_expect_fault(&f, 1, FAULT_ILLEGAL_ADDRESS, pieces);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_are_those_of_an_h200), cmocka_unit_test(kernels_read_textures),
        cmocka_unit_test(kernels_use_surfaces),          cmocka_unit_test(outside_a_surface_traps),
        cmocka_unit_test(a_stray_handle_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
