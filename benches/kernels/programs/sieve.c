/* Prime numbers: by crossing out in bytes, and in bits of the odd numbers alone. */

#include "program.h"

enum { LIMIT = 300000 };

static uint8_t crossed[LIMIT + 1];
static uint32_t odd[LIMIT / 64 + 1];

static int in_bytes(int limit) {
    int count = 0;
    memset(crossed, 0, sizeof crossed);
    for (int i = 2; i <= limit; i++) {
        if (crossed[i])
            continue;
        count++;
        for (long k = (long)i * 2; k <= limit; k += i)
            crossed[k] = 1;
    }
    return count;
}

static int in_bits(int limit, uint64_t *sum) {
    int count = limit >= 2;
    memset(odd, 0, sizeof odd);
    for (int i = 3; i <= limit; i += 2) {
        int at = i / 2;
        if (odd[at / 32] >> at % 32 & 1)
            continue;
        count++;
        *sum = mixed(*sum, (uint64_t)i);
        if (i > limit / i)
            continue;
        for (int k = i * i; k <= limit; k += 2 * i)
            odd[k / 2 / 32] |= (uint32_t)1 << k / 2 % 32;
    }
    return count;
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv), good = 1;
    uint64_t sum = 0;
    for (int round = 0; round < rounds; round++) {
        int limit = LIMIT - round % 100 * 3;
        good &= in_bytes(limit) == in_bits(limit, &sum);
    }
    good &= in_bytes(100000) == 9592;
    return finished("sieve", sum, good);
}
