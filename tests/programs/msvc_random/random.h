/* What random programs with Microsoft's exceptions share: objects that are known by their addresses while they live, points that throw when
   a counter comes to its end, and the log of what happens. With FIRST the first unit's part is defined, with SECOND the second's. */
extern "C" int printf(const char *, ...);
extern "C" int fflush(void *);
extern "C" void *malloc(decltype(sizeof 0));
extern "C" void free(void *);
#define NOINLINE __attribute__((noinline))

extern int countdown, again, kinds, fuel, armed, ids;
/* Appends to the log: a letter or two, and a number. */
void say(char what, char of, int n);
/* An object begins to live, after which it is found by its address and class, and ends. */
void up(const void *object, char of, int n, char how);
void down(const void *object, char of, int n, bool silent);
/* Throws, now and then. */
void tick();
void run_ends(int run);
/* Every value is from 0 to 99. */
inline int w(int n) { return (n % 100 + 100) % 100; }

#define ON_THE_HEAP \
    static void *operator new(decltype(sizeof 0) size) { return say('n', 'e', 0), malloc(size); } \
    static void *operator new[](decltype(sizeof 0) size) { return say('n', 'a', 0), malloc(size); } \
    static void operator delete(void *p) { say('f', 'r', 0), free(p); } \
    static void operator delete[](void *p) { say('f', 'a', 0), free(p); }

struct A {
    int v;
    A();
    A(int n);
    A(const A &o);
    ~A();
    ON_THE_HEAP
};
struct B : A {
    long long pad[3];
    B(int n);
    B(const B &o);
    virtual ~B();
};
struct M {
    A a, b;
    int v;
    M(int n);
    M(const M &o);
    ~M();
    ON_THE_HEAP
};
struct L {
    int v, pad[50];
    L(int n);
    L(const L &o);
    ~L();
};
struct S {
    signed char v;
    S(int n);
    S(const S &o);
    ~S();
};
struct Q : virtual A {
    A m;
    Q(int n);
    Q(const Q &o);
    ~Q();
};
/* Its destructor may throw where it is told to. */
struct Z {
    int v;
    double pad;
    Z(int n);
    Z(const Z &o);
    ~Z() noexcept(false);
};
/* What is thrown. When these end is not in the log, but that they do. */
struct E {
    int v;
    E(int n);
    E(const E &o);
    virtual ~E();
};
struct F : E {
    double pad;
    F(int n);
    F(const F &o);
    ~F();
};
struct Tag {
    int v;
};
extern Tag tag;

template <class T> struct Held {
    T *p;
    explicit Held(T *p) : p(p) {}
    ~Held() { delete p; }
};
struct HeldArray {
    A *p;
    explicit HeldArray(A *p) : p(p) {}
    ~HeldArray() { delete[] p; }
};

#ifdef FIRST
int countdown, again, kinds, fuel, armed, ids;
Tag tag;
static char text[1 << 20];
static int length;
void say(char what, char of, int n) {
    if (length > (1 << 20) - 16) return;
    text[length++] = what;
    text[length++] = of;
    text[length++] = '0' + n / 10;
    text[length++] = '0' + n % 10;
    text[length++] = ' ';
}
static struct Living {
    const void *object;
    char of;
} living[1000];
static volatile int alive;
void up(const void *object, char of, int n, char how) {
    if (how) say(how, of, n);
    for (int i = 0; i < alive; i++)
        if (living[i].object == object && living[i].of == of) say('T', 'W', 2);
    living[alive++] = {object, of};
}
void down(const void *object, char of, int n, bool silent) {
    if (!silent) say('-', of, n);
    for (int i = 0; i < alive; i++) {
        if (living[i].object != object || living[i].of != of) continue;
        living[i] = living[--alive];
        return;
    }
    say('N', 'O', 0);
}
NOINLINE void run_ends(int run) {
    text[length] = 0;
    printf("%d: %salive %d\n", run, text, alive);
    fflush(0);
    length = 0;
}
/* The last that ends, so that objects of the program's whole life are in the log. */
static struct End {
    ~End() { run_ends(0); }
} end;
A::A() : A(w(++ids)) {}
A::A(int n) : v(n) {
    tick();
    up(this, 'a', v, '+');
}
A::A(const A &o) : v(o.v) {
    tick();
    up(this, 'a', v, '=');
}
A::~A() { down(this, 'a', v, false); }
M::M(int n) : a(n), b(w(n + 1)), v(n) {
    tick();
    up(this, 'm', v, '+');
}
M::M(const M &o) : a(o.a), b(o.b), v(o.v) {
    tick();
    up(this, 'm', v, '=');
}
M::~M() { down(this, 'm', v, false); }
L::L(int n) : v(n) {
    tick();
    for (int i = 0; i < 50; i++) pad[i] = n;
    up(this, 'l', v, '+');
}
L::L(const L &o) : v(o.v) {
    tick();
    for (int i = 0; i < 50; i++) pad[i] = o.pad[49 - i];
    up(this, 'l', v, '=');
}
L::~L() { down(this, 'l', pad[30], false); }
E::E(int n) : v(n) { up(this, 'e', v, 0); }
E::E(const E &o) : v(o.v) { up(this, 'e', v, 0); }
E::~E() { down(this, 'e', v, true); }
#endif

#ifdef SECOND
NOINLINE void tick() {
    if (--countdown) return;
    countdown = again;
    int k = kinds++ % 5, n = w(kinds * 7 + k);
    say('!', '0' + k, n);
    switch (k) {
    case 0: throw n;
    case 1: throw E(n);
    case 2: throw F(n);
    case 3: tag.v = n; throw (const Tag *)&tag;
    default: throw n / 4.0;
    }
}
B::B(int n) : A(n), pad{n, n, n} {
    tick();
    up(this, 'b', v, '+');
}
B::B(const B &o) : A(o), pad{o.pad[1], o.pad[2], o.pad[0]} {
    tick();
    up(this, 'b', v, '=');
}
B::~B() { down(this, 'b', (int)pad[1], false); }
S::S(int n) : v((signed char)n) {
    tick();
    up(this, 's', v, '+');
}
S::S(const S &o) : v(o.v) {
    tick();
    up(this, 's', v, '=');
}
S::~S() { down(this, 's', v, false); }
Q::Q(int n) : A(n), m(w(n + 1)) {
    tick();
    up(this, 'q', v, '+');
}
Q::Q(const Q &o) : A(o), m(o.m) {
    tick();
    up(this, 'q', v, '=');
}
Q::~Q() { down(this, 'q', v, false); }
Z::Z(int n) : v(n), pad(n) {
    tick();
    up(this, 'z', v, '+');
}
Z::Z(const Z &o) : v(o.v), pad(o.pad) {
    tick();
    up(this, 'z', v, '=');
}
Z::~Z() noexcept(false) {
    down(this, 'z', (int)pad, false);
    if (!armed) return;
    armed = 0;
    tick();
}
F::F(int n) : E(n), pad(n) { up(this, 'f', v, 0); }
F::F(const F &o) : E(o), pad(o.pad) { up(this, 'f', v, 0); }
F::~F() { down(this, 'f', v, true); }
#endif
