/* Products of square matrices, as one writes them and in blocks: both must give the same, since the order of sums is the same. */

#include "program.h"

enum { N = 112, BLOCK = 16 };

static double a[N][N], b[N][N], plain[N][N], blocked[N][N];

static void multiply(double (*out)[N], double (*x)[N], double (*y)[N]) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += x[i][k] * y[k][j];
            out[i][j] = sum;
        }
}

static void multiply_blocks(double (*out)[N], double (*x)[N], double (*y)[N]) {
    memset(out, 0, sizeof(double[N][N]));
    for (int kk = 0; kk < N; kk += BLOCK)
        for (int i = 0; i < N; i++)
            for (int k = kk; k < kk + BLOCK; k++) {
                double factor = x[i][k];
                for (int j = 0; j < N; j++)
                    out[i][j] += factor * y[k][j];
            }
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv), good = 1;
    uint32_t state = 1;
    uint64_t sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (next_random(&state) & 1023) / 1024.0;
            b[i][j] = (next_random(&state) & 1023) / 1024.0;
        }
    for (int round = 0; round < rounds; round++) {
        multiply(plain, a, b);
        multiply_blocks(blocked, a, b);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                good &= plain[i][j] == blocked[i][j];
        sum = mixed(sum, bits_of(plain[round % N][3]));
        a[round % N][round % 7] += 0.5;
    }
    return finished("matrix", sum, good);
}
