/* Saturating subtraction of 16 bits over tables, as zlib's when its window slides, and of single words. */
#include <stdint.h>

static uint16_t head[4096], previous[4096];

__attribute__((noinline)) static void slide(uint16_t *p, unsigned n, uint16_t size) {
    do {
        unsigned m = *--p;
        *p = (uint16_t)(m >= size ? m - size : 0);
    } while (--n);
}

__attribute__((noinline)) static uint32_t left(uint32_t have, uint32_t want) { return have > want ? have - want : 0; }

uint64_t run(int rounds) {
    uint64_t sum = 0;
    for (int k = 0; k < rounds * 30; k++) {
        for (unsigned i = 0; i < 4096; i += 16)
            head[i] = previous[4095 - i] = (uint16_t)(i * 37 + (unsigned)k);
        slide(head + 4096, 4096, 1024);
        slide(previous + 4096, 4096, (uint16_t)(k & 4095));
        for (unsigned i = 0; i < 256; i++)
            sum += left(head[i * 16], previous[i]) + head[i];
    }
    return sum;
}
