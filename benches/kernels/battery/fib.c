/* Two calls of itself for each number. */
#include <stdint.h>

__attribute__((noinline)) static uint64_t fib(int n) { return n < 2 ? (uint64_t)n : fib(n - 1) + fib(n - 2); }

uint64_t run(int rounds) {
    uint64_t sum = 0;
    for (int k = 0; k < rounds; k++)
        sum += fib(20 + (k & 1));
    return sum;
}
