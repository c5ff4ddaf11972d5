/* Signed and unsigned quotients and remainders by powers of two. */
#include <stdint.h>

uint64_t run(int rounds) {
    uint64_t sum = 0;
    uint32_t seed = 12345;
    for (int k = 0; k < rounds * 60000; k++) {
        seed = seed * 1664525 + 1013904223;
        int32_t n = (int32_t)seed;
        int64_t w = (int64_t)seed << 20 ^ n;
        sum += (uint64_t)(n / 2 + n % 8 + n / 1024 + w / 4 + w % 4096 + n % -16 + w / -32);
        sum ^= seed / 64 + seed % 64;
    }
    return sum;
}
