/* Functions whose parameters say how they are passed, and whose calls do not say it again once MLIR has read them: records in memory,
 * results in memory, narrow integers. */
#include <stdio.h>

struct big {
    long a[5];
    signed char b;
};
struct pair {
    int x;
    double y;
};

__attribute__((noinline)) long sum(int k, struct big s, double d, struct pair p) {
    long all = s.b + (long)d + p.x + (long)(p.y * 2);
    for (int i = 0; i < 5; i++)
        all += s.a[i] * k;
    s.b = 0;
    return all;
}

__attribute__((noinline)) struct big make(long x, signed char b) {
    struct big s = {{x, x + 1, x + 2, x + 3, x + 4}, b};
    return s;
}

__attribute__((noinline)) int narrow(signed char a, unsigned char b, short c, unsigned short d, _Bool e) {
    return a * 3 + b * 5 + c * 7 + d * 11 + e;
}

int main(void) {
    struct big s = make(10, -3), t = make(-7, 100);
    struct pair p = {4, 2.5};
    /* Of calls by address and of unnamed arguments MLIR's import knows nothing more. */
    printf("%ld %ld %ld\n", sum(3, s, 2.5, p), sum(2, make(7, 1), 1.0, p), sum(5, t, 9.0, p));
    printf("%d %d\n", narrow(-1, 255, -300, 65535, 1), narrow(127, 1, 32767, 2, 0));
    printf("%d\n", s.b);
    return 0;
}
