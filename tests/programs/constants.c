/* Operations with constants that are others in the end: quotients and remainders, minima and selections, fills with a byte that is
   computed, zeros of numbers that are not 0, set bits of vectors. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t seed = 88172645463325252u;

static uint64_t next(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed >> (seed & 63);
}

#define QUOTIENTS(T, d)                                                                                                \
    __attribute__((noinline)) static uint64_t T##_by_##d(T x) { return (uint64_t)(x / (T)(d)) * 1000003 + (uint64_t)(x % (T)(d)); } \
    __attribute__((noinline)) static uint64_t T##_by_minus_##d(T x) { return (uint64_t)(x / (T)-(T)(d)) * 1000003 + (uint64_t)(x % (T)-(T)(d)); }
#define OF_TYPE(T)                                                                                                     \
    QUOTIENTS(T, 2) QUOTIENTS(T, 3) QUOTIENTS(T, 5) QUOTIENTS(T, 6) QUOTIENTS(T, 7) QUOTIENTS(T, 8) QUOTIENTS(T, 10)   \
    QUOTIENTS(T, 14) QUOTIENTS(T, 25) QUOTIENTS(T, 28) QUOTIENTS(T, 60) QUOTIENTS(T, 64) QUOTIENTS(T, 100) QUOTIENTS(T, 127) \
    __attribute__((noinline)) static uint64_t T##_all(T x) {                                                           \
        uint64_t sum = 0;                                                                                              \
        ADD(T, 2) ADD(T, 3) ADD(T, 5) ADD(T, 6) ADD(T, 7) ADD(T, 8) ADD(T, 10) ADD(T, 14) ADD(T, 25) ADD(T, 28)        \
        ADD(T, 60) ADD(T, 64) ADD(T, 100) ADD(T, 127) return sum;                                                      \
    }
#define ADD(T, d) sum = sum * 31 + T##_by_##d(x) + 7 * T##_by_minus_##d(x);
OF_TYPE(int8_t) OF_TYPE(uint8_t) OF_TYPE(int16_t) OF_TYPE(uint16_t) OF_TYPE(int32_t) OF_TYPE(uint32_t) OF_TYPE(int64_t) OF_TYPE(uint64_t)

__attribute__((noinline)) static int32_t large(int32_t x) { return x / 1000000007 + x % 146097 + x / 65536 % 1461; }
__attribute__((noinline)) static uint64_t larger(uint64_t x) { return x / 10000000000000000000u + x % 6700417 + x / 0xaaaaaaab; }

__attribute__((noinline)) static double least(double a, double b) { return a < b ? a : b; }
__attribute__((noinline)) static float most(float a, float b) { return a > b ? a : b; }
__attribute__((noinline)) static float not_below(float a, float b) { return a >= b ? a : b; }
__attribute__((noinline)) static double limited(double a) { return a < -0.5 ? -0.5 : a > 0.75 ? 0.75 : a; }
__attribute__((noinline)) static double chosen(double a, double b, float c, float d) { return (c < d ? a : b) + (a == b ? c : d); }
__attribute__((noinline)) static float by_number(int n, float a, float b) { return n & 4 ? a : b; }

__attribute__((noinline)) static void fill(unsigned char *p, int byte) {
    memset(p, byte, 1);
    memset(p + 1, byte + 1, 7);
    memset(p + 8, byte + 2, 8);
    memset(p + 16, byte + 3, 15);
    memset(p + 31, byte + 4, 33);
}

__attribute__((noinline)) static unsigned zeros(uint32_t n, uint64_t w) {
    unsigned count = 0;
    if (n)
        count = (unsigned)(__builtin_ctz(n) * 3 + __builtin_clz(n) * 5);
    if (w)
        count += (unsigned)(__builtin_ctzll(w) * 7 + __builtin_clzll(w) * 11);
    if ((uint16_t)n)
        count += (unsigned)__builtin_ctz((uint16_t)n) * 13;
    return count;
}

__attribute__((noinline)) static uint64_t bits(const uint32_t *p, const uint64_t *q, const unsigned char *r) {
    uint64_t sum = 0;
    unsigned bytes = 0;
    for (int k = 0; k < 16; k++)
        sum += (unsigned)__builtin_popcount(p[k]) * (k + 1u);
    for (int k = 0; k < 8; k++)
        sum = sum * 3 + (unsigned)__builtin_popcountll(q[k]);
    for (int k = 0; k < 64; k++)
        bytes += (unsigned char)__builtin_popcount(r[k]);
    return sum * 1000 + bytes;
}

int main(void) {
    uint64_t sums[8] = {0}, w = 0;
    double d = 0;
    for (int k = 0; k < 4000; k++) {
        uint64_t x = k < 256 ? (uint64_t)(k - 128) : next();
        sums[0] = sums[0] * 31 + int8_t_all((int8_t)x);
        sums[1] = sums[1] * 31 + uint8_t_all((uint8_t)x);
        sums[2] = sums[2] * 31 + int16_t_all((int16_t)x);
        sums[3] = sums[3] * 31 + uint16_t_all((uint16_t)x);
        sums[4] = sums[4] * 31 + int32_t_all((int32_t)x);
        sums[5] = sums[5] * 31 + uint32_t_all((uint32_t)x);
        sums[6] = sums[6] * 31 + int64_t_all((int64_t)x);
        sums[7] = sums[7] * 31 + uint64_t_all(x);
        w = w * 31 + (uint64_t)large((int32_t)x) + larger(x) + zeros((uint32_t)x, x);
    }
    for (int k = 0; k < 8; k++)
        printf("%llx\n", (unsigned long long)sums[k]);
    printf("%llx\n", (unsigned long long)w);
    static const double numbers[] = {0.0, -0.0, 1.0, -1.0, 0.25, 0.75, 3e300, -3e300, 1e-320, __builtin_inf(), -__builtin_inf(), __builtin_nan("")};
    const int n = sizeof numbers / sizeof *numbers;
    for (int k = 0; k < n * n; k++) {
        double a = numbers[k / n], b = numbers[k % n];
        float c = (float)a, e = (float)b;
        printf("%a %a %a %a %a %a\n", least(a, b), most(c, e), not_below(c, e), limited(a), chosen(a, b, e, c), by_number(k, c, e));
    }
    for (int k = 0; k < 300; k++) {
        uint64_t x = k < 64 ? ~0ull << k : next() << (k & 3);
        d += (double)x / 3;
        printf("%a %a\n", (double)x, (double)(float)(uint32_t)x);
    }
    unsigned char block[64];
    fill(block, (int)(d / 1e15));
    for (int k = 0; k < 64; k++)
        printf("%02x%c", block[k], k % 16 == 15 ? '\n' : ' ');
    uint32_t p[16];
    uint64_t q[8];
    for (int k = 0; k < 64; k++)
        p[k & 15] = (uint32_t)(q[k & 7] = next());
    printf("%llu\n", (unsigned long long)bits(p, q, block));
    return 0;
}
