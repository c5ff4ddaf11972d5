/* Both sides of a call that no compiler makes, for x86-64. They know no convention: registers come from the state `put`  */
/* and go to the state `got` (layout in runtime.h), and runtime.c decides what is in them.                                */
/* WIDTH, from the command line, is the width of a vector register in bytes.                                              */
#if WIDTH == 64
#define MOVE    vmovups
#define VECTOR(n) %zmm##n
#elif WIDTH == 32
#define MOVE    vmovups
#define VECTOR(n) %ymm##n
#else
#define MOVE    movups
#define VECTOR(n) %xmm##n
#endif
/* Numbers are those of the instruction encoding; the stack pointer is left out. */
#define INTS(each) \
        each(rax, 0) each(rcx, 1) each(rdx, 2) each(rbx, 3) each(rbp, 5) each(rsi, 6) each(rdi, 7) each(r8, 8) \
        each(r9, 9) each(r10, 10) each(r11, 11) each(r12, 12) each(r13, 13) each(r14, 14) each(r15, 15)
#define VECTORS(each) \
        each(0) each(1) each(2) each(3) each(4) each(5) each(6) each(7) each(8) each(9) each(10) each(11) each(12) \
        each(13) each(14) each(15)
#define LOAD_INT(name, n)  movq put + 8 * n(%rip), %name;
#define STORE_INT(name, n) movq %name, got + 8 * n(%rip);
#define LOAD_VECTOR(n)     MOVE put + 256 + 64 * n(%rip), VECTOR(n);
#define STORE_VECTOR(n)    MOVE VECTOR(n), got + 256 + 64 * n(%rip);

        .text
        .globl  stub, invoke

/* The callee: notes all registers, has `entered` look at them, leaves with those of `put`. */
stub:
        INTS(STORE_INT)
        VECTORS(STORE_VECTOR)
        movq    %rsp, got + 2336(%rip)
        andq    $-64, %rsp
        subq    $64, %rsp
        cld
        call    entered
        cmpl    $1, x87_results(%rip)
        jb      2f
        je      1f
        fldt    put + 2320(%rip)
1:      fldt    put + 2304(%rip)
2:      movq    got + 2336(%rip), %rsp
        movq    (%rsp), %rax
        movq    popped(%rip), %rcx
        movq    %rax, (%rsp,%rcx)
        addq    %rcx, %rsp
        VECTORS(LOAD_VECTOR)
        INTS(LOAD_INT)
        ret

/* The caller: calls `callee` with the registers of `put` and stack_bytes of stack arguments, whose address is a multiple */
/* of stack_align and of no higher power of two; notes all registers.                                                      */
invoke:
        pushq   %rbp
        pushq   %rbx
        pushq   %rsi
        pushq   %rdi
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        subq    $168, %rsp
        movups  %xmm6, (%rsp)
        movups  %xmm7, 16(%rsp)
        movups  %xmm8, 32(%rsp)
        movups  %xmm9, 48(%rsp)
        movups  %xmm10, 64(%rsp)
        movups  %xmm11, 80(%rsp)
        movups  %xmm12, 96(%rsp)
        movups  %xmm13, 112(%rsp)
        movups  %xmm14, 128(%rsp)
        movups  %xmm15, 144(%rsp)
        movq    %rsp, own_stack(%rip)
        movq    stack_bytes(%rip), %rcx
        movq    stack_align(%rip), %rdx
        subq    %rcx, %rsp
        subq    %rdx, %rsp
        leaq    (%rdx,%rdx), %rax
        negq    %rax
        andq    %rax, %rsp
        addq    %rdx, %rsp
        movq    %rsp, put + 2336(%rip)
        movq    %rsp, %rdi
        leaq    put + 4096(%rip), %rsi
        cld
        rep movsb
        VECTORS(LOAD_VECTOR)
        INTS(LOAD_INT)
        call    *callee(%rip)
        INTS(STORE_INT)
        VECTORS(STORE_VECTOR)
        movq    %rsp, got + 2336(%rip)
        cmpl    $1, x87_results(%rip)
        jb      1f
        fstpt   got + 2304(%rip)
        je      1f
        fstpt   got + 2320(%rip)
1:      movq    own_stack(%rip), %rsp
        cld
        movups  (%rsp), %xmm6
        movups  16(%rsp), %xmm7
        movups  32(%rsp), %xmm8
        movups  48(%rsp), %xmm9
        movups  64(%rsp), %xmm10
        movups  80(%rsp), %xmm11
        movups  96(%rsp), %xmm12
        movups  112(%rsp), %xmm13
        movups  128(%rsp), %xmm14
        movups  144(%rsp), %xmm15
        addq    $168, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rdi
        popq    %rsi
        popq    %rbx
        popq    %rbp
        ret

#ifdef __ELF__
        .globl  _start
_start:
        xorl    %ebp, %ebp
        andq    $-16, %rsp
        call    start

        .globl  system_write, system_exit
system_write:
        movl    $1, %eax
        movq    %rsi, %rdx
        movq    %rdi, %rsi
        movl    $1, %edi
        syscall
        ret
system_exit:
        movl    $231, %eax
        syscall
        .section .note.GNU-stack,"",@progbits
#endif
