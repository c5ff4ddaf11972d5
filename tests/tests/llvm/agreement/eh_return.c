#include <setjmp.h>
#include <stdio.h>
long leave(long, long, long, int, long, long, long, long), only(long, long, long, long, long, long, long, long);
static void *within;
static jmp_buf again;
static long got;
void look(void *cfa) { within = cfa; }
// It is entered as a function, with what the registers of exceptions hold, above the frame that is gone.
void handler(long a, long b, long c) { got = c * 3; _longjmp(again, 1); }
int main(void) {
  for (volatile int i = 0; i < 100; i++) {
    char here;
    got = 0;
    if (!_setjmp(again)) leave(i * 77, i ^ 5, i * i, i % 3, 5, 6, 7, 8);
    printf("%ld ", got);
    if (!_setjmp(again)) only(i, i + 1, i * 9, 4, 5, 6, 7, 8);
    long far = i % 3 ? (char *)within - &here : 0;
    printf("%ld %d\n", got, far < 512 && far > -512);
  }
}
