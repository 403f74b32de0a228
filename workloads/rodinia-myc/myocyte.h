/* A heart cell as 91 differential equations: its channels, pumps and calcium stores (46), and a
 * calmodulin network (15) in each of three places, in the manner of Shannon, Bers and Saucerman's
 * models, simplified. The same lines for the device and for the CPU reference: nothing but
 * correctly rounded operations, so both get the same bits.
 *
 * Milliseconds, millivolts, millimoles a litre (micromoles in the calmodulin network). */
#ifndef WORKLOADS_RODINIA_MYC_MYOCYTE_H
#define WORKLOADS_RODINIA_MYC_MYOCYTE_H

#if defined(__CUDA__) || defined(__CUDACC__)
#include "device.h"
#define MYC_FN              WL_FN
#define MYC_UNROLL          _Pragma("unroll")
#define myc_fma(a, b, c)    __fmaf_rn(a, b, c)
#define myc_from_bits(bits) __int_as_float(bits)
#define myc_to_bits(value)  __float_as_int(value)
#define myc_min(a, b)       fminf(a, b)
#define myc_max(a, b)       fmaxf(a, b)
#else
#include <math.h>
#include <string.h>
#define MYC_FN static inline
#define MYC_UNROLL
#define myc_fma(a, b, c) fmaf(a, b, c)
#define myc_min(a, b)    fminf(a, b)
#define myc_max(a, b)    fmaxf(a, b)
MYC_FN float myc_from_bits(int bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
MYC_FN int myc_to_bits(float value)
{
    int bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
#endif

enum { MYC_EQUATIONS = 91, MYC_PARAMETERS = 18 };

/* Where things are among the equations. */
enum {
    MYC_GATES = 0, /* 12, opened and closed by the voltage */
    MYC_CA_GATES = 12,
    MYC_RELEASE = 14, /* states of the release channel: rest, open, inactive */
    MYC_BUFFERS = 17, /* 13 */
    MYC_CA_STORE = 30,
    MYC_NA = 31, /* in the junction, below the membrane, in the cell */
    MYC_K = 34,
    MYC_CA = 35, /* the same three places */
    MYC_VOLTAGE = 38,
    MYC_TOTALS = 39,     /* what has flowed through four carriers */
    MYC_UNUSED = 43,     /* 3, as in the original */
    MYC_CALMODULIN = 46, /* 15 a place */
};

/* e^x, x limited to +-87: 2^n e^r, the series of e^r up to r^6. */
MYC_FN float myc_exp(float x)
{
    const float shift = 12582912.0f; /* 1.5 * 2^23 */
    x = myc_min(myc_max(x, -87.0f), 87.0f);
    float n = (x * 1.44269504f + shift) - shift;
    float r = myc_fma(-n, -2.12194440e-4f, myc_fma(-n, 0.693359375f, x));
    float sum = 1.38888889e-3f;
    sum = myc_fma(sum, r, 8.33333333e-3f);
    sum = myc_fma(sum, r, 4.16666667e-2f);
    sum = myc_fma(sum, r, 0.166666667f);
    sum = myc_fma(sum, r, 0.5f);
    sum = myc_fma(sum, r, 1.0f);
    sum = myc_fma(sum, r, 1.0f);
    return sum * myc_from_bits(((int)n + 127) << 23);
}

/* ln x for normal x > 0: x = 2^n m, ln m = 2 artanh((m - 1)/(m + 1)). */
MYC_FN float myc_log(float x)
{
    int bits = myc_to_bits(x), n = (bits >> 23) - 127;
    float m = myc_from_bits((bits & 0x7fffff) | 127 << 23);
    if (m > 1.41421356f) {
        m *= 0.5f;
        n++;
    }
    float t = (m - 1.0f) / (m + 1.0f), t2 = t * t;
    float sum = myc_fma(t2, 0.111111111f, 0.142857143f);
    sum = myc_fma(sum, t2, 0.2f);
    sum = myc_fma(sum, t2, 0.333333333f);
    sum = myc_fma(sum, t2, 1.0f);
    return myc_fma((float)n, 0.693147181f, 2.0f * t * sum);
}

MYC_FN float myc_pow(float x, float y)
{
    return myc_exp(y * myc_log(x));
}

/* From 0 to 1 around a middle; falling with a negative slope. */
MYC_FN float myc_rise(float x, float middle, float slope)
{
    return 1.0f / (1.0f + myc_exp((middle - x) / slope));
}

/* Gates go to what the voltage wants of them, each in its own time, which depends on it too. */
MYC_FN void myc_gates(const float *y, float *dy)
{
    static const float gates[12][6] = {
        /* wanted: middle, slope; time: least, range, middle, slope */
        {-39.0f, 7.0f, 0.6f, 0.5f, -30.0f, -8.0f},         /* sodium: activation, */
        {-66.0f, -5.5f, 1.5f, 12.0f, -55.0f, -7.0f},       /* fast and */
        {-66.0f, -5.5f, 4.0f, 60.0f, -55.0f, -7.0f},       /* slow inactivation */
        {-14.5f, 6.0f, 1.0f, 2.0f, -20.0f, -8.0f},         /* calcium: activation, */
        {-35.0f, -8.6f, 20.0f, 30.0f, 10.0f, 10.0f},       /* inactivation */
        {-3.0f, 15.0f, 1.0f, 9.0f, -3.0f, -15.0f},         /* outward, slow: activation, */
        {-33.5f, -10.0f, 30.0f, 3000.0f, -60.0f, -10.0f},  /* inactivation, */
        {-33.5f, -10.0f, 220.0f, 2800.0f, -60.0f, -10.0f}, /* recovery */
        {-3.0f, 15.0f, 1.5f, 3.5f, 0.0f, -20.0f},          /* outward, fast: activation, */
        {-33.5f, -10.0f, 20.0f, 20.0f, -33.5f, -10.0f},    /* inactivation */
        {-50.0f, 7.5f, 50.0f, 400.0f, -20.0f, -15.0f},     /* rectifier: rapid, */
        {1.5f, 16.7f, 100.0f, 600.0f, -30.0f, -20.0f},     /* slow */
    };
    float v = y[MYC_VOLTAGE];
    MYC_UNROLL
    for (int i = 0; i < 12; i++) {
        const float *g = gates[i];
        float time = myc_fma(g[3], myc_rise(v, g[4], g[5]), g[2]);
        dy[MYC_GATES + i] = (myc_rise(v, g[0], g[1]) - y[MYC_GATES + i]) / time;
    }
    MYC_UNROLL
    for (int i = 0; i < 2; i++)
        dy[MYC_CA_GATES + i] =
            1.7f * y[MYC_CA + i] * (1.0f - y[MYC_CA_GATES + i]) - 0.0119f * y[MYC_CA_GATES + i];
}

/* Buffers bind and let go; what they bind is missing in its place. */
MYC_FN void myc_buffers(const float *y, float *dy)
{
    static const float rates[13][3] = {
        /* binding, letting go, most */
        {1e-4f, 1e-3f, 7.561f},  {1e-4f, 1e-3f, 1.65f},   {12.0f, 0.0196f, 0.07f},
        {2.37f, 3.2e-5f, 0.14f}, {0.5f, 3.33e-3f, 0.14f}, {1.38f, 4.6e-4f, 0.14f},
        {0.2f, 5.7e-5f, 0.14f},  {12.0f, 0.06f, 0.0171f}, {0.6f, 1.3f, 0.55f},
        {0.6f, 1.3f, 1.2f},      {1.0f, 0.03f, 0.2f},     {1.0f, 0.03f, 0.43f},
        {0.5f, 0.325f, 2.7f},
    };
    static const int places[13] = {MYC_NA,     MYC_NA + 1, MYC_CA + 2,  MYC_CA + 2, MYC_CA + 2,
                                   MYC_CA + 2, MYC_CA + 2, MYC_CA + 2,  MYC_CA,     MYC_CA + 1,
                                   MYC_CA,     MYC_CA + 1, MYC_CA_STORE};
    MYC_UNROLL
    for (int i = 0; i < 13; i++) {
        float bound = y[MYC_BUFFERS + i];
        float rate = rates[i][0] * y[places[i]] * (rates[i][2] - bound) - rates[i][1] * bound;
        dy[MYC_BUFFERS + i] = rate;
        dy[places[i]] -= rate;
    }
}

/* Currents of one place below the membrane (0: the junction, 1: the rest), as shares of the whole.
 */
struct myc_currents {
    float na, ca, calcium_channel, exchanger, pump, leak;
};

MYC_FN struct myc_currents myc_membrane(const float *y, int place)
{
    const float thermal = 26.71f; /* RT/F */
    float v = y[MYC_VOLTAGE], na = y[MYC_NA + place], ca = y[MYC_CA + place];
    float share = place ? 0.89f : 0.11f, channels = place ? 0.1f : 0.9f;
    float m = y[MYC_GATES], e2 = myc_exp(2.0f * v / thermal), e = myc_exp(v / thermal);
    float to_na = v - thermal * myc_log(140.0f / na);
    float sodium = share * 16.0f * m * m * m * y[MYC_GATES + 1] * y[MYC_GATES + 2] * to_na;
    float far = myc_rise(v, -40.0f, 30.0f) * 5.4f / 6.9f;
    float ratio = 11.0f / na, r2 = ratio * ratio;
    float pump = share * 1.90719f * far / (1.0f + r2 * r2);
    float open = channels * y[MYC_GATES + 3] * y[MYC_GATES + 4] * (1.0f - y[MYC_CA_GATES + place]);
    /* Goldman's equation; at 0 mV its limit */
    float drive = v > -0.01f && v < 0.01f ? thermal / 2.0f : v * e2 / (e2 - 1.0f + 1e-6f);
    float into = 0.08f * open * drive * (0.341f * ca - 0.341f * 1.8f / e2);
    float forward = myc_exp(0.35f * v / thermal) * na * na * na * 1.8f;
    float backward = myc_exp(-0.65f * v / thermal) * 2744000.0f * ca;
    float sides = 9851.0f * (1.0f + ca / 0.00359f) + 670000.0f * ca + 1.3f * na * na * na + 9000.0f;
    float half = 2.56e-4f / ca, exchanger = share * 9.0f / (1.0f + half * half * half) *
                                            (forward - backward) / sides /
                                            (1.0f + 0.27f * myc_exp(-0.65f * v / thermal));
    float steep = myc_pow(ca, 1.6f);
    float out = share * 0.0673f * steep / (5.21e-6f + steep);
    float leak = share * 2.513e-4f * (v - 0.5f * thermal * myc_log(1.8f / ca));
    struct myc_currents c = {sodium + share * 2.97e-4f * to_na + 3.0f * pump + 3.0f * exchanger +
                                 0.02f * into * e / (1.0f + e),
                             into + out + leak - 2.0f * exchanger,
                             into,
                             exchanger,
                             pump,
                             out};
    return c;
}

/* The store lets calcium go when its channel is open, and pumps it back. */
MYC_FN void myc_store(const float *y, float *dy)
{
    const float *r = y + MYC_RELEASE;
    float filled = 0.45f / y[MYC_CA_STORE], ca = y[MYC_CA] * 30.0f;
    float sense = 15.0f - 14.0f / (1.0f + myc_pow(filled, 2.5f));
    float opening = myc_min(10.0f / sense * ca * ca, 2.0f), closing = 0.5f * sense * ca * 0.02f;
    float idle = 1.0f - r[0] - r[1] - r[2];
    dy[MYC_RELEASE] = 0.005f * idle - closing * r[0] - opening * r[0] + 0.06f * r[1];
    dy[MYC_RELEASE + 1] = opening * r[0] - 0.06f * r[1] - closing * r[1] + 0.005f * r[2];
    dy[MYC_RELEASE + 2] = closing * r[1] - 0.005f * r[2] - 0.06f * r[2] + opening * idle;
    float release = 0.5f * r[1] * (y[MYC_CA_STORE] - y[MYC_CA]);
    float up = myc_pow(y[MYC_CA + 2] / 2.46e-4f, 1.787f);
    float down = myc_pow(y[MYC_CA_STORE] / 1.7f, 1.787f);
    float pumped = 2.86e-4f * (up - down) / (1.0f + up + down);
    float leaked = 5.348e-6f * (y[MYC_CA_STORE] - y[MYC_CA]);
    dy[MYC_CA_STORE] += 18.6f * (pumped - leaked) - release;
    dy[MYC_CA] += 0.1f * release + 0.5f * leaked;
    dy[MYC_CA + 2] -= pumped;
}

/* Voltage and what is dissolved where. pace: the stimulus. */
MYC_FN void myc_concentrations(const float *y, float pace, float *dy)
{
    const float thermal = 26.71f;
    float v = y[MYC_VOLTAGE], to_k = v - thermal * myc_log(5.4f / y[MYC_K]);
    struct myc_currents j = myc_membrane(y, 0), s = myc_membrane(y, 1);
    const float *g = y + MYC_GATES;
    float rectifier = 0.03f * g[10] * myc_rise(v, -33.0f, -22.4f) + 0.02f * g[11] * g[11];
    float inward = 0.9f * myc_rise(to_k, 15.0f, -8.0f);
    float outward = 0.06f * g[5] * (g[6] + 0.5f * g[7]) + 0.02f * g[8] * g[9];
    float plateau = 0.001f * myc_rise(v, 44.8f, 5.98f);
    float potassium = (rectifier + inward + outward + plateau) * to_k - 2.0f * (j.pump + s.pump);
    float chloride = (0.009f + 0.11f / (1.0f + 0.1f / y[MYC_CA + 1])) * (v + 61.5f);
    dy[MYC_VOLTAGE] = pace - (j.na + s.na + j.ca + s.ca + potassium + chloride);
    dy[MYC_NA] += 0.02f * (y[MYC_NA + 1] - y[MYC_NA]) - 0.01f * j.na;
    dy[MYC_NA + 1] += 0.005f * (y[MYC_NA] - y[MYC_NA + 1]) - 0.002f * s.na -
                      0.1f * (y[MYC_NA + 1] - y[MYC_NA + 2]);
    dy[MYC_NA + 2] = 0.01f * (y[MYC_NA + 1] - y[MYC_NA + 2]);
    dy[MYC_K] = 0;
    dy[MYC_CA] += 0.6f * (y[MYC_CA + 1] - y[MYC_CA]) - 0.001f * j.ca;
    dy[MYC_CA + 1] += 0.1f * (y[MYC_CA] - y[MYC_CA + 1]) - 0.0002f * s.ca -
                      0.3f * (y[MYC_CA + 1] - y[MYC_CA + 2]);
    dy[MYC_CA + 2] += 0.01f * (y[MYC_CA + 1] - y[MYC_CA + 2]);
    dy[MYC_TOTALS] = -0.05f * (j.calcium_channel + s.calcium_channel);
    dy[MYC_TOTALS + 1] = -0.05f * (j.leak + s.leak);
    dy[MYC_TOTALS + 2] = 0.1f * (j.exchanger + s.exchanger);
    dy[MYC_TOTALS + 3] = -0.05f * (j.ca + s.ca);
}

/* Calmodulin, its kinase and its phosphatase in one place; p: totals of buffer, kinase,
 * phosphatase. Each reaction turns one of the 15 kinds to another with the help of a third. */
MYC_FN void myc_calmodulin(const float *y, const float *p, float calcium, float *dy)
{
    enum { NOTHING = 15, CALCIUM, ALONE, BUFFER, KINASE, PHOSPHATASE, KINDS };
    static const int kinds[21][3] = {
        {0, 1, CALCIUM}, {1, 2, CALCIUM},      {3, 4, CALCIUM},
        {4, 5, CALCIUM}, {0, 3, BUFFER},       {1, 4, BUFFER},
        {2, 5, BUFFER},  {6, 7, CALCIUM},      {9, 8, CALCIUM},
        {10, 9, 1},      {10, 8, 2},           {1, 6, KINASE},
        {2, 7, KINASE},  {7, 8, ALONE},        {8, 7, ALONE},
        {9, 6, ALONE},   {10, NOTHING, ALONE}, {PHOSPHATASE, 11, CALCIUM},
        {0, 12, 11},     {1, 13, 11},          {2, 14, 11},
    };
    static const float rates[21][2] = {
        {0.0016f, 0.01f},   {0.06f, 0.5f},     {0.0016f, 1e-4f}, {0.06f, 0.5f},
        {7e-6f, 1.4e-6f},   {7e-6f, 1.4e-8f},  {7e-6f, 1.4e-8f}, {0.06f, 0.00335f},
        {0.06f, 3.4e-6f},   {0.0657f, 0.328f}, {0.0657f, 2e-6f}, {0.0657f, 0.328f},
        {0.0657f, 0.0022f}, {5e-5f, 0.0f},     {1.4e-4f, 0.0f},  {1.4e-4f, 0.0f},
        {1.4e-4f, 0.0f},    {0.002f, 0.001f},  {0.046f, 0.538f}, {0.046f, 0.00326f},
        {0.046f, 1.3e-6f},
    };
    float x[KINDS], d[KINDS], squared = calcium * calcium;
    MYC_UNROLL
    for (int i = 0; i < 15; i++)
        x[i] = y[i];
    x[NOTHING] = 0;
    x[CALCIUM] = squared / (1.0f + squared / 9.0f); /* binding saturates */
    x[ALONE] = 1;
    x[BUFFER] = p[0] - x[3] - x[4] - x[5];
    x[KINASE] = p[1] - x[6] - x[7] - x[8] - x[9] - x[10];
    x[PHOSPHATASE] = p[2] - x[11] - x[12] - x[13] - x[14];
    MYC_UNROLL
    for (int i = 0; i < KINDS; i++)
        d[i] = 0;
    MYC_UNROLL
    for (int i = 0; i < 21; i++) {
        const int *k = kinds[i];
        float rate = rates[i][0] * x[k[0]] * x[k[2]] - rates[i][1] * x[k[1]];
        d[k[0]] -= rate;
        d[k[1]] += rate;
        d[k[2]] -= rate;
    }
    MYC_UNROLL
    for (int i = 0; i < 15; i++)
        dy[i] = d[i];
}

/* All equations at a time: dy of y. p: the parameters of the cell. */
MYC_FN void myc_derive(float time, const float *y, const float *p, float *dy)
{
    float phase = time - p[15] * (float)(int)(time / p[15]); /* p[15]: the cycle's length */
    MYC_UNROLL
    for (int i = 0; i < 3; i++)
        dy[MYC_NA + i] = dy[MYC_CA + i] = dy[MYC_UNUSED + i] = 0;
    dy[MYC_CA_STORE] = 0;
    myc_gates(y, dy);
    myc_buffers(y, dy);
    myc_store(y, dy);
    myc_concentrations(y, phase <= 5.0f ? 9.5f : 0.0f, dy);
    for (int place = 0; place < 3; place++)
        myc_calmodulin(y + MYC_CALMODULIN + 15 * place, p + 5 * place, 1e3f * y[MYC_CA + place],
                       dy + MYC_CALMODULIN + 15 * place);
}

#endif
