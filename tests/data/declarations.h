struct a1 { char c; int i; short s; };
void a1(struct a1);

struct a2 { char c; double d; } __attribute__((packed));
struct a2b { char c; struct a2 inner; long l; };
void a2(struct a2, struct a2b);

struct __attribute__((aligned(32))) a3 { float f[3]; };
struct a3b { char c; struct a3 inner; };
void a3(struct a3b);

#pragma pack(push, 2)
struct a4 { char c; long long l; int i : 5; };
#pragma pack(4)
struct a4b { char c; double d; };
#pragma pack(pop)
struct a4c { char c; double d; };
void a4(struct a4, struct a4b, struct a4c);

struct a5 { unsigned a : 3, b : 30; int : 0; signed char c : 4; _Bool d : 1; long long e : 40; };
void a5(struct a5);

struct a6 { struct { int x; union { float y; char z; }; }; struct a6 *next; int (*call)(struct a6, int[3]); };
void a6(struct a6);

union a7 { char bytes[13]; int i; double d __attribute__((packed)); };
void a7(union a7);

enum a8 { A8_A = 1, A8_B = A8_A << 4, A8_C = sizeof(int) * 2, A8_D };
struct a8 { enum a8 e; char tail[A8_D]; enum { A8_N = -1, A8_BIG = 0x7fffffff } f; };
void a8(struct a8, enum a8);

enum a9 { A9_SMALL = 1, A9_LARGE = 0x1ffffffffLL };
void a9(enum a9);

enum __attribute__((packed)) b1 { B1_A, B1_B = 200 };
struct b1 { enum b1 e; short s; };
void b1(struct b1, enum b1);

typedef int b2_low __attribute__((aligned(1)));
typedef int b2_high __attribute__((aligned(16)));
struct b2 { char c; b2_low i; char d; b2_high j; b2_low a[2]; };
void b2(struct b2);

struct b3 { int n; char data[]; };
struct b3b { int n; struct { } none; int zero[0]; short s; };
void b3(struct b3 *, struct b3b);

struct b4 { _Alignas(16) char c; _Alignas(double) char d; _Alignas(8) _Alignas(2) short s; };
_Static_assert(_Alignof(struct b4) == 16, "alignas");
void b4(struct b4);

typedef int b5_i3 __attribute__((ext_vector_type(3)));
struct b5 { float __attribute__((vector_size(16))) v; char c; b5_i3 i3; };
void b5(struct b5);

struct b6 { _Complex float f; char c; double _Complex d; char e; _Complex long double l; };
void b6(struct b6);

struct b7 { char c; long double l; char d; };
void b7(struct b7, long double);

struct b8 { char c; __int128 i; unsigned __int128 u; };
void b8(struct b8, unsigned __int128);

struct b9 { char a; _BitInt(7) b; unsigned _BitInt(23) c; _BitInt(35) d; char e; _BitInt(64) f; };
void b9(struct b9, _BitInt(17));

struct c1 { char a; _BitInt(65) b; char c; unsigned _BitInt(127) d; char e; };
void c1(struct c1);

struct c2 { char c; _Float16 h; __bf16 b; };
void c2(struct c2, _Float16);

struct c3 { char c; __float128 q; };
void c3(struct c3);

void c4(char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long, long long);

int c5(unsigned char x[static 4], int g(void), void (*const cb)(int, ...), const char *restrict *volatile p);

struct c6;
union c6u { struct c6 *p; void *q; };
struct c6 { union c6u u[2][3]; };
void c6(struct c6);

typedef unsigned c7_si __attribute__((mode(SI)));
typedef int c7_di __attribute__((mode(DI)));
typedef int c7_word __attribute__((mode(word)));
typedef float c7_df __attribute__((mode(DF)));
typedef int c7_v4 __attribute__((mode(V4SI)));
struct c7 { char c; c7_si a; c7_di b; c7_word w; c7_df f; };
void c7(struct c7);

struct c8 { char c; __typeof__(sizeof(int)) n; const volatile short s; __typeof__(struct { int a, b; }) t; };
void c8(struct c8);

struct c9 { int a : 4 __attribute__((packed)); char b __attribute__((aligned(4))); int c : 20; } __attribute__((packed, aligned(2)));
void c9(struct c9);

extern int printf(const char *format, ...) __attribute__((format(printf, 1, 2), nonnull(1)));

struct d1 { char head[(3 + 4 * 2) / 2 - 1 ? 7 : 9]; char t[sizeof(struct { char c; int i; }) << 1]; char o[-1 > 0u ? 2 : 3]; char x['\n' + 0x10 + 010 + 0b11]; };
void d1(struct d1);

struct d2 { char a; struct { char b[3]; int c; } in[2]; };
struct d2b { char t[__builtin_offsetof(struct d2, in[1].c)]; };
void d2(struct d2, struct d2b);

static inline int d3(int a) { if (a > 3) { return a << 1; } return a; }
static const int d3_table[] = { 1, 2, 3 }, d3_n = sizeof(int);

#pragma pack(1)
struct d4 { char c; struct { short s; int i; } in; _Alignas(4) int a; };
#pragma pack()
void d4(struct d4);

typedef struct d5 *d5_list;
struct d5 { d5_list next; double v; };
typedef void d5_visit(d5_list, void *);
d5_visit d5;

union d6 { struct { unsigned lo : 12, hi : 20; }; unsigned all; float f; };
struct d6 { char c; union d6 u; };
void d6(union d6, struct d6);

[[deprecated]] void d7([[maybe_unused]] int a);

struct [[gnu::packed]] d8 { char c; int i; };
void d8(struct d8);

struct d9 { _Bool b; _Bool f : 1; _Atomic(int) a; _Atomic char c; };
void d9(struct d9);

void e1(size_t, ptrdiff_t, intptr_t, uint8_t, int16_t, uint32_t, int64_t, wchar_t, intmax_t);

struct e2 { char c; va_list ap; };
void e2(struct e2, va_list);

enum e3 : unsigned char { E3_A, E3_B = 3 };
enum e3s : short { E3_C = -1 };
struct e3 { enum e3 a : 2, b; enum e3s s; };
void e3(struct e3, enum e3, enum e3s);

struct e4 { char c; double d; long long l; float f; } __attribute__((aligned(4)));
struct e4b { struct e4 a[2]; char c; };
void e4(struct e4b);

struct e5 { int a : 1; short b : 15; char c : 8; long long d : 33; char e; unsigned short f : 9, : 0, g : 7; };
void e5(struct e5);

__declspec(dllimport) int e6(int);

struct e7 { __int64 a; __int8 b; unsigned __int16 c; __declspec(align(16)) char d; };
struct __declspec(align(8)) e7b { char c; };
void __cdecl e7(struct e7, struct e7b);

_Pragma("pack(push, 1)") struct e8 { char c; int i; };
_Pragma("pack(pop)") struct e8b { char c; int i; };
void e8(struct e8, struct e8b);
