/* What MLIR's programs call to print: written after what MLIR's own runtime library prints, in C, for an index as wide as a
 * pointer, and checked against that library in tests/mlir_runtime.rs. A `main` that calls the program's entry function is
 * added with -DENTRY=name and -DRESULT_void, RESULT_i32, RESULT_i64 or RESULT_f32. */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

typedef intptr_t word;

/* A descriptor of any rank: its sizes are followed by as many strides. */
typedef struct {
    char *allocated, *aligned;
    word offset;
    word sizes[];
} Ranked;

typedef struct {
    word rank;
    Ranked *descriptor;
} Unranked;

static float half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float value = exponent == 31 ? (fraction ? NAN : INFINITY)
                : exponent       ? ldexpf((float)(fraction + 1024), exponent - 25)
                                 : ldexpf((float)fraction, -24);
    return copysignf(value, bits >> 15 ? -1.0f : 1.0f);
}

static float brain_value(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static void print_float(double value) {
    if (isnan(value))
        fputs(signbit(value) ? "-nan" : "nan", stdout);
    else
        printf("%g", value);
}

/* Parts of vectors. */
void printI64(int64_t value) { printf("%" PRId64, value); }
void printU64(uint64_t value) { printf("%" PRIu64, value); }
void printF32(float value) { print_float(value); }
void printF64(double value) { print_float(value); }
void printF16(uint16_t bits) { print_float(half_value(bits)); }
void printBF16(uint16_t bits) { print_float(brain_value(bits)); }
void printString(const char *text) { fputs(text, stdout); }
void printOpen(void) { fputs("( ", stdout); }
void printClose(void) { fputs(" )", stdout); }
void printComma(void) { fputs(", ", stdout); }
void printNewline(void) { putchar('\n'); }

/* Elements of memrefs. */
typedef void Print(const char *element);

#define ELEMENT(name, type, statement)                                                                                 \
    static void element_##name(const char *element) {                                                                 \
        type x;                                                                                                        \
        memcpy(&x, element, sizeof x);                                                                                 \
        statement;                                                                                                     \
    }
typedef struct {
    float re, im;
} complex32;
typedef struct {
    double re, im;
} complex64;
static void print_complex(double re, double im) {
    putchar('(');
    print_float(re);
    putchar(',');
    print_float(im);
    putchar(')');
}
ELEMENT(I8, int8_t, putchar((unsigned char)x))
ELEMENT(I16, int16_t, printf("%d", x))
ELEMENT(I32, int32_t, printf("%" PRId32, x))
ELEMENT(I64, int64_t, printI64(x))
ELEMENT(F16, uint16_t, printF16(x))
ELEMENT(BF16, uint16_t, printBF16(x))
ELEMENT(F32, float, printF32(x))
ELEMENT(F64, double, printF64(x))
ELEMENT(Ind, uintptr_t, printf("%" PRIuPTR, x))
ELEMENT(C32, complex32, print_complex(x.re, x.im))
ELEMENT(C64, complex64, print_complex(x.re, x.im))

typedef struct {
    float at[4][4];
} vector4x4;
static void element_Vector4x4(const char *element) {
    vector4x4 x;
    memcpy(&x, element, sizeof x);
    for (int i = 0; i < 4; i++) {
        printf("%s(", i == 0 ? "(" : i == 3 ? ",  " : ",   ");
        for (int j = 0; j < 4; j++) {
            fputs(j ? ", " : "", stdout);
            printF32(x.at[i][j]);
        }
        putchar(')');
    }
    putchar(')');
}

static void words(const char *name, const word *values, word count) {
    printf(" %s = [", name);
    for (word i = 0; i < count; i++)
        printf("%s%" PRIdPTR, i ? ", " : "", values[i]);
    putchar(']');
}

static void shape(const char *kind, word rank, const Ranked *m) {
    printf("%sbase@ = 0x%" PRIxPTR " rank = %" PRIdPTR " offset = %" PRIdPTR, kind, (uintptr_t)m->aligned, rank,
           m->offset);
    words("sizes", m->sizes, rank);
    words("strides", m->sizes + rank, rank);
}

/* The dimensions from `dimension` on, whose first element is at `element`. */
static void elements(const Ranked *m, word rank, word dimension, const char *element, size_t size, Print *print) {
    if (dimension == rank) {
        print(element);
        return;
    }
    word stride = m->sizes[rank + dimension] * (word)size;
    putchar('[');
    for (word i = 0; i < m->sizes[dimension]; i++) {
        if (i)
            printf(", %s%*s", dimension + 1 < rank ? "\n" : "", (int)dimension + 1, "");
        elements(m, rank, dimension + 1, element + i * stride, size, print);
    }
    putchar(']');
}

static void print_memref(const char *kind, word rank, const Ranked *m, size_t size, Print *print) {
    shape(kind, rank, m);
    fputs(" data = \n", stdout);
    fputs(rank ? "" : "[", stdout);
    elements(m, rank, 0, m->aligned + m->offset * (word)size, size, print);
    fputs(rank ? "\n" : "]\n", stdout);
    fflush(stdout);
}

#define UNRANKED(name, type)                                                                                           \
    void _mlir_ciface_printMemref##name(Unranked *m) {                                                                 \
        print_memref("Unranked Memref ", m->rank, m->descriptor, sizeof(type), element_##name);                        \
    }                                                                                                                  \
    void _mlir_ciface_printMemrefShape##name(Unranked *m) {                                                            \
        shape("Unranked Memref ", m->rank, m->descriptor);                                                             \
        putchar('\n');                                                                                                 \
    }                                                                                                                  \
    void printMemref##name(word rank, Ranked *descriptor) {                                                            \
        Unranked m = {rank, descriptor};                                                                               \
        _mlir_ciface_printMemref##name(&m);                                                                            \
    }
UNRANKED(I8, int8_t)
UNRANKED(I16, int16_t)
UNRANKED(I32, int32_t)
UNRANKED(I64, int64_t)
UNRANKED(F16, uint16_t)
UNRANKED(BF16, uint16_t)
UNRANKED(F32, float)
UNRANKED(F64, double)
UNRANKED(Ind, uintptr_t)
UNRANKED(C32, complex32)
UNRANKED(C64, complex64)

#define RANKED(name, rank, element, type)                                                                              \
    void _mlir_ciface_printMemref##name(Ranked *m) {                                                                   \
        print_memref("Memref ", rank, m, sizeof(type), element_##element);                                             \
    }
RANKED(0dF32, 0, F32, float)
RANKED(1dF32, 1, F32, float)
RANKED(2dF32, 2, F32, float)
RANKED(3dF32, 3, F32, float)
RANKED(4dF32, 4, F32, float)
RANKED(1dF64, 1, F64, double)
RANKED(1dI8, 1, I8, int8_t)
RANKED(1dI32, 1, I32, int32_t)
RANKED(1dI64, 1, I64, int64_t)
RANKED(1dInd, 1, Ind, uintptr_t)
RANKED(1dC32, 1, C32, complex32)
RANKED(1dC64, 1, C64, complex64)
RANKED(Vector4x4xf32, 2, Vector4x4, vector4x4)

/* How many elements differ; -1 if the shapes do. */
typedef int Same(const char *a, const char *b, size_t size);
static int same_bytes(const char *a, const char *b, size_t size) { return memcmp(a, b, size) == 0; }
static int close_numbers(double a, double b, double epsilon) {
    return isfinite(a) && isfinite(b) && fabs(a - b) <= epsilon * fabs(b);
}
static int same_F32(const char *a, const char *b, size_t size) {
    float x, y;
    memcpy(&x, a, size);
    memcpy(&y, b, size);
    return close_numbers(x, y, 1e-6);
}
static int same_F64(const char *a, const char *b, size_t size) {
    double x, y;
    memcpy(&x, a, size);
    memcpy(&y, b, size);
    return close_numbers(x, y, 1e-12);
}
static int64_t differing(const Ranked *m, word rank, word dimension, const char *a, const char *b, size_t size,
                         Same *same) {
    if (dimension == rank)
        return !same(a, b, size);
    word stride = m->sizes[rank + dimension] * (word)size;
    int64_t count = 0;
    for (word i = 0; i < m->sizes[dimension]; i++)
        count += differing(m, rank, dimension + 1, a + i * stride, b + i * stride, size, same);
    return count;
}
static int64_t verify(const Unranked *a, const Unranked *b, size_t size, Same *same) {
    const Ranked *x = a->descriptor, *y = b->descriptor;
    size_t shape_bytes = (1 + 2 * (size_t)a->rank) * sizeof(word);
    if (a->rank != b->rank || memcmp(&x->offset, &y->offset, shape_bytes) != 0)
        return -1;
    word start = x->offset * (word)size;
    return differing(x, a->rank, 0, x->aligned + start, y->aligned + start, size, same);
}
#define VERIFY(name, type, same)                                                                                       \
    int64_t _mlir_ciface_verifyMemRef##name(Unranked *a, Unranked *b) { return verify(a, b, sizeof(type), same); }
VERIFY(I8, int8_t, same_bytes)
VERIFY(I16, int16_t, same_bytes)
VERIFY(I32, int32_t, same_bytes)
VERIFY(I64, int64_t, same_bytes)
VERIFY(F16, uint16_t, same_bytes)
VERIFY(BF16, uint16_t, same_bytes)
VERIFY(F32, float, same_F32)
VERIFY(F64, double, same_F64)
VERIFY(Ind, uintptr_t, same_bytes)
VERIFY(C32, complex32, same_bytes)
VERIFY(C64, complex64, same_bytes)

/* Copies elements between memrefs of any strides. */
static void copy(const Ranked *from, const Ranked *to, word rank, word dimension, const char *a, char *b, size_t size) {
    if (dimension == rank) {
        memcpy(b, a, size);
        return;
    }
    word step_a = from->sizes[rank + dimension] * (word)size, step_b = to->sizes[rank + dimension] * (word)size;
    for (word i = 0; i < from->sizes[dimension]; i++)
        copy(from, to, rank, dimension + 1, a + i * step_a, b + i * step_b, size);
}
void memrefCopy(word size, Unranked *from, Unranked *to) {
    Ranked *a = from->descriptor, *b = to->descriptor;
    copy(a, b, from->rank, 0, a->aligned + a->offset * size, b->aligned + b->offset * size, (size_t)size);
}

/* Clocks: in seconds, in nanoseconds; what is computed of them goes to standard error. */
double rtclock(void) {
    struct timeval now;
    gettimeofday(&now, NULL);
    return (double)now.tv_sec + (double)now.tv_usec * 1e-6;
}
int64_t _mlir_ciface_nanoTime(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
void printFlops(double flops) { fprintf(stderr, "%f GFLOPS\n", flops / 1e9); }

#if defined RESULT_void
void ENTRY(void);
int main(void) { ENTRY(); }
#elif defined RESULT_i32
int32_t ENTRY(void);
int main(void) { printf("%" PRId32 "\n", ENTRY()); }
#elif defined RESULT_i64
int64_t ENTRY(void);
int main(void) { printf("%" PRId64 "\n", ENTRY()); }
#elif defined RESULT_f32
float ENTRY(void);
int main(void) { printf("%e\n", ENTRY()); }
#endif
