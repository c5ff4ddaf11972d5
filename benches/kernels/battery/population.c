/* Set bits of arrays, which becomes vector code, and of single words. */
#include <stdint.h>

static uint32_t words[512];
static uint64_t wide[256];

__attribute__((noinline)) static unsigned narrow_bits(const uint32_t *p, int n) {
    unsigned sum = 0;
    for (int i = 0; i < n; i++)
        sum += (unsigned)__builtin_popcount(p[i]);
    return sum;
}

__attribute__((noinline)) static uint64_t wide_bits(const uint64_t *p, int n) {
    uint64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += (unsigned)__builtin_popcountll(p[i]);
    return sum;
}

uint64_t run(int rounds) {
    uint32_t seed = 7;
    for (int i = 0; i < 512; i++)
        words[i] = seed = seed * 1664525 + 1013904223;
    for (int i = 0; i < 256; i++)
        wide[i] = words[i] * 0x9e3779b97f4a7c15u;
    uint64_t sum = 0;
    for (int k = 0; k < rounds * 100; k++) {
        sum = sum * 31 + narrow_bits(words, 512) + wide_bits(wide, 256);
        words[k & 511] ^= (uint32_t)sum;
        sum += (unsigned)__builtin_popcountll(sum);
    }
    return sum;
}
