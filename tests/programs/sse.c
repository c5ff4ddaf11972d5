/* Every function of <xmmintrin.h> and <emmintrin.h> that becomes an operation of the machine, and some that become generic
   vector code, on edge values. */
#include <emmintrin.h>
#include <stdio.h>
#include <string.h>

typedef union {
    __m128i i;
    __m128 s;
    __m128d d;
    unsigned char bytes[16];
    unsigned words[4];
} any;

static unsigned long sum = 14695981039346656037UL;
static void mix(const void *p, unsigned n) {
    const unsigned char *b = p;
    while (n--) sum = (sum ^ *b++) * 1099511628211UL;
}
static const char *group;
static void end(void) {
    printf("%s %016lx\n", group, sum);
}

static any ints[] = {
    {.words = {0, 0, 0, 0}},
    {.words = {~0u, ~0u, ~0u, ~0u}},
    {.words = {0x80007fff, 0x7fff8000, 0x80808080, 0x7f7f7f7f}},
    {.words = {1, 0, 2, 0x10000}},
    {.words = {15, 0, 16, 0}},
    {.words = {33, 0, 63, 0}},
    {.words = {64, 0, 1, 1}},
    {.words = {0x12345678, 0x9abcdef0, 0x0f1e2d3c, 0xc3d2e1f0}},
};
static any floats[] = {
    {.words = {0, 0x80000000, 0x3f800000, 0xbf800000}},
    {.words = {0x7f800000, 0xff800000, 0x7fc00000, 0x40490fdb}},
    {.words = {0x4f000000, 0xcf000000, 0x4effffff, 0x5f000000}},
    {.words = {0x3f000000, 0x3fc00000, 0x40200000, 0xc0200000}},
    {.words = {0x41200000, 0x42c80000, 0x447a0000, 0x461c4000}},
};
static any doubles[] = {
    {.d = {0.0, -0.0}},
    {.d = {1.5, -2.5}},
    {.d = {2147483647.5, -2147483648.5}},
    {.d = {1e300, -1e-300}},
    {.d = {__builtin_inf(), __builtin_nan("")}},
    {.d = {9.2e18, 9.3e18}},
};
#define COUNT(a) (sizeof(a) / sizeof *(a))

#define I2(f)                                                                                                                 \
    __attribute__((noinline)) static __m128i i2_##f(__m128i a, __m128i b) { return f(a, b); }
#define S2(f)                                                                                                                 \
    __attribute__((noinline)) static __m128 s2_##f(__m128 a, __m128 b) { return f(a, b); }
#define D2(f)                                                                                                                 \
    __attribute__((noinline)) static __m128d d2_##f(__m128d a, __m128d b) { return f(a, b); }
#define INTS(X)                                                                                                               \
    X(_mm_packs_epi16) X(_mm_packs_epi32) X(_mm_packus_epi16) X(_mm_mulhi_epi16) X(_mm_mulhi_epu16) X(_mm_madd_epi16)          \
    X(_mm_sad_epu8) X(_mm_avg_epu8) X(_mm_avg_epu16) X(_mm_sll_epi16) X(_mm_sll_epi32) X(_mm_sll_epi64) X(_mm_srl_epi16)       \
    X(_mm_srl_epi32) X(_mm_srl_epi64) X(_mm_sra_epi16) X(_mm_sra_epi32) X(_mm_mul_epu32) X(_mm_adds_epi8) X(_mm_adds_epu16)    \
    X(_mm_subs_epi16) X(_mm_subs_epu8) X(_mm_max_epi16) X(_mm_min_epu8) X(_mm_unpacklo_epi8) X(_mm_unpackhi_epi32)             \
    X(_mm_cmpgt_epi8) X(_mm_cmpeq_epi32) X(_mm_andnot_si128) X(_mm_mullo_epi16)
#define SINGLES(X)                                                                                                            \
    X(_mm_min_ps) X(_mm_max_ps) X(_mm_min_ss) X(_mm_max_ss) X(_mm_cmplt_ps) X(_mm_cmplt_ss) X(_mm_cmpneq_ps) X(_mm_cmpnle_ss)  \
    X(_mm_cmpunord_ss) X(_mm_cmpord_ps) X(_mm_cmpeq_ss) X(_mm_add_ss) X(_mm_div_ss) X(_mm_move_ss) X(_mm_unpacklo_ps)
#define DOUBLES(X)                                                                                                            \
    X(_mm_min_pd) X(_mm_max_pd) X(_mm_min_sd) X(_mm_max_sd) X(_mm_sqrt_sd) X(_mm_cmplt_pd) X(_mm_cmplt_sd) X(_mm_cmpunord_pd)  \
    X(_mm_cmpnge_sd) X(_mm_add_sd) X(_mm_mul_sd) X(_mm_unpackhi_pd)
INTS(I2)
SINGLES(S2)
DOUBLES(D2)

#define TESTS(X)                                                                                                              \
    X(comieq) X(comilt) X(comile) X(comigt) X(comige) X(comineq) X(ucomieq) X(ucomilt) X(ucomile) X(ucomigt) X(ucomige)        \
    X(ucomineq)
#define COMPARISONS(c)                                                                                                        \
    __attribute__((noinline)) static int ss_##c(__m128 a, __m128 b) { return _mm_##c##_ss(a, b); }                            \
    __attribute__((noinline)) static int sd_##c(__m128d a, __m128d b) { return _mm_##c##_sd(a, b) ? 3 : 5; }
TESTS(COMPARISONS)

__attribute__((noinline)) static void shifts(__m128i a, int n) {
    __m128i r[] = {_mm_slli_epi16(a, n), _mm_slli_epi32(a, n), _mm_slli_epi64(a, n), _mm_srli_epi16(a, n), _mm_srli_epi32(a, n),
                   _mm_srli_epi64(a, n), _mm_srai_epi16(a, n), _mm_srai_epi32(a, n), _mm_slli_epi16(a, 3), _mm_srai_epi32(a, 31),
                   _mm_srli_epi64(a, 70), _mm_slli_si128(a, 3), _mm_srli_si128(a, 5), _mm_shuffle_epi32(a, 0x1b)};
    mix(r, sizeof r);
}
__attribute__((noinline)) static void singles(__m128 a, __m128d b) {
    __m128i r[] = {_mm_cvtps_epi32(a), _mm_cvttps_epi32(a)};
    __m128 f[] = {_mm_sqrt_ps(a), _mm_cvtsd_ss(a, b), _mm_cvtepi32_ps(r[0])};
    long n[] = {_mm_cvtss_si32(a), _mm_cvtss_si64(a), _mm_cvttss_si32(a), _mm_cvttss_si64(a), _mm_movemask_ps(a)};
    __m128d d = _mm_cvtps_pd(a);
    mix(r, sizeof r);
    mix(f, sizeof f);
    mix(n, sizeof n);
    mix(&d, sizeof d);
    /* Approximations: 12 bits are promised. */
    __m128 q[] = {_mm_rcp_ps(a), _mm_rsqrt_ps(a), _mm_rcp_ss(a), _mm_rsqrt_ss(a)};
    mix(q, sizeof q);
}
__attribute__((noinline)) static void pairs(__m128d a) {
    __m128i r[] = {_mm_cvtpd_epi32(a), _mm_cvttpd_epi32(a)};
    __m128 f = _mm_cvtpd_ps(a);
    long n[] = {_mm_cvtsd_si32(a), _mm_cvtsd_si64(a), _mm_cvttsd_si32(a), _mm_cvttsd_si64(a), _mm_movemask_pd(a)};
    mix(r, sizeof r);
    mix(&f, sizeof f);
    mix(n, sizeof n);
}
__attribute__((noinline)) static void memory(__m128i a, __m128i mask) {
    static char line[64] __attribute__((aligned(64)));
    _mm_maskmoveu_si128(a, mask, line + 5);
    _mm_stream_si128((__m128i *)(line + 32), a);
    _mm_stream_si32((int *)line, 77);
    _mm_sfence();
    _mm_clflush(line);
    _mm_lfence();
    _mm_prefetch(line, _MM_HINT_T0);
    _mm_pause();
    mix(line, sizeof line);
}
__attribute__((noinline)) static void rounding(__m128d a) {
    unsigned before = _mm_getcsr();
    for (unsigned mode = 0; mode < 4; mode++) {
        _mm_setcsr((before & ~0x6000u) | mode << 13);
        __m128i r = _mm_cvtpd_epi32(a);
        mix(&r, sizeof r);
    }
    _mm_setcsr(before);
    before &= 0xffc0;
    mix(&before, sizeof before);
}

int main(void) {
    for (unsigned i = 0; i < COUNT(ints); i++)
        for (unsigned j = 0; j < COUNT(ints); j++) {
#define RUN(f) { any r; group = #f; r.i = i2_##f(ints[i].i, ints[j].i); mix(&r, sizeof r); }
            INTS(RUN)
            memory(ints[i].i, ints[j].i);
        }
    group = "ints", end();
    for (unsigned i = 0; i < COUNT(ints); i++)
        for (int n = 0; n < 70; n += 7) shifts(ints[i].i, n);
    group = "shifts", end();
    for (unsigned i = 0; i < COUNT(floats); i++)
        for (unsigned j = 0; j < COUNT(floats); j++) {
#define RUN_S(f) { any r; r.s = s2_##f(floats[i].s, floats[j].s); mix(&r, sizeof r); }
            SINGLES(RUN_S)
#define RUN_SC(c) { int r = ss_##c(floats[i].s, floats[j].s); mix(&r, sizeof r); }
            TESTS(RUN_SC)
            singles(floats[i].s, doubles[j].d);
        }
    group = "singles", end();
    for (unsigned i = 0; i < COUNT(doubles); i++) {
        for (unsigned j = 0; j < COUNT(doubles); j++) {
#define RUN_D(f) { any r; r.d = d2_##f(doubles[i].d, doubles[j].d); mix(&r, sizeof r); }
            DOUBLES(RUN_D)
#define RUN_DC(c) { int r = sd_##c(doubles[i].d, doubles[j].d); mix(&r, sizeof r); }
            TESTS(RUN_DC)
        }
        pairs(doubles[i].d);
        rounding(doubles[i].d);
    }
    group = "doubles", end();
    return 0;
}
