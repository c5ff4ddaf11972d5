// Initializers of static variables that throw are tried again; `dynamic_cast` and the number of exceptions under way.
//
//> before main: 3
//> static: refused refused made 3 3, 0 alive
//> uncaught: 0 1 0, 0 alive
//> cast: derived 2, base alone 0, 0 alive
//> at the end: gone
#include "eh.h"

extern "C" int __uncaught_exceptions();

static int early = opaque(3);

struct Static {
    static inline int tries = 0;
    int n;
    Static() : n(++tries) {
        if (n < 3) {
            printf("refused ");
            throw n;
        }
        printf("made ");
    }
    ~Static() {
        printf("at the end: gone\n");
        fflush(0);
    }
};
NOINLINE static int number() {
    static Static object;
    return object.n;
}

struct Asking {
    ~Asking() { printf("%d ", __uncaught_exceptions()); }
};
NOINLINE static void asks(int n) {
    Asking asking;
    if (n) throw n;
}

struct Base {
    virtual ~Base() {}
};
struct Derived : Base {
    int n = 2;
};
NOINLINE static int cast(Base *base) {
    Derived *derived = dynamic_cast<Derived *>(base);
    return derived ? derived->n : 0;
}

int main() {
    printf("before main: %d\n", early);
    printf("static: ");
    for (int i = 0; i < 4; i++) {
        try {
            printf(i == 2 ? "%d " : "%d", number());
        } catch (int) {
        }
    }
    line("");
    printf("uncaught: ");
    try {
        asks(0);
        asks(1);
    } catch (int) {
        printf("%d", __uncaught_exceptions());
    }
    line("");
    Base base;
    Derived derived;
    int a = cast(&derived), b = cast(&base);
    printf("cast: derived %d, base alone %d", a, b);
    line("");
}
