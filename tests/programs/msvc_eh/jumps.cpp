// `longjmp` over frames of plain functions, out of a handler's callee, and again and again.
//
//> over frames: 0 3 returned, 0 alive
//> loop: 100 jumps, the stack stays, 0 alive
//> with a handler around: jumped 5 caught 6, 0 alive
//> kept: 1 2 3 4, 0 alive
#include "eh.h"

#if defined(__i386__)
typedef int Jump[16];
#else
typedef __attribute__((aligned(16))) long long Jump[64];
#endif
extern "C" int _setjmp(Jump) __attribute__((returns_twice));
extern "C" [[noreturn]] void longjmp(Jump, int);

static Jump place;
static volatile int sink;

NOINLINE static void leave(int n) {
    if (n == 0) longjmp(place, 3);
    int a = opaque(n), b = opaque(n + 1), c = opaque(n + 2);
    leave(n - 1);
    sink = a + b + c;
}

NOINLINE static char *stack() {
    char here;
    volatile __UINTPTR_TYPE__ address = (__UINTPTR_TYPE__)&here;
    return (char *)address;
}

NOINLINE static int jumped(int n) {
    int came = _setjmp(place);
    if (came) return came + 2;
    leave(n);
    return 0;
}

int main() {
    printf("over frames: ");
    int came = _setjmp(place);
    printf("%d ", came);
    if (!came) leave(5);
    printf("returned");
    line("");
    volatile int jumps = 0;
    char *before = stack();
    while (_setjmp(place) == 0 || jumps < 100) {
        jumps = jumps + 1;
        leave(3);
    }
    printf("loop: %d jumps, the stack %s", jumps, before == stack() ? "stays" : "moves");
    line("");
    printf("with a handler around: ");
    try {
        printf("jumped %d ", jumped(4));
        throw 6;
    } catch (int n) {
        printf("caught %d", n);
    }
    line("");
    int a = opaque(1), b = opaque(2), c = opaque(3), d = opaque(4);
    jumped(3);
    printf("kept: %d %d %d %d", a, b, c, d);
    line("");
}
