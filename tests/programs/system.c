/* Instructions of the system whose results nobody else can foresee: what is known of them. */
#include <stdint.h>
#include <stdio.h>
#include <x86intrin.h>

__attribute__((noinline)) uint64_t flags(uint64_t kept) {
  volatile uint64_t near = kept;
  uint64_t bits = __builtin_ia32_readeflags_u64();
  return near == kept ? bits & 2 : 0;
}

int main(void) {
  unsigned processor;
  uint64_t first = __rdtscp(&processor), second = __rdtscp(&processor);
  __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | 1 << 10);
  uint64_t down = __builtin_ia32_readeflags_u64();
  __builtin_ia32_writeeflags_u64(down & ~(uint64_t)(1 << 10));
  printf("%d %d %d\n", second > first, (int)flags(7), (int)(down >> 10 & 1));
  return 0;
}
