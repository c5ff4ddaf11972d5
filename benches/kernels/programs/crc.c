/* CRC-32 bit by bit, by one table and by eight, and CRC-64, whose sums of "123456789" are known. */

#include "program.h"

enum { LENGTH = 20000 };

static uint32_t tables[8][256];
static uint64_t wide[256];
static uint8_t bytes[LENGTH];

static uint32_t one_bit(uint32_t c) { return c >> 1 ^ (c & 1 ? 0xedb88320u : 0); }

static void prepare(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        uint64_t w = i;
        for (int k = 0; k < 8; k++) {
            c = one_bit(c);
            w = w >> 1 ^ (w & 1 ? 0xc96c5795d7870f42u : 0);
        }
        tables[0][i] = c;
        wide[i] = w;
    }
    for (int i = 0; i < 256; i++)
        for (int k = 1; k < 8; k++)
            tables[k][i] = tables[k - 1][i] >> 8 ^ tables[0][tables[k - 1][i] & 255];
}

static uint32_t by_bits(uint32_t c, const uint8_t *p, size_t n) {
    for (c = ~c; n--;) {
        c ^= *p++;
        for (int k = 0; k < 8; k++)
            c = one_bit(c);
    }
    return ~c;
}

static uint32_t by_bytes(uint32_t c, const uint8_t *p, size_t n) {
    for (c = ~c; n--;)
        c = c >> 8 ^ tables[0][(c ^ *p++) & 255];
    return ~c;
}

static uint32_t by_eight(uint32_t c, const uint8_t *p, size_t n) {
    for (c = ~c; n >= 8; n -= 8, p += 8) {
        c ^= p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        c = tables[7][c & 255] ^ tables[6][c >> 8 & 255] ^ tables[5][c >> 16 & 255] ^ tables[4][c >> 24] ^ tables[3][p[4]] ^
            tables[2][p[5]] ^ tables[1][p[6]] ^ tables[0][p[7]];
    }
    return by_bytes(~c, p, n);
}

static uint64_t wide_by_bytes(uint64_t c, const uint8_t *p, size_t n) {
    for (c = ~c; n--;)
        c = c >> 8 ^ wide[(c ^ *p++) & 255];
    return ~c;
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv);
    const uint8_t *example = (const uint8_t *)"123456789";
    uint32_t state = 41, a = 0, b = 0, c = 0;
    uint64_t w = 0;
    prepare();
    int good = by_bytes(0, example, 9) == 0xcbf43926u && wide_by_bytes(0, example, 9) == 0x995dc9bbdf1939fau;
    for (int i = 0; i < LENGTH; i++)
        bytes[i] = (uint8_t)next_random(&state);
    for (int round = 0; round < rounds * 5; round++) {
        a = by_bits(a, bytes, LENGTH);
        b = by_bytes(b, bytes, LENGTH);
        c = by_eight(c, bytes, LENGTH);
        w = wide_by_bytes(w, bytes, LENGTH);
        good &= a == b && b == c;
    }
    return finished("crc", mixed(a, w), good);
}
