// Hosts of handlers of every kind: with variable arguments, of every convention, with large and aligned frames and such of a size known late,
// that end in a call of another function; what handlers and the code after them see of parameters and variables.
//
//> variable arguments: 6 caught 1 of 3, then 24, 0 alive
//> stdcall: caught 2 of 1 2 3, 5, 0 alive
//> fastcall: caught 3 of 4 5 6, 9, 0 alive
//> vectorcall: caught 4 of 1.5 2.5 7, 4, 0 alive
//> method: caught 5 of 10 3, 13, 0 alive
//> large: caught 6 of 7 11, 18, 0 alive
//> huge: caught 7 of 13 17, 30, 0 alive
//> aligned: caught 8 of 1 2, 0 0, 0 alive
//> areas: caught 100 of 7 caught 101 of 14 caught 102 of 21 7 14 21, 0 alive
//> tail: caught 9 then 28, 0 alive
//> structures: caught 10 of 3 4 5 -> 3 4 5 6, 0 alive
//> numbers: caught 11 of 5 0.25 0.125 6, 0 alive
//> registers: caught 12 of 1 2 3 4 5 6 7 8, 36, 0 alive
//> again and again: +0 -0 caught 0 +1 -1 caught 1 +2 -2 caught 2 left at 3, 0 alive
//alone aarch64: clang's handlers look for aligned variables in another place than their host
//> handler in a handler: caught 13 +5 -5 caught 14 of 13, 27, 0 alive
#include "eh.h"

typedef __builtin_va_list va_list;

NOINLINE static void raise(int n) {
    if (opaque(1)) throw n;
}

NOINLINE static int variable(int count, ...) {
    va_list list, again;
    __builtin_va_start(list, count);
    __builtin_va_copy(again, list);
    int sum = 0;
    try {
        for (int i = 0; i < count; i++) sum += __builtin_va_arg(list, int);
        printf("%d ", sum);
        raise(1);
    } catch (int e) {
        printf("caught %d of %d", e, count);
        // The arguments are still there.
        for (int i = 0; i < count; i++) sum += __builtin_va_arg(again, int) * 3;
    }
    __builtin_va_end(again);
    __builtin_va_end(list);
    return sum;
}

NOINLINE static int __stdcall standard(int a, int b, int c) {
    try {
        raise(2);
    } catch (int e) {
        printf("caught %d of %d %d %d", e, a, b, c);
    }
    return b + c;
}

NOINLINE static int __fastcall fast(int a, int b, int c) {
    try {
        raise(3);
    } catch (int e) {
        printf("caught %d of %d %d %d", e, a, b, c);
    }
    return a + b;
}

#ifdef __aarch64__
#define VECTORCALL
#else
#define VECTORCALL __vectorcall
#endif

NOINLINE static double VECTORCALL vectors(double a, double b, int c) {
    try {
        raise(4);
    } catch (int e) {
        printf("caught %d of %g %g %d", e, a, b, c);
    }
    return a + b;
}

struct Object {
    int own;
    NOINLINE int method(int n) {
        try {
            raise(5);
        } catch (int e) {
            printf("caught %d of %d %d", e, own, n);
        }
        return own + n;
    }
};

template <int size>
NOINLINE static int large(int which, int a, int b) {
    volatile char bytes[size];
    bytes[opaque(size - 1)] = a;
    bytes[0] = b;
    try {
        raise(which);
    } catch (int e) {
        printf("caught %d of %d %d", e, bytes[size - 1], bytes[0]);
    }
    return bytes[opaque(size - 1)] + bytes[opaque(0)];
}

NOINLINE static void aligned(void) {
    alignas(64) volatile int a = 1;
    alignas(128) volatile int b = 2;
    try {
        raise(8);
    } catch (int e) {
        printf("caught %d of %d %d", e, a, b);
    }
    printf(", %d %d", (int)((__UINTPTR_TYPE__)&a % 64), (int)((__UINTPTR_TYPE__)&b % 128));
}

NOINLINE static void areas(void) {
    int *all[3];
    for (int i = 0; i < 3; i++) {
        int size = opaque(5000 * (i + 1));
        all[i] = (int *)__builtin_alloca(size);
        all[i][0] = 7 * (i + 1);
        all[i][size / 4 - 1] = 7 * (i + 1);
        try {
            raise(100 + i);
        } catch (int e) {
            printf("caught %d of %d ", e, all[i][size / 4 - 1]);
        }
    }
    printf("%d %d %d", *all[0], *all[1], *all[2]);
}

NOINLINE static int last(int n) {
    return opaque(4) * n;
}
NOINLINE static int tail(int n) {
    try {
        raise(9);
    } catch (int e) {
        printf("caught %d ", e);
    }
#ifdef __i386__
    return last(n);
#else
    [[clang::musttail]] return last(n);
#endif
}

struct Four {
    int a, b, c, d;
};
NOINLINE static Four structure(Four f) {
    Four out = f;
    try {
        raise(10);
    } catch (int e) {
        printf("caught %d of %d %d %d", e, f.a, f.b, f.c);
        out.d = 6;
    }
    return out;
}

NOINLINE static double numbers(long long a, float b, double c) {
    double d = c + opaque(5);
    try {
        raise(11);
        d = 0;
    } catch (int e) {
        printf("caught %d of %d %g %g", e, (int)a, b, c);
    }
    return d + b + c + 0.5;
}

NOINLINE static int registers(void) {
    int a = opaque(1), b = opaque(2), c = opaque(3), d = opaque(4), e = opaque(5), f = opaque(6), g = opaque(7), h = opaque(8);
    try {
        raise(12);
    } catch (int n) {
        printf("caught %d of %d %d %d %d %d %d %d %d", n, a, b, c, d, e, f, g, h);
    }
    return a + b + c + d + e + f + g + h;
}

NOINLINE static void again(void) {
    for (int i = 0;; i++) {
        try {
            Traced t(i);
            raise(i);
        } catch (int e) {
            printf("caught %d ", e);
            if (e == opaque(2)) {
                printf("left at %d", i + 1);
                return;
            }
        }
    }
}

NOINLINE static int within(void) {
    int sum = 0;
    try {
        raise(13);
    } catch (int a) {
        printf("caught %d ", a);
        try {
            Traced t(5);
            raise(14);
        } catch (int b) {
            printf("caught %d of %d", b, a);
            sum = a + b;
        }
    }
    return sum;
}

int main() {
    printf("variable arguments: ");
    int sum = variable(3, 1, 2, 3);
    printf(", then %d", sum);
    line("");
    printf("stdcall: ");
    printf(", %d", standard(1, 2, 3));
    line("");
    printf("fastcall: ");
    printf(", %d", fast(4, 5, 6));
    line("");
    printf("vectorcall: ");
    printf(", %g", vectors(1.5, 2.5, 7));
    line("");
    Object o = {10};
    printf("method: ");
    printf(", %d", o.method(3));
    line("");
    printf("large: ");
    printf(", %d", large<5000>(6, 7, 11));
    line("");
    printf("huge: ");
    printf(", %d", large<300000>(7, 13, 17));
    line("");
    printf("aligned: ");
    aligned();
    line("");
    printf("areas: ");
    areas();
    line("");
    printf("tail: ");
    sum = tail(7);
    printf("then %d", sum);
    line("");
    printf("structures: ");
    Four f = structure({3, 4, 5, 5});
    printf(" -> %d %d %d %d", f.a, f.b, f.c, f.d);
    line("");
    printf("numbers: ");
    double d = numbers(5, 0.25f, 0.125);
    printf(" %g", d);
    line("");
    printf("registers: ");
    printf(", %d", registers());
    line("");
    printf("again and again: ");
    again();
    line("");
    printf("handler in a handler: ");
    printf(", %d", within());
    line("");
    return 0;
}
