/* What both sides of a call share: how a leaf's bits follow from its seed, and reports of what is wrong. */
#ifndef CALLS_H
#define CALLS_H
#include <stdarg.h>

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
#if defined _WIN32 || defined __i386__ || defined __arm__
typedef long long i64;
typedef unsigned long long u64;
#else
typedef long i64;
typedef unsigned long u64;
#endif
#ifdef __SIZEOF_INT128__
typedef __int128 i128;
typedef unsigned __int128 u128;
#endif
typedef void *ptr;
#if !defined _WIN32 && !defined __arm__ && (defined __SSE2__ || !defined __i386__)
typedef _Float16 f16;
typedef _Complex _Float16 c_f16;
#endif
#ifdef __aarch64__
typedef long double f128;
typedef _Complex long double c_f128;
#elif !defined _WIN32 && !defined __arm__
typedef __float128 f128;
typedef _Complex float c_f128 __attribute__((mode(TC)));
#endif
typedef float f32;
typedef double f64;
typedef long double f80;
typedef _Complex float c_f32;
typedef _Complex double c_f64;
typedef _Complex long double c_f80;

/* Kinds of leaves. Integers and pointers are any bits; floating-point numbers are normal ones. */
enum gt_kind { GT_BOOL, GT_8, GT_16, GT_32, GT_64, GT_128, GT_F16, GT_F32, GT_F64, GT_F80, GT_F128 };
#define GT_POINTER (sizeof(void *) == 8 ? GT_64 : GT_32)

/* The seed of part `i` of a value. */
#define GT_PART(seed, i) ((seed) * 0x9e3779b97f4a7c15u + (i) + 1)

/* Skews what callees expect and return: a test that the checks notice. */
#ifndef GT_SKEW
#define GT_SKEW 0
#endif

/* 64 bits that follow from a seed. */
u64 gt_bits(u64 seed);
/* Sets, and compares, `count` leaves of a kind in a row; the leaf `i` has the seed `GT_PART(seed, i)`. */
void gt_fill(void *at, enum gt_kind kind, int count, u64 seed);
void gt_check(const void *at, enum gt_kind kind, int count, u64 seed, int place);
/* A small integer widened by the side under test, against the same by this one. */
void gt_wide(long long got, enum gt_kind kind, int is_signed, u64 seed, int place);
/* An address is to be a multiple of `align`; the stack is to be aligned at the call of this function, too. */
void gt_aligned(const void *at, u64 align, int place);
/* Overwrites memory. */
void gt_scribble(void *at, u64 size);
/* Says that something is wrong at this place of the current signature: 0 the result, then the arguments in order;
   100 more for the caller's own copies, 200 more for alignment, 300 more for widening. */
void gt_wrong(int place);

extern void (*const gt_calls[])(void);
extern const int gt_count;
#endif
