#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef uint32_t Narrow;
typedef uint64_t Wide;
int deref(Narrow, Narrow, Wide, int);
int64_t widen(Narrow, Narrow);
Narrow narrow(Wide, int64_t);
Wide step(Wide, int, short);
void keep(Narrow, Narrow, Wide, void *), lanes(Narrow *, int, Narrow *);
extern int64_t sizes[3];
extern unsigned char kept[];
static uint64_t state = 88172645463325252ull;
static uint64_t next(void) { state ^= state << 13; state ^= state >> 7; return state ^= state << 17; }
static int data[64];
int main(void) {
  printf("%d %d %d\n", (int)sizes[0], (int)sizes[1], (int)sizes[2]);
  for (int i = 0; i < 200; i++) {
    for (int k = 0; k < 64; k++) data[k] = next();
    Narrow at = (Narrow)(uintptr_t)(data + 8);
    printf("%d ", deref(at, at + 32, (Wide)at + 64, next() % 6));
    printf("%d %d ", data[16], data[8]);
    printf("%llx %x ", (long long)widen(next(), next()), narrow(i % 7 ? next() : 0, next()));
    printf("%llx ", (long long)step(next(), next() % 100000, next()));
    keep(next(), next(), next(), (void *)(uintptr_t)next());
    for (int k = 0; k < sizes[1]; k++) printf("%02x", kept[k]);
    Narrow from[2] = {next(), next()}, to[2];
    lanes(from, (int)next(), to);
    printf(" %x %x\n", to[0], to[1]);
  }
}
