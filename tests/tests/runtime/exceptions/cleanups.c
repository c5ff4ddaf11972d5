// Clean-ups of C, which run when an exception passes by; their personality routine is not that of C++.
#include <stdio.h>

int throws_for_c(int kind);
void say(const char *format, ...);

struct kept {
    int id;
    long sum;
};
static long total;

static void done(struct kept *k) {
    say(" -%d", k->id);
    total += k->sum;
}
static void freed(int **p) { total += **p; }

static int inner(int kind, int depth) {
    __attribute__((cleanup(done))) struct kept one = {depth, depth * 100};
    int local = depth;
    __attribute__((cleanup(freed))) int *pointer = &local;
    if (depth > 0) {
        one.sum += inner(kind, depth - 1);
        local += 5;
        __attribute__((cleanup(done))) struct kept two = {depth + 10, 1};
        one.sum += throws_for_c(depth == 2 ? kind : 0);
        return (int)one.sum;
    }
    return depth + local;
}

long cleanups_of_c(int kind) {
    __attribute__((cleanup(done))) struct kept outer = {50, 0};
    for (int i = 0; i < 3; i++) {
        __attribute__((cleanup(done))) struct kept each = {60 + i, i};
        outer.sum += inner(i == 1 ? kind : 0, 3);
    }
    return outer.sum;
}

long total_of_c(void) { return total; }
