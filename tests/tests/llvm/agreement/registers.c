#include <stdint.h>
#include <stdio.h>
#include <string.h>
intptr_t used(int);
_Bool framed(void);
void fill(char *p, int n) { memset(p, n, n); }
int main(void) {
  printf("%d\n", framed());
  for (int i = 1; i < 400; i += 7) printf("%d %d\n", used(i) >= i, used(i) < i + 64);
}
