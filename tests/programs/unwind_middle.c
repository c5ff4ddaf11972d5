/* The functions under test: each calls back in the middle of its work, with a frame of another kind. */
#include <stdarg.h>
#include <stddef.h>

struct big {
    long v[9];
};
struct pair {
    double x;
    long y;
};
typedef int callback(int);

int mid_plain(callback *f, int n) {
    return f(n) + 1;
}

int mid_registers(callback *f, const long *in) {
    long a = in[0], b = in[1], c = in[2], d = in[3], e = in[4], g = in[5], h = in[6], i = in[7], j = in[8];
    int r = f((int)(a % 1000));
    return (int)(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * g + 7 * h + 8 * i + 9 * j) + r;
}

/* Not a tail call, and the depth is kept over it. */
int mid_recursive(callback *f, int depth) {
    volatile int kept = depth;
    int r = depth ? mid_recursive(f, depth - 1) : f(depth + 7 * (kept == 0));
    return r + (kept > 1 << 30);
}

int mid_dynamic(callback *f, int n) {
    volatile char *p = __builtin_alloca((size_t)n * 16 + 1);
    p[0] = 3;
    p[n] = 4;
    char array[n + 1];
    for (int i = 0; i <= n; i++) array[i] = (char)i;
    int r = f(n);
    return r + p[0] + p[n] + array[n / 2];
}

int mid_large(callback *f, int n) {
    volatile char room[100000];
    room[0] = 1;
    room[sizeof room - 1] = 2;
    int r = f(n);
    return r + room[0] + room[sizeof room - 1];
}

int mid_arguments(callback *f, struct big a, struct pair b, int c, int d, int e, int g, int h, int i) {
    int r = f(c);
    return r + (int)(a.v[0] + a.v[8] + b.y) + (int)b.x + d + e + g + h + i;
}

struct big mid_returns(callback *f, int n) {
    struct big r = {{n, n + 1, n + 2, f(n), n + 4, n + 5, n + 6, n + 7, n + 8}};
    return r;
}

int mid_variadic(callback *f, int n, ...) {
    va_list list;
    va_start(list, n);
    int a = va_arg(list, int);
    double x = va_arg(list, double);
    long b = va_arg(list, long);
    int r = f(n);
    a += va_arg(list, int) + va_arg(list, int) + va_arg(list, int);
    x += va_arg(list, double);
    a += va_arg(list, int);
    va_end(list);
    return r + a + (int)b + (int)x;
}

int mid_aligned(callback *f, int n) {
    _Alignas(64) volatile int room[16];
    room[3] = n;
    int r = f(n);
    return r + room[3] + (int)((size_t)room % 64);
}

double mid_floats(callback *f, double x) {
    double y = x * 2, z = y + x;
    int r = f((int)x);
    return x + y * z + r;
}

int mid_loops(callback *f, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        if (i % 3 == 2) sum += f(i * 3 + 2);
    return sum + f(n);
}
