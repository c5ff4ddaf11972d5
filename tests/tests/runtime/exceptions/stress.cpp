// Random programs of calls, throws and handlers, with a sum over what happens.
#include "common.h"

static unsigned state, sum;
static unsigned next() {
    state = state * 1664525 + 1013904223;
    return state >> 16;
}
static void note(unsigned n) { sum = (sum << 5 | sum >> 27) ^ n; }

struct Noted {
    unsigned id;
    explicit Noted(unsigned id) : id(id) { note(id); ++alive; }
    Noted(const Noted &n) : id(n.id + 1) { note(id); ++alive; }
    ~Noted() { note(~id); --alive; }
};
struct First { Noted n; };
struct Second : First { unsigned more; };
struct Third { double d; };

static void act(int depth);

static unsigned body(int depth, unsigned a, double x) {
    unsigned b = a * 3, c = a ^ b;
    Noted outer(a);
    switch (next() % 12) {
    case 0: throw First{Noted(b)};
    case 1: throw Second{{Noted(c)}, b};
    case 2: throw Third{x};
    case 3: throw static_cast<int>(a);
    case 4: {
        Noted inner(b);
        act(depth - 1);
        note(inner.id + c);
        break;
    }
    case 5: {
        const Noted &kept = Noted(c);
        act(depth - 1);
        act(depth - 1);
        note(kept.id);
        break;
    }
    case 6:
        for (unsigned i = 0; i < next() % 4; i++) {
            Noted each(i);
            act(depth - 1);
            if (next() % 5 == 0) break;
        }
        break;
    default: act(depth - 1);
    }
    return b + c + static_cast<unsigned>(x * 4);
}

static void act(int depth) {
    if (depth <= 0) return note(1);
    unsigned a = next(), stage = 0;
    double x = static_cast<double>(a % 100) / 4;
    try {
        note(body(depth, a, x));
        stage = 1;
        if (a % 3 == 0) {
            try {
                note(body(depth - 1, a + 1, x + 1));
                stage = 2;
            } catch (Second &s) {
                note(s.more + stage);
                s.more++;
                if (a % 2) throw;
            } catch (int n) {
                note(static_cast<unsigned>(n));
                if (a % 5 == 0) throw Third{x};
            }
        }
        stage = 3;
        note(body(depth - 2, a + stage, x * 2));
    } catch (First &f) {
        note(f.n.id * 5 + stage);
        if (a % 7 == 0) throw;
        if (a % 7 == 1) act(depth - 2);
        if (a % 7 == 2) throw static_cast<int>(stage);
    } catch (Third &t) {
        note(static_cast<unsigned>(t.d * 8) + stage);
    } catch (int n) {
        if (n % 4 == 0) throw;
        note(static_cast<unsigned>(n) + stage);
    }
}

void stress() {
    for (unsigned seed = 1; seed <= 400; seed++) {
        state = seed, sum = 0;
        int before = alive;
        const char *end = "done";
        try {
            act(12);
        } catch (Second &) {
            end = "Second";
        } catch (First &) {
            end = "First";
        } catch (Third &) {
            end = "Third";
        } catch (int) {
            end = "int";
        }
        if (seed % 16 == 0 || alive != before) say(" %u: %08x %s %d\n", seed, sum, end, alive - before);
    }
}
