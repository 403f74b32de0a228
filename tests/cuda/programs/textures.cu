// Texture objects over arrays, linear memory and pitched memory: addressing, filtering, reading as
// normalized floats, layers, three dimensions, mipmaps, cube maps, gather.
#include "check.h"

#include <cmath>

static cudaTextureObject_t array_texture(cudaArray_t a, cudaTextureAddressMode mode,
                                         cudaTextureFilterMode filter, cudaTextureReadMode read,
                                         int normalized)
{
    cudaResourceDesc res = {};
    res.resType = cudaResourceTypeArray;
    res.res.array.array = a;
    cudaTextureDesc desc = {};
    for (int i = 0; i < 3; i++)
        desc.addressMode[i] = mode;
    desc.filterMode = filter;
    desc.readMode = read;
    desc.normalizedCoords = normalized;
    cudaTextureObject_t tex = 0;
    CUDA(cudaCreateTextureObject(&tex, &res, &desc, nullptr));
    CHECK(tex != 0);
    return tex;
}

__global__ void sample_2d(cudaTextureObject_t tex, const float2 *at, float *out, int n)
{
    int i = threadIdx.x;
    if (i < n)
        out[i] = tex2D<float>(tex, at[i].x, at[i].y);
}

template <int N>
static void expect_2d(cudaTextureObject_t tex, const float2 (&at)[N], const float (&want)[N],
                      int line)
{
    float2 *d_at;
    float *d_out, got[N];
    CUDA(cudaMalloc(&d_at, sizeof at));
    CUDA(cudaMalloc(&d_out, sizeof got));
    CUDA(cudaMemcpy(d_at, at, sizeof at, cudaMemcpyHostToDevice));
    sample_2d<<<1, 32>>>(tex, d_at, d_out, N);
    CUDA(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (fabsf(got[i] - want[i]) > 1e-4f)
            check_fail("line %d: at (%g, %g): %g, not %g", line, at[i].x, at[i].y, got[i], want[i]);
    CUDA(cudaFree(d_at));
    CUDA(cudaFree(d_out));
    CUDA(cudaDestroyTextureObject(tex));
}

// texel (x, y) = x + 10 y
static void two_dimensions()
{
    const int w = 8, h = 4;
    float data[h][w];
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            data[y][x] = (float)(x + 10 * y);
    cudaChannelFormatDesc fmt = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    CUDA(cudaMallocArray(&a, &fmt, w, h));
    CUDA(cudaMemcpy2DToArray(a, 0, 0, data, sizeof data[0], sizeof data[0], h,
                             cudaMemcpyHostToDevice));
    cudaChannelFormatDesc got;
    cudaExtent extent;
    unsigned flags;
    CUDA(cudaArrayGetInfo(&got, &extent, &flags, a));
    CHECK_EQ(got.x, 32);
    CHECK_EQ(got.f, cudaChannelFormatKindFloat);
    CHECK_EQ(extent.width, w);
    CHECK_EQ(extent.height, h);

    const float2 inside[] = {{0.5f, 0.5f}, {3.2f, 2.9f}, {7.9f, 3.1f}};
    expect_2d(
        array_texture(a, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, 0),
        inside, {0, 23, 37}, __LINE__);
    const float2 outside[] = {{-3.f, 1.5f}, {100.f, 100.f}, {2.5f, -1.f}};
    expect_2d(
        array_texture(a, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, 0),
        outside, {10, 37, 2}, __LINE__);
    expect_2d(
        array_texture(a, cudaAddressModeBorder, cudaFilterModePoint, cudaReadModeElementType, 0),
        outside, {0, 0, 0}, __LINE__);
    // Linear filtering: texel centres lie at .5, weights have 8 bits.
    const float2 between[] = {{1.f, 0.5f}, {1.5f, 1.f}, {4.25f, 2.5f}, {0.f, 0.f}};
    expect_2d(
        array_texture(a, cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeElementType, 0),
        between, {0.5f, 6, 23.75f, 0}, __LINE__);
    // Normalized coordinates: wrap and mirror exist only there.
    const float2 norm[] = {{1.0625f, 0.125f}, {-0.0625f, 0.375f}, {2.3125f, 1.625f}};
    expect_2d(
        array_texture(a, cudaAddressModeWrap, cudaFilterModePoint, cudaReadModeElementType, 1),
        norm, {0, 17, 22}, __LINE__);
    expect_2d(
        array_texture(a, cudaAddressModeMirror, cudaFilterModePoint, cudaReadModeElementType, 1),
        norm, {7, 10, 12}, __LINE__);
    CUDA(cudaFreeArray(a));
}

__global__ void fetch_linear(cudaTextureObject_t tex, int4 *out)
{
    out[threadIdx.x] = tex1Dfetch<int4>(tex, threadIdx.x);
}

__global__ void fetch_pitched(cudaTextureObject_t tex, float *out, int w)
{
    out[threadIdx.y * w + threadIdx.x] = tex2D<float>(tex, threadIdx.x + .5f, threadIdx.y + .5f);
}

static void linear_and_pitched()
{
    int4 in[64], got[64], *d_in, *d_out;
    for (int i = 0; i < 64; i++)
        in[i] = make_int4(i, -i, i * i, i << 20);
    CUDA(cudaMalloc(&d_in, sizeof in));
    CUDA(cudaMalloc(&d_out, sizeof in));
    CUDA(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    cudaResourceDesc res = {};
    res.resType = cudaResourceTypeLinear;
    res.res.linear.devPtr = d_in;
    res.res.linear.desc = cudaCreateChannelDesc<int4>();
    res.res.linear.sizeInBytes = sizeof in;
    cudaTextureDesc desc = {};
    desc.readMode = cudaReadModeElementType;
    cudaTextureObject_t tex;
    CUDA(cudaCreateTextureObject(&tex, &res, &desc, nullptr));
    fetch_linear<<<1, 64>>>(tex, d_out);
    CUDA(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(memcmp(in, got, sizeof in) == 0);
    cudaResourceDesc back;
    CUDA(cudaGetTextureObjectResourceDesc(&back, tex));
    CHECK(back.res.linear.devPtr == d_in);
    CUDA(cudaDestroyTextureObject(tex));

    // Bytes in pitched memory, read as fractions of 255.
    const int w = 20, h = 6;
    unsigned char bytes[h][w], *pitched;
    float f[h][w], *d_f;
    size_t pitch;
    for (int i = 0; i < w * h; i++)
        bytes[i / w][i % w] = (unsigned char)(i * 2);
    CUDA(cudaMallocPitch(&pitched, &pitch, w, h));
    CHECK(pitch >= w && pitch % 32 == 0);
    CUDA(cudaMalloc(&d_f, sizeof f));
    CUDA(cudaMemcpy2D(pitched, pitch, bytes, w, w, h, cudaMemcpyHostToDevice));
    memset(&res, 0, sizeof res);
    res.resType = cudaResourceTypePitch2D;
    res.res.pitch2D.devPtr = pitched;
    res.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
    res.res.pitch2D.width = w;
    res.res.pitch2D.height = h;
    res.res.pitch2D.pitchInBytes = pitch;
    desc.readMode = cudaReadModeNormalizedFloat;
    CUDA(cudaCreateTextureObject(&tex, &res, &desc, nullptr));
    fetch_pitched<<<1, dim3(w, h)>>>(tex, d_f, w);
    CUDA(cudaMemcpy(f, d_f, sizeof f, cudaMemcpyDeviceToHost));
    for (int i = 0; i < w * h; i++)
        CHECK(fabsf(f[i / w][i % w] - (i * 2) / 255.f) < 1e-6f);
    CUDA(cudaDestroyTextureObject(tex));
    CUDA(cudaFree(pitched));
    CUDA(cudaFree(d_f));
    CUDA(cudaFree(d_in));
    CUDA(cudaFree(d_out));
}

__global__ void sample_row(cudaTextureObject_t tex, float *out)
{
    out[threadIdx.x] = tex1D<float>(tex, threadIdx.x - 0.5f);
}

// An array made with a height of 1 has two dimensions; programs read it with tex1D.
static void a_row_is_1d()
{
    const int n = 8;
    float in[n] = {3, 1, 4, 1, 5, 9, 2, 6}, got[n + 2], *d_out;
    cudaArray_t a;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocArray(&a, &format, n, 1));
    CUDA(cudaMemcpy2DToArray(a, 0, 0, in, sizeof in, sizeof in, 1, cudaMemcpyHostToDevice));
    CUDA(cudaMalloc(&d_out, sizeof got));
    for (auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
        cudaTextureObject_t tex =
            array_texture(a, cudaAddressModeClamp, filter, cudaReadModeElementType, 0);
        sample_row<<<1, n + 2>>>(tex, d_out);
        CUDA(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < n + 2; i++)
            CHECK(got[i] == in[i < 1 ? 0 : i > n ? n - 1 : i - 1]);
        CUDA(cudaDestroyTextureObject(tex));
    }
    CUDA(cudaFree(d_out));
    CUDA(cudaFreeArray(a));
}

__global__ void sample_3d(cudaTextureObject_t vol, cudaTextureObject_t layers,
                          cudaTextureObject_t cube, float *out)
{
    out[0] = tex3D<float>(vol, 1.5f, 2.5f, 3.5f);
    out[1] = tex3D<float>(vol, 2.0f, 1.5f, 0.5f); // halfway between two texels
    out[2] = tex2DLayered<float>(layers, 1.5f, 0.5f, 2);
    out[3] = tex2DLayered<float>(layers, 3.5f, 3.5f, 9); // layers clamp
    out[4] = texCubemap<float>(cube, 1, .1f, .1f);
    out[5] = texCubemap<float>(cube, .1f, -1, .1f);
    out[6] = texCubemap<float>(cube, .1f, .2f, -1);
}

static cudaArray_t volume(unsigned flags, int depth, float (*value)(int x, int y, int z))
{
    const int n = 4;
    float data[8][n][n];
    for (int z = 0; z < depth; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                data[z][y][x] = value(x, y, z);
    cudaChannelFormatDesc fmt = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    CUDA(cudaMalloc3DArray(&a, &fmt, make_cudaExtent(n, n, depth), flags));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(data, n * sizeof(float), n, n);
    p.dstArray = a;
    p.extent = make_cudaExtent(n, n, depth);
    p.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&p));
    return a;
}

static void more_dimensions()
{
    auto coded = [](int x, int y, int z) { return (float)(x + 10 * y + 100 * z); };
    auto face = [](int, int, int z) { return (float)(z + 1); };
    cudaArray_t v = volume(0, 4, coded), l = volume(cudaArrayLayered, 3, coded),
                c = volume(cudaArrayCubemap, 6, face);
    cudaTextureObject_t tv = array_texture(v, cudaAddressModeClamp, cudaFilterModeLinear,
                                           cudaReadModeElementType, 0),
                        tl = array_texture(l, cudaAddressModeClamp, cudaFilterModePoint,
                                           cudaReadModeElementType, 0),
                        tc = array_texture(c, cudaAddressModeWrap, cudaFilterModePoint,
                                           cudaReadModeElementType, 1);
    float got[7], want[7] = {321, 11.5f, 201, 233, 1, 4, 6}, *d;
    CUDA(cudaMalloc(&d, sizeof got));
    sample_3d<<<1, 1>>>(tv, tl, tc, d);
    CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 7; i++)
        if (fabsf(got[i] - want[i]) > 1e-3f)
            check_fail("sample %d is %g, not %g", i, got[i], want[i]);
    CUDA(cudaDestroyTextureObject(tv));
    CUDA(cudaDestroyTextureObject(tl));
    CUDA(cudaDestroyTextureObject(tc));
    CUDA(cudaFreeArray(v));
    CUDA(cudaFreeArray(l));
    CUDA(cudaFreeArray(c));
    CUDA(cudaFree(d));
}

__global__ void sample_levels(cudaTextureObject_t tex, float *out)
{
    out[0] = tex2DLod<float>(tex, .5f, .5f, 0);
    out[1] = tex2DLod<float>(tex, .5f, .5f, 1);
    out[2] = tex2DLod<float>(tex, .5f, .5f, 2);
    out[3] = tex2DLod<float>(tex, .5f, .5f, 0.5f); // linear between two levels
    out[4] = tex2DLod<float>(tex, .5f, .5f, 9);
}

static void mipmaps()
{
    cudaChannelFormatDesc fmt = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mip;
    CUDA(cudaMallocMipmappedArray(&mip, &fmt, make_cudaExtent(8, 8, 0), 3));
    for (unsigned l = 0; l < 3; l++) {
        const int n = 8 >> l;
        float data[64];
        for (int i = 0; i < n * n; i++)
            data[i] = (float)(10 * (l + 1));
        cudaArray_t level;
        CUDA(cudaGetMipmappedArrayLevel(&level, mip, l));
        CUDA(cudaMemcpy2DToArray(level, 0, 0, data, n * sizeof(float), n * sizeof(float), n,
                                 cudaMemcpyHostToDevice));
    }
    cudaResourceDesc res = {};
    res.resType = cudaResourceTypeMipmappedArray;
    res.res.mipmap.mipmap = mip;
    cudaTextureDesc desc = {};
    desc.normalizedCoords = 1;
    desc.filterMode = cudaFilterModeLinear;
    desc.mipmapFilterMode = cudaFilterModeLinear;
    desc.maxMipmapLevelClamp = 2;
    cudaTextureObject_t tex;
    CUDA(cudaCreateTextureObject(&tex, &res, &desc, nullptr));
    float got[5], want[5] = {10, 20, 30, 15, 30}, *d;
    CUDA(cudaMalloc(&d, sizeof got));
    sample_levels<<<1, 1>>>(tex, d);
    CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 5; i++)
        if (fabsf(got[i] - want[i]) > 0.05f)
            check_fail("level sample %d is %g, not %g", i, got[i], want[i]);
    CUDA(cudaDestroyTextureObject(tex));
    CUDA(cudaFreeMipmappedArray(mip));
    CUDA(cudaFree(d));
}

int main()
{
    check_name = "textures";
    two_dimensions();
    linear_and_pitched();
    a_row_is_1d();
    more_dimensions();
    mipmaps();
    return check_pass();
}
