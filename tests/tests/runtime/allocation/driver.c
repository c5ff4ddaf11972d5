/* MLIR's generic functions of memory, of the runtime library's or, as far as OWN says it, of this program: bit 0 for the first, and so
   on. The program ends with 0 if each is called as it should be. */
#include "gusset_runtime.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int calls[3];

/* One place for all: what it gives and takes back is not C's. */
static _Alignas(16) char place[4096];

#if OWN & 1
void *_mlir_memref_to_llvm_alloc(size_t size) {
    calls[0]++;
    return size <= sizeof place ? place : NULL;
}
#endif
#if OWN & 2
void *_mlir_memref_to_llvm_aligned_alloc(size_t alignment, size_t size) {
    calls[1]++;
    return size <= sizeof place - alignment ? (void *)(((uintptr_t)place + alignment - 1) & -alignment) : NULL;
}
#endif
#if OWN & 4
void _mlir_memref_to_llvm_free(void *memory) {
    calls[2]++;
    (void)memory;
}
#endif

static int check(int index, const char *what, char *memory, size_t alignment) {
    int own = OWN >> index & 1;
    int here = memory >= place && memory < place + sizeof place;
    if (memory == NULL || (uintptr_t)memory % alignment != 0 || here != own || calls[index] != own) {
        printf("%s: %p, %d calls\n", what, (void *)memory, calls[index]);
        return 1;
    }
    memset(memory, 1, 1024);
    return 0;
}

int main(void) {
    /* So that the library's other parts are there, too. */
    gusset_trampoline_free(NULL);
    char *plain = _mlir_memref_to_llvm_alloc(1024);
    char *aligned = _mlir_memref_to_llvm_aligned_alloc(256, 1024);
    if (check(0, "alloc", plain, 2 * sizeof(void *)) || check(1, "aligned_alloc", aligned, 256))
        return 1;
    /* What the program's own functions gave is not for the library's. */
    if (!(OWN & 1) || OWN & 4)
        _mlir_memref_to_llvm_free(plain);
    if (!(OWN & 2) || OWN & 4)
        _mlir_memref_to_llvm_free(aligned);
    _mlir_memref_to_llvm_free(NULL);
    if (calls[2] != (OWN & 4 ? 3 : 0)) {
        printf("free: %d calls\n", calls[2]);
        return 1;
    }
    return 0;
}
