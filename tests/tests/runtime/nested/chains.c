/* Calls hosts whose nested functions have their chain in eax; with an argument, one of these after its host's end. */

#include <stdio.h>

int through_fast(int), through_this(int), through_own(int);

static int __attribute__((fastcall)) (*kept)(int, int);
void keep(void *code) { kept = (int __attribute__((fastcall)) (*)(int, int))code; }

int main(int argc, char **argv) {
    (void)argv;
    printf("%d %d %d\n", through_fast(1000), through_this(1100), through_own(1200));
    fflush(stdout);
    if (argc > 1) printf("%d\n", kept(50, 8));
    return 0;
}

#ifdef COUNT
void *__real_gusset_host_trampoline_init__link_with_libgusset_runtime(void *, const void *, const void *);
void __real_gusset_trampoline_free(void *);
void *__wrap_gusset_host_trampoline_init__link_with_libgusset_runtime(void *host, const void *callee, const void *chain) {
    return __real_gusset_host_trampoline_init__link_with_libgusset_runtime(host, callee, chain);
}
void __wrap_gusset_trampoline_free(void *handle) { __real_gusset_trampoline_free(handle); }
#endif
