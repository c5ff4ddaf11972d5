/* Calls every function of the table, by both compilers, with the same arguments: edge values and random ones. Results are
   compared lane by lane, bit by bit; what is no number is like any other such value. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A lane of an operand or result: where it is, its width, and what it is filled with or compared as (see `fill`). */
struct lane { unsigned short at; unsigned short bits; char kind; };
struct entry { const char *name; const struct lane *in, *out; void (*ours)(void *, void *), (*theirs)(void *, void *); };
extern const struct entry table[];

static uint64_t state = 88172645463325252u;
static uint64_t next(void) {
    state ^= state << 13; state ^= state >> 7; state ^= state << 17;
    return state * 2685821657736338717u;
}

static uint64_t word(void) {
    static const uint64_t edges[] = { 0, 1, 2, 3, ~0ull, ~1ull, 1ull << 63, (1ull << 63) - 1, 0xffffffff, 0x7fffffff, 0x80000000, 0x80000001,
        0x7fff, 0x8000, 0x7f, 0x80, 0xff, 0x100, 1ull << 62 };
    switch (next() % 4) {
    case 0: return edges[next() % (sizeof edges / sizeof *edges)];
    case 1: return next() >> (next() % 64);
    case 2: return -(next() >> (next() % 64));
    default: return next();
    }
}

static double number(void) {
    static const double edges[] = { 0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, 1e-3, 1e10, -1e10, 1e38, -1e38, 1e-40, 65504, 2e-8, 0.9999999,
        __builtin_inf(), -__builtin_inf(), __builtin_nan(""), 3.14159265358979, -3.14159265358979, 88.5, -88.5, 710, 1e300, 4e-310 };
    switch (next() % 4) {
    case 0: return edges[next() % (sizeof edges / sizeof *edges)];
    case 1: return (double)(int64_t)next() / (1ull << 63);
    case 2: return (double)(int64_t)next() / (1ull << (next() % 64));
    default: return (double)(int64_t)(next() % 2001 - 1000) / 8;
    }
}

/* The formats that C compilers do not all have, from `float`, cut. */
static uint64_t narrow(double x, char kind) {
    float f = x; uint32_t n;
    memcpy(&n, &f, 4);
    if (kind == 'b') return x != x ? 0x7fc0 : n >> 16;
    if (x != x) return 0x7e00;
    uint32_t sign = n >> 16 & 0x8000; int32_t e = (int32_t)(n >> 23 & 0xff) - 112; uint32_t m = n & 0x7fffff;
    if (e >= 31) return sign | 0x7c00;
    if (e <= 0) return e < -10 ? sign : sign | (m | 0x800000) >> (14 - e);
    return sign | (uint32_t)e << 10 | m >> 13;
}

/* i an integer, n one other than 0, m one other than the least, l one of half the magnitude, s less than the width, e between -4 and 11; f a number, h one of
   16 bits, b a `bfloat`, and in capital letters such ones between -100 and 100; + the same from 0 on.
   Of results in capital letters, zeros of both signs are alike. */
static void fill(unsigned char *p, struct lane l, int plus) {
    uint64_t w[2] = { word(), word() };
    uint64_t mask = l.bits >= 64 ? ~0ull : (1ull << l.bits) - 1;
    double x = number();
    if (l.kind >= 'A' && l.kind <= 'Z') { x = (double)(int64_t)next() / (1ull << 63) * 100; if (plus && x < 0) x = -x; }
    float f = x;
    switch (l.kind | 0x20) {
    case 'n': if (!(w[0] & mask)) w[0] = 1; break;
    case 'm': if ((w[0] & mask) == 1ull << ((l.bits - 1) & 63)) w[0] ^= 1; if (l.bits == 128) w[1] >>= 2; break;
    case 'l':
        if (l.bits == 128) w[1] = (int64_t)w[1] >> 1;
        else w[0] = (uint64_t)((int64_t)(w[0] << (64 - l.bits)) >> 1 >> (64 - l.bits));
        break;
    case 's': w[0] = next() % l.bits; w[1] = 0; break;
    case 'e': w[0] = next() % 16 - 4; w[1] = (int64_t)w[0] >> 63; break;
    case 'f': if (l.bits == 32) { uint32_t n; memcpy(&n, &f, 4); w[0] = n; } else memcpy(w, &x, 8); break;
    case 'h': case 'b': w[0] = narrow(x, l.kind | 0x20); break;
    }
    w[0] &= mask;
    memcpy(p + l.at, w, (l.bits + 7) / 8);
}

static int is_nan(uint64_t w, struct lane l) {
    int mantissa = (l.kind | 0x20) == 'h' ? 10 : (l.kind | 0x20) == 'b' ? 7 : l.bits == 32 ? 23 : 52;
    uint64_t whole = l.bits == 64 ? ~0ull : (1ull << l.bits) - 1, inf = (whole >> 1) & ~((1ull << mantissa) - 1);
    return l.kind != 'i' && (w & (whole >> 1)) > inf;
}

static int same(const unsigned char *a, const unsigned char *b, struct lane l) {
    uint64_t v[2] = { 0 }, w[2] = { 0 };
    memcpy(v, a + l.at, (l.bits + 7) / 8);
    memcpy(w, b + l.at, (l.bits + 7) / 8);
    uint64_t sign = 1ull << ((l.bits - 1) & 63);
    if (l.kind >= 'A' && l.kind <= 'Z' && !((v[0] | w[0]) & ~sign)) return 1;
    return (v[0] == w[0] && v[1] == w[1]) || (is_nan(v[0], l) && is_nan(w[0], l));
}

static void show(const char *what, const unsigned char *p, const struct lane *l) {
    printf("  %s", what);
    for (; l->bits; l++) {
        printf(" ");
        for (int j = (l->bits + 7) / 8; j-- > 0;) printf("%02x", p[l->at + j]);
    }
    printf("\n");
}

/* What LLVM calls for bfloat; older libraries do not have it. */
#if defined __x86_64__
__attribute__((weak)) __bf16 __truncsfbf2(float x) {
    uint32_t n; memcpy(&n, &x, 4);
    uint16_t h = x != x ? n >> 16 | 0x40 : (n + 0x7fff + (n >> 16 & 1)) >> 16;
    __bf16 r; memcpy(&r, &h, 2); return r;
}
__attribute__((weak)) __bf16 __truncdfbf2(double x) {
    float f = x; uint32_t n; memcpy(&n, &f, 4);
    if (f == f && (double)f != x) n = (n - (__builtin_fabs(f) > __builtin_fabs(x))) | 1;
    memcpy(&f, &n, 4); return __truncsfbf2(f);
}
#endif

static unsigned char in[4096] __attribute__((aligned(64))), o1[4096] __attribute__((aligned(64))), o2[4096] __attribute__((aligned(64)));

int main(void) {
    int failures = 0;
    for (const struct entry *e = table; e->name; e++) {
        for (int round = 0; round < ROUNDS; round++) {
            for (const struct lane *l = e->in; l->bits; l++) fill(in, *l, e->name[0] == '+');
            if (next() % 5 == 0 && e->in[0].bits) {
                /* Equal operands. */
                for (const struct lane *l = e->in; l->bits; l++)
                    if (l->kind == e->in[0].kind && l->bits == e->in[0].bits) memcpy(in + l->at, in + e->in[0].at, (l->bits + 7) / 8);
            }
            memset(o1, 0xa5, sizeof o1);
            memset(o2, 0xa5, sizeof o2);
            e->theirs(o2, in);
            e->ours(o1, in);
            const struct lane *l = e->out;
            while (l->bits && same(o1, o2, *l)) l++;
            if (l->bits) {
                printf("%s differs\n", e->name);
                show("operands:", in, e->in);
                show("ours:    ", o1, e->out);
                show("theirs:  ", o2, e->out);
                failures++;
                break;
            }
        }
    }
    return failures > 0;
}
