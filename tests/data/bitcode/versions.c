/* What clang 13 to 16 and 22 make `clang-N.bc` of: typed pointers up to 14, attributes and records that later versions have replaced.
   clang-N --target=x86_64-unknown-linux-gnu -O1 -g -w -fdebug-compilation-dir=/ -emit-llvm -c versions.c -o clang-N.bc
   llvm-dis-22 clang-22.bc */
struct pair { long a, b; };
struct node { struct node *next; int value; char name[3]; };
struct big { int all[20]; };

extern int printf(const char *, ...);
static struct node nodes[3] = {{&nodes[1], 1, "a"}, {&nodes[2], 2, "b"}, {0, 3, "c"}};
static int (*const table[])(const char *, ...) = {printf, 0};

int sum(struct node *n) {
    int total = 0;
    for (; n; n = n->next) total += n->value + n->name[0];
    return total;
}

struct pair twice(struct pair p) {
    struct pair q = {p.a * 2, p.b + 1};
    return q;
}

struct big filled(struct big b, int n) {
    for (int i = 0; i < n; i++) b.all[i] = i;
    return b;
}

int counted(int *counter, long *wide) {
    long old = 3;
    __atomic_compare_exchange_n(wide, &old, 7, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    return __atomic_fetch_add(counter, 1, __ATOMIC_ACQ_REL) + (int)old;
}

void stored(int *p, int n) { __asm__ volatile("" : "=m"(*p) : "r"(n) : "memory"); }

double rounded(double x, float y) { return __builtin_fabs(x) + (double)y * __builtin_floor(x) + (x > 1e10 ? -0.0 : 0x1p-1074); }

int chosen(int n) {
    void *where[] = {&&one, &&two};
    goto *where[n & 1];
one:
    switch (n) {
    case 2: return 20;
    case 4: return 44;
    case 6: return 1;
    }
two:
    return sum(nodes) + (table[0] ? table[0]("%d\n", n) : 0);
}
