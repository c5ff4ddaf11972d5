int printf(const char *, ...);
enum color { RED, GREEN = 5 };
struct point { int x, y; double d[2]; unsigned bits : 3; signed more : 5; };
union both { float f; int i; };
static int counter = 7;
_Thread_local int own = 9;
static int sum(int n, struct point *p, struct point q) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    int twice = i * p->x;
    s += twice + counter;
  }
  int lengths[n];
  for (int i = 0; i < n; i++)
    lengths[i] = q.y * i;
  union both u = {1.5f};
  enum color c = GREEN;
  _Complex double z = 1.0 + 2.0i;
  int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
  int (*f)(const char *, ...) = printf;
  const char *text = "text";
  s += lengths[n - 1] + own + (int)u.f + (int)c + (int)__real__ z;
  return s;
}
int main(int argc, char **argv) {
  struct point p = {3, 4, {1.5, 2.5}, 5, -3};
  int r = sum(argc + 4, &p, p);
  printf("%d\n", r);
  return 0;
}
