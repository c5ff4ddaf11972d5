/* Subscripts of 32 and 8 bits: values that are extended already, tables of bytes. */
#include <stdint.h>

static unsigned char next[256], data[4096];
static uint32_t heads[256];

uint64_t run(int rounds) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < 256; i++)
        next[i] = (unsigned char)(i * 77 + 13);
    for (unsigned i = 0; i < 4096; i++)
        data[i] = (unsigned char)(i * 31 >> 3);
    for (int k = 0; k < rounds * 15; k++) {
        unsigned char at = (unsigned char)k;
        for (unsigned i = 0; i < 4096; i++) {
            at = next[(unsigned char)(at + data[i])];
            uint32_t hash = (heads[at] << 5 ^ data[i]) & 0xff;
            heads[hash] += at;
            sum += heads[hash ^ at] + hash;
        }
    }
    return sum;
}
