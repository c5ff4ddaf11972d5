/* SHA-256 of messages of any length. The constants are what the standard says they are: the first bits behind the points of roots of primes. */

#include "program.h"

static uint32_t constants[64], initial[8];

/* The first 32 bits behind the point of the root of n, square or cubic: bit by bit, from the highest on. */
static uint32_t root_bits(uint32_t n, int cube) {
    uint64_t root = 0;
    for (int bit = 36; bit >= 0; bit--) {
        uint64_t x = root | (uint64_t)1 << bit;
        /* No power comes so close to a prime that rounding could matter, which the example shows. */
        double y = (double)x / 4294967296.0, power = cube ? y * y * y : y * y;
        if (power < n)
            root = x;
    }
    return (uint32_t)root;
}

static void prepare(void) {
    int count = 0;
    for (uint32_t n = 2; count < 64; n++) {
        int prime = 1;
        for (uint32_t d = 2; d * d <= n; d++)
            prime &= n % d != 0;
        if (!prime)
            continue;
        if (count < 8)
            initial[count] = root_bits(n, 0);
        constants[count++] = root_bits(n, 1);
    }
}

static uint32_t rotated(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void block(uint32_t *state, const uint8_t *p) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++, p += 4)
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    for (int i = 16; i < 64; i++) {
        uint32_t x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + (rotated(x, 7) ^ rotated(x, 18) ^ x >> 3) + w[i - 7] + (rotated(y, 17) ^ rotated(y, 19) ^ y >> 10);
    }
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t a = v[0], e = v[4];
        uint32_t t1 = v[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + constants[i] + w[i];
        uint32_t t2 = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        state[i] += v[i];
}

static void sha256(const uint8_t *p, size_t n, uint32_t *state) {
    uint8_t last[128] = {0};
    size_t rest = n % 64, size = rest < 56 ? 64 : 128;
    memcpy(state, initial, sizeof initial);
    for (size_t i = 0; i + 64 <= n; i += 64)
        block(state, p + i);
    memcpy(last, p + n - rest, rest);
    last[rest] = 128;
    for (int i = 0; i < 8; i++)
        last[size - 1 - (size_t)i] = (uint8_t)((uint64_t)n * 8 >> 8 * i);
    for (size_t i = 0; i < size; i += 64)
        block(state, last + i);
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv);
    static uint8_t message[20000];
    uint32_t state[8], random = 51;
    uint64_t sum = 0;
    prepare();
    sha256((const uint8_t *)"abc", 3, state);
    int good = state[0] == 0xba7816bfu && state[7] == 0xf20015adu;
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (uint8_t)next_random(&random);
    for (int round = 0; round < rounds * 8; round++) {
        sha256(message, sizeof message - (size_t)round % 70, state);
        for (int i = 0; i < 8; i++)
            sum = mixed(sum, state[i]);
    }
    return finished("sha256", sum, good);
}
