/* What the two units share: one sets places to jump to, the other jumps. */
int printf(const char *, ...);
int fflush(void *);
#define NOINLINE __declspec(noinline)
#if defined(__i386__)
typedef int Place[16];
#else
typedef __declspec(align(16)) long long Place[64];
#endif
int _setjmp(Place) __attribute__((returns_twice));
__declspec(noreturn) void longjmp(Place, int);
extern int finals;

/* Jumps from so many frames on. */
int jump(Place place, int depth, int n);
/* The same over frames whose blocks of `__finally` count. */
int jump_over(Place place, int depth, int n);
/* Calls back with two numbers, the double by what it is. */
int calls(int (*back)(int, double, void *), int n, double d, void *p);
/* Has a place of its own, to which what it calls may jump. */
int places(int (*back)(int, double, void *), int n);
