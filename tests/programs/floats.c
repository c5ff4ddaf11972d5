/* Floating point in every place where C has it: arguments, results, structs, lists, loops, conversions, atomics. What it
   prints is the same wherever each operation is rounded to its type, and no product or sum happens to lie half-way. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL __attribute__((noinline))

struct mixed { double a; float b; double c[3]; };
struct pair { float x, y; };
struct one_double { double x; };
struct one_float { float x; };
struct extended { long double l; double d; };

CALL static double sum(int n, ...) {
    va_list list;
    va_start(list, n);
    double total = 0;
    for (int i = 0; i < n; i++) {
        switch (i % 3) {
        case 0: total += va_arg(list, double); break;
        case 1: total += va_arg(list, int); break;
        default: total += (double)va_arg(list, long double);
        }
    }
    va_end(list);
    return total;
}

CALL static struct pair turned(struct pair v, float c, float s) {
    return (struct pair){ v.x * c - v.y * s, v.x * s + v.y * c };
}

CALL static struct one_double added(struct one_double a, struct one_float b) { return (struct one_double){ a.x + b.x }; }
CALL static struct one_float tripled(struct one_float a) { return (struct one_float){ a.x * 3 }; }

CALL static struct extended multiplied(struct extended e) {
    e.l *= e.d;
    e.d += 1;
    return e;
}

CALL static struct mixed scaled(struct mixed m, int k) {
    for (int i = 0; i < 3; i++) m.c[i] = m.c[i] * k + m.a;
    m.b = -m.b;
    return m;
}

CALL static double complex quotient(double complex a, double complex b) { return a * b + conj(a) / b; }
CALL static float complex product(float complex a, float complex b) { return a * b - a; }
CALL static long double complex square(long double complex a) { return a * a; }

/* Bodies that attract each other. */
CALL static double bodies(int rounds) {
    double place[5][3], speed[5][3], mass[5];
    unsigned state = 12345;
    for (int i = 0; i < 5; i++) {
        mass[i] = 1 + i * .5;
        for (int k = 0; k < 3; k++) {
            state = state * 1103515245 + 12345;
            place[i][k] = (double)(state >> 8) / (1 << 24) * 10;
            speed[i][k] = 0;
        }
    }
    for (int t = 0; t < rounds; t++) {
        for (int i = 0; i < 5; i++) {
            for (int j = i + 1; j < 5; j++) {
                double d[3], r = 0.01;
                for (int k = 0; k < 3; k++) {
                    d[k] = place[i][k] - place[j][k];
                    r += d[k] * d[k];
                }
                double pull = 0.001 / (r * sqrt(r));
                for (int k = 0; k < 3; k++) {
                    speed[i][k] -= d[k] * mass[j] * pull;
                    speed[j][k] += d[k] * mass[i] * pull;
                }
            }
        }
        for (int i = 0; i < 5; i++)
            for (int k = 0; k < 3; k++) place[i][k] += 0.001 * speed[i][k];
    }
    double result = 0;
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 3; k++) result += place[i][k] * (k + 1);
    return result;
}

CALL static int escapes(float cr, float ci) {
    float r = 0, i = 0;
    int n = 0;
    while (n < 200 && r * r + i * i < 4) {
        float next = r * r - i * i + cr;
        i = 2 * r * i + ci;
        r = next;
        n++;
    }
    return n;
}

CALL static void fourier(double *re, double *im, int n) {
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            double t = re[i];
            re[i] = re[j], re[j] = t;
            t = im[i];
            im[i] = im[j], im[j] = t;
        }
    }
    for (int length = 2; length <= n; length <<= 1) {
        double angle = 2 * M_PI / length, wr = cos(angle), wi = sin(angle);
        for (int i = 0; i < n; i += length) {
            double cr = 1, ci = 0;
            for (int k = i; k < i + length / 2; k++) {
                int l = k + length / 2;
                double ur = re[k], ui = im[k], xr = re[l] * cr - im[l] * ci, xi = re[l] * ci + im[l] * cr;
                re[k] = ur + xr, im[k] = ui + xi;
                re[l] = ur - xr, im[l] = ui - xi;
                double t = cr * wr - ci * wi;
                ci = cr * wi + ci * wr;
                cr = t;
            }
        }
    }
}

static int order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static jmp_buf out;
static volatile double kept = 1.25;
CALL static double leaves(double x) {
    if (x > 2) longjmp(out, (int)x);
    return x;
}

CALL static double chosen(int k, double a, double b) {
    switch (k) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / b;
    case 4: return fmod(a, b);
    case 5: return pow(a, b);
    case 6: return atan2(a, b);
    case 7: return hypot(a, b);
    default: return NAN;
    }
}

/* More values that live through a loop than there are registers of any kind, exchanged on its edge. */
CALL static double rotated(int n, double a, double b, float c, float d, double e) {
    long long sum = 0;
    for (int i = 0; i < n; i++) {
        double t = a;
        a = b, b = e, e = t + 1;
        float u = c;
        c = d, d = u;
        sum += (long long)(a * 8) ^ (int)c;
    }
    return a + 2 * b + 4 * e + c / 8 + d / 16 + (double)sum;
}

static _Atomic double atomic_double;
static _Atomic float atomic_float;
static _Atomic int64_t atomic_wide;

int main(void) {
    printf("%.17g\n", sum(9, 1.5, 2, 3.25L, 4.5, 5, 6.125L, -7.5, 8, 9.0L));
    struct pair v = turned((struct pair){ 1, 2 }, .8f, .6f);
    printf("%a %a\n", v.x, v.y);
    printf("%a %a\n", added((struct one_double){ 1.5 }, (struct one_float){ 2.25f }).x, tripled((struct one_float){ 1.1f }).x);
    struct extended e = multiplied((struct extended){ 1.5L, 3 });
    printf("%La %a\n", e.l, e.d);
    struct mixed m = scaled((struct mixed){ 1, 2, { 3, 4, 5 } }, 7);
    printf("%g %g %g %g %g\n", m.a, m.b, m.c[0], m.c[1], m.c[2]);
    double complex q = quotient(1 + 2 * I, 3 - 4 * I);
    float complex p = product(1 + 2 * I, 3 - 4 * I);
    long double complex s = square(1.5L + 2.5L * I);
    printf("%a %a %a %a %La %La\n", creal(q), cimag(q), crealf(p), cimagf(p), creall(s), cimagl(s));
    printf("%.8g\n", bodies(200));
    int steps = 0;
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 20; x++) steps += escapes(-2 + x * .13f, -1.2f + y * .12f);
    printf("%d\n", steps / 40);
    double re[64], im[64];
    for (int i = 0; i < 64; i++) re[i] = i % 7, im[i] = 0;
    fourier(re, im, 64);
    for (int i = 0; i < 64; i += 9) printf("%.9g %.9g\n", re[i], im[i]);
    double list[200];
    unsigned state = 1;
    for (int i = 0; i < 200; i++) {
        state = state * 1664525 + 1013904223;
        list[i] = (int)state / 1e6;
    }
    qsort(list, 200, 8, order);
    for (int i = 0; i < 200; i += 37) printf("%.12g ", list[i]);
    int jumped = setjmp(out);
    if (jumped) {
        printf("jumped %d %g\n", jumped, kept);
    } else {
        printf("%g\n", leaves(kept));
        leaves(7.5);
    }
    printf("%.17g\n", rotated(13, 1.5, -2.25, 3.5f, -9.75f, 100));
    atomic_double = 1.5;
    for (int i = 0; i < 10; i++) atomic_double += i;
    atomic_float = 2;
    atomic_float *= 3;
    atomic_float -= .5f;
    atomic_wide = 1LL << 40;
    atomic_wide += 5;
    printf("%g %g %lld\n", (double)atomic_double, (double)atomic_float, (long long)atomic_wide);
    for (int k = 0; k < 9; k++) printf("%.12g ", chosen(k, 5.5, 2.25));
    printf("\n");
    for (int i = 0; i < 8; i++) {
        double x = ldexp(1.7, i * 9 - 20) * (i & 1 ? -1 : 1);
        printf("%d %lld %u ", (int)fmod(x, 2e9), (long long)x, (unsigned)fabs(fmod(x, 4e9)));
        printf("%llu %d %g ", (unsigned long long)fabs(x), (signed char)fmod(x, 100), floor(x));
        printf("%.9g\n", (float)x);
    }
    for (int i = 1; i < 7; i++) {
        uint64_t u = 0x9e3779b97f4a7c15u * i;
        printf("%.17g %.9g %.17g ", (double)u, (float)u, (double)(int64_t)u);
        printf("%.9g %.9g\n", (float)(unsigned)u, (float)(short)u);
    }
    /* A signalling NaN stays one where it is only copied. */
    union bits { double d; uint64_t n; } from = { .n = 0x7ff0000000000123 }, copies[3];
    for (int i = 0; i < 3; i++) copies[i].d = from.d;
    printf("%llx\n", (unsigned long long)copies[2].n);
    volatile double nan = NAN, inf = INFINITY, tiny = 1e-310, zero = -0.0;
    printf("%d%d%d", isnan(nan), isinf(inf), signbit(zero) != 0);
    printf("%d%d%d%d\n", fmin(1, nan) == 1, fpclassify(tiny) == FP_SUBNORMAL, isgreater(1., nan), nan != nan);
    volatile double half = 2.5;
    printf("%g %g %g %g %g\n", round(half), rint(half), nearbyint(half + 1), trunc(-half), ceil(-half));
    char text[40];
    snprintf(text, sizeof text, "%.3f", strtod("3.14159", 0) * 2);
    puts(text);
    return 0;
}
