/* Calls the Fortran procedures, from one thread and from many; says whether all trampolines were freed. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int arguments(int), pointers(int), ends(int), deep(int);
double numbers(int);

#ifdef COUNT
/* The linker lets calls of the pool come here first (`--wrap`). */
static long made, freed, most;
void *__real_gusset_host_trampoline_init__link_with_libgusset_runtime(void *, const void *, const void *);
void __real_gusset_trampoline_free(void *);
void *__wrap_gusset_host_trampoline_init__link_with_libgusset_runtime(void *host, const void *callee, const void *chain) {
    long now = __atomic_add_fetch(&made, 1, __ATOMIC_SEQ_CST) - __atomic_load_n(&freed, __ATOMIC_SEQ_CST);
    if (now > most) most = now;
    return __real_gusset_host_trampoline_init__link_with_libgusset_runtime(host, callee, chain);
}
void __wrap_gusset_trampoline_free(void *handle) {
    if (handle) __atomic_add_fetch(&freed, 1, __ATOMIC_SEQ_CST);
    __real_gusset_trampoline_free(handle);
}
static void settle(const char *what) {
    if (made != freed) printf("%s: %ld made, %ld freed\n", what, made, freed);
}
#else
static void settle(const char *what) { (void)what; }
#endif

/* All that is asked of Fortran's library: sets a pointer to null that is set to something else at once. */
void _FortranAInitialize(void) {}

#ifdef __aarch64__
#include "setup.h"
#endif

enum { DEPTH = 5000, THREADS = 8 };

static void *work(void *arg) {
    long me = (long)arg, sum = 0;
    for (int i = 0; i < 20; i++) {
        sum += arguments(i + me) + pointers(i) + ends(i % 12) + (long)numbers(i % 7);
        sum += deep(DEPTH / 20 * (i + 1) / 4);
    }
    return (void *)sum;
}

int main(void) {
    for (int i = 0; i < 12; i++) {
        printf("%d: %d %d %d %.9f\n", i, arguments(i), pointers(i), ends(i), numbers(i));
        settle("at one end or another");
    }
    printf("%d %d\n", deep(1), deep(DEPTH));
    settle("deep");
#ifdef COUNT
    if (most < DEPTH) printf("no more than %ld alive at once\n", most);
#endif
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        void *sum;
        pthread_join(threads[i], &sum);
        printf("%ld\n", (long)sum);
    }
    settle("threads");
    return 0;
}
