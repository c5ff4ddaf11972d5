/* Single-steps functions of seh_walked.c and walks the stack by Windows' own unwinder at every instruction of this program:
   the walk has to arrive at the call with the stack pointer and all preserved registers as they were. Tail calls are left
   out: Wine follows their jumps and is lost, also with clang's code. */
#include <windows.h>
#include <stdio.h>
#include <string.h>

typedef long long (*tested)(long long, double);
long long walked_leaf(long long, double), walked_calls(long long, double), walked_large(long long, double);
long long walked_dynamic(long long, double), walked_aligned(long long, double), walked_vectors(long long, double);
long long walked_variadic(long long, double), walked_switch(long long, double);
extern char seh_call_return[], ___chkstk_ms[], __ImageBase[];
extern unsigned long long seh_stack;
long long seh_call(tested f, long long a, double b);

/* Gives every preserved register a value of its own, calls, and keeps the stack pointer. */
__asm__(".text\n"
        "seh_call:\n"
        "  pushq %rbx\n  pushq %rbp\n  pushq %rsi\n  pushq %rdi\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  subq $200, %rsp\n"
        "  movaps %xmm6, 32(%rsp)\n  movaps %xmm7, 48(%rsp)\n  movaps %xmm8, 64(%rsp)\n  movaps %xmm9, 80(%rsp)\n"
        "  movaps %xmm10, 96(%rsp)\n  movaps %xmm11, 112(%rsp)\n  movaps %xmm12, 128(%rsp)\n  movaps %xmm13, 144(%rsp)\n"
        "  movaps %xmm14, 160(%rsp)\n  movaps %xmm15, 176(%rsp)\n"
        "  movq %rsp, seh_stack(%rip)\n"
        "  movq %rcx, %rax\n  movq %rdx, %rcx\n  movaps %xmm2, %xmm1\n"
        "  movl $1003, %ebx\n  movl $1005, %ebp\n  movl $1006, %esi\n  movl $1007, %edi\n"
        "  movl $1012, %r12d\n  movl $1013, %r13d\n  movl $1014, %r14d\n  movl $1015, %r15d\n"
        "  movq %r12, %xmm6\n  movq %r13, %xmm7\n  movq %r14, %xmm8\n  movq %r15, %xmm9\n  movq %rbx, %xmm10\n"
        "  movq %rsi, %xmm11\n  movq %rdi, %xmm12\n  movq %r12, %xmm13\n  movq %r13, %xmm14\n  movq %r14, %xmm15\n"
        /* Single steps begin. */
        "  pushfq\n  orq $0x100, (%rsp)\n  popfq\n"
        "  callq *%rax\n"
        "seh_call_return:\n"
        "  pushfq\n  andq $~0x100, (%rsp)\n  popfq\n"
        "  movaps 32(%rsp), %xmm6\n  movaps 48(%rsp), %xmm7\n  movaps 64(%rsp), %xmm8\n  movaps 80(%rsp), %xmm9\n"
        "  movaps 96(%rsp), %xmm10\n  movaps 112(%rsp), %xmm11\n  movaps 128(%rsp), %xmm12\n  movaps 144(%rsp), %xmm13\n"
        "  movaps 160(%rsp), %xmm14\n  movaps 176(%rsp), %xmm15\n"
        "  addq $200, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rdi\n  popq %rsi\n  popq %rbp\n  popq %rbx\n"
        "  ret\n"
        ".comm seh_stack, 8\n");

static const char *name;
static unsigned long long steps, walks, wrong, image_size;

static void complain(CONTEXT *at, CONTEXT *c, const char *what) {
    if (wrong++ < 10)
        printf("%s+%#llx: %s at rip %#llx rsp %#llx\n", name, at->Rip - (unsigned long long)__ImageBase, what, c->Rip, c->Rsp);
}

static void walk(CONTEXT *start) {
    CONTEXT c = *start;
    walks++;
    for (int depth = 0; depth < 50; depth++) {
        if (c.Rip == (unsigned long long)seh_call_return) {
            const unsigned long long want[] = {1003, 1005, 1006, 1007, 1012, 1013, 1014, 1015};
            const unsigned long long got[] = {c.Rbx, c.Rbp, c.Rsi, c.Rdi, c.R12, c.R13, c.R14, c.R15};
            const int vectors[] = {1012, 1013, 1014, 1015, 1003, 1006, 1007, 1012, 1013, 1014};
            if (c.Rsp != seh_stack) return complain(start, &c, "wrong stack pointer");
            if (memcmp(want, got, sizeof want)) return complain(start, &c, "wrong register");
            for (int i = 0; i < 10; i++)
                if ((&c.Xmm6)[i].Low != (unsigned long long)vectors[i]) return complain(start, &c, "wrong vector register");
            return;
        }
        DWORD64 base, establisher;
        void *data;
        RUNTIME_FUNCTION *f = RtlLookupFunctionEntry(c.Rip, &base, NULL);
        if (f) {
            RtlVirtualUnwind(0, base, c.Rip, f, &c, &data, &establisher, NULL);
        } else {
            c.Rip = *(unsigned long long *)c.Rsp;
            c.Rsp += 8;
        }
    }
    complain(start, &c, "lost");
}

static LONG CALLBACK step(EXCEPTION_POINTERS *e) {
    if (e->ExceptionRecord->ExceptionCode != EXCEPTION_SINGLE_STEP) return EXCEPTION_CONTINUE_SEARCH;
    CONTEXT *c = e->ContextRecord;
    steps++;
    unsigned long long in_image = c->Rip - (unsigned long long)__ImageBase;
    unsigned long long in_probe = c->Rip - (unsigned long long)___chkstk_ms;
    int in_call = c->Rip >= (unsigned long long)seh_call && c->Rip < (unsigned long long)seh_call_return;
    /* The probing function has no tables. */
    if (in_image < image_size && in_probe > 64 && !in_call && c->Rip != (unsigned long long)seh_call_return) walk(c);
    if (c->Rip != (unsigned long long)seh_call_return) c->EFlags |= 0x100;
    return EXCEPTION_CONTINUE_EXECUTION;
}

int main(void) {
    static const struct { const char *name; tested f; } all[] = {
        {"leaf", walked_leaf}, {"calls", walked_calls}, {"large", walked_large}, {"dynamic", walked_dynamic},
        {"aligned", walked_aligned}, {"vectors", walked_vectors}, {"variadic", walked_variadic},
        {"switch", walked_switch},
    };
    IMAGE_DOS_HEADER *dos = (void *)__ImageBase;
    image_size = ((IMAGE_NT_HEADERS *)(__ImageBase + dos->e_lfanew))->OptionalHeader.SizeOfImage;
    AddVectoredExceptionHandler(1, step);
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) {
        name = all[i].name;
        unsigned long long before = walks;
        long long r = seh_call(all[i].f, 5, 2.5);
        printf("%s %lld: %s\n", name, r, walks - before >= 3 ? "walked" : "not stepped");
    }
    printf("%llu wrong\n", wrong);
    return wrong != 0 || walks < 300;
}
