	.file	"volatile.ll"
	.section	.text,"ax",@progbits
	.globl	unused
	.p2align	4
	.type	unused,@function
unused:
	.cfi_startproc
	movzbl (%rdi), %eax
	movq (%rdi), %rax
	movq (%rdi), %rax
	movq 8(%rdi), %rax
	movss (%rdi), %xmm0
	movaps (%rdi), %xmm0
	movl (%rdi), %eax
	movq 8(%rdi), %rax
	retq
	.size	unused, .-unused
	.cfi_endproc
	.globl	used_in_vain
	.p2align	4
	.type	used_in_vain,@function
used_in_vain:
	.cfi_startproc
	movq (%rdi), %rax
	movq (%rdi), %rax
	movq (%rdi), %rcx
	leaq (%rcx,%rax), %rax
	retq
	.size	used_in_vain, .-used_in_vain
	.cfi_endproc
	.globl	bit_field
	.p2align	4
	.type	bit_field,@function
bit_field:
	.cfi_startproc
	movq (%rdi), %rax
	movq 8(%rdi), %rax
	movl 0x10(%rdi), %ecx
	movzbl 0x14(%rdi), %edx
	movzbl %dl, %edx
	shlq $0x20, %rdx
	orq %rdx, %rcx
	movabsq $0xffffffffff, %rdx
	andq %rdx, %rcx
	shrdq $0x15, %rcx, %rax
	movabsq $0x1ffffffff, %rcx
	andq %rcx, %rax
	retq
	.size	bit_field, .-bit_field
	.cfi_endproc
	.globl	set_bit_field
	.p2align	4
	.type	set_bit_field,@function
set_bit_field:
	.cfi_startproc
	movq (%rdi), %rax
	movq 8(%rdi), %rcx
	movl 0x10(%rdi), %edx
	movzbl 0x14(%rdi), %r8d
	shlq $0x20, %r8
	orq %r8, %rdx
	movabsq $0x1ffffffff, %r8
	andq %r8, %rsi
	movq %rsi, %r8
	shlq $0x15, %r8
	xorl %r9d, %r9d
	shldq $0x15, %rsi, %r9
	movabsq $-0x3fffffffe00001, %rsi
	andq %rsi, %rcx
	orq %r8, %rcx
	orq %r9, %rdx
	movq %rax, (%rdi)
	movq %rcx, 8(%rdi)
	movl %edx, 0x10(%rdi)
	shrq $0x20, %rdx
	movb %dl, 0x14(%rdi)
	retq
	.size	set_bit_field, .-set_bit_field
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
