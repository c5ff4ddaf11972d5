/* Calls the functions of functions.mlir by the header that was made for them, which is included before. Each line that it prints
   is a failure. */
#include <stdio.h>
#include <stdlib.h>

static int failures;

#define CHECK(what)                                          \
    do {                                                     \
        if (!(what)) {                                       \
            printf("line %d: %s\n", __LINE__, #what);        \
            failures++;                                      \
        }                                                    \
    } while (0)

/* To be defined in C: every second element of the argument, backwards, doubled and with k added. */
void _mlir_ciface_doubled(memref_1d_i32 *result, memref_1d_i32 *m, int16_t k) {
    CHECK(m->allocated == m->aligned && m->offset == 1 && m->sizes[0] == 5 && m->strides[0] == 2);
    for (intptr_t i = 0; i < m->sizes[0]; i++) {
        int32_t *at = &m->aligned[m->offset + i * m->strides[0]];
        *at = *at * 2 + k;
    }
    *result = *m;
    result->offset = m->offset + (m->sizes[0] - 1) * m->strides[0];
    result->sizes[0] = 3;
    result->strides[0] = -2 * m->strides[0];
}

int main(void) {
    float storage[12];
    for (int i = 0; i < 12; i++)
        storage[i] = (float)i;
    memref_2d_f32 matrix = {storage, storage, 0, {3, 4}, {4, 1}};
    CHECK(_mlir_ciface_weigh(&matrix, 2.0f, 1) == 2 * (1 + 5 + 9));
    CHECK(storage[1] == 2 && storage[5] == 10 && storage[9] == 18 && storage[2] == 2);

    double numbers[6] = {0, 1, 2, 3, 4, 5};
    memref_2d_f64 wide = {numbers, numbers, 0, {2, 3}, {3, 1}}, tall = {0, 0, 7, {0, 0}, {0, 0}};
    _mlir_ciface_transposed(&tall, &wide);
    CHECK(tall.allocated == numbers && tall.aligned == numbers && tall.offset == 0);
    CHECK(tall.sizes[0] == 3 && tall.sizes[1] == 2 && tall.strides[0] == 1 && tall.strides[1] == 3);
    CHECK(tall.aligned[2 * tall.strides[0] + 1 * tall.strides[1]] == 5);

    float value = 2.5f;
    memref_0d_f32 scalar = {&value, &value, 0};
    filled_result filled;
    _mlir_ciface_filled(&filled, &scalar, 7);
    CHECK(filled.result0 == 7 && filled.result1.rank == 2);
    memref_2d_f32 *made = (memref_2d_f32 *)filled.result1.descriptor;
    CHECK(made->sizes[0] == 2 && made->sizes[1] == 7 && made->strides[0] == 7 && made->strides[1] == 1);
    CHECK(made->aligned[made->offset + 13] == 2.5f);
    CHECK(_mlir_ciface_rank_of(&filled.result1) == 2);
    free(made->allocated);
    free(made);

    float _Complex turned;
    _mlir_ciface_turned(&turned, 3.0f, 4.0f);
    CHECK(__real__ turned == 4 && __imag__ turned == 3);

    int32_t integers[11] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    memref_1d_i32 odd = {integers, integers, 1, {5}, {2}};
    CHECK(_mlir_ciface_through_c(&odd, -3) == 2 * 1 - 3);
    CHECK(integers[9] == 15 && integers[8] == 8);
    return failures != 0;
}
