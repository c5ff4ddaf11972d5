/* What the kernels' language has from outside. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void start(void);

void *naive_allocate(int64_t bytes) {
    void *memory = calloc(1, (size_t)bytes);
    if (!memory) {
        fprintf(stderr, "no memory\n");
        exit(3);
    }
    return memory;
}

_Noreturn void naive_bounds_failed(int64_t index, int64_t length) {
    printf("%" PRId64 " is not below %" PRId64 "\n", index, length);
    exit(4);
}

void naive_print_int(int64_t n) { printf("%" PRId64 "\n", n); }

void naive_print_float(double x) { printf("%.9f\n", x); }

int main(void) {
    start();
    return 0;
}
