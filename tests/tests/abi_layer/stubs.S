/* The sides of a call that no compiler makes: they take from and put into plain arrays what the layer says is where. */
/* System V x86-64. `cap`: 6 argument registers and rax, r10 (8 bytes each), xmm0-7 or their wider forms (64 bytes each), */
/* then the stack arguments. The macro WIDTH, set on the command line, is the width of a vector register in bytes. */
        .macro  vector number, from_memory, place
        .if     WIDTH == 64
        .if     \from_memory
        vmovups \place, %zmm\number
        .else
        vmovups %zmm\number, \place
        .endif
        .elseif WIDTH == 32
        .if     \from_memory
        vmovups \place, %ymm\number
        .else
        vmovups %ymm\number, \place
        .endif
        .else
        .if     \from_memory
        movups  \place, %xmm\number
        .else
        movups  %xmm\number, \place
        .endif
        .endif
        .endm

        .text
        .globl  capture, ret_regs, ret_st0, ret_st01, ret_mem, invoke

/* Notes every argument register and the stack arguments; returns its first argument. */
capture:
        movq    %rdi, cap(%rip)
        movq    %rsi, cap+8(%rip)
        movq    %rdx, cap+16(%rip)
        movq    %rcx, cap+24(%rip)
        movq    %r8, cap+32(%rip)
        movq    %r9, cap+40(%rip)
        movq    %rax, cap+48(%rip)
        movq    %r10, cap+56(%rip)
        vector  0, 0, cap+64(%rip)
        vector  1, 0, cap+128(%rip)
        vector  2, 0, cap+192(%rip)
        vector  3, 0, cap+256(%rip)
        vector  4, 0, cap+320(%rip)
        vector  5, 0, cap+384(%rip)
        vector  6, 0, cap+448(%rip)
        vector  7, 0, cap+512(%rip)
        movq    %rdi, %rax
        leaq    8(%rsp), %rsi
        movq    %rsi, cap_sp(%rip)
        leaq    cap+576(%rip), %rdi
        movl    $4096, %ecx
        rep movsb
        ret

/* Results from `out`: rax, rdx, rcx, at 64 xmm0-3 (64 bytes each), at 320 st0 and st1 (16 bytes each). */
ret_st01:
        fldt    out+336(%rip)
ret_st0:
        fldt    out+320(%rip)
ret_regs:
        movq    out(%rip), %rax
        movq    out+8(%rip), %rdx
        movq    out+16(%rip), %rcx
        vector  0, 1, out+64(%rip)
        vector  1, 1, out+128(%rip)
        vector  2, 1, out+192(%rip)
        vector  3, 1, out+256(%rip)
        ret

/* Copies a result of out_size bytes from out_memory to where its caller wants it. */
ret_mem:
        movq    %rdi, %rax
        movq    out_memory(%rip), %rsi
        movq    out_size(%rip), %rcx
        rep movsb
        ret

/* Calls its first argument with registers and stack arguments from `cap`, laid out as above, in_size bytes of stack */
/* arguments aligned to in_align; results go to `out`, in_x87 of them from the x87 stack. */
invoke:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        pushq   %r12
        movq    %rdi, %rbx
        movq    in_align(%rip), %rax
        negq    %rax
        subq    in_size(%rip), %rsp
        andq    %rax, %rsp
        movq    %rsp, %rdi
        leaq    cap+576(%rip), %rsi
        movq    in_size(%rip), %rcx
        rep movsb
        movq    cap(%rip), %rdi
        movq    cap+8(%rip), %rsi
        movq    cap+16(%rip), %rdx
        movq    cap+24(%rip), %rcx
        movq    cap+32(%rip), %r8
        movq    cap+40(%rip), %r9
        movq    cap+48(%rip), %rax
        movq    cap+56(%rip), %r10
        vector  0, 1, cap+64(%rip)
        vector  1, 1, cap+128(%rip)
        vector  2, 1, cap+192(%rip)
        vector  3, 1, cap+256(%rip)
        vector  4, 1, cap+320(%rip)
        vector  5, 1, cap+384(%rip)
        vector  6, 1, cap+448(%rip)
        vector  7, 1, cap+512(%rip)
        call    *%rbx
        movq    %rax, out(%rip)
        movq    %rdx, out+8(%rip)
        movq    %rcx, out+16(%rip)
        vector  0, 0, out+64(%rip)
        vector  1, 0, out+128(%rip)
        vector  2, 0, out+192(%rip)
        vector  3, 0, out+256(%rip)
        cmpq    $1, in_x87(%rip)
        jb      1f
        fstpt   out+320(%rip)
        je      1f
        fstpt   out+336(%rip)
1:      leaq    -16(%rbp), %rsp
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret

        .bss
        .globl  cap, cap_sp, out, out_memory, out_size, in_size, in_align, in_x87
        .balign 16
cap:    .skip   576 + 4096
out:    .skip   352
cap_sp: .skip   8
out_memory: .skip 8
out_size: .skip 8
in_size: .skip  8
in_align: .skip 8
in_x87: .skip   8
        .section .note.GNU-stack,"",@progbits
