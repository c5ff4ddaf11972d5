#include <stddef.h>
struct node { int value; struct node *next; };
union both { int i; float f; };
enum kind { A, B, C };
int counter = 3;
static inline int twice(int x) { int y = x * 2; counter += y; return y; }
static inline int four(int x) { return twice(x) + twice(x + 1); }
int sum(struct node *n, enum kind k, union both w) {
  int total = 0;
  for (struct node *p = n; p; p = p->next) {
    int v = four(p->value);
    total += v;
  }
  return total + k + w.i;
}
double scale(double *v, size_t n, double by) {
  double s = 0;
  for (size_t i = 0; i < n; i++) { double t = v[i] * by; s += t; }
  return s;
}
