// Objects that are caught by value and ask for more alignment than the stack has.
//
//without i686: an object of an exception with more alignment than 8 is refused there
//alone aarch64: clang reads such objects where the run-time library does not make them
//
//> stack 0: simple 4; base 6 12; derived 6 12 18; members 1 2 3; vectors 1 2 8; nested 4 25 11 22; loop 45; area 4 7; large 4 30
//> stack 16: simple 4; base 6 12; derived 6 12 18; members 1 2 3; vectors 1 2 8; nested 4 25 11 22; loop 45; area 4 7; large 4 30
//> stack 32: simple 4; base 6 12; derived 6 12 18; members 1 2 3; vectors 1 2 8; nested 4 25 11 22; loop 45; area 4 7; large 4 30
//> stack 48: simple 4; base 6 12; derived 6 12 18; members 1 2 3; vectors 1 2 8; nested 4 25 11 22; loop 45; area 4 7; large 4 30
#include "eh.h"

struct alignas(32) Simple {
    int k;
    Simple(int b) : k(b) {}
    Simple(const Simple &o) : k(o.k + 1) {}
};
struct alignas(64) Base {
    long long a, b;
    Base(int n) : a(n), b(n * 2) {}
    Base(const Base &o) : a(o.a + 1), b(o.b + 2) {}
};
struct Derived : Base {
    int c;
    Derived(int n) : Base(n), c(n * 3) {}
    Derived(const Derived &o) : Base(o), c(o.c + 3) {}
};
struct Members {
    char first;
    alignas(32) int second;
    Simple third;
    Members(int n) : first(n), second(n + 1), third(n + 2) {}
};
typedef float Vector __attribute__((vector_size(32)));
struct Vectors {
    Vector v, w;
};

NOINLINE static void raise(int which) {
    switch (which) {
    case 0: throw Simple(3);
    case 1: throw Derived(5);
    case 2: throw Members(1);
    case 3: throw Vectors{{1, 2, 3, 4, 5, 6, 7, 8}, {2, 4, 6, 8, 10, 12, 14, 16}};
    case 4: throw Base(10);
    }
}

NOINLINE static void simple() {
    try {
        raise(opaque(0));
    } catch (Simple x) {
        printf("simple %d; ", x.k);
    }
}

NOINLINE static void by_base() {
    try {
        raise(opaque(1));
    } catch (Base x) {
        printf("base %d %d; ", (int)x.a, (int)x.b);
    }
    try {
        raise(opaque(1));
    } catch (Derived x) {
        printf("derived %d %d %d; ", (int)x.a, (int)x.b, x.c);
    }
}

NOINLINE static void members() {
    try {
        raise(opaque(2));
    } catch (Members x) {
        printf("members %d %d %d; ", x.first, x.second, x.third.k - 1);
    }
}

NOINLINE static void vectors() {
    Vector sum = {};
    try {
        raise(opaque(3));
    } catch (Vectors x) {
        sum = x.w - x.v;
    }
    printf("vectors %d %d %d; ", (int)sum[0], (int)sum[1], (int)sum[7]);
}

NOINLINE static void nested() {
    try {
        raise(opaque(0));
    } catch (Simple x) {
        int first = x.k;
        try {
            raise(opaque(4));
        } catch (Base y) {
            Simple &outer = x;
            try {
                throw Simple(opaque(24));
            } catch (Simple z) {
                printf("nested %d %d %d %d; ", outer.k + first - 4, z.k, (int)y.a, (int)y.b);
            }
        }
    }
}

NOINLINE static void loop() {
    int sum = 0;
    for (int i = 0; i < 9; i++) {
        alignas(64) volatile int local = i;
        try {
            if (i & 1) throw Base(local);
            throw Simple(local);
        } catch (Simple x) {
            sum += x.k == local + 1 ? x.k : 1000;
        } catch (Base x) {
            sum += x.b == 2 * x.a ? (int)x.a : 1000;
        }
    }
    printf("loop %d; ", sum);
}

NOINLINE static void area(int n) {
    char *bytes = (char *)__builtin_alloca(n);
    for (int i = 0; i < n; i++) bytes[i] = 7;
    try {
        raise(opaque(0));
    } catch (Simple x) {
        printf("area %d %d; ", x.k, bytes[n - 1]);
    }
}

NOINLINE static void large() {
    volatile char bytes[9000];
    bytes[0] = 10;
    bytes[8999] = 20;
    try {
        raise(opaque(0));
    } catch (Simple x) {
        printf("large %d %d", x.k, bytes[0] + bytes[8999]);
    }
}

NOINLINE static void all(int moved) {
    // Whatever the stack's alignment is beyond its usual one.
    volatile char *lower = (volatile char *)__builtin_alloca(moved + 16);
    lower[0] = 0;
    printf("stack %d: ", moved);
    simple();
    by_base();
    members();
    vectors();
    nested();
    loop();
    area(opaque(100));
    large();
    printf("\n");
    fflush(0);
}

int main() {
    for (int moved = 0; moved < 64; moved += 16) all(opaque(moved));
}
