//// dynamic_cast_pointer
struct E : Base { int e; }; struct F : virtual Base { int f; }; int f(Base *b) { if (auto *e = dynamic_cast<E *>(b)) return e->e; if (auto *g = dynamic_cast<F *>(b)) return g->f; return 0; } void *g(Base *b) { return dynamic_cast<void *>(b); }
//// dynamic_cast_reference
int f(Base &b) { try { return dynamic_cast<Derived &>(b).d.v; } catch (...) { return 0; } }
//// typeid
class type_info; namespace std { class type_info { public: virtual ~type_info(); const char *name() const; bool operator==(const type_info &) const; void *p; char n[1]; }; } const char *f(Base *b) { return typeid(*b).name(); } bool g(Base &a, Base &b) { return typeid(a) == typeid(b); } const char *h() { return typeid(int (*)(D)).name(); }
//// rtti_hierarchies
struct A { virtual int a(); }; struct B { virtual int b(); }; struct C : A, B { int a() override; int b() override; }; struct V : virtual C { int x; int b() override; }; struct W : V, private A { int w; }; int A::a() { return 1; } int B::b() { return 2; } int C::a() { return 3; } int C::b() { return may(4); } int V::b() { return 5; } A *f() { return new C; } V *g() { return new V; } B *h() { return new W; }
//// covariant
struct R { virtual Base *m(); virtual ~R(); }; struct X { virtual int x(); int y; }; struct Y : X, Base { int z; }; struct S : R { Y *m() override; D d{1}; }; Base *R::m() { return nullptr; } Y *S::m() { return new Y; } Base *f(R *r) { return r->m(); }
//// covariant_virtual_base
struct X { virtual X *m(); int x; }; struct Y : virtual X { Y *m() override; int y; }; struct Z : Y { Z *m() override; D d{2}; }; X *X::m() { return this; } Y *Y::m() { return this; } Z *Z::m() { act(d.v); return this; }
//// thunks
struct A { virtual int a(D); int x; }; struct B { virtual int b(D, D); int y; }; struct C : A, B { int a(D) override; int b(D, D) override; }; int C::a(D d) { return may(d.v); } int C::b(D d, D e) { return may(d.v + e.v); } C c;
//// thunks_virtual_base
struct A { virtual int a(D); int x; }; struct B : virtual A { int a(D) override; int y; }; struct C : B { int a(D) override; int z; }; int B::a(D d) { return d.v; } int C::a(D d) { return may(d.v); } int f(A *a) { return a->a(D(1)); }
//// thunks_variadic
struct A { virtual int a(int, ...); int x; }; struct B { virtual int b(int, ...); }; struct C : A, B { int b(int, ...) override; }; int C::b(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); n += __builtin_va_arg(l, int); __builtin_va_end(l); return n; }
//// thunks_result
struct A { virtual D a(); int x; }; struct B { virtual D b(int); }; struct C : A, B { D a() override; D b(int) override; }; D C::a() { return D(1); } D C::b(int n) { D d(n); act(n); return d; }
//// delete_thunks
struct A { virtual ~A(); int x; }; struct B { virtual ~B(); int y; }; struct C : A, B { D d{1}; ~C() override; }; C::~C() { act(x); } void f(B *b) { delete b; } void g(C *c) { delete[] c; }
//// pure
struct P { virtual int m(int) = 0; virtual ~P() = 0; }; P::~P() { act(1); } struct Q : P { D d{2}; int m(int n) override { return may(n); } }; P *f() { return new Q; }
//// final
struct P { virtual int m(int); }; struct Q final : P { int m(int n) override; }; int f(Q &q) { try { return q.m(1); } catch (int e) { return e; } }
//// member_pointers
struct S { int a, b; int m(int); virtual int v(int); }; int f(S *s, int S::*p, int (S::*q)(int)) { return s->*p + (s->*q)(2); } auto g(int n) { return n ? &S::m : &S::v; } bool h(int (S::*q)(int)) { return q && q != &S::v; }
//// member_pointers_multiple
struct A { int a; virtual int x(int); }; struct B { int b; virtual int y(int); }; struct C : A, B { int c; }; int f(C *c, int (C::*q)(int), int C::*p) { return (c->*q)(c->*p); } int (C::*g(int (B::*q)(int)))(int) { return q; } int C::*h() { return &C::b; }
//// member_pointers_virtual
struct A { int a; virtual int x(int); }; struct C : virtual A { int c; int y(int); }; int f(C *c, int (C::*q)(int), int C::*p) { return (c->*q)(c->*p); } int (C::*g())(int) { return &C::y; } int (A::*h())(int) { return &A::x; }
//// member_pointers_unknown
struct S; int f(S *s, int (S::*q)(int), int S::*p) { return (s->*q)(s->*p); } int f0(int (S::*q)(int)) { return q != nullptr; }
//// member_pointer_object
struct S { D a, b; D m(D); virtual D v(D); }; D f(S *s, D (S::*q)(D), D S::*p) { return (s->*q)(s->*p); } auto g() { return &S::v; }
//// lambdas
int f(int n) { D d(n); auto l = [=](int m) mutable { d.v += m; return may(d.v); }; auto k = [&, e = D(2)](auto x) { return l(x) + e.v; }; return k(1) + k(2LL); }
//// lambda_pointer
int f(int n) { int (*p)(int) = [](int m) { try { return may(m); } catch (int e) { return e; } }; return p(n); }
//// lambda_conventions
int f(int n) { int (__stdcall *p)(int, int) = [](int a, int b) { D d(a); return may(b); }; int (__fastcall *q)(int) = [](int a) { return a; }; return p(n, 2) + q(3); }
//// templates
template <class T> struct Box { T t; Box(T x) : t(x) {} Box(const Box &b) : t(b.t) {} ~Box() { act(sizeof(T)); } template <class U> auto both(U u) { Box<U> b(u); return t + b.t; } }; int f(int n) { Box<int> a(n); Box<double> b(2.5); return a.both(3LL) + (int)b.both(1.5f); }
//// templates_variadic
template <class... T> int sum(T... t) { return (0 + ... + t.v); } template <class F, class... T> int call(F f, T &&...t) { try { return f(static_cast<T &&>(t)...); } catch (int e) { return e; } } int f(int n) { return sum(D(1), D(n), D(3)) + call(sum<D, D>, D(1), D(2)); }
//// templates_crtp
template <class T> struct P { int go(int n) { D d(n); return static_cast<T *>(this)->work(n); } }; struct Q : P<Q> { int work(int n) { return may(n); } }; int f(int n) { Q q; return q.go(n); }
//// shared_pointer
template <class T> struct Ptr { T *p; int *c; Ptr(T *t) : p(t), c(nullptr) { try { c = new int(1); } catch (...) { delete t; throw; } } Ptr(const Ptr &o) : p(o.p), c(o.c) { ++*c; } ~Ptr() { if (!--*c) { delete p; delete c; } } T *operator->() { return p; } }; int g(Ptr<D>); int f(int n) { Ptr<D> p(new D(n)); g(p); return p->v; }
//// vector_like
template <class T> struct Vec { T *b = nullptr; int n = 0, c = 0; void push(const T &t) { if (n == c) grow(); new ((void *)(b + n), 0) T(t); n++; } void grow() { int k = c ? c * 2 : 4; T *q = (T *)operator new(k * sizeof(T)); int i = 0; try { for (; i < n; i++) new ((void *)(q + i), 0) T(b[i]); } catch (...) { while (i--) q[i].~T(); operator delete(q); throw; } for (i = 0; i < n; i++) b[i].~T(); operator delete(b); b = q; c = k; } ~Vec() { while (n--) b[n].~T(); operator delete(b); } static void *operator new(size_t s) { return ::operator new(s); } }; inline void *operator new(size_t, void *p, int) noexcept { return p; } int f(int n) { Vec<D> v; for (int i = 0; i < n; i++) v.push(D(i)); return v.b[0].v; }
//// function_like
struct Call { virtual int operator()(int) = 0; virtual ~Call(); }; template <class F> struct Of : Call { F f; Of(F g) : f(g) {} int operator()(int n) override { return f(n); } }; template <class F> Call *make(F f) { return new Of<F>(f); } int f(int n) { D d(n); Call *c = make([d](int m) { return d.v + may(m); }); int r = (*c)(2); delete c; return r; }
//// guard
template <class F> struct Guard { F f; ~Guard() { f(); } }; template <class F> Guard<F> guard(F f) { return {f}; } int f(int n) { auto g = guard([&] { act(n); }); n = may(n); auto h = guard([] { act(2); }); return may(n + 1); }
//// coroutine
// flags: -std=c++20
namespace std { template <class P = void> struct coroutine_handle; template <> struct coroutine_handle<void> { void *p; static coroutine_handle from_address(void *a) { coroutine_handle h; h.p = a; return h; } void *address() const { return p; } void resume() { __builtin_coro_resume(p); } void destroy() { __builtin_coro_destroy(p); } }; template <class P> struct coroutine_handle : coroutine_handle<> { static coroutine_handle from_address(void *a) { coroutine_handle h; h.p = a; return h; } static coroutine_handle from_promise(P &q) { coroutine_handle h; h.p = __builtin_coro_promise(&q, alignof(P), true); return h; } }; template <class R, class...> struct coroutine_traits { using promise_type = typename R::promise_type; }; struct suspend_always { bool await_ready() noexcept { return false; } void await_suspend(coroutine_handle<>) noexcept {} void await_resume() noexcept {} }; }
struct Gen { struct promise_type { int v; Gen get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; } std::suspend_always initial_suspend() { return {}; } std::suspend_always final_suspend() noexcept { return {}; } void unhandled_exception() { act(9); } std::suspend_always yield_value(int n) { v = n; return {}; } void return_void() {} }; std::coroutine_handle<promise_type> h; ~Gen() { h.destroy(); } };
Gen f(int n) { D d(n); for (int i = 0; i < n; i++) { D e(i); co_yield may(e.v); } } int g(int n) { Gen x = f(n); x.h.resume(); return 0; }
//// spaceship
// flags: -std=c++20
struct P { int a; D d; bool operator==(const P &o) const { return may(a) == o.a; } }; bool f(P p, P q) { return p != q; }
//// constexpr_if
// flags: -std=c++17
template <class T> int g(T t) { if constexpr (sizeof(T) > 4) { D d(1); return may((int)t); } else return (int)t; } int f(int n) { return g(n) + g(2.5); }
//// consteval
// flags: -std=c++20
consteval int sq(int n) { return n * n; } constinit int k = sq(4); int f(int n) { D d(sq(3)); return may(k + n); }
//// concepts
// flags: -std=c++20
template <class T> concept Has = requires(T t) { t.v; }; int g(Has auto x) { return may(x.v); } int f(int n) { return g(D(n)); }
//// operators
struct N { N(int); ~N(); N(const N &); N operator+(N) const; N &operator+=(const N &); N operator++(int); explicit operator int() const; N operator[](N) const; N operator()(N, N) const; N *operator->(); int v; }; int f(int n) { N a(n), b(2); a += b + N(3); a++; return a[b](N(1), a + b).v + a->v; }
//// conversions
struct F { operator D() const; explicit operator bool() const; }; int g(D); int f(F x) { return x ? g(x) : g(F()); }
//// user_literals
D operator""_d(unsigned long long); int f(int n) { return (3_d).v + may(n); }
//// inline_functions
inline int g(int n) { D d(n); try { return may(n); } catch (int e) { return e; } } static int h(int n) { D d(n); return may(n); } int f(int n) { return g(n) + h(2); } int (*p)(int) = g;
//// namespaces
namespace a { namespace { int g(int n) { D d(n); return may(n); } struct S { S(); ~S(); }; S::S() { act(1); } S::~S() { act(2); } } inline namespace b { int h() { S s; throw 5; } } } int f(int n) { try { return a::h() + a::g(n); } catch (int) { return 0; } }
//// anonymous_exception
namespace { struct E { int a; virtual ~E() {} }; struct F : E { D d{1}; }; } int f(int n) { try { if (n) throw F(); throw E{}; } catch (E &e) { return e.a; } }
//// local_exception
int f(int n) { struct E { int a; D d; }; try { act(n); throw E{n, D(2)}; } catch (E &e) { return e.a + e.d.v; } }
//// local_class
auto f(int n) { struct L { D d; int n; int go() { static int c; return may(c++ + n); } }; return L{D(n), n}; } int g() { return f(1).go(); }
//// friend_and_nested
class C { class N { D d{1}; friend C; int go(); }; N n; public: int go() { try { return n.go(); } catch (N &x) { return x.d.v; } } }; int f() { C c; return c.go(); } int C::N::go() { throw N(*this); }
//// import_export
__declspec(dllexport) int f(int n) { D d(n); return may(n); } struct __declspec(dllexport) X { D d{1}; X(); virtual ~X(); int m(D e) { return e.v; } }; X::X() { act(1); } X::~X() {} __declspec(dllimport) int imported(D); struct __declspec(dllimport) I { I(); ~I(); virtual int m(); int v; }; int g(int n) { I i; return imported(D(n)) + i.m(); }
//// novtable
struct __declspec(novtable) A { A(); virtual int m() = 0; D d{1}; }; A::A() { act(1); } struct B : A { int m() override { return 1; } }; int f() { B b; return b.m(); }
//// selectany
extern __declspec(selectany) int x = 3; __declspec(selectany) D d(may(1)); int f() { return x + d.v; }
//// property
struct S { int get(int); void put(int, int); __declspec(property(get = get, put = put)) int p[]; }; int f(S &s) { D d(1); s.p[2] = s.p[3]; return s.p[1]; }
//// uuid_free
struct __declspec(empty_bases) A : Base { }; struct B {}; struct __declspec(empty_bases) C : B, A { D d{2}; }; int f() { C c; return c.d.v; }
//// ms_super
struct A { int m(D); }; struct B : A { int m(D d) { return __super::m(d) + may(1); } }; int f(int n) { B b; return b.m(D(n)); }
//// if_exists
__if_exists(D) { int f(int n) { D d(n); return may(n); } } __if_not_exists(Nothing) { int g() { return may(1); } }
//// pack_pragma
#pragma pack(push, 1)
struct S { char c; D d; double x; S(int); ~S(); S(const S &); };
#pragma pack(pop)
double g(S); double f(int n) { S s(n); return g(s) + s.x; }
//// empty_classes
struct E {}; struct N { ~N(); }; int g(E, N, int); int f(int n) { return g(E(), N(), n); } N h() { act(1); return N(); }
//// computed_goto
int f(int n) { static void *t[] = {&&a, &&b, &&c}; D d(n); goto *t[n]; a: act(1); return 1; b: try { act(2); } catch (int) { return 4; } return 2; c: return may(3); }
//// inline_assembly
int f(int n) { D d(n); asm volatile("nop" ::: "memory"); try { act(n); } catch (int e) { asm("" : "+r"(e)); return e; } return n; }
//// atomics
int f(int *p, long long *q, int n) { D d(n); __atomic_fetch_add(p, 1, 5); long long e = n; try { act(n); } catch (...) { __atomic_compare_exchange_n(q, &e, 2, 0, 5, 5); } return (int)e; }
//// builtins
int f(int n, unsigned long long m) { D d(n); int r; if (__builtin_add_overflow(n, may(n), &r)) throw r; return __builtin_popcountll(m) + __builtin_clz(r) + __builtin_bswap32(n); }
//// int128_free
long long f(long long a, long long b, unsigned long long c) { D d((int)a); long long x = wide(a) * b; try { x = wide(x / b); } catch (long long e) { x = e % b + (long long)(c >> 3) / 7; } return x; }
//// floats
float g(float); double h(double, float); int f(float x, double y) { D d((int)x); try { return (int)(g(x) * y); } catch (float e) { return (int)h(y, e); } catch (double e) { return (int)(e / x) + (unsigned)y; } }
//// strings
int f(const wchar_t *w, const char16_t *u) { D d(*w); try { act(*u); throw L"wide"; } catch (const wchar_t *s) { return s[1]; } catch (const char *s) { return "narrow"[2] + *s; } }
//// volatiles
int f(int n) { volatile int a = n; volatile double b = n; try { a = may(a); b = real(b); act(a); } catch (int) { a = a + 1; return a + (int)b; } return a; }
//// complex
_Complex double g(_Complex double); double f(double x) { D d((int)x); try { return __real__ g(x); } catch (_Complex double c) { return __imag__ c; } }
//// bit_int
int g(_BitInt(70)); int f(int n) { D d(n); _BitInt(70) x = n; try { return g(x * 3); } catch (int e) { return (int)(x >> e); } }
//// blocks_of_constants
struct T { const char *n; int (*p)(int); }; static const T t[] = {{"a", may}, {"b", [](int n) { D d(n); return may(n); }}}; int f(int n) { return t[n & 1].p(n); }
//// main
int main(int argc, char **argv) { try { D d(argc); act(argv[0][0]); } catch (const char *) { return 1; } catch (...) { return 2; } }
