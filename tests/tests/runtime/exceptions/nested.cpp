// Handlers in handlers, exceptions thrown again, functions that are a try block as a whole.
#include "common.h"
#include <exception>

static void kinds() {
    for (int kind = 0; kind < 10; kind++) {
        try {
            Loud one(kind);
            int n = from_deep(kind, kind % 3);
            say(" returned %d\n", n);
        } catch (int n) {
            say(" int %d\n", n);
        } catch (const Worse &e) {
            say(" worse %d %s %g\n", e.code, e.kind(), e.weight);
        } catch (Error e) {
            say(" error %d %s %s\n", e.code, e.kind(), e.text);
        } catch (Error *e) {
            say(" pointer %d %s\n", e->code, e->kind());
        } catch (const char *s) {
            say(" text %s\n", s);
        } catch (...) {
            char text[64];
            say(" other: %s\n", handled(text));
        }
    }
}

static int again(int kind) {
    try {
        try {
            return from_deep(kind, 2);
        } catch (Error &e) {
            e.code += 1000;
            throw;
        } catch (int n) {
            Loud in_handler(n);
            throw Worse(n * 2, 0.5);
        }
    } catch (Worse &e) {
        say(" outer worse %d %g\n", e.code, e.weight);
        return 1;
    } catch (Error &e) {
        say(" outer error %d\n", e.code);
        return 2;
    }
}

// Throws in a handler while another exception is handled, and goes back to that.
static void both() {
    try {
        throws(2);
    } catch (Error &first) {
        try {
            throws(3);
        } catch (Worse &second) {
            say(" first %s, second %s\n", first.kind(), second.kind());
            try {
                throw;
            } catch (Error &third) {
                say(" third %s %d\n", third.kind(), &third == &second);
            }
        }
        char text[64];
        say(" back to %s\n", handled(text));
    }
}

static int whole(int kind) try {
    Loud inside(50 + kind);
    return throws(kind);
} catch (int n) {
    return -n;
} catch (Error &e) {
    return -e.code;
}

struct Base {
    Loud member;
    Base(int kind) : member(60) { throws(kind); }
    ~Base() { say(" ~Base"); }
};
struct Derived : Base {
    Loud own;
    Derived(int first, int second) try : Base(first), own(61) {
        throws(second);
    } catch (Error &e) {
        say(" in Derived %d\n", e.code);
        // Goes on by itself.
    } catch (int n) {
        throw Worse(n, 1.5);
    }
    ~Derived() { say(" ~Derived"); }
};

static int in_loop(int rounds) {
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        try {
            if (i % 5 == 4) continue;
            sum += throws(i % 4);
            if (i == 17) break;
        } catch (int n) {
            sum += n;
            if (i > 20) goto out;
        } catch (Error &e) {
            sum += e.code * i;
            continue;
        }
        sum ^= i;
    }
out:
    return sum;
}

static int choose(int n) { return n > 2 ? throw n : n < 0 ? (throws(2), 0) : n * 2; }

void nested() {
    kinds();
    for (int kind = 0; kind < 4; kind++) {
        int r = again(kind);
        say(" again %d: %d\n", kind, r);
    }
    both();
    for (int kind = 0; kind < 4; kind++) say(" whole %d\n", whole(kind));
    for (int pair = 0; pair < 9; pair++) {
        try {
            Derived d(pair / 3, pair % 3);
            say(" complete\n");
        } catch (Error &e) {
            say(" outside %s %d\n", e.kind(), e.code);
        } catch (int n) {
            say(" outside int %d\n", n);
        }
        say(" done\n");
    }
    say(" loop %d %d\n", in_loop(10), in_loop(40));
    for (int n = -1; n < 5; n += 2) {
        try {
            say(" chosen %d\n", choose(n));
        } catch (int m) {
            say(" not chosen %d\n", m);
        } catch (Error &e) {
            say(" not chosen %s\n", e.text);
        }
    }
    // Kept for later.
    std::exception_ptr kept;
    try {
        throws(6);
    } catch (...) {
        kept = std::current_exception();
    }
    try {
        std::rethrow_exception(kept);
    } catch (Odd &o) {
        say(" kept %ld\n", o.inside.value);
    }
    try {
        try {
            throws(1);
        } catch (...) {
            std::throw_with_nested(Error(5, "around"));
        }
    } catch (const Error &e) {
        try {
            std::rethrow_if_nested(e);
        } catch (int n) {
            say(" %s a nested %d\n", e.text, n);
        }
    }
    say(" pass %d %d\n", pass(3, inline_catch), pass(1, inline_catch));
    try {
        pass(7, inline_catch);
    } catch (double x) {
        say(" through pass %g\n", x);
    }
}
