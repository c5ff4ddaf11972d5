/* C's side of interface.mlir: calls every function through descriptors of memrefs, is called through them, counts what is
 * allocated and freed (what the module calls malloc and free is renamed to the functions here), and prints what it sees. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef intptr_t word;
#define DESCRIPTOR(name, type, rank)                                                                                   \
    typedef struct {                                                                                                   \
        type *allocated, *aligned;                                                                                     \
        word offset, sizes[rank], strides[rank];                                                                       \
    } name;
DESCRIPTOR(Ints, int32_t, 1)
DESCRIPTOR(Square, float, 2)
DESCRIPTOR(Shorts, int16_t, 2)
DESCRIPTOR(Four, float, 4)
typedef struct {
    double *allocated, *aligned;
    word offset;
} Single;
typedef struct {
    word rank;
    void *descriptor;
} Unranked;
typedef struct {
    int64_t wide;
    int32_t narrow;
} Pair;
typedef struct {
    double sum;
    Shorts all, part;
    bool less;
} Parts;
typedef struct {
    Ints table;
    int32_t element;
} Table;
typedef struct {
    word count;
    double value;
} Counted;
typedef struct {
    int64_t sum;
    double value;
} Sums;
typedef struct {
    word rank, size;
} Shape;

typedef struct {
    int32_t number;
    Unranked single;
    Square square;
    Unranked any;
} Mixed;
typedef struct {
    Unranked single;
    int16_t number;
    Unranked any;
} Given;
typedef float Function(float *, float *, word, word, word, word, word, float);
typedef float Taker(Function *, float *, float *, word, word, word, word, word);
typedef void Opaque(void);
typedef struct {
    int64_t number;
    Opaque *function;
} Found;
typedef struct {
    word size;
    float value;
} Applied;

void _mlir_ciface_nothing(void);
double _mlir_ciface_read0(Single *, double);
int64_t _mlir_ciface_sum1(int32_t, Ints *, int64_t);
double _mlir_ciface_dot2(float, Square *, int32_t, Square *, double);
float _mlir_ciface_element4(Four *, word, word, word, word);
void _mlir_ciface_same(Square *, Square *);
void _mlir_ciface_made(Square *, word, float);
void _mlir_ciface_freed(Square *);
void _mlir_ciface_pair(Pair *, int32_t, int64_t);
void _mlir_ciface_parts(Parts *, Shorts *, double);
word _mlir_ciface_rank_of(Unranked *, int64_t);
void _mlir_ciface_to_unranked(Unranked *, Square *);
void _mlir_ciface_twice_unranked(Unranked *, Square *);
word _mlir_ciface_sum_unranked(Square *, word);
word _mlir_ciface_indirectly(Square *);
void _mlir_ciface_mixed(Mixed *, Single *, Square *, int32_t);
void _mlir_ciface_either(Unranked *, bool, Square *, Unranked *);
word _mlir_ciface_sum_mixed(Single *, Square *, word);
void _mlir_ciface_given(Found *, int64_t);
void _mlir_ciface_apply(Applied *, Function *, Opaque *, Square *, float);
float _mlir_ciface_through(Taker *, Function *, Square *);
void _mlir_ciface_of_table(Table *, word);
void _mlir_ciface_calls(Sums *, Square *, word);
word _mlir_ciface_often(Square *, word);
void _mlir_ciface_from_c(Shape *, Square *);
float scale(float *, float *, word, word, word, word, word, float, float *, float *, word, word, word);
float bare_sum(float *, float, float *);
float *bare_same(float *);
int32_t *bare_of_c(void);
int32_t bare_passed(double);
double bare_results(float *, float *);

static int live;
static size_t asked;
void *counted_malloc(size_t size) {
    live++;
    asked += size;
    return malloc(size);
}
void counted_free(void *memory) {
    live -= memory != NULL;
    free(memory);
}
static void balance(const char *place) { printf("%s: %d allocated\n", place, live); }

/* What MLIR calls. */
void _mlir_ciface_c_fill(Square *m, float x) {
    for (word i = 0; i < m->sizes[0]; i++)
        for (word j = 0; j < m->sizes[1]; j++)
            m->aligned[m->offset + i * m->strides[0] + j * m->strides[1]] = x + (float)(10 * i + j);
}
int64_t _mlir_ciface_c_sum(int32_t factor, Ints *m, int64_t start) {
    for (word i = 0; i < m->sizes[0]; i++)
        start += (int64_t)factor * m->aligned[m->offset + i * m->strides[0]];
    return start;
}
void _mlir_ciface_c_make(Ints *result, word n, int32_t x) {
    int32_t *memory = counted_malloc((size_t)(n + 1) * sizeof *memory);
    for (word i = 0; i < n; i++)
        memory[i + 1] = x * (int32_t)i;
    *result = (Ints){memory, memory + 1, 0, {n}, {1}};
}
void _mlir_ciface_c_pair(Counted *result, Unranked *m, word i) {
    Square *square = m->descriptor;
    *result = (Counted){m->rank + square->sizes[1] + i, square->aligned[square->offset + i] * 0.5};
}
void _mlir_ciface_c_unranked(Unranked *result, Square *m) {
    Square *copy = counted_malloc(sizeof *copy);
    *copy = *m;
    copy->sizes[0] = 77;
    *result = (Unranked){2, copy};
}

void _mlir_ciface_c_mixed(Given *result, Unranked *m, word i) {
    Single *single = counted_malloc(sizeof *single);
    *single = *(Single *)m->descriptor;
    Square *square = counted_malloc(sizeof *square);
    *square = (Square){NULL, NULL, 0, {i, 5}, {5, 1}};
    *result = (Given){{0, single}, (int16_t)(-3 * i), {2, square}};
}
static int32_t *fixed;
void _mlir_ciface_c_fixed(Ints *result) {
    fixed = counted_malloc(4 * sizeof *fixed);
    for (int i = 0; i < 4; i++)
        fixed[i] = 100 + i;
    *result = (Ints){fixed, fixed + 1, 0, {3}, {1}};
}
int32_t c_bare(int32_t *m, double x) { return (int32_t)(m - fixed) * 1000 + m[2] + (int32_t)x; }
static float last_of(float *allocated, float *aligned, word offset, word rows, word columns, word down, word across, float x) {
    return aligned[offset + (rows - 1) * down + (columns - 1) * across] + x;
}
static float taker(Function *f, float *allocated, float *aligned, word offset, word rows, word columns, word down,
                   word across) {
    return f(allocated, aligned, offset, rows, columns, down, across, 0.5f) * 2;
}

static float numbers[256];
static int16_t shorts[64];

static void shown(const char *name, const float *start, const Square *m) {
    printf("%s: %d %d %d %d %d, %d from the start\n", name, (int)m->offset, (int)m->sizes[0], (int)m->sizes[1],
           (int)m->strides[0], (int)m->strides[1], (int)(m->aligned - start));
}

static void arguments(void) {
    _mlir_ciface_nothing();
    double cell[] = {0, 2.5};
    printf("read0: %g", _mlir_ciface_read0(&(Single){cell, cell, 1}, 3.0));
    printf(" %g %g\n", cell[0], cell[1]);
    int32_t ints[] = {7, 1, -2, 3, -4, 5};
    printf("sum1: %lld\n", (long long)_mlir_ciface_sum1(-3, &(Ints){NULL, ints, 0, {6}, {1}}, 1LL << 40));
    Square plain = {NULL, numbers, 0, {3, 4}, {4, 1}}, turned = {NULL, numbers + 20, 5, {3, 4}, {1, 3}};
    printf("dot2: %.9g\n", _mlir_ciface_dot2(0.5f, &plain, -2, &turned, 1e6));
    Four four = {NULL, numbers, 7, {2, 2, 4, 8}, {64, 32, 8, 1}};
    printf("element4: %g %g\n", _mlir_ciface_element4(&four, 0, 0, 0, 0), _mlir_ciface_element4(&four, 1, 1, 2, 5));
}

static void results(void) {
    Square plain = {NULL, numbers, 2, {3, 4}, {4, 1}}, got;
    _mlir_ciface_same(&got, &plain);
    shown("same", numbers, &got);
    _mlir_ciface_made(&got, 5, 0.75f);
    printf("aligned to %d\n", (int)((uintptr_t)got.aligned % 64));
    float sum = 0;
    for (int i = 0; i < 15; i++)
        sum += got.aligned[i];
    shown("made", got.aligned, &got);
    printf("sum %g\n", sum);
    balance("made");
    _mlir_ciface_freed(&got);
    balance("freed");
    Pair pair;
    _mlir_ciface_pair(&pair, -21, 1LL << 33);
    printf("pair: %lld %d\n", (long long)pair.wide, (int)pair.narrow);
    Parts parts;
    for (int i = 0; i < 64; i++)
        shorts[i] = (int16_t)(i * i - 900);
    Shorts all = {NULL, shorts, 0, {8, 8}, {8, 1}};
    _mlir_ciface_parts(&parts, &all, 2.25);
    printf("parts: %g %d, %d %d %d %d %d, %d %d %d %d %d\n", parts.sum, parts.less, (int)parts.all.offset,
           (int)parts.all.sizes[0], (int)parts.all.sizes[1], (int)parts.all.strides[0], (int)parts.all.strides[1],
           (int)parts.part.offset, (int)parts.part.sizes[0], (int)parts.part.sizes[1], (int)parts.part.strides[0],
           (int)parts.part.strides[1]);
    Table table;
    _mlir_ciface_of_table(&table, 2);
    printf("of_table: %d, %d %d\n", (int)table.element, (int)table.table.aligned[3], (int)table.table.sizes[0]);
}

static void unranked(void) {
    Square plain = {NULL, numbers, 2, {3, 4}, {4, 1}};
    Unranked in = {2, &plain}, out[2];
    printf("rank_of: %d\n", (int)_mlir_ciface_rank_of(&in, 100));
    asked = 0;
    _mlir_ciface_to_unranked(out, &plain);
    printf("a copy of %d words, %d bytes more\n", (int)(asked / sizeof(word)), (int)(asked % sizeof(word)));
    shown("to_unranked", numbers, out->descriptor);
    balance("to_unranked");
    counted_free(out->descriptor);
    _mlir_ciface_twice_unranked(out, &plain);
    printf("twice_unranked: %d %d, %s\n", (int)out[0].rank, (int)out[1].rank,
           out[0].descriptor == out[1].descriptor ? "the same" : "two descriptors");
    balance("twice_unranked");
    counted_free(out[0].descriptor);
    counted_free(out[1].descriptor);
    printf("sum_unranked: %d\n", (int)_mlir_ciface_sum_unranked(&plain, 1000));
    balance("sum_unranked");
    double cell = 6.5;
    Single single = {&cell, &cell - 3, 3};
    Mixed mixed;
    asked = 0;
    _mlir_ciface_mixed(&mixed, &single, &plain, -7);
    Single *copy = mixed.single.descriptor;
    printf("mixed: %d %d %g %d, %d words\n", (int)mixed.number, (int)mixed.single.rank, copy->aligned[copy->offset],
           (int)mixed.any.rank, (int)(asked / sizeof(word)));
    shown("mixed", numbers, &mixed.square);
    shown("mixed", numbers, mixed.any.descriptor);
    balance("mixed");
    counted_free(mixed.single.descriptor);
    counted_free(mixed.any.descriptor);
    for (int own = 0; own < 2; own++) {
        Square other = {NULL, numbers, 0, {8, 9}, {9, 1}};
        Unranked handed = {2, &other};
        _mlir_ciface_either(out, own, &plain, &handed);
        shown(own ? "own" : "other", numbers, out->descriptor);
        printf("%s\n", out->descriptor == &other ? "the same" : "a copy");
        counted_free(out->descriptor);
    }
    balance("either");
    printf("sum_mixed: %d\n", (int)_mlir_ciface_sum_mixed(&single, &plain, 100));
    balance("sum_mixed");
    printf("indirectly: %d\n", (int)_mlir_ciface_indirectly(&plain));
    balance("indirectly");
}

static void functions(void) {
    Square plain = {NULL, numbers, 2, {3, 4}, {5, 1}};
    Found found;
    _mlir_ciface_given(&found, -1LL << 40);
    Applied applied;
    _mlir_ciface_apply(&applied, last_of, found.function, &plain, 10);
    printf("apply: %lld, %d %g\n", (long long)found.number, (int)applied.size, applied.value);
    printf("through: %g\n", _mlir_ciface_through(taker, last_of, &plain));
    balance("functions");
}

static void calls(void) {
    Square plain = {NULL, numbers + 100, 1, {3, 4}, {5, 1}};
    Sums sums;
    _mlir_ciface_calls(&sums, &plain, 4);
    printf("calls: %lld %g\n", (long long)sums.sum, sums.value);
    balance("calls");
    for (int i = 100; i < 117; i++)
        printf("%g ", numbers[i]);
    printf("\noften: %d\n", (int)_mlir_ciface_often(&plain, 300000));
    Shape shape;
    _mlir_ciface_from_c(&shape, &plain);
    printf("from_c: %d %d\n", (int)shape.rank, (int)shape.size);
    balance("from_c");
}

static void parts_of_descriptors(void) {
    float m[] = {1, 2, 3, 4, 5, 6}, v[] = {0, 0, 2, 9, -1, 9, 0.5f};
    printf("scale: %g", scale(NULL, m, 0, 2, 3, 3, 1, 10, NULL, v, 2, 3, 2));
    printf(" %g %g %g\n", m[3], m[4], m[5]);
    printf("bare_sum: %g", bare_sum(m, 0.5f, v + 1));
    printf(" %g %g %g\n", m[0], m[1], m[2]);
    printf("bare_same: %d\n", bare_same(m) == m);
    int32_t *given = bare_of_c();
    printf("bare_of_c: %d %d\n", given == fixed, (int)given[1]);
    counted_free(given);
    printf("bare_passed: %d\n", (int)bare_passed(7));
    printf("bare_results: %g\n", bare_results(m, v));
    balance("bare");
}

int main(void) {
    for (int i = 0; i < 256; i++)
        numbers[i] = (float)(i % 17) - (float)i / 8;
    arguments();
    results();
    unranked();
    functions();
    calls();
    parts_of_descriptors();
    balance("the end");
}
