/* Two files that call each other, which may be of different instruction sets and compilers. */
typedef int (*function)(int);

int a_call(int), a_tail(int), a_back(int), a_pointer(int, int), a_callback(int), a_local(int), a_compare(void);
double a_floating(double);
int b_add(int, int), b_alias(int), b_weak(int), b_tail(int, function), b_switch(int), b_same(function);
double b_floating(double, function);
function b_choose(int);
extern const function b_table[4];
