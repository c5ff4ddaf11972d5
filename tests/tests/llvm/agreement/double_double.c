#include <stdio.h>
typedef struct { double high, low; } Number;
Number pick(Number, int, Number, Number *);
long place(void);
Number its_acos(Number) __asm__("acosl"), its_pow(Number, Number) __asm__("powl");
Number its_acos(Number a) { return (Number){a.low + 1, a.high - 2}; }
Number its_pow(Number a, Number b) { return (Number){a.high * 3 + b.low, a.low - b.high}; }
int main(void) {
  printf("%ld\n", place());
  Number at = {0.5, 0.25};
  for (int i = -50; i < 50; i++) {
    Number a = {i * 1.5, i + 0.125}, b = {i - 7.5, i * i};
    Number r = pick(a, i * 77, b, &at);
    printf("%a %a %a %a\n", r.high, r.low, at.high, at.low);
  }
}
