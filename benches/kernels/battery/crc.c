/* CRC-32 and CRC-16 bit by bit. */
#include <stdint.h>

static unsigned char data[1024];

__attribute__((noinline)) static uint32_t crc32(const unsigned char *p, int n) {
    uint32_t crc = ~0u;
    for (int i = 0; i < n; i++) {
        crc ^= p[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

__attribute__((noinline)) static uint16_t crc16(const unsigned char *p, int n) {
    uint16_t crc = 0xffff;
    for (int i = 0; i < n; i++) {
        crc ^= (uint16_t)(p[i] << 8);
        for (int k = 0; k < 8; k++)
            crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
    }
    return crc;
}

uint64_t run(int rounds) {
    for (int i = 0; i < 1024; i++)
        data[i] = (unsigned char)(i * 167 >> 2);
    uint64_t sum = 0;
    for (int k = 0; k < rounds * 10; k++) {
        sum = sum * 31 + crc32(data, 1024) + crc16(data, 1024);
        data[k & 1023] ^= (unsigned char)sum;
    }
    return sum;
}
