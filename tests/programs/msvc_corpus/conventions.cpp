//// stdcall
int __stdcall g(int, D, D); int f(int n) { return g(n, D(n), D(2)); } int __stdcall h(D a, int n) { return may(a.v + n); }
//// stdcall_method
struct S { int __stdcall m(D, int); static int __stdcall s(D); virtual int __stdcall v(D); }; int f(S &s, int n) { return s.m(D(n), 1) + S::s(D(2)) + s.v(D(3)); } int S::v(D d) { return may(d.v); }
//// fastcall
int __fastcall g(int, int, D, D); int f(int n) { return g(n, 1, D(n), D(2)); } int __fastcall h(int a, D d, int b, int c) { return may(a + b + c + d.v); }
//// fastcall_object_first
int __fastcall g(D, int, D, int, int); int f(int n) { try { return g(D(1), n, D(2), 3, 4); } catch (int e) { return e; } }
//// fastcall_method
struct S { int __fastcall m(int, D); }; int f(S &s, int n) { return s.m(n, D(n)); }
//// thiscall
struct S { int m(int, D, D); D r(D); }; int f(S &s, int n) { return s.m(n, D(n), D(2)) + s.r(D(3)).v; } int S::m(int n, D a, D b) { return may(n + a.v); } D S::r(D d) { act(1); return d; }
//// thiscall_callee_catches
struct S { D x; int m(D a) { try { act(x.v); } catch (D &d) { return d.v + a.v; } return a.v; } }; int f(S &s) { return s.m(D(1)); }
//// cdecl_method
struct S { int __cdecl m(D, ...); int __cdecl n(D, D); }; int f(S &s, int n) { return s.n(D(n), D(2)); }
//// vectorcall
int __vectorcall g(double, D, float, D, int); int f(int n) { return g(n, D(n), 2, D(2), n); } int __vectorcall h(double a, D d, double b) { return may((int)(a + b) + d.v); }
//// vectorcall_vectors
typedef float V __attribute__((vector_size(16))); struct H { V a, b; }; V __vectorcall g(V, H, D, V); V f(V v, H h, int n) { try { return g(v, h, D(n), v); } catch (int e) { return v * (float)e; } }
//// vectorcall_method
struct S { double __vectorcall m(double, D, double); }; double f(S &s, int n) { return s.m(1, D(n), 2); }
//// pointers
int f(int (__stdcall *a)(D), int (__fastcall *b)(int, D), int (__vectorcall *c)(double, D), int n) { return a(D(n)) + b(1, D(2)) + c(2, D(3)); }
//// result_in_memory
struct R { int a[5]; }; R __stdcall g(D); R __fastcall h(int, D); struct S { R m(D); }; int f(S &s, int n) { return g(D(n)).a[0] + h(1, D(2)).a[1] + s.m(D(3)).a[2]; }
//// result_object
D __stdcall g(D); D __fastcall h(D, int); D f(int n) { return h(g(D(n)), 2); } D __stdcall i(D d) { D e(1); act(d.v); return e; }
//// nested_calls
int __stdcall g(D, D); int __fastcall h(int, D); struct S { int m(D); }; int f(S &s, int n) { return g(D(h(1, D(s.m(D(n))))), D(g(D(1), D(2)))); }
//// alignment
struct alignas(16) A { double d[2]; A(int); ~A(); A(const A &); }; int g(int, A *, D); int f(int n) { A a(n); return g(n, &a, D(2)); }
//// by_value_vectors
typedef float V __attribute__((vector_size(16))); struct P { V v; }; V g(V, P); V f(V v, P p, int n) { D d(n); try { return g(v, p); } catch (int) { return v; } }
//// small_records
struct A { char c; }; struct B { short s; }; struct C { char c[3]; }; struct E { int i[2]; }; struct F { float x, y; }; A ga(B, C); E ge(F, A); int f(A a, B b, C c, E e, F x) { D d(1); try { a = ga(b, c); e = ge(x, a); } catch (int k) { return a.c + e.i[0] + k; } return a.c; }
//// extern_c
extern "C" int __stdcall callback(int, void *); extern "C" int __fastcall quick(int, int, int); extern "C" int f(int n) { D d(n); try { return callback(n, &d) + quick(1, 2, 3); } catch (...) { return -1; } }
//// naked_free
__declspec(noinline) static int g(int n) { return may(n); } __forceinline int h(int n) { D d(n); return g(n); } __declspec(noalias) int k(int *); int f(int n) { return h(n) + k(&n); }
//// struct_return_try
struct R { int a, b, c; D d; }; R g(int n) try { return R{n, 1, 2, D(n)}; } catch (int e) { return R{e, 0, 0, D(e)}; }
