// Faults in the very function that catches them, in no call: code compiled for asynchronous exceptions (`/EHa`).
//
//> read: handler
//> kept: 3
//> finally: cleaned 1 handler
//> inner: inner outer 7
//> after: body 5 outer
//> loop: 10 faults, sum 45
//> filter: filter c0000005 took 4
//> object: +1 -1 caught
//> two objects: +1 +2 -2 -1 caught
//> object gone: +1 -1 caught
//> in a handler: first +3 -3 second
//> division: caught
extern "C" int printf(const char *, ...);
extern "C" int fflush(void *);
extern "C" unsigned long _exception_code();
#define NOINLINE __attribute__((noinline))

NOINLINE static int *nowhere() {
    int *volatile p = (int *)16;
    return p;
}
NOINLINE static int opaque(int n) {
    volatile int v = n;
    return v;
}

NOINLINE static void read(int *p) {
    __try {
        printf("body %d", *p);
    } __except (1) {
        printf("handler");
    }
}
NOINLINE static int kept(int *p) {
    int n = opaque(1);
    __try {
        n = opaque(3);
        *p = n;
        n = opaque(9);
    } __except (1) {
        return n;
    }
    return -1;
}
NOINLINE static void finally(int *p) {
    int n = 0;
    __try {
        __try {
            n = 1;
            *p = n;
            n = 2;
        } __finally {
            printf("cleaned %d ", n);
        }
    } __except (1) {
        printf("handler");
    }
}
NOINLINE static void inner(int *p, int *ok) {
    __try {
        __try {
            *p = 1;
        } __except (1) {
            printf("inner ");
        }
        *ok = 7;
        *p = *ok;
    } __except (1) {
        printf("outer %d", *ok);
    }
}
NOINLINE static void after(int *p, int *ok) {
    __try {
        __try {
            *ok = 5;
        } __except (1) {
            printf("inner ");
        }
        printf("body %d ", *ok);
        *p = 1;
    } __except (1) {
        printf("outer");
    }
}
NOINLINE static void loop(int *p) {
    int faults = 0, sum = 0;
    for (int i = 0; i < 10; i++) {
        __try {
            sum += i;
            p[i] = sum;
            sum += 1000;
        } __except (1) {
            faults++;
        }
    }
    printf("%d faults, sum %d", faults, sum);
}
NOINLINE static int takes(unsigned long code, int *n) {
    printf("filter %x ", (unsigned)code);
    *n += 1;
    return 1;
}
NOINLINE static void filter(int *p) {
    int n = opaque(3);
    __try {
        *p = n;
    } __except (takes(_exception_code(), &n)) {
        printf("took %d", n);
    }
}

struct Traced {
    int id;
    explicit Traced(int id) : id(id) { printf("+%d ", id); }
    ~Traced() { printf("-%d ", id); }
};
NOINLINE static void object(int *p) {
    try {
        Traced one(1);
        *p = 1;
        printf("not here ");
    } catch (...) {
        printf("caught");
    }
}
NOINLINE static void objects(int *p) {
    try {
        Traced one(1);
        Traced two(2);
        *p = 1;
    } catch (...) {
        printf("caught");
    }
}
NOINLINE static void gone(int *p) {
    try {
        { Traced one(1); }
        *p = 1;
    } catch (...) {
        printf("caught");
    }
}
NOINLINE static void in_handler(int *p) {
    try {
        try {
            throw 1;
        } catch (int) {
            printf("first ");
            Traced three(3);
            *p = 1;
        }
    } catch (...) {
        printf("second");
    }
}
NOINLINE static void division(int n) {
    try {
        printf("%d", 12 / n);
    } catch (...) {
        printf("caught");
    }
}

static void end() {
    printf("\n");
    fflush(0);
}

int main() {
    int ok = 0, *p = nowhere();
    printf("read: ");
    read(p);
    end();
    printf("kept: %d", kept(p));
    end();
    printf("finally: ");
    finally(p);
    end();
    printf("inner: ");
    inner(p, &ok);
    end();
    printf("after: ");
    after(p, &ok);
    end();
    printf("loop: ");
    loop(p);
    end();
    printf("filter: ");
    filter(p);
    end();
    printf("object: ");
    object(p);
    end();
    printf("two objects: ");
    objects(p);
    end();
    printf("object gone: ");
    gone(p);
    end();
    printf("in a handler: ");
    in_handler(p);
    end();
    printf("division: ");
    division(opaque(0));
    end();
}
