/* Unsigned integers of 64 and 32 bits as floating-point numbers. */
#include <stdint.h>

uint64_t run(int rounds) {
    double sum = 0;
    float less = 0;
    uint64_t seed = 88172645463325252u;
    for (int k = 0; k < rounds * 40000; k++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        sum += (double)seed + (double)(uint32_t)seed;
        less += (float)(seed >> (k & 31));
    }
    return (uint64_t)(sum / 4096) ^ (uint64_t)(less / 4096);
}
