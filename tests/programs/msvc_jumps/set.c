/* Sets places, and looks whether everything is as it was. */
#include "jumps.h"
static Place outer, inner;

static NOINLINE char *stack(void) {
    char here;
    volatile __UINTPTR_TYPE__ address = (__UINTPTR_TYPE__)&here;
    return (char *)address;
}
static NOINLINE int opaque(int n) {
    volatile int v = n;
    return v;
}

static NOINLINE int jumped(int n) {
    int came = _setjmp(inner);
    if (came) return came + n;
    return jump(inner, n, 3);
}
static NOINLINE int kept(int a, double b, long long c, int n) {
    int d = opaque(4), e = opaque(5);
    double f = b * 2;
    int r = jumped(n);
    return r == n + 3 && a + d + e == opaque(1) + 9 && f == b + b && c == 0x300000004ll;
}
static int back(int n, double d, void *p) {
    int sum = jumped(n) + (int)d;
    if (n == 7) longjmp(*(Place *)p, sum);
    return sum;
}
static int out(int n, double d, void *p) {
    if (n > 0) return calls(out, n - 1, d + 1, p);
    return jump(*(Place *)p, 2, (int)d);
}

static NOINLINE int finally_of_own(int n) {
    volatile int step = 0;
    int came = _setjmp(inner);
    if (came) return came * 10 + step;
    __try {
        step = 1;
        jump_over(inner, n, 2);
        step = 2;
    } __finally {
        /* Nothing of the function's own: Wine's 32-bit `longjmp` has another frame here. */
        finals++;
    }
    return 99;
}
static NOINLINE int except_around(int n) {
    int r = 0;
    __try {
        r = jumped(n);
        r += jumped(n + 1);
    } __except (1) {
        return -1;
    }
    return r;
}

int main(void) {
    volatile int i = 0;
    char *before = stack();
    int moves = 0;
    while (_setjmp(outer) < 200) {
        i = i + 1;
        if (stack() != before) moves++;
        jump(outer, i % 5, i);
    }
    printf("%d rounds, the stack %s\n", i, moves ? "moves" : "stays");
    printf("kept %d %d\n", kept(opaque(1), opaque(3) / 2.0, 0x300000004ll, 0), kept(1, opaque(5), 0x300000004ll, 4));
    printf("called back %d\n", calls(back, 3, 4.5, 0));
    int came = _setjmp(outer);
    printf("from a call back %d\n", came ? came : calls(back, 7, 2.5, &outer));
    came = _setjmp(outer);
    printf("from calls of both %d\n", came ? came : calls(out, 6, 1.0, &outer));
    printf("to the other %d\n", places(out, 4));
    finals = 0;
    came = _setjmp(outer);
    printf("over blocks %d", came ? came : jump_over(outer, 4, 8));
    printf(" of which %d ran\n", finals);
    finals = 0;
    came = finally_of_own(3);
    printf("out of one %d", came);
    printf(", %d ran\n", finals);
    printf("inside of __except %d\n", except_around(2));
    fflush(0);
    return 0;
}
