// Exceptions in loops: the stack stays where it is, and what is in registers stays what it was.
//
//> 3000 caught, sum 4498500, the stack stays, 0 alive
//> 500 by value, 0 alive
//> until 77, 0 alive
//> registers 1 2 3 4 5 6 7 8 100, 0 alive
//> numbers 1 2 3 4, 0 alive
//> states 0 1 2 3 2 1 0, 0 alive
#include "eh.h"

NOINLINE static void raise(int n) {
    if (opaque(1)) throw n;
}

NOINLINE static char *stack() {
    char here;
    volatile __UINTPTR_TYPE__ address = (__UINTPTR_TYPE__)&here;
    return (char *)address;
}

struct Silent {
    static inline int alive = 0;
    int n;
    Silent(int n) : n(n) { alive++; }
    Silent(const Silent &o) : n(o.n) { alive++; }
    ~Silent() { alive--; }
};

NOINLINE static void registers(int a, int b, int c, int d) {
    int e = opaque(5), f = opaque(6), g = opaque(7), h = opaque(8), caught = 0;
    for (int i = 0; i < 100; i++) {
        try {
            raise(i);
        } catch (...) {
            caught++;
        }
    }
    printf("registers %d %d %d %d %d %d %d %d %d", a, b, c, d, e, f, g, h, caught);
    line("");
}

NOINLINE static void numbers(double a, double b, float c, double d) {
    a += opaque(0), b += opaque(0), c += opaque(0), d += opaque(0);
    for (int i = 0; i < 10; i++) {
        try {
            raise(i);
        } catch (int) {
        }
    }
    printf("numbers %d %d %d %d", (int)a, (int)b, (int)c, (int)d);
    line("");
}

NOINLINE static void states() {
    volatile int state = 0;
    printf("states %d", state);
    try {
        try {
            try {
                state = 1;
                printf(" %d", state);
                Silent s(1);
                state = 2;
                printf(" %d", state);
                raise(3);
            } catch (int n) {
                printf(" %d", n);
                state = 2;
                throw (char)n;
            }
        } catch (char) {
            printf(" %d", state);
            state = 1;
            throw 1.0;
        }
    } catch (double) {
        printf(" %d", state);
        state = 0;
    }
    printf(" %d", state);
    line("");
}

int main() {
    int sum = 0, count = 0;
    char *before = 0;
    bool stays = true;
    for (int i = 0; i < 3000; i++) {
        try {
            raise(i);
        } catch (int n) {
            sum += n;
            count++;
        }
        char *now = stack();
        if (before && now != before) stays = false;
        before = now;
    }
    printf("%d caught, sum %d, the stack %s", count, sum, stays ? "stays" : "moves");
    line("");
    count = 0;
    for (int i = 0; i < 500; i++) {
        try {
            Silent local(i);
            throw Silent(i);
        } catch (Silent s) {
            if (Silent::alive == 2 && s.n == i) count++;
        }
    }
    printf("%d by value", count);
    Traced::alive = Silent::alive;
    line("");
    int i = 0;
    for (;; i++) {
        try {
            if (i == 77) raise(i);
        } catch (int) {
            break;
        }
    }
    printf("until %d", i);
    line("");
    registers(1, 2, 3, 4);
    numbers(1, 2, 3, 4);
    states();
}
