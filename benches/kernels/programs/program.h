/* What every program here begins and ends with: `NAME ROUNDS` does its work so often, prints a checksum, and ends with 1 if a check of its
 * own fails. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rounds_of(int argc, char **argv) { return argc > 1 ? atoi(argv[1]) : 1; }

static int finished(const char *name, uint64_t checksum, int good) {
    printf("%s %016llx\n", name, (unsigned long long)checksum);
    if (!good)
        printf("%s: the check fails\n", name);
    return good ? 0 : 1;
}

/* The next number of a sequence without a pattern. */
static uint32_t next_random(uint32_t *state) {
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

static inline uint64_t mixed(uint64_t sum, uint64_t with) { return (sum ^ with) * 0x9e3779b97f4a7c15u + (sum >> 29); }

static inline uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
