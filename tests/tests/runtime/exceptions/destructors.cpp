// What is destroyed on the way, and in which order.
#include "common.h"
#include <new>

static int countdown;
struct Part {
    Loud loud;
    Part(int id = 0) : loud(id) {
        if (--countdown == 0) throw Error(id, "part");
    }
};
struct Whole {
    Part a{1};
    Loud b{2};
    Part c[3] = {10, 11, 12};
    Part d{20};
};
struct Virtual : virtual Part {
    Virtual() : Part(30) {}
};
struct Left : Virtual {
    Part left{31};
};
struct Diamond : Left, virtual Part {
    Part own{32};
    Diamond() : Part(33) {}
};

static long allocated;
struct Placed {
    Loud loud{40};
    Placed() {
        if (--countdown <= 0) throw 40;
    }
    static void *operator new(std::size_t n) { ++allocated; return std::malloc(n); }
    static void operator delete(void *p) { --allocated; std::free(p); }
    static void *operator new[](std::size_t n) { ++allocated; return std::malloc(n); }
    static void operator delete[](void *p) { --allocated; std::free(p); }
};

template <class T> static void build(int when) {
    countdown = when;
    try {
        T whole;
        say(" built\n");
    } catch (Error &e) {
        say(" failed at %d\n", e.code);
    }
}

static Loud temporary(int n) { return Loud(n); }
static int takes(const Loud &a, const Loud &b, int n) { return a.id + b.id + throws(n); }

static int leave(int how) {
    Loud first(1);
    for (int i = 0; i < 3; i++) {
        Loud in_loop(10 + i);
        if (how == 1) break;
        if (how == 2) continue;
        if (how == 3) return i;
        if (how == 4) goto end;
        if (how == 5) throws(1);
        {
            Loud inner(20 + i);
            if (how == 6 && i == 1) throws(2);
        }
        if (how == 7 && i == 2) throws(3);
    }
    {
        Loud after(30);
        if (how == 8) throws(1);
    }
end:
    Loud last(40);
    return how == 9 ? throws(2) : 100;
}

struct Throwing {
    int id;
    ~Throwing() noexcept(false) {
        say(" ~Throwing %d", id);
        if (id > 0) throw id;
    }
};

static int attempts;
static int costly() {
    if (++attempts < 3) throw attempts;
    return attempts;
}
static int once() {
    static Loud guard(90);
    static int value = costly();
    return value;
}

static Loud returned(int kind) {
    Loud result(70);
    Loud other(71);
    throws(kind);
    return result;
}

static int conditional(bool first, int kind) {
    const Loud &kept = first ? Loud(80) : temporary(81);
    return (first && Loud(82).id > 0 ? throws(kind) : 5) + kept.id;
}

void destructors() {
    for (int when = 0; when < 8; when++) build<Whole>(when);
    for (int when = 0; when < 5; when++) build<Diamond>(when);
    for (int when = 1; when < 5; when++) {
        countdown = when;
        try {
            Placed *one = new Placed;
            Placed *many = new Placed[2];
            delete[] many;
            delete one;
            say(" placed\n");
        } catch (int n) {
            say(" not placed %d\n", n);
        }
        say(" allocated %ld\n", allocated);
        allocated = 0;
    }
    for (int how = 0; how < 10; how++) {
        try {
            say(" left with %d\n", leave(how));
        } catch (int n) {
            say(" thrown %d by %d\n", n, how);
        } catch (Error &e) {
            say(" thrown %s by %d\n", e.kind(), how);
        }
    }
    for (int kind = 0; kind < 3; kind++) {
        try {
            say(" took %d\n", takes(Loud(50), temporary(51), kind));
        } catch (...) {
            say(" did not take\n");
        }
    }
    try {
        Throwing a{1};
        Loud between(60);
        Throwing b{0};
        say(" in the block\n");
    } catch (int n) {
        say(" from a destructor %d\n", n);
    }
    try {
        Loud before(61);
        Throwing a{2};
        Loud between(62);
    } catch (int n) {
        say(" from a destructor %d\n", n);
    }
    for (int i = 0; i < 4; i++) {
        try {
            say(" once %d\n", once());
        } catch (int n) {
            say(" not yet %d\n", n);
        }
    }
    for (int kind = 0; kind < 2; kind++) {
        try {
            Loud got = returned(kind);
            say(" returned %d\n", got.id);
        } catch (int n) {
            say(" not returned %d\n", n);
        }
    }
    for (int i = 0; i < 4; i++) {
        try {
            say(" conditional %d\n", conditional(i & 1, i & 2));
        } catch (Error &e) {
            say(" conditional %s\n", e.text);
        }
    }
    --alive; // the static one
}
