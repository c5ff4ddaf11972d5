// Handlers in handlers, rethrown exceptions, new ones from handlers.
//
//> rethrown: +1 inner 1 outer 1 -1 done, 0 alive
//> rethrown by a function: +2 first 2 second 2 -2 done, 0 alive
//> another: +3 inner 3 +4 -3 outer 4 -4 done, 0 alive
//> handled in a handler: +5 outer 5 +6 inner 6 -6 still 5 -5 done, 0 alive
//> rethrown outer: +9 outer 9 +10 inner 10 -10 last 9 -9 done, 0 alive
//> in a loop: 0 1 2 3 4 5 6 7 done, 0 alive
//> depth: 5 4 3 2 1 0 up 1 2 3 4 5 6 done, 0 alive
//> returned from a handler: +12 -12 42 done, 0 alive
//> local in a handler: +13 +14 -14 -13 outer done, 0 alive
//> jumped out of handlers: 0 +20 -20 1 +21 -21 2 +22 -22 done, 0 alive
#include "eh.h"

NOINLINE static void again() { throw; }

NOINLINE static void rethrown_by_function() {
    try {
        throw Traced(2);
    } catch (Traced &t) {
        printf("first %d ", t.id);
        again();
    }
}

NOINLINE static void depth(int n) {
    printf("%d ", n);
    if (n == 0) throw 0;
    try {
        depth(n - 1);
    } catch (int k) {
        if (n == 5) printf("up 1 ");
        throw k + 1;
    }
}

NOINLINE static int returned() {
    try {
        throw Traced(12);
    } catch (const Traced &t) {
        return t.id + 30;
    }
}

NOINLINE static void inner_of_function(int id) {
    try {
        throw Traced(id);
    } catch (const Traced &t) {
        printf("inner %d ", t.id);
    }
}

int main() {
    printf("rethrown: ");
    try {
        try {
            throw Traced(1);
        } catch (Traced &t) {
            printf("inner %d ", t.id);
            throw;
        }
    } catch (Traced &t) {
        printf("outer %d ", t.id);
    }
    line("done");
    printf("rethrown by a function: ");
    try {
        rethrown_by_function();
    } catch (Traced &t) {
        printf("second %d ", t.id);
    }
    line("done");
    printf("another: ");
    try {
        try {
            throw Traced(3);
        } catch (Traced &t) {
            printf("inner %d ", t.id);
            throw Traced(4);
        }
    } catch (Traced &t) {
        printf("outer %d ", t.id);
    }
    line("done");
    printf("handled in a handler: ");
    try {
        throw Traced(5);
    } catch (Traced &t) {
        printf("outer %d ", t.id);
        try {
            throw Traced(6);
        } catch (Traced &u) {
            printf("inner %d ", u.id);
        }
        printf("still %d ", t.id);
    }
    line("done");
    printf("rethrown outer: ");
    try {
        try {
            throw Traced(9);
        } catch (Traced &t) {
            printf("outer %d ", t.id);
            inner_of_function(10);
            throw;
        }
    } catch (Traced &t) {
        printf("last %d ", t.id);
    }
    line("done");
    printf("in a loop: ");
    for (int i = 0; i < 8; i++) {
        try {
            try {
                throw i;
            } catch (int &n) {
                n += 10;
                throw;
            }
        } catch (int n) {
            printf("%d ", n - 10);
        }
    }
    line("done");
    printf("depth: ");
    try {
        depth(5);
    } catch (int n) {
        for (int i = 2; i <= n + 1; i++) printf("%d ", i);
    }
    line("done");
    printf("returned from a handler: ");
    printf("%d ", returned());
    line("done");
    printf("local in a handler: ");
    try {
        try {
            throw 1;
        } catch (int) {
            Traced a(13), b(14);
            throw 2;
        }
    } catch (int) {
        printf("outer ");
    }
    line("done");
    printf("jumped out of handlers: ");
    for (int i = 0;; i++) {
        if (i == 3) break;
        printf("%d ", i);
        try {
            throw Traced(20 + i);
        } catch (Traced &) {
            if (i == 2) break;
            continue;
        }
    }
    line("done");
}
