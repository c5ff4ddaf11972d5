/* What begins a program of MinGW's headers for AArch64, for which there is no library: the rest is Wine's `msvcrt.dll`. */
int main(int, char **);
void __getmainargs(int *, char ***, char ***, int, int *);
char *__iob_func(void);
void exit(int);

void __main(void) {}

/* The standard streams are an array there. */
void *__acrt_iob_func(unsigned which) { return __iob_func() + 48 * which; }

void start(void) {
    int count, how = 0;
    char **arguments, **environment;
    __getmainargs(&count, &arguments, &environment, 0, &how);
    exit(main(count, arguments));
}
