// The other side of functions that the builder makes.
#include "objects.h"

void *operator new(unsigned, void *at) { return at; }

extern "C" {
void construct(Foo *at, int v) { new (at) Foo(v); }
void destruct(Foo *at) { at->~Foo(); }
Foo add(Foo a, int k) { return Foo(a.a + k); }
int __stdcall weigh(Foo a, double d, Foo b, char c) { return a.whole() && b.whole() ? a.a * 100 + b.a + (int)d + c : -1; }
int sum(Foo a, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, a);
    int n = a.a + __builtin_va_arg(list, int) * 3;
    n += (int)__builtin_va_arg(list, double);
    __builtin_va_end(list);
    return n;
}
// By Gusset.
int theirs(int n);
int __stdcall taken(Foo a, short s, double d, Foo b);
Foo made(int k, Foo from);
}
// Its constructor is by Gusset, too, and returns the object.
struct Box {
    Foo content;
    __attribute__((noinline)) Box(int v, Foo given) asm("_box");
    ~Box() { note(content.a); }
};

int caller(Base *, Other *, int rounds) {
    int all = 0;
    for (int i = 0; i < rounds; i++) {
        all = all * 31 + theirs(i);
        all = all * 31 + taken(Foo(i), -4, 2.5, Foo(9));
        all = all * 31 + (int)made(i & 3, made(1, Foo(i)));
        all = all * 31 + Box(i, Foo(2)).content.a;
        note(all);
    }
    return all;
}
int Base::weigh(Foo, int) { return 0; }
Foo Base::make(int, Foo f, double) { return f; }
int Other::judge(char, Foo, Foo) { return 0; }
Foo Other::pick(Foo f, ...) { return f; }
int Derived::weigh(Foo, int) { return 0; }
int Derived::judge(char, Foo, Foo) { return 0; }
Foo Derived::make(int, Foo f, double) { return f; }
#ifdef ALL
Box::Box(int v, Foo given) : content(v) { content.a += given.a; content.b = ~content.a; }
extern "C" {
int theirs(int n) {
    if (n % 5 == 4) {
        Foo given(n + 1);
        return -n;
    }
    return weigh(add(add(Foo(n), 1), 2), 7.5, Foo(n + 1), 'x') + sum(Foo(n), n, 2.5);
}
int __stdcall taken(Foo a, short s, double d, Foo b) { return a.a + s + (int)(d * 2) + b.a; }
Foo made(int k, Foo from) { return add(Foo(from.a), k); }
}
#endif
