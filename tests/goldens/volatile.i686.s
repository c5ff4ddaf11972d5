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
	movl 4(%ebx), %ecx
	movl (%ebx), %eax
	movl 4(%ebx), %eax
	movl 8(%ebx), %eax
	movl 0xc(%ebx), %eax
	movss (%ebx), %xmm0
	movaps (%ebx), %xmm0
	movl (%ebx), %eax
	movl 4(%ebx), %eax
	movl 8(%ebx), %ecx
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
	subl $8, %esp
	.cfi_def_cfa_offset 16
	movl 0x10(%esp), %ebx
	movl (%ebx), %eax
	movl 4(%ebx), %ecx
	movl (%ebx), %eax
	movl 4(%ebx), %ecx
	movl (%ebx), %edx
	movl %eax, (%esp)
	movl 4(%ebx), %eax
	addl (%esp), %edx
	adcl %ecx, %eax
	xchgl %eax, %edx
	.cfi_remember_state
	addl $8, %esp
	.cfi_def_cfa_offset 8
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
	subl $0x18, %esp
	.cfi_def_cfa_offset 32
	movl 0x20(%esp), %ebx
	movl (%ebx), %eax
	movl 4(%ebx), %eax
	movl 8(%ebx), %eax
	movl 0xc(%ebx), %ecx
	movl 0x10(%ebx), %edx
	movzbl 0x14(%ebx), %ebx
	shrdl $0x15, %ecx, %eax
	shrdl $0x15, %edx, %ecx
	andl $1, %ecx
	xorl %edx, %edx
	xorl %ebx, %ebx
	movl %eax, (%esp)
	movl %ecx, %eax
	movl %edx, 8(%esp)
	xorl %edx, %edx
	movl (%esp), %ecx
	orl %edx, %ecx
	movl %edx, 0x10(%esp)
	movl 8(%esp), %edx
	orl %eax, %edx
	movl %ecx, %eax
	.cfi_remember_state
	addl $0x18, %esp
	.cfi_def_cfa_offset 8
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
	pushl %edi
	.cfi_def_cfa_offset 16
	.cfi_offset 7, -16
	subl $0x30, %esp
	.cfi_def_cfa_offset 64
	movl 0x40(%esp), %ebx
	movl 0x44(%esp), %esi
	movl 0x48(%esp), %edi
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
	movl %esi, %eax
	andl $1, %edi
	movl %eax, %esi
	shll $0x15, %esi
	movl %esi, 0x20(%esp)
	movl %edi, %esi
	shldl $0x15, %eax, %esi
	xorl %eax, %eax
	shldl $0x15, %edi, %eax
	andl $0x1fffff, %edx
	andl $-0x400000, %ecx
	orl 0x20(%esp), %edx
	orl %esi, %ecx
	movl 8(%esp), %esi
	movl %esi, (%ebx)
	movl (%esp), %esi
	movl %esi, 4(%ebx)
	movl %edx, 8(%ebx)
	movl %ecx, 0xc(%ebx)
	orl 0x10(%esp), %eax
	movl %eax, 0x10(%ebx)
	movl 0x18(%esp), %eax
	movb %al, 0x14(%ebx)
	.cfi_remember_state
	addl $0x30, %esp
	.cfi_def_cfa_offset 16
	popl %edi
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
