/* The fast transformation of Fourier, there and back; and a product of numbers by it. */

#include <math.h>

#include "program.h"

enum { N = 2048 };

struct complex { double re, im; };

static struct complex roots[N / 2];

static struct complex product(struct complex a, struct complex b) {
    return (struct complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* The root of the half angle, from -1 on: no sine is needed. */
static void prepare(void) {
    double c = -1, s = 0;
    roots[0] = (struct complex){1, 0};
    for (int step = N / 4; step >= 1; step /= 2) {
        double half = sqrt((1 + c) / 2);
        s = c == -1 ? 1 : s / (2 * half);
        c = c == -1 ? 0 : half;
        struct complex w = {c, s};
        for (int i = step; i < N / 2; i += 2 * step)
            roots[i] = product(roots[i - step], w);
    }
}

static void transform(struct complex *v, int back) {
    for (int i = 1, j = 0; i < N; i++) {
        int bit = N / 2;
        for (; j & bit; bit /= 2)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            struct complex x = v[i];
            v[i] = v[j];
            v[j] = x;
        }
    }
    for (int half = 1; half < N; half *= 2)
        for (int start = 0; start < N; start += 2 * half)
            for (int k = 0; k < half; k++) {
                struct complex w = roots[k * (N / 2 / half)], *a = &v[start + k], *b = a + half;
                if (back)
                    w.im = -w.im;
                struct complex x = product(*b, w);
                *b = (struct complex){a->re - x.re, a->im - x.im};
                *a = (struct complex){a->re + x.re, a->im + x.im};
            }
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv), good = 1;
    static struct complex v[N], w[N];
    static double before[N];
    uint32_t state = 11;
    uint64_t sum = 0;
    prepare();
    for (int round = 0; round < rounds * 4; round++) {
        for (int i = 0; i < N; i++) {
            before[i] = next_random(&state) & 255;
            v[i] = (struct complex){before[i], 0};
            w[i] = (struct complex){i == 3, 0};
        }
        transform(v, 0);
        transform(w, 0);
        for (int i = 0; i < N; i++)
            v[i] = product(v[i], w[i]);
        transform(v, 1);
        /* By the product all are three places further. */
        for (int i = 0; i < N; i++) {
            good &= fabs(v[(i + 3) % N].re / N - before[i]) < 1e-6;
            sum = mixed(sum, (uint64_t)(int64_t)floor(v[i].re / N + 0.5));
        }
    }
    return finished("fft", sum, good);
}
