/* What begins a program of Windows for AArch64, for which there is no library of MinGW's: the rest is Wine's `msvcrt.dll`. */

#include <stdlib.h>

int main(int, char **);
void __getmainargs(int *, char ***, char ***, int, int *);
char *__iob_func(void);
void _exit(int);

void start(void) {
    int count, how = 0;
    char **arguments, **environment;
    __getmainargs(&count, &arguments, &environment, 0, &how);
    exit(main(count, arguments));
}

/* The standard streams are an array there. */
void *__acrt_iob_func(unsigned which) { return __iob_func() + 48 * which; }

void _Exit(int code) { _exit(code); }

/* Rust's own libraries name it, and nothing unwinds. */
void _Unwind_Resume(void) { abort(); }
