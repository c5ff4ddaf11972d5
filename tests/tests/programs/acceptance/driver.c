/* Calls the functions that a table lists with many arguments, and prints what came of each call. The same for every compiler's
   object: what it prints is what is compared. Linked with the side module (see `side.rs`), which has the table. */

#define _GNU_SOURCE
#include <fenv.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLOT = 256, ARGS = 32, RESULTS = 8, ROUNDS = 96, REGION = 4096, REGIONS = 10, CRASHES = 3 };

#if defined __aarch64__ || defined __arm__
#define EMULATED 1
#else
#define EMULATED 0
#endif

typedef void wrapper(void *in, void *out);

enum { BIG = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

/* A value's shape: `kind`, bits of a lane, lanes. */
struct shape { uint8_t kind, bits, lanes; };
struct global { uint8_t *start; uint64_t size; uint64_t fill; };

/* The side module's: functions, by number; their shapes; globals; whether anything outside is called. */
extern wrapper *const side_functions[];
extern const uint8_t *const side_shapes[];
extern const struct global side_globals[];
extern const uint32_t side_function_count, side_global_count, side_stubs;

/* What came of a call. */
struct outcome {
    int done;
    uint32_t registers, x87;
    uint64_t buffers[3], globals[3], log, calls;
    uint8_t result[RESULTS * SLOT];
};

static uint8_t *const scratch = (uint8_t *)0x20000000;
static struct outcome *outcomes;
static uint64_t state;
static int rounds = 24, round_now, round_kind;
static uint64_t log_hash, log_calls;

static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t next(void) {
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t integer(unsigned bits) {
    static const uint64_t corners[] = { 0, 1, 2, 3, -1, -2, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256, 32767, 32768, 65535,
        0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000 };
    switch (round_kind) {
    case 0: return 0;
    case 1: return 1;
    case 2: return -1;
    case 3: return bits < 3 ? next() % 2 : 1 + next() % (bits < 8 ? bits - 1 : 7);
    case 4: return corners[next() % (sizeof corners / sizeof *corners)];
    default: return next() >> next() % 64;
    }
}

static double number(void) {
    static const double corners[] = { 0.0, -0.0, 1, -1, 0.5, 1.5, 2, 3, -2.5, 127, 255, 256, 32768, 65535, 2147483647, 2147483648,
        -2147483648.0, 4294967295.0, 9223372036854775808.0, 1e-310, 1e-40, 1e300, 3.4e38, __builtin_inf(), -__builtin_inf(), __builtin_nan("") };
    switch (round_kind) {
    case 0: return 0;
    case 1: return 1;
    case 2: return -1;
    case 3: return (double)(1 + next() % 200) / 4;
    case 4: return corners[next() % (sizeof corners / sizeof *corners)];
    default: return (double)(int64_t)next() / (double)(1ull << next() % 64);
    }
}

static void put(uint8_t *to, const void *from, unsigned size) { memcpy(to, from, size); }

/* The low bytes of a number, at most eight, and back. */
static void put_low(uint8_t *to, uint64_t word, unsigned size) { memcpy(to, (uint8_t *)&word + (BIG ? 8 - size : 0), size); }

static uint64_t get_low(const uint8_t *from, unsigned size) {
    uint64_t word = 0;
    memcpy((uint8_t *)&word + (BIG ? 8 - size : 0), from, size);
    return word;
}

static unsigned lane_bytes(const struct shape *s) {
    switch (s->kind) {
    case 'p': return sizeof(void *);
    case 'x': return 16;
    default: return s->bits <= 8 ? 1 : s->bits <= 16 ? 2 : s->bits <= 32 ? 4 : s->bits <= 64 ? 8 : 16;
    }
}

/* A random value in its form in memory: integers in whole bytes, `x86_fp80` as a double. */
static void make(const struct shape *s, uint8_t *to, unsigned pointer) {
    for (unsigned lane = 0; lane < s->lanes; lane++, to += s->kind == 'x' ? 8 : lane_bytes(s)) {
        uint64_t word = next();
        double d = number();
        float f = (float)d;
        switch (s->kind) {
        case 'p': { uintptr_t at = (uintptr_t)scratch + REGION * ((pointer + lane) % REGIONS) + REGION / 2; put(to, &at, sizeof at); break; }
        case 'd': case 'x': if (round_kind == 5 && s->kind == 'd') put(to, &word, 8); else put(to, &d, 8); break;
        case 'f': if (round_kind == 5) put(to, &word, 4); else put(to, &f, 4); break;
        case 'b': put(to, (uint8_t *)&f + (BIG ? 0 : 2), 2); break;
        case 'h': { _Float16 h = (_Float16)f; put(to, &h, 2); break; }
        case 'q': { uint64_t low = next() << 8, high = 0x3ffful << 48 ^ (word & 1) << 63 ^ (word >> 1 & 7) << 48; put(to + 8 * BIG, &low, 8), put(to + 8 * !BIG, &high, 8); break; }
        default: {
            uint64_t low = integer(s->bits);
            if (lane_bytes(s) <= 8) put_low(to, low, lane_bytes(s));
            else {
                put(to + 8 * BIG, &low, 8);
                uint64_t high = round_kind == 2 ? -1 : round_kind < 4 || next() % 2 ? 0 : integer(64);
                put(to + 8 * !BIG, &high, 8);
            }
        }
        }
    }
}

/* NaNs of a value become one NaN. */
static void settle(const struct shape *s, uint8_t *at) {
    unsigned size = lane_bytes(s);
    for (unsigned lane = 0; lane < s->lanes; lane++, at += size) {
        uint64_t low = size == 16 ? get_low(at + 8 * BIG, 8) : get_low(at, size), high = size == 16 ? get_low(at + 8 * !BIG, 8) : 0;
        int nan = 0;
        switch (s->kind) {
        case 'd': nan = (low << 1) > 0x7ffull << 53; break;
        case 'f': nan = (uint32_t)(low << 1) > 0xff000000u; break;
        case 'h': nan = (uint16_t)(low << 1) > 0xf800u; break;
        case 'b': nan = (uint16_t)(low << 1) > 0xff00u; break;
        case 'q': nan = (high << 1) > 0x7fffull << 49 || (high << 1) == 0x7fffull << 49 && low; break;
        case 'x': nan = (high & 0x7fff) == 0x7fff && low << 1; break;
        }
        if (nan) memset(at, 0xee, s->kind == 'x' ? 10 : size);
    }
}

/* Three hashes of memory: as it is, with the NaNs of `float`s as one, with those of `double`s as one. */
static void hash(uint64_t h[3], const uint8_t *at, uint64_t size) {
    for (; size >= 8; at += 8, size -= 8) {
        uint64_t v, f, d;
        memcpy(&v, at, 8);
        f = d = v;
        if ((uint32_t)(f << 1) > 0xff000000u) f = f >> 32 << 32 | 0xeeeeeeee;
        if ((uint32_t)(f >> 31 & ~1u) > 0xff000000u) f = (uint32_t)f | 0xeeeeeeeeull << 32;
        if ((d << 1) > 0x7ffull << 53) d = 0xeeeeeeee;
        h[0] = mix(h[0], v), h[1] = mix(h[1], f), h[2] = mix(h[2], d);
    }
    for (; size; at++, size--) for (int k = 0; k < 3; k++) h[k] = mix(h[k], *at);
}

static void fill(uint8_t *at, uint64_t size, int pointers) {
    for (uint64_t k = 0; k + 4 <= size; k += 4) {
        uint32_t word = (uint32_t)integer(32);
        float f = (float)number();
        if (round_now % 4 == 1) memcpy(&word, &f, 4);
        memcpy(at + k, &word, 4);
        if (round_now % 4 == 2 && k + 8 <= size) {
            double d = number();
            memcpy(at + k, &d, 8);
            k += 4;
        }
        if (pointers || round_now % 8 == 7) {
            uintptr_t inside = (uintptr_t)scratch + 64 * (next() % (REGION * REGIONS / 128)) + REGION;
            if (sizeof inside == 8 && k + 8 <= size) memcpy(at + k, &inside, 8), k += 4;
            else if (sizeof inside == 4) memcpy(at + k, &inside, 4);
        }
    }
}

/* For the functions that stand for what is outside: notes an argument, makes a result. */
void side_note(const uint8_t *value, uint32_t kind, uint32_t bits, uint32_t lanes) {
    struct shape s = { (uint8_t)kind, (uint8_t)bits, (uint8_t)lanes };
    uint8_t copy[SLOT] = { 0 };
    unsigned size = lane_bytes(&s) * s.lanes;
    memcpy(copy, value, size);
    settle(&s, copy);
    if (s.kind == 'p') {
        /* Other addresses are not the same everywhere. */
        uintptr_t at;
        memcpy(&at, copy, sizeof at);
        log_hash = mix(log_hash, at - (uintptr_t)scratch < REGION * REGIONS ? at : 1);
    } else for (unsigned k = 0; k < size; k++) log_hash = mix(log_hash, copy[k]);
}

void side_result(uint8_t *value, uint32_t kind, uint32_t bits, uint32_t lanes, uint32_t number) {
    struct shape s = { (uint8_t)kind, (uint8_t)bits, (uint8_t)lanes };
    log_hash = mix(log_hash, number);
    if (++log_calls > 2000) _exit(99);
    uint64_t kept = state;
    int was = round_kind;
    state = mix(number, log_calls);
    round_kind = 3;
    make(&s, value, 5);
    state = kept;
    round_kind = was;
}

/* Calls with patterns in the registers that are kept; which of them were not. */
#ifdef __x86_64__
__asm__(
    ".text\n.globl checked\nchecked:\n"
    "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\nsub $24, %rsp\n"
    "mov %rdi, %rax\nmov %rsi, %rdi\nmov %rdx, %rsi\nmov %rsp, kept_sp(%rip)\n"
    "mov $0x11111111, %ebx\nmov $0x22222222, %ebp\nmov $0x33333333, %r12d\nmov $0x44444444, %r13d\nmov $0x55555555, %r14d\nmov $0x66666666, %r15d\n"
    "call *%rax\nxor %eax, %eax\n"
    "cmp $0x11111111, %rbx\nje 1f\nor $1, %eax\n1: cmp $0x22222222, %rbp\nje 1f\nor $2, %eax\n1: cmp $0x33333333, %r12\nje 1f\nor $4, %eax\n"
    "1: cmp $0x44444444, %r13\nje 1f\nor $8, %eax\n1: cmp $0x55555555, %r14\nje 1f\nor $16, %eax\n1: cmp $0x66666666, %r15\nje 1f\nor $32, %eax\n"
    "1: cmp kept_sp(%rip), %rsp\nje 1f\nor $64, %eax\nmov kept_sp(%rip), %rsp\n1: cld\n"
    "add $24, %rsp\npop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
    ".bss\n.balign 8\nkept_sp: .skip 8\n.text\n");
#elif defined __aarch64__
__asm__(
    ".text\n.globl checked\nchecked:\n"
    "stp x29, x30, [sp, #-112]!\nstp x19, x20, [sp, #16]\nstp x21, x22, [sp, #32]\nstp x23, x28, [sp, #48]\n"
    "stp d8, d9, [sp, #64]\nstp d14, d15, [sp, #80]\n"
    "mov x9, x0\nmov x0, x1\nmov x1, x2\nadrp x10, kept_sp\nmov x11, sp\nstr x11, [x10, :lo12:kept_sp]\n"
    "mov x19, #0x1111\nmov x20, #0x2222\nmov x21, #0x3333\nmov x22, #0x4444\nmov x23, #0x5555\nmov x28, #0x6666\nmov x29, #0x7777\n"
    "fmov d8, x19\nfmov d9, x20\nfmov d14, x21\nfmov d15, x22\nblr x9\nmov w0, #0\n"
    ".macro kept reg, value, bit\nmov x9, #\\value\ncmp \\reg, x9\nb.eq 1f\norr w0, w0, #\\bit\n1:\n.endm\n"
    "kept x19, 0x1111, 1\nkept x20, 0x2222, 2\nkept x21, 0x3333, 4\nkept x22, 0x4444, 8\nkept x23, 0x5555, 16\nkept x28, 0x6666, 32\n"
    "kept x29, 0x7777, 64\nfmov x10, d8\nkept x10, 0x1111, 128\nfmov x10, d9\nkept x10, 0x2222, 256\n"
    "fmov x10, d14\nkept x10, 0x3333, 512\nfmov x10, d15\nkept x10, 0x4444, 1024\n"
    "adrp x10, kept_sp\nldr x11, [x10, :lo12:kept_sp]\nmov x10, sp\ncmp x10, x11\nb.eq 1f\norr w0, w0, #2048\nmov sp, x11\n1:\n"
    "ldp d14, d15, [sp, #80]\nldp d8, d9, [sp, #64]\nldp x23, x28, [sp, #48]\nldp x21, x22, [sp, #32]\nldp x19, x20, [sp, #16]\n"
    "ldp x29, x30, [sp], #112\nret\n"
    ".bss\n.balign 8\nkept_sp: .skip 8\n.text\n");
#elif defined __arm__
__asm__(
    ".text\n.syntax unified\n.arm\n.globl checked\n.type checked, %function\nchecked:\n"
    "push {r4-r11, lr}\nvpush {d8-d15}\nsub sp, #4\n"
    "mov r12, r0\nmov r0, r1\nmov r1, r2\nmovw r3, :lower16:kept_sp\nmovt r3, :upper16:kept_sp\nstr sp, [r3]\n"
    "movw r4, #0x1111\nmovw r5, #0x2222\nmovw r6, #0x3333\nmovw r7, #0x4444\nmovw r8, #0x5555\nmovw r10, #0x6666\nmovw r11, #0x7777\n"
    "vmov d8, r4, r5\nvmov d15, r6, r7\nblx r12\nmov r0, #0\n"
    ".macro kept reg, value, bit\nmovw r3, #\\value\ncmp \\reg, r3\norrne r0, r0, #\\bit\n.endm\n"
    "kept r4, 0x1111, 1\nkept r5, 0x2222, 2\nkept r6, 0x3333, 4\nkept r7, 0x4444, 8\nkept r8, 0x5555, 16\nkept r10, 0x6666, 32\n"
    "kept r11, 0x7777, 64\nvmov r1, r2, d8\nkept r1, 0x1111, 128\nkept r2, 0x2222, 256\nvmov r1, r2, d15\nkept r1, 0x3333, 512\nkept r2, 0x4444, 1024\n"
    "movw r3, :lower16:kept_sp\nmovt r3, :upper16:kept_sp\nldr r3, [r3]\ncmp sp, r3\norrne r0, r0, #2048\nmov sp, r3\n"
    "add sp, #4\nvpop {d8-d15}\npop {r4-r11, pc}\n"
    ".bss\n.balign 8\nkept_sp: .skip 8\n.text\n");
#else
__asm__(
    ".text\n.globl checked\nchecked:\n"
    "push %ebp\npush %ebx\npush %esi\npush %edi\nsub $12, %esp\n"
    "mov 32(%esp), %eax\nmov 36(%esp), %ecx\nmov 40(%esp), %edx\nmov %ecx, (%esp)\nmov %edx, 4(%esp)\nmov %esp, kept_sp\n"
    "mov $0x11111111, %ebx\nmov $0x22222222, %ebp\nmov $0x33333333, %esi\nmov $0x44444444, %edi\n"
    "call *%eax\nxor %eax, %eax\n"
    "cmp $0x11111111, %ebx\nje 1f\nor $1, %eax\n1: cmp $0x22222222, %ebp\nje 1f\nor $2, %eax\n1: cmp $0x33333333, %esi\nje 1f\nor $4, %eax\n"
    "1: cmp $0x44444444, %edi\nje 1f\nor $8, %eax\n"
    "1: cmp kept_sp, %esp\nje 1f\nor $64, %eax\nmov kept_sp, %esp\n1: cld\n"
    "add $12, %esp\npop %edi\npop %esi\npop %ebx\npop %ebp\nret\n"
    ".bss\n.balign 8\nkept_sp: .skip 8\n.text\n");
#endif
uint32_t checked(wrapper *function, void *in, void *out);

static uint8_t in[ARGS * SLOT] __attribute__((aligned(64))), out[RESULTS * SLOT] __attribute__((aligned(64)));
/* Globals as they were, and what the scratch memory is in each round. */
static uint8_t *kept, *images;

static const struct shape *shapes(uint32_t function, unsigned *args, unsigned *results) {
    const uint8_t *at = side_shapes[function];
    *args = at[0], *results = at[1];
    return (const struct shape *)(at + 2);
}

static void start(int round, uint32_t number) {
    round_now = round;
    round_kind = round < 3 ? round : 3 + round % 3;
    state = mix(number, (uint64_t)round);
}

static void prepare(uint32_t function, int round) {
    unsigned args, results;
    const struct shape *s = shapes(function, &args, &results);
    start(round, function + 1);
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    memcpy(scratch, images + round * REGION * REGIONS, REGION * REGIONS);
    uint8_t *from = kept;
    for (uint32_t g = 0; g < side_global_count; g++) {
        const struct global *global = &side_globals[g];
        memcpy(global->start, from, global->size);
        from += global->size;
        if (global->fill) fill(global->start, global->size, global->fill == 2);
    }
    unsigned pointer = 0;
    for (unsigned k = 0; k < args; k++) make(&s[k], in + k * SLOT, s[k].kind == 'p' ? ++pointer : 0);
    log_hash = log_calls = 0;
}

static void child(uint32_t function, int first) {
    unsigned args, results;
    const struct shape *s = shapes(function, &args, &results);
    for (int round = first; round < rounds; round++) {
        struct outcome *o = &outcomes[round];
        o->done = 1;
        prepare(function, round);
        /* An emulator takes its time. */
        struct itimerval limit = { { 0, 0 }, { 0, EMULATED ? 250000 : 60000 } };
        setitimer(ITIMER_PROF, &limit, 0);
        alarm(10);
        fesetenv(FE_DFL_ENV);
        o->registers = checked(side_functions[function], in, out);
#if !EMULATED
        uint16_t environment[14];
        __asm__ volatile("fnstenv %0\nemms" : "=m"(environment));
        o->x87 = environment[4];
#endif
        for (unsigned k = 0; k < results; k++) {
            settle(&s[args + k], out + k * SLOT);
            memcpy(o->result + k * SLOT, out + k * SLOT, SLOT);
        }
        hash(o->buffers, scratch, REGION * REGIONS);
        for (uint32_t g = 0; g < side_global_count; g++) hash(o->globals, side_globals[g].start, side_globals[g].size);
        o->log = log_hash;
        o->calls = log_calls;
        o->done = 2;
    }
    _exit(0);
}

static void hex(const uint8_t *at, unsigned size) {
    while (size--) printf("%02x", at[size]);
}

static void values(const struct shape *s, unsigned count, const uint8_t *at) {
    for (unsigned k = 0; k < count; k++, at += SLOT) {
        unsigned size = s[k].kind == 'x' ? 10 : lane_bytes(&s[k]);
        for (unsigned lane = 0; lane < s[k].lanes; lane++) {
            printf(lane ? "," : ":");
            hex(at + lane * lane_bytes(&s[k]), size);
        }
    }
}

int main(int argc, char **argv) {
    if (getenv("ROUNDS")) rounds = atoi(getenv("ROUNDS")) % ROUNDS;
    int shared = MAP_SHARED | MAP_ANONYMOUS;
    if (mmap(scratch - REGION, REGION * (REGIONS + 2), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) return 3;
    outcomes = mmap(0, ROUNDS * sizeof *outcomes, PROT_READ | PROT_WRITE, shared, -1, 0);
    uint64_t size = 1;
    for (uint32_t g = 0; g < side_global_count; g++) size += side_globals[g].size;
    uint8_t *to = kept = malloc(size);
    images = malloc(REGION * REGIONS * rounds);
    if (outcomes == MAP_FAILED || !kept || !images) return 3;
    for (int round = 0; round < rounds; round++) {
        start(round, 0);
        fill(images + round * REGION * REGIONS, REGION * REGIONS, 0);
    }
    for (uint32_t g = 0; g < side_global_count; to += side_globals[g++].size) memcpy(to, side_globals[g].start, side_globals[g].size);
    if (argc == 3) {
        /* What the arguments of one call are, and the call, for a debugger. */
        unsigned args, results;
        const struct shape *s = shapes(atoi(argv[1]), &args, &results);
        prepare(atoi(argv[1]), atoi(argv[2]));
        for (unsigned k = 0; k < args; k++) if (s[k].kind == 'x') memset(in + k * SLOT + 8, 0, 8);
        values(s, args, in);
        printf("\n");
        fflush(stdout);
        checked(side_functions[atoi(argv[1])], in, out);
        values(s + args, results, out);
        printf("\n");
        return 0;
    }
    for (uint32_t function = 0; function < side_function_count; function++) {
        memset(outcomes, 0, rounds * sizeof *outcomes);
        unsigned args, results;
        const struct shape *s = shapes(function, &args, &results);
        int crashes = 0;
        for (int round = 0; round < rounds && crashes < CRASHES;) {
            fflush(stdout);
            pid_t pid = fork();
            if (pid == 0) {
                int nowhere = open("/dev/null", O_RDWR);
                dup2(nowhere, 0), dup2(nowhere, 1), dup2(nowhere, 2);
                child(function, round);
            }
            int status = 0;
            waitpid(pid, &status, 0);
            int left = WIFSIGNALED(status) ? WTERMSIG(status) : 256 + WEXITSTATUS(status);
            for (; round < rounds && outcomes[round].done == 2; round++) {
                struct outcome *o = &outcomes[round];
                printf("%u %d ok ", function, round);
                values(s + args, results, o->result);
                printf(" %x %x", o->registers, o->x87);
                for (int k = 0; k < 3; k++) printf(" %llx", (unsigned long long)o->buffers[k]);
                for (int k = 0; k < 3; k++) printf(" %llx", (unsigned long long)o->globals[k]);
                printf(" %llx/%llu\n", (unsigned long long)o->log, (unsigned long long)o->calls);
            }
            if (round < rounds) {
                printf("%u %d %s%d\n", function, round, left == SIGPROF || left == SIGALRM ? "time" : "left", left);
                crashes++;
                round++;
            }
        }
    }
    return 0;
}
