/* For the debugger: `reached` is called at the end of a chain of functions. */
void reached(int);

static volatile int state;

__attribute__((noinline)) int third(int a, int b, long *p) {
    char room[40];
    for (int i = 0; i < 40; i++) room[i] = (char)(a + i);
    reached(room[b & 31]);
    state += room[3];
    return (int)*p + room[a & 31];
}

__attribute__((noinline)) int second(int n) {
    long array[n + 4];
    for (int i = 0; i < n + 4; i++) array[i] = i * n;
    int r = third(n, n + 1, array + 2);
    state += r;
    return r + (int)array[n];
}

__attribute__((noinline)) int first(int a, int b, int c, int d, int e, int f, int g, int h) {
    int r = second(a + b) + state;
    return r + c + d + e + f + g + h;
}
