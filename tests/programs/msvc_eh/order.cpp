// Destructors run exactly once, in the opposite order of the constructors, of what was finished alone.
//
//> locals: +1 +2 +3 -3 -2 -1 caught 1, 0 alive
//> frames: +10 +11 +12 +13 -13 -12 -11 -10 caught 2, 0 alive
//> members: +20 +21 -21 -20 caught 3, 0 alive
//> base: +30 +31 +32 -32 -31 -30 caught 4, 0 alive
//> array: +0 +1 +2 -2 -1 -0 caught 5, 0 alive
//> array on the heap: +0 +1 +2 -2 -1 -0 freed caught 5, 0 alive
//> new: allocated freed caught 6, 0 alive
//> temporary: +41 +40 -40 -41 caught 7, 0 alive
//> branches: +50 +52 -52 -50 caught 8, 0 alive
//> branches: +50 +51 -51 -50 caught 8, 0 alive
//> destructor that throws: +60 +61 +62 -62 throws -61 -60 caught 9, 0 alive
//> handled while unwound: +70 +71 -71 -70 caught 10, 0 alive
//> returned object: +80 +81 -81 -80 caught 11, 0 alive
//> kept: +90 +91 -91 caught 12 -90 end, 0 alive
#include "eh.h"

extern "C" void *malloc(decltype(sizeof 0));
extern "C" void free(void *);

NOINLINE static void raise(int n) {
    if (opaque(1)) throw n;
}

NOINLINE static void locals() {
    Traced a(1), b(2);
    Traced c(3);
    raise(1);
    Traced d(4);
}

NOINLINE static void frame(int n) {
    Traced t(n);
    if (n == 13) raise(2);
    else frame(n + 1);
}

struct Members {
    Traced a{20}, b{21};
    int c = (raise(3), 1);
    Traced d{22};
};

struct First {
    Traced t{30};
};
struct Second : First {
    Traced t{31};
    Second() {
        Traced local(32);
        raise(4);
    }
};

/* The fourth does not come to be. */
struct Quiet {
    int id;
    Quiet(int n) : id(n) {
        if (n == 3) throw 5;
        printf("+%d ", n);
        Traced::alive++;
    }
    ~Quiet() {
        printf("-%d ", id);
        Traced::alive--;
    }
};
static int next_quiet;
struct Numbered : Quiet {
    Numbered() : Quiet(next_quiet++) {}
    void *operator new[](decltype(sizeof 0) size) { return malloc(size); }
    void operator delete[](void *p) {
        printf("freed ");
        free(p);
    }
};

struct Allocated {
    Allocated() { raise(6); }
    void *operator new(decltype(sizeof 0) size) {
        printf("allocated ");
        return malloc(size);
    }
    void operator delete(void *p) {
        printf("freed ");
        free(p);
    }
};

NOINLINE static int sum(const Traced &a, const Traced &b) {
    raise(7);
    return a.id + b.id;
}

NOINLINE static void branches(bool which) {
    Traced a(50);
    if (which) {
        Traced b(51);
        raise(8);
    } else {
        Traced b(52);
        raise(8);
    }
}

struct Throwing {
    Traced t{61};
    ~Throwing() noexcept(false) {
        printf("throws ");
        throw 9;
    }
};
NOINLINE static void by_destructor() {
    Traced a(60);
    Throwing b;
    Traced c(62);
}

struct Handling {
    Traced t{71};
    ~Handling() {
        try {
            raise(100);
        } catch (int) {
        }
    }
};
NOINLINE static void handled_while_unwound() {
    Traced a(70);
    Handling b;
    raise(10);
}

NOINLINE static Traced returned() {
    Traced result(80);
    Traced other(81);
    raise(11);
    return result;
}

template <typename F> NOINLINE static void check(const char *name, F function) {
    printf("%s: ", name);
    try {
        function();
    } catch (int n) {
        printf("caught %d", n);
    }
    line("");
}

int main() {
    check("locals", locals);
    check("frames", [] { frame(10); });
    check("members", [] { Members m; });
    check("base", [] { Second s; });
    check("array", [] {
        next_quiet = 0;
        Numbered all[6];
    });
    check("array on the heap", [] {
        next_quiet = 0;
        new Numbered[6];
    });
    check("new", [] { new Allocated; });
    check("temporary", [] { sum(Traced(40), Traced(41)); });
    check("branches", [] { branches(false); });
    check("branches", [] { branches(true); });
    check("destructor that throws", by_destructor);
    check("handled while unwound", handled_while_unwound);
    check("returned object", [] { returned(); });
    printf("kept: ");
    {
        Traced kept(90);
        try {
            Traced lost(91);
            raise(12);
        } catch (int n) {
            printf("caught %d ", n);
        }
    }
    line("end");
}
