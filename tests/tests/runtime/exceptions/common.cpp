#include "common.h"
#include <exception>

int alive, made;

void say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    std::vprintf(format, list);
    va_end(list);
}

Loud::Loud(int id) : id(id) { ++alive; ++made; say("  +%d", id); }
Loud::Loud(const Loud &other) : id(other.id + 100) { ++alive; ++made; say("  +%d", id); }
Loud::~Loud() { --alive; say("  -%d", id); }

Error::Error(int code, const char *words) : code(code) {
    ++alive;
    std::strncpy(text, words, sizeof text - 1);
    text[sizeof text - 1] = 0;
}
Error::Error(const Error &other) : code(other.code) {
    ++alive;
    std::memcpy(text, other.text, sizeof text);
}
Error::~Error() { --alive; }
const char *Error::kind() const { return "Error"; }
Worse::Worse(int code, double weight) : Error(code, "worse"), weight(weight) {}
const char *Worse::kind() const { return "Worse"; }

static Worse kept(77, 7.75);

int throws(int kind) {
    Quiet here(kind);
    switch (kind) {
    case 1: throw 41;
    case 2: throw Error(42, "forty-two");
    case 3: throw Worse(43, 4.25);
    case 4: throw "text";
    case 5: throw static_cast<Error *>(&kept);
    case 6: throw Odd{'o', 1, 2, 3, Quiet(4)};
    case 7: throw 2.5;
    case 8: throw 'c';
    case 9: throw static_cast<long long>(1) << 40;
    default: return kind;
    }
}

int from_deep(int kind, int depth) {
    if (depth == 0) return throws(kind);
    Quiet here(depth);
    return from_deep(kind, depth - 1) + static_cast<int>(here.value) - depth;
}

const char *handled(char (&text)[64]) {
    try {
        throw;
    } catch (const Worse &e) {
        std::snprintf(text, sizeof text, "Worse %d %g", e.code, e.weight);
    } catch (const Error &e) {
        std::snprintf(text, sizeof text, "%s %d %s", e.kind(), e.code, e.text);
    } catch (const Error *e) {
        std::snprintf(text, sizeof text, "pointer to %s %d", e->kind(), e->code);
    } catch (const std::exception &e) {
        std::snprintf(text, sizeof text, "std::exception");
    } catch (int n) {
        std::snprintf(text, sizeof text, "int %d", n);
    } catch (const Odd &o) {
        std::snprintf(text, sizeof text, "Odd %ld %ld %ld %ld", o.a, o.b, o.c, o.inside.value);
    } catch (const char *s) {
        std::snprintf(text, sizeof text, "text %s", s);
    } catch (double x) {
        std::snprintf(text, sizeof text, "double %g", x);
    } catch (char c) {
        std::snprintf(text, sizeof text, "char %c", c);
    } catch (long long n) {
        std::snprintf(text, sizeof text, "long long %lld", n);
    } catch (...) {
        std::snprintf(text, sizeof text, "something");
    }
    return text;
}
