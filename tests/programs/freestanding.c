/* What programs of the tests need of a C library and of the run-time library, for machines that have none here: 64-bit and 32-bit ARM with
   big-endian data. Linux's system calls have the numbers of the little-endian machines. */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __aarch64__
enum { OPEN = 56, WRITE = 64, EXIT = 94, MMAP = 222, SETITIMER = 103, CLONE = 220, WAIT4 = 260, DUP3 = 24 };

static long call(long n, long a, long b, long c, long d, long e, long f) {
    register long x8 __asm__("x8") = n, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c, x3 __asm__("x3") = d,
                  x4 __asm__("x4") = e, x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}

__asm__(".globl _start\n_start: mov x29, #0\nldr x0, [sp]\nadd x1, sp, #8\nbl begin\n");
#else
enum { OPEN = 322, WRITE = 4, EXIT = 248, MMAP = 192, SETITIMER = 104, CLONE = 120, WAIT4 = 114, DUP3 = 358 };

static long call(long n, long a, long b, long c, long d, long e, long f) {
    register long r7 __asm__("r7") = n, r0 __asm__("r0") = a, r1 __asm__("r1") = b, r2 __asm__("r2") = c, r3 __asm__("r3") = d,
                  r4 __asm__("r4") = e, r5 __asm__("r5") = f;
    __asm__ volatile("svc 0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5) : "memory");
    return r0;
}

__asm__(".globl _start\n_start: ldr r0, [sp]\nadd r1, sp, #4\nbl begin\n");

/* Division, for the programs themselves. */
uint64_t divide(uint64_t a, uint64_t b, uint64_t *rest) {
    uint64_t quotient = 0, left = 0;
    for (int k = 63; k >= 0; k--) {
        left = left << 1 | (a >> k & 1);
        if (left >= b) left -= b, quotient |= 1ull << k;
    }
    *rest = left;
    return quotient;
}
__asm__(".arm\n.globl __aeabi_uldivmod\n.type __aeabi_uldivmod, %function\n"
        "__aeabi_uldivmod: push {r4, lr}\nsub sp, #16\nadd r4, sp, #8\nstr r4, [sp]\nbl divide\nldrd r2, r3, [sp, #8]\nadd sp, #16\npop {r4, pc}\n");
unsigned __aeabi_uidiv(unsigned a, unsigned b) {
    uint64_t rest;
    return (unsigned)divide(a, b, &rest);
}
void raise(int signal) { call(EXIT, 128 + signal, 0, 0, 0, 0, 0); }
#endif

static char **environment;
static char line[1 << 16];
static unsigned used;
void *stdout;

int fflush(void *file) {
    for (unsigned at = 0; at < used;) at += call(WRITE, 1, (long)(line + at), used - at, 0, 0, 0);
    used = 0;
    return 0;
}

static void put(char c) {
    if (used == sizeof line) fflush(0);
    line[used++] = c;
}

int printf(const char *format, ...) {
    va_list all;
    va_start(all, format);
    for (; *format; format++) {
        if (*format != '%') {
            put(*format);
            continue;
        }
        unsigned zeros = 0, wide = 0;
        for (format++; *format == '0' || *format == '2' || *format == 'l'; format++) zeros += *format == '2' ? 2 : 0, wide += *format == 'l';
        if (*format == 's') {
            for (const char *s = va_arg(all, const char *); *s; s++) put(*s);
            continue;
        }
        unsigned base = *format == 'x' ? 16 : 10, count = 0;
        uint64_t n = wide == 2 ? va_arg(all, uint64_t) : wide ? va_arg(all, unsigned long) : va_arg(all, unsigned);
        char digits[24];
        do digits[count++] = "0123456789abcdef"[n % base], n /= base;
        while (n || count < zeros);
        while (count) put(digits[--count]);
    }
    va_end(all);
    return 0;
}

void *memcpy(void *to, const void *from, size_t n) {
    for (size_t k = 0; k < n; k++) ((volatile char *)to)[k] = ((const char *)from)[k];
    return to;
}

void *memmove(void *to, const void *from, size_t n) {
    if ((uintptr_t)to <= (uintptr_t)from) return memcpy(to, from, n);
    while (n--) ((volatile char *)to)[n] = ((const char *)from)[n];
    return to;
}

void *memset(void *to, int byte, size_t n) {
    for (size_t k = 0; k < n; k++) ((volatile char *)to)[k] = (char)byte;
    return to;
}

int memcmp(const void *a, const void *b, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (((const uint8_t *)a)[k] != ((const uint8_t *)b)[k]) return ((const uint8_t *)a)[k] < ((const uint8_t *)b)[k] ? -1 : 1;
    return 0;
}

void *mmap(void *at, size_t size, int access, int flags, int file, long offset) {
    return (void *)call(MMAP, (long)at, size, access, flags, file, offset);
}

void *malloc(size_t size) {
    return mmap(0, size + 4096, 3, 0x22, -1, 0);
}

char *getenv(const char *name) {
    for (char **each = environment; *each; each++) {
        unsigned k = 0;
        while (name[k] && (*each)[k] == name[k]) k++;
        if (!name[k] && (*each)[k] == '=') return *each + k + 1;
    }
    return 0;
}

int atoi(const char *text) {
    int n = 0;
    while (*text >= '0' && *text <= '9') n = 10 * n + *text++ - '0';
    return n;
}

/* What headers make of `atoi`. */
long strtol(const char *text, char **end, int base) { return atoi(text); }

void _exit(int code) { for (;;) call(EXIT, code, 0, 0, 0, 0, 0); }
void abort(void) { _exit(134); }
int fork(void) { return call(CLONE, 17, 0, 0, 0, 0, 0); }
int waitpid(int pid, int *status, int options) { return call(WAIT4, pid, (long)status, options, 0, 0, 0); }
int open(const char *name, int flags, ...) { return call(OPEN, -100, (long)name, flags, 0, 0, 0); }
int dup2(int from, int to) { return call(DUP3, from, to, 0, 0, 0, 0); }
int setitimer(int which, const void *value, void *old) { return call(SETITIMER, which, (long)value, (long)old, 0, 0, 0); }
unsigned alarm(unsigned seconds) {
    long value[4] = { 0, 0, seconds, 0 };
    return setitimer(0, value, 0);
}
int fesetenv(const void *to) {
#ifdef __aarch64__
    __asm__ volatile("msr fpcr, xzr");
#else
    __asm__ volatile("vmsr fpscr, %0" : : "r"(0));
#endif
    return 0;
}

int main(int argc, char **argv);
void begin(int argc, char **argv) {
    environment = argv + argc + 1;
    int code = main(argc, argv);
    fflush(0);
    _exit(code);
}
