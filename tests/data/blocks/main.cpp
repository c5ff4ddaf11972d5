#include "objects.h"

extern "C" {
void *__stdcall GetStdHandle(unsigned);
int __stdcall WriteFile(void *, const void *, unsigned, unsigned *, void *);
void __stdcall ExitProcess(unsigned);
#if defined _MSC_VER && defined __i386__
int _fltused;
// Large frames are probed page by page: eax bytes are to be taken.
__declspec(naked) void _chkstk() {
    __asm__("push %ecx\n lea 8(%esp), %ecx\n 1: cmp $4096, %eax\n jb 2f\n sub $4096, %ecx\n testl %eax, (%ecx)\n"
            "sub $4096, %eax\n jmp 1b\n 2: sub %eax, %ecx\n testl %eax, (%ecx)\n mov %esp, %eax\n mov %ecx, %esp\n"
            "mov (%eax), %ecx\n mov 4(%eax), %eax\n jmp *%eax");
}
#endif
void *memcpy(void *to, const void *from, __SIZE_TYPE__ n) {
    for (__SIZE_TYPE__ i = 0; i < n; i++) ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}
void *memset(void *to, int c, __SIZE_TYPE__ n) {
    for (__SIZE_TYPE__ i = 0; i < n; i++) ((volatile char *)to)[i] = (char)c;
    return to;
}
}
void __cdecl operator delete(void *, __SIZE_TYPE__) {}

static const void *alive[1000];
static int values[1000], count, births, deaths, trace, wrong;

static void put(const char *text, int n) {
    char line[80];
    unsigned at = 0, written;
    while (*text) line[at++] = *text++;
    char digits[12];
    int k = 0;
    unsigned u = (unsigned)n;
    do digits[k++] = '0' + u % 10;
    while (u /= 10);
    while (k) line[at++] = digits[--k];
    line[at++] = '\n';
    WriteFile(GetStdHandle(-11), line, at, &written, 0);
}
static void wrongly(const char *what, int value) {
    if (wrong++ < 10) put(what, value);
}
static int find(const void *at) {
    for (int i = 0; i < count; i++)
        if (alive[i] == at) return i;
    return -1;
}
void note(int number) { trace = (trace ^ number) * 16777619; }
void born(const void *at, int value) {
    if (find(at) >= 0) wrongly("constructed where an object is: ", value);
    if (count == 1000) return wrongly("objects are never destroyed: ", value);
    alive[count] = at;
    values[count++] = value;
    births++;
    note(value);
}
void moved(const void *to, const void *from, int value) {
    if (find(from) < 0) wrongly("copied from where no object is: ", value);
    born(to, value);
}
void died(const void *at, int value) {
    int i = find(at);
    if (i < 0) return wrongly("destroyed where no object is: ", value);
    count--;
    alive[i] = alive[count];
    values[i] = values[count];
    deaths++;
    note(-value);
}
bool coin() {
    static unsigned state = 1;
    state = state * 1103515245 + 12345;
    return state >> 16 & 1;
}

extern "C" void start() {
    Derived derived;
    Base base(10);
    Other other;
    int before = (int)(long)__builtin_frame_address(0);
    put("one ", caller(&derived, &derived, 5));
    put("two ", caller(&base, &other, 200));
    put("left ", count);
    put("births ", births);
    put("deaths ", deaths);
    put("trace ", trace);
    put("wrong ", wrong);
    ExitProcess(before != (int)(long)__builtin_frame_address(0));
}
