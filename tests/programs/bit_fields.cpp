// Bit-fields in runs of 130 to 400 bits, which clang reads and writes as one integer, and integers of such widths.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define NI __attribute__((noinline))
typedef __int128 s128;
typedef unsigned __int128 u128;
static uint64_t state = 88172645463325252ull;
static uint64_t rnd(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }
static void dump(const char *what, const volatile void *p, size_t n) {
    printf("%s ", what);
    for (size_t i = 0; i < n; i++) printf("%02x", ((const volatile unsigned char *)p)[i]);
    puts("");
}

// Structs of four fields with these types and widths, plain and packed.
#define FIELDS(TA, A, TB, B, TC, C, TD, D) { TA a : A; TB b : B; TC c : C; TD d : D; unsigned char tail; }
#define STRUCTS(N, ...) struct plain##N FIELDS(__VA_ARGS__); struct __attribute__((packed)) packed##N FIELDS(__VA_ARGS__); \
    USES(plain##N) USES(packed##N)
#define USES(S) \
    NI void set_##S(struct S *p, long n) { p->a = n; p->b = n >> 3; p->c ^= n; p->d = (unsigned long)p->d + n; } \
    NI long get_##S(const struct S *p) { return (unsigned long)p->a * 3 + (unsigned long)p->b * 5 + (unsigned long)p->c * 7 + (unsigned long)p->d; } \
    NI int compare_##S(const struct S *p, const struct S *q) { return (p->a < q->a) + 2 * (p->b == q->b) + 4 * (p->c > q->c) + 8 * (p->d != q->d); } \
    NI void touch_##S(volatile struct S *p, long n) { p->b = n; p->c = (u128)p->c + 1; p->d = (u128)p->d - (u128)p->a; p->a; } \
    NI struct S by_value_##S(struct S x, long n) { x.c = n; x.d = x.b; return x; } \
    volatile struct S v_##S = { 1, -1, 5, -7, 9 }; \
    static void run_##S(void) { \
        struct S x, y; memset(&x, 0, sizeof x); memset(&y, 0, sizeof y); \
        dump(#S, &v_##S, sizeof v_##S); \
        for (int i = 0; i < 8; i++) { \
            set_##S(&x, rnd() >> (i * 7)); dump("set", &x, sizeof x); printf("get %ld\n", get_##S(&x)); \
            printf("compare %d %d\n", compare_##S(&x, &y), compare_##S(&x, &x)); \
            y = by_value_##S(x, rnd()); printf("value %ld\n", get_##S(&y)); \
            touch_##S(&v_##S, rnd()); dump("touch", &v_##S, sizeof v_##S); \
        } \
    }
STRUCTS(1, int, 21, long, 64, unsigned long, 50, int, 33 - 2)
STRUCTS(2, unsigned long, 63, long, 1, unsigned long, 64, long, 2)
STRUCTS(3, u128, 100, s128, 101, unsigned, 7, bool, 1)
STRUCTS(4, s128, 128, s128, 127, u128, 128, int, 17)
STRUCTS(5, unsigned char, 3, u128, 65, s128, 66, long, 60)
STRUCTS(6, long, 63, long, 63, long, 63, long, 63)

// Wide integers themselves: no divisions, and no loops that would be made of vectors of them.
#define WIDE(N) typedef _BitInt(N) s##N; typedef unsigned _BitInt(N) u##N; \
    s##N g##N[2] = { (s##N)-5, ((s##N)1 << (N - 2)) + 77 }; \
    NI u##N arithmetic##N(u##N a, u##N b) { return a + b * a - (b ^ a) - (a & ~b); } \
    NI u##N shift##N(s##N a, unsigned n) { return (u##N)(a >> (n % N)) ^ ((u##N)a << (n * 7 % N)); } \
    NI u##N rotate##N(u##N a, unsigned n) { return (a >> (n % N)) | (a << ((N - n % N) % N)) | (a >> 67) | (a << (N - 67)); } \
    NI int order##N(s##N a, s##N b, u##N c, u##N d) { return (a < b) + 2 * (a >= b) + 4 * (c < d) + 8 * (c <= d) + 16 * (a == b) + 32 * (a > 17); } \
    NI u##N choose##N(u##N a, u##N b, int n) { u##N r = 0; while (n-- > 0) { r += n & 1 ? a : b; if ((s##N)r < 0) r = -r; } return r; } \
    NI int overflow##N(s##N a, s##N b, s##N *r, u##N *u) { \
        s##N t; int k = __builtin_add_overflow(a, b, r) + 2 * __builtin_sub_overflow(a, b, &t); *r ^= t; \
        k += 4 * __builtin_add_overflow((u##N)a, (u##N)b, u); u##N w; k += 8 * __builtin_sub_overflow((u##N)a, (u##N)b, &w); *u ^= w; return k; } \
    NI u##N many##N(long x, u##N a, char y, u##N b, u##N c) { return a - b + c * x + y + g##N[x & 1]; } \
    static void show##N(const char *what, u##N x) { dump(what, &x, (N + 7) / 8); } \
    static s##N random##N(int i) { u##N x = 0; _Pragma("nounroll") for (int k = 0; k < N; k += 61) x = x << 61 ^ rnd(); return i % 3 ? (s##N)x : (s##N)x >> (i * 11 % N); } \
    static void run##N(void) { \
        dump("g" #N, g##N, N / 8); \
        for (int i = 0; i < 12; i++) { \
            s##N a = random##N(i), b = i % 5 ? random##N(i + 1) : a, r; u##N u; \
            show##N("arithmetic", arithmetic##N(a, b)); show##N("shift", shift##N(a, i * 37)); show##N("rotate", rotate##N(a, i * 29)); \
            printf("order %d\n", order##N(a, b, a, b)); show##N("choose", choose##N(a, b, i)); \
            printf("overflow %d\n", overflow##N(a, b, &r, &u)); show##N("r", r); show##N("u", u); show##N("many", many##N(i, a, 3, b, a ^ b)); \
        } \
    }
WIDE(129) WIDE(168) WIDE(192) WIDE(200) WIDE(256) WIDE(333)

// Mixed signs: clang computes these in 129 bits.
NI int mixed(u128 a, s128 b, s128 *r, u128 *u, long *n) {
    return __builtin_mul_overflow(a, b, r) + 2 * __builtin_mul_overflow(a, b, u) + 4 * __builtin_add_overflow(a, b, r + 1) +
           8 * __builtin_sub_overflow(a, b, u + 1) + 16 * __builtin_mul_overflow(a, b, n);
}
int main() {
    run_plain1(); run_packed1(); run_plain2(); run_packed2(); run_plain3(); run_packed3();
    run_plain4(); run_packed4(); run_plain5(); run_packed5(); run_plain6(); run_packed6();
    run129(); run168(); run192(); run200(); run256(); run333();
    for (int i = 0; i < 40; i++) {
        u128 a = ((u128)rnd() << 64 | rnd()) >> (i * 3), u[2] = {}; s128 b = (s128)((u128)rnd() << 64 | rnd()) >> (127 - i * 3), r[2] = {};
        long n = 0;
        printf("mixed %d\n", mixed(a, b, r, u, &n)); dump("r", r, sizeof r); dump("u", u, sizeof u); dump("n", &n, sizeof n);
    }
}
