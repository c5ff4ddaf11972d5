/* Calls functions that the library's builder has made, with Microsoft's exceptions, and gives them what they call. */
#include "../msvc_eh/eh.h"

inline void *operator new(decltype(sizeof 0), void *at) noexcept { return at; }

struct Counted {
    int id, twin;
    explicit Counted(int id);
    Counted(const Counted &other);
    ~Counted();
};

static int alive, noted, deepest;

Counted::Counted(int id) : id(id), twin(~id) { alive++; }
Counted::Counted(const Counted &other) : id(other.id), twin(other.twin) { alive++; }
Counted::~Counted() {
    if (twin != ~id) printf("wrong object ");
    alive--;
}

extern "C" {
int guarded(int), nested(int), passed(int), cleaned(int);

int risky(int n) {
    if (n == 5 || n == 105) throw 41;
    if (n == 6 || n == 106) throw 2.5;
    if (n == 7) throw 'x';
    return n;
}
void note(int n) { noted = n; }
void construct(Counted *at, int id) { new (at) Counted(id); }
void destruct(Counted *at) { at->~Counted(); }
int take(Counted a, int n, Counted b) {
    char here;
    int depth = (int)(__INTPTR_TYPE__)&here;
    if (!deepest) deepest = depth;
    if (depth != deepest) printf("another height ");
    if (n == 3) throw 1;
    return a.id * 100 + b.id + n;
}
}

/* What comes of a call: its result, or what it throws. */
static void show(const char *name, int (*f)(int), int n) {
    noted = -1;
    printf("%s %d: ", name, n);
    try {
        printf("%d", f(n));
    } catch (double d) {
        printf("double %d", (int)(d * 2));
    } catch (char c) {
        printf("char %c", c);
    } catch (int i) {
        printf("int %d", i);
    }
    printf(", noted %d, %d alive\n", noted, alive);
}

int main() {
    for (int n = 1; n < 8; n++) show("guarded", guarded, n);
    for (int n = 4; n < 8; n++) show("nested", nested, n);
    for (int n = 2; n < 8; n++) show("passed", passed, n);
    for (int n = 4; n < 8; n++) show("cleaned", cleaned, n);
    int sum = 0;
    for (int k = 0; k < 3000; k++) sum += passed(k % 4 ? 3 : 5);
    printf("often %d, %d alive\n", sum, alive);
}
