// What the hosts in hosts.ll call, the pool from which they have trampolines, and whether these are freed when something is thrown. What
// the hosts do is done here once more, without trampolines.
extern "C" {
int printf(const char *, ...);
int fflush(void *);
void *__stdcall VirtualAlloc(void *, __UINTPTR_TYPE__, unsigned, unsigned);
void *memcpy(void *, const void *, __UINTPTR_TYPE__);
int leaves(int), rounds(int), catches(int);
}

static int throws_at, passes, made, freed;

// Throws an `int` or a `double` on its call number `throws_at`.
extern "C" int risk(int n) {
    if (++passes == throws_at) throw n;
    if (passes == -throws_at) throw n + 0.5;
    return n + 1;
}
extern "C" int safe(int n) { return n * 2; }
extern "C" int apply(int (*f)(int), int x) { return f(x) + f(x + 1); }

// A trampoline, in memory that is executable: what is looked at is when it is freed.
extern "C" void *gusset_host_trampoline_init__link_with_libgusset_runtime(void *, const void *callee, const void *chain) {
    static unsigned char *page = (unsigned char *)VirtualAlloc(0, 1 << 16, 0x3000, 0x40);
    unsigned char *code = page + made++ % 1000 * 32;
#if defined(__i386__)
    int distance = (int)((const unsigned char *)callee - (code + 10));
    code[0] = 0xb9, memcpy(code + 1, &chain, 4);
    code[5] = 0xe9, memcpy(code + 6, &distance, 4);
#elif defined(__aarch64__)
    // Loads of what stands after them. The emulator sees by itself that code changes.
    static const unsigned form[] = {0x5800008f, 0x580000b0, 0xd61f0200, 0xd503201f};
    memcpy(code, form, sizeof form);
    memcpy(code + 16, &chain, 8), memcpy(code + 24, &callee, 8);
#else
    static const unsigned char form[] = {0x49, 0xba, 0, 0, 0, 0, 0, 0, 0, 0, 0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0xff, 0xe3};
    memcpy(code, form, sizeof form);
    memcpy(code + 2, &chain, 8), memcpy(code + 12, &callee, 8);
#endif
    return code;
}
extern "C" void *gusset_trampoline_adjust(const void *handle) { return (void *)handle; }
extern "C" void gusset_trampoline_free(void *handle) {
    if (handle) freed++;
}

template <class F> static int apply_here(F f, int x) {
    int a = f(x);
    return a + f(x + 1);
}
static int leaves_here(int n) {
    int early = risk(n), r = apply_here([&](int x) { return risk(n + x); }, 100);
    return risk(safe(r)) + early;
}
static int rounds_here(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        auto inner = [&](int x) { return risk(i + x); };
        int p = apply_here(inner, 200);
        if (i & 1) p = apply_here(inner, 300);
        sum += p;
    }
    return risk(sum);
}
static int catches_here(int n) {
    int r;
    try {
        r = apply_here([&](int x) { return risk(n + x); }, 400);
    } catch (int e) {
        r = risk(e);
    }
    return risk(r);
}

static double outcome(int (*host)(int), int at) {
    throws_at = at, passes = 0;
    try {
        return host(5) + passes * 1e6;
    } catch (int n) {
        return -n + passes * 1e6;
    } catch (double d) {
        return -d + passes * 1e6;
    }
}

int main() {
    int (*const hosts[])(int) = {leaves, rounds, catches}, (*const here[])(int) = {leaves_here, rounds_here, catches_here};
    int all = 0, wrong = 0, left = 0;
    for (int host = 0; host < 3; host++)
        for (int at = -18; at <= 18; at++) {
            double expected = outcome(here[host], at);
            if (outcome(hosts[host], at) != expected) wrong++;
            if (made != freed) left++;
            all += made;
            made = freed = 0;
        }
    printf("%d made, %d runs wrong, %d runs with some left\n", all, wrong, left);
    fflush(0);
    return 0;
}
