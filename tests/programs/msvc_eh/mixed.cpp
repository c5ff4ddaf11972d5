// A C++ exception as `__except` and `__finally` see it: a code and three or four numbers.
//without i686: `_except_handler3` (Wine 8.0) unwinds without saying by which exception, and C++ frames then do nothing.
//
//> except: +1 filter e06d7363 -1 handler, 0 alive
//> finally: +2 +3 -3 finally -2 caught 4, 0 alive
//> passed on: +5 filter e06d7363 -5 caught 6, 0 alive
//> number: 7, 0 alive
#include "eh.h"

extern "C" unsigned long _exception_code();

static int number;

NOINLINE static void raise(int n) {
    Traced local(n);
    if (opaque(1)) throw n + 1;
}
NOINLINE static int looks(unsigned long code, int answer) {
    printf("filter %x ", (unsigned)code);
    return answer;
}
NOINLINE static void excepted() {
    __try {
        raise(1);
    } __except (looks(_exception_code(), 1)) {
        printf("handler");
    }
}
NOINLINE static void finally() {
    __try {
        raise(3);
    } __finally {
        printf("finally ");
        number += 7;
    }
}
NOINLINE static void around() {
    Traced local(2);
    finally();
}
NOINLINE static void passed_on() {
    __try {
        raise(5);
    } __except (looks(_exception_code(), 0)) {
        printf("never ");
    }
}

int main() {
    printf("except: ");
    excepted();
    line("");
    printf("finally: ");
    try {
        around();
    } catch (int n) {
        printf("caught %d", n);
    }
    line("");
    printf("passed on: ");
    try {
        passed_on();
    } catch (int n) {
        printf("caught %d", n);
    }
    line("");
    printf("number: %d", number);
    line("");
}
