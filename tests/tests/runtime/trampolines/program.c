/* Puts trampolines where it is told to and calls through them. Lines on standard input:
   `w ADDRESS HEX` writes bytes, `x` makes the pool's code page executable and no longer writable,
   `c ADDRESS CHAIN KIND` calls; without input it prints the addresses of the nested functions.
   The nested functions note the static chain register, then look at their arguments as any function does. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#define IN_PLACE ((void *)0x30000000)
#define POOL ((void *)0x31000000)

uintptr_t noted;

/* 11 integers and as many floating-point numbers: registers and stack. */
double body(int n, ...) {
    va_list ap;
    double sum = 0;
    va_start(ap, n);
    for (int i = 1; i <= n; i++) {
        sum += i * va_arg(ap, int);
        sum += 100 * i * va_arg(ap, double);
    }
    va_end(ap);
    return sum;
}

#if defined(__x86_64__)
__asm__(".text\n.globl nested\nnested: endbr64\n movq %r10, noted(%rip)\n jmp body\n");
#elif defined(__i386__)
__asm__(".text\n.globl nested\nnested: endbr32\n movl %ecx, noted\n jmp body\n"
        ".globl nested_fast\nnested_fast: movl %eax, noted\n jmp body_fast\n");
__attribute__((fastcall)) double body_fast(int a, int b, double c) { return a + 10 * b + c; }
typedef __attribute__((fastcall)) double fast(int a, int b, double c);
fast nested_fast;
#elif defined(__aarch64__)
__asm__(".text\n.globl nested\nnested: adrp x16, noted\n str x15, [x16, :lo12:noted]\n b body\n");
#else
__asm__(".syntax unified\n.text\n.arm\n.globl nested\n.type nested, %function\nnested: push {r0}\n ldr r0, =noted\n str r12, [r0]\n"
        " pop {r0}\n b body\n.ltorg\n"
        ".thumb\n.globl nested_thumb\n.thumb_func\nnested_thumb: push {r0}\n ldr r0, =noted\n str.w r12, [r0]\n"
        " pop {r0}\n b.w body\n.ltorg\n.arm\n.syntax divided\n");
double nested_thumb(int n, ...);
#endif
double nested(int n, ...);

static int call(uintptr_t at, uintptr_t chain, char kind) {
    volatile double got, want; /* not in x87's precision */
    noted = 0;
#if defined(__i386__)
    if (kind == 'f') {
        fast *f = (fast *)at;
        return f(1, 2, 0.5) == 21.5 && noted == chain;
    }
#endif
    double (*f)(int, ...) = (void *)at;
    got = f(11, 1, .1, 2, .2, 3, .3, 4, .4, 5, .5, 6, .6, 7, .7, 8, .8, 9, .9, 10, 1.0, 11, 1.1);
    want = body(11, 1, .1, 2, .2, 3, .3, 4, .4, 5, .5, 6, .6, 7, .7, 8, .8, 9, .9, 10, 1.0, 11, 1.1);
    (void)kind;
    return got == want && noted == chain;
}

int main(int argc, char **argv) {
    char line[512], kind;
    unsigned long long at, chain;
    int failures = 0, calls = 0;
    if (argc < 2) {
        printf("nested %llx\n", (unsigned long long)(uintptr_t)nested);
#if defined(__i386__)
        printf("fast %llx\n", (unsigned long long)(uintptr_t)nested_fast);
#elif defined(__arm__)
        printf("thumb %llx\n", (unsigned long long)(uintptr_t)nested_thumb);
#endif
        return 0;
    }
    if (mmap(IN_PLACE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != IN_PLACE
        || mmap(POOL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != POOL)
        return 2;
    FILE *in = fopen(argv[1], "r");
    if (!in)
        return 2;
    while (fgets(line, sizeof line, in)) {
        int end = 0;
        if (sscanf(line, "w %llx %n", &at, &end) == 1) {
            unsigned char *p = (void *)(uintptr_t)at, *start = p;
            unsigned byte;
            for (const char *h = line + end; sscanf(h, "%2x", &byte) == 1; h += 2)
                *p++ = byte;
            __builtin___clear_cache((char *)start, (char *)p);
        } else if (line[0] == 'x') {
            if (mprotect(POOL, 4096, PROT_READ | PROT_EXEC))
                return 2;
        } else if (sscanf(line, "c %llx %llx %c", &at, &chain, &kind) == 3) {
            calls++;
            if (!call(at, chain, kind)) {
                printf("the call of %llx failed, its chain being %llx\n", at, (unsigned long long)noted);
                failures++;
            }
        }
    }
    printf("%d calls\n", calls);
    return failures != 0;
}
