/* A system of equations whose matrix is sparse, in rows: solved by conjugate gradients, and the remainder is small. */

#include <math.h>

#include "program.h"

enum { SIDE = 40, N = SIDE * SIDE, MOST = 5 * N };

static int starts[N + 1], columns[MOST];
static double values[MOST], x[N], r[N], p[N], q[N], b[N];

static void put(int *at, int column, double value) {
    columns[*at] = column;
    values[(*at)++] = value;
}

/* Each point of a grid and its neighbours. */
static void build(double middle) {
    int at = 0;
    for (int i = 0; i < N; i++) {
        starts[i] = at;
        if (i >= SIDE)
            put(&at, i - SIDE, -1);
        if (i % SIDE)
            put(&at, i - 1, -1);
        put(&at, i, middle);
        if (i % SIDE != SIDE - 1)
            put(&at, i + 1, -1);
        if (i + SIDE < N)
            put(&at, i + SIDE, -1);
    }
    starts[N] = at;
}

static void multiply(const double *v, double *out) {
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int k = starts[i]; k < starts[i + 1]; k++)
            sum += values[k] * v[columns[k]];
        out[i] = sum;
    }
}

static double dot(const double *a, const double *c) {
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i] * c[i];
    return sum;
}

static int solve(void) {
    memset(x, 0, sizeof x);
    memcpy(r, b, sizeof r);
    memcpy(p, b, sizeof p);
    double rest = dot(r, r);
    int steps = 0;
    for (; rest > 1e-16 && steps < 200; steps++) {
        multiply(p, q);
        double alpha = rest / dot(p, q), before = rest;
        for (int i = 0; i < N; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rest = dot(r, r);
        for (int i = 0; i < N; i++)
            p[i] = r[i] + rest / before * p[i];
    }
    return steps;
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv), good = 1;
    uint32_t state = 71;
    uint64_t sum = 0;
    for (int i = 0; i < N; i++)
        b[i] = (next_random(&state) & 255) / 256.0;
    for (int round = 0; round < rounds; round++) {
        build(4.1 + round % 5 * 0.1);
        sum = mixed(sum, (uint64_t)solve());
        multiply(x, q);
        for (int i = 0; i < N; i++)
            good &= fabs(q[i] - b[i]) < 1e-6;
        sum = mixed(sum, bits_of(x[round % N]));
    }
    return finished("sparse", sum, good);
}
