// Sobel filter: how fast the brightness changes at each pixel. A block a row, whose threads walk it
// in steps of the block; the nine pixels around each are fetched as bytes through the texture path,
// first those by which it is decided whether the rest is approximated: a corner, the middle, the corner
// opposite.
#include "device.h"

WL_FN int pixel(unsigned long long picture, int x, int y)
{
    return (unsigned char)wl_tex2d_u32(picture, (float)x, (float)y);
}

extern "C" __global__ void sobel(unsigned char *out, unsigned pitch, int width, float scale,
                                 unsigned long long picture)
{
    int y = blockIdx.x;
    unsigned char *row = out + y * pitch;
    for (int x = threadIdx.x; x < width; x += blockDim.x) {
        WL_MARK("lnl load H=0 uses=1 abs");
        int upper_left = pixel(picture, x - 1, y - 1);
        WL_MARK("lnl load H=1 uses=1 abs");
        pixel(picture, x, y); /* fetched, as in the original, though no sum has it */
        WL_MARK("lnl load H=2 uses=1 abs");
        int lower_right = pixel(picture, x + 1, y + 1);
        WL_MARK("lnl begin loads=0,1,2");
        int upper = pixel(picture, x, y - 1), upper_right = pixel(picture, x + 1, y - 1);
        int left = pixel(picture, x - 1, y), right = pixel(picture, x + 1, y);
        int lower_left = pixel(picture, x - 1, y + 1), lower = pixel(picture, x, y + 1);
        int across = upper_right + 2 * right + lower_right - upper_left - 2 * left - lower_left;
        int down = upper_left + 2 * upper + upper_right - lower_left - 2 * lower - lower_right;
        short sum = (short)(scale * (float)(max(across, -across) + max(down, -down)));
        sum = sum < 0 ? 0 : sum > 255 ? 255 : sum;
        WL_MARK("lnl store u8");
        row[x] = (unsigned char)sum;
        WL_MARK("lnl end");
    }
}
