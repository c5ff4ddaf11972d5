/* Jumps. */
#include "jumps.h"
int finals;

NOINLINE int jump(Place place, int depth, int n) {
    volatile int sum = depth;
    if (depth == 0) longjmp(place, n);
    sum = sum + jump(place, depth - 1, n);
    return sum;
}
NOINLINE int jump_over(Place place, int depth, int n) {
    int r = depth;
    if (depth == 0) longjmp(place, n);
    __try {
        r += jump_over(place, depth - 1, n);
    } __finally {
        finals += r - depth + 1;
    }
    return r;
}
int calls(int (*back)(int, double, void *), int n, double d, void *p) {
    int r = back(n, d, p);
    return r + 1;
}
int places(int (*back)(int, double, void *), int n) {
    Place own;
    volatile int tries = 0;
    int came = _setjmp(own);
    tries = tries + 1;
    if (came < 8) return back(n + came, 2.0, &own);
    return came * 100 + tries;
}
