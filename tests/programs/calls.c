/* The part of the conformance tests that neither side of a call compiles: values, reports, the main loop. */
#include "calls.h"
#if defined _WIN32 || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
/* There are no signals, on the big-endian machines for want of a C library. */
#define NO_SIGNALS 1
#endif
#ifndef NO_SIGNALS
#include <setjmp.h>
#include <signal.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int current;
#ifndef NO_SIGNALS
static sigjmp_buf before_call;
#endif
static long checked;

u64 gt_bits(u64 seed) {
    u64 z = seed + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Writes the lowest bytes of a number, the lowest first. */
static void low_bytes(unsigned char *to, u64 number, int count) {
    for (int i = 0; i < count; i++) to[i] = (unsigned char)(number >> 8 * i);
}

/* Writes a leaf's bytes, the lowest first; gives how many have meaning. */
static int low_leaf(unsigned char *to, enum gt_kind kind, u64 seed) {
    u64 low = gt_bits(seed), high = gt_bits(seed ^ 0x5555555555555555u);
    switch (kind) {
    case GT_BOOL: low &= 1; low_bytes(to, low, 1); return 1;
    case GT_8: low_bytes(to, low, 1); return 1;
    case GT_16: low_bytes(to, low, 2); return 2;
    case GT_32: low_bytes(to, low, 4); return 4;
    case GT_64: low_bytes(to, low, 8); return 8;
    case GT_128: low_bytes(to, low, 8); low_bytes(to + 8, high, 8); return 16;
    case GT_F16: low = (low & 0x83ff) | (1 + high % 30) << 10; low_bytes(to, low, 2); return 2;
    case GT_F32: low = (low & 0x807fffff) | (1 + high % 254) << 23; low_bytes(to, low, 4); return 4;
    case GT_F64: low = (low & 0x800fffffffffffffu) | (1 + high % 2046) << 52; low_bytes(to, low, 8); return 8;
    case GT_F80:
        low |= 1ull << 63;
        high = (high & 0x8000) | (1 + (high >> 16) % 32766);
        low_bytes(to, low, 8);
        low_bytes(to + 8, high, 2);
        return 10;
    case GT_F128:
        high = (high & 0x8000ffffffffffffu) | (1 + low % 32766) << 48;
        low_bytes(to, low, 8);
        low_bytes(to + 8, high, 8);
        return 16;
    }
    abort();
}

/* Writes a leaf's bytes as they are in memory; gives how many have meaning. */
static int leaf(unsigned char *to, enum gt_kind kind, u64 seed) {
    int count = low_leaf(to, kind, seed);
    for (int i = 0; i < count / 2 && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__; i++) {
        unsigned char byte = to[i];
        to[i] = to[count - 1 - i], to[count - 1 - i] = byte;
    }
    return count;
}

static int stride(enum gt_kind kind) {
    static const int bytes[] = {1, 1, 2, 4, 8, 16, 2, 4, 8, sizeof(f80), 16};
    return bytes[kind];
}

void gt_fill(void *at, enum gt_kind kind, int count, u64 seed) {
    unsigned char *p = at;
    for (int i = 0; i < count; i++, p += stride(kind)) {
        unsigned char bytes[16];
        int n = leaf(bytes, kind, GT_PART(seed, (u64)i));
        memcpy(p, bytes, (size_t)n);
    }
}

void gt_check(const void *at, enum gt_kind kind, int count, u64 seed, int place) {
    const unsigned char *p = at;
    for (int i = 0; i < count; i++, p += stride(kind)) {
        unsigned char bytes[16];
        int n = leaf(bytes, kind, GT_PART(seed, (u64)i));
        checked++;
        if (memcmp(p, bytes, (size_t)n)) gt_wrong(place);
    }
}

void gt_wide(long long got, enum gt_kind kind, int is_signed, u64 seed, int place) {
    u64 value = 0;
    unsigned char bytes[16];
    int n = low_leaf(bytes, kind, GT_PART(seed, 0)), shift = 64 - 8 * n;
    for (int i = n; i-- > 0;) value = value << 8 | bytes[i];
    long long expected = is_signed ? (long long)(value << shift) >> shift : (long long)value;
    checked++;
    if (got != expected) gt_wrong(300 + place);
}

__attribute__((noinline)) void gt_aligned(const void *at, u64 align, int place) {
    checked++;
    if ((uintptr_t)at % align) gt_wrong(200 + place);
    /* The frame pointer is below its own place and that of the return address. */
#if !(defined _WIN32 && defined __i386__ || defined __arm__)
    if (((uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *)) % 16) gt_wrong(299);
#endif
}

void gt_scribble(void *at, u64 size) {
    memset(at, 0xa5, size);
}

void gt_wrong(int place) {
    printf("wrong %d %d\n", current, place);
}

/* The program's arguments are numbers of calls to leave out. */
static int left_out(int count, char **numbers, int call) {
    for (int i = 1; i < count; i++)
        if (atoi(numbers[i]) == call) return 1;
    return 0;
}

#ifdef NO_SIGNALS
/* What crashes ends the program: it says where it is. */
int main(int argc, char **argv) {
    for (int i = 0; i < gt_count; i++) {
        if (left_out(argc, argv, i)) continue;
        current = i;
        printf("at %d\n", i);
        fflush(stdout);
        gt_calls[i]();
    }
    printf("done %d %ld\n", gt_count, checked);
    return 0;
}
#else
static void on_signal(int number) {
    printf("crash %d %d\n", current, number);
    siglongjmp(before_call, 1);
}

int main(int argc, char **argv) {
    static char stack[1 << 16];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternate, NULL);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGILL, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
    for (int i = 0; i < gt_count; i++) {
        if (left_out(argc, argv, i)) continue;
        current = i;
        if (!sigsetjmp(before_call, 1)) gt_calls[i]();
    }
    printf("done %d %ld\n", gt_count, checked);
    return 0;
}
#endif
