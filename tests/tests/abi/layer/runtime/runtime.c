/* Walks the tests of a program: calls the judge's callers, which call the stub, and calls the judge's callees as their */
/* caller. What is where is said by the tables that script.rs writes; nothing here knows a calling convention.           */
/* Freestanding. Each difference becomes a line of numbers, which run.rs explains.                                       */
#include "runtime.h"

enum kind { BYTES, POINTER, RESULT_MEMORY, RESULT_POINTER };

/* A part of a value, or something else that is at a known place of a state. */
struct op {
    u32 kind;  /* enum kind */
    u32 item;  /* what messages call it */
    u32 place; /* offset in a state */
    u32 data;  /* offset of the expected bytes in `tables` */
    u32 mask;  /* of the mask: bits that count */
    u32 size;
    u32 align; /* of the memory, for POINTER and RESULT_MEMORY */
};

struct test {
    u32 number;
    u32 function;   /* index in `functions`: the caller, then the callee; or what fills `seen` to check layouts */
    u32 is_layout;
    u32 image;      /* arguments and result as the judge sees them: offset in `tables` */
    u32 mask;
    u32 size;
    u32 result_at;  /* where in the image the result begins */
    u32 stack_size, alignment, pop, entry_bias, x87;
    u32 saved;      /* offset in `tables`: for each byte of the registers, 1 if a callee keeps it, 2 if it may change */
    u32 arguments, argument_count, results, result_count;
};

extern const byte tables[];
extern void (*const functions[])(void);
void invoke(void), system_write(const char *text, unsigned long size), system_exit(int code);

byte put[STATE], got[STATE];
__attribute__((aligned(64))) byte given[65536], seen[65536];
/* For the stubs. */
void (*callee)(void);
__SIZE_TYPE__ stack_bytes, stack_align, popped, own_stack;
u32 x87_results;

static byte room[65536], result_room[32768];
static byte *result_memory;
static const struct test *test;
static int was_called, failures, lines;

void *memcpy(void *to, const void *from, __SIZE_TYPE__ size) {
    for (__SIZE_TYPE__ i = 0; i < size; i++) {
        ((volatile byte *)to)[i] = ((const byte *)from)[i];
    }
    return to;
}

void *memset(void *to, int value, __SIZE_TYPE__ size) {
    for (__SIZE_TYPE__ i = 0; i < size; i++) {
        ((volatile byte *)to)[i] = value;
    }
    return to;
}

void *memmove(void *to, const void *from, __SIZE_TYPE__ size) {
    if (to <= from) {
        return memcpy(to, from, size);
    }
    while (size--) {
        ((volatile byte *)to)[size] = ((const byte *)from)[size];
    }
    return to;
}

void bzero(void *to, __SIZE_TYPE__ size) {
    memset(to, 0, size);
}

#ifdef __arm__
/* RTABI, section 4.3.4. */
void __aeabi_memcpy(void *to, const void *from, __SIZE_TYPE__ size) {
    memcpy(to, from, size);
}
void __aeabi_memmove(void *to, const void *from, __SIZE_TYPE__ size) {
    memmove(to, from, size);
}
void __aeabi_memset(void *to, __SIZE_TYPE__ size, int value) {
    memset(to, value, size);
}
void __aeabi_memclr(void *to, __SIZE_TYPE__ size) {
    memset(to, 0, size);
}
#define ALSO(name, bytes) __typeof__(name) name##bytes __attribute__((alias(#name)));
ALSO(__aeabi_memcpy, 4)
ALSO(__aeabi_memcpy, 8)
ALSO(__aeabi_memmove, 4)
ALSO(__aeabi_memmove, 8)
ALSO(__aeabi_memset, 4)
ALSO(__aeabi_memset, 8)
ALSO(__aeabi_memclr, 4)
ALSO(__aeabi_memclr, 8)
#endif

static char line[256];
static int length;

static void number(u32 n) {
    char digits[10];
    int count = 0;
    do {
        digits[count++] = '0' + n % 10;
        n /= 10;
    } while (n);
    while (count) {
        line[length++] = digits[--count];
    }
    line[length++] = ' ';
}

static void flush(void) {
    line[length++] = '\n';
    system_write(line, length);
    length = 0;
}

/* "PHASE TEST ITEM BYTE GOT WANTED" */
static void fail(char phase, u32 item, u32 at, u32 has, u32 wanted) {
    failures++;
    if (lines++ < 60) {
        line[length++] = phase;
        line[length++] = ' ';
        number(test->number);
        number(item);
        number(at);
        number(has);
        number(wanted);
        flush();
    }
}

static void compare(char phase, u32 item, const byte *have, const byte *want, const byte *mask, u32 size) {
    for (u32 i = 0; i < size; i++) {
        if ((have[i] ^ want[i]) & mask[i]) {
            fail(phase, item, i, have[i], want[i]);
            return;
        }
    }
}

/* The bits with meaning over what is there. */
static void overlay(byte *to, const struct op *op) {
    const byte *data = tables + op->data, *mask = tables + op->mask;
    for (u32 i = 0; i < op->size; i++) {
        to[i] = (to[i] & ~mask[i]) | (data[i] & mask[i]);
    }
}

static byte *load_pointer(const byte *from) {
    byte *p;
    memcpy(&p, from, sizeof p);
    return p;
}

static void store_pointer(byte *to, const byte *p) {
    memcpy(to, &p, sizeof p);
}

static void garbage(byte *to, u32 size) {
    static byte next = 0xa5;
    for (u32 i = 0; i < size; i++) {
        to[i] = next += 29;
    }
}

/* The first address from `at` on that is a multiple of `align` and of no higher power of two. */
static byte *aligned(byte *at, u32 align) {
    __SIZE_TYPE__ a = (__SIZE_TYPE__)at, up = (a + 2 * align - 1) & -(__SIZE_TYPE__)(2 * align);
    return (byte *)(up + align);
}

/* The stub was called: `got` has its registers; leaves in `put` what it returns with. */
void entered(void) {
    const struct op *op = (const struct op *)(tables + test->arguments);
    const byte *saved = tables + test->saved;
    const byte *entry = load_pointer(got + STACK_POINTER), *stack = entry + test->entry_bias;
    was_called = 1;
    result_memory = 0;
    if ((__SIZE_TYPE__)stack & (test->alignment - 1)) {
        fail('a', 0, 0, (__SIZE_TYPE__)stack & (test->alignment - 1), 0);
    }
    memcpy(got + STACK, stack, test->stack_size);
    for (u32 i = 0; i < test->argument_count; i++, op++) {
        if (op->kind == BYTES) {
            compare('c', op->item, got + op->place, tables + op->data, tables + op->mask, op->size);
            continue;
        }
        byte *p = load_pointer(got + op->place);
        /* A wrong address is not followed: stack and data of the program are between its text and the stack's top. */
        if ((__SIZE_TYPE__)p < 65536 || (__SIZE_TYPE__)p & (op->align - 1)) {
            fail('P', op->item, 0, (u32)(__SIZE_TYPE__)p, op->align);
        } else if (op->kind == POINTER) {
            compare('c', op->item, p, tables + op->data, tables + op->mask, op->size);
        } else {
            result_memory = p;
            overlay(p, op);
        }
    }
    for (u32 i = 0; i < REGISTERS; i++) {
        put[i] = got[i];
        if (saved[i] == 2) {
            garbage(put + i, 1);
        }
    }
    op = (const struct op *)(tables + test->results);
    for (u32 i = 0; i < test->result_count; i++, op++) {
        if (op->kind == BYTES) {
            overlay(put + op->place, op);
        } else {
            store_pointer(put + op->place, result_memory);
        }
    }
}

static void as_callee(void) {
    was_called = 0;
    memcpy(given, tables + test->image, test->size);
    garbage(seen, test->size);
    functions[test->function]();
    if (!was_called) {
        fail('n', 0, 0, 0, 0);
    }
    compare('r', 0, seen + test->result_at, tables + test->image + test->result_at,
            tables + test->mask + test->result_at, test->size - test->result_at);
}

static void as_caller(void) {
    const struct op *op = (const struct op *)(tables + test->arguments);
    const byte *saved = tables + test->saved;
    byte *next = room;
    const struct op *in_memory = 0;
    memcpy(given, tables + test->image, test->size);
    garbage(seen, test->size);
    garbage(put, X87);
    garbage(put + STACK, test->stack_size);
    for (u32 i = 0; i < test->argument_count; i++, op++) {
        if (op->kind == BYTES) {
            overlay(put + op->place, op);
        } else if (op->kind == POINTER) {
            next = aligned(next, op->align);
            garbage(next, op->size);
            overlay(next, op);
            store_pointer(put + op->place, next);
            next += op->size;
        } else {
            in_memory = op;
            result_memory = aligned(result_room, op->align);
            garbage(result_memory, op->size);
            memset(result_memory + op->size, 0x5a, 16);
            store_pointer(put + op->place, result_memory);
        }
    }
    stack_bytes = test->stack_size;
    stack_align = test->alignment;
    callee = functions[test->function + 1];
    invoke();
    compare('f', 0, seen, tables + test->image, tables + test->mask, test->result_at);
    u32 moved = load_pointer(got + STACK_POINTER) - load_pointer(put + STACK_POINTER);
    if (moved != test->pop) {
        fail('s', 0, 0, moved, test->pop);
    }
    for (u32 i = 0; i < REGISTERS; i++) {
        if (saved[i] == 1 && put[i] != got[i]) {
            fail('p', 0, i, got[i], put[i]);
            break;
        }
    }
    op = (const struct op *)(tables + test->results);
    for (u32 i = 0; i < test->result_count; i++, op++) {
        if (op->kind == BYTES) {
            compare('R', op->item, got + op->place, tables + op->data, tables + op->mask, op->size);
        } else if (load_pointer(got + op->place) != result_memory) {
            fail('t', op->item, 0, 0, 0);
        }
    }
    if (in_memory) {
        compare('R', in_memory->item, result_memory, tables + in_memory->data, tables + in_memory->mask, in_memory->size);
        for (u32 i = 0; i < 16; i++) {
            if (result_memory[in_memory->size + i] != 0x5a) {
                fail('g', 0, i, 0, 0);
                break;
            }
        }
    }
}

void start(void) {
    /* With a byte of the program's file changed, a line before each step says where a crash is. */
    int verbose = ((const volatile byte *)tables)[7] == '1';
    u32 count = *(const u32 *)(tables + 8);
    test = (const struct test *)(tables + *(const u32 *)(tables + 12));
    for (u32 i = 0; i < count; i++, test++) {
        for (int side = 0; side < (test->is_layout ? 1 : 2); side++) {
            if (verbose) {
                line[length++] = side ? '>' : '<';
                line[length++] = ' ';
                number(test->number);
                flush();
            }
            x87_results = test->x87;
            popped = test->pop;
            if (test->is_layout) {
                garbage(seen, test->size);
                functions[test->function]();
                compare('l', 0, seen, tables + test->image, tables + test->mask, test->size);
            } else if (side) {
                as_caller();
            } else {
                as_callee();
            }
        }
    }
    system_exit(failures != 0);
}

#ifdef _WIN32
#if defined(__i386__)
#define WINAPI __attribute__((stdcall))
#else
#define WINAPI
#endif
__declspec(dllimport) WINAPI int WriteFile(void *file, const void *text, u32 size, u32 *written, void *overlapped);
__declspec(dllimport) WINAPI void *GetStdHandle(u32 which);
__declspec(dllimport) WINAPI void ExitProcess(u32 code);
int _fltused;

void system_write(const char *text, unsigned long size) {
    u32 written;
    WriteFile(GetStdHandle(-11), text, size, &written, 0);
}

void system_exit(int code) {
    ExitProcess(code);
}
#endif
