/* Uses the trampoline pool through its C interface: one test per run, named by the first argument. */

#include "gusset_runtime.h"
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#define THREAD(name) static DWORD WINAPI name(void *arg)
typedef HANDLE thread;
static void start(thread *t, LPTHREAD_START_ROUTINE f, void *arg) { *t = CreateThread(NULL, 0, f, arg, 0, NULL); }
static void join(thread t) { WaitForSingleObject(t, INFINITE); CloseHandle(t); }
static long add(long *to, long n) { return InterlockedExchangeAdd(to, n) + n; }
static void *executable(void) { return VirtualAlloc(NULL, 4096, MEM_COMMIT | MEM_RESERVE, PAGE_EXECUTE_READWRITE); }
#else
#include <errno.h>
#ifndef EMULATED
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#endif
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#define THREAD(name) static void *name(void *arg)
typedef pthread_t thread;
static void start(thread *t, void *(*f)(void *), void *arg) { pthread_create(t, NULL, f, arg); }
static void join(thread t) { pthread_join(t, NULL); }
static long add(long *to, long n) { return __atomic_add_fetch(to, n, __ATOMIC_SEQ_CST); }
static void *executable(void) {
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
#endif

#define CHECK(condition) \
    do if (!(condition)) { \
        printf("line %d: %s\n", __LINE__, #condition); \
        fflush(stdout); \
        _Exit(1); \
    } while (0)

/* Names in assembly. */
#if defined(_WIN32) && defined(__i386__)
#define U "_"
#else
#define U ""
#endif

/* What stands before a function in assembly. */
#if defined(__thumb__)
#define FUNCTION(name) ".syntax unified\n.thumb\n.thumb_func\n.type " name ", %function\n"
#elif defined(__arm__)
#define FUNCTION(name) ".syntax unified\n.arm\n.type " name ", %function\n"
#else
#define FUNCTION(name) ""
#endif

/* A nested function that returns its chain, whatever the arguments. */
extern void *chain_of(void);
__asm__(".text\n" FUNCTION("chain_of") ".globl " U "chain_of\n" U "chain_of:\n"
#if defined(__x86_64__)
        " movq %r10, %rax\n ret\n"
#elif defined(__i386__)
        " movl %ecx, %eax\n ret\n"
#elif defined(__aarch64__)
        " mov x0, x15\n ret\n"
#else
        " mov r0, r12\n bx lr\n"
#endif
);

typedef void *(*chain_function)(void);

/* Trampolines that live, and an address that is good for a chain. */
static long live;

static void *make(void *chain) {
    void *handle = gusset_trampoline_init(NULL, (void *)chain_of, chain);
    if (!handle) printf("init: %s\n", gusset_trampoline_error());
    CHECK(handle);
    return handle;
}

static void *call(void *handle) { return ((chain_function)gusset_trampoline_adjust(handle))(); }

/* So many live at once, each with the frame of its own host. */
static void recursive(int depth, chain_function previous, void *expected) {
    int here = depth;
    void *handle = make(&here);
    CHECK(call(handle) == &here);
    if (previous) CHECK(previous() == expected);
    if (depth) recursive(depth - 1, (chain_function)gusset_trampoline_adjust(handle), &here);
    CHECK(call(handle) == &here);
    gusset_trampoline_free(handle);
}

static void recursion(void) {
    for (int round = 0; round < 3; round++) recursive(5000, NULL, NULL);
}

/* Registers before and after: every one that may carry an argument, and the count of vectors for variadic functions. */
#if defined(__x86_64__)
struct registers { uint64_t ints[7]; unsigned char vectors[8][16]; uint64_t chain; };
static struct registers given, got;
void registers_target(void);
void registers_call(void *code);
__asm__(".text\n"
        "registers_target:\n"
        " leaq got_at(%rip), %r11\n movq (%r11), %r11\n"
        " movq %rdi, (%r11)\n movq %rsi, 8(%r11)\n movq %rdx, 16(%r11)\n movq %rcx, 24(%r11)\n"
        " movq %r8, 32(%r11)\n movq %r9, 40(%r11)\n movq %rax, 48(%r11)\n"
        " movups %xmm0, 56(%r11)\n movups %xmm1, 72(%r11)\n movups %xmm2, 88(%r11)\n movups %xmm3, 104(%r11)\n"
        " movups %xmm4, 120(%r11)\n movups %xmm5, 136(%r11)\n movups %xmm6, 152(%r11)\n movups %xmm7, 168(%r11)\n"
        " movq %r10, 184(%r11)\n"
        " ret\n"
        "registers_call:\n"
#ifdef _WIN32
        " pushq %rdi\n pushq %rsi\n subq $40, %rsp\n movups %xmm6, (%rsp)\n movups %xmm7, 16(%rsp)\n movq %rcx, %r11\n"
#else
        " subq $8, %rsp\n movq %rdi, %r11\n"
#endif
        " leaq given_at(%rip), %r10\n movq (%r10), %r10\n"
        " movq (%r10), %rdi\n movq 8(%r10), %rsi\n movq 16(%r10), %rdx\n movq 24(%r10), %rcx\n"
        " movq 32(%r10), %r8\n movq 40(%r10), %r9\n movq 48(%r10), %rax\n"
        " movups 56(%r10), %xmm0\n movups 72(%r10), %xmm1\n movups 88(%r10), %xmm2\n movups 104(%r10), %xmm3\n"
        " movups 120(%r10), %xmm4\n movups 136(%r10), %xmm5\n movups 152(%r10), %xmm6\n movups 168(%r10), %xmm7\n"
        " call *%r11\n"
#ifdef _WIN32
        " movups (%rsp), %xmm6\n movups 16(%rsp), %xmm7\n addq $40, %rsp\n popq %rsi\n popq %rdi\n ret\n"
#else
        " addq $8, %rsp\n ret\n"
#endif
        ".data\n.balign 8\n.globl given_at, got_at\ngiven_at: .quad 0\ngot_at: .quad 0\n.text\n");
extern struct registers *given_at, *got_at;

#define PREPARE (given_at = &given, got_at = &got)
#elif defined(__i386__)
struct registers { uint32_t eax, edx; unsigned char vectors[8][16]; uint32_t chain, stack; };
struct registers given, got;
void registers_target(void);
void registers_call(void *code);
/* Arguments of C functions come on the stack, of regparm functions in eax and edx too, vectors in registers. */
__asm__(".text\n"
        U "registers_target:\n"
        " movl %eax, " U "got\n movl %edx, " U "got+4\n"
        " movups %xmm0, " U "got+8\n movups %xmm1, " U "got+24\n movups %xmm2, " U "got+40\n movups %xmm3, " U "got+56\n"
        " movups %xmm4, " U "got+72\n movups %xmm5, " U "got+88\n movups %xmm6, " U "got+104\n movups %xmm7, " U "got+120\n"
        " movl %ecx, " U "got+136\n movl 4(%esp), %eax\n movl %eax, " U "got+140\n ret\n"
        U "registers_call:\n"
        " movl 4(%esp), %ecx\n pushl " U "given+140\n"
        " movl " U "given, %eax\n movl " U "given+4, %edx\n"
        " movups " U "given+8, %xmm0\n movups " U "given+24, %xmm1\n movups " U "given+40, %xmm2\n"
        " movups " U "given+56, %xmm3\n movups " U "given+72, %xmm4\n movups " U "given+88, %xmm5\n"
        " movups " U "given+104, %xmm6\n movups " U "given+120, %xmm7\n"
        " call *%ecx\n popl %ecx\n ret\n");
#elif defined(__aarch64__)
struct registers { uint64_t ints[9], chain; unsigned char vectors[8][16]; };
struct registers given, got;
void registers_target(void);
void registers_call(void *code);
/* With x8, which leads to a result in memory. */
__asm__(".text\n.globl registers_target, registers_call\n"
        "registers_target:\n"
        " adrp x16, got\n add x16, x16, :lo12:got\n"
        " stp x0, x1, [x16]\n stp x2, x3, [x16, 16]\n stp x4, x5, [x16, 32]\n stp x6, x7, [x16, 48]\n stp x8, x15, [x16, 64]\n"
        " stp q0, q1, [x16, 80]\n stp q2, q3, [x16, 112]\n stp q4, q5, [x16, 144]\n stp q6, q7, [x16, 176]\n ret\n"
        "registers_call:\n"
        " str x30, [sp, -16]!\n mov x17, x0\n adrp x16, given\n add x16, x16, :lo12:given\n"
        " ldp x0, x1, [x16]\n ldp x2, x3, [x16, 16]\n ldp x4, x5, [x16, 32]\n ldp x6, x7, [x16, 48]\n ldr x8, [x16, 64]\n"
        " ldp q0, q1, [x16, 80]\n ldp q2, q3, [x16, 112]\n ldp q4, q5, [x16, 144]\n ldp q6, q7, [x16, 176]\n"
        " blr x17\n ldr x30, [sp], 16\n ret\n");
#else
struct registers { uint32_t ints[4], chain; unsigned char vectors[8][8]; };
struct registers given, got;
void registers_target(void);
void registers_call(void *code);
__asm__(".text\n" FUNCTION("registers_target")
        "registers_target:\n"
        " push {r4}\n movw r4, #:lower16:got\n movt r4, #:upper16:got\n"
        " stmia r4!, {r0-r3, r12}\n vstmia r4, {d0-d7}\n pop {r4}\n bx lr\n" FUNCTION("registers_call")
        "registers_call:\n"
        " push {r4, lr}\n mov r4, r0\n movw r12, #:lower16:given\n movt r12, #:upper16:given\n"
        " ldmia r12!, {r0-r3}\n add r12, r12, #4\n vldmia r12, {d0-d7}\n blx r4\n pop {r4, pc}\n");
#endif
#ifndef PREPARE
#define PREPARE (void)0
#endif

static void registers(void) {
    PREPARE;
    for (size_t i = 0; i < sizeof given; i++) ((unsigned char *)&given)[i] = (unsigned char)(i * 7 + 1);
    void *handle = gusset_trampoline_init(NULL, (void *)registers_target, &live);
    given.chain = (uintptr_t)&live;
    registers_call(gusset_trampoline_adjust(handle));
    CHECK(!memcmp(&given, &got, sizeof given));
    gusset_trampoline_free(handle);
}

/* Threads that make, call and free trampolines, and free each other's. */
enum { THREADS = 8, ROUNDS = 400, AT_ONCE = 100 };
static void *volatile mailbox[THREADS][AT_ONCE];

THREAD(work) {
    int me = (int)(intptr_t)arg;
    void *mine[AT_ONCE];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < AT_ONCE; i++) {
            mine[i] = make(&mine[i]);
            add(&live, 1);
        }
        for (int i = 0; i < AT_ONCE; i++) CHECK(call(mine[i]) == &mine[i]);
        for (int i = 0; i < AT_ONCE; i++) {
            /* Every third is left to another thread, which frees what it finds. */
            void *other = mine[i];
            if (i % 3 == 0) {
                int neighbour = (me + 1 + round) % THREADS;
#ifdef _WIN32
                other = InterlockedExchangePointer((void *volatile *)&mailbox[neighbour][i], other);
#else
                other = __atomic_exchange_n(&mailbox[neighbour][i], other, __ATOMIC_SEQ_CST);
#endif
            }
            if (other) add(&live, -1);
            gusset_trampoline_free(other);
        }
    }
    return 0;
}

static void threads(void) {
    thread t[THREADS];
    for (int i = 0; i < THREADS; i++) start(&t[i], work, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++) join(t[i]);
    for (int i = 0; i < THREADS; i++)
        for (int j = 0; j < AT_ONCE; j++)
            if (mailbox[i][j]) {
                gusset_trampoline_free(mailbox[i][j]);
                add(&live, -1);
            }
    CHECK(live == 0);
}

/* A call that comes too late; the test reads what is printed before the end. */
static void dangling(void) {
    void *handle = make(&live);
    chain_function code = (chain_function)gusset_trampoline_adjust(handle);
    CHECK(code() == &live);
    printf("%llx %llx\n", (unsigned long long)(uintptr_t)chain_of, (unsigned long long)(uintptr_t)code);
    fflush(stdout);
    gusset_trampoline_free(handle);
    code();
    CHECK(!"came back");
}

static void freed_twice(void) {
    void *handle = make(&live);
    printf("%llx %llx\n", (unsigned long long)(uintptr_t)chain_of,
           (unsigned long long)(uintptr_t)gusset_trampoline_adjust(handle));
    fflush(stdout);
    gusset_trampoline_free(handle);
    gusset_trampoline_free(handle);
    CHECK(!"came back");
}

/* What is no trampoline: the code of one, memory of others, a neighbour that was never used. */
static void none(void *pointer) {
    printf("%llx\n", (unsigned long long)(uintptr_t)pointer);
    fflush(stdout);
    gusset_trampoline_free(pointer);
    CHECK(!"came back");
}

static void code_freed(void) { none(gusset_trampoline_adjust(make(&live))); }
static void stack_freed(void) {
    char memory[256];
    none((void *)(((uintptr_t)memory + 63) & ~(uintptr_t)63));
}
static void nothing_freed(void) { none((void *)64); }
static void neighbour_freed(void) { none((char *)make(&live) + 64); }
static void middle_freed(void) { none((char *)make(&live) + 8); }
static void neighbour_called(void) {
    void *pointer = (char *)make(&live) + 512;
    printf("%llx\n", (unsigned long long)(uintptr_t)pointer);
    fflush(stdout);
    gusset_trampoline_adjust(pointer);
    CHECK(!"came back");
}

/* Memory of one's own, and the names of Fortran. */
static void scratch(void) {
    char *memory = executable();
    CHECK(memory);
    gusset_trampoline_free(NULL);
    for (int i = 0; i < 10; i++) {
        void *handle = gusset_trampoline_init(memory + 32 * i, (void *)chain_of, memory + i);
        CHECK(handle && gusset_trampoline_adjust(handle) == memory + 32 * i);
        CHECK(call(handle) == memory + i);
        gusset_trampoline_free(handle);
        CHECK(call(handle) == memory + i);
    }
    CHECK(!gusset_trampoline_error());
    CHECK(!gusset_trampoline_init(memory + 1, (void *)chain_of, memory));
    CHECK(strstr(gusset_trampoline_error(), "aligned"));
    void *handle = _FortranATrampolineInit(NULL, (void *)chain_of, memory);
    CHECK(((chain_function)_FortranATrampolineAdjust(handle))() == memory);
    _FortranATrampolineFree(handle);
    handle = _FortranAInitTrampoline(NULL, (void *)chain_of, memory);
    CHECK(((chain_function)_FortranAAdjustTrampoline(handle))() == memory);
    _FortranAFreeTrampoline(handle);
}

/* A host as it is compiled: it frees its trampolines at its end, if it comes there. */
#define HOST_INIT gusset_host_trampoline_init__link_with_libgusset_runtime
enum { LEAVES = 5000, DISTINCT = 300 };
static jmp_buf back;
static void *seen[2 * LEAVES];
static int count_seen;

static __attribute__((noinline)) void host(int depth, int leaves) {
    void *volatile handles[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        handles[i] = HOST_INIT((void *)&handles[i], (void *)chain_of, (void *)&handles[i]);
        CHECK(handles[i]);
        if (count_seen < 2 * LEAVES) seen[count_seen++] = handles[i];
    }
    if (depth) host(depth - 1, leaves);
    for (int i = 0; i < 2; i++) CHECK(call(handles[i]) == (void *)&handles[i]);
    if (leaves) longjmp(back, 1);
    /* In an order that is not that of their making, too. */
    gusset_trampoline_free(handles[depth & 1]);
    gusset_trampoline_free(handles[!(depth & 1)]);
}

static int by_address(const void *a, const void *b) {
    uintptr_t x = (uintptr_t)*(void *const *)a, y = (uintptr_t)*(void *const *)b;
    return (x > y) - (x < y);
}

static void left(void) {
    void *volatile outer = NULL;
    outer = HOST_INIT((void *)&outer, (void *)chain_of, (void *)&outer);
    for (volatile int i = 0; i < LEAVES; i++) {
        if (!setjmp(back)) host(i % 7 == 0 ? 3 : 0, i % 3 != 0);
        CHECK(call(outer) == (void *)&outer);
    }
    gusset_trampoline_free(outer);
    qsort(seen, (size_t)count_seen, sizeof *seen, by_address);
    int distinct = 0;
    for (int i = 0; i < count_seen; i++) distinct += i == 0 || seen[i] != seen[i - 1];
    if (distinct > DISTINCT) printf("%d distinct\n", distinct);
    CHECK(distinct <= DISTINCT);
}

/* Threads that end within hosts: others get what these had. */
enum { ENDS = 60, EACH = 300 };
static void *taken[ENDS * EACH];

THREAD(ends_in_host) {
    void *volatile handles[EACH] = {NULL};
    void **mine = arg;
    for (int i = 0; i < EACH; i++) {
        handles[i] = HOST_INIT((void *)&handles[i], (void *)chain_of, arg);
        mine[i] = handles[i];
        CHECK(call(mine[i]) == arg);
    }
    return 0;
}

static void abandoned(void) {
    for (int i = 0; i < ENDS; i++) {
        thread t;
        start(&t, ends_in_host, &taken[i * EACH]);
        join(t);
    }
    qsort(taken, ENDS * EACH, sizeof *taken, by_address);
    int distinct = 0;
    for (int i = 0; i < ENDS * EACH; i++) distinct += i == 0 || taken[i] != taken[i - 1];
    if (distinct > 5000) printf("%d distinct\n", distinct);
    CHECK(distinct <= 5000);
}

#ifndef _WIN32
#ifdef EMULATED
/* The emulator knows no filters of system calls: the linker lets the library's calls come here first (`--wrap`). */
static int forbidden, refusal;
void *__real_mmap(void *, size_t, int, int, int, off_t);
int __real_mprotect(void *, size_t, int);
static int refused(int access) {
    if (!forbidden || (access & forbidden) != forbidden) return 0;
    if (!refusal) abort();
    errno = refusal;
    return 1;
}
void *__wrap_mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset) {
    return refused(access) ? MAP_FAILED : __real_mmap(at, bytes, access, flags, file, offset);
}
int __wrap_mprotect(void *at, size_t bytes, int access) {
    return refused(access) ? -1 : __real_mprotect(at, bytes, access);
}
static void forbid(int access, int error) {
    forbidden = access;
    refusal = error;
}
#else
/* No system call may ask for memory with all of this access: it fails with this error or, if that is 0, ends the process. */
static void forbid(unsigned access, int error) {
    unsigned result = error ? SECCOMP_RET_ERRNO | (unsigned)error : SECCOMP_RET_KILL_PROCESS;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef __i386__
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 192 /* mmap2 */, 1, 0),
#else
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0),
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, access),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, access, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, result),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}
#endif

static void separate(void) {
    forbid(PROT_WRITE | PROT_EXEC, 0);
    recursion();
    /* The filter does what it is for. */
    pid_t child = fork();
    if (!child) {
        executable();
        _Exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
}

/* Where the system refuses, everything that lives goes on, and what is freed is used again. */
static void survive_refusal(const char *expected) {
    enum { MANY = 100000 };
    static void *handles[MANY];
    int count = 0;
    while (count < MANY && (handles[count] = gusset_trampoline_init(NULL, (void *)chain_of, &handles[count]))) count++;
    int code = errno;
    CHECK(count < MANY);
    CHECK(code == ENOMEM || code == EPERM);
    CHECK(strstr(gusset_trampoline_error(), expected));
    for (int i = 0; i < count; i++) CHECK(call(handles[i]) == &handles[i]);
    for (int i = 0; i < count; i++) gusset_trampoline_free(handles[i]);
    for (int i = 0; i < count; i++) {
        handles[i] = make(&handles[i]);
        CHECK(call(handles[i]) == &handles[i]);
    }
    printf("%d\n", count);
}

static void no_space(void) {
    void *handle = make(NULL);
#ifdef EMULATED
    /* Nor limits of memory. */
    forbid(PROT_WRITE, ENOMEM);
#else
    struct rlimit limit = {64 << 20, 64 << 20};
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    CHECK(file && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    limit.rlim_cur = limit.rlim_max = pages * 4096 + (3 << 20);
    CHECK(!setrlimit(RLIMIT_AS, &limit));
#endif
    survive_refusal("cannot map");
    gusset_trampoline_free(handle);
}

static void no_code(void) {
    void *handle = make(NULL);
    forbid(PROT_EXEC, EPERM);
    survive_refusal("executable");
    gusset_trampoline_free(handle);
}

/* As Fortran programs meet it. */
static void no_code_fortran(void) {
    forbid(PROT_EXEC, EPERM);
    printf("%llx\n", (unsigned long long)(uintptr_t)chain_of);
    fflush(stdout);
    _FortranATrampolineInit(NULL, (void *)chain_of, NULL);
}

/* As programs meet it that do not look at the handle. */
static void no_code_adjust(void) {
    forbid(PROT_EXEC, EPERM);
    gusset_trampoline_adjust(gusset_trampoline_init(NULL, (void *)chain_of, NULL));
}

/* Children made while other threads are at work, some of them in the middle of handing over. */
static volatile int stop;
THREAD(churn) {
    enum { MANY = 3000 };
    void **handles = malloc(MANY * sizeof *handles);
    while (!stop) {
        for (int i = 0; i < MANY; i++) handles[i] = make(arg);
        for (int i = 0; i < MANY; i++) gusset_trampoline_free(handles[i]);
    }
    free(handles);
    return NULL;
}

static void forks(void) {
    thread t[3];
    void *kept = make(&live);
    for (int i = 0; i < 3; i++) start(&t[i], churn, NULL);
    for (int i = 0; i < 50; i++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (!child) {
            CHECK(call(kept) == &live);
            gusset_trampoline_free(kept);
            stop = 1;
            churn(NULL);
            recursive(2000, NULL, NULL);
            _Exit(42);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    }
    stop = 1;
    for (int i = 0; i < 3; i++) join(t[i]);
    CHECK(call(kept) == &live);
    gusset_trampoline_free(kept);
}
#endif

static const struct { const char *name; void (*run)(void); } tests[] = {
    {"recursion", recursion}, {"registers", registers}, {"threads", threads}, {"dangling", dangling},
    {"freed_twice", freed_twice}, {"scratch", scratch}, {"left", left}, {"abandoned", abandoned},
    {"code_freed", code_freed}, {"stack_freed", stack_freed}, {"nothing_freed", nothing_freed},
    {"neighbour_freed", neighbour_freed}, {"middle_freed", middle_freed}, {"neighbour_called", neighbour_called},
#ifndef _WIN32
    {"separate", separate}, {"no_space", no_space}, {"no_code", no_code}, {"no_code_fortran", no_code_fortran},
    {"no_code_adjust", no_code_adjust},
    {"forks", forks},
#endif
};

int main(int argc, char **argv) {
    for (size_t i = 0; argc == 2 && i < sizeof tests / sizeof *tests; i++)
        if (!strcmp(argv[1], tests[i].name)) {
            tests[i].run();
            puts("done");
            return 0;
        }
    return 2;
}
