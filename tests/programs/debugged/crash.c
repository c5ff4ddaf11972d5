__attribute__((noinline)) int crash(int *p, int n) {
  int local = n * 2;
  *p = local;
  return local;
}
int main(int argc, char **argv) { return crash((int *)0, argc + 4); }
