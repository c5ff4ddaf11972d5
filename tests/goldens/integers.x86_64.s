	.file	"integers.ll"
	.section	.text,"ax",@progbits
	.globl	sum
	.p2align	4
	.type	sum,@function
sum:
	.cfi_startproc
	addl %esi, %edi
	imull %edx, %edi
	leal -7(%rdi), %eax
	retq
	.size	sum, .-sum
	.cfi_endproc
	.globl	divide
	.p2align	4
	.type	divide,@function
divide:
	.cfi_startproc
	movq %rdi, %rax
	cqto
	idivq %rsi
	movq %rax, %rcx
	movabsq $0x6666666666666667, %rax
	imulq %rdi
	movq %rdi, %rax
	shrq $0x3f, %rax
	sarq $2, %rdx
	addq %rax, %rdx
	imulq $0xa, %rdx
	subq %rdx, %rdi
	leaq (%rcx,%rdi), %rax
	retq
	.size	divide, .-divide
	.cfi_endproc
	.globl	shifts
	.p2align	4
	.type	shifts,@function
shifts:
	.cfi_startproc
	movl %esi, %eax
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
	movl %edi, %eax
	movl %esi, %ecx
	movzbl %cl, %ecx
	movzbl %al, %eax
	xorl %edx, %edx
	divl %ecx
	cmpb $3, %al
	movl %esi, %ecx
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
	addq %rdx, %rdi
	adcq %rcx, %rsi
	movq %rdx, %rax
	movq %rax, %r8
	movq %rdi, %rax
	mulq %r8
	imulq %rcx, %rdi
	addq %rdi, %rdx
	imulq %rsi, %r8
	addq %r8, %rdx
	retq
	.size	wide, .-wide
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
