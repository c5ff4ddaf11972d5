// Calls two functions of a module with bytes and numbers of all kinds, and prints what they leave.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct memref {
  void *allocated, *aligned;
  intptr_t offset, size, stride;
};
void ONE(struct memref *, struct memref *);
void TWO(struct memref *, struct memref *);

static uint32_t state = 1;
static uint32_t next(void) { return state = state * 1664525u + 1013904223u; }

int main(void) {
  for (int round = 0; round < 200; round++) {
    union {
      uint32_t words[8];
      float floats[8];
      unsigned char bytes[32];
    } a, b;
    for (int i = 0; i < 8; i++) {
#if FLOATS
      a.floats[i] = (float)(next() >> 8) / (float)(1 << (next() >> 28)) + 0.5f;
      b.floats[i] = (float)(int32_t)next() / (float)(1 << (next() >> 28));
#else
      a.words[i] = next() ^ next() >> 16, b.words[i] = next() ^ next() >> 16;
#endif
    }
    struct memref x = {&a, &a, 0, FLOATS ? 8 : 16, 1}, y = {&b, &b, 0, FLOATS ? 8 : 16, 1};
    TWO(&x, &y);
    for (int i = 0; i < 8; i++) printf("%08x ", b.words[i]);
    ONE(&x, &y);
    for (int i = 0; i < 8; i++) printf("%08x%c", b.words[i], i == 7 ? '\n' : ' ');
  }
}
