//// locals
int f(int n) { D a(n), b(a.v); { D c(b.v); act(c.v); } D e(3); return may(a.v + b.v + e.v); }
//// temporaries
int g(const D &, const D &); int f(int n) { return g(D(n), D(n + 1)) + g(D(3), 4); }
//// conditional_temporaries
int g(const D &); int f(int n) { return (n > 3 && g(D(n))) || (n < 0 && g(D(-n)) && g(n ? D(1) : D(2))); }
//// lifetime_extended
int f(int n) { const D &r = n ? D(n) : D(2); act(n); D &&q = D(3); return r.v + q.v; }
//// argument
int two(D, D); int f(int n) { return two(D(n), D(n + 1)); }
//// argument_nested
int two(D, D); int f(int n) { return two(D(two(D(1), D(2))), D(two(D(n), D(may(n))))); }
//// argument_deep
int one(D); int f(int n) { return one(D(one(D(one(D(one(D(one(D(n)))))))))); }
//// argument_copied
int two(D, D); int f(const D &a) { return two(a, a); }
//// argument_mixed
int mixed(int, D, double, D, long long, D, float); int f(int n) { return mixed(may(n), D(1), real(2), D(may(3)), wide(4), D(5), 6); }
//// argument_callee
int f(D a, int n, D b) { act(n); D c(a); return may(b.v + c.v); }
//// argument_callee_catches
int f(D a, D b) { try { act(a.v); } catch (D c) { return b.v + c.v; } return a.v; }
//// argument_method
struct S { int m(D, D); int n; }; int f(S &s, int n) { return s.m(D(n), D(2)); } int S::m(D a, D b) { act(n); return a.v + b.v; }
//// argument_virtual
struct S { virtual int m(D, int, D); }; int f(S *s, int n) { return s->m(D(n), n, D(2)); } int S::m(D a, int n, D b) { return may(n) + a.v; }
//// argument_pointer
int f(int (*p)(D, D), int n) { return p(D(n), D(2)); }
//// argument_method_pointer
struct S { virtual int m(D); }; int f(S *s, int (S::*p)(D), int n) { return (s->*p)(D(n)); }
//// argument_result
D g(D, D); int f(int n) { return g(g(D(1), D(2)), g(D(3), D(n))).v; }
//// argument_in_try
int two(D, D); int f(int n) { try { return two(D(n), D(2)); } catch (int e) { return two(D(e), D(3)); } catch (...) { try { return two(D(4), D(5)); } catch (char) { return two(D(6), D(7)); } } }
//// argument_in_loop
int two(D, D); int f(int n) { int s = 0; for (int i = 0; i < n; i++) { D d(i); s += two(D(i), d); if (s > 9) break; } return s; }
//// argument_conditional
int two(D, D); int f(int n, const D &d) { return two(n ? D(n) : d, n > 2 ? d : D(may(n))); }
//// argument_throw
int two(D, D); int f(int n) { return two(D(n), n > 2 ? throw 5 : D(2)); }
//// argument_lambda
int one(D); int f(int n) { auto l = [=](D d) { return d.v + may(n); }; return l(D(n)) + l(D(one(D(2)))); }
//// argument_variadic
int v(int, ...); struct P { int a, b; }; int f(int n, P p) { D d(n); return v(n, 1.5, p, d.v, may(n)); }
//// argument_dynamic_frame
int two(D, D); int f(int n) { char *p = (char *)__builtin_alloca(n); take(p); return two(D(*p), D(p[1])); }
//// argument_aligned_frame
int two(D, D); struct alignas(32) A { char c[32]; }; void g(A *); int f(int n) { A a; g(&a); return two(D(a.c[0]), D(n)); }
//// argument_move
struct M { M(int); M(M &&); ~M(); int *p; }; void sink(M, M); M make(int); void f(int n) { M m(n); sink(static_cast<M &&>(m), make(n)); }
//// argument_nontrivial_small
struct S { char c; ~S(); S(const S &); S(int); }; int g(char, S, S, short); int f(int n) { return g(1, S(n), S(2), 3); }
//// argument_nontrivial_large
struct S { int a[100]; ~S(); S(const S &); S(int); }; int g(S, S); int f(int n) { return g(S(n), S(2)); }
//// argument_trivial_abi
struct T { int a, b, c; }; T t(int); int g(T, D, T); int f(int n) { return g(t(n), D(n), t(2)); }
//// assignment
void f(D &d, int n) { d = D(n); D e(1); e = d = D(2); }
//// returned
D g(int n) { D d(n); act(n); return d; } int f(int n) { D a = g(n); return a.v + g(2).v; }
//// returned_conditionally
D f(int n) { if (n == 1) return D(1); D d(n); if (n == 2) { D e(2); act(1); return e; } return d; }
//// members
struct S { D a, b; int n; D c; S(int); }; S::S(int n) : a(n), b(n + 1), n(may(n)), c(3) { act(this->n); }
//// members_default
struct S { D a{1}; int n = may(2); D b{n}; }; S *f() { return new S; } S g() { return S(); }
//// members_copied
struct S { D a, b; D c[3]; }; void g(S); void f(const S &s) { S t(s); t = s; g(t); }
//// bases
struct A { D d; A(int); ~A(); }; struct B { D d; B(int); virtual ~B(); }; struct C : A, B { D e; C(int n) : A(n), B(n + 1), e(may(n)) {} ~C() { act(1); } }; int f(int n) { C c(n); return c.e.v; }
//// virtual_bases
struct V { D d; V(int); virtual ~V(); }; struct A : virtual V { D a; A(int n) : V(n), a(n) {} }; struct B : virtual V { D b; B(int n) : V(n), b(n) {} }; struct C : A, B { D c; C(int n) : V(n), A(1), B(2), c(may(n)) {} }; int f(int n) { C c(n); return c.c.v; }
//// virtual_base_destructor
struct V { virtual ~V(); int v; }; struct A : virtual V { ~A(); D d; }; A::~A() { act(d.v); } struct B : A { D e; ~B() override; }; B::~B() { act(1); } void f(V *v) { delete v; }
//// delegating
struct S { D a; S(int n) : S(n, may(n)) { act(n); } S(int, int); ~S(); }; int f(int n) { S s(n); return s.a.v; }
//// inherited_constructor
struct S : Derived { using Derived::Derived; D e{3}; }; int f(int n) { S s(n); return s.e.v; }
//// arrays
int f(int n) { D a[3] = {D(1), 2, n}; act(a[1].v); return a[2].v; }
//// arrays_two_dimensions
struct Q { Q(); ~Q(); int v; }; int f(int n) { Q a[3][4]; act(a[1][2].v); return a[n][n].v; }
//// arrays_in_class
struct Q { Q(); ~Q(); Q(const Q &); int v; }; struct S { Q a[5]; D d; S(int n) : d(n) {} }; int f(int n) { S s(n), t(s); return t.a[n].v; }
//// allocated
Base *f(int n) { return new Derived(n); } void g(Base *b) { delete b; } D *h(int n) { return new D(may(n)); } void i(D *d) { delete d; }
//// allocated_array
struct Q { Q(); ~Q(); int v; }; Q *f(int n) { return new Q[n]; } void g(Q *q) { delete[] q; } Q *h() { return new Q[3]; } int *i(int n) { return new int[n](); } D *j() { return new D[2]{1, 2}; }
//// allocated_placement
void *operator new(size_t, void *p) noexcept; D *f(void *p, int n) { D *d = new (p) D(n); act(d->v); d->~D(); return new (p) D(3); }
//// allocated_own
struct S { S(int); ~S(); static void *operator new(size_t, int, D); static void operator delete(void *, int, D); static void operator delete(void *); }; S *f(int n) { return new (n, D(n)) S(may(n)); } void g(S *s) { delete s; }
//// allocated_own_array
struct S { S(); ~S(); static void *operator new[](size_t); static void operator delete[](void *, size_t); int v; }; S *f(int n) { return new S[n]; } void g(S *s) { delete[] s; }
//// allocated_aligned
// flags: -std=c++17
struct alignas(64) A { char c[64]; A(); ~A(); }; A *f() { return new A; } void g(A *a) { delete a; } A *h(int n) { return new A[n]; }
//// allocated_nothrow
namespace std { struct nothrow_t {}; enum class align_val_t : size_t {}; } void *operator new(size_t, const std::nothrow_t &) noexcept; void operator delete(void *, const std::nothrow_t &) noexcept; extern const std::nothrow_t nothrow; D *f(int n) { return new (nothrow) D(n); }
//// allocated_in_expression
int two(D *, D *); int f(int n) { return two(new D(n), n ? new D(2) : nullptr); }
//// destructor_throws
struct S { D a, b; ~S() noexcept(false); }; S::~S() noexcept(false) { act(1); D c(2); act(c.v); } int f() { S s{1, 2}, t{3, 4}; return may(s.a.v); }
//// destructor_virtual
struct S : Base { D a; ~S() override { act(a.v); } }; void f(S *s, S t) { delete s; s = new S(t); s->~S(); s->S::~S(); }
//// destructor_explicit
template <class T> void end(T *t) { t->~T(); } void f(D *d, int *i, Base *b) { end(d); end(i); end(b); }
//// statics
int f(int n) { static D d(n); static D e(may(n)); return d.v + e.v; }
//// statics_array
int f(int n) { static D d[3] = {1, 2, n}; return d[n].v; }
//// statics_constant
struct K { int a; constexpr K(int n) : a(n) {} ~K(); }; int f(int n) { static K k(3); return k.a + n; }
//// statics_in_try
int f(int n) { try { static D d(may(n)); return d.v; } catch (int e) { static D g(e); return g.v; } }
//// statics_in_lambda
int f(int n) { auto l = [](int m) { static D d(m); return d.v; }; return l(n) + l(2); }
//// statics_inline
inline int g(int n) { static D d(n); static int i = may(n); return d.v + i; } int f() { return g(1); }
//// statics_template
template <int N> struct S { static D d; static int m() { static D e(N); return e.v + d.v; } }; template <int N> D S<N>::d(may(N)); int f() { return S<1>::m() + S<2>::m(); }
//// globals
D a(1), b(may(2)); static D c(3); D d[3] = {4, 5, may(6)}; int f() { return c.v; } extern int x; int x = may(7);
//// globals_priority
#pragma init_seg(lib)
D a(1); D b(may(2));
//// globals_inline
// flags: -std=c++17
inline D a(1); struct S { static inline D m{2}; }; template <class T> inline D t(may(sizeof(T))); int f() { return a.v + S::m.v + t<int>.v; }
//// thread_local_object
thread_local D d(may(1)); int f() { return d.v; }
//// thread_local_static
int f(int n) { thread_local D d(n); static thread_local int m = may(n); return d.v + m; }
//// thread_local_member
struct S { static thread_local D d; }; thread_local D S::d(2); int f() { return S::d.v; } extern "C" __declspec(thread) int _Init_thread_epoch; int g() { return _Init_thread_epoch; }
//// thread_plain
__declspec(thread) int t = 3; int f(int n) { try { act(t); } catch (int e) { t = e; } return t + n; }
//// initializer_list
namespace std { template <class T> class initializer_list { const T *b; const T *e; public: constexpr size_t size() const { return e - b; } constexpr const T *begin() const { return b; } constexpr const T *end() const { return e; } }; } int g(std::initializer_list<D>); int f(int n) { int s = g({D(1), n, may(n)}); for (const D &d : {D(1), D(2)}) s += d.v; return s; }
//// structured_bindings
// flags: -std=c++17
struct P { D a; int b; }; P g(int); int f(int n) { auto [a, b] = g(n); auto &&[c, d] = g(2); act(b); D e[2] = {1, 2}; auto [x, y] = e; return a.v + c.v + d + x.v + y.v; }
//// range_for
struct R { D *begin(); D *end(); ~R(); }; R g(int); int f(int n) { int s = 0; for (D d : g(n)) s += may(d.v); return s; }
//// comma_and_assignment
int f(int n) { D a(1), b(2); int r = (a = D(n), b = D(3), may(a.v)); return r; }
//// compound_literal
struct P { D a, b; }; int g(const P &); int f(int n) { return g(P{n, may(n)}) + g({1, 2}); }
//// array_member_loop
struct Q { Q(const Q &); ~Q(); Q(); int v; }; struct S { Q q[3][2]; }; S f(const S &s) { return s; } auto g(S &s) { return [s] { return s.q[1][1].v; }; }
//// union_member
union U { D d; int n; U(int k) : n(k) {} ~U() {} }; int f(int n) { U u(n); act(u.n); return u.n; }
//// optional_like
template <class T> struct O { union { T t; char c; }; bool has; O() : c(0), has(false) {} O(const T &x) : t(x), has(true) {} ~O() { if (has) t.~T(); } }; int f(int n) { O<D> a, b{D(n)}; act(a.has); return b.t.v; }
//// trivial_abi
struct __attribute__((trivial_abi)) T { T(int); ~T(); T(const T &); int v; }; int g(T, T); int f(int n) { return g(T(n), T(2)); } int h(T t) { return may(t.v); }
//// bit_fields
struct S { int a : 3; unsigned b : 13; long long c : 40; D d; S(int n) : a(n), b(n), c(n), d(may(n)) {} }; int f(int n) { S s(n); s.b = may(s.a); return s.b + (int)s.c; }
