#include "interwork.h"

int a_call(int x) { return b_add(x, 1) * 2; }
int a_tail(int x) { return b_add(x, 7); }
int a_back(int x) { return x * 3 + 1; }
int a_pointer(int i, int x) { return b_table[i & 3](x) + b_alias(x) + b_weak(x); }
int a_callback(int x) { return b_tail(x, a_back); }
static int local(int x) { return x ^ 0x55; }
int a_local(int x) { return b_tail(x, local) + b_tail(x, x & 1 ? local : a_back); }
int a_compare(void) { return b_same(a_back) + 2 * b_same(local) + 4 * (b_choose(0) == b_alias) + 8 * (b_choose(1) == a_tail); }
double a_floating(double x) { return b_floating(x, a_back); }
