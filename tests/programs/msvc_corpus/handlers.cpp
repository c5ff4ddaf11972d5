//// catch_int
int f(int n) { try { return may(n); } catch (int e) { return e + n; } }
//// catch_reference
int f(int n) { try { return may(n); } catch (const Base &b) { return b.k; } catch (Base &b) { return -b.k; } }
//// catch_object
int f(int n) { try { D d(n); return may(d.v); } catch (D d) { return d.v; } }
//// catch_pointer
int f(int n) { try { act(n); } catch (const char *s) { return *s; } catch (Base *b) { return b->k; } catch (void *p) { take(p); } return n; }
//// catch_everything
int f(int n) { try { act(n); } catch (...) { n += may(n); } return n; }
//// catch_nothing_named
int f(int n) { try { act(n); } catch (int) { return 1; } catch (double) { return 2; } catch (long long) { return 3; } return 0; }
//// catch_enum
enum E { one = 1 }; enum class F : short { two = 2 };
int f(int n) { try { act(n); } catch (E e) { return e; } catch (F e) { return (int)e; } return 0; }
//// catch_qualified
int f(int n) { try { act(n); } catch (volatile int &e) { return e; } catch (const volatile long &e) { return e; } catch (int *const &e) { return *e; } return 0; }
//// catch_function_pointer
int f(int n) { try { act(n); } catch (int (*p)(int)) { return p(n); } catch (int (Base::*p)()) { Base b; return (b.*p)(); } return 0; }
//// catch_data_member_pointer
int f(int n, D *d) { try { act(n); } catch (int D::*p) { return d->*p; } catch (decltype(nullptr)) { return 0; } return 1; }
//// nested
int f(int n) {
  try { try { act(n); } catch (int e) { act(e); throw; } } catch (double d) { return (int)d; }
  return n;
}
//// nested_deep
int f(int n) {
  try { D a(n); try { D b(n); try { D c(n); try { act(n); } catch (int) { act(1); } } catch (char) { act(2); } } catch (short) { act(3); } } catch (long) { act(4); }
  return n;
}
//// in_handler
int f(int n) {
  try { act(n); } catch (int e) { try { act(e); } catch (char c) { try { may(c); } catch (...) { throw 1.5; } } }
  return n;
}
//// rethrow
int f(int n) { try { act(n); } catch (...) { act(1); throw; } return n; }
//// rethrow_conditionally
int f(int n) { try { act(n); } catch (int e) { if (e > n) throw; D d(e); if (e == n) throw 2; n = d.v; } return n; }
//// throw_object
void f(int n) { throw D(n); }
//// throw_derived
void f(int n) { if (n) throw Derived(n); throw n; }
//// throw_pointer
void f(Base *b, const volatile int *p) { if (b) throw b; throw p; }
//// throw_in_condition
int f(int n) { return n ? may(n) : throw D(n); }
//// throw_in_comma
int f(int n) { int r = n > 3 ? (act(n), n) : (throw n, 0); return r; }
//// throw_in_initializer
struct S { int a; S(int n) : a(n < 0 ? throw n : n) {} D d{a}; };
int f(int n) { S s(n); return s.a; }
//// throw_array_element
void f(D *d, int i) { throw d[i]; }
//// throw_class_hierarchy
struct V { int v; virtual ~V(); }; struct L : virtual V { int l; }; struct R : virtual V { int r; }; struct B : L, R { int b; B(int); };
void f(int n) { try { throw B(n); } catch (V &v) { act(v.v); } catch (L l) { act(l.l); } }
//// throw_private_base
struct P : private Base { int x; P(int); };
void f(int n) { throw P(n); }
//// throw_nothrow_copy
struct S { int a[40]; S(int); S(const S &) noexcept; };
void f(int n) { throw S(n); }
//// throw_array_decay
void f() { throw "text"; }
//// throw_wide
void f(int n) { if (n == 1) throw 1LL; if (n == 2) throw 2.5; if (n == 3) throw 2.5f; if (n == 4) throw L'x'; if (n == 5) throw true; throw 3u; }
//// throw_lambda
void f(int n) { throw [n](int m) { return n + m; }; }
//// default_argument_copy
struct S { S(); S(const S &, int = 7); ~S(); int v; };
void f() { throw S(); }
int g() { try { f(); } catch (S s) { return s.v; } return 0; }
//// loop
int f(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) { try { D d(i); if (may(i)) continue; if (may(-i)) break; sum += d.v; } catch (int e) { sum -= e; if (e == 1) continue; if (e == 2) break; if (e == 3) return sum; } }
  return sum;
}
//// loop_do
int f(int n) { do { try { act(n); } catch (...) { if (n == 3) break; } } while (--n); return n; }
//// loop_in_try
int f(int n) { int i = 0; try { while (may(i)) { D d(i); i++; if (d.v == 9) goto out; } } catch (int) { i = -i; } out: return i; }
//// goto_out_of_handler
int f(int n) { again: try { act(n); } catch (int e) { if (e > 0) goto again; goto end; } catch (...) { D d(n); goto end; } n++; end: return n; }
//// switch_in_try
int f(int n) { try { switch (n) { case 1: act(1); break; case 2: { D d(2); act(2); } break; case 3: return may(3); case 4: throw 4; default: act(9); } } catch (int e) { switch (e) { case 1: return 5; case 2: act(e); } } return n; }
//// several_tries
int f(int n) { try { act(1); } catch (int) { n++; } try { act(2); } catch (char) { n += 2; } try { act(3); } catch (...) { n += 3; } return n; }
//// many_tries
#define T(N) try { D d(N); act(N); } catch (int e) { n += e * N; }
int f(int n) { T(1) T(2) T(3) T(4) T(5) T(6) T(7) T(8) T(9) T(10) T(11) T(12) T(13) T(14) T(15) T(16) T(17) T(18) T(19) T(20) return n; }
//// values_across
int f(int a, double b, long long c, float d) {
  int x = may(a); double y = real(b); long long z = wide(c); float w = d * 2;
  try { x += may(x); y += real(y); z += wide(z); w += 1; act(x); } catch (int e) { return x + (int)y + (int)z + (int)w + e; }
  return x - (int)y - (int)z - (int)w;
}
//// values_in_handler
int f(int a, int b) { int c = a * b, d = a - b; try { c = may(c); d = may(d); } catch (int e) { int s = 0; for (int i = 0; i < e; i++) s += c * i + d; return s; } return c + d; }
//// vectors_across
typedef float V __attribute__((vector_size(16)));
V g(V); V f(V a, V b) { V c = g(a) + b; try { c += g(c); } catch (int e) { c += (float)e; } return c + a; }
//// function_try
int f(int n) try { D d(n); return may(d.v); } catch (int e) { return e; } catch (...) { return -1; }
//// function_try_constructor
struct S { D a, b; int c; S(int n); };
S::S(int n) try : a(n), b(n + 1), c(may(n)) { act(c); } catch (int e) { act(e); } catch (D &d) { act(d.v); throw 5; }
//// function_try_destructor
struct S { D a; ~S() noexcept(false); };
S::~S() noexcept(false) try { act(a.v); } catch (int e) { act(e); }
//// function_try_base
struct S : Derived { D x; S(int n); };
S::S(int n) try : Derived(n), x(n) { act(1); } catch (...) { act(2); }
//// noexcept_function
int f(int n) noexcept { D d(n); return may(d.v); }
//// noexcept_catch
int f(int n) noexcept { try { act(n); } catch (int) { D d(n); act(d.v); } return n; }
//// noexcept_operator
template <class T> int size(T t) noexcept(noexcept(t.get())) { return t.get(); }
struct A { int get() noexcept; }; struct B { int get(); D d; };
int f(A &a, B &b) { return size(a) + size(b); }
//// specification_none
int f(int n) throw(); int g(int n) { D d(n); return f(n); }
int f(int n) throw() { D d(n); return may(n); }
//// specification_list
// flags: -std=c++14
int f(int n) throw(int, char); int f(int n) throw(int, char) { D d(n); return may(n); }
//// declared_nothrow
__declspec(nothrow) int g(int); int f(int n) { D d(n); try { return g(n); } catch (...) { return may(n); } }
//// large_frame
int f(int n) { char b[20000]; take(b); try { D d(n); act(b[n]); } catch (int e) { return b[e]; } return b[1]; }
//// dynamic_frame
int f(int n) { char *p = (char *)__builtin_alloca(n); take(p); try { D d(n); char *q = (char *)__builtin_alloca(n + 1); take(q); act(*q); } catch (int e) { return p[e]; } return p[1]; }
//// aligned_frame
struct alignas(64) A { char c[64]; }; void g(A *);
int f(int n) { A a; g(&a); try { D d(n); act(a.c[1]); } catch (int e) { g(&a); return a.c[e]; } return a.c[2]; }
//// aligned_dynamic_frame
struct alignas(32) A { char c[32]; }; void g(A *);
int f(int n) { A a; g(&a); char *p = (char *)__builtin_alloca(n); take(p); try { D d(n); g(&a); } catch (int e) { return a.c[e] + p[e]; } return p[2]; }
//// aligned_exception
struct alignas(32) A { double d[4]; A(int); ~A(); };
int f(int n) { try { act(n); } catch (A a) { return (int)a.d[1]; } return n; }
//// variadic
int f(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); int s = 0; try { while (n--) { s += may(__builtin_va_arg(l, int)); } } catch (int e) { s += __builtin_va_arg(l, int) + e; } __builtin_va_end(l); return s; }
//// many_arguments
int g(int, int, int, int, int, int, int, int); int f(int a, int b, int c, int d, int e, int h, int i) { try { D x(a); return g(a, b, c, d, e, h, i, x.v); } catch (int k) { return g(k, i, h, e, d, c, b, a); } }
//// result_in_memory
struct R { int a[8]; }; R g(int); R f(int n) { try { return g(n); } catch (int e) { R r = {{e, n}}; return r; } }
//// result_object
D f(int n) { D a(n), b(n + 1); try { if (may(n)) return a; act(b.v); } catch (int e) { return D(e); } return b; }
//// long_double
long double g(long double); long double f(long double x) { try { return g(x); } catch (long double y) { return y + x; } }
//// tail
int f(int n) { try { act(n); } catch (...) {} return may(n); }
//// recursion
int f(int n) { try { return n ? f(n - 1) + 1 : may(n); } catch (int e) { if (e == n) return f(e - 1); throw; } }
//// empty_handlers
void f() { try { act(1); } catch (...) {} try { act(2); } catch (int) {} try { } catch (char) { act(3); } }
//// infinite
[[noreturn]] void f() { for (;;) { try { act(1); } catch (...) { act(2); } } }
//// noreturn_callee
[[noreturn]] void stop(int); int f(int n) { D d(n); try { if (n) stop(n); act(n); } catch (int e) { stop(e); } return n; }
//// unreachable_end
int f(int n) { try { act(n); __builtin_unreachable(); } catch (int e) { return e; } }
