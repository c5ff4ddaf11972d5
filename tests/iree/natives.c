/* C functions that tests make modules of: numbers by value, arrays by pointers to descriptors. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct f32_1 { float *allocated, *aligned; intptr_t offset, sizes[1], strides[1]; };
struct f32_2 { float *allocated, *aligned; intptr_t offset, sizes[2], strides[2]; };
struct any { intptr_t rank; void *descriptor; };
struct fail_results { int32_t a; struct f32_1 b; };

#ifndef NO_FAIL
_Noreturn void module_fail(const char *message) __asm__("iree.fail");
#endif

int32_t add(int32_t a, int32_t b) { return a + b; }
struct mixed { int64_t sum; double product; int32_t small; float half; };
void mix(struct mixed *out, int32_t a, int64_t b, float c, double d) {
    *out = (struct mixed){a + b, c * d, a, c / 2};
}
double many(int32_t a, int32_t b, int64_t c, int32_t d, int64_t e, int32_t f, int64_t g, int32_t h, float i, double j,
            double k, float l, double m, double n, double o, float p, double q, float r) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l + 13 * m + 14 * n +
           15 * o + 16 * p + 17 * q + 18 * r;
}
bool flip(bool b) { return !b; }
int8_t add8(int8_t a, int8_t b) { return (int8_t)(a + b); }
int16_t neg16(int16_t a) { return (int16_t)-a; }
int calls;
void nothing(void) { calls++; }
int32_t count(void) { return calls; }

void saxpy(float k, const struct f32_1 *x, const struct f32_1 *y, struct f32_1 *out) {
    for (intptr_t i = 0; i < out->sizes[0]; i++)
        out->aligned[i] = k * x->aligned[x->offset + i * x->strides[0]] + y->aligned[y->offset + i * y->strides[0]];
}
/* A transposed view of its argument: the strides are not those of an array without gaps. */
void transpose(struct f32_2 *out, const struct f32_2 *a) {
    *out = (struct f32_2){a->allocated, a->aligned, a->offset, {a->sizes[1], a->sizes[0]}, {a->strides[1], a->strides[0]}};
}
void iota(struct f32_1 *out, int32_t n) {
    float *data = malloc(n * sizeof(float) + 1);
    for (int i = 0; i < n; i++) data[i] = (float)i;
    *out = (struct f32_1){data, data, 0, {n}, {1}};
}
/* The same memory twice, and a number in between. */
struct twice { struct f32_1 a; int32_t n; struct f32_1 b; };
void twice(struct twice *out, int32_t n) {
    iota(&out->a, n);
    out->n = n;
    out->b = out->a;
}
float sum_any(struct any *a) {
    intptr_t rank = a->rank, total = 1;
    char *d = a->descriptor;
    float *data;
    memcpy(&data, d + sizeof(void *), sizeof data);
    intptr_t *sizes = (intptr_t *)(d + 2 * sizeof(void *) + sizeof(intptr_t));
    for (intptr_t i = 0; i < rank; i++) total *= sizes[i];
    float sum = 0;
    for (intptr_t i = 0; i < total; i++) sum += data[i];
    return sum;
}
void scale(struct f32_1 *x, float k) {
    for (intptr_t i = 0; i < x->sizes[0]; i++) x->aligned[i] *= k;
}
#ifndef NO_FAIL
int32_t checked(int32_t a, int32_t b) {
    if (b == 0) module_fail("division by zero, 100%");
    return a / b;
}
void failing(struct fail_results *out, const struct f32_1 *x) {
    iota(&out->b, 3);
    free(out->b.allocated);
    out->a = (int32_t)x->sizes[0];
    module_fail("it always fails");
}
#endif
