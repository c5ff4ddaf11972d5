#include "interwork.h"

int b_add(int a, int b) { return a * 5 + b; }
static int real(int x) { return x - 11; }
int b_alias(int) __attribute__((alias("real")));
__attribute__((weak)) int b_weak(int x) { return x + 1000; }
int b_tail(int x, function f) { return f(x); }
const function b_table[4] = {a_back, a_tail, real, b_weak};

int b_switch(int x) {
    switch (x) {
    case 0: return a_back(x) + 10;
    case 1: return a_tail(x) ^ 3;
    case 2: return a_call(x) - 4;
    case 3: return real(x) * 7;
    case 4: return x + b_weak(x);
    case 5: return a_pointer(x, 3);
    case 6: return a_callback(x) * 9;
    case 7: return a_local(x);
    }
    return a_tail(x);
}

int b_same(function f) { return f == a_back; }
function b_choose(int n) { return n ? a_tail : real; }
double b_floating(double x, function f) { return x * 0.5 + f(3); }
