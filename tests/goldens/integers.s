	.file	"integers.ll"
	.section	.text,"ax",@progbits
	.globl	sum
	.p2align	4
	.type	sum,@function
sum:
	.cfi_startproc
	movl %edx, %r9d
	movl %esi, %r8d
	addl %r8d, %edi
	imull %r9d, %edi
	subl $7, %edi
	movl %edi, %eax
	retq
	.size	sum, .-sum
	.cfi_endproc
	.globl	divide
	.p2align	4
	.type	divide,@function
divide:
	.cfi_startproc
	movq %rsi, %r8
	movq %rdi, %rax
	cqto
	idivq %r8
	movq %rax, %rcx
	movq %rdi, %rax
	movl $0xa, %esi
	cqto
	idivq %rsi
	addq %rdx, %rcx
	movq %rcx, %rax
	retq
	.size	divide, .-divide
	.cfi_endproc
	.globl	shifts
	.p2align	4
	.type	shifts,@function
shifts:
	.cfi_startproc
	movl %esi, %r8d
	movl %r8d, %eax
	movq %rax, %rcx
	shlq %cl, %rdi
	sarq $3, %rdi
	xorq $-1, %rdi
	movq %rdi, %rax
	retq
	.size	shifts, .-shifts
	.cfi_endproc
	.globl	small
	.p2align	4
	.type	small,@function
small:
	.cfi_startproc
	movl %esi, %r8d
	movl %edi, %eax
	movl %r8d, %ecx
	movzbl %cl, %ecx
	movzbl %al, %eax
	xorl %edx, %edx
	divl %ecx
	cmpb $3, %al
	movl %r8d, %ecx
	cmovll %edi, %ecx
	movl %ecx, %eax
	retq
	.size	small, .-small
	.cfi_endproc
	.globl	wide
	.p2align	4
	.type	wide,@function
wide:
	.cfi_startproc
	movq %rcx, %r10
	movq %rdx, %r9
	movq %rsi, %r8
	addq %r9, %rdi
	adcq %r10, %r8
	movq %r8, %rcx
	imulq %r9, %rcx
	movq %rdi, %rax
	imulq %r10, %rax
	addq %rax, %rcx
	movq %rdi, %rax
	mulq %r9
	addq %rcx, %rdx
	retq
	.size	wide, .-wide
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
