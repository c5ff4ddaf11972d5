// What variables hold when an exception arrives: in registers, in memory, on the edges into a pad; and arguments and results
// that are classes.
#include "common.h"
#include <initializer_list>

struct Copied {
    int id;
    char rest[12];
    Copied(int id) : id(id) { ++alive; std::memset(rest, id, sizeof rest); }
    Copied(const Copied &other) : id(other.id) {
        std::memcpy(rest, other.rest, sizeof rest);
        if (id == 13) throw Error(13, "copied");
        ++alive;
    }
    ~Copied() { --alive; }
    int sum() const {
        int n = id;
        for (char c : rest) n += c;
        return n;
    }
};
struct Large {
    long words[30];
};
struct Small {
    float x, y;
};

static int by_value(Copied a, Copied b, int n, Copied c) {
    Quiet q(n);
    return a.sum() + b.sum() * 2 + c.sum() * 3 + throws(n);
}
static Large large(Large in, Small s, int kind) {
    in.words[3] += static_cast<long>(s.x + s.y);
    in.words[4] = throws(kind);
    return in;
}
static Copied made_by(int id, int kind) {
    Copied c(id);
    if (kind) throws(kind);
    return c;
}

// Which of the calls threw shows in what the handler sees.
static int edges(int at) {
    int stage = 0;
    long a = at * 3, b = 7;
    double x = at * 0.5;
    try {
        throws(at == 0);
        stage = 1, a += 5, x += 1.25;
        throws(at == 1);
        stage = 2, b *= a, x *= 3;
        throws(at == 2);
        for (int i = 0; i < 5; i++) {
            stage = 10 + i;
            a ^= i << 4;
            throws(at == 3 + i);
            b += a;
        }
        stage = 3;
    } catch (int n) {
        say(" edges %d: stage %d a %ld b %ld x %g\n", at, stage, a, b, x);
        return n + stage;
    }
    say(" edges %d end: stage %d a %ld b %ld x %g\n", at, stage, a, b, x);
    return stage;
}

// More values than registers are kept, over calls that throw.
static long many(const long *in, int kind) {
    long a = in[0], b = in[1], c = in[2], d = in[3], e = in[4], f = in[5], g = in[6], h = in[7], i = in[8], j = in[9];
    double x = in[0] * 0.5, y = in[1] * 0.25, z = x * y;
    long long wide = static_cast<long long>(a) << 33 | b;
    for (int round = 0; round < 6; round++) {
        try {
            a += throws(round == 2 ? kind : 0), b ^= a, c += b, d -= c, e += d * 3, f ^= e;
            g += f, h += g, i ^= h, j += i, x += z, y -= x, wide = wide * 5 + a;
            throws(round == 4 ? kind : 0);
        } catch (int n) {
            a += n, j -= n, z += y, wide ^= n;
        } catch (Error &error) {
            b += error.code, i -= error.code, x += 1, wide -= error.code;
        }
    }
    say(" many %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld", a, b, c, d, e, f, g, h, i, j);
    say(" %g %g %g %lld\n", x, y, z, wide);
    return a;
}

static long double extended(long double v, int kind) {
    long double kept = v * 3;
    try {
        throws(kind);
        kept += 1;
    } catch (int n) {
        kept += static_cast<long double>(n) * v;
    } catch (Error &) {
        kept /= 4;
    }
    return kept + v;
}

#ifdef __SIZEOF_INT128__
typedef __int128 Widest;
#else
typedef long long Widest;
#endif
static Widest wide(Widest v, int kind) {
    Widest kept = v * 12345;
    try {
        throws(kind);
        kept -= 1;
    } catch (int n) {
        kept += n;
    } catch (Error &e) {
        kept ^= static_cast<Widest>(e.code) << 50;
    }
    return kept;
}

// A value that only the handler uses, one that only comes from the call, and one that both change.
static int results(int kind) {
    int only = kind * 17, both = 1, got = -1;
    try {
        got = from_deep(kind, 1);
        both = got + 2;
        got = from_deep(kind == 0 ? 1 : 0, 2);
        both = 100;
    } catch (int n) {
        return only + both + n * 1000;
    } catch (Error &e) {
        both += e.code;
    }
    return got * 10 + both;
}

struct Accumulator {
    long total = 0;
    int rounds = 0;
    virtual ~Accumulator() {}
    virtual void add(Copied c, int kind) {
        ++rounds;
        total += c.sum();
        throws(kind);
        total += 1000;
    }
};
struct Doubling : Accumulator {
    void add(Copied c, int kind) override {
        Copied twice(c);
        try {
            Accumulator::add(twice, kind);
        } catch (int n) {
            total += n;
            Accumulator::add(c, 0);
        }
    }
};

// Takes its arguments from the stack, all of them on some machines.
static long numbers(int kind, int b, long c, short d, char e, float f, double g, Small h, int i, long j, int k, Copied l) {
    return b + c + d + e + static_cast<long>(f + g + h.x + h.y) + i + j + k + l.sum() + throws(kind);
}

void values() {
    for (int n = 0; n < 3; n++) {
        for (int id = 12; id < 14; id++) {
            try {
                Copied c(id);
                say(" by value %d\n", by_value(Copied(1), made_by(2, 0), n, c));
            } catch (Error &e) {
                say(" by value: %s\n", e.text);
            } catch (int m) {
                say(" by value: %d\n", m);
            }
            say(" alive %d\n", alive);
        }
    }
    for (int kind = 0; kind < 3; kind++) {
        Large in = {};
        for (int i = 0; i < 30; i++) in.words[i] = i * i;
        try {
            in = large(in, Small{1.5f, 2.5f}, kind);
        } catch (int n) {
            in.words[5] = n;
        } catch (Error &e) {
            in.words[6] = e.code;
        }
        say(" large %ld %ld %ld %ld %ld\n", in.words[3], in.words[4], in.words[5], in.words[6], in.words[29]);
        try {
            Copied a = made_by(3, 0), b = made_by(4, kind);
            say(" made %d\n", a.sum() + b.sum());
        } catch (...) {
            say(" not made\n");
        }
    }
    for (int at = 0; at < 9; at++) say(" = %d\n", edges(at));
    long in[10] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
    for (int kind = 0; kind < 4; kind++) {
        in[kind] += many(in, kind) & 15;
        say(" extended %Lg, results %d", extended(1.5L + kind, kind), results(kind));
        Widest w = wide(static_cast<Widest>(kind + 1) << 40, kind);
        say(", wide %lld %lld\n", static_cast<long long>(w >> 20), static_cast<long long>(w));
    }
    Accumulator one;
    Doubling two;
    for (int kind = 0; kind < 3; kind++) {
        for (Accumulator *a : {&one, static_cast<Accumulator *>(&two)}) {
            try {
                a->add(Copied(kind), kind);
            } catch (int n) {
                a->total -= n;
            } catch (Error &e) {
                a->total -= e.code;
            }
        }
        say(" accumulated %ld %ld in %d %d\n", one.total, two.total, one.rounds, two.rounds);
        try {
            say(" numbers %ld\n", numbers(kind, 1, 2, 3, 4, 5.f, 6., Small{7, 8}, 9, 10, 11, Copied(12)));
        } catch (...) {
            char text[64];
            say(" numbers: %s\n", handled(text));
        }
    }
}
