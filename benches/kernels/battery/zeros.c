/* Leading and trailing zeros of numbers that are not 0: walks over the bits of sets, logarithms, highest bits. */
#include <stdint.h>

uint64_t run(int rounds) {
    uint64_t sum = 0, seed = 88172645463325252u;
    for (int k = 0; k < rounds * 2000; k++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        for (uint64_t set = seed; set; set &= set - 1)
            sum = sum * 3 + (unsigned)__builtin_ctzll(set);
        for (uint32_t rest = (uint32_t)(seed >> 16); rest;) {
            int top = 31 - __builtin_clz(rest);
            sum += (unsigned)top;
            rest ^= 1u << top;
        }
    }
    return sum;
}
