// Exceptions through many frames, with and without work for the unwinder in them, and through callbacks from C.
#include "common.h"

static int ladder(int depth, int kind, long salt) {
    // Lives across all calls.
    long a = salt * 3 + depth, b = salt ^ depth, c = a * b;
    Quiet q(a);
    if (depth == 0) return throws(kind);
    if (depth % 7 == 3) {
        try {
            return ladder(depth - 1, kind, salt + b) + static_cast<int>(c & 15);
        } catch (Error &e) {
            e.code += static_cast<int>((a + b + c + q.value) & 1023);
            throw;
        } catch (int n) {
            throw n + static_cast<int>((a + b + c + q.value) & 1023);
        }
    }
    if (depth % 5 == 2) return ladder(depth - 1, kind, salt * 2 + a) + static_cast<int>(q.value - a);
    int r = ladder(depth - 1, kind, salt + 1);
    return r + static_cast<int>((a ^ b ^ c) & 7);
}

// No pads at all in these.
static int plain(int depth, int (*f)(int), int kind) { return depth == 0 ? f(kind) + 1 : plain(depth - 1, f, kind) + 1; }

static int compared;
static int limit;
extern "C" int compare(const void *a, const void *b) {
    Quiet q(compared);
    if (++compared == limit) throw compared;
    int x = *static_cast<const int *>(a), y = *static_cast<const int *>(b);
    return (x > y) - (x < y);
}

static int fibonacci(int n) {
    if (n < 2) throw n;
    int sum = 0;
    try {
        sum += fibonacci(n - 1);
    } catch (int a) {
        sum += a;
    }
    try {
        sum += fibonacci(n - 2);
    } catch (int b) {
        sum += b;
    }
    throw sum;
}

static int even(int n, int kind);
static int odd(int n, int kind) {
    try {
        return n == 0 ? throws(kind) : even(n - 1, kind);
    } catch (const char *s) {
        throw Error(n, s);
    }
}
static int even(int n, int kind) {
    Quiet q(n);
    try {
        return n == 0 ? throws(kind) : odd(n - 1, kind);
    } catch (const Error &e) {
        throw e.code % 2 ? "odd code" : "even code";
    }
}

extern "C" int throws_for_c(int kind) { return throws(kind); }
extern "C" long cleanups_of_c(int kind), total_of_c();

void recursion() {
    for (int kind = 0; kind < 4; kind++) {
        try {
            say(" cleaned %ld\n", cleanups_of_c(kind));
        } catch (int n) {
            say(" cleaned by %d\n", n);
        } catch (Error &e) {
            say(" cleaned by %s\n", e.kind());
        }
        say(" total %ld\n", total_of_c());
    }
    for (int depth = 0; depth < 60; depth += 7) {
        for (int kind = 0; kind < 3; kind++) {
            try {
                say(" %d", ladder(depth, kind, 5));
            } catch (Error &e) {
                say(" error %d", e.code);
            } catch (int n) {
                say(" int %d", n);
            }
        }
        say(" alive %d\n", alive);
    }
    try {
        ladder(3000, 2, 1);
    } catch (Error &e) {
        say(" from very deep %d\n", e.code);
    }
    for (int depth = 0; depth < 4; depth++) {
        try {
            say(" plain %d\n", plain(depth * 50, throws, depth));
        } catch (Error &e) {
            say(" plain: error %d\n", e.code);
        } catch (int n) {
            say(" plain: int %d\n", n);
        }
    }
    for (limit = 0; limit < 60; limit += 9) {
        int numbers[16];
        for (int i = 0; i < 16; i++) numbers[i] = (i * 7 + 3) % 16;
        compared = 0;
        try {
#if defined(_WIN32) && !defined(_WIN64)
            // Frames of the system's library are not described there.
            for (int i = 1; i < 16; i++) compare(&numbers[i - 1], &numbers[i]);
#else
            std::qsort(numbers, 16, sizeof(int), compare);
#endif
            say(" sorted %d %d %d\n", numbers[0], numbers[7], numbers[15]);
        } catch (int n) {
            // The order of comparisons is the library's.
            say(" not sorted: %d\n", n);
        }
    }
    try {
        fibonacci(15);
    } catch (int n) {
        say(" fibonacci %d\n", n);
    }
    for (int n = 0; n < 8; n++) {
        try {
            say(" even %d\n", even(n, n % 3 * 2));
        } catch (const Error &e) {
            say(" even: error %d %s\n", e.code, e.text);
        } catch (const char *s) {
            say(" even: %s\n", s);
        } catch (...) {
            say(" even: other\n");
        }
    }
}
