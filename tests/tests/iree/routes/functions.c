// What the entries of the tests call, in the form of MLIR's wrappers for C.
#include <stdbool.h>
#include <stdint.h>

#define MEMREF(name, type, rank)                                                                                                  \
    struct name {                                                                                                                 \
        type *allocated, *aligned;                                                                                                \
        intptr_t offset, sizes[rank], strides[rank];                                                                              \
    }
MEMREF(floats, float, 1);
MEMREF(doubles3, double, 3);
MEMREF(ints1, int32_t, 1);
MEMREF(ints2, int32_t, 2);
MEMREF(bools, bool, 1);
MEMREF(bytes1, uint8_t, 1);
MEMREF(complex1, double, 1);
MEMREF(halves, uint16_t, 2);
struct short0 {
    int16_t *allocated, *aligned;
    intptr_t offset;
};

struct mixed {
    int64_t sum;
    double product;
    int8_t small;
    bool odd;
};

void c_mix(struct mixed *result, int32_t a, int64_t b, float c, double d, int8_t e, bool f, int16_t g) {
    *result = (struct mixed){a + b + e + f + g, c * d, e - 1, (a & 1) && !f};
}

float c_dot(struct floats *x, struct floats *y) {
    float sum = 0;
    for (intptr_t i = 0; i < x->sizes[0]; i++)
        sum += x->aligned[x->offset + i * x->strides[0]] * y->aligned[y->offset + i * y->strides[0]];
    return sum;
}

void c_saxpy(float k, struct floats *x, struct floats *y, struct floats *r) {
    for (intptr_t i = 0; i < r->sizes[0]; i++)
        r->aligned[i] = k * x->aligned[i] + (i < y->sizes[0] ? y->aligned[i] : 0);
}

// The axes in the other order.
void c_turn(struct doubles3 *x, struct doubles3 *r) {
    for (intptr_t i = 0; i < x->sizes[0]; i++)
        for (intptr_t j = 0; j < x->sizes[1]; j++)
            for (intptr_t k = 0; k < x->sizes[2]; k++)
                r->aligned[k * r->strides[0] + j * r->strides[1] + i * r->strides[2]] =
                    x->aligned[i * x->strides[0] + j * x->strides[1] + k * x->strides[2]];
}

// Negated, sums of columns, and how many rows there are.
int64_t c_table(struct ints2 *x, struct ints2 *r, struct ints1 *s) {
    for (intptr_t j = 0; j < x->sizes[1]; j++)
        s->aligned[j] = 0;
    for (intptr_t i = 0; i < x->sizes[0]; i++)
        for (intptr_t j = 0; j < x->sizes[1]; j++) {
            r->aligned[i * r->strides[0] + j] = -x->aligned[i * x->strides[0] + j];
            s->aligned[j] += x->aligned[i * x->strides[0] + j];
        }
    return x->sizes[0];
}

void c_raise(struct ints1 *x, int32_t k) {
    for (intptr_t i = 0; i < x->sizes[0]; i++)
        x->aligned[i] += k;
}

// Gives the argument back.
void c_lower(struct ints1 *result, struct ints1 *x, int32_t k) {
    c_raise(x, -k);
    *result = *x;
}

void c_flip(struct bools *x, struct short0 *y, struct bools *r, struct short0 *s) {
    for (intptr_t i = 0; i < x->sizes[0]; i++)
        r->aligned[i] = !x->aligned[i];
    *s->aligned = -*y->aligned;
}

void c_wide(struct complex1 *x, struct halves *y, struct complex1 *r, struct halves *s) {
    for (intptr_t i = 0; i < x->sizes[0]; i++) {
        r->aligned[2 * i] = x->aligned[2 * i + 1];
        r->aligned[2 * i + 1] = -x->aligned[2 * i];
    }
    for (intptr_t i = 0; i < y->sizes[0] * y->sizes[1]; i++)
        s->aligned[i] = y->aligned[i] ^ 0x8000;
}

// Eight axes of two: the number of each element.
struct ints8 {
    int32_t *allocated, *aligned;
    intptr_t offset, sizes[8], strides[8];
};
void c_many(int32_t start, struct ints8 *r) {
    for (int n = 0; n < 256; n++) {
        intptr_t at = 0;
        for (int k = 0; k < 8; k++)
            at += (n >> (7 - k) & 1) * r->strides[k];
        r->aligned[at] = start + n;
    }
}

#ifdef HOSTED
#include <stdlib.h>
static int32_t constant[3] = {7, 8, 9};

// One array that is allocated, one that is a constant, the argument, and the first once more.
struct four {
    struct ints1 fresh, constant, same, again;
};
void c_make(struct four *result, struct ints1 *x) {
    int32_t *fresh = malloc(4 * sizeof *fresh);
    for (int i = 0; i < 4; i++)
        fresh[i] = 10 * x->aligned[i];
    result->fresh = (struct ints1){fresh, fresh, 1, {3}, {1}};
    result->constant = (struct ints1){(int32_t *)(uintptr_t)0xdeadbeef, constant, 0, {3}, {1}};
    result->same = *x;
    result->again = (struct ints1){fresh, fresh, 0, {4}, {1}};
}
#endif
