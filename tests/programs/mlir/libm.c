/* Compares what libm.mlir's calls of complex functions give with what C's do. */
#include <complex.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    float re, im;
} Pair32;
typedef struct {
    double re, im;
} Pair64;

void _mlir_ciface_power32(Pair32 *, float, float, float, float);
void _mlir_ciface_power64(Pair64 *, double, double, double, double);
void _mlir_ciface_root32(Pair32 *, float, float);
double _mlir_ciface_size64(double, double);
float _mlir_ciface_size32(float, float);

static int wrong;
static void same(const void *a, const void *b, size_t size) { wrong += memcmp(a, b, size) != 0; }

int main(void) {
    for (int i = 1; i < 40; i++) {
        float a = (float)i / 3, b = 2 - (float)i / 7, c = (float)i / 11 - 1, d = 1 / (float)i;
        float _Complex x = a + b * I, y = c + d * I, z = cpowf(x, y);
        Pair32 pair;
        _mlir_ciface_power32(&pair, a, b, c, d);
        same(&pair, &z, sizeof z);
        z = ctanhf(csqrtf(x));
        _mlir_ciface_root32(&pair, a, b);
        same(&pair, &z, sizeof z);
        double _Complex u = (double)a + (double)b * I, v = (double)c + (double)d * I, w = cpow(u, v);
        Pair64 wide;
        _mlir_ciface_power64(&wide, a, b, c, d);
        same(&wide, &w, sizeof w);
        double size = cabs(u) + carg(u), given = _mlir_ciface_size64(a, b);
        same(&size, &given, sizeof size);
        float small = cabsf(x), found = _mlir_ciface_size32(a, b);
        same(&small, &found, sizeof small);
    }
    printf("%d wrong\n", wrong);
    return 0;
}
