/* Characters by class: switches whose cases are a set of bits. */
#include <stdint.h>

static unsigned char text[4096];

__attribute__((noinline)) static int is_space(int c) {
    switch (c) {
    case ' ': case '\t': case '\n': case '\v': case '\f': case '\r':
        return 1;
    }
    return 0;
}

__attribute__((noinline)) static unsigned scan(const unsigned char *p, int n) {
    unsigned words = 0, marks = 0;
    for (int i = 0; i < n; i++) {
        switch (p[i]) {
        case '!': case '"': case '\'': case '(': case ')': case ',': case '.': case ':': case ';': case '?':
            marks += i & 3;
            p[i] & 16 ? words++ : marks++;
            break;
        case 'a': case 'e': case 'i': case 'o': case 'u': case 'y':
            words += 5;
            break;
        default:
            words += (unsigned)is_space(p[i]);
        }
    }
    return words * 3 + marks;
}

uint64_t run(int rounds) {
    uint64_t sum = 0;
    uint32_t seed = 9;
    for (int i = 0; i < 4096; i++) {
        seed = seed * 1664525 + 1013904223;
        text[i] = (unsigned char)((seed >> 24) & 127);
    }
    for (int k = 0; k < rounds * 10; k++) {
        sum = sum * 7 + scan(text, 4096);
        text[k & 4095] ^= 1;
    }
    return sum;
}
