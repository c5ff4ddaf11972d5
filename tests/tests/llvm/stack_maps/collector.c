// A collector that moves every object whenever one is made, and finds the references in frames by the stack maps. Built
// with frame pointers, it follows these from frame to frame; with BY_SIZE it only uses the sizes of frames in the table.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Node { struct Node *a, *b; int32_t key; struct Node *moved; } Node;
enum { MOST = 20000 };
static Node *space, *next, *old;
static int used, old_used, collections, found;

typedef struct { uint8_t kind, zero; uint16_t size, reg, zero2; int32_t offset; } Location;
typedef struct { uint64_t id; uint32_t offset; uint16_t zero, count; } Record;
typedef struct { uint64_t address, size, records; } Function;
extern const uint8_t *stack_maps(void);

#if defined __x86_64__
enum { SP = 7, FP = 6, LINK = 8 };
#elif defined __i386__
enum { SP = 4, FP = 5, LINK = 4 };
#elif defined __aarch64__
enum { SP = 31, FP = 29, LINK = 0 };
#else
enum { SP = 13, FP = 11, FP_THUMB = 7, LINK = 0 };
#endif

static const Record *record_of(uintptr_t address, uint64_t *size) {
    const uint8_t *maps = stack_maps();
    const uint32_t *head = (const uint32_t *)maps;
    if (maps[0] != 3) abort();
    const Function *f = (const Function *)(maps + 16);
    const uint8_t *at = (const uint8_t *)(f + head[1]) + 8 * head[2];
    for (uint32_t i = 0; i < head[1]; i++)
        for (uint64_t k = 0; k < f[i].records; k++) {
            const Record *r = (const Record *)at;
            if (f[i].address + r->offset == address) { *size = f[i].size; return r; }
            at += 16 + sizeof(Location) * r->count;
            at = (const uint8_t *)(((uintptr_t)at + 7) & ~(uintptr_t)7);
            at += 4 + 4 * ((const uint16_t *)at)[1];
            at = (const uint8_t *)(((uintptr_t)at + 7) & ~(uintptr_t)7);
        }
    return 0;
}

static Node *move(Node *p) {
    if (p == 0 || (p >= space && p < space + used)) return p;
    if (p < old || p >= old + old_used) { printf("a stale reference\n"); exit(3); }
    if (p->moved == 0) {
        space[used] = *p;
        p->moved = &space[used++];
    }
    return p->moved;
}

static void visit(const Record *r, uintptr_t sp, uintptr_t fp) {
    const Location *l = (const Location *)(r + 1);
    int first = 3 + l[2].offset;
    if (l[0].kind != 4 || l[1].kind != 4 || l[2].kind != 4) abort();
    if (first > 3 && (l[4].kind != 4 || l[4].offset != -5)) abort();
    uintptr_t *base[512], *derived[512], distance[512];
    int pairs = (r->count - first) / 2;
    if (pairs > 512) abort();
    for (int k = 0; k < pairs; k++) {
        const Location *p = l + first + 2 * k;
        if (p[0].kind == 4) { base[k] = derived[k] = 0; continue; }
        if (p[0].kind != 3 || p[1].kind != 3 || p[0].size != sizeof(void *)) abort();
        base[k] = (uintptr_t *)((p[0].reg == SP ? sp : fp) + p[0].offset);
        derived[k] = (uintptr_t *)((p[1].reg == SP ? sp : fp) + p[1].offset);
        distance[k] = *derived[k] - *base[k];
        found++;
    }
    for (int k = 0; k < pairs; k++) if (base[k]) *base[k] = (uintptr_t)move((Node *)*base[k]);
    for (int k = 0; k < pairs; k++) if (base[k]) *derived[k] = *base[k] + distance[k];
}

static void collect(uintptr_t *frame, uintptr_t address) {
    old = space; old_used = used;
    space = next; used = 0;
    next = old;
    uint64_t size;
    const Record *r;
#ifdef BY_SIZE
    uintptr_t sp = (uintptr_t)(frame + 2);
    while ((r = record_of(address, &size))) {
        visit(r, sp, 0);
        address = *(uintptr_t *)(sp + size);
        sp += size + LINK;
    }
#else
    for (frame = (uintptr_t *)*frame; (r = record_of(address, &size)); frame = (uintptr_t *)*frame) {
        uintptr_t fp = (uintptr_t)frame;
        visit(r, fp + 2 * sizeof(void *) - LINK - size, fp);
        address = frame[1];
    }
#endif
    for (int k = 0; k < used; k++) {
        space[k].a = move(space[k].a);
        space[k].b = move(space[k].b);
    }
    memset(old, 0xdd, sizeof(Node) * old_used);
    collections++;
}

__attribute__((noinline)) Node *allocate(int32_t key) {
    collect(__builtin_frame_address(0), (uintptr_t)__builtin_return_address(0));
    if (used == MOST) exit(4);
    Node *n = &space[used++];
    *n = (Node){ 0, 0, key, 0 };
    return n;
}

static void start(void) {
    space = calloc(MOST, sizeof(Node));
    next = calloc(MOST, sizeof(Node));
}

#ifndef OTHER_MAIN
int run(int depth, int length);

int main(void) {
    start();
    int result = run(6, 40);
    printf("%d %d %d\n", result, collections, found);
    return 0;
}
#endif
