// Wavelet transforms of an image, as JPEG 2000 has them: the reversible 5/3 in integers and the 9/7 in
// floats. A kernel parts the pixels' colours; then for each colour and level a block transforms 64
// columns and 8 rows, which it keeps with a border in shared memory, even and odd columns apart: rows
// first by lifting, then columns, and writes four bands.
#include "device.h"

#define WIDE    64 // columns of a block, and its threads
#define HIGH    8
#define COLOURS 256 // pixels of a block that parts colours

struct size {
    int width, height;
};

WL_FN void store_colour(int *out, unsigned char level)
{
    *out = (int)level - 128;
}
WL_FN void store_colour(float *out, unsigned char level)
{
    *out = (float)level / 255.0f - 0.5f;
}

// Three bytes a pixel go through shared memory as words.
template <class T> WL_FN void part_colours(const unsigned *words, T *red, T *green, T *blue, int pixels)
{
    __shared__ unsigned bytes[COLOURS * 3 / 4];
    int t = threadIdx.x, i = blockIdx.x * COLOURS + t;
    if (t < COLOURS * 3 / 4)
        bytes[t] = words[blockIdx.x * (COLOURS * 3 / 4) + t];
    __syncthreads();
    const unsigned char *pixel = (const unsigned char *)bytes + 3 * t;
    if (i >= pixels)
        return;
    store_colour(&red[i], pixel[0]);
    store_colour(&green[i], pixel[1]);
    store_colour(&blue[i], pixel[2]);
}

extern "C" __global__ void dwt_colours_int(const unsigned *words, int *red, int *green, int *blue,
                                           int pixels)
{
    part_colours(words, red, green, blue, pixels);
}
extern "C" __global__ void dwt_colours_float(const unsigned *words, float *red, float *green,
                                             float *blue, int pixels)
{
    part_colours(words, red, green, blue, pixels);
}

// A step of lifting changes every second element by its two neighbours: the odd ones, the even ones, ...
struct lift53 {
    typedef int number;
    enum { STEPS = 2, BORDER = 2 };
    __device__ __forceinline__ static int apply(int step, int before, int value, int after)
    {
        return step == 0 ? value - (before + after) / 2 : value + (before + after + 2) / 4;
    }
    __device__ __forceinline__ static int scale(int value, bool)
    {
        return value;
    }
};

struct lift97 {
    typedef float number;
    enum { STEPS = 4, BORDER = 4 };
    __device__ __forceinline__ static float apply(int step, float before, float value, float after)
    {
        float factor = step == 0   ? -1.586134342f
                       : step == 1 ? -0.05298011854f
                       : step == 2 ? 0.8829110762f
                                   : 0.4435068522f;
        return __fmaf_rn(factor, before + after, value);
    }
    __device__ __forceinline__ static float scale(float value, bool odd)
    {
        return value * (odd ? 1.149604398f : 0.8698644523f);
    }
};

// Beyond the image it is mirrored; further than a border it does not matter.
WL_FN int mirrored(int i, int size)
{
    i = i < 0 ? -i : i;
    return i < size ? i : max(2 * size - 2 - i, 0);
}

// The even columns of a tile, then the odd ones: neighbours are side by side or a plane apart.
template <class L> struct tile {
    enum { HALF = WIDE / 2 + L::BORDER, ROWS = HIGH + 2 * L::BORDER, PLANE = ROWS * HALF };
    typename L::number at[2 * PLANE];

    __device__ __forceinline__ static int column(int c)
    {
        return c / 2 + (c % 2) * PLANE;
    }
};

// Where the bands of a level go: low both ways, then high in x, in y, and in both.
template <class T> struct bands {
    T *low, *high;
};

template <class L>
WL_FN void load(tile<L> &t, const typename L::number *in, struct size size)
{
    typedef tile<L> tile;
    int x0 = blockIdx.x * WIDE - L::BORDER, y0 = blockIdx.y * HIGH - L::BORDER;
    for (int c = threadIdx.x; c < 2 * tile::HALF; c += WIDE) {
        int x = mirrored(x0 + c, size.width), column = tile::column(c);
        for (int r = 0; r < tile::ROWS; r++)
            t.at[r * tile::HALF + column] = in[mirrored(y0 + r, size.height) * size.width + x];
    }
}

// All rows at once, one after the other: an element at a row's end has a neighbour in the next row, but
// each step leaves one element less on either side right anyway, and the border has one for each.
template <class L> WL_FN void lift_rows(tile<L> &t)
{
    typedef tile<L> tile;
    for (int step = 0; step < L::STEPS; step++) {
        int changed = step % 2 ? 1 : tile::PLANE, beside = step % 2 ? tile::PLANE : 0;
        __syncthreads();
        for (int i = threadIdx.x; i < tile::PLANE - 1; i += WIDE)
            t.at[changed + i] =
                L::apply(step, t.at[beside + i], t.at[changed + i], t.at[beside + i + 1]);
    }
    __syncthreads();
}

template <class L> WL_FN void lift_column(typename L::number *at)
{
    typedef tile<L> tile;
    for (int step = 0; step < L::STEPS; step++)
        for (int r = step % 2 ? 2 : 1; r < tile::ROWS - 1; r += 2)
            at[r * tile::HALF] =
                L::apply(step, at[(r - 1) * tile::HALF], at[r * tile::HALF], at[(r + 1) * tile::HALF]);
}

template <class L>
WL_FN void transform(tile<L> &t, const typename L::number *in,
                     struct bands<typename L::number> out, struct size size)
{
    typedef typename L::number number;
    load(t, in, size);
    lift_rows(t);
    // A thread has a column of its own: the first half the even ones, which become the low bands.
    int odd = threadIdx.x >= WIDE / 2, c = 2 * (threadIdx.x % (WIDE / 2)) + odd;
    int x = blockIdx.x * WIDE + c, y = blockIdx.y * HIGH;
    number *column = t.at + tile<L>::column(c + L::BORDER);
    lift_column<L>(column);
    if (x >= size.width)
        return;
    int wide = size.width / 2, low_wide = size.width - wide;
    int high = size.height / 2, low_high = size.height - high;
    int at = y / 2 * (odd ? wide : low_wide) + x / 2;
    number *even_rows = (odd ? out.high : out.low) + at;
    number *odd_rows = out.high + wide * low_high + (odd ? low_wide * high : 0) + at;
    column += L::BORDER * tile<L>::HALF;
    for (int r = 0; r < HIGH && y + r < size.height; r++) {
        number value = L::scale(L::scale(column[r * tile<L>::HALF], odd), r % 2);
        (r % 2 ? odd_rows : even_rows)[r / 2 * (odd ? wide : low_wide)] = value;
    }
}

extern "C" __global__ void dwt_53(const int *in, struct bands<int> out, struct size size)
{
    __shared__ tile<lift53> t;
    transform<lift53>(t, in, out, size);
}

extern "C" __global__ void dwt_97(const float *in, struct bands<float> out, struct size size)
{
    __shared__ tile<lift97> t;
    transform<lift97>(t, in, out, size);
}
