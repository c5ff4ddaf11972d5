/* Decimal digits of numbers of 32 and 64 bits: quotients and remainders by 10. */
#include <stdint.h>

static unsigned sum_of_digits(uint32_t n) {
    unsigned sum = 0;
    for (; n; n /= 10)
        sum += n % 10;
    return sum;
}

static char *print(uint64_t n, char *end) {
    do
        *--end = '0' + n % 10;
    while (n /= 10);
    return end;
}

uint64_t run(int rounds) {
    uint64_t sum = 0, seed = 1;
    char text[24];
    for (int k = 0; k < rounds * 10000; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        sum += sum_of_digits((uint32_t)(seed >> 32));
        sum = sum * 31 + (unsigned char)*print(seed >> (k & 31), text + 24);
    }
    return sum;
}
