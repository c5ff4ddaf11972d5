#include "objects.h"

Foo Foo::operator+(Foo other) const { return Foo(a + other.a); }
Foo &Foo::operator+=(Foo other) {
    a += other.a;
    b = ~a;
    return *this;
}
int Base::weigh(Foo f, int k) { return bias + f.a * k; }
Foo Base::make(int k, Foo f, double d) { return Foo(f.a + k + (int)d); }
int Other::judge(char c, Foo f, Foo g) { return c * factor + f.a - g.a; }
Foo Other::pick(Foo f, ...) { return f; }
int Derived::weigh(Foo f, int k) { return Base::weigh(f, k + 1) + factor; }
int Derived::judge(char c, Foo f, Foo g) { return Other::judge(c, g, f) + bias; }
Foo Derived::make(int k, Foo f, double d) {
    if (k & 1) return f;
    return Base::make(k, f + Foo(k), d);
}

Foo bar(Foo f) {
    f.a += 3;
    f.b = ~f.a;
    return f;
}
int two(Foo a, Foo b) {
    note(a.a);
    note(b.a);
    return a.whole() && b.whole() ? a.a * 10 + b.a : -1;
}
int mixed(char c, Foo f, short s, Wide w, float x, Foo g, long long n) {
    if (!f.whole() || !g.whole() || !w.inner.whole()) return -1;
    return c + f.a + s + (int)w.d + w.c + (int)x + g.a + (int)(n >> 32) + (int)n;
}
int large(Large l, int k) { return l.first.a + l.middle[k] + l.last.a; }
int variadic(Foo f, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, f);
    int sum = f.a;
    for (int kind; (kind = __builtin_va_arg(list, int)) != 0;)
        sum += kind == 1 ? __builtin_va_arg(list, int) : (int)__builtin_va_arg(list, double);
    __builtin_va_end(list);
    return sum;
}
int __stdcall standard(Foo f, int k, Wide w) { return f.a * k + (int)w.d; }
int __fastcall fast(int a, Foo f, int b, int c) { return a + f.a * 2 + b * 3 + c * 5; }
int __vectorcall vector(int a, Foo f, double d, double e) { return a + f.a + (int)(d * 10) + (int)(e * 100); }
int deep(Foo f, int n) {
    if (n == 0) return f.a;
    return deep(n & 1 ? f + Foo(n) : Foo(f.a ^ n), n - 1);
}
Large grow(Large l, Foo f) {
    l.middle[7] += f.a;
    return l;
}
int apply(Callback call, Foo f) { return call(f, f.a + 1) + call(Foo(f), 2); }
