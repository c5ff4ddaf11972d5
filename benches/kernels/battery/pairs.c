/* Elements 2i and 2i + 1 of arrays: the second subscript is the first one with a bit set. */
#include <stdint.h>

static uint32_t tree[2048];
static int64_t plane[2048];

uint64_t run(int rounds) {
    for (uint32_t i = 0; i < 2048; i++) {
        tree[i] = i * 2654435761u;
        plane[i] = (int64_t)i * 97;
    }
    uint64_t sum = 0;
    for (int k = 0; k < rounds * 40; k++) {
        for (unsigned i = 1023; i; i--)
            tree[i] = tree[2 * i] < tree[2 * i + 1] ? tree[2 * i] + i : tree[2 * i + 1];
        for (unsigned i = 0; i < 512; i++) {
            int64_t *p = &plane[(i << 2) & 2047];
            int64_t a = p[0] + p[1], b = p[2] - p[3];
            p[(i & 1) * 2] = a ^ b;
            p[(i & 1) * 2 | 1] = a - b;
            sum += (uint64_t)a;
        }
        tree[1024 + (k & 1023)] += tree[1] ^ (uint32_t)sum;
    }
    return sum ^ tree[1];
}
