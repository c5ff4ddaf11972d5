// Classes that cannot be copied bitwise, whose objects are counted: who constructs one tells where, who destroys one tells it
// too, and `objects.cpp` says what does not fit together.
#pragma once

void born(const void *at, int value);
void moved(const void *to, const void *from, int value);
void died(const void *at, int value);
void note(int number);
bool coin();

struct Foo {
    int a, b;
    explicit Foo(int v = 7) : a(v), b(~v) { born(this, v); }
    Foo(const Foo &other) : a(other.a), b(other.b) { moved(this, &other, a); }
    ~Foo() { died(this, a); }
    bool whole() const { return b == ~a; }
    Foo operator+(Foo other) const;
    Foo &operator+=(Foo other);
    operator int() const { return a; }
};

// Of another size, with an alignment that 32-bit stacks do not have.
struct Wide {
    double d;
    char c;
    Foo inner;
    Wide(double d, char c) : d(d), c(c), inner(c) {}
    Wide(const Wide &o) : d(o.d), c(o.c), inner(o.inner) {}
    ~Wide() { note(c); }
};

// Larger than two pages.
struct Large {
    Foo first;
    int middle[2500];
    Foo last;
    explicit Large(int v) : first(v), last(v + 1) {
        for (int i = 0; i < 2500; i++) middle[i] = v * i;
    }
};

struct Base {
    int bias;
    explicit Base(int bias) : bias(bias) {}
    virtual int weigh(Foo f, int k);
    virtual Foo make(int k, Foo f, double d);
};
struct Other {
    int factor = 3;
    virtual int judge(char c, Foo f, Foo g);
    virtual Foo pick(Foo f, ...);
};
struct Derived : Base, Other {
    Derived() : Base(100) {}
    int weigh(Foo f, int k) override;
    int judge(char c, Foo f, Foo g) override;
    Foo make(int k, Foo f, double d) override;
};

Foo bar(Foo f);
int two(Foo a, Foo b);
int mixed(char c, Foo f, short s, Wide w, float x, Foo g, long long n);
int large(Large l, int k);
int variadic(Foo f, ...);
int __stdcall standard(Foo f, int k, Wide w);
int __fastcall fast(int a, Foo f, int b, int c);
int __vectorcall vector(int a, Foo f, double d, double e);
int __cdecl deep(Foo f, int n);
Large grow(Large l, Foo f);
typedef int (*Callback)(Foo, int);
int apply(Callback call, Foo f);
int caller(Base *base, Other *other, int rounds);
