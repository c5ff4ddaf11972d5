/* Selections of floats: minima, maxima, and others that depend on the data. */
#include <stdint.h>

static float values[256];
static double wide[256];

__attribute__((noinline)) static float range(const float *x, int n) {
    float low = x[0], high = x[0];
    for (int i = 1; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    return high - low;
}

__attribute__((noinline)) static double clamped(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double v = x[i];
        v = v < -0.25 ? -0.25 : v;
        v = v > 0.75 ? 0.75 : v;
        sum += v;
    }
    return sum;
}

__attribute__((noinline)) static double chosen(const double *x, const float *y, int n) {
    double sum = 0;
    float other = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] > 0.1 ? x[n - 1 - i] : x[i] * 2;
        other += (i * 7 & 12) == 4 ? y[i] : y[n - 1 - i];
    }
    return sum + other;
}

uint64_t run(int rounds) {
    uint32_t seed = 1;
    for (int i = 0; i < 256; i++) {
        seed = seed * 1664525 + 1013904223;
        values[i] = (int32_t)seed / 2147483648.0f;
        wide[i] = (int32_t)(seed * 7) / 2147483648.0;
    }
    double sum = 0;
    for (int k = 0; k < rounds * 300; k++) {
        sum += range(values, 256) + clamped(wide, 256) + chosen(wide, values, 256);
        values[k & 255] = -values[k & 255];
        wide[k & 255] = -wide[k & 255];
    }
    return (uint64_t)(sum * 1024);
}
