	.file	"control.ll"
	.section	.text,"ax",@progbits
	.globl	sum_to
	.p2align	4
	.type	sum_to,@function
sum_to:
	.cfi_startproc
	xorl %r8d, %r8d
	xorl %r9d, %r9d
.LBB0_6:
	addq %r8, %r9
	addq $1, %r8
	cmpq %rdi, %r8
	jb .LBB0_6
	movq %r9, %rax
	retq
	.size	sum_to, .-sum_to
	.cfi_endproc
	.globl	dense
	.p2align	4
	.type	dense,@function
dense:
	.cfi_startproc
	movl %edi, %eax
	cmpl $4, %eax
	ja .LBB1_49
	leaq .LJTI1_0(%rip), %rcx
	movslq (%rcx,%rax,4), %rax
	addq %rcx, %rax
	jmpq *%rax
	jmp .LBB1_49
.LBB1_25:
	movl $0xa, %eax
	retq
.LBB1_31:
	movl $0x14, %eax
	retq
.LBB1_37:
	movl $0x1e, %eax
	retq
.LBB1_43:
	movl $0x28, %eax
	retq
.LBB1_49:
	movl $-1, %eax
	retq
	.size	dense, .-dense
	.cfi_endproc
	.section	.rodata,"a",@progbits
	.p2align	2
.LJTI1_0:
	.long	.LBB1_25-.LJTI1_0
	.long	.LBB1_31-.LJTI1_0
	.long	.LBB1_37-.LJTI1_0
	.long	.LBB1_25-.LJTI1_0
	.long	.LBB1_43-.LJTI1_0
	.section	.text,"ax",@progbits
	.globl	sparse
	.p2align	4
	.type	sparse,@function
sparse:
	.cfi_startproc
	cmpl $5, %edi
	je .LBB2_15
	cmpl $0x186a0, %edi
	je .LBB2_21
	jmp .LBB2_27
.LBB2_15:
	movl $1, %eax
	retq
.LBB2_21:
	movl $2, %eax
	retq
.LBB2_27:
	movl $3, %eax
	retq
	.size	sparse, .-sparse
	.cfi_endproc
	.globl	swap
	.p2align	4
	.type	swap,@function
swap:
	.cfi_startproc
	movq %rdi, %r9
	movl $1, %edi
	movl $2, %r8d
	jmp .LBB3_19
.LBB3_16:
	xchgq %rdi, %r8
.LBB3_19:
	subq $1, %r9
	jne .LBB3_16
	movq %rdi, %rax
	retq
	.size	swap, .-swap
	.cfi_endproc
	.globl	both
	.p2align	4
	.type	both,@function
both:
	.cfi_startproc
	cmpl $3, %edi
	jle .LBB4_15
	cmpl %edi, %esi
	jae .LBB4_15
	movl $1, %eax
	retq
.LBB4_15:
	movl $2, %eax
	retq
	.size	both, .-both
	.cfi_endproc
	.globl	either
	.p2align	4
	.type	either,@function
either:
	.cfi_startproc
	cmpl $3, %edi
	je .LBB5_11
	cmpq $9, %rsi
	jge .LBB5_17
.LBB5_11:
	movl $1, %eax
	retq
.LBB5_17:
	movl $2, %eax
	retq
	.size	either, .-either
	.cfi_endproc
	.globl	counted
	.p2align	4
	.type	counted,@function
counted:
	.cfi_startproc
	leal -7(%rdi), %r8d
	movl %r8d, (%rsi)
	movl %r8d, %eax
	subl %edi, %eax
	movl %eax, %edi
	jne .LBB6_19
	movl %edi, %eax
	retq
.LBB6_19:
	leal (%rdi,%r8), %eax
	retq
	.size	counted, .-counted
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
