/* Where a program begins whose C library is that of the loader for 32-bit ARM, whose data it cannot import. */
void *stdin, *stdout, *stderr;
void *stream(int);
void __getmainargs(int *, char ***, char ***, int, int *);
int main(int, char **);
void exit(int);

void start(void) {
    int count, mode = 0;
    char **arguments, **environment;
    stdin = stream(0);
    stdout = stream(1);
    stderr = stream(2);
    __getmainargs(&count, &arguments, &environment, 0, &mode);
    exit(main(count, arguments));
}
