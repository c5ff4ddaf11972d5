// What the hosts in throws.ll call, and whether their trampolines are freed when it throws.

#include <cstdio>

extern "C" {
int leaves(int), rounds(int), catches(int);
}

static int throws_at, passes;

// Throws an `int` or a `double` on its call number `throws_at`.
extern "C" int risk(int n) {
    if (++passes == throws_at)
        throw n;
    if (passes == -throws_at)
        throw n + 0.5;
    return n + 1;
}
extern "C" int safe(int n) { return n * 2; }
extern "C" int apply(int (*f)(int), int x) { return f(x) + f(x + 1); }

static long made, freed;

#ifdef COUNT
extern "C" {
void *__real_gusset_host_trampoline_init__link_with_libgusset_runtime(void *, const void *, const void *);
void __real_gusset_trampoline_free(void *);
void *__wrap_gusset_host_trampoline_init__link_with_libgusset_runtime(void *host, const void *callee, const void *chain) {
    made++;
    return __real_gusset_host_trampoline_init__link_with_libgusset_runtime(host, callee, chain);
}
void __wrap_gusset_trampoline_free(void *handle) {
    if (handle)
        freed++;
    __real_gusset_trampoline_free(handle);
}
}
#endif

int main() {
    int (*const hosts[])(int) = {leaves, rounds, catches};
    long all = 0;
    for (int host = 0; host < 3; host++)
        for (int at = -12; at <= 12; at++) {
            throws_at = at;
            passes = 0;
            try {
                std::printf("%d, %d: %d", host, at, hosts[host](5));
            } catch (int n) {
                std::printf("%d, %d: threw %d", host, at, n);
            } catch (double d) {
                std::printf("%d, %d: threw %.1f", host, at, d);
            }
            std::printf(" after %d\n", passes);
            all += made;
            if (made != freed)
                std::printf("%ld made, %ld freed\n", made, freed);
            made = freed = 0;
        }
#ifdef COUNT
    if (all < 130)
        std::printf("%ld made\n", all);
#endif
}
