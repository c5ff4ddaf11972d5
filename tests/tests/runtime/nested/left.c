/* Leaves hosts by longjmp; how many different trampolines they get shows that those are used again. */

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void host(int);

enum { TIMES = 3000, MOST = 300 };
static jmp_buf back;
static int leaves, now;
static uintptr_t seen[2 * TIMES];
static int count;

static void fail(const char *what) {
    puts(what);
    exit(0);
}

void leave_or_not(int (*add)(int), int (*subtract)(int)) {
    if (add(100) != 100 + now || subtract(100) != 100 - now) fail("wrong chain");
    if (count < 2 * TIMES) seen[count++] = (uintptr_t)add, seen[count++] = (uintptr_t)subtract;
    if (now % 5 == 4) {
        /* Another host inside of this one, which stays. */
        int outer = now;
        now++;
        host(now);
        now = outer;
        if (add(100) != 100 + outer || subtract(100) != 100 - outer) fail("an outer host's chain");
    }
    if (leaves && now % 5 != 0) longjmp(back, 1);
}

static int by_number(const void *a, const void *b) {
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

int main(void) {
    for (volatile int i = 0; i < TIMES; i++) {
        now = i;
        leaves = i % 3 != 0;
        if (!setjmp(back)) host(i);
    }
    qsort(seen, (size_t)count, sizeof *seen, by_number);
    int distinct = 0;
    for (int i = 0; i < count; i++) distinct += i == 0 || seen[i] != seen[i - 1];
    if (distinct > MOST) printf("%d trampolines\n", distinct);
    puts("done");
    return 0;
}

#ifdef COUNT
#define INIT gusset_host_trampoline_init__link_with_libgusset_runtime
#define WRAP_(x) __wrap_##x
#define REAL_(x) __real_##x
#define WRAP(x) WRAP_(x)
#define REAL(x) REAL_(x)
void *REAL(INIT)(void *, const void *, const void *);
void REAL(gusset_trampoline_free)(void *);
void *WRAP(INIT)(void *host, const void *callee, const void *chain) { return REAL(INIT)(host, callee, chain); }
void WRAP(gusset_trampoline_free)(void *handle) { REAL(gusset_trampoline_free)(handle); }
#endif
