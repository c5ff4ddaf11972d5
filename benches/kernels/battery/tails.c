/* Functions that end in calls of each other: a machine of states. */
#include <stdint.h>

typedef uint64_t state(const unsigned char *p, const unsigned char *end, uint64_t sum);

static state even, odd, other;
static unsigned char data[2048];

__attribute__((noinline)) static uint64_t even(const unsigned char *p, const unsigned char *end, uint64_t sum) {
    if (p == end)
        return sum;
    return (*p & 1 ? odd : other)(p + 1, end, sum + *p);
}
__attribute__((noinline)) static uint64_t odd(const unsigned char *p, const unsigned char *end, uint64_t sum) {
    if (p == end)
        return sum ^ 1;
    if (*p & 2)
        return other(p + 1, end, sum * 3);
    return even(p + 1, end, sum - *p);
}
__attribute__((noinline)) static uint64_t other(const unsigned char *p, const unsigned char *end, uint64_t sum) {
    if (p == end)
        return sum ^ 2;
    return *p & 4 ? even(p + 1, end, sum + 7) : odd(p + 1, end, sum << 1 | sum >> 63);
}

uint64_t run(int rounds) {
    uint64_t sum = 0;
    for (int i = 0; i < 2048; i++)
        data[i] = (unsigned char)(i * 151 >> 3);
    for (int k = 0; k < rounds * 20; k++) {
        sum = even(data, data + 2048, sum);
        data[k & 2047] ^= (unsigned char)sum;
    }
    return sum;
}
