#include <stdio.h>
int plain(int, int, int), dynamic(int, int);
void jump(void);
static unsigned state = 1;
static int next(void) { state = state * 1103515245 + 12345; return (int)(state >> 4); }
static int deep(int n, int *v) {
  volatile int keep[4] = {n, n + 1, n + 2, n + 3};
  if (n <= 0) { *v += keep[1]; jump(); }
  return deep(n - 1, v) + keep[2];
}
void work(int x, int *v) { if (x % 3) printf("%d ", deep(x & 7, v)); }
void fill(int *p, int n) { for (int i = 0; i < n; i++) p[i] = 7 * i + n; }
int main(void) {
  register int a = next(), b = next();
  for (int i = 0; i < 200; i++) {
    int c = next(), d = next(), e = next();
    printf("%d %d %d\n", plain(c, d, e), dynamic(d, e), a ^ b);
  }
}
