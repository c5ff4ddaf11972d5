#include <setjmp.h>
#include <stdio.h>
#define IN_REGISTERS __attribute__((regparm(3)))
int leave(int, int, int, int, int, int, int) IN_REGISTERS, only(int, int, int, int, int, int) IN_REGISTERS;
static void *within;
static jmp_buf again;
static long got;
void look(void *cfa) { within = cfa; }
// It is entered as a function, with what the registers of exceptions hold, above the frame that is gone.
IN_REGISTERS void handler(int b, int c) { got = c * 3 + b; _longjmp(again, 1); }
int main(void) {
  for (volatile int i = 0; i < 100; i++) {
    char here;
    got = 0;
    if (!_setjmp(again)) leave(i * 77, i ^ 5, i * i, i % 3, 5, 6, 7);
    printf("%ld ", got);
    if (!_setjmp(again)) only(i, i * 9, 3, 4, 5, 6);
    long far = i % 3 ? (char *)within - &here : 0;
    printf("%ld %d\n", got, far < 512 && far > -512);
  }
}
