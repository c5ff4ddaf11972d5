// `__finally` in `__finally`, as the stack is unwound.
//without x86_64 -O2: clang 19 ends a call's scope a byte after its return address, where that of a call right after it begins: the outer
// blocks run twice.
//
//> nested finally: one two three handler
//> raised in finally: first finally second finally handler e0000008
extern "C" {
int printf(const char *, ...);
int fflush(void *);
void __stdcall RaiseException(unsigned, unsigned, unsigned, const __UINTPTR_TYPE__ *);
unsigned long _exception_code();
}
#define NOINLINE __attribute__((noinline))
NOINLINE static void raise(unsigned code) { RaiseException(code, 0, 0, 0); }
NOINLINE static void end() {
    printf("\n");
    fflush(0);
}
/* The code as the filter sees it: Wine's handler (8.0) of x86-64 hands it to no `__except` block. */
static unsigned code;
NOINLINE static int keeps(unsigned long now) {
    code = now;
    return 1;
}

NOINLINE static void nested_finally() {
    __try {
        __try {
            __try {
                __try {
                    raise(0xe0000006);
                } __finally {
                    printf("one ");
                }
            } __finally {
                printf("two ");
            }
        } __finally {
            printf("three ");
        }
    } __except (1) {
        printf("handler");
    }
    end();
}
NOINLINE static void raised_in_finally() {
    __try {
        __try {
            __try {
                raise(0xe0000007);
            } __finally {
                printf("first finally ");
                raise(0xe0000008);
            }
        } __finally {
            printf("second finally ");
        }
    } __except (keeps(_exception_code())) {
        printf("handler %x", code);
    }
    end();
}

int main() {
    printf("nested finally: ");
    nested_finally();
    printf("raised in finally: ");
    raised_in_finally();
}
