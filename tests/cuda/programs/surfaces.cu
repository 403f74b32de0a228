// Surface objects: reads and writes of arrays by byte offset, in one, two and three dimensions,
// boundary modes, and a texture that then sees what the surface wrote.
#include "check.h"

__global__ void write_2d(cudaSurfaceObject_t s, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    // The grid is larger than the surface: what lies outside must vanish.
    (void)w, (void)h;
    surf2Dwrite(make_uchar4(x, y, x ^ y, 255), s, x * (int)sizeof(uchar4), y, cudaBoundaryModeZero);
}

__global__ void transpose_2d(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    uchar4 v;
    surf2Dread(&v, from, x * (int)sizeof(uchar4), y);
    surf2Dwrite(v, to, y * (int)sizeof(uchar4), x);
}

__global__ void through_texture(cudaTextureObject_t t, uchar4 *out, int w)
{
    int x = threadIdx.x, y = blockIdx.x;
    out[y * w + x] = tex2D<uchar4>(t, x + .5f, y + .5f);
}

__global__ void volume(cudaSurfaceObject_t s, float *out)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    surf3Dwrite((float)(x + 10 * y + 100 * z), s, x * 4, y, z);
    __syncthreads();
    float v;
    surf3Dread(&v, s, (3 - x) * 4, 3 - y, 3 - z);
    out[(z * 4 + y) * 4 + x] = v;
}

__global__ void edges(cudaSurfaceObject_t s, float *out)
{
    out[0] = surf1Dread<float>(s, -4, cudaBoundaryModeZero);
    out[1] = surf1Dread<float>(s, 4 * 100, cudaBoundaryModeZero);
    out[2] = surf1Dread<float>(s, -4, cudaBoundaryModeClamp);
    out[3] = surf1Dread<float>(s, 4 * 100, cudaBoundaryModeClamp);
}

static cudaSurfaceObject_t surface(cudaArray_t a)
{
    cudaResourceDesc res = {};
    res.resType = cudaResourceTypeArray;
    res.res.array.array = a;
    cudaSurfaceObject_t s = 0;
    CUDA(cudaCreateSurfaceObject(&s, &res));
    CHECK(s != 0);
    return s;
}

int main()
{
    check_name = "surfaces";
    const int w = 50, h = 30;
    cudaChannelFormatDesc fmt = cudaCreateChannelDesc<uchar4>();
    cudaArray_t a, b;
    CUDA(cudaMallocArray(&a, &fmt, w, h, cudaArraySurfaceLoadStore));
    CUDA(cudaMallocArray(&b, &fmt, h, w, cudaArraySurfaceLoadStore));
    cudaSurfaceObject_t sa = surface(a), sb = surface(b);
    dim3 block(16, 16), grid(4, 2);
    write_2d<<<grid, block>>>(sa, w, h);
    transpose_2d<<<grid, block>>>(sa, sb, w, h);
    static uchar4 host[w][h];
    CUDA(cudaMemcpy2DFromArray(host, sizeof host[0], b, 0, 0, sizeof host[0], w,
                               cudaMemcpyDeviceToHost));
    for (int x = 0; x < w; x++)
        for (int y = 0; y < h; y++) {
            CHECK_EQ(host[x][y].x, x);
            CHECK_EQ(host[x][y].y, y);
            CHECK_EQ(host[x][y].z, x ^ y);
            CHECK_EQ(host[x][y].w, 255);
        }

    cudaResourceDesc res = {};
    res.resType = cudaResourceTypeArray;
    res.res.array.array = a;
    cudaTextureDesc desc = {};
    cudaTextureObject_t tex;
    CUDA(cudaCreateTextureObject(&tex, &res, &desc, nullptr));
    static uchar4 seen[h][w];
    uchar4 *d_seen;
    CUDA(cudaMalloc(&d_seen, sizeof seen));
    through_texture<<<h, w>>>(tex, d_seen, w);
    CUDA(cudaMemcpy(seen, d_seen, sizeof seen, cudaMemcpyDeviceToHost));
    CHECK_EQ(seen[7][13].x, 13);
    CHECK_EQ(seen[29][49].z, 29 ^ 49);
    CUDA(cudaDestroyTextureObject(tex));

    cudaChannelFormatDesc f32 = cudaCreateChannelDesc<float>();
    cudaArray_t vol, line;
    CUDA(cudaMalloc3DArray(&vol, &f32, make_cudaExtent(4, 4, 4), cudaArraySurfaceLoadStore));
    cudaSurfaceObject_t sv = surface(vol);
    float got[64], *d;
    CUDA(cudaMalloc(&d, sizeof got));
    volume<<<1, dim3(4, 4, 4)>>>(sv, d);
    CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        CHECK_EQ(got[i], (3 - i % 4) + 10 * (3 - i / 4 % 4) + 100 * (3 - i / 16));

    float init[10] = {5, 1, 1, 1, 1, 1, 1, 1, 1, 6};
    CUDA(cudaMallocArray(&line, &f32, 10, 0, cudaArraySurfaceLoadStore));
    CUDA(
        cudaMemcpy2DToArray(line, 0, 0, init, sizeof init, sizeof init, 1, cudaMemcpyHostToDevice));
    cudaSurfaceObject_t sl = surface(line);
    edges<<<1, 1>>>(sl, d);
    CUDA(cudaMemcpy(got, d, 4 * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(got[0] == 0 && got[1] == 0 && got[2] == 5 && got[3] == 6);

    for (cudaSurfaceObject_t s : {sa, sb, sv, sl})
        CUDA(cudaDestroySurfaceObject(s));
    for (cudaArray_t x : {a, b, vol, line})
        CUDA(cudaFreeArray(x));
    CUDA(cudaFree(d));
    CUDA(cudaFree(d_seen));
    return check_pass();
}
