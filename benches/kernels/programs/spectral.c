/* The norm of an endless matrix, cut: known to some digits. */

#include <math.h>

#include "program.h"

enum { N = 100, ROUNDS = 10 };

static double entry(int i, int j) { return 1.0 / ((i + j) * (i + j + 1) / 2 + i + 1); }

static void times(const double *v, double *out) {
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++)
            sum += entry(i, j) * v[j];
        out[i] = sum;
    }
}

static void times_transposed(const double *v, double *out) {
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++)
            sum += entry(j, i) * v[j];
        out[i] = sum;
    }
}

static double norm(void) {
    double u[N], v[N], t[N], uv = 0, vv = 0;
    for (int i = 0; i < N; i++)
        u[i] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        times(u, t);
        times_transposed(t, v);
        times(v, t);
        times_transposed(t, u);
    }
    for (int i = 0; i < N; i++) {
        uv += u[i] * v[i];
        vv += v[i] * v[i];
    }
    return sqrt(uv / vv);
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv), good = 1;
    uint64_t sum = 0;
    for (int round = 0; round < rounds; round++) {
        double n = norm();
        good &= fabs(n - 1.274219991) < 1e-9;
        sum = mixed(sum, bits_of(n));
    }
    return finished("spectral", sum, good);
}
