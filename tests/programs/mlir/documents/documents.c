// The C side of the examples: what uses values, gives them, and calls what the module has.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VIEW(rank)                                                                                                     \
  typedef struct {                                                                                                     \
    float *allocated, *aligned;                                                                                        \
    intptr_t offset, sizes[rank], strides[rank];                                                                       \
  } View##rank
VIEW(1);
VIEW(2);
typedef struct {
  intptr_t rank;
  void *descriptor;
} Any;

static float memory[512];

static void show(const char *name, const float *allocated, const float *aligned, int rank, const intptr_t *numbers) {
  printf("%s %d %d", name, (int)(allocated - memory), (int)(aligned - memory));
  for (int i = 0; i < 1 + 2 * rank; i++)
    printf(" %d", (int)numbers[i]);
  printf("\n");
}

void seen_i32(int32_t x) { printf("i32 %d\n", x); }
void seen_i64(int64_t x) { printf("i64 %lld\n", (long long)x); }
void seen_view(float *allocated, float *aligned, intptr_t offset, intptr_t size, intptr_t stride) {
  show("view", allocated, aligned, 1, (intptr_t[]){offset, size, stride});
}
void seen_any(intptr_t rank, void *descriptor) {
  View2 *v = descriptor;
  printf("rank %d: ", (int)rank);
  show("any", v->allocated, v->aligned, (int)rank, &v->offset);
}
void _mlir_ciface_made_view(View1 *out) { *out = (View1){memory + 1, memory + 2, 3, {4}, {5}}; }
void _mlir_ciface_made_any(Any *out) {
  View2 *v = malloc(sizeof *v);
  *v = (View2){memory + 6, memory + 7, 8, {9, 10}, {11, 12}};
  *out = (Any){2, v};
}
void _mlir_ciface_outside(View2 *v) { show("outside", v->allocated, v->aligned, 2, &v->offset); }
void callee(float *data) { printf("bare %d\n", (int)(data - memory)); }

#ifdef BARE
void caller(float *);

int main(void) {
  caller(memory + 40);
  return 0;
}
#else
void use_both(void), give(void), give_any(void);
void take(float *, float *, intptr_t, intptr_t, intptr_t);
void take_any(intptr_t, void *);
void reach(float *, float *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t);
void nothing(float *, float *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t);
void _mlir_ciface_nothing(View2 *), _mlir_ciface_same(View2 *, View2 *);
float element(float *, float *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
              intptr_t, intptr_t, intptr_t, intptr_t);

int main(void) {
  use_both();
  take(memory, memory + 1, 2, 3, 4);
  give();
  View2 v = {memory + 20, memory + 21, 22, {23, 24}, {25, 26}}, w;
  take_any(2, &v);
  give_any();
  reach(memory + 30, memory + 31, 32, 33, 34, 35, 36);
  nothing(v.allocated, v.aligned, 1, 2, 3, 4, 5);
  _mlir_ciface_nothing(&v);
  memset(&w, 0, sizeof w);
  _mlir_ciface_same(&w, &v);
  show("same", w.allocated, w.aligned, 2, &w.offset);
  for (int i = 0; i < 512; i++)
    memory[i] = i;
  // 4 + 3 + 2 * 100 + 1 * 32 + 3 * 8 + 5
  printf("element %g\n", element(memory, memory + 4, 3, 9, 3, 4, 8, 100, 32, 8, 1, 2, 1, 3, 5));
  return 0;
}
#endif
