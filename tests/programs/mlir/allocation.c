// Calls a module whose functions of memory are these, which say how they are called.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static long live;

static void *given(void *memory) {
  live += memory != NULL;
  return memory;
}
static void back(const char *name, void *memory) {
  printf("%s\n", name);
  live -= memory != NULL;
  free(memory);
}
#define FUNCTIONS(alloc, aligned, release)                                            \
  void *alloc(size_t size) {                                                          \
    printf(#alloc " %zu\n", size);                                                    \
    return given(malloc(size));                                                       \
  }                                                                                   \
  void *aligned(size_t alignment, size_t size) {                                      \
    printf(#aligned " %zu %zu, %zu over\n", alignment, size, size % alignment);       \
    return given(aligned_alloc(alignment, size));                                     \
  }                                                                                   \
  void release(void *memory) { back(#release, memory); }
FUNCTIONS(counted_malloc, counted_aligned_alloc, counted_free)
FUNCTIONS(_mlir_memref_to_llvm_alloc, _mlir_memref_to_llvm_aligned_alloc, _mlir_memref_to_llvm_free)

struct unranked {
  intptr_t rank;
  void *descriptor;
};
float _mlir_ciface_fill(intptr_t, float);
intptr_t _mlir_ciface_aligned(intptr_t);
void _mlir_ciface_adopt(intptr_t);

int main(void) {
  for (intptr_t n = 1; n < 40; n += 7) {
    printf("fill %g\n", _mlir_ciface_fill(n, 1.5f * n));
#ifndef SCALARS
    printf("aligned %d\n", (int)_mlir_ciface_aligned(n));
#endif
  }
#ifndef SCALARS
  // Its descriptor has another size on each machine.
  _mlir_ciface_adopt(3);
#endif
  printf("the end: %ld allocated\n", live);
}
