// Functions whose body is a `try`: of constructors, destructors and plain functions.
//
//> function: caught 1 returned 10, 0 alive
//> argument: +2 caught 2 with 2 -2 returned 20, 0 alive
//> member: +3 caught 4 -3 outer 4, 0 alive
//> base: +5 -5 caught 6 for 7 outer 6, 0 alive
//> destructor: +8 body caught 9 -8 outer 9, 0 alive
//> another: caught 11 outer 12, 0 alive
#include "eh.h"

NOINLINE static void raise(int n) {
    if (opaque(1)) throw n;
}

NOINLINE static int function() try {
    raise(1);
    return 0;
} catch (int n) {
    printf("caught %d ", n);
    return 10;
}

NOINLINE static int argument(Traced t) try {
    raise(t.id);
    return 0;
} catch (int n) {
    printf("caught %d with %d ", n, t.id);
    return 20;
}

struct Refusing {
    Refusing(int n) { raise(n); }
};
struct Member {
    Refusing r;
    Member(const Traced &t) try : r(t.id + 1) {
        printf("never ");
    } catch (int n) {
        printf("caught %d ", n);
    }
};

struct Base {
    Traced t{5};
};
struct Derived : Base {
    Derived(int n) try : Base() {
        raise(6);
    } catch (int caught) {
        printf("caught %d for %d ", caught, n);
    }
};

struct Destroyed {
    Traced t{8};
    ~Destroyed() noexcept(false);
};
NOINLINE Destroyed::~Destroyed() noexcept(false) {
    try {
        printf("body ");
        raise(9);
    } catch (int n) {
        printf("caught %d ", n);
        throw;
    }
}

NOINLINE static void another() try {
    raise(11);
} catch (int n) {
    printf("caught %d ", n);
    throw n + 1;
}

template <typename F> NOINLINE static void check(const char *name, F function) {
    printf("%s: ", name);
    try {
        function();
    } catch (int n) {
        printf("outer %d", n);
    }
    line("");
}

int main() {
    check("function", [] { printf("returned %d", function()); });
    check("argument", [] {
        int n = argument(Traced(2));
        printf("returned %d", n);
    });
    check("member", [] { Member m(Traced(3)); });
    check("base", [] { Derived d(7); });
    check("destructor", [] { Destroyed d; });
    check("another", another);
}
