/* Bytes in the other order, by shifts and by the built-in functions. */
#include <stdint.h>

static uint32_t words[1024];

static uint32_t swapped(uint32_t v) { return v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24; }

uint64_t run(int rounds) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 1024; i++)
        words[i] = i * 2654435761u;
    for (int k = 0; k < rounds * 60; k++)
        for (int i = 0; i < 1024; i++) {
            uint32_t v = words[i];
            sum = __builtin_bswap64(sum) + swapped(v) + __builtin_bswap16((uint16_t)(v >> 8));
            words[i] = swapped(v ^ (uint32_t)sum);
        }
    return sum;
}
