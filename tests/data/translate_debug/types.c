#include <stdlib.h>
struct node { int v:3; unsigned w:7; struct node *next; union { int i; float f; } u; enum { A, B=5 } e; };
typedef struct node node_t;
static int counter = 3;
const char *names[4] = {"a","b"};
int grid[3][5];
static inline int sq(int x) { int y = x * x; return y + counter; }
int walk(node_t *n, int (*cb)(int, ...)) {
  int sum = 0;
  for (node_t *p = n; p; p = p->next) { int t = sq(p->v); if (t > 3) goto out; sum += cb(t); counter++; }
out:
  { static int calls; calls++; }
  return sum;
}
int vla(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = i; return a[n-1]; }
int main(void) { node_t *n = malloc(sizeof *n); n->next = 0; n->v = 2; return walk(n, 0) + vla(3); }
