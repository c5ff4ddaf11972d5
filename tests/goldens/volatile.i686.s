	.file	"volatile.ll"
	.section	.text,"ax",@progbits
	.globl	unused
	.p2align	4
	.type	unused,@function
unused:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	movl 8(%esp), %ebx
	movzbl (%ebx), %eax
	movl (%ebx), %eax
	movl 4(%ebx), %eax
	movl (%ebx), %eax
	movl 4(%ebx), %eax
	movl 8(%ebx), %eax
	movl 0xc(%ebx), %eax
	movss (%ebx), %xmm0
	movaps (%ebx), %xmm0
	movl (%ebx), %eax
	movl 4(%ebx), %eax
	movl 8(%ebx), %eax
	.cfi_remember_state
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	unused, .-unused
	.cfi_endproc
	.globl	used_in_vain
	.p2align	4
	.type	used_in_vain,@function
used_in_vain:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	movl 8(%esp), %ebx
	movl (%ebx), %eax
	movl 4(%ebx), %eax
	movl (%ebx), %eax
	movl 4(%ebx), %ecx
	movl (%ebx), %edx
	movl 4(%ebx), %ebx
	addl %eax, %edx
	adcl %ecx, %ebx
	movl %edx, %eax
	movl %ebx, %edx
	.cfi_remember_state
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	used_in_vain, .-used_in_vain
	.cfi_endproc
	.globl	bit_field
	.p2align	4
	.type	bit_field,@function
bit_field:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	movl 8(%esp), %ebx
	movl (%ebx), %eax
	movl 4(%ebx), %eax
	movl 8(%ebx), %eax
	movl 0xc(%ebx), %ecx
	movl 0x10(%ebx), %edx
	movzbl 0x14(%ebx), %ebx
	shrdl $0x15, %ecx, %eax
	shrdl $0x15, %edx, %ecx
	andl $1, %ecx
	movl %ecx, %edx
	.cfi_remember_state
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	bit_field, .-bit_field
	.cfi_endproc
	.globl	set_bit_field
	.p2align	4
	.type	set_bit_field,@function
set_bit_field:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	pushl %esi
	.cfi_def_cfa_offset 12
	.cfi_offset 6, -12
	subl $0x34, %esp
	.cfi_def_cfa_offset 64
	movl 0x40(%esp), %ebx
	movl 0x44(%esp), %esi
	movl (%ebx), %eax
	movl 4(%ebx), %ecx
	movl 8(%ebx), %edx
	movl %ecx, (%esp)
	movl 0xc(%ebx), %ecx
	movl %eax, 8(%esp)
	movl 0x10(%ebx), %eax
	movl %eax, 0x10(%esp)
	movzbl 0x14(%ebx), %eax
	movl %eax, 0x18(%esp)
	movl 0x48(%esp), %eax
	andl $1, %eax
	movl %ecx, 0x20(%esp)
	movl %esi, %ecx
	shll $0x15, %ecx
	movl %ecx, 0x28(%esp)
	movl %eax, %ecx
	shldl $0x15, %esi, %ecx
	xorl %esi, %esi
	shldl $0x15, %eax, %esi
	andl $0x1fffff, %edx
	movl 0x20(%esp), %eax
	andl $-0x400000, %eax
	orl 0x28(%esp), %edx
	orl %ecx, %eax
	movl 8(%esp), %ecx
	movl %ecx, (%ebx)
	movl (%esp), %ecx
	movl %ecx, 4(%ebx)
	movl %edx, 8(%ebx)
	movl %eax, 0xc(%ebx)
	orl 0x10(%esp), %esi
	movl %esi, 0x10(%ebx)
	movl 0x18(%esp), %eax
	movb %al, 0x14(%ebx)
	.cfi_remember_state
	addl $0x34, %esp
	.cfi_def_cfa_offset 12
	popl %esi
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	set_bit_field, .-set_bit_field
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
