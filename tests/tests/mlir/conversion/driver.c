// Calls two versions of functions with the same arguments and memory, and compares what comes back and what they have stored.
// The tables follow after: `functions`, and `count` of them.
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLOT = 1024, SLOTS = 64, BUFFER = 16384, MIDDLE = 4096, BUFFERS = 24, HEAP = 1 << 20, ROUNDS = 8 };

// `i` an integer, `x` a small one, letters of floats, `p` a pointer to memory, `m` one to a memref's elements, `u` one to a
// descriptor of rank two, `=` this value.
struct leaf { unsigned offset; char kind; unsigned short bits, buffer; char element; unsigned short width; long value; };
struct function {
    const char *name;
    void (*call)(void *, void *, void *);
    void *ours, *theirs;
    const struct leaf *args; int arg_count;
    const struct leaf *result; int result_count;
    int rough;
};

static _Alignas(64) char arguments[SLOT * SLOTS], result[SLOT], buffers[BUFFERS][BUFFER], heap[HEAP];
_Alignas(64) char there[4096];
static unsigned long heap_used, sum, seed;
static sigjmp_buf out;

static unsigned long draw(void) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    return seed >> 29;
}

void told(long word) { sum = sum * 31 + word; }

void *test_malloc(unsigned long size) {
    void *at = heap + heap_used;
    if (size > HEAP - heap_used) siglongjmp(out, SIGSEGV);
    heap_used = (heap_used + size + 63) / 64 * 64;
    return at;
}
void *test_aligned_alloc(unsigned long align, unsigned long size) {
    heap_used = (heap_used + align - 1) / align * align;
    return test_malloc(size);
}
void test_free(void *at) { told((char *)at >= heap && (char *)at < heap + HEAP ? (char *)at - heap : -2); }
void test_abort(void) { siglongjmp(out, SIGABRT); }
int test_puts(const char *text) { told(strlen(text)); return 0; }
int test_printf(const char *text, ...) { told(strlen(text)); return 0; }
void *_mlir_memref_to_llvm_alloc(unsigned long n) { return test_malloc(n); }
void *_mlir_memref_to_llvm_aligned_alloc(unsigned long a, unsigned long n) { return test_aligned_alloc(a, n); }
void _mlir_memref_to_llvm_free(void *p) { test_free(p); }

struct memref { char *allocated, *aligned; long offset, sizes[]; };
struct unranked { long rank; struct memref *at; };
static void copy(long rank, long size, const long *sizes, char *from, const long *by, char *to, const long *step) {
    if (rank == 0) { memcpy(to, from, size); return; }
    for (long i = 0; i < *sizes; i++)
        copy(rank - 1, size, sizes + 1, from + i * *by * size, by + 1, to + i * *step * size, step + 1);
}
void memrefCopy(long size, struct unranked *from, struct unranked *to) {
    struct memref *a = from->at, *b = to->at;
    long r = from->rank;
    copy(r, size, a->sizes, a->aligned + a->offset * size, a->sizes + r, b->aligned + b->offset * size, b->sizes + r);
}

// Older libraries of compilers do not have it.
__bf16 __truncsfbf2(float f) {
    unsigned word;
    memcpy(&word, &f, 4);
    unsigned short high = f != f ? 0x7fc0 : (word + 0x7fff + (word >> 16 & 1)) >> 16;
    __bf16 b;
    memcpy(&b, &high, 2);
    return b;
}

static void fill_integer(char *at, unsigned bits, int round) {
    unsigned char bytes[512] = {0};
    unsigned long n = (bits + 7) / 8;
    long small = round == 0 ? 1 + draw() % 4 : round % 3 == 1 ? (long)(draw() % 17) - 8 : 0;
    if (small && bits <= 64) memcpy(bytes, &small, n);
    else for (unsigned i = 0; i < n; i++) bytes[i] = draw();
    if (bits % 8) bytes[n - 1] &= (1 << bits % 8) - 1;
    memcpy(at, bytes, n);
}

static void fill(char *at, char kind, unsigned bits, int round) {
    double d = ((long)(draw() % 65) - 32) / 4.0;
    float f = d;
    unsigned word;
    memcpy(&word, &f, 4);
    unsigned short b = word >> 16;
    _Float16 h = d;
    long double e = d;
    __float128 q = d;
    long x = round == 0 ? 1 : 1 + draw() % 4;
    switch (kind) {
    case 'x': memcpy(at, &x, 8); break;
    case 'h': memcpy(at, &h, 2); break;
    case 'b': memcpy(at, &b, 2); break;
    case 'f': memcpy(at, &f, 4); break;
    case 'd': memcpy(at, &d, 8); break;
    case 'e': memcpy(at, &e, 10); break;
    case 'q': memcpy(at, &q, 16); break;
    default: fill_integer(at, bits, round);
    }
}

static void prepare(const struct function *f, int round) {
    seed = 12345 + round;
    sum = heap_used = 0;
    memset(heap, 0x11, sizeof heap);
    memset(result, 0, sizeof result);
    memset(there, 0x22, sizeof there);
    memset(arguments, 0, sizeof arguments);
    for (int k = 0; k < f->arg_count; k++) {
        const struct leaf *l = &f->args[k];
        char *at = arguments + l->offset, *own = buffers[l->buffer % BUFFERS], *middle = own + MIDDLE;
        switch (l->kind) {
        case 'p':
            // Pointers may be there, to the same memory, or numbers.
            for (long i = 0; i < BUFFER; i += 8) {
                long word = round % 2 ? (long)(draw() % 5) * 0x100000001 : (long)middle;
                memcpy(own + i, &word, 8);
            }
            memcpy(at, &middle, 8);
            break;
        case 'm':
            for (long i = 0; i + l->width / 8 <= BUFFER; i += (l->width + 7) / 8) fill(own + i, l->element, l->width, round);
            memcpy(at, &middle, 8);
            break;
        case 'u': {
            long words[] = {(long)middle, (long)middle, 0, 7, 7, 7, 1};
            char *low = own + 64;
            for (long i = 0; i < BUFFER; i += 4) fill(own + i, l->element, l->width > 32 ? 32 : l->width, round);
            memcpy(low, words, sizeof words);
            memcpy(at, &low, 8);
            break;
        }
        case '=': memcpy(at, &l->value, 8); break;
        default: fill(at, l->kind, l->bits, round);
        }
    }
}

static void stopped(int signal) { siglongjmp(out, signal); }

static int run(const struct function *f, void *version, int round) {
    prepare(f, round);
    struct itimerval limit = {{0, 0}, {0, 300000}};
    setitimer(ITIMER_REAL, &limit, 0);
    int signal = sigsetjmp(out, 1);
    if (signal == 0) f->call(version, arguments, result);
    limit.it_value.tv_usec = 0;
    setitimer(ITIMER_REAL, &limit, 0);
    return signal;
}

static int inside(const char *p) {
    const char *from[] = {heap, buffers[0], there}, *end[] = {heap + HEAP, buffers[BUFFERS], there + sizeof there};
    for (int k = 0; k < 3; k++)
        if (p >= from[k] && p < end[k]) return 1;
    return 0;
}

static double number(const char *at, char kind) {
    double d = 0; float f; _Float16 h; long double e = 0; __float128 q; unsigned short b; unsigned word;
    switch (kind) {
    case 'h': memcpy(&h, at, 2); return h;
    case 'b': memcpy(&b, at, 2); word = b << 16; memcpy(&f, &word, 4); return f;
    case 'f': memcpy(&f, at, 4); return f;
    case 'd': memcpy(&d, at, 8); return d;
    case 'e': memcpy(&e, at, 10); return e;
    default: memcpy(&q, at, 16); return q;
    }
}

static int same(const char *a, const char *b, char kind, unsigned bits, int rough) {
    unsigned bytes = (bits + 7) / 8;
    if (memcmp(a, b, bytes) == 0) return 1;
    if (kind == 'p') {
        const char *p, *q;
        memcpy(&p, a, 8), memcpy(&q, b, 8);
        return !inside(p) && !inside(q);
    }
    if (kind == 'i' || kind == 'x') return 0;
    double x = number(a, kind), y = number(b, kind);
    if (x != x && y != y) return 1;
    double distance = x > y ? x - y : y - x, size = x < 0 ? -x : x;
    return rough && distance <= (kind == 'd' ? 1e-12 : kind == 'f' ? 1e-5 : 1e-2) * (size > 1 ? size : 1);
}

static char result_of_theirs[SLOT], buffers_of_theirs[BUFFERS][BUFFER], heap_of_theirs[HEAP], there_of_theirs[4096];

// What differs after a call, or null. MLIR's tools leave out memory that nobody uses: what is in the rest is not compared then.
static const char *difference(const struct function *f, int same_heap) {
    for (int k = 0; k < f->result_count; k++) {
        const struct leaf *l = &f->result[k];
        if (!same(result + l->offset, result_of_theirs + l->offset, l->kind, l->bits, f->rough)) return "the result";
    }
    for (int k = 0; k < f->arg_count; k++) {
        const struct leaf *l = &f->args[k];
        const char *a = buffers[l->buffer], *b = buffers_of_theirs[l->buffer];
        unsigned width = l->kind == 'm' ? (l->width + 7) / 8 : 8;
        if (l->kind != 'm' && l->kind != 'p' && l->kind != 'u') continue;
        for (long i = 0; i + width <= BUFFER; i += width)
            if (!same(a + i, b + i, l->kind == 'm' ? l->element : 'i', 8 * width, f->rough)) return "memory";
    }
    for (long i = 0; same_heap && i < HEAP; i += 8) {
        if (memcmp(heap + i, heap_of_theirs + i, 8) == 0) continue;
        int floats = same(heap + i, heap_of_theirs + i, 'f', 32, f->rough) && same(heap + i + 4, heap_of_theirs + i + 4, 'f', 32, f->rough);
        if (!floats && !same(heap + i, heap_of_theirs + i, 'd', 64, f->rough) && !same(heap + i, heap_of_theirs + i, 'p', 64, 0)) return "what was allocated";
    }
    return memcmp(there, there_of_theirs, sizeof there) ? "what calls gave" : 0;
}

static void judge(const struct function *f) {
    int compared = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int theirs = run(f, f->theirs, round);
        if (theirs != 0 && theirs != SIGABRT) continue;
        memcpy(result_of_theirs, result, sizeof result);
        memcpy(buffers_of_theirs, buffers, sizeof buffers);
        memcpy(heap_of_theirs, heap, sizeof heap);
        memcpy(there_of_theirs, there, sizeof there);
        unsigned long used = heap_used, said = sum;
        int ours = run(f, f->ours, round);
        const char *what = ours != theirs ? "how it ends" : used > heap_used ? "how much is allocated" : difference(f, used == heap_used);
        if (!what && said != sum) what = "calls";
        if (what) {
            printf("%s\tdiffers in %s, round %d\n", f->name, what, round);
            return;
        }
        compared++;
    }
    if (compared) printf("%s\tsame\n", f->name);
    else printf("%s\thas no meaning with these arguments\n", f->name);
}

extern const struct function functions[];
extern const int count;

int main(void) {
    static char stack[1 << 16];
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternative, 0);
    struct sigaction action = {.sa_handler = stopped, .sa_flags = SA_ONSTACK | SA_NODEFER};
    int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGALRM, SIGABRT};
    for (int k = 0; k < 7; k++) sigaction(signals[k], &action, 0);
    for (int k = 0; k < count; k++) {
        fflush(stdout);
        int child = fork(), status = 0;
        if (child == 0) {
            judge(&functions[k]);
            fflush(stdout);
            _exit(0);
        }
        waitpid(child, &status, 0);
        if (status) printf("%s\tends the process\n", functions[k].name);
    }
    return 0;
}
