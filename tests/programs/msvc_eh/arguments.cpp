// Objects passed by value: a constructor between two arguments throws, the callee throws, a destructor of an argument throws. Arguments
// are made from the last to the first, and the callee destroys them, from the first to the last.
//
//> no exception: +2 +1 called 1 2 -1 -2 returned 3, 0 alive
//> the last throws: refused 2 caught 2, 0 alive
//> the first throws: +2 refused 1 -2 caught 1, 0 alive
//> the middle throws: +3 refused 2 -3 caught 2, 0 alive
//> the callee throws: +2 +1 called 1 2 -1 -2 caught 50, 0 alive
//> the callee's local: +2 +1 called 1 2 +9 -9 -1 -2 caught 51, 0 alive
//> copied: +5 +6 copy105 called 105 6 -105 -6 -5 returned 111, 0 alive
//> copies refused: +5 +8 refused -8 -5 caught 60, 0 alive
//> a call in a call: +4 +3 called 3 4 -3 -4 +7 +1 called 1 7 -1 -7 returned 8, 0 alive
//> the inner callee throws: +6 +4 +3 called 3 4 -3 -4 -6 caught 50, 0 alive
//> the outer throws: +4 +3 called 3 4 -3 -4 +7 refused 1 -7 caught 1, 0 alive
//> member: +2 +1 member 10 of 1 2 -1 -2 caught 52, 0 alive
//> many: +5 +4 +3 +2 +1 15 -1 -2 -3 -4 -5 returned 15, 0 alive
//> many refused: +5 +4 +3 refused 2 -3 -4 -5 caught 2, 0 alive
//> in a loop: 300 caught, the stack stays, 0 alive
//> in a handler: +1 -1 +2 refused 1 -2 caught 1, 0 alive
//> in a handler without: +3 +2 +1 called 1 2 -1 -2 -3 returned 3, 0 alive
//> tail: +2 +1 called 1 2 -1 -2 caught 50, 0 alive
#include "eh.h"

static bool silent;
static int made, gone;

/* Passed in memory on every processor, since it can be copied by its constructor alone. */
struct Argument {
    int id;
    Argument(int id, bool refuse = false) : id(id) {
        if (refuse) {
            if (!silent) printf("refused %d ", id);
            throw id;
        }
        Traced::alive++;
        made++;
        if (!silent) printf("+%d ", id);
    }
    Argument(const Argument &other) : id(other.id + 100) {
        Traced::alive++;
        made++;
        if (!silent) printf("copy%d ", id);
    }
    ~Argument() {
        Traced::alive--;
        gone++;
        if (!silent) printf("-%d ", id);
    }
};

struct Refusing {
    int id;
    Refusing(int id) : id(id) {
        Traced::alive++;
        printf("+%d ", id);
    }
    Refusing(const Refusing &) {
        printf("refused ");
        throw 60;
    }
    ~Refusing() {
        Traced::alive--;
        printf("-%d ", id);
    }
};

static int how;

NOINLINE static int two(Argument a, Argument b) {
    if (!silent) printf("called %d %d ", a.id, b.id);
    if (how == 1) throw 50;
    if (how == 2) {
        Argument local(9);
        throw 51;
    }
    return a.id + b.id;
}

NOINLINE static int mixed(int before, Argument a, double number, Argument b, Argument c, int after) {
    printf("never %d %d ", before, after);
    return a.id + b.id + c.id + (int)number;
}

NOINLINE static int copied(Refusing a, Refusing b) { return a.id + b.id; }

NOINLINE static int five(Argument a, Argument b, Argument c, Argument d, Argument e) {
    int sum = a.id + b.id + c.id + d.id + e.id;
    printf("%d ", sum);
    return sum;
}

struct Host {
    int n = 10;
    NOINLINE int member(Argument a, Argument b) {
        printf("member %d of %d %d ", n, a.id, b.id);
        throw 52;
    }
};

NOINLINE static int tail(int n) { return two(Argument(n), Argument(n + 1)); }

NOINLINE static char *stack() {
    char here;
    volatile __UINTPTR_TYPE__ address = (__UINTPTR_TYPE__)&here;
    return (char *)address;
}

template <typename F> NOINLINE static void check(const char *name, int mode, F function) {
    printf("%s: ", name);
    how = mode;
    try {
        int n = function();
        printf("returned %d", n);
    } catch (int n) {
        printf("caught %d", n);
    }
    line("");
}

int main() {
    bool yes = opaque(1);
    check("no exception", 0, [=] { return two(Argument(1), Argument(2)); });
    check("the last throws", 0, [=] { return two(Argument(1), Argument(2, yes)); });
    check("the first throws", 0, [=] { return two(Argument(1, yes), Argument(2)); });
    check("the middle throws", 0, [=] { return mixed(1, Argument(1), 2.5, Argument(2, yes), Argument(3), 4); });
    check("the callee throws", 1, [=] { return two(Argument(1), Argument(2)); });
    check("the callee's local", 2, [=] { return two(Argument(1), Argument(2)); });
    check("copied", 0, [=] {
        Argument five(5);
        return two(five, Argument(6));
    });
    check("copies refused", 0, [=] {
        Refusing five(5);
        return copied(five, Refusing(8));
    });
    check("a call in a call", 0, [=] { return two(Argument(1), Argument(two(Argument(3), Argument(4)))); });
    check("the inner callee throws", 1, [=] { return two(Argument(two(Argument(3), Argument(4))), Argument(6)); });
    check("the outer throws", 0, [=] { return two(Argument(1, yes), Argument(two(Argument(3), Argument(4)))); });
    check("member", 0, [=] {
        Host host;
        return host.member(Argument(1), Argument(2));
    });
    check("many", 0, [=] { return five(Argument(1), Argument(2), Argument(3), Argument(4), Argument(5)); });
    check("many refused", 0, [=] { return five(Argument(1), Argument(2, yes), Argument(3), Argument(4), Argument(5)); });
    printf("in a loop: ");
    silent = true;
    int caught = 0;
    char *before = 0;
    bool stays = true;
    for (int i = 0; i < 300; i++) {
        how = i % 3 == 2;
        try {
            two(Argument(1, i % 3 == 0), Argument(2, i % 3 == 1));
        } catch (int) {
            caught++;
        }
        char *now = stack();
        if (before && now != before) stays = false;
        before = now;
    }
    silent = false;
    printf("%d caught, the stack %s", caught, stays && made == gone ? "stays" : "moves");
    line("");
    check("in a handler", 0, [=] {
        try {
            Argument one(1);
            throw 'c';
        } catch (char) {
            return two(Argument(1, yes), Argument(2));
        }
    });
    check("in a handler without", 0, [=] {
        try {
            throw Argument(3);
        } catch (const Argument &) {
            return two(Argument(1), Argument(2));
        }
    });
    check("tail", 1, [=] { return tail(1); });
}
