/* Words that are read and written byte by byte, in both orders. */
#include <stdint.h>

static unsigned char data[4096 + 8];

static uint32_t little32(const unsigned char *p) { return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24; }
static uint32_t big32(const unsigned char *p) { return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3]; }
static uint16_t big16(const unsigned char *p) { return (uint16_t)(p[0] << 8 | p[1]); }
static uint64_t little64(const unsigned char *p) {
    uint64_t word = 0;
    for (int k = 0; k < 8; k++)
        word |= (uint64_t)p[k] << 8 * k;
    return word;
}
static void put32(unsigned char *p, uint32_t v) {
    p[0] = (unsigned char)v;
    p[1] = (unsigned char)(v >> 8);
    p[2] = (unsigned char)(v >> 16);
    p[3] = (unsigned char)(v >> 24);
}
static void put_big32(unsigned char *p, uint32_t v) {
    p[0] = (unsigned char)(v >> 24);
    p[1] = (unsigned char)(v >> 16);
    p[2] = (unsigned char)(v >> 8);
    p[3] = (unsigned char)v;
}

uint64_t run(int rounds) {
    uint64_t sum = 0;
    for (int i = 0; i < 4096; i++)
        data[i] = (unsigned char)(i * 13);
    for (int k = 0; k < rounds * 60; k++)
        for (int i = 0; i < 4096; i += 8) {
            sum = sum * 3 + little32(data + i) + big32(data + i + 4) + big16(data + i + 3) + little64(data + i);
            put32(data + i, (uint32_t)sum);
            put_big32(data + i + 4, (uint32_t)(sum >> 32));
        }
    return sum;
}
