// The stack after handlers: it is as high as before, whatever was on it when an exception came, and what is still in use is as it was.
// Objects as arguments are made in the callee's place on 32-bit x86, from right to left.
//> arguments 3000, the stack stays
//> in handlers 3000, the stack stays
//> within arguments 2301, the stack stays
//> from a callee 2000, the stack stays
//> areas 17982, the stack stays
//> areas in handlers 600, the stack stays
//> 0 alive
//alone: clang's code drops arguments that are still needed, and crashes
#include "eh.h"

static int alive, refuse_at = -1, made;

struct Argument {
    int id, more[5];
    Argument(int id) : id(id) {
        if (++made == refuse_at) throw id;
        alive++;
    }
    Argument(const Argument &other) : id(other.id) { alive++; }
    ~Argument() { alive--; }
};

static NOINLINE char *stack() {
    volatile char here = 0;
    volatile __UINTPTR_TYPE__ address = (__UINTPTR_TYPE__)&here;
    return (char *)address;
}
#define moves(before) (stack() == before ? "stays" : "moves")

static NOINLINE int three(Argument a, Argument b, Argument c) { return a.id + b.id + c.id; }
static NOINLINE int throws(Argument a, Argument b) {
    if (opaque(a.id) >= 0) throw Argument(a.id + b.id);
    return 0;
}

static void arguments(int rounds) {
    int caught = 0;
    char *before = stack();
    for (int i = 0; i < rounds; i++) {
        for (int k = 1; k <= 3; k++) {
            try {
                made = 0, refuse_at = k;
                three(Argument(1), Argument(2), Argument(opaque(3)));
            } catch (int) {
                caught++;
            }
        }
    }
    refuse_at = -1;
    printf("arguments %d, the stack %s\n", caught, moves(before));
}

static void in_handlers(int rounds) {
    int caught = 0;
    char *before = stack();
    for (int i = 0; i < rounds; i++) {
        try {
            throw i;
        } catch (int) {
            for (int k = 1; k <= 3; k++) {
                try {
                    made = 0, refuse_at = k;
                    three(Argument(4), Argument(opaque(5)), Argument(6));
                } catch (int) {
                    caught++;
                }
            }
        }
    }
    refuse_at = -1;
    printf("in handlers %d, the stack %s\n", caught, moves(before));
}

// A value that takes an exception to find, while the arguments before it are on the stack already.
static inline __attribute__((always_inline)) int found(int n) {
    try {
        made = 0, refuse_at = 2;
        return three(Argument(n), Argument(n + 1), Argument(n + 2));
    } catch (int id) {
        refuse_at = -1;
        return id;
    }
}
static void within_arguments(int rounds) {
    int sum = 0;
    char *before = stack();
    for (int i = 0; i < rounds; i++) {
        made = 0;
        sum += three(Argument(found(opaque(1))), Argument(10), Argument(found(20) + opaque(10)));
        sum += three(Argument(1), Argument(found(i % 2)), Argument(i & 1));
        if (i % 100 == 0) sum += found(i % 10);
    }
    printf("within arguments %d, the stack %s\n", sum, moves(before));
}

static void from_callee(int rounds) {
    int caught = 0;
    char *before = stack();
    for (int i = 0; i < rounds; i++) {
        try {
            throws(Argument(i), Argument(1));
        } catch (Argument &a) {
            caught += a.id - i;
        }
        try {
            throws(Argument(i), Argument(throws(Argument(0), Argument(2))));
        } catch (Argument a) {
            caught += a.id > 0;
        }
    }
    printf("from a callee %d, the stack %s\n", caught, moves(before));
}

static NOINLINE int areas_of(int n) {
    int sum = 0;
    char *first = (char *)__builtin_alloca(opaque(n) + 1);
    first[0] = 1, first[n] = 2;
    for (int i = 0; i < 3; i++) {
        try {
            int *second = (int *)__builtin_alloca(4 * opaque(n + i));
            second[0] = i, second[n + i - 1] = n;
            made = 0, refuse_at = 2;
            sum += three(Argument(second[0]), Argument(second[n + i - 1]), Argument(3));
        } catch (int id) {
#if defined(__i386__)
            char *third = (char *)__builtin_alloca(opaque(64));
#else
            char third[64];
#endif
            third[0] = 5, third[63] = 1;
            refuse_at = -1;
            sum += id + three(Argument(third[0]), Argument(third[63]), Argument(opaque(4)));
        }
        sum += first[0] + first[n];
    }
    return sum;
}
static void areas(int rounds) {
    int sum = 0;
    char *before = stack();
    for (int i = 0; i < rounds; i++) sum += areas_of(i % 13 + 1);
    printf("areas %d, the stack %s\n", sum, moves(before));
}

// Handlers have areas of their own on 32-bit x86 alone.
#if defined(__i386__)
static NOINLINE int areas_in_handlers_of(int n) {
    int sum = 0;
    try {
        throw n;
    } catch (int id) {
        for (int i = 0; i < 2; i++) {
            char *area = (char *)__builtin_alloca(opaque(n));
            area[0] = i, area[n - 1] = 1;
            try {
                made = 0, refuse_at = 1 + i;
                three(Argument(1), Argument(2), Argument(3));
            } catch (int) {
                sum += area[n - 1];
            }
        }
    }
    refuse_at = -1;
    return sum;
}
static void areas_in_handlers(int rounds) {
    int sum = 0;
    char *before = stack();
    for (int i = 0; i < rounds; i++) sum += areas_in_handlers_of(100 + i % 50);
    printf("areas in handlers %d, the stack %s\n", sum, moves(before));
}
#endif

int main() {
    arguments(1000);
    in_handlers(1000);
    within_arguments(50);
    from_callee(1000);
    areas(300);
#if defined(__i386__)
    areas_in_handlers(300);
#else
    printf("areas in handlers 600, the stack stays\n");
#endif
    printf("%d alive\n", alive);
    fflush(0);
    return 0;
}
