/* Calls everything that programs print with, on memrefs of every rank, with offsets, strides and values at their limits. Linked
 * once with runtime.c and once with MLIR's own library, it prints the same, but for addresses. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef intptr_t word;
typedef struct {
    void *allocated, *aligned;
    word offset, numbers[8];
} Ranked;
typedef struct {
    word rank;
    Ranked *descriptor;
} Unranked;

static const struct {
    word rank, offset, numbers[8];
} shapes[] = {
    {0, 3, {0}},
    {1, 0, {1, 1}},
    {1, 2, {5, 2}},
    {1, 9, {4, -2}},
    {2, 0, {2, 3, 3, 1}},
    {2, 1, {3, 2, 1, 3}},
    {2, 0, {1, 1, 1, 1}},
    {2, 0, {4, 1, 1, 1}},
    {3, 0, {2, 2, 2, 4, 2, 1}},
    {3, 4, {1, 3, 2, 7, 2, 1}},
    {4, 0, {2, 1, 2, 2, 4, 4, 2, 1}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, ELEMENTS = 64 };

#define TYPES(X)                                                                                                       \
    X(I8, int8_t, (int8_t)(33 + i))                                                                                    \
    X(I16, int16_t, (int16_t)(i * 2741 - 9000))                                                                        \
    X(I32, int32_t, (int32_t)((unsigned)i * 1234567u - 999u))                                                          \
    X(I64, int64_t, (int64_t)((uint64_t)i * 0x9e3779b97f4a7c15u))                                                      \
    X(F16, uint16_t, (uint16_t)(i * 1031 + 5))                                                                         \
    X(BF16, uint16_t, (uint16_t)(i * 1777 + 5))                                                                        \
    X(F32, float, special[i % 8] * (float)(i + 1))                                                                     \
    X(F64, double, special[i % 8] / (double)(i + 1))                                                                   \
    X(Ind, uintptr_t, (uintptr_t)i * 77)                                                                               \
    X(C32, complex32, ((complex32){(float)i / 4, special[i % 8]}))                                                     \
    X(C64, complex64, ((complex64){special[i % 8], -i}))
/* Those with a function for shapes. */
#define SHOWN(X) X(I8) X(I32) X(I64) X(F32) X(F64) X(Ind) X(C32) X(C64)
/* Those with a function for each rank, and those that get the parts of the descriptor. */
#define ONE(X) X(1dI8, I8) X(1dI32, I32) X(1dI64, I64) X(1dF32, F32) X(1dF64, F64) X(1dInd, Ind) X(1dC32, C32) X(1dC64, C64)
#define PARTS(X) X(I32) X(I64) X(F32) X(F64) X(Ind) X(C32) X(C64)

typedef struct {
    float re, im;
} complex32;
typedef struct {
    double re, im;
} complex64;
static const float special[8] = {1.5f, -0.0f, 3e38f, -1e-40f, INFINITY, 0.1f, 1e6f, 123456789.0f};

#define DECLARE(name, type, value)                                                                                     \
    void _mlir_ciface_printMemref##name(Unranked *);                                                                   \
    int64_t _mlir_ciface_verifyMemRef##name(Unranked *, Unranked *);                                                   \
    static type data_##name[ELEMENTS], other_##name[ELEMENTS];
TYPES(DECLARE)
#define DECLARE_SHAPE(name) void _mlir_ciface_printMemrefShape##name(Unranked *);
SHOWN(DECLARE_SHAPE)
#define DECLARE_ONE(name, of) void _mlir_ciface_printMemref##name(Ranked *);
ONE(DECLARE_ONE)
#define DECLARE_PARTS(name) void printMemref##name(word, void *);
PARTS(DECLARE_PARTS)
void _mlir_ciface_printMemref0dF32(Ranked *);
void _mlir_ciface_printMemref2dF32(Ranked *);
void _mlir_ciface_printMemref3dF32(Ranked *);
void _mlir_ciface_printMemref4dF32(Ranked *);
void _mlir_ciface_printMemrefVector4x4xf32(Ranked *);
void memrefCopy(word, Unranked *, Unranked *);
void printI64(int64_t), printU64(uint64_t), printF32(float), printF64(double), printF16(uint16_t), printBF16(uint16_t);
void printString(const char *), printOpen(void), printClose(void), printComma(void), printNewline(void);

static Ranked described(int shape, void *data) {
    Ranked m = {data, data, shapes[shape].offset, {0}};
    memcpy(m.numbers, shapes[shape].numbers, sizeof m.numbers);
    return m;
}

static void all_shapes(int s) {
    Ranked a, b;
    Unranked x = {shapes[s].rank, &a}, y = {shapes[s].rank, &b};
#define CALL(name, type, value)                                                                                        \
    a = described(s, data_##name), b = described(s, other_##name);                                                     \
    _mlir_ciface_printMemref##name(&x);                                                                                \
    printI64(_mlir_ciface_verifyMemRef##name(&x, &y));                                                                 \
    memset(other_##name, 0, sizeof other_##name);                                                                      \
    memrefCopy(sizeof(type), &x, &y);                                                                                  \
    _mlir_ciface_printMemref##name(&y);                                                                                \
    printI64(_mlir_ciface_verifyMemRef##name(&x, &y));                                                                 \
    memset(other_##name, 0, sizeof other_##name);
    TYPES(CALL)
#define CALL_SHAPE(name) a = described(s, data_##name), _mlir_ciface_printMemrefShape##name(&x);
    SHOWN(CALL_SHAPE)
#define CALL_PARTS(name) a = described(s, data_##name), printMemref##name(x.rank, x.descriptor);
    PARTS(CALL_PARTS)
#define CALL_ONE(name, of) a = described(s, data_##of), _mlir_ciface_printMemref##name(&a);
    if (x.rank == 1) {
        ONE(CALL_ONE)
    }
    a = described(s, data_F32);
    void (*of_rank[])(Ranked *) = {_mlir_ciface_printMemref0dF32, _mlir_ciface_printMemref1dF32,
                                   _mlir_ciface_printMemref2dF32, _mlir_ciface_printMemref3dF32,
                                   _mlir_ciface_printMemref4dF32};
    of_rank[x.rank](&a);
    if (a.numbers[0] * a.numbers[1] < 4 && x.rank == 2)
        _mlir_ciface_printMemrefVector4x4xf32(&a);
    Ranked different = described(s == 4 ? 5 : 4, data_I32);
    Unranked z = {2, &different};
    a = described(s, data_I32);
    if (x.rank == 2)
        printI64(_mlir_ciface_verifyMemRefI32(&x, &z));
}

int main(void) {
    for (int i = 0; i < ELEMENTS; i++) {
#define FILL(name, type, value) data_##name[i] = (value), other_##name[i] = i % 3 ? data_##name[i] : data_##name[0];
        TYPES(FILL)
    }
    for (int s = 0; s < SHAPES; s++)
        all_shapes(s);
    for (int i = 0; i < 1 << 16; i += 37)
        printOpen(), printF16((uint16_t)i), printComma(), printBF16((uint16_t)i), printClose(), printNewline();
    printI64(INT64_MIN), printU64(UINT64_MAX), printString("text\n");
    for (int i = 0; i < 8; i++)
        printF32(special[i]), printComma(), printF64(special[i] / 3.0), printNewline();
    printF32(-NAN), printF64(NAN), printNewline();
}
