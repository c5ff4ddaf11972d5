// Exception specifications of C++14, and ends of the program that they ask for.
#include "common.h"
#include <exception>

static void none() throw() { say(" none\n"); }
static int some(int kind) throw(int, Error) { Quiet q(kind); return throws(kind); }
static int bad(int kind) throw(int, std::bad_exception) { return throws(kind); }
static int never(int kind) noexcept { Loud l(kind); return throws(kind); }
static int maybe(int kind) noexcept(false) { return throws(kind); }
static int inside(int kind) noexcept {
    try {
        return throws(kind);
    } catch (int n) {
        return n;
    } catch (Error &e) {
        return e.code;
    }
}
static int empty(int kind) throw() {
    Quiet q(kind);
    return from_deep(kind, 1);
}

static void gives_int() { throw 7; }
static void gives_text() { throw "unexpected"; }

struct Ends {
    ~Ends() { throws(1); }
};

static void terminated() {
    char text[64];
    try {
        if (std::current_exception()) throw;
        say(" terminated without exception\n");
    } catch (...) {
        say(" terminated, %s, alive %d\n", handled(text), alive);
    }
    std::fflush(stdout);
    std::_Exit(3);
}

void doomed(int which) {
    std::set_terminate(terminated);
    switch (which) {
    case 0: never(1); break;
    case 1: empty(2); break;
    case 2: some(7); break;
    case 3:
        try {
            Ends e;
            throws(2);
        } catch (Error &) {
            say(" wrong\n");
        }
        break;
    case 4: {
        Ends e;
        break;
    }
    case 5: inside(7); break;
    case 6: throw; break;
    case 7: std::set_unexpected(gives_text); some(7); break;
    case 8: throws(3); break;
    default: std::terminate();
    }
}

void specifications() {
    none();
    say(" never %d, maybe %d, empty %d\n", never(0), maybe(0), empty(0));
    for (int kind = 0; kind < 4; kind++) {
        try {
            say(" some %d, inside %d\n", some(kind), inside(kind));
        } catch (int n) {
            say(" some: int %d\n", n);
        } catch (Error &e) {
            say(" some: %s %d\n", e.kind(), e.code);
        }
    }
    auto before = std::set_unexpected(gives_int);
    try {
        some(7);
    } catch (int n) {
        say(" unexpected became %d\n", n);
    }
    std::set_unexpected(gives_text);
    try {
        bad(7);
    } catch (std::bad_exception &) {
        say(" bad exception\n");
    }
    std::set_unexpected(before);
    say(" uncaught: %d\n", std::uncaught_exception());
}
