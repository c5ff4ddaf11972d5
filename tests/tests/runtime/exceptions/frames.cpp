// Frames of every shape: large, aligned, of a size that is known late, with arguments on the stack and without a fixed number.
#include "common.h"
#include <cstdint>

static long use(const char *p, long n) {
    long sum = 0;
    for (long i = 0; i < n; i += 97) sum = sum * 31 + p[i];
    return sum;
}

static long large(int kind) {
    char room[70000];
    Quiet q(kind);
    std::memset(room, kind + 1, sizeof room);
    try {
        throws(kind);
        room[97] = 3;
    } catch (int n) {
        room[97 * 2] = static_cast<char>(n);
    } catch (Error &e) {
        room[97 * 3] = static_cast<char>(e.code);
    }
    return use(room, sizeof room) + static_cast<long>(q.value);
}

static long aligned(int kind, int salt) {
    alignas(64) char room[192];
    Quiet q(salt);
    if (reinterpret_cast<std::uintptr_t>(room) % 64) say(" not aligned\n");
    std::memset(room, salt, sizeof room);
    try {
        throws(kind);
    } catch (int n) {
        if (reinterpret_cast<std::uintptr_t>(room) % 64) say(" not aligned in the handler\n");
        room[97] = static_cast<char>(n);
    }
    return use(room, sizeof room);
}

static long dynamic(int n, int kind) {
    long sum = 0;
    for (int i = 1; i < n; i++) {
        char room[i * 50];
        Loud l(i);
        std::memset(room, i, sizeof room);
        try {
            char inner[i * 13];
            std::memset(inner, n - i, sizeof inner);
            sum += use(inner, i * 13);
            throws(i == 3 ? kind : 0);
            sum += 1;
        } catch (int got) {
            char in_handler[got];
            std::memset(in_handler, 5, sizeof in_handler);
            sum += use(in_handler, got);
        } catch (Error &e) {
            if (i == 3) throw e.code + static_cast<int>(sum & 255);
        }
        sum += use(room, i * 50);
    }
    return sum;
}

// What the method of the second base is called through passes on all its arguments, in registers and on the stack.
struct LeftBase {
    virtual ~LeftBase() {}
    long pad = 1;
};

struct RightBase {
    virtual double sum(int count, ...) = 0;
    virtual ~RightBase() {}
    long own = 2;
};

struct BothBases : LeftBase, RightBase {
    double sum(int count, ...) override {
        va_list args;
        va_start(args, count);
        double total = double(pad + own);
        for (int k = 0; k < count; k++) {
            total = total * 3 + va_arg(args, double);
            int more = va_arg(args, int);
            if (more < 0) throw more;
            total += more;
        }
        va_end(args);
        return total;
    }
};

static RightBase *second() {
    static BothBases both;
    return &both;
}

static long list(int count, ...) {
    va_list args;
    va_start(args, count);
    Quiet q(count);
    long sum = 0;
    try {
        for (int i = 0; i < count; i++) {
            sum += va_arg(args, int);
            sum += static_cast<long>(va_arg(args, double) * 2);
            sum += throws(va_arg(args, int));
        }
    } catch (Error &e) {
        // The rest is still there.
        sum += e.code + va_arg(args, int);
    }
    va_end(args);
    return sum;
}

typedef long (*Many)(int, long, long, long, long, long, long, double, double, long, long, int);
static long many(int a, long b, long c, long d, long e, long f, long g, double h, double i, long j, long k, int kind) {
    Quiet q(a);
    long before = a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + static_cast<long>(h * 8 + i * 9);
    try {
        before += throws(kind);
    } catch (int n) {
        return before + n + j + k;
    }
    return before + j * 10 + k * 11;
}

// Calls in the arguments of calls, some of which throw when others have been made.
static long in_arguments(Many volatile f, int at, int kind) {
    int n = 0;
    auto next = [&](int value) {
        if (n++ == at) throws(kind);
        return value;
    };
    return f(next(1), next(2), next(3), next(4), next(5), next(6), next(7), next(8), next(9), next(10), next(11), 0);
}

static int jumps(int kind) {
    static const void *const places[] = {&&first, &&second, &&third};
    int sum = 0, at = 0;
    try {
    again:
        goto *places[at];
    first:
        sum += throws(0) + 1;
        at = 1;
        goto again;
    second:
        sum += throws(kind) + 10;
        at = 2;
        goto again;
    third:
        sum += 100;
    } catch (int n) {
        sum += n * 1000;
    }
    switch (sum & 7) {
    case 0: try { throws(1); } catch (int) { sum += 1; } break;
    case 3: throws(2); break;
    case 5: sum += 2; [[fallthrough]];
    case 6: try { throws(2); } catch (Error &) { sum += 3; } break;
    case 7: sum += throws(kind);
    }
    return sum;
}

struct Big {
    char bytes[5000];
};
static Big big_result(int kind) {
    Big b;
    std::memset(b.bytes, 7, sizeof b.bytes);
    b.bytes[97] = static_cast<char>(throws(kind));
    return b;
}
static long big_argument(Big b, int kind) {
    Big copy = b;
    copy.bytes[194] = 9;
    try {
        copy = big_result(kind);
    } catch (int n) {
        copy.bytes[0] = static_cast<char>(n);
    }
    return use(copy.bytes, sizeof copy.bytes) + use(b.bytes, sizeof b.bytes);
}

// Callees that remove their arguments themselves, unless they are left by an exception.
#ifdef __i386__
#define POPS __attribute__((stdcall))
#define IN_REGISTERS __attribute__((fastcall))
#else
#define POPS
#define IN_REGISTERS
#endif
struct Triple {
    int a, b, c;
};
POPS __attribute__((noinline)) static int pops(int kind, Triple t, long long wide, Quiet q) {
    return throws(kind) + t.a + t.b * 2 + t.c * 3 + static_cast<int>(wide >> 4) + static_cast<int>(q.value);
}
IN_REGISTERS __attribute__((noinline)) static int in_registers(int kind, int b, int c, int d, Quiet q) {
    return throws(kind) + b * c - d + pops(kind ? 0 : 1, Triple{1, 2, 3}, 160, q);
}
static int popped(int rounds) {
    int sum = 0, kept = rounds;
    for (int i = 0; i < rounds; i++) {
        try {
            Quiet q(i);
            sum += pops(i % 3, Triple{i, sum & 7, kept}, static_cast<long long>(i) << 6, q);
            sum += in_registers(0, i, pops(i % 4 == 3 ? 2 : 0, Triple{kept, 1, i}, 0, Quiet(4)), 4, q);
        } catch (int n) {
            sum += n + kept;
        } catch (Error &e) {
            try {
                sum += in_registers(i % 2, 2, 3, 4, Quiet(sum & 3));
            } catch (int n) {
                sum ^= n + e.code;
            }
        }
        kept += i;
    }
    return sum + kept;
}

void frames() {
    say(" popped %d %d\n", popped(7), popped(2000));
    for (int kind = 0; kind < 3; kind++) {
        say(" large %ld\n", large(kind));
        try {
            say(" aligned %ld\n", aligned(kind, 11));
        } catch (Error &e) {
            say(" aligned: %s\n", e.text);
        }
        try {
            say(" dynamic %ld\n", dynamic(6, kind));
        } catch (int n) {
            say(" dynamic: %d\n", n);
        }
        say(" list %ld\n", list(3, 1, 2.5, 0, 4, 5.5, kind == 2 ? 2 : 0, 7, 8.5, 0));
        try {
            say(" list %ld\n", list(2, 1, 2.5, 0, 4, 5.5, kind == 1 ? 1 : 0));
        } catch (int n) {
            say(" list: %d\n", n);
        }
        try {
            RightBase *s = second();
            say(" passed on %.1f", s->sum(2, 1.5, 4, 2.5, kind == 1 ? -1 : 6));
            say(" %.1f", s->sum(0));
            say(" %.1f\n", s->sum(11, 1.0, 1, 2.0, 2, 3.0, 3, 4.0, 4, 5.0, 5, 6.0, 6, 7.0, 7, 8.0, 8, 9.0, 9, 10.0, 10, 11.0, kind == 2 ? -7 : 11));
        } catch (int n) {
            say(" passed on: %d\n", n);
        }
        try {
            say(" many %ld\n", many(1, 2, 3, 4, 5, 6, 7, 8.5, 9.5, 10, 11, kind));
        } catch (Error &e) {
            say(" many: %d\n", e.code);
        }
        for (int at = 0; at < 12; at += 3) {
            try {
                say(" in arguments %ld\n", in_arguments(many, at, kind));
            } catch (...) {
                char text[64];
                say(" in arguments: %s\n", handled(text));
            }
        }
        try {
            say(" jumps %d\n", jumps(kind));
        } catch (Error &e) {
            say(" jumps: %d\n", e.code);
        }
        try {
            Big b = big_result(0);
            say(" big %ld\n", big_argument(b, kind));
        } catch (Error &e) {
            say(" big: %d\n", e.code);
        }
    }
}
