/* Nanoseconds of making, freeing and calling trampolines: the pool, libffi's closures, GCC's on the stack. */

#include "gusset_runtime.h"
#include <ffi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PAIRS = 2000000, BATCH = 1000, CALLS = 50000000, ROUNDS = 5, MOST_THREADS = 8 };

typedef int (*function)(int);

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

/* The nested function of all: adds what its chain leads to. */
__attribute__((noinline, noipa)) static int direct(int x) { return x + 1; }

__attribute__((naked, noinline)) static int nested(int x) {
    (void)x;
    __asm__("movl (%r10), %eax\n\taddl %edi, %eax\n\tret");
}

static void closure(ffi_cif *cif, void *result, void **arguments, void *chain) {
    (void)cif;
    *(ffi_arg *)result = *(int *)arguments[0] + *(int *)chain;
}

static int one = 1;
static ffi_cif cif;

static void *pool_make(void) { return gusset_trampoline_init(NULL, (void *)nested, &one); }
static void pool_free(void *handle) { gusset_trampoline_free(handle); }
static function pool_code(void *handle) { return (function)gusset_trampoline_adjust(handle); }

struct closure { ffi_closure *writable; void *code; };
static void *ffi_make(void) {
    void *code;
    ffi_closure *writable = ffi_closure_alloc(sizeof *writable, &code);
    if (!writable || ffi_prep_closure_loc(writable, &cif, closure, &one, code) != FFI_OK) abort();
    return writable;
}
static void ffi_free(void *writable) { ffi_closure_free(writable); }

/* Pairs of making and freeing, one alive at a time, then BATCH of them. */
static void pairs(void *(*make)(void), void (*release)(void *), int batch) {
    static __thread void *live[BATCH];
    for (int done = 0; done < PAIRS; done += batch) {
        for (int i = 0; i < batch; i++) live[i] = make();
        for (int i = 0; i < batch; i++) release(live[i]);
    }
}

static double best_pairs(void *(*make)(void), void (*release)(void *), int batch) {
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds(CLOCK_THREAD_CPUTIME_ID);
        pairs(make, release, batch);
        double taken = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
        if (taken < best) best = taken;
    }
    return best / PAIRS * 1e9;
}

struct work { void *(*make)(void); void (*release)(void *); double nanoseconds; };
static void *work(void *arg) {
    struct work *w = arg;
    w->nanoseconds = best_pairs(w->make, w->release, 1);
    return NULL;
}

/* Processor time of a pair while so many threads do the same. */
static double threaded(void *(*make)(void), void (*release)(void *), int count) {
    pthread_t threads[MOST_THREADS];
    struct work works[MOST_THREADS];
    double sum = 0;
    for (int i = 0; i < count; i++) {
        works[i] = (struct work){make, release, 0};
        pthread_create(&threads[i], NULL, work, &works[i]);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        sum += works[i].nanoseconds;
    }
    return sum / count;
}

static double calls(function f) {
    function volatile hidden = f;
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds(CLOCK_THREAD_CPUTIME_ID);
        int x = 0;
        function g = hidden;
        for (int i = 0; i < CALLS / ROUNDS; i++) {
            __asm__ volatile("" : "+r"(g));
            x = g(x);
        }
        double taken = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
        if (x != CALLS / ROUNDS) abort();
        if (taken < best) best = taken;
    }
    return best / (CALLS / ROUNDS) * 1e9;
}

/* GCC makes a trampoline on the stack of this function each time it is called. */
static __attribute__((noinline)) void on_stack(void (*use)(function)) {
    int step = one;
    int inner(int x) { return x + step; }
    use(inner);
}

static double stack_calls;
static __attribute__((noinline)) void use_nothing(function f) { __asm__ volatile("" : : "r"(f) : "memory"); }
static __attribute__((noinline)) void use_once(function f) { if (f(1) != 2) abort(); }
static __attribute__((noinline)) void use_often(function f) { stack_calls = calls(f); }

static double stacks(void (*use)(function)) {
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds(CLOCK_THREAD_CPUTIME_ID);
        for (int i = 0; i < PAIRS / 10; i++) on_stack(use);
        double taken = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
        if (taken < best) best = taken;
    }
    return best / (PAIRS / 10) * 1e9;
}

/* A pair, with one call. */
static double once(void *(*make)(void), void (*release)(void *), function (*code)(void *)) {
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds(CLOCK_THREAD_CPUTIME_ID);
        for (int i = 0; i < PAIRS / 10; i++) {
            void *handle = make();
            if (code(handle)(1) != 2) abort();
            release(handle);
        }
        double taken = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
        if (taken < best) best = taken;
    }
    return best / (PAIRS / 10) * 1e9;
}

/* libffi hands out the address to call beside the writable one; closures of one test never move. */
static struct closure kept;
static function ffi_code(void *writable) { (void)writable; return (function)kept.code; }
static void *ffi_keep(void) {
    kept.writable = ffi_closure_alloc(sizeof *kept.writable, &kept.code);
    if (!kept.writable || ffi_prep_closure_loc(kept.writable, &cif, closure, &one, kept.code) != FFI_OK) abort();
    return kept.writable;
}

int main(void) {
    ffi_type *arguments[] = {&ffi_type_sint};
    if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, 1, &ffi_type_sint, arguments) != FFI_OK) return 1;
    void *handle = pool_make(), *writable = ffi_keep();
    printf("call direct %.2f\n", calls(direct));
    printf("call pool %.2f\n", calls(pool_code(handle)));
    printf("call libffi %.2f\n", calls(ffi_code(writable)));
    on_stack(use_often);
    printf("call stack %.2f\n", stack_calls);
    gusset_trampoline_free(handle);
    ffi_closure_free(writable);
    printf("pair pool %.2f\n", best_pairs(pool_make, pool_free, 1));
    printf("pair libffi %.2f\n", best_pairs(ffi_make, ffi_free, 1));
    printf("pair stack %.2f\n", stacks(use_nothing));
    printf("batch pool %.2f\n", best_pairs(pool_make, pool_free, BATCH));
    printf("batch libffi %.2f\n", best_pairs(ffi_make, ffi_free, BATCH));
    for (int count = 2; count <= MOST_THREADS; count *= 2) {
        printf("threads%d pool %.2f\n", count, threaded(pool_make, pool_free, count));
        printf("threads%d libffi %.2f\n", count, threaded(ffi_make, ffi_free, count));
    }
    printf("once pool %.2f\n", once(pool_make, pool_free, pool_code));
    printf("once libffi %.2f\n", once(ffi_keep, ffi_free, ffi_code));
    printf("once stack %.2f\n", stacks(use_once));
    return 0;
}
