/* Headers for Microsoft's targets, whose own are not here: what the tests' programs use of `msvcrt.dll`. */
int printf(const char *, ...);
int fflush(void *);
/* All that is open, for `fflush`. */
#define stdout ((void *)0)
