#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define OPS(T) F(xchg_##T) F(add_##T) F(sub_##T) F(and_##T) F(nand_##T) F(or_##T) F(xor_##T) F(max_##T) F(min_##T) F(umax_##T) F(umin_##T) \
  F(uinc_wrap_##T) F(udec_wrap_##T) F(swap_##T)
#define ALL OPS(i128) OPS(i256) OPS(i512)
#define F(name) void name(void *, void *, void *);
ALL
#undef F
_Bool cas_i128(void *, void *, void *), cas_i256(void *, void *, void *), cas_i512(void *, void *, void *);
void fadd_v4(void *, void *, void *);
// The library's functions: there may be no library for 32 bits.
void get(size_t n, void *p, void *to, int o) __asm__("__atomic_load"); void get(size_t n, void *p, void *to, int o) { memcpy(to, p, n); printf("%d ", o); }
void put(size_t n, void *p, void *from, int o) __asm__("__atomic_store"); void put(size_t n, void *p, void *from, int o) { memcpy(p, from, n); printf("%d ", o); }
void swap(size_t n, void *p, void *from, void *to, int o) __asm__("__atomic_exchange");
void swap(size_t n, void *p, void *from, void *to, int o) { memcpy(to, p, n); memcpy(p, from, n); printf("%d ", o); }
_Bool cas(size_t n, void *p, void *expected, void *to, int o, int q) __asm__("__atomic_compare_exchange");
_Bool cas(size_t n, void *p, void *expected, void *to, int o, int q) {
  printf("%d %d ", o, q);
  if (memcmp(p, expected, n)) return memcpy(expected, p, n), 0;
  return memcpy(p, to, n), 1;
}
#ifdef __LP64__
typedef unsigned __int128 u128;
u128 get16(u128 *p, int o) __asm__("__atomic_load_16"); u128 get16(u128 *p, int o) { return *p; }
void put16(u128 *p, u128 v, int o) __asm__("__atomic_store_16"); void put16(u128 *p, u128 v, int o) { *p = v; }
u128 swap16(u128 *p, u128 v, int o) __asm__("__atomic_exchange_16"); u128 swap16(u128 *p, u128 v, int o) { u128 old = *p; *p = v; return old; }
_Bool cas16(u128 *p, u128 *e, u128 v, int o, int q) __asm__("__atomic_compare_exchange_16");
_Bool cas16(u128 *p, u128 *e, u128 v, int o, int q) { if (*p == *e) { *p = v; return 1; } *e = *p; return 0; }
#define DO(name, op) u128 name(u128 *p, u128 v, int o) __asm__("__atomic_fetch_" #name "_16"); \
  u128 name(u128 *p, u128 v, int o) { u128 old = *p; *p = op; return old; }
DO(add, old + v) DO(sub, old - v) DO(and, old & v) DO(or, old | v) DO(xor, old ^ v) DO(nand, ~(old & v))
#endif
static uint64_t state = 88172645463325252ull;
static uint64_t bits(void) { state ^= state << 13; state ^= state >> 7; return state ^= state << 17; }
static uint64_t next(void) { uint64_t n = bits(); return n % 3 == 0 ? n : n % 3 == 1 ? 0 : -1ull; }
static _Alignas(64) uint64_t object[8];
static uint64_t operand[8], result[8];
static void show(const char *name, int more) {
  printf("%s %d", name, more);
  for (int k = 0; k < 8; k++) printf(" %llx %llx", (long long)object[k], (long long)result[k]);
  puts("");
}
static void fill(void) { for (int k = 0; k < 8; k++) object[k] = next(), operand[k] = next(), result[k] = bits() % 2 ? object[k] : next(); }
int main(void) {
  for (int i = 0; i < 30; i++) {
#define F(name) fill(); name(object, operand, result); show(#name, 0);
    ALL
#undef F
#define F(name) fill(); if (i % 2) memcpy(result, object, 64); { int done = name(object, operand, result); show(#name, done); }
    F(cas_i128) F(cas_i256) F(cas_i512)
    float a[4] = {1.5f, i, -2, 0.25f}, b[4] = {i / 4.0f, 3, 1, 1};
    memset(object, 0, 64); memcpy(object, a, 16); memcpy(operand, b, 16);
    fadd_v4(object, operand, result);
    show("fadd_v4", 0);
  }
}
