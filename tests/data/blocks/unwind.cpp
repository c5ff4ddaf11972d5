// The other side of unwind.ll: a class that counts its objects, functions that throw, and a look at the stack.
extern "C" int printf(const char *, ...);

struct Foo {
    int value, mark;
};
struct Two {
    Foo a, b;
};
struct One {
    Foo a;
};
struct Large {
    int filler[3000];
    Foo foo;
};

static int live, wrong, throwing;
static const char *top, *lowest[3];

static void fall(int at) {
    if (throwing == at)
        throw at;
}

extern "C" {
// Throws the number that it is told to, counted from the one it gets.
void construct(Foo *foo, int value) {
    if (value == throwing)
        throw value;
    foo->value = value;
    foo->mark = 0x5afe;
    live++;
}
void destroy(Foo *foo) {
    wrong += foo->mark != 0x5afe;
    foo->mark = 0;
    live--;
}
int take_two(Two two) {
    int sum = two.a.value * 10 + two.b.value;
    destroy(&two.a);
    destroy(&two.b);
    fall(-1);
    return sum;
}
__attribute__((stdcall)) int take_two_popped(Two two) {
    int sum = two.a.value * 10 + two.b.value;
    destroy(&two.a);
    destroy(&two.b);
    if (sum % 5 == 0)
        throw sum;
    return sum;
}
__attribute__((thiscall)) int take_this(int *self, One one) {
    int sum = one.a.value + *self;
    destroy(&one.a);
    fall(-2);
    return sum;
}
int take_large(Large large) {
    int sum = large.filler[0] + large.foo.value;
    destroy(&large.foo);
    fall(-3);
    return sum;
}
int many(int a, int b, int c, int d, int e, int f, long long g) {
    if (a == throwing - 1000)
        throw a;
    return a + b + c + d + e + f + (int)g;
}
// The stack is as deep at the same place every time.
void depth(int which) {
    const char *here = static_cast<const char *>(__builtin_frame_address(0));
    if (which < 0 || which > 2)
        return;
    if (!lowest[which])
        lowest[which] = here;
    wrong += lowest[which] != here;
}
int two(int, int), loop(int), nested(int *, int), dynamic(int, int), large(int);
}

template <class Call> static void attempt(const char *name, int what, Call call) {
    throwing = what;
    live = wrong = 0;
    lowest[0] = lowest[1] = lowest[2] = nullptr;
    try {
        int result = call();
        printf("%s %d: %d", name, what, result);
    } catch (int e) {
        printf("%s %d: threw %d", name, what, e);
    }
    printf(", left %d, wrong %d\n", live, wrong);
}

int main() {
    int self = 70000;
    for (int what : (int[]){-100, -1, 7, 9})
        attempt("two", what, [] { return two(7, 9); });
    for (int what : (int[]){-100, 3, 8, 44})
        attempt("loop", what, [] { return loop(50); });
    for (int what : (int[]){-100, -1, -2, 1003, 3, 31, 61})
        attempt("nested", what, [&] { return nested(&self, 3); });
    for (int what : (int[]){-100, -3, 11}) {
        attempt("dynamic", what, [] { return dynamic(11, 100); });
        attempt("large", what, [] { return large(11); });
    }
}
