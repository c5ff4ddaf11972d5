/* What the programs that throw share: no other header is here. */
extern "C" int printf(const char *, ...);
extern "C" int fflush(void *);

#define NOINLINE __attribute__((noinline))

/* An object that says what becomes of it; those that live are counted. */
struct Traced {
    static inline int alive = 0;
    int id;
    explicit Traced(int id) : id(id) {
        alive++;
        printf("+%d ", id);
    }
    Traced(const Traced &other) : id(other.id + 100) {
        alive++;
        printf("copy%d ", id);
    }
    ~Traced() {
        alive--;
        printf("-%d ", id);
    }
};

/* The end of a line, with the objects that are left over: there should be none. */
NOINLINE static void line(const char *what) {
    printf("%s, %d alive\n", what, Traced::alive);
    fflush(0);
}

/* A number that no compiler knows. */
NOINLINE static int opaque(int n) {
    volatile int v = n;
    return v;
}
