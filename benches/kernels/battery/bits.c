/* Tests of single bits of words in memory, by constant and by variable numbers. */
#include <stdint.h>

struct item {
    uint32_t flags;
    uint64_t more;
};
static struct item items[256];
static uint64_t set[16];

uint64_t run(int rounds) {
    uint64_t sum = 0;
    uint32_t seed = 3;
    for (int i = 0; i < 256; i++) {
        items[i].flags = seed = seed * 1664525 + 1013904223;
        items[i].more = seed * 0x9e3779b97f4a7c15u;
        set[i & 15] ^= items[i].more;
    }
    for (int k = 0; k < rounds * 150; k++)
        for (int i = 0; i < 256; i++) {
            const volatile struct item *p = &items[i];
            if (p->flags & 0x100000)
                sum += (unsigned)i;
            if (!(p->flags & 0x80))
                sum ^= 0x5555;
            if (p->more & 1ull << 40)
                sum += 3;
            if (set[i >> 4] >> ((i + k) & 63) & 1)
                sum = sum * 5 + 1;
        }
    return sum;
}
