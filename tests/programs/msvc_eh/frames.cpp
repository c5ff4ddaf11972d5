// Through frames without handlers: with many registers, large, with variable arguments, with memory of a size known late, by pointers to
// functions and by virtual functions.
//
//> registers: 1 2 3 4 5 6 7 8 caught 1, 0 alive
//> large: caught 2 of 20000, 0 alive
//> variable arguments: caught 3 of 10, 0 alive
//> alloca: caught 4 of 300, 0 alive
//> virtual: caught 5, 0 alive
//> pointer: caught 6, 0 alive
//> recursion: caught 7 of 200, 0 alive
//> leaf between: +1 +2 -2 -1 caught 8, 0 alive
//> structures: 11 12 13 14 caught 9, 0 alive
//> numbers: 3 5 7 caught 10, 0 alive
#include "eh.h"

typedef __builtin_va_list va_list;

NOINLINE static void raise(int n) {
    if (opaque(1)) throw n;
}

static volatile int sink;

NOINLINE static int registers(int n) {
    int a = opaque(1), b = opaque(2), c = opaque(3), d = opaque(4), e = opaque(5), f = opaque(6), g = opaque(7);
    raise(n);
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g;
}

NOINLINE static int large(int n) {
    volatile char bytes[20000];
    for (int i = 0; i < 20000; i += 100) bytes[i] = i;
    sink = bytes[200];
    raise(n);
    return bytes[n];
}

NOINLINE static int variable(int count, ...) {
    va_list list;
    __builtin_va_start(list, count);
    int sum = 0;
    while (count--) sum += __builtin_va_arg(list, int);
    __builtin_va_end(list);
    sink = sum;
    raise(3);
    return sum;
}

NOINLINE static int with_alloca(int size) {
    char *p = (char *)__builtin_alloca(size);
    for (int i = 0; i < size; i++) p[i] = i;
    sink = size + p[0];
    raise(4);
    return p[sink];
}

struct Interface {
    virtual int work(int) = 0;
};
struct Implementation : Interface {
    NOINLINE int work(int n) override {
        raise(n);
        return n;
    }
};

NOINLINE static int recursion(int n) {
    if (n == 0) raise(7);
    sink = sink + 1;
    return recursion(n - 1) + 1;
}

NOINLINE static int between(int n) { return registers(n) + 1; }
NOINLINE static void leaf_between() {
    Traced a(1);
    Traced b(2);
    between(8);
}

struct Four {
    int a, b, c, d;
};
NOINLINE static Four four(int n) {
    if (n) raise(9);
    return {11, 12, 13, 14};
}

int main() {
    int a = opaque(1), b = opaque(2), c = opaque(3), d = opaque(4), e = opaque(5), f = opaque(6), g = opaque(7), h = opaque(8);
    try {
        registers(1);
    } catch (int n) {
        printf("registers: %d %d %d %d %d %d %d %d caught %d", a, b, c, d, e, f, g, h, n);
    }
    line("");
    try {
        large(2);
    } catch (int n) {
        printf("large: caught %d of 20000", n);
    }
    line("");
    try {
        variable(4, 1, 2, 3, 4);
    } catch (int n) {
        printf("variable arguments: caught %d of %d", n, sink);
    }
    line("");
    try {
        with_alloca(opaque(300));
    } catch (int n) {
        printf("alloca: caught %d of %d", n, sink);
    }
    line("");
    Implementation object;
    Interface *volatile interface = &object;
    try {
        interface->work(5);
    } catch (int n) {
        printf("virtual: caught %d", n);
    }
    line("");
    void (*volatile function)(int) = raise;
    try {
        function(6);
    } catch (int n) {
        printf("pointer: caught %d", n);
    }
    line("");
    sink = 0;
    try {
        recursion(200);
    } catch (int n) {
        printf("recursion: caught %d of %d", n, sink);
    }
    line("");
    printf("leaf between: ");
    try {
        leaf_between();
    } catch (int n) {
        printf("caught %d", n);
    }
    line("");
    Four values = four(0);
    try {
        values = four(opaque(1));
    } catch (int n) {
        printf("structures: %d %d %d %d caught %d", values.a, values.b, values.c, values.d, n);
    }
    line("");
    double x = opaque(3), y = opaque(5);
    float z = opaque(7);
    try {
        registers(10);
    } catch (int n) {
        printf("numbers: %d %d %d caught %d", (int)x, (int)y, (int)z, n);
    }
    line("");
}
