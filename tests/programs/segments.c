/* Memory relative to a segment register: thread-local variables by their distances from the thread's own memory. */
#include <stdio.h>

#if __x86_64__
#define SEGMENT __attribute__((address_space(257)))
#else
#define SEGMENT __attribute__((address_space(256)))
#endif
#define STACK __attribute__((address_space(258)))

typedef int four __attribute__((vector_size(16)));
typedef int eight __attribute__((vector_size(32)));

static __thread struct {
    signed char c;
    short s[5];
    int i;
    long long w;
    float f;
    double d;
    long double x;
    four v;
    eight o;
    int SEGMENT *next;
} own = { -3, { 1, -2, 3, -4, 5 }, 70000, -6000000000LL, 1.5f, -2.25, 3.5L, { 1, 2, 3, 4 }, { 5, 6, 7, 8, 9, 10, 11, 12 }, 0 };

static long thread(void) { return *(long SEGMENT *)0; }

#define OF(field) (*(__typeof__(own.field) SEGMENT *)((long)&own.field - thread()))

static long sum(const short SEGMENT *s, int n) {
    long total = 0;
    for (int k = 0; k < n; k++) total = total * 3 + s[k];
    return total;
}

__attribute__((noinline)) static int by_stack(int *p, int k) { return ((int STACK *)(long)p)[k] + *(int STACK *)(long)(p + 1); }

int main(void) {
    int array[3] = { 4, 50, 600 };
    for (int round = 0; round < 3; round++) {
        printf("%d %ld %d %lld\n", OF(c), sum(&OF(s[0]), 5), OF(i), OF(w));
        printf("%g %g %g\n", OF(f), OF(d), (double)OF(x));
        four v = OF(v);
        eight o = OF(o);
        printf("%d %d %d %d\n", v[0], v[3], o[0], o[7]);
        OF(next) = &OF(i) + 0;
        *OF(next) += own.s[2] ? 11 : 0;
        printf("%d %d %d\n", own.i, *own.next == own.i, own.next == 0);
        OF(c) += 9;
        OF(s[3]) = (short)(OF(s[1]) * round + 7);
        OF(w) = OF(w) / 2 - OF(i);
        OF(f) *= 2;
        OF(d) = OF(d) + OF(f);
        OF(x) = OF(x) * OF(d);
        OF(v) = v + v;
        OF(o) = o * 3;
        printf("%d\n", by_stack(array, round));
    }
    return own.c + (int)own.w % 7 > 1000;
}
