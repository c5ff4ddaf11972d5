/* x / 10 % 1000, of 32 bits and of 64, without and with a sign. */
#include <stdint.h>

uint64_t run(int rounds) {
    uint64_t sum = 0, wide = 0x123456789abcdef;
    uint32_t narrow = 0x9abcdef;
    for (int k = 0; k < rounds * 40000; k++) {
        wide = wide * 6364136223846793005u + 1442695040888963407u;
        narrow = narrow * 1664525 + 1013904223;
        sum += wide / 10 % 1000 + narrow / 10 % 1000;
        sum ^= (uint64_t)((int64_t)wide / 7 % 1000 + (int32_t)narrow / 1000000007 + (int16_t)narrow % 60);
    }
    return sum;
}
