// Faults of the processor: a division by zero, memory that is not there, in the function itself and in a callee.
//
//> division: c0000094
//> division in a callee: finally c0000094
//> read: c0000005 of 0 at 16
//> write: c0000005 of 1 at 32
//> call of nothing: c0000005
//> page made: 42
//> loop: 50 faults, sum 1225
//> through C++ objects: c0000005
extern "C" {
int printf(const char *, ...);
int fflush(void *);
void *__stdcall VirtualAlloc(void *, __UINTPTR_TYPE__, unsigned, unsigned);
void *_exception_info();
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

static volatile int zero;
static char *volatile nowhere;

NOINLINE static void end() {
    printf("\n");
    fflush(0);
}
#ifdef __aarch64__
// No division is a fault there; Microsoft's compiler tests for zero.
extern "C" void RaiseException(unsigned, unsigned, unsigned, const void *);
NOINLINE static int divide(int n) {
    if (!zero) RaiseException(0xc0000094, 0, 0, 0);
    return n / zero;
}
#else
NOINLINE static int divide(int n) { return n / zero; }
#endif
NOINLINE static int read(const char *p) { return *(const volatile int *)p; }
NOINLINE static void write(char *p) { *(volatile int *)p = 1; }

NOINLINE static int callee(int n) {
    int result = 0;
    __try {
        result = divide(n);
    } __finally {
        printf("finally ");
    }
    return result;
}
static Record seen;
NOINLINE static int looks(void *p) {
    seen = *((Pointers *)p)->record;
    return 1;
}
static int was_write() {
#ifdef __aarch64__
    return 1; // QEMU 7 does not say.
#else
    return (int)seen.information[0];
#endif
}
static char *page;
NOINLINE static int makes(void *p) {
    if (((Pointers *)p)->record->code != 0xc0000005) return 0;
    if (!VirtualAlloc(page, 4096, 0x1000, 4)) return 1;
    page[100] = 42;
    return -1;
}
struct Plain {
    int n;
    Plain() : n(zero) {}
    NOINLINE int work() { return read(nowhere + n); }
};

int main() {
    printf("division: ");
    __try {
        printf("never %d ", divide(1));
    } __except (looks(_exception_info())) {
        printf("%x", seen.code);
    }
    end();
    printf("division in a callee: ");
    __try {
        printf("never %d ", callee(1));
    } __except (looks(_exception_info())) {
        printf("%x", seen.code);
    }
    end();
    printf("read: ");
    __try {
        printf("never %d ", read(nowhere + 16));
    } __except (looks(_exception_info())) {
        printf("%x of %d at %d", seen.code, (int)seen.information[0], (int)seen.information[1]);
    }
    end();
    printf("write: ");
    __try {
        write(nowhere + 32);
    } __except (looks(_exception_info())) {
        printf("%x of %d at %d", seen.code, was_write(), (int)seen.information[1]);
    }
    end();
    printf("call of nothing: ");
    __try {
        ((void (*)())nowhere)();
    } __except (looks(_exception_info())) {
        printf("%x", seen.code);
    }
    end();
    page = (char *)VirtualAlloc(0, 4096, 0x2000, 4);
    printf("page made: ");
    __try {
        printf("%d", read(page + 100) & 255);
    } __except (makes(_exception_info())) {
        printf("never");
    }
    end();
    int faults = 0, sum = 0;
    for (int i = 0; i < 50; i++) {
        __try {
            sum += divide(i);
        } __except (looks(_exception_info())) {
            faults++;
            sum += i;
        }
    }
    printf("loop: %d faults, sum %d", faults, sum);
    end();
    printf("through C++ objects: ");
    __try {
        Plain object;
        printf("never %d ", object.work());
    } __except (looks(_exception_info())) {
        printf("%x", seen.code);
    }
    end();
}
