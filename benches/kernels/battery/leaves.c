/* Calls of small functions that call nobody. */
#include <stdint.h>

struct point {
    int64_t x, y;
};

__attribute__((noinline)) static int64_t mixed(int64_t a, int64_t b) { return a * 3 + (b ^ a >> 5); }
__attribute__((noinline)) static int64_t first(const struct point *p) { return p->x; }
__attribute__((noinline)) static void move(struct point *p, int64_t dx, int64_t dy) {
    p->x += dx;
    p->y -= dy;
}
__attribute__((noinline)) static int within(int a, int b, int c) { return a <= b && b < c; }
__attribute__((noinline)) static double scaled(double a, double b) { return a * 0.5 + b; }

uint64_t run(int rounds) {
    struct point p = {1, 2};
    int64_t sum = 0;
    double d = 0;
    for (int k = 0; k < rounds * 20000; k++) {
        move(&p, sum & 255, k);
        sum += mixed(first(&p), p.y) + within(k & 7, k & 31, 29);
        d = scaled(d, (double)k);
    }
    return (uint64_t)sum ^ (uint64_t)d;
}
