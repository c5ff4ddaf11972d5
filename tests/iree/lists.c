/* C functions that take lists of the virtual machine's, as structs. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct f32_1 { float *allocated, *aligned; intptr_t offset, sizes[1], strides[1]; };
struct any { intptr_t rank; void *descriptor; };
struct i32s { int64_t count; const int32_t *items; };
struct f64s { int64_t count; const double *items; };
struct bytes { int64_t count; const int8_t *items; };
struct arrays { int64_t count; const struct f32_1 *items; };

struct numbers { int8_t a; int64_t b; float c; double d; bool e; };
double sum_more(const struct numbers *n) { return n->a + (double)n->b + n->c + n->d + n->e; }
double sum_numbers(const struct numbers *n) { return n->a + (double)n->b + n->c + n->d; }

static float sum(const struct f32_1 *x) {
    float s = 0;
    for (intptr_t i = 0; i < x->sizes[0]; i++) s += x->aligned[i];
    return s;
}
struct inner { struct f32_1 x; const struct i32s *many; };
struct outer { int32_t k; const struct inner *inner; struct any y; };
float nested(const struct outer *o) {
    int64_t s = 0;
    for (int64_t i = 0; i < o->inner->many->count; i++) s += o->inner->many->items[i];
    return o->k * sum(&o->inner->x) + 100 * s + 10000 * o->y.rank;
}
int64_t length(const struct bytes *text, int32_t which) {
    int64_t n = 0;
    for (int64_t i = 0; i < text->count; i++) n += text->items[i] == which;
    return 1000 * text->count + n;
}
float all(const struct arrays *a) {
    float s = 0;
    for (int64_t i = 0; i < a->count; i++) s += (i + 1) * sum(&a->items[i]);
    return s;
}
/* An array with strides: its buffer is the runtime's own, all else are numbers. */
struct i64s { int64_t count; const int64_t *items; };
struct strided { void *const *buffer; int64_t offset; const struct i64s *sizes, *strides; };
int64_t reach(const struct strided *s) {
    int64_t last = s->offset;
    for (int64_t i = 0; i < s->sizes->count; i++) last += (s->sizes->items[i] - 1) * s->strides->items[i];
    return *s->buffer && s->sizes->count == s->strides->count ? last : -1;
}
/* The last array of a list is the result: its memory is not the function's to free. */
void last(struct f32_1 *out, const struct arrays *a) { *out = a->items[a->count - 1]; }
struct list_of_lists { int64_t count; const struct f64s *const *items; };
double table(const struct list_of_lists *rows) {
    double s = 0;
    for (int64_t i = 0; i < rows->count; i++)
        for (int64_t k = 0; k < rows->items[i]->count; k++) s += (i + 1) * rows->items[i]->items[k];
    return s;
}
/* An array of strings: its elements in row-major order, and its sizes. */
struct strings { int64_t count; const struct bytes *const *items; };
struct string_array { const struct strings *elements; const struct i64s *sizes; };
int64_t string_array(const struct string_array *a) {
    int64_t n = 0;
    for (int64_t i = 0; i < a->elements->count; i++) n += a->elements->items[i]->count;
    return n * 1000 + a->sizes->items[0] * 10 + a->sizes->items[1];
}
struct reference { void *object; uintptr_t type; };
bool is_null(const struct reference *r) { return !r->object; }
struct two { const struct reference *a, *b; };
int32_t nulls(const struct two *t) { return !t->a->object + 2 * !t->b->object; }
void pair(struct { int32_t sum, difference; } *out, int32_t a, int32_t b) { out->sum = a + b, out->difference = a - b; }
