/* Three bytes as four letters, and back, with what is left over at the end. */

#include "program.h"

enum { MOST = 24000 };

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static int8_t values[256];
static uint8_t bytes[MOST], back[MOST + 3];
static char text[MOST / 3 * 4 + 8];

static size_t encode(const uint8_t *from, size_t n, char *to) {
    char *start = to;
    for (; n >= 3; n -= 3, from += 3) {
        uint32_t v = (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | from[2];
        *to++ = letters[v >> 18];
        *to++ = letters[v >> 12 & 63];
        *to++ = letters[v >> 6 & 63];
        *to++ = letters[v & 63];
    }
    if (n) {
        uint32_t v = (uint32_t)from[0] << 16 | (n == 2 ? (uint32_t)from[1] << 8 : 0);
        *to++ = letters[v >> 18];
        *to++ = letters[v >> 12 & 63];
        *to++ = n == 2 ? letters[v >> 6 & 63] : '=';
        *to++ = '=';
    }
    return (size_t)(to - start);
}

/* How many bytes, or -1 if a letter is none of ours. */
static long decode(const char *from, size_t n, uint8_t *to) {
    uint8_t *start = to;
    for (; n >= 4; n -= 4, from += 4) {
        int a = values[(uint8_t)from[0]], b = values[(uint8_t)from[1]];
        int c = values[(uint8_t)from[2]], d = values[(uint8_t)from[3]];
        int padding = (from[2] == '=') + (from[3] == '=');
        if (padding) {
            c = from[2] == '=' ? 0 : c;
            d = 0;
        }
        if ((a | b | c | d) < 0)
            return -1;
        uint32_t v = (uint32_t)a << 18 | (uint32_t)b << 12 | (uint32_t)c << 6 | (uint32_t)d;
        to[0] = (uint8_t)(v >> 16);
        to[1] = (uint8_t)(v >> 8);
        to[2] = (uint8_t)v;
        to += 3 - padding;
    }
    return to - start;
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv), good = 1;
    uint32_t state = 31;
    uint64_t sum = 0;
    memset(values, -1, sizeof values);
    for (int i = 0; i < 64; i++)
        values[(uint8_t)letters[i]] = (int8_t)i;
    for (int i = 0; i < MOST; i++)
        bytes[i] = (uint8_t)(next_random(&state) >> 11);
    for (int round = 0; round < rounds * 8; round++) {
        size_t n = MOST - (size_t)round % 50, length = encode(bytes, n, text);
        good &= decode(text, length, back) == (long)n && memcmp(bytes, back, n) == 0;
        sum = mixed(sum, (uint64_t)(uint8_t)text[length - 3]);
        text[round] = '!';
        good &= decode(text, length, back) == -1;
    }
    return finished("base64", sum, good);
}
