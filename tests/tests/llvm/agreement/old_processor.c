#include <stdint.h>
#include <stdio.h>
signed char pick_i8(signed char, signed char);
short pick_i16(short, short);
int pick_i32(int, int);
long long pick_i64(long long, long long);
int compare_f32(float, float);
long long least_f32(float, float);
int compare_f64(double, double);
long long least_f64(double, double);
int compare_f80(long double, long double);
long long least_f80(long double, long double);
long long atomics(long long, long long);
long long shifts(long long, long long);
static uint64_t state = 88172645463325252ull;
static uint64_t bits(void) { state ^= state << 13; state ^= state >> 7; return state ^= state << 17; }
static long long next(void) { uint64_t n = bits(); return n % 5 == 0 ? n % 3 : n % 5 == 1 ? n >> 50 : n; }
static double inext(void) { return (double)(int64_t)(bits() >> 3) / 1024; }
static double fnext(void) {
  switch (bits() % 6) { case 0: return __builtin_nan(""); case 1: return 0; case 2: return -0.0; case 3: return 1; default: return inext(); }
}
// The library's functions for atomic accesses of eight bytes, which such a processor has none for.
uint64_t load8(uint64_t *p, int o) __asm__("__atomic_load_8"); uint64_t load8(uint64_t *p, int o) { return *p; }
void store8(uint64_t *p, uint64_t v, int o) __asm__("__atomic_store_8"); void store8(uint64_t *p, uint64_t v, int o) { *p = v; }
_Bool exchange8(uint64_t *p, uint64_t *e, uint64_t v, int o, int q) __asm__("__atomic_compare_exchange_8");
_Bool exchange8(uint64_t *p, uint64_t *e, uint64_t v, int o, int q) { if (*p == *e) { *p = v; return 1; } *e = *p; return 0; }
int main(void) {
  for (int i = 0; i < 300; i++) {
    printf("%d ", (int)pick_i8(next(), next()));
    printf("%d ", (int)pick_i16(next(), next()));
    printf("%d ", (int)pick_i32(next(), next()));
    printf("%lld ", pick_i64(next(), next()));
    printf("%x ", compare_f32(fnext(), fnext()));
    printf("%llx ", least_f32(inext(), inext()));
    printf("%x ", compare_f64(fnext(), fnext()));
    printf("%llx ", least_f64(inext(), inext()));
    printf("%x ", compare_f80(fnext(), fnext()));
    printf("%llx ", least_f80(inext(), inext()));
    printf("%llx ", atomics(next(), next()));
    printf("%llx ", shifts(next(), next()));
    printf("\n");
  }
}
