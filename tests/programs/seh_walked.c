/* Functions with all kinds of frames, for seh_walk.c. */
#include <stdarg.h>
typedef long long i64;
typedef double v2 __attribute__((vector_size(16)));

__attribute__((noinline)) i64 walked_leaf(i64 a, double b) { return a * 3 + (i64)b; }

__attribute__((noinline)) static i64 many(i64 a, i64 b, i64 c, i64 d, i64 e, i64 f, i64 g, i64 h) {
    return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8;
}

__attribute__((noinline)) i64 walked_calls(i64 a, double b) {
    i64 x = a * 3, y = a * 5, z = a * 7, w = a * 11, u = a * 13, v = a * 17, s = a * 19, t = a * 23;
    for (int i = 0; i < 2; i++)
        a += many(x, y, z, w, u, v, s, t) + walked_leaf(x ^ y, b) + x + y + z + w + u + v + s + t;
    return a;
}

__attribute__((noinline)) static i64 sum(const volatile char *p, i64 n) {
    i64 s = 0;
    for (i64 i = 0; i < n; i += 1013) s += p[i];
    return s;
}

__attribute__((noinline)) i64 walked_large(i64 a, double b) {
    volatile char room[9000];
    for (int i = 0; i < 9000; i += 1013) room[i] = (char)(a + i);
    return sum(room, 9000) + (i64)b;
}

__attribute__((noinline)) i64 walked_dynamic(i64 a, double b) {
    i64 r = 0;
    for (int i = 1; i < 3; i++) {
        volatile char room[a * 100 * i];
        for (i64 k = 0; k < a * 100 * i; k += 101) room[k] = (char)k;
        r += sum(room, a * 100 * i) + many(a, r, i, a, r, i, a, r);
    }
    return r + (i64)b;
}

__attribute__((noinline)) i64 walked_aligned(i64 a, double b) {
    _Alignas(64) volatile char room[64];
    for (int i = 0; i < 64; i++) room[i] = (char)(a + i);
    return sum(room, 64) + ((i64)room & 63) + (i64)b;
}

__attribute__((noinline)) static v2 vector(v2 x, double y) { return x * y + 1.0; }

__attribute__((noinline)) i64 walked_vectors(i64 a, double b) {
    double p = b + 1, q = b + 2, r = b + 3, s = b + 4, t = b + 5, u = b + 6;
    v2 x = {b, (double)a};
    for (int i = 0; i < 2; i++) {
        x = vector(x, p);
        p += q * x[0];
        q += r;
        r += s * x[1];
        s += t;
        t += u;
        u += 1;
    }
    return (i64)(p + q + r + s + t + u) % 1000003;
}

__attribute__((noinline)) static i64 total(int n, ...) {
    va_list list;
    i64 s = 0;
    va_start(list, n);
    for (int i = 0; i < n; i++) s += i % 2 ? (i64)va_arg(list, double) : va_arg(list, i64);
    va_end(list);
    return s;
}

__attribute__((noinline)) i64 walked_variadic(i64 a, double b) { return total(6, a, b, a * 2, b * 2, a * 3, b * 3); }

__attribute__((noinline)) i64 walked_switch(i64 a, double b) {
    switch (a) {
    case 1: return walked_leaf(a, b);
    case 2: return 7;
    case 3: return walked_leaf(a + 1, b) + 1;
    case 4: return 9;
    case 5: return walked_leaf(a + 2, b) + walked_leaf(a + 3, b);
    case 6: return 11;
    }
    return 0;
}
