/* A program for Windows without a C library: imports, COMDAT sections, weak symbols, aliases, constants. */
__declspec(dllimport) void *__stdcall GetStdHandle(unsigned);
__declspec(dllimport) int __stdcall WriteFile(void *, const void *, unsigned, unsigned *, void *);
__declspec(dllimport) void __stdcall ExitProcess(unsigned);

static char line[4096];
static unsigned used;

static void put(const char *name, long long value) {
    while (*name) line[used++] = *name++;
    line[used++] = ' ';
    unsigned start = used;
    unsigned v = (unsigned)value;
    do {
        line[used++] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    for (unsigned a = start, b = used - 1; a < b; a++, b--) {
        char t = line[a];
        line[a] = line[b];
        line[b] = t;
    }
    line[used++] = '\n';
}

int common_to_both;
__attribute__((selectany)) int selected = 7;
inline int in_line(int x) { return x * 3; }
extern int nowhere __attribute__((weak));
extern int other_file(int), other_variable;
extern int weak_here;
int weak_function(void);

__attribute__((noinline)) static double floating(double a, int n) {
    volatile char room[10000];
    room[n] = (char)n;
    return a * room[n] + 0.5;
}

#ifdef OTHER
int other_variable = 13;
int other_file(int x) { return in_line(x) + selected + common_to_both + weak_here + weak_function(); }
#else
int weak_here __attribute__((weak)) = 4;
__attribute__((weak)) int weak_function(void) { return 1; }
static int aliased(void) { return 11; }
int alias_of_it(void) __attribute__((alias("aliased")));
int (*pointer)(int) = in_line;

int start(void) {
    unsigned written;
    common_to_both = 5;
    put("selected", selected);
    put("in line", pointer(4));
    put("other", other_file(2));
    put("variable", other_variable);
    put("weak", weak_here + weak_function());
    put("nowhere", &nowhere ? 1 : 0);
    put("alias", alias_of_it());
    put("floating", (int)(floating(2.5, 40) * 2));
    WriteFile(GetStdHandle((unsigned)-11), line, used, &written, 0);
    ExitProcess(0);
    return 0;
}
#endif
