// Programs for processors without a system. PROGRAM says which; PART 1 has the work, PART 2 prints what comes of it, PART 0 is what
// compilers take for granted.
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

#if PART == 0
void *memcpy(void *to, const void *from, unsigned n) {
    volatile u8 *p = to;
    const u8 *q = from;
    while (n--) *p++ = *q++;
    return to;
}
void *memmove(void *to, const void *from, unsigned n) {
    volatile u8 *p = to;
    const u8 *q = from;
    if (p < q) return memcpy(to, from, n);
    while (n--) p[n] = q[n];
    return to;
}
void *memset(void *to, int c, unsigned n) {
    volatile u8 *p = to;
    while (n--) *p++ = (u8)c;
    return to;
}
// What the library calls for divisions by zero.
int raise(int signal) { return signal; }
float floorf(float x) {
    float whole = (float)(int)x;
    return whole > x ? whole - 1 : whole;
}
#endif

#if PROGRAM == 1 // Division and products.
#define TYPE s64
#if PART == 1
s64 work(int k) {
    s64 a = 0x123456789abcdefLL * (k + 1) - 77, b = k * 1000003LL - 12345;
    int x = (int)(a >> 7), y = (int)b | 1;
    u32 ux = (u32)a, uy = (u32)y | 3;
    return a / (b | 1) + a % (b | 1) + x / y + x % y + ux / uy + ux % uy + (s64)x * y + (u64)ux * uy + (short)x / (short)y;
}
#endif

#elif PROGRAM == 2 // Sorting.
#define TYPE u32
#if PART == 1
static void sort(int *a, int n) {
    if (n < 2) return;
    int pivot = a[n / 2], i = 0, j = n - 1;
    for (;;) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i >= j) break;
        int t = a[i];
        a[i++] = a[j];
        a[j--] = t;
    }
    sort(a, i);
    sort(a + i, n - i);
}
u32 work(int k) {
    int a[200];
    u32 state = (u32)k * 2654435761u + 1, sum = 0;
    for (int i = 0; i < 200; i++) a[i] = (int)(state = state * 1664525 + 1013904223) >> 8;
    sort(a, 200);
    for (int i = 0; i < 200; i++) sum = sum * 31 + (u32)a[i] + (i > 0 && a[i] < a[i - 1]);
    return sum;
}
#endif

#elif PROGRAM == 3 // A table in read-only data and one that is made.
#define TYPE u32
#if PART == 1
static u32 table[256];
static const char text[] = "The quick brown fox jumps over the lazy dog";
u32 work(int k) {
    if (!table[1])
        for (u32 i = 0; i < 256; i++) {
            u32 c = i;
            for (int j = 0; j < 8; j++) c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
            table[i] = c;
        }
    u32 crc = ~0u;
    for (const char *p = text + k % 9; *p; p++) crc = table[(crc ^ (u8)*p) & 255] ^ crc >> 8;
    return ~crc;
}
#endif

#elif PROGRAM == 4 // Sieve in zeroed data.
#define TYPE u32
#if PART == 1
static u8 composite[4000];
static int calls = 7;
u32 work(int k) {
    u32 last = 0, count = 0;
    for (u32 i = 2; i < 4000; i++) composite[i] = 0;
    for (u32 i = 2; i < 4000 - (u32)k * 100; i++) {
        if (composite[i]) continue;
        for (u32 j = i * i; j < 4000; j += i) composite[j] = 1;
        last = i, count++;
    }
    return last * 1000 + count + (u32)calls++ * 10000000;
}
#endif

#elif PROGRAM == 5 // Strings.
#define TYPE u32
#if PART == 1
static unsigned length(const char *s) {
    const char *p = s;
    while (*p) p++;
    return (unsigned)(p - s);
}
static int compare(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return (u8)*a - (u8)*b;
}
u32 work(int k) {
    static const char *words[] = { "load", "store", "branch", "link", "", "exclusive", "barrier", "lode" };
    char buffer[64], *p = buffer;
    for (int i = 0; i <= k; i++)
        for (const char *q = words[i % 8]; *q; q++)
            if (p < buffer + 60) *p++ = *q >= 'n' ? *q - 32 : *q;
    *p = 0;
    return length(buffer) * 1000003 + (u32)compare(buffer, words[k % 8]) + (u32)compare(words[k % 8], words[(k + 1) % 8]) * 17;
}
#endif

#elif PROGRAM == 6 // An interpreter with a dense switch.
#define TYPE u32
#if PART == 1
u32 work(int k) {
    static const u8 code[] = { 0, 5, 1, 3, 2, 7, 9, 4, 3, 6, 2, 5, 8, 1, 7, 3, 10, 11, 2, 12, 13, 99, 14 };
    u32 a = (u32)k, b = 3, n = 0;
    for (unsigned pc = 0; n < 300; pc = (pc + 1) % sizeof code, n++)
        switch (code[pc]) {
        case 0: a += 7; break;
        case 1: a ^= b << 3; break;
        case 2: b = a * 5 + n; break;
        case 3: a -= b; break;
        case 4: a = a << 7 | a >> 25; break;
        case 5: b |= 0x1001; break;
        case 6: if (a & 1) pc += 2; break;
        case 7: a = ~a; break;
        case 8: b = b / 3; break;
        case 9: a += n * n; break;
        case 10: b &= 0xffff00ff; break;
        case 11: a *= 33; break;
        case 12: b -= a >> 16; break;
        case 13: a = a > b ? a - b : b - a; break;
        case 14: if (n > 250) return a ^ b; break;
        default: b++;
        }
    return a + b;
}
#endif

#elif PROGRAM == 7 // Numbers of 32 bits.
#define TYPE float
#if PART == 1
float floorf(float);
float work(int k) {
    float x = 0, y = 0, cx = (float)k * 0.11f - 1.5f, cy = 0.37f - (float)k * 0.05f;
    int n = 0;
    while (x * x + y * y < 4.0f && n < 200) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        n++;
    }
    float s = __builtin_fabsf(x) + floorf(y * 3) - (y > x ? -y : y / 3);
    return s + (float)n + (float)(u32)n * 0.5f + (float)(int)(x * 100) + (float)(unsigned short)(n * 77);
}
#endif

#elif PROGRAM == 8 // Numbers of 64 bits.
#define TYPE double
#if PART == 1
static double pi = 3.14159265358979;
double work(int k) {
    double x = (double)k + 0.5, r = x, s = 0;
    for (int i = 0; i < 20; i++) r = (r + x / r) / 2;
    for (int i = 0; i < 15; i++) s += (i & 1 ? -1.0 : 1.0) / (2 * i + 1) * (double)(float)(x - i);
    double v = r * pi - s;
    if (v < 3.0 || r != r) v = -v;
    return v * 1000 + (double)(int)v + (double)(u32)k + (double)((float)v * 0.25f) + (v >= s ? r : __builtin_fabs(s));
}
#endif

#elif PROGRAM == 9 // Shifts of 64 bits.
#define TYPE u64
#if PART == 1
u64 work(int k) {
    u64 a = 0xfedcba9876543210ull + (u64)k * 0x1111111111ull;
    s64 b = (s64)a;
    u32 n = (u32)k * 11 % 64;
    u64 r = a << n ^ a >> n ^ (u64)(b >> n) ^ (a << 32 | a >> 32) ^ (a << (n | 1) | a >> (64 - (n | 1)));
    r += (u64)__builtin_clzll(a | 1) + (u64)__builtin_ctzll(a | 1ull << 63) * 3 + (u64)__builtin_popcountll(a) * 5;
    r ^= __builtin_bswap64(a) + __builtin_bswap32((u32)a) + __builtin_bswap16((u16)a);
    return r * 3 - (a > r) - ((s64)a < (s64)r);
}
#endif

#elif PROGRAM == 10 // Records by value.
#define TYPE u32
struct small { u8 a; u16 b; };
struct two { u32 a; float b; };
struct four { float a, b, c, d; };
struct large { u32 a[7]; u64 b; };
struct small small_of(int k);
struct two two_of(struct small s, float f);
struct four four_of(struct two t, double d);
struct large large_of(struct four f, struct large l);
#if PART == 1
struct small small_of(int k) { return (struct small){ (u8)k, (u16)(k * 777) }; }
struct two two_of(struct small s, float f) { return (struct two){ s.a + s.b * 3u, f * 2 }; }
struct four four_of(struct two t, double d) { return (struct four){ (float)t.a, t.b, (float)d, -t.b }; }
struct large large_of(struct four f, struct large l) {
    l.a[2] += (u32)(f.a + f.b) + (u32)(int)(f.c + f.d);
    l.b += l.a[6];
    return l;
}
#else
static u32 work(int k) {
    struct large l = { { 1, 2, 3, 4, 5, 6, (u32)k }, 9 };
    struct small s = small_of(k);
    l = large_of(four_of(two_of(s, (float)k + 0.5f), 2.25), l);
    return l.a[2] * 31 + (u32)l.b + l.a[0] * 1000000 + s.b;
}
#endif

#elif PROGRAM == 11 // Function pointers.
#define TYPE u32
typedef u32 (*operation)(u32, u32);
u32 apply(operation f, const u32 *v, int n);
extern const operation operations[4];
#if PART == 1
static u32 add(u32 a, u32 b) { return a + b; }
static u32 mix(u32 a, u32 b) { return a * 33 ^ b; }
u32 largest(u32 a, u32 b) { return a > b ? a : b; }
static u32 twice(u32 a, u32 b) { return apply(mix, (u32[]){ a, b, a ^ b }, 3); }
const operation operations[4] = { add, mix, largest, twice };
u32 apply(operation f, const u32 *v, int n) {
    u32 r = v[0];
    for (int i = 1; i < n; i++) r = f(r, v[i]);
    return r;
}
#else
static u32 own(u32 a, u32 b) { return a - b * 7; }
static u32 work(int k) {
    u32 v[9];
    for (int i = 0; i < 9; i++) v[i] = (u32)((i + 1) * (k + 3) * 12345);
    return apply(operations[k % 4], v, 9) + apply(own, v, 5);
}
#endif

#elif PROGRAM == 12 // Variable arguments.
#define TYPE double
double sum(const char *kinds, ...);
#if PART == 1
double sum(const char *kinds, ...) {
    __builtin_va_list list, copy;
    double total = 0;
    __builtin_va_start(list, kinds);
    __builtin_va_copy(copy, list);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': total += __builtin_va_arg(list, int); break;
        case 'l': total += (double)(int)(__builtin_va_arg(list, s64) >> 16); break;
        case 'd': total += __builtin_va_arg(list, double); break;
        case 'p': total += *__builtin_va_arg(list, int *); break;
        }
    total += __builtin_va_arg(copy, int) * 0.125;
    __builtin_va_end(list);
    __builtin_va_end(copy);
    return total;
}
#else
static double work(int k) {
    int n = k * 5;
    return sum("iidlpdliid", k, 7, 1.5 + k, 0x123456789LL * k, &n, -2.75, -0x70000000LL, 4, k * k, 0.25)
        + sum("ild", 3, 1LL << 40, (double)n);
}
#endif

#elif PROGRAM == 13 // Recursion.
#define TYPE u32
#if PART == 1
static u32 ackermann(u32 m, u32 n) { return m == 0 ? n + 1 : ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1)); }
static u32 moves(int n, int from, int to) {
    return n == 0 ? 0 : moves(n - 1, from, 6 - from - to) * 3 + (u32)(from * 4 + to) + moves(n - 1, 6 - from - to, to);
}
u32 work(int k) { return ackermann(2, (u32)k + 3) * 65537 + moves(k + 2, 1, 3); }
#endif

#elif PROGRAM == 14 // SHA-256 of a block.
#define TYPE u32
#if PART == 1
static const u32 constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
#define R(x, n) ((x) >> (n) | (x) << (32 - (n)))
u32 work(int k) {
    u32 h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 }, w[64], s[8];
    for (int i = 0; i < 16; i++) w[i] = (u32)(i * 0x01010101 + k);
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + (R(w[i - 15], 7) ^ R(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7]
            + (R(w[i - 2], 17) ^ R(w[i - 2], 19) ^ w[i - 2] >> 10);
    for (int i = 0; i < 8; i++) s[i] = h[i];
    for (int i = 0; i < 64; i++) {
        u32 t = s[7] + (R(s[4], 6) ^ R(s[4], 11) ^ R(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
        u32 v = (R(s[0], 2) ^ R(s[0], 13) ^ R(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int j = 7; j > 0; j--) s[j] = s[j - 1];
        s[4] += t;
        s[0] = t + v;
    }
    return h[0] + s[0] + (h[7] + s[7]) * 3;
}
#endif

#elif PROGRAM == 15 // Exclusive accesses.
#define TYPE u32
#if PART == 1
static u8 byte;
static u16 half;
static u32 word;
u32 work(int k) {
    u32 r = __atomic_fetch_add(&word, 5u + (u32)k, 5), expected = word;
    r = r * 3 + __atomic_exchange_n(&half, (u16)(r + 9), 2);
    r += __atomic_fetch_max(&word, 40u, 5) + __atomic_fetch_xor(&byte, (u8)(k * 7), 0);
    r = r * 5 + __atomic_compare_exchange_n(&word, &expected, 100u, 0, 5, 0) + expected;
    r += __atomic_sub_fetch(&byte, 3, 4) + __atomic_nand_fetch(&half, 0x0f0f, 5);
    __atomic_thread_fence(5);
#if __ARM_ARCH_PROFILE == 'M'
    __builtin_arm_clrex();
    __builtin_arm_nop();
    __builtin_arm_dmb(15);
#endif
    return r * 7 + __atomic_load_n(&word, 2) + __atomic_load_n(&byte, 5);
}
#endif

#elif PROGRAM == 16 // Bit fields, and data that is not aligned.
#define TYPE u32
#if PART == 1
struct fields { u32 a : 3, b : 11, c : 7; int d : 9; u64 e : 40; };
struct __attribute__((packed)) loose { u8 a; u32 b; u16 c; u64 d; };
static struct loose list[3] = { { 1, 0x12345678, 0x9abc, 0x1122334455667788 }, { 2, 3, 4, 5 } };
u32 work(int k) {
    struct fields f = { (u32)k & 7, (u32)k * 100, 77, -k, (u64)k << 30 };
    struct loose *l = &list[k % 3];
    f.b += f.a;
    f.d -= 3;
    f.e ^= 0x123456789;
    l->b += (u32)k;
    l->c ^= (u16)l->b;
    l->d = l->d * 3 + l->c;
    return f.a + f.b * 8 + f.c * 1000 + (u32)f.d + (u32)(f.e >> 8) + l->a + l->b + l->c + (u32)(l->d >> 24);
}
#endif

#elif PROGRAM == 17 // Large frames, and such that grow.
#define TYPE u32
#if PART == 1
u32 fill(volatile u8 *p, int n) {
    u32 s = 0;
    for (int i = 0; i < n; i++) p[i] = (u8)(i * 3 + n);
    for (int i = 0; i < n; i += 7) s = s * 5 + p[i];
    return s;
}
u32 work(int k) {
    volatile u8 large[6000];
    volatile u8 grown[k * 100 + 1];
    volatile u8 *more = __builtin_alloca((unsigned)k * 8 + 16);
    return fill(large, 6000) + fill(grown, k * 100 + 1) * 3 + fill(more, k * 8) * 7 + large[5999] + grown[0];
}
#endif

#elif PROGRAM == 18 // Functions that processors call: exceptions of microcontrollers.
#define TYPE u32
#if PART == 1
static volatile u32 count;
static volatile float total;
void pend_handler(void) {
    count = count * 3 + 1;
    total += (float)count * 0.5f;
}
u32 work(int k) {
    float mine = (float)k + 0.25f;
    for (int i = 0; i <= k % 4; i++) {
#if __ARM_ARCH_PROFILE == 'M'
        u32 before = count;
        *(volatile u32 *)0xe000ed04 = 1u << 28;
        __builtin_arm_dsb(15);
        __builtin_arm_isb(15);
        while (count == before) {}
#else
        pend_handler();
#endif
        mine = mine * 1.5f + 1;
    }
    return count + (u32)(total * 4) + (u32)(mine * 16);
}
#else
void pend_handler(void);
#define HANDLER
#endif

#elif PROGRAM == 19 // Jumps to computed places, and a switch that is not dense.
#define TYPE u32
#if PART == 1
u32 work(int k) {
    static void *const places[] = { &&add, &&shift, &&sparse, &&out };
    u32 r = (u32)k + 1, n = 0;
    goto *places[n];
add:
    r += 0x1234;
    goto *places[++n % 3];
shift:
    r = r << 5 ^ r >> 3;
    goto *places[++n % 3];
sparse:
    switch (r & 0xff00) {
    case 0x0100: r += 1; break;
    case 0x1700: r += 2; break;
    case 0x4200: case 0x4300: r ^= 3; break;
    case 0xab00: r -= 99; break;
    default: r += r & 1 ? 5 : 7;
    }
    goto *places[++n > 40 ? 3 : n % 3];
out:
    return r;
}
#endif

#else // Matrices.
#define TYPE float
#if PART == 1
static float a[8][8], b[8][8];
static int c[8][8];
float work(int k) {
    float sum = 0;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) a[i][j] = (float)(i * 3 - j * k) * 0.5f, b[i][j] = (float)(i ^ j) + 0.25f, c[i][j] = i * j - k;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            float t = 0;
            int n = 0;
            for (int m = 0; m < 8; m++) t += a[i][m] * b[m][j], n += c[i][m] * c[m][j];
            sum += t * (i == j ? 2 : -1) + (float)n;
        }
    return sum;
}
#endif
#endif

#if PART == 2
void write_text(const char *text);
#ifndef HANDLER
void pend_handler(void) {}
#endif
#if PROGRAM != 10 && PROGRAM != 11 && PROGRAM != 12
TYPE work(int k);
#endif
static void put(u32 n, char end) {
    char text[10];
    for (int i = 0; i < 8; i++) text[i] = "0123456789abcdef"[n >> (28 - 4 * i) & 15];
    text[8] = end;
    text[9] = 0;
    write_text(text);
}
int main(void) {
    for (int k = 0; k < 9; k++) {
        union { TYPE value; u32 words[sizeof(TYPE) / 4]; } u = { work(k) };
        for (unsigned i = sizeof(TYPE) / 4; i-- > 0;) put(u.words[i], i ? '_' : '\n');
    }
    return 42;
}
#endif
