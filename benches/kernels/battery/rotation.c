/* Five variables that change places in each round of a loop, as in SHA-1. */
#include <stdint.h>

uint64_t run(int rounds) {
    uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, e = 0xc3d2e1f0;
    for (int k = 0; k < rounds * 100000; k++) {
        uint32_t t = (a << 5 | a >> 27) + (b ^ c ^ d) + e + (uint32_t)k;
        e = d;
        d = c;
        c = b << 30 | b >> 2;
        b = a;
        a = t;
    }
    return (uint64_t)(a ^ b) << 32 | (c ^ d ^ e);
}
