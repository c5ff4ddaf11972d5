/* Calls the functions of loops.mlir as often as a stack would not hold what they have on it. */
#include <stdint.h>
#include <stdio.h>

typedef intptr_t word;
typedef struct {
    float *allocated, *aligned;
    word offset, sizes[1], strides[1];
} Memref;
typedef struct {
    word rank;
    Memref *descriptor;
} Unranked;

word _mlir_ciface_turns(Memref *, word);
word _mlir_ciface_handed_on(Memref *, word);

word _mlir_ciface_seen(Unranked *u) {
    return u->rank + u->descriptor->sizes[0] + (word)u->descriptor->aligned[u->descriptor->offset];
}

int main(void) {
    float numbers[3] = {4, 5, 6};
    Memref m = {numbers, numbers, 1, {2}, {1}};
    printf("%ld\n", (long)_mlir_ciface_turns(&m, 600000));
    printf("%ld\n", (long)_mlir_ciface_handed_on(&m, 10));
    return 0;
}
