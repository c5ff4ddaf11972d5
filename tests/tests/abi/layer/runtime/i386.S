/* Both sides of a call that no compiler makes, for 32-bit x86; as x86_64.S. Registers take eight bytes of a state each. */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
/* A C name as the object has it. */
#define C(name) JOIN(__USER_LABEL_PREFIX__, name)
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
#define INTS(each) each(eax, 0) each(ecx, 1) each(edx, 2) each(ebx, 3) each(ebp, 5) each(esi, 6) each(edi, 7)
#define VECTORS(each) each(0) each(1) each(2) each(3) each(4) each(5) each(6) each(7)
#define LOAD_INT(name, n)  movl C(put) + 8 * n, %name;
#define STORE_INT(name, n) movl %name, C(got) + 8 * n;
#define LOAD_VECTOR(n)     MOVE C(put) + 256 + 64 * n, VECTOR(n);
#define STORE_VECTOR(n)    MOVE VECTOR(n), C(got) + 256 + 64 * n;

        .text
        .globl  stub, C(invoke)

stub:
        INTS(STORE_INT)
        VECTORS(STORE_VECTOR)
        movl    %esp, C(got) + 2336
        andl    $-64, %esp
        cld
        call    C(entered)
        cmpl    $1, C(x87_results)
        jb      2f
        je      1f
        fldt    C(put) + 2320
1:      fldt    C(put) + 2304
2:      movl    C(got) + 2336, %esp
        movl    (%esp), %eax
        movl    C(popped), %ecx
        movl    %eax, (%esp,%ecx)
        addl    %ecx, %esp
        VECTORS(LOAD_VECTOR)
        INTS(LOAD_INT)
        ret

C(invoke):
        pushl   %ebp
        pushl   %ebx
        pushl   %esi
        pushl   %edi
        movl    %esp, C(own_stack)
        movl    C(stack_bytes), %ecx
        movl    C(stack_align), %edx
        subl    %ecx, %esp
        subl    %edx, %esp
        leal    (%edx,%edx), %eax
        negl    %eax
        andl    %eax, %esp
        addl    %edx, %esp
        movl    %esp, C(put) + 2336
        movl    %esp, %edi
        movl    $C(put) + 4096, %esi
        cld
        rep movsb
        VECTORS(LOAD_VECTOR)
        INTS(LOAD_INT)
        call    *C(callee)
        INTS(STORE_INT)
        VECTORS(STORE_VECTOR)
        movl    %esp, C(got) + 2336
        cmpl    $1, C(x87_results)
        jb      1f
        fstpt   C(got) + 2304
        je      1f
        fstpt   C(got) + 2320
1:      movl    C(own_stack), %esp
        cld
        popl    %edi
        popl    %esi
        popl    %ebx
        popl    %ebp
        ret

#ifdef __ELF__
        .globl  _start
_start:
        xorl    %ebp, %ebp
        andl    $-16, %esp
        call    start

        .globl  system_write, system_exit
system_write:
        pushl   %ebx
        movl    $4, %eax
        movl    $1, %ebx
        movl    8(%esp), %ecx
        movl    12(%esp), %edx
        int     $0x80
        popl    %ebx
        ret
system_exit:
        movl    $252, %eax
        movl    4(%esp), %ebx
        int     $0x80
        .section .note.GNU-stack,"",@progbits
#endif
