// What the units share. Some of the functions are in every unit, and linkers keep one of them: by either compiler.
#pragma once
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Objects that are alive, and that ever were.
extern int alive;
extern int made;

// Says when it comes and goes.
struct Loud {
    int id;
    explicit Loud(int id);
    Loud(const Loud &other);
    Loud &operator=(const Loud &) = default;
    ~Loud();
};

// Counts only.
struct Quiet {
    long value;
    Quiet(long v) : value(v) { ++alive; ++made; }
    Quiet(const Quiet &q) : value(q.value) { ++alive; ++made; }
    ~Quiet() { --alive; }
};

struct Error {
    int code;
    char text[20];
    Error(int code, const char *text);
    Error(const Error &other);
    virtual ~Error();
    virtual const char *kind() const;
};
struct Worse : Error {
    double weight;
    Worse(int code, double weight);
    const char *kind() const override;
};
// Compilers think that memory for exceptions is aligned to 16 bytes, which is not so on 32-bit Windows: nothing here is moved
// 16 bytes at a time to an aligned place.
struct Odd {
    char first;
    long a, b, c;
    Quiet inside;
};

// Throws one of several kinds of things, by number, and returns the number where there is none.
int throws(int kind);
// Calls it from this deep, in the other file.
int from_deep(int kind, int depth);
// Says what is being handled.
const char *handled(char (&text)[64]);

// In every unit that uses it.
template <class F> int pass(int n, F f) {
    Quiet before(n);
    int result = f(n);
    Quiet after(result);
    return static_cast<int>(before.value + after.value);
}
inline int inline_catch(int kind) {
    Quiet q(kind);
    try {
        return throws(kind);
    } catch (int n) {
        return n + 1;
    } catch (const Error &e) {
        return e.code + static_cast<int>(q.value);
    }
}

void nested(), destructors(), specifications(), recursion(), values(), threads(), library(), frames(), classes(), stress();
// Does something after which the program must end.
void doomed(int which);
