	.file	"integers.ll"
	.section	.text,"ax",@progbits
	.globl	sum
	.p2align	4
	.type	sum,@function
sum:
	.cfi_startproc
	movl 4(%esp), %eax
	addl 8(%esp), %eax
	imull 0xc(%esp), %eax
	subl $7, %eax
	retl
	.size	sum, .-sum
	.cfi_endproc
	.globl	divide
	.p2align	4
	.type	divide,@function
divide:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	pushl %esi
	.cfi_def_cfa_offset 12
	.cfi_offset 6, -12
	subl $0x64, %esp
	.cfi_def_cfa_offset 112
	movl 0x70(%esp), %ebx
	movl 0x74(%esp), %esi
	movl %ebx, (%esp)
	movl %esi, 4(%esp)
	movl 0x78(%esp), %eax
	movl %eax, 8(%esp)
	movl 0x7c(%esp), %ecx
	movl %ecx, 0xc(%esp)
	calll __divdi3@PLT
	movl %edx, %ecx
	movl %eax, 0x10(%esp)
	movl %ebx, %eax
	movl %ecx, 0x18(%esp)
	movl $0x66666667, %ecx
	mull %ecx
	movl %edx, %eax
	movl %eax, %ecx
	movl %ebx, %eax
	movl %ecx, 0x20(%esp)
	movl $0x66666666, %ecx
	mull %ecx
	addl 0x20(%esp), %eax
	adcl $0, %edx
	movl %edx, %ecx
	movl %eax, 0x28(%esp)
	movl %esi, %eax
	movl %ecx, 0x30(%esp)
	movl $0x66666667, %ecx
	mull %ecx
	addl 0x28(%esp), %eax
	adcl $0, %edx
	movl %edx, %eax
	movl %eax, %ecx
	movl %esi, %eax
	movl %ecx, 0x38(%esp)
	movl $0x66666666, %ecx
	mull %ecx
	addl 0x30(%esp), %eax
	adcl $0, %edx
	addl 0x38(%esp), %eax
	adcl $0, %edx
	movl %esi, %ecx
	sarl $0x1f, %ecx
	movl %edx, 0x40(%esp)
	movl %esi, %edx
	shrdl $0x1f, %ecx, %edx
	movl %ecx, 0x48(%esp)
	movl %edx, %ecx
	andl $0x66666667, %ecx
	movl %edx, 0x50(%esp)
	movl 0x48(%esp), %edx
	andl $0x66666666, %edx
	subl %ecx, %eax
	movl 0x40(%esp), %ecx
	sbbl %edx, %ecx
	movl %ecx, %edx
	sarl $0x1f, %edx
	shrdl $2, %ecx, %eax
	shrdl $2, %edx, %ecx
	subl 0x50(%esp), %eax
	sbbl 0x48(%esp), %ecx
	movl %ecx, 0x58(%esp)
	movl $0xa, %ecx
	mull %ecx
	imull $0xa, 0x58(%esp), %ecx
	addl %ecx, %edx
	subl %eax, %ebx
	sbbl %edx, %esi
	addl 0x10(%esp), %ebx
	adcl 0x18(%esp), %esi
	movl %ebx, %eax
	movl %esi, %edx
	.cfi_remember_state
	addl $0x64, %esp
	.cfi_def_cfa_offset 12
	popl %esi
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	divide, .-divide
	.cfi_endproc
	.globl	shifts
	.p2align	4
	.type	shifts,@function
shifts:
	.cfi_startproc
	movl 0xc(%esp), %ecx
	movl 4(%esp), %eax
	movl 8(%esp), %edx
	shldl %cl, %eax, %edx
	shll %cl, %eax
	testb $0x20, %cl
	cmovnel %eax, %edx
	movl $0, %ecx
	cmovnel %ecx, %eax
	movl %edx, %ecx
	sarl $0x1f, %ecx
	shrdl $3, %edx, %eax
	shrdl $3, %ecx, %edx
	xorl $-1, %eax
	xorl $-1, %edx
	retl
	.size	shifts, .-shifts
	.cfi_endproc
	.globl	small
	.p2align	4
	.type	small,@function
small:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	pushl %esi
	.cfi_def_cfa_offset 12
	.cfi_offset 6, -12
	movl 0xc(%esp), %ebx
	movl 0x10(%esp), %esi
	movl %ebx, %eax
	movl %esi, %ecx
	movzbl %cl, %ecx
	movzbl %al, %eax
	xorl %edx, %edx
	divl %ecx
	cmpb $3, %al
	movl %esi, %ecx
	cmovll %ebx, %ecx
	movl %ecx, %eax
	.cfi_remember_state
	popl %esi
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	small, .-small
	.cfi_endproc
	.globl	wide
	.p2align	4
	.type	wide,@function
wide:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	pushl %ebp
	.cfi_def_cfa_offset 12
	.cfi_offset 5, -12
	pushl %esi
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	pushl %edi
	.cfi_def_cfa_offset 20
	.cfi_offset 7, -20
	subl $0x7c, %esp
	.cfi_def_cfa_offset 144
	movl 0x90(%esp), %ebx
	movl 0xb0(%esp), %esi
	movl 0xb4(%esp), %edi
	movl 0xb8(%esp), %ebp
	movl 0xa0(%esp), %eax
	addl %esi, %eax
	setbb %cl
	movzbl %cl, %ecx
	movl 0xa4(%esp), %edx
	addl %edi, %edx
	movl %eax, (%esp)
	setbb %al
	movzbl %al, %eax
	movl %eax, 8(%esp)
	movl %edx, %eax
	addl %ecx, %eax
	movl %edx, 0x10(%esp)
	setbb %dl
	movzbl %dl, %ecx
	orl 8(%esp), %ecx
	movl 0xa8(%esp), %edx
	addl %ebp, %edx
	movl %eax, 0x18(%esp)
	setbb %al
	movzbl %al, %eax
	movl %eax, 0x20(%esp)
	movl %edx, %eax
	addl %ecx, %eax
	movl %edx, 0x28(%esp)
	setbb %dl
	movzbl %dl, %ecx
	orl 0x20(%esp), %ecx
	movl 0xbc(%esp), %edx
	movl %eax, 0x30(%esp)
	movl 0xac(%esp), %eax
	addl %edx, %eax
	addl %ecx, %eax
	movl %eax, %ecx
	movl (%esp), %eax
	mull %esi
	movl %edx, 0x38(%esp)
	movl %eax, 0x40(%esp)
	movl (%esp), %eax
	mull %edi
	addl 0x38(%esp), %eax
	adcl $0, %edx
	movl %edx, 0x48(%esp)
	movl %eax, 0x50(%esp)
	movl (%esp), %eax
	mull %ebp
	addl 0x48(%esp), %eax
	adcl $0, %edx
	movl %ecx, 0x58(%esp)
	movl (%esp), %ecx
	imull 0xbc(%esp), %ecx
	addl %edx, %ecx
	movl %eax, 0x60(%esp)
	movl 0x18(%esp), %eax
	mull %esi
	addl 0x50(%esp), %eax
	adcl $0, %edx
	movl %edx, 0x68(%esp)
	movl %eax, 0x70(%esp)
	movl 0x18(%esp), %eax
	mull %edi
	addl 0x60(%esp), %eax
	adcl $0, %edx
	addl 0x68(%esp), %eax
	adcl $0, %edx
	imull 0x18(%esp), %ebp
	addl %ebp, %ecx
	addl %edx, %ecx
	movl %eax, %ebp
	movl 0x30(%esp), %eax
	mull %esi
	addl %ebp, %eax
	adcl $0, %edx
	imull 0x30(%esp), %edi
	addl %edi, %ecx
	addl %edx, %ecx
	imull 0x58(%esp), %esi
	addl %esi, %ecx
	movl 0x40(%esp), %edx
	movl %edx, (%ebx)
	movl 0x70(%esp), %edx
	movl %edx, 4(%ebx)
	movl %eax, 8(%ebx)
	movl %ecx, 0xc(%ebx)
	movl %ebx, %eax
	.cfi_remember_state
	addl $0x7c, %esp
	.cfi_def_cfa_offset 20
	popl %edi
	.cfi_def_cfa_offset 16
	popl %esi
	.cfi_def_cfa_offset 12
	popl %ebp
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl $4
	.cfi_restore_state
	.size	wide, .-wide
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
