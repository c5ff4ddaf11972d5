	.file	"conventions.ll"
	.section	.text,"ax",@progbits
	.globl	keeps_most
	.p2align	4
	.type	keeps_most,@function
keeps_most:
	.cfi_startproc
	pushq %rcx
	.cfi_def_cfa_offset 16
	.cfi_offset 2, -16
	pushq %rdx
	.cfi_def_cfa_offset 24
	.cfi_offset 1, -24
	movq %rdx, %rax
	movq %rax, %rcx
	movq %rsi, %rax
	xorl %edx, %edx
	divq %rcx
	movq %rax, (%rdi)
	.cfi_remember_state
	popq %rdx
	.cfi_def_cfa_offset 16
	popq %rcx
	.cfi_def_cfa_offset 8
	retq
	.cfi_restore_state
	.size	keeps_most, .-keeps_most
	.cfi_endproc
	.globl	keeps_all
	.p2align	4
	.type	keeps_all,@function
keeps_all:
	.cfi_startproc
	movups %xmm1, -0x18(%rsp)
	movaps %xmm0, %xmm1
	addsd %xmm0, %xmm1
	mulsd %xmm0, %xmm1
	movsd %xmm1, (%rdi)
	movups -0x18(%rsp), %xmm1
	retq
	.size	keeps_all, .-keeps_all
	.cfi_endproc
	.globl	calls_what_keeps_none
	.p2align	4
	.type	calls_what_keeps_none,@function
calls_what_keeps_none:
	.cfi_startproc
	pushq %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	pushq %rbp
	.cfi_def_cfa_offset 24
	.cfi_offset 6, -24
	pushq %r12
	.cfi_def_cfa_offset 32
	.cfi_offset 12, -32
	pushq %r13
	.cfi_def_cfa_offset 40
	.cfi_offset 13, -40
	pushq %r14
	.cfi_def_cfa_offset 48
	.cfi_offset 14, -48
	pushq %r15
	.cfi_def_cfa_offset 56
	.cfi_offset 15, -56
	subq $8, %rsp
	.cfi_def_cfa_offset 64
	movq %rsi, (%rsp)
	movq %rdi, %rbp
	movq %rdx, %r14
	movq (%rsp), %r13
	movq %rbp, %r12
	callq keeps_none@PLT
	movq (%rsp), %rcx
	movq %rcx, (%rbp)
	.cfi_remember_state
	addq $8, %rsp
	.cfi_def_cfa_offset 56
	popq %r15
	.cfi_def_cfa_offset 48
	popq %r14
	.cfi_def_cfa_offset 40
	popq %r13
	.cfi_def_cfa_offset 32
	popq %r12
	.cfi_def_cfa_offset 24
	popq %rbp
	.cfi_def_cfa_offset 16
	popq %rbx
	.cfi_def_cfa_offset 8
	retq
	.cfi_restore_state
	.size	calls_what_keeps_none, .-calls_what_keeps_none
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
