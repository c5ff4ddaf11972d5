/* What AArch64 has and other machines have not, or not so: conditions made of two comparisons, shifted and extended operands, loops
   that become vectors, integers of two registers, frames of every size, checksums and ciphers. Prints what it finds. */
#include <arm_acle.h>
#include <arm_neon.h>
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

/* Comparisons of every type, in pairs. */
#define CONDITIONS(ty, name)                                                                                           \
    NOINLINE static int name##_both(ty a, ty b, ty c) { return a < b && b < c ? 1 : 2; }                               \
    NOINLINE static int name##_either(ty a, ty b, ty c) {                                                              \
        if (a == b || b >= c) return 3;                                                                                \
        return 4;                                                                                                      \
    }                                                                                                                  \
    NOINLINE static int name##_range(ty a, ty b) { return a >= (ty)'a' && a <= (ty)'z' && b != 7 ? a : b; }            \
    NOINLINE static int name##_negative(ty a, ty b) {                                                                  \
        if (a < (ty)-5 || b == (ty)-31 || a > (ty)20) return a * 3;                                                    \
        return b;                                                                                                      \
    }                                                                                                                  \
    NOINLINE static ty name##_value(ty a, ty b, ty c) { return (a > b && b > c) || a == c ? a : c; }                   \
    static void name##_all(void) {                                                                                     \
        unsigned h = 1;                                                                                                \
        for (int x = -40; x < 150; x += 3)                                                                             \
            for (int y = -33; y < 130; y += 7) {                                                                       \
                ty a = (ty)x, b = (ty)y, c = (ty)(x ^ y);                                                              \
                h = h * 31 + name##_both(a, b, c) + 2 * name##_either(a, b, c) + 3 * name##_range(a, b);               \
                h += 5 * name##_negative(a, b) + 7 * name##_value(a, b, c) + name##_both(a, a, c);                     \
            }                                                                                                          \
        printf("%s %u\n", #name, h);                                                                                   \
    }

CONDITIONS(int, i32)
CONDITIONS(unsigned, u32)
CONDITIONS(signed char, i8)
CONDITIONS(unsigned char, u8)
CONDITIONS(short, i16)
CONDITIONS(unsigned short, u16)
CONDITIONS(long, i64)
CONDITIONS(unsigned long, u64)

/* Loops over arrays. */
enum { N = 1003 };
static float fa[N], fb[N];
static double da[N];
static int ia[N], ib[N];
static uint8_t ba[N], bb[N];
static int16_t sa[N];
static uint64_t la[N];

NOINLINE static int larger(void) {
    int s = 0;
    for (int i = 0; i < N; i++) s += ia[i] > ib[i] ? ia[i] : ib[i];
    return s;
}
NOINLINE static unsigned differences(void) {
    unsigned s = 0;
    for (int i = 0; i < N; i++) s += ba[i] > bb[i] ? ba[i] - bb[i] : bb[i] - ba[i];
    return s;
}
NOINLINE static void narrowed(void) {
    for (int i = 0; i < N; i++) sa[i] = (int16_t)(ia[i] >> 3) + ba[i];
}
NOINLINE static double roots(void) {
    double s = 0;
    for (int i = 0; i < N; i++) s += sqrt(fabs(da[i]));
    return s;
}
NOINLINE static uint64_t bits(void) {
    uint64_t s = 0;
    for (int i = 0; i < N; i++)
        s ^= __builtin_popcountll(la[i]) + (la[i] << (i & 31)) + __builtin_bswap64(la[i]) + __builtin_clzll(la[i] | 1);
    return s;
}
NOINLINE static void converted(void) {
    for (int i = 0; i < N; i++) da[i] = (double)ia[i] / 7 + (float)la[i];
    for (int i = 0; i < N; i++) ia[i] = (int)fa[i] ^ (int)fb[i];
}
NOINLINE static void rotated(uint8_t *to, const uint8_t *from) {
    for (int i = 0; i < N / 3; i++) {
        to[3 * i] = from[3 * i + 2];
        to[3 * i + 1] = from[3 * i];
        to[3 * i + 2] = from[3 * i + 1];
    }
}

static void loops(void) {
    for (int i = 0; i < N; i++) {
        fa[i] = i * 0.5f;
        fb[i] = 100 - i;
        ia[i] = i * 7919 % 1000 - 500;
        ib[i] = i * 31 % 777 - 300;
        ba[i] = i * 13;
        bb[i] = i * 29;
        la[i] = (uint64_t)i * 0x9e3779b97f4a7c15u;
        da[i] = i - 500.25;
    }
    printf("%d %u %f %llx\n", larger(), differences(), roots(), (unsigned long long)bits());
    narrowed();
    converted();
    uint8_t to[N] = {0};
    rotated(to, ba);
    unsigned h = 0;
    for (int i = 0; i < N; i++) h = h * 31 + to[i] + ia[i] + sa[i] + (int)(da[i] * 1e-10);
    printf("%u\n", h);
}

/* Vectors. */
typedef int v4 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
typedef unsigned char b16 __attribute__((vector_size(16)));
typedef long l2 __attribute__((vector_size(16)));

NOINLINE static v4 words(v4 a, v4 b, f4 c) {
    v4 whole = __builtin_convertvector(c, v4);
    return ((a < b) & (a * b)) + (whole >> 2) - (a << b) + __builtin_shufflevector(a, b, 5, 0, 7, 2) / (b | 1);
}
NOINLINE static b16 bytes(b16 a, b16 b) {
    return __builtin_shufflevector(a, b, 1, 17, 3, 9, 31, 0, 2, 22, 7, 6, 5, 4, 30, 29, 1, 1) + (a > b) * b;
}
NOINLINE static l2 longs(l2 a, l2 b) { return a * b + (a > b) - (a >> 3); }

static void vectors(void) {
    v4 w = words((v4){1, -5, 7, 100}, (v4){3, 2, 1, 9}, (f4){1.5, -100.7, 3e5, 0});
    for (int i = 0; i < 4; i++) printf("%d ", w[i]);
    b16 a = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    b16 b = bytes(a, (b16){200, 1, 2, 3, 100, 5, 6, 7, 8, 90, 10, 110, 12, 130, 14, 15});
    for (int i = 0; i < 16; i++) printf("%d ", b[i]);
    l2 l = longs((l2){-77777777777, 5}, (l2){12345678912, -9});
    printf("%ld %ld\n", l[0], l[1]);
}

/* Integers of two registers. */
typedef unsigned __int128 u128;

NOINLINE static u128 wide(u128 a, u128 b, int n) {
    u128 signed_shift = (u128)((__int128)a >> (n & 63));
    return (a * b >> n) + (a << n) - (b >> (n + 1)) + (a > b ? a : b) + signed_shift + a / 3 + b % 1000;
}

static void wides(void) {
    u128 a = (u128)0x123456789abcdef << 64 | 0xfedcba9876543210, b = ((u128)77 << 70) + 12345;
    for (int n = 0; n < 126; n += 9) {
        u128 q = wide(a, b, n);
        printf("%llx%016llx ", (unsigned long long)(q >> 64), (unsigned long long)q);
    }
    puts("");
}

/* Frames, and values by value. */
struct large { long a, b, c; double d; };
struct floats { float x, y, z; };

NOINLINE static long large_frame(void) {
    char buffer[100000];
    memset(buffer, 7, sizeof buffer);
    long s = 0;
    for (int i = 0; i < 100000; i += 997) s += buffer[i] * i;
    volatile char more[40000];
    more[39999] = 3;
    more[5] = 2;
    return s + more[39999] + more[5];
}
NOINLINE static int dynamic_frame(int n) {
    int a[n], s = 0;
    for (int i = 0; i < n; i++) a[i] = i * i;
    for (int i = 0; i < n; i++) s += a[n - 1 - i] * i;
    return s;
}
NOINLINE static struct large by_reference(struct large x, int k) {
    x.a += k;
    x.d *= k;
    return x;
}
NOINLINE static struct floats in_registers(struct floats h) {
    h.x += h.y;
    return h;
}

static void frames(void) {
    printf("%ld %d %d ", large_frame(), dynamic_frame(50), dynamic_frame(2000));
    struct large l = by_reference((struct large){1, 2, 3, 4.5}, 3);
    struct floats f = in_registers((struct floats){1, 2, 3});
    printf("%ld %g %g %g\n", l.a, l.d, f.x, f.z);
}

static void numbers(void) {
    double complex z = csqrt(-2 + 3 * I) * (1.5 - I);
    volatile double half = 2.5, zero = -0.0;
    printf("%f %f %f %f ", creal(z), cimag(z), copysign(half, zero), fmin(half, NAN));
    printf("%d %d %d ", (int)floor(-half), (int)round(half), (int)rint(half));
    long double third = 1.0L / 3;
    __fp16 small = half;
    printf("%.30Lf %f\n", third * third + half, (float)small * 3.25f);
}

/* What the machine has beyond its baseline. */
__attribute__((target("crc"))) NOINLINE static unsigned checksum(unsigned c, const char *p) {
    while (*p) c = __crc32b(c, *p++);
    c = __crc32h(__crc32cd(c, 0x123456789abcdef), 999);
    return __crc32d(__crc32w(__crc32cb(c, 3), 77), c);
}

__attribute__((target("aes,sha2"))) NOINLINE static void ciphers(void) {
    uint8x16_t a = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    uint8x16_t k = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6};
    a = vaesmcq_u8(vaeseq_u8(a, k));
    k = vaesimcq_u8(vaesdq_u8(a, k));
    uint32x4_t h = vreinterpretq_u32_u8(veorq_u8(a, k)), g = vreinterpretq_u32_u8(k);
    h = vsha1cq_u32(h, vsha1h_u32(77), g);
    h = vsha1mq_u32(vsha1pq_u32(h, 5, g), 99, g);
    h = vsha256hq_u32(h, g, h);
    g = vsha256h2q_u32(g, h, g);
    h = vsha256su1q_u32(vsha256su0q_u32(h, g), g, g);
    h = vsha1su1q_u32(vsha1su0q_u32(h, g, h), g);
    uint32_t words[4];
    vst1q_u32(words, h);
    printf("%x %x %x %x\n", words[0], words[1], words[2], words[3]);
}

int main(void) {
    i32_all();
    u32_all();
    i8_all();
    u8_all();
    i16_all();
    u16_all();
    i64_all();
    u64_all();
    loops();
    vectors();
    wides();
    frames();
    numbers();
    printf("%u\n", checksum(5, "hello"));
    ciphers();
    return 0;
}
