// `__try` with `__except` and `__finally`: filters that look at locals and at the exception, what runs in which order.
//
//> handled: filter e0000001 of 2 handler e0000001
//> passed on: inner filter outer filter finally handler e0000002
//> finally alone: body finally 0 end
//> left: body finally 0 end
//> returned: finally 1 value 7
//> loop: 0 finally 0 1 finally 1 2 finally 1 end
//> arguments: 11 22 information 2 handler
//> locals: filter 5 handler 6
//> continued: filter body goes on
//> raised in a handler: handler e0000009 handler e000000a
//> in a callee's filter: callee's filter caller's filter callee's finally handler
//> recursion: 3 2 1 0 handler 0 handler 1 handler 2 handler 3 end
extern "C" {
int printf(const char *, ...);
int fflush(void *);
void __stdcall RaiseException(unsigned, unsigned, unsigned, const __UINTPTR_TYPE__ *);
unsigned long _exception_code();
void *_exception_info();
int _abnormal_termination();
}
#define NOINLINE __attribute__((noinline))
struct Record {
    unsigned code, flags;
    Record *next;
    void *address;
    unsigned count;
    __UINTPTR_TYPE__ information[15];
};
struct Pointers {
    Record *record;
    void *context;
};

NOINLINE static void raise(unsigned code) { RaiseException(code, 0, 0, 0); }
NOINLINE static void end() {
    printf("\n");
    fflush(0);
}
NOINLINE static int says(const char *what, int answer) {
    printf("%s ", what);
    return answer;
}

/* The code as the filter sees it: Wine's handler (8.0) of x86-64 hands it to no `__except` block. */
static unsigned code;
NOINLINE static int keeps(unsigned long now) {
    code = now;
    return 1;
}

NOINLINE static void handled() {
    int seen = 2;
    __try {
        raise(0xe0000001);
        printf("never ");
    } __except (printf("filter %x of %d ", (unsigned)_exception_code(), seen), keeps(_exception_code())) {
        printf("handler %x", code);
    }
    end();
}
NOINLINE static void passed_on() {
    __try {
        __try {
            __try {
                raise(0xe0000002);
            } __except (says("inner filter", 0)) {
                printf("never ");
            }
        } __finally {
            printf("finally ");
        }
    } __except (says("outer filter", keeps(_exception_code()))) {
        printf("handler %x", code);
    }
    end();
}
NOINLINE static void finally_alone() {
    __try {
        printf("body ");
    } __finally {
        printf("finally %d ", _abnormal_termination() != 0);
    }
    printf("end");
    end();
}
NOINLINE static void left(int n) {
    __try {
        printf("body ");
        if (n) __leave;
        printf("never ");
    } __finally {
        printf("finally %d ", _abnormal_termination() != 0);
    }
    printf("end");
    end();
}
NOINLINE static int returned(int n) {
    __try {
        if (n) return n;
        printf("never ");
    } __finally {
        printf("finally %d ", _abnormal_termination() != 0);
    }
    return 0;
}
NOINLINE static void loop() {
    for (int i = 0; i < 5; i++) {
        printf("%d ", i);
        __try {
            if (i == 1) continue;
            if (i == 2) break;
        } __finally {
            printf("finally %d ", _abnormal_termination() != 0);
        }
    }
    printf("end");
    end();
}
NOINLINE static int looks(Pointers *p) {
    Record *r = p->record;
    printf("%d %d information %d ", (int)r->information[0], (int)r->information[1], (int)r->count);
    return 1;
}
NOINLINE static void arguments() {
    __UINTPTR_TYPE__ values[2] = {11, 22};
    __try {
        RaiseException(0xe0000003, 0, 2, values);
    } __except (looks((Pointers *)_exception_info())) {
        printf("handler");
    }
    end();
}
NOINLINE static int changes(int &n) { return printf("filter %d ", n++), 1; }
NOINLINE static void locals(int n) {
    __try {
        raise(0xe0000004);
    } __except (changes(n)) {
        printf("handler %d", n);
    }
    end();
}
NOINLINE static void continued() {
    __try {
        raise(0xe0000005);
        printf("body goes on");
    } __except (says("filter", -1)) {
        printf("never ");
    }
    end();
}
NOINLINE static void raised_in_handler() {
    __try {
        __try {
            raise(0xe0000009);
        } __except (keeps(_exception_code())) {
            printf("handler %x ", code);
            raise(0xe000000a);
        }
    } __except (keeps(_exception_code())) {
        printf("handler %x", code);
    }
    end();
}
NOINLINE static void callee() {
    __try {
        __try {
            raise(0xe000000b);
        } __except (says("callee's filter", 0)) {
            printf("never ");
        }
    } __finally {
        printf("callee's finally ");
    }
}
NOINLINE static void caller() {
    __try {
        callee();
    } __except (says("caller's filter", 1)) {
        printf("handler");
    }
    end();
}
NOINLINE static void recursion(int n) {
    printf("%d ", n);
    __try {
        if (n) recursion(n - 1);
        raise(0xe000000c);
    } __except (1) {
        printf("handler %d ", n);
    }
}

int main() {
    printf("handled: ");
    handled();
    printf("passed on: ");
    passed_on();
    printf("finally alone: ");
    finally_alone();
    printf("left: ");
    left(1);
    printf("returned: ");
    printf("value %d", returned(7));
    end();
    printf("loop: ");
    loop();
    printf("arguments: ");
    arguments();
    printf("locals: ");
    locals(5);
    printf("continued: ");
    continued();
    printf("raised in a handler: ");
    raised_in_handler();
    printf("in a callee's filter: ");
    caller();
    printf("recursion: ");
    recursion(3);
    printf("end");
    end();
}
