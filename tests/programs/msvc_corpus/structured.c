//// except
int f(int n) { __try { return may(n); } __except (1) { return -1; } }
//// except_filter
int filter(unsigned long, void *); int f(int n) { int r = n; __try { r = may(n); } __except (filter(_exception_code(), _exception_info())) { r = _exception_code(); } return r; }
//// except_filter_local
int f(int n, double x) { int k = may(n); double y = real(x); __try { act(k); } __except (k > n ? 1 : y > 2 ? -1 : 0) { return k; } return n; }
//// except_constant
int f(int n) { __try { act(n); } __except (0) { return 1; } __try { act(n); } __except (-1) { return 2; } return 3; }
//// except_code
int f(int n) { __try { act(n); } __except (_exception_code() == 0xc0000005 ? 1 : 0) { return (int)_exception_code(); } return n; }
//// finally
int f(int n) { __try { act(n); } __finally { act(n + 1); } return n; }
//// finally_abnormal
int f(int n) { __try { act(n); } __finally { if (_abnormal_termination()) act(1); else act(2); } return n; }
//// finally_locals
int f(int n) { int a = may(n), b = a * 2; double d = real(a); __try { b += may(a); } __finally { a += b; d += a; act(a); } return a + b + (int)d; }
//// finally_nested
int f(int n) { __try { __try { act(1); } __finally { __try { act(2); } __finally { act(3); } } } __finally { act(4); } return n; }
//// finally_in_except
int f(int n) { __try { __try { act(n); } __finally { act(1); } } __except (1) { act(2); return 1; } return 0; }
//// except_in_finally
int f(int n) { __try { act(n); } __finally { __try { act(1); } __except (1) { act(2); } } return n; }
//// except_in_except
int f(int n) { __try { act(n); } __except (1) { __try { act(1); } __except (may(2)) { act(3); } } return n; }
//// except_nested
int f(int n) { __try { act(0); __try { act(1); __try { act(2); } __except (may(2)) { act(3); } act(4); } __except (may(5)) { act(6); } act(7); } __except (1) { act(8); } return n; }
//// leave
int f(int n) { __try { if (n == 1) __leave; act(n); if (n == 2) { __try { if (may(n)) __leave; act(3); } __finally { act(4); } } } __finally { act(5); } return n; }
//// return_in_try
int f(int n) { __try { if (n == 1) return may(1); act(n); return 2; } __finally { act(3); } }
//// loop
int f(int n) { int s = 0; for (int i = 0; i < n; i++) { __try { if (i == 3) continue; if (i == 7) break; s += may(i); } __except (1) { s -= i; } } return s; }
//// loop_finally
int f(int n) { int s = 0; while (n--) { __try { if (n == 5) break; if (n == 6) continue; act(n); } __finally { s++; } } return s; }
//// goto_out
int f(int n) { __try { if (n) goto out; act(n); } __finally { act(1); } act(2); out: return n; }
//// fault
int f(int *p, int n) { int r = 1; __try { r = *p / n; } __except (1) { r = -1; } return r; }
//// volatile_local
int f(int *p) { volatile int step = 0; __try { step = 1; act(1); step = 2; *p = 3; step = 4; } __except (1) { return step; } return step; }
//// several
int f(int n) { __try { act(1); } __except (1) { n++; } __try { act(2); } __finally { n++; } __try { act(3); } __except (may(n)) { n += 2; } return n; }
//// parameter_address
void g(int *, double *); int f(int n, double d) { __try { g(&n, &d); } __finally { g(&n, &d); } return n; }
//// filter_uses_parameter
int f(int n, int m, long long w) { __try { act(n); } __except (n == m && wide(w) ? 1 : 0) { return n + m; } return 0; }
//// record
struct R { int a, b, c[10]; }; void g(struct R *); int f(int n) { struct R r; g(&r); __try { g(&r); } __except (r.a == r.c[3]) { return r.b; } return r.a; }
//// aligned
struct __declspec(align(64)) A { int a[16]; }; void g(struct A *); int f(int n) { struct A a; g(&a); __try { g(&a); } __except (a.a[0] == n) { return a.a[1]; } return n; }
//// aligned_finally
struct __declspec(align(32)) A { int a[8]; }; void g(struct A *); int f(int n) { struct A a; g(&a); __try { act(n); } __finally { g(&a); } return a.a[0]; }
//// dynamic
int f(int n) { char *p = (char *)__builtin_alloca(n); take(p); __try { act(*p); } __except (p[1]) { return p[2]; } return n; }
//// large
int f(int n) { char b[10000]; take(b); __try { act(b[n]); } __finally { take(b); } return b[1]; }
//// stdcall
int __stdcall g(int, int); int __stdcall f(int a, int b) { __try { return g(a, b); } __except (g(b, a)) { return a; } }
//// fastcall
int __fastcall f(int a, int b, int c) { __try { act(a + c); } __finally { act(b); } return c; }
//// inlined
static __inline int g(int n) { __try { return may(n); } __except (1) { return -1; } } static __inline void h(int n) { __try { act(n); } __finally { act(n + 1); } } int f(int n) { h(n); return g(n) + g(2); }
//// recursion
int f(int n) { __try { if (n) return f(n - 1); act(n); } __finally { act(n); } return n; }
//// static_function
static int g(int n) { __try { act(n); } __except (may(n)) { return 1; } return 0; } int (*p)(int) = g; int f(int n) { return p(n) + g(n); }
//// setjmp
int _setjmp(void *, ...); __declspec(noreturn) void longjmp(void *, int); static char buffer[512] __attribute__((aligned(16))); int f(int n) { __try { act(n); longjmp(buffer, 1); } __finally { act(2); } return 0; }
//// varargs
int f(int n, ...) { __builtin_va_list l; int s = 0; __builtin_va_start(l, n); __try { while (n--) s += may(__builtin_va_arg(l, int)); } __finally { __builtin_va_end(l); } return s; }
//// switch
int f(int n) { switch (n) { case 1: __try { act(1); } __except (1) { return 1; } break; case 2: __try { act(2); break; } __finally { act(3); } default: act(4); } return n; }
//// empty
int f(int n) { __try { } __except (1) { act(1); } __try { } __finally { act(2); } __try { act(3); } __finally { } return n; }
//// raise
__declspec(noreturn) void raise(int); int f(int n) { __try { raise(n); } __except (1) { return 1; } }
//// long_long
long long f(long long a, long long b) { long long c = wide(a); __try { c += wide(b); } __except (c == a) { c -= b; } return c; }
