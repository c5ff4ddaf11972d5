// Which handler fits: bases, virtual and private and ambiguous ones, pointers, qualifiers, members, enumerations, functions.
#include "common.h"
#include <initializer_list>
#include <typeinfo>

namespace {
// Its type is of this unit alone.
struct Here {
    int n;
};
}
struct A { int a = 1; virtual ~A() {} };
struct B { int b = 2; virtual ~B() {} };
struct AB : A, B { int ab = 3; };
struct V1 : virtual A { int v1 = 4; };
struct V2 : virtual A { int v2 = 5; };
struct VV : V1, V2, B { int vv = 6; };
struct P : private A { int p = 7; };
struct D1 : A {};
struct D2 : A {};
struct Twice : D1, D2 {};
enum Colour { red, green };
enum class Strict : short { one = 1 };
template <int N> struct Numbered : Numbered<N - 1> {
    int own = N;
};
template <> struct Numbered<0> {
    int own = 0;
    virtual ~Numbered() {}
};
static int a_function(int n) { return n * 2; }

template <class F> static const char *which(F throws_it) {
    static char text[80];
    try {
        Quiet q(1);
        throws_it();
        return "nothing";
    } catch (Here &h) {
        std::snprintf(text, sizeof text, "Here %d", h.n);
    } catch (Numbered<3> &n) {
        std::snprintf(text, sizeof text, "Numbered<3> %d", n.own);
    } catch (V2 &v) {
        std::snprintf(text, sizeof text, "V2 %d %d", v.v2, v.a);
    } catch (B &b) {
        std::snprintf(text, sizeof text, "B %d", b.b);
    } catch (A &a) {
        std::snprintf(text, sizeof text, "A %d", a.a);
    } catch (A *a) {
        std::snprintf(text, sizeof text, "A* %d", a ? a->a : -1);
    } catch (const B *b) {
        std::snprintf(text, sizeof text, "const B* %d", b->b);
    } catch (int A::*m) {
        A a;
        std::snprintf(text, sizeof text, "int A::* %d", m ? a.*m : -1);
    } catch (int (*f)(int)) {
        std::snprintf(text, sizeof text, "function %d", f(21));
    } catch (Colour c) {
        std::snprintf(text, sizeof text, "Colour %d", c);
    } catch (Strict s) {
        std::snprintf(text, sizeof text, "Strict %d", static_cast<int>(s));
    } catch (unsigned char c) {
        std::snprintf(text, sizeof text, "unsigned char %d", c);
    } catch (const volatile short *s) {
        std::snprintf(text, sizeof text, "const volatile short* %d", *s);
    } catch (const void *p) {
        std::snprintf(text, sizeof text, "const void* %d", p != nullptr);
    } catch (const char (&array)[3]) {
        std::snprintf(text, sizeof text, "array %s", array);
    } catch (...) {
        std::snprintf(text, sizeof text, "another");
    }
    return text;
}

// The same types in one chain after another: clauses are shared between pads.
static int chain(int kind) {
    int sum = 0;
    try {
        try {
            try {
                sum += throws(kind);
            } catch (char) {
                sum += 1;
            }
            sum += throws(kind == 0 ? 9 : 0);
        } catch (long long n) {
            sum += static_cast<int>(n >> 40) * 10;
        } catch (double) {
            sum += 20;
        }
        sum += throws(kind == 8 ? 7 : 0);
    } catch (double) {
        sum += 300;
    } catch (char) {
        sum += 400;
    }
    return sum;
}

// More types than a byte counts.
template <int N> struct Tagged {
    int value = N * 3;
};
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define ALL(X) \
    TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4) TEN(X, 5) TEN(X, 6) TEN(X, 7) TEN(X, 8) TEN(X, 9) TEN(X, 10) TEN(X, 11) \
    TEN(X, 12) TEN(X, 13) TEN(X, 14) TEN(X, 15) TEN(X, 16) TEN(X, 17) TEN(X, 18) TEN(X, 19) TEN(X, 20)
static void tagged(int n) {
    Quiet q(n);
    switch (n) {
#define THROW(n) case n: throw Tagged<n>();
        ALL(THROW)
    }
    throw n;
}
static int untagged(int n) {
    Quiet q(n);
    try {
        try {
            tagged(n);
            return 0;
        } catch (Tagged<150> &) {
            return -150;
        } catch (Tagged<11> &) {
            return -11;
        }
    }
#define CATCH(n) catch (Tagged<n> &t) { return t.value + static_cast<int>(q.value) * 1000; }
    ALL(CATCH)
}

struct Visitor {
    virtual void visit(int depth) = 0;
};
struct Collect : Visitor {
    Quiet kept{3};
    int seen = 0;
    void visit(int depth) override {
        Quiet q(depth);
        ++seen;
        if (depth == 0) throw AB();
        try {
            visit(depth - 1);
        } catch (B &b) {
            b.b += depth;
            if (depth == 4) {
                AB *whole = dynamic_cast<AB *>(&b);
                throw *whole;
            }
            throw;
        }
    }
};

void classes() {
    static short s = 9;
    static A a;
    static AB ab;
    static int target;
    say(" %s\n", which([] { throw Here{5}; }));
    say(" %s\n", which([] { throw Numbered<5>(); }));
    say(" %s\n", which([] { throw Numbered<2>(); }));
    say(" %s\n", which([] { throw VV(); }));
    say(" %s\n", which([] { throw V1(); }));
    say(" %s\n", which([] { throw AB(); }));
    say(" %s\n", which([] { throw P(); }));
    say(" %s\n", which([] { throw Twice(); }));
    say(" %s\n", which([] { throw &a; }));
    say(" %s\n", which([] { throw &ab; }));
    say(" %s\n", which([] { throw static_cast<B *>(&ab); }));
    say(" %s\n", which([] { throw static_cast<const A *>(&a); }));
    say(" %s\n", which([] { throw nullptr; }));
    say(" %s\n", which([] { throw &A::a; }));
    say(" %s\n", which([] { throw a_function; }));
    say(" %s\n", which([] { throw green; }));
    say(" %s\n", which([] { throw Strict::one; }));
    say(" %s\n", which([] { throw static_cast<unsigned char>(200); }));
    say(" %s\n", which([] { throw &s; }));
    say(" %s\n", which([] { throw &target; }));
    say(" %s\n", which([] { throw "ab"; }));
    say(" %s\n", which([] { throw 1; }));
    say(" %s\n", which([] {}));
    for (int kind : {0, 7, 8, 9}) say(" chain %d\n", chain(kind));
    for (int n = 9; n < 212; n += n < 12 || n > 207 ? 1 : 13) {
        try {
            say(" untagged %d\n", untagged(n));
        } catch (int m) {
            say(" untagged: int %d\n", m);
        }
    }
    Collect c;
    try {
        c.visit(6);
    } catch (A &got) {
        say(" visited %d, %s\n", c.seen, typeid(got) == typeid(AB) ? "whole" : "part");
        say(" %d\n", dynamic_cast<B &>(got).b);
    }
}
