// By value, by reference, by pointer, by base, `...`: the first handler that fits.
//
//> value: +1 copy101 caught 101 -101 -1 done, 0 alive
//> reference: +2 caught 2 -2 done, 0 alive
//> changed: +3 caught 33, again 33 -33 done, 0 alive
//> pointer: caught 4 done, 0 alive
//> derived by base: caught base 5 of kind 2 done, 0 alive
//> base not by derived: caught base 6 of kind 1 done, 0 alive
//> second base: caught second 8 of 7 done, 0 alive
//> virtual base: caught shared 9 done, 0 alive
//> private base: caught all done, 0 alive
//> derived pointer: caught pointer to second 8 done, 0 alive
//> null: caught null pointer done, 0 alive
//> int: caught int 10 done, 0 alive
//> unsigned: caught unsigned 11 done, 0 alive
//> long long: caught long long 1099511627776 done, 0 alive
//> double: caught double 1 done, 0 alive
//> text: caught text abc done, 0 alive
//> function: caught function 12 done, 0 alive
//> large: caught large 63 of 64 done, 0 alive
#include "eh.h"

struct Base {
    int n;
    Base(int n) : n(n) {}
    virtual int kind() const { return 1; }
};
struct Derived : Base {
    Derived(int n) : Base(n) {}
    int kind() const override { return 2; }
};
struct Second {
    int s = 8;
    virtual void unused() {}
};
struct Both : Base, Second {
    Both() : Base(7) {}
};
struct Shared {
    int v = 9;
};
struct Left : virtual Shared {
    int l = 1;
};
struct Right : virtual Shared {
    int r = 2;
};
struct Diamond : Left, Right {
    int d = 3;
};
struct Hidden : private Shared {};
struct Large {
    char bytes[64];
};
static Both both;
static int twelve() { return 12; }

NOINLINE static void raise(int which) {
    switch (which) {
    case 5: throw Derived(5);
    case 6: throw Base(6);
    case 7: throw Both();
    case 8: throw Diamond();
    case 9: throw Hidden();
    case 10: throw &both;
    case 11: throw (Both *)0;
    case 12: throw 10;
    case 13: throw 11u;
    case 14: throw 1099511627776ll;
    case 15: throw 1.5;
    case 16: throw "abc";
    case 17: throw &twelve;
    case 18: {
        Large large;
        for (int i = 0; i < 64; i++) large.bytes[i] = i;
        throw large;
    }
    }
}

NOINLINE static void caught(int which) {
    try {
        raise(which);
    } catch (Hidden *) {
        printf("never ");
    } catch (const Second &s) {
        printf("caught second %d of 7 ", s.s);
    } catch (const Base &b) {
        printf("caught base %d of kind %d ", b.n, b.kind());
    } catch (const Shared &s) {
        printf("caught shared %d ", s.v);
    } catch (Second *s) {
        if (s) printf("caught pointer to second %d ", s->s);
        else printf("caught null pointer ");
    } catch (int n) {
        printf("caught int %d ", n);
    } catch (unsigned n) {
        printf("caught unsigned %u ", n);
    } catch (long long n) {
        printf("caught long long %I64d ", n);
    } catch (double d) {
        printf("caught double %d ", (int)d);
    } catch (const char *text) {
        printf("caught text %s ", text);
    } catch (int (*function)()) {
        printf("caught function %d ", function());
    } catch (Large large) {
        printf("caught large %d of %d ", large.bytes[63], (int)sizeof large);
    } catch (...) {
        printf("caught all ");
    }
    line("done");
}

int main() {
    printf("value: ");
    try {
        throw Traced(1);
    } catch (Traced t) {
        printf("caught %d ", t.id);
    }
    line("done");
    printf("reference: ");
    try {
        throw Traced(2);
    } catch (const Traced &t) {
        printf("caught %d ", t.id);
    }
    line("done");
    printf("changed: ");
    try {
        try {
            throw Traced(3);
        } catch (Traced &t) {
            t.id = 33;
            printf("caught %d, ", t.id);
            throw;
        }
    } catch (Traced &t) {
        printf("again %d ", t.id);
    }
    line("done");
    printf("pointer: ");
    static int four = 4;
    try {
        throw &four;
    } catch (const int *p) {
        printf("caught %d ", *p);
    }
    line("done");
    const char *names[] = {"derived by base", "base not by derived", "second base", "virtual base", "private base",
                           "derived pointer", "null", "int", "unsigned", "long long", "double", "text", "function", "large"};
    for (int i = 0; i < 14; i++) {
        printf("%s: ", names[i]);
        caught(5 + i);
    }
}
