// flags of all: -fasync-exceptions
//// plain
int f(int *p) { try { return *p; } catch (...) { return -1; } }
//// locals
int f(int *p, int n) { D d(n); { D e(2); *p = n; } return *p + d.v; }
//// nested
int f(int *p, int n) { try { D d(n); try { *p = n; act(n); } catch (int e) { *p += e; } } catch (...) { return 1; } return 0; }
//// division
int f(int a, int b) { try { D d(a); return a / b; } catch (...) { return 0; } }
//// conditional
int two(D, D); int f(int *p, int n) { D d(n); if (*p) { D e(1); return *p + e.v; } return two(d, D(*p)); }
//// loop
int f(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) { D d(i); try { s += p[i]; } catch (...) { continue; } s += d.v; } return s; }
//// members
struct S { D a; int *p; D b; S(int *q) : a(*q), p(q), b(*p) {} ~S() { *p = 1; } }; int f(int *p) { S s(p); return *s.p; }
//// handler_object
int f(int *p) { try { *p = 1; throw D(2); } catch (D d) { return *p + d.v; } }
//// call_in_handler
int f(int *p, int n) { try { act(n); *p = 3; } catch (...) { D d(*p); act(d.v); throw; } return *p; }
