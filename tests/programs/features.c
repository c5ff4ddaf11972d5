/* Every feature of C that clang turns into constructs of LLVM IR of its own, with a line of output for each. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef float v4 __attribute__((vector_size(16)));
typedef int v8i __attribute__((vector_size(32)));
typedef _Bool v8b __attribute__((ext_vector_type(8)));

struct big { long a[9]; };
struct two { double x; int y; };
struct fields { unsigned a : 3; int b : 17; unsigned long c : 40; };
union any { float f; int i; long double l; };

/* Symbols. */
_Thread_local int general;
static __thread double local_thread = 3;
extern __thread int elsewhere;
__attribute__((tls_model("initial-exec"))) extern __thread int early;
int __attribute__((weak)) maybe_function(void);
extern int maybe_data __attribute__((weak));
__attribute__((visibility("hidden"))) int hidden = 4;
int tentative;
static int three(void) { return 3; }
int aliased(void) { return three(); }
int alias(void) __attribute__((alias("aliased")));
static int (*resolve(void))(void) { return aliased; }
int chosen(void) __attribute__((ifunc("resolve")));
static int constructed;
__attribute__((constructor(200))) void construct(void) { constructed = 41; }
__attribute__((destructor)) void destruct(void) { puts("destructed"); }
__attribute__((used)) static int kept = 4;
__attribute__((section(".mysec"))) int placed = 3;
const char utf8[] = u8"zażółć";
const unsigned short utf16[] = u"ab\0c";
extern const char *const strings[];
const char *const *into_strings = strings + 1;
_Complex float complex_data = 1.0f + 2.0fi;
long double long_data = 3.5L;
__int128 wide_data = ((__int128)1 << 100) + 5;
struct fields field_data = {3, -4, 99};

/* Values by value. */
struct two make_two(int a) { return (struct two){a * 2.0, a}; }
struct big make_big(int a) { return (struct big){{a, [8] = 7}}; }
long take(struct big b, struct two t, union any u) { return b.a[8] + t.y + u.i; }
int variadic(int n, ...) {
    va_list list, copy;
    va_start(list, n);
    va_copy(copy, list);
    int sum = va_arg(copy, int);
    for (int i = 0; i < n; i++) {
        sum += va_arg(list, int) + (int)va_arg(list, double) + va_arg(list, struct two).y;
        sum += va_arg(list, struct big).a[0] + (int)va_arg(list, long double);
    }
    va_end(copy);
    va_end(list);
    return sum;
}
int many(int a, long b, char c, short d, _Bool e, float f, double g, int h, int i, int j, int k, long double l,
         struct two m) {
    return a + b * 2 + c * 3 + d * 5 + e * 7 + f + g + h + i * 11 + j * 13 + k * 17 + l + m.y;
}
int calls(void) {
    return many(1, 2, -3, 4, 1, 6, 7, 8, 9, 10, 11, 12, make_two(3)) + take(make_big(2), make_two(3),
           (union any){.i = 4}) +
           variadic(2, 1, 2.0, make_two(1), make_big(2), 3.0L, 4, 5.0, make_two(1), make_big(2), 3.0L);
}

/* Control. */
int computed_goto(int n) {
    static void *const targets[] = {&&first, &&second, &&third};
    int r = 0;
    goto *targets[n % 3];
first:
    r++;
second:
    r += 2;
third:
    r += 4;
    return r;
}
int near_goto(int n) {
    static const int distances[] = {&&first - &&third, &&second - &&third, 0};
    int r = 0;
    goto *(&&third + distances[n % 3]);
first:
    r += 5;
second:
    r += 3;
third:
    return r + 1;
}
int dense(int x) {
    switch (x) {
    case 0: return 4;
    case 1: return 7;
    case 2: return 1;
    case 3: return 99;
    case 4 ... 9: return 12;
    case 1000: return 2;
    default: return -1;
    }
}
const char *text(int x) {
    switch (x) {
    case 0: return "a";
    case 1: return "bb";
    case 2: return "ccc";
    case 3: return "dddd";
    default: return "e";
    }
}
static jmp_buf before;
int jump(int n) {
    volatile int x = n;
    if (setjmp(before)) return x;
    x++;
    longjmp(before, 1);
}

/* Memory. */
int dynamic(int n) {
    int a[n];
    {
        char b[n * 2];
        memset(b, 1, n * 2);
        a[0] = b[0] + b[n];
    }
    int c[n][n];
    c[n - 1][0] = a[0];
    return c[n - 1][0] + (int)sizeof c;
}
static _Atomic int atomic_word;
static atomic_llong atomic_long_word;
static _Atomic unsigned char atomic_byte;
static _Atomic float atomic_float;
static int plain;
int atomics(int v) {
    atomic_fetch_add(&atomic_word, v);
    atomic_word ^= 3;
    atomic_long_word = v;
    int expected = 3;
    int changed = atomic_compare_exchange_strong(&atomic_word, &expected, 5);
    atomic_byte++;
    atomic_byte += 255;
    atomic_float += 1.0f;
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_acquire);
    int old = __atomic_fetch_nand(&plain, 4, __ATOMIC_SEQ_CST) + __sync_fetch_and_or(&plain, 3);
    atomic_flag flag = ATOMIC_FLAG_INIT;
    int set = atomic_flag_test_and_set(&flag) + 2 * atomic_flag_test_and_set(&flag);
    return atomic_word + expected + changed + old + set + atomic_byte + (int)atomic_float + (int)atomic_long_word;
}
int thread_locals(void) {
    general += elsewhere + early;
    local_thread *= 2;
    int *p = &general;
    return *p + (int)local_thread + (maybe_function ? maybe_function() : 0) + (&maybe_data ? maybe_data : 0) + hidden +
           chosen() + alias() + tentative;
}
int update_fields(struct fields *f) {
    f->a++;
    f->b -= 4;
    f->c = f->c * 3;
    return f->a + f->b;
}
struct entry { const char *name; int (*function)(int); long x[3]; };
static const struct entry table[] = {{"dense", dense, {1, 2, 3}}, {"goto", computed_goto, {4}}};
int from_table(int i) { return table[i].function(i) + table[i].name[0] + (int)table[i].x[1]; }
int barriers(int *p) {
    __builtin_prefetch(p, 1, 2);
    if (__builtin_expect(*p, 0)) __builtin_trap();
    __builtin_assume(*p < 3);
    int *q = __builtin_assume_aligned(p, 16);
    __asm__ volatile("" ::: "memory");
    int x = *q;
    __asm__("" : "+r"(x));
    __asm__ volatile("" ::"r"(x), "m"(*p));
    __asm__("" : "+m"(*p));
    float f = x;
    __asm__ volatile("" : "+x"(f));
    /* Results in memory or a register, of arguments in the same place. */
    int y, z = 9;
    double d;
    __asm__("" : "=rm"(y) : "0"(x + 20));
    __asm__("# %0" : "=g"(d) : "0"(40.5));
    struct { int before, narrow, after; } in = { 1, 2, 3 };
    __asm__("" : "=rm"(in.narrow) : "0"(0x500000004l));
    x += in.before + in.narrow + in.after;
    __asm__("" : "+g"(z));
    x += y + z + (int)d;
    return x + (int)f + (__builtin_constant_p(x) ? 1 : 1) + (__builtin_object_size(p, 0) != 0);
}
static char anchor[8];
__attribute__((no_sanitize("undefined"))) int far_offsets(void) {
    /* Wraps around in the end: an address far from every symbol is never one of a relocation. */
    char *volatile far = anchor + (1L << 62);
    int same = (long)far - (1L << 62) == (long)anchor;
    far = anchor - (1L << 33);
    same += (long)far + (1L << 33) == (long)anchor;
    far = (char *)&stdout + (1L << 30);
    same += (long)far - (1L << 30) == (long)&stdout;
    far = (char *)&stdout + (1L << 40);
    return same + ((long)far - (1L << 40) == (long)&stdout);
}
int addresses(void) { return __builtin_return_address(0) != 0 && __builtin_frame_address(0) != 0; }

/* Arithmetic. */
double complex_numbers(double _Complex a, float _Complex b) {
    double _Complex c = a * b / (a + 1);
    return creal(c) + 3 * cimag(c) + cabs(c);
}
__int128 wide(__int128 a, unsigned __int128 b) { return a * b / (a - 3) + (b >> 7) +
    (__int128)((unsigned __int128)a << 65) % 11; }
_BitInt(37) odd(_BitInt(37) a, unsigned _BitInt(77) b) { return a * 3 + (_BitInt(37))(b / 7) - (a >> 3); }
_Float16 half(_Float16 a) { return a * a + (_Float16)3.5; }
long double extended(long double a) { return sqrtl(a) + a * 3.25L + floorl(a); }
__float128 quad(__float128 a) { return a * a + 3; }
int bits(unsigned x, unsigned long y) {
    return __builtin_clz(x | 1) + 3 * __builtin_ctzl(y | 1) + 5 * __builtin_popcountl(y) + __builtin_bswap32(x) % 1000 +
           (int)(__builtin_bitreverse64(y) >> 40) + __builtin_parity(x) + __builtin_ffs(x) +
           (int)__builtin_rotateleft32(x, 7) % 99;
}
int overflows(int a, int b, long c, unsigned d) {
    int r;
    long l;
    unsigned u;
    __int128 z;
    int flags = __builtin_add_overflow(a, b, &r) + 2 * __builtin_mul_overflow(c, b, &l) +
        4 * __builtin_sub_overflow(d, 3u, &u);
    flags += 8 * __builtin_mul_overflow((__int128)c << 60, (__int128)l, &z);
    return flags + (r & 0xff) * 16 + (int)(l & 0xff) + (u & 15);
}
double rounding(double a, double b) {
    return floor(a) + 2 * ceil(b) + 3 * trunc(a) + 5 * round(b) + 7 * rint(a) + nearbyint(b) + fmin(a, b) + fmax(a, b) +
           fabs(a) + copysign(a, b) + fma(a, b, a) + sqrt(a) + lround(a) + llrint(b) + fmod(a, b) +
           __builtin_roundeven(a);
}
double transcendental(double a, double b) {
    return pow(a, b) + exp(a) + log(b) + sin(a) + cos(b) + __builtin_powi(a, 3) + exp2(a) + log10(a) + ldexp(a,
           2) + tan(a);
}
int classes(double a, float b, long double c) {
    return isnan(a) + 2 * isinf(b) + 4 * isfinite(a) + 8 * isnormal(b) + 16 * !!signbit(a) +
           32 * __builtin_isfpclass(a, 0x60) +
           64 * isnan(c) + 128 * isinf(c) + 256 * isnormal(c);
}
int saturating(int a, int b) {
    return (__builtin_elementwise_add_sat(a, b) >> 3) + __builtin_elementwise_max(a, b) % 7 +
           __builtin_elementwise_abs(a / 2) % 100 +
           (abs(b) < 9);
}
int compared(int a, int b) { return (a > b) - (a < b); }

/* Vectors, written and made by the optimizer. */
/* Not by value: with AVX such a vector would travel in a wider register. */
v4 vector(v4 a, v4 b, const v8i *pc) {
    v8i c = *pc;
    v8i d = c * c + (c > 3);
    v4 s = __builtin_shufflevector(a, b, 0, 5, 2, 7);
    s[2] = d[3];
    return s * b / a;
}
v8b flags(v8b a, v8b b) { return a & ~b; }
int reduced(const v8i *p) {
    v8i a = *p;
    return __builtin_reduce_add(a) + 3 * __builtin_reduce_max(a) + 5 * __builtin_reduce_xor(a);
}
int squares(int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += a[i] * a[i];
    return s;
}
void conditional(int *a, int *b, int n) {
    for (int i = 0; i < n; i++)
        if (b[i] > 3) a[i] = b[i] + a[i];
}
float dot(float *a, float *b, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}
void convert(double *a, int *b, unsigned char *c, short *d, int n) {
    for (int i = 0; i < n; i++) {
        a[i] = b[i];
        c[i] = d[i] > 200 ? 200 : d[i];
    }
}

static void show(const char *what, double x) { printf("%s = %.9g\n", what, x); }
#define SHOW(e) show(#e, (double)(e))
#define N 37
static volatile int k = 3;

int main(void) {
    SHOW(take(make_big(k), make_two(k + 4), (union any){.i = 9}));
    SHOW(calls());
    for (int i = 0; i < 4; i++) SHOW(computed_goto(i));
    for (int i = 0; i < 4; i++) SHOW(near_goto(i));
    for (int i = -1; i < 11; i++) SHOW(dense(i));
    SHOW(dense(1000));
    for (int i = 0; i < 5; i++) puts(text(i));
    SHOW(far_offsets());
    SHOW(jump(8));
    SHOW(dynamic(k));
    SHOW(atomics(5));
    SHOW(atomics(6));
    SHOW(thread_locals());
    SHOW(thread_locals());
    struct fields f = {5, -70, 123456789};
    SHOW(update_fields(&f));
    SHOW(f.a * 1000.0 + f.b + f.c);
    SHOW(from_table(0));
    SHOW(from_table(1));
    _Alignas(16) int p[4] = {0, 1, 2, 3};
    SHOW(barriers(p));
    SHOW(addresses());
    SHOW(complex_numbers(1 + 2i, 3 - 1i));
    SHOW(wide(((__int128)k << 70) + 12345, 987654321987654321ull));
    SHOW(odd(12345, 77777));
    SHOW(odd(-12345, 1));
    SHOW(half(k));
    SHOW(extended(2.25L));
    SHOW(quad(1.5q));
    SHOW(bits(0x12345, 0x123456789abcull));
    SHOW(overflows(2147483647, k, 1l << 62, 2));
    SHOW(overflows(1, 2, 3, 4));
    SHOW(rounding(1.75, 2.5));
    SHOW(rounding(8.5, -3.25));
    SHOW(transcendental(1.75, 2.5));
    SHOW(classes(1.0, __builtin_inff(), __builtin_nanl("")));
    SHOW(classes(-0.0, 1e-42f, 2.0L));
    SHOW(saturating(2147483647, 5));
    SHOW(saturating(-90, 4));
    SHOW(compared(k, 4));
    SHOW(compared(4, k));
    v8i v = {1, -2, 3, -4, 5, -6, 7, k};
    v4 r = vector((v4){1, 2, 3, 4}, (v4){5, 6, 7, 9}, &v);
    for (int i = 0; i < 4; i++) SHOW(r[i]);
    v8b b = flags((v8b){1, 0, 1, 1, 0, 0, 1, 0}, (v8b){0, 0, 1, 0, 1, 0, 1, 1});
    for (int i = 0; i < 8; i++) SHOW(b[i]);
    SHOW(reduced(&v));
    int a[N], c[N];
    double d[N];
    unsigned char bytes[N];
    short shorts[N];
    float x[N], y[N];
    for (int i = 0; i < N; i++) {
        a[i] = i * 7 % 11;
        c[i] = i % 7;
        shorts[i] = i * 20 - 100;
        x[i] = i;
        y[i] = 2;
    }
    SHOW(squares(a, N));
    conditional(a, c, N);
    convert(d, c, bytes, shorts, N);
    long sum = 0;
    for (int i = 0; i < N; i++) sum = (sum * 5 + a[i] + bytes[i] * 3 + (long)d[i]) % 1000003;
    SHOW(sum);
    SHOW(dot(x, y, N));
    SHOW(utf8[5]);
    SHOW(utf16[1]);
    puts(*into_strings);
    SHOW(__real__ complex_data + __imag__ complex_data);
    SHOW(long_data);
    SHOW(wide_data);
    SHOW(field_data.a + field_data.b + field_data.c);
    SHOW(constructed + kept + placed);
    return 0;
}
