/* Nested functions of GCC's and Gusset's call each other: static chains set by either, trampolines of either. */

#include <stdio.h>

struct big { int a, b, c; long long more[5]; };

int inner(int);
int direct(int);
int through(void *, int, void *);
int plainly(int (*)(int), int);
int loop(int), either(int), forward(int);
struct big record(int);
struct big chained_record(int);
int chained_copy(struct big);
int copied(struct big *, void *);
int tails(int, void *);
int chained_sum(int, ...);
int (*escape(int *))(int);

#if defined(_WIN32) && !defined(__x86_64__)
#define U "_"
#else
#define U ""
#endif

__asm__(".text\n.balign 4\n.globl " U "chained\n"
#ifdef __thumb__
        ".thumb\n.thumb_func\n"
#elif defined(__arm__)
        ".arm\n"
#endif
#ifdef __arm__
        ".type chained, %function\n"
#endif
        U "chained:\n"
#if defined(__x86_64__) && defined(_WIN32)
        " movl (%r10), %eax\n addl %ecx, %eax\n ret\n"
#elif defined(__x86_64__)
        " movl (%r10), %eax\n addl %edi, %eax\n ret\n"
#elif defined(CHAIN_X15)
        " ldr w1, [x15]\n add w0, w0, w1\n ret\n"
#elif defined(__aarch64__)
        " ldr w1, [x18]\n add w0, w0, w1\n ret\n"
#elif defined(__arm__)
        ".syntax unified\n ldr r1, [r12]\n add r0, r0, r1\n bx lr\n"
#else
        " movl (%ecx), %eax\n addl 4(%esp), %eax\n ret\n"
#endif
);
void chained(void);

int apply(int (*f)(int), int x) { return f(x) + f(x + 1); }

#ifdef COUNT
static long made, freed;
void *__real_gusset_host_trampoline_init__link_with_libgusset_runtime(void *, const void *, const void *);
void __real_gusset_trampoline_free(void *);
void *__wrap_gusset_host_trampoline_init__link_with_libgusset_runtime(void *host, const void *callee, const void *chain) {
    made++;
    return __real_gusset_host_trampoline_init__link_with_libgusset_runtime(host, callee, chain);
}
void __wrap_gusset_trampoline_free(void *handle) {
    if (handle) freed++;
    __real_gusset_trampoline_free(handle);
}
#endif

#ifdef __aarch64__
#include "setup.h"
#endif

#ifdef FLUSHES
/* Caches are told of the code of each trampoline, which begins with this word; of GCC's own they are told more. */
static long flushed;
void __real___clear_cache(char *, char *);
void __wrap___clear_cache(char *from, char *to) {
    flushed += to - from == 16 && (size_t)from % 8 == 0 && *(unsigned *)from == FLUSHES;
    __real___clear_cache(from, to);
}
#endif

#ifdef CHAIN_X15
/* Where GCC's own chain is in another register. */
void *chain_of_call, *callee_of_call;
void with_chain(void);
__asm__(".text\n.globl with_chain\nwith_chain:\n"
        " adrp x16, chain_of_call\n ldr x15, [x16, :lo12:chain_of_call]\n"
        " adrp x16, callee_of_call\n ldr x16, [x16, :lo12:callee_of_call]\n br x16\n");
#define CHAIN(f, ...) \
    (chain_of_call = &frame, callee_of_call = (void *)f, ((__typeof__(&f))(void *)with_chain)(__VA_ARGS__))
#else
/* GCC drops the chain of a call whose function it knows. */
#define HIDDEN(f) ({ __typeof__(&f) hidden = f; __asm__("" : "+r"(hidden)); hidden; })
#define CHAIN(f, ...) __builtin_call_with_static_chain(HIDDEN(f)(__VA_ARGS__), &frame)
#endif

int main(int argc, char **argv) {
    int frame = 40, calls = 0;
    (void)argv;
    if (argc > 1) {
        /* Too late: the host is gone. */
        int (*dead)(int) = escape(&frame);
        printf("%llx\n", (unsigned long long)(size_t)inner);
        fflush(stdout);
        return dead(1);
    }
#ifdef NESTED
    int nested(int x) {
        calls++;
        return frame + x + CHAIN(inner, calls);
    }
    printf("%d %d\n", apply(nested, 2), plainly(nested, 3));
#endif
    int x = CHAIN(inner, 2);
    int y = direct(3);
    printf("%d %d\n", x, y);
    printf("%d %d\n", through((void *)inner, 5, &frame), through((void *)chained, 6, &frame));
    printf("%d %d %d %d %d\n", loop(0), loop(1), loop(1000), either(1), either(2));
    printf("%d %d %d %d\n", either(3), forward(4), tails(5, &frame), tails(-5, &frame));
    struct big b = record(9);
    struct big c = CHAIN(chained_record, 11);
    b.c = 500;
    x = copied(&b, &frame);
#ifndef __aarch64__
    /* There, C passes the address of a copy. */
    x += CHAIN(chained_copy, b);
#endif
    printf("%d %d %d %d %d\n", b.a, b.b, c.a, c.b, x);
    x = CHAIN(chained_sum, 0);
#ifdef _WIN32
    /* llc's va_arg goes on by 4 bytes here. */
    y = CHAIN(chained_sum, 1, 6);
#elif defined(__aarch64__) && defined(LLC)
    /* llc's va_arg knows nothing of lists of this kind. */
    y = frame + 6;
#else
    y = CHAIN(chained_sum, 3, 1, 2, 3);
#endif
    printf("%d %d %d\n", x, y, calls);
#ifdef COUNT
    if (made != freed || made < 1005) printf("%ld made, %ld freed\n", made, freed);
#endif
#ifdef FLUSHES
    if (flushed != 1008) printf("%ld of 1008 trampolines were flushed\n", flushed);
#endif
    return 0;
}
