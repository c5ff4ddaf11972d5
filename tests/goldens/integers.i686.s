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
	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2
.LCPI0:
	.ascii	"gfff"
	.p2align	2
.LCPI1:
	.ascii	"ffff"
	.p2align	2
.LCPI2:
	.long	0xa
	.section	.text,"ax",@progbits
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
	pushl %edi
	.cfi_def_cfa_offset 16
	.cfi_offset 7, -16
	subl $0x70, %esp
	.cfi_def_cfa_offset 128
	movl 0x80(%esp), %ebx
	movl 0x84(%esp), %edi
	movl %ebx, (%esp)
	movl %edi, 4(%esp)
	movl 0x88(%esp), %eax
	movl %eax, 8(%esp)
	movl 0x8c(%esp), %ecx
	movl %ecx, 0xc(%esp)
	calll __divdi3@PLT
	movl %ebx, %ecx
	movl %edx, %esi
	movl %eax, 0x10(%esp)
	movl %ecx, %eax
	mull .LCPI0
	movl %ebx, %ecx
	movl %edx, 0x18(%esp)
	movl %eax, 0x20(%esp)
	movl %ecx, %eax
	mull .LCPI1
	movl 0x18(%esp), %ecx
	addl %ecx, %eax
	adcl $0, %edx
	movl %edi, %ecx
	movl %edx, 0x28(%esp)
	movl %eax, 0x30(%esp)
	movl %ecx, %eax
	mull .LCPI0
	movl 0x30(%esp), %ecx
	addl %ecx, %eax
	adcl $0, %edx
	movl %edi, %ecx
	movl %edx, 0x38(%esp)
	movl %eax, 0x40(%esp)
	movl %ecx, %eax
	mull .LCPI1
	movl 0x28(%esp), %ecx
	addl %ecx, %eax
	adcl $0, %edx
	movl 0x38(%esp), %ecx
	addl %ecx, %eax
	adcl $0, %edx
	movl %edi, %ecx
	movl %esi, 0x48(%esp)
	movl %ecx, %esi
	sarl $0x1f, %esi
	sarl $0x1f, %ecx
	movl %esi, 0x50(%esp)
	movl %ecx, %esi
	andl $0x66666667, %esi
	movl %ecx, 0x58(%esp)
	movl 0x50(%esp), %ecx
	andl $0x66666666, %ecx
	subl %esi, %eax
	sbbl %ecx, %edx
	shrdl $2, %edx, %eax
	sarl $2, %edx
	subl 0x58(%esp), %eax
	sbbl 0x50(%esp), %edx
	movl %edx, %ecx
	movl %eax, %esi
	movl %ecx, 0x60(%esp)
	movl 0x60(%esp), %ecx
	imull $0xa, %ecx
	movl %esi, %eax
	mull .LCPI2
	addl %ecx, %edx
	subl %eax, %ebx
	sbbl %edx, %edi
	movl 0x10(%esp), %eax
	addl %ebx, %eax
	movl 0x48(%esp), %ecx
	adcl %edi, %ecx
	movl %ecx, %edx
	.cfi_remember_state
	addl $0x70, %esp
	.cfi_def_cfa_offset 16
	popl %edi
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
	subl $0x1c, %esp
	.cfi_def_cfa_offset 32
	movl 0x28(%esp), %eax
	xorl %ecx, %ecx
	movl %ecx, %edx
	movl %eax, %ecx
	movl %eax, (%esp)
	movl 0x20(%esp), %eax
	movl %edx, 8(%esp)
	movl 0x24(%esp), %edx
	shldl %cl, %eax, %edx
	shll %cl, %eax
	testb $0x20, %cl
	cmovnel %eax, %edx
	movl $0, %ecx
	cmovnel %ecx, %eax
	shrdl $3, %edx, %eax
	sarl $3, %edx
	xorl $-1, %eax
	xorl $-1, %edx
	.cfi_remember_state
	addl $0x1c, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
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
	subl $0xac, %esp
	.cfi_def_cfa_offset 192
	movl 0xc0(%esp), %ebx
	movl 0xe4(%esp), %ebp
	movl 0xe8(%esp), %edi
	movl 0xd0(%esp), %eax
	movl 0xe0(%esp), %ecx
	addl %ecx, %eax
	setbb %dl
	movzbl %dl, %edx
	movl 0xd4(%esp), %esi
	addl %ebp, %esi
	setbb %cl
	movzbl %cl, %ecx
	movl %eax, (%esp)
	movl %esi, %eax
	addl %edx, %eax
	movl %ecx, 8(%esp)
	setbb %cl
	movzbl %cl, %ecx
	orl 8(%esp), %ecx
	movl 0xd8(%esp), %edx
	addl %edi, %edx
	movl %eax, 0x10(%esp)
	setbb %al
	movzbl %al, %eax
	movl %edx, %esi
	addl %ecx, %esi
	movl %eax, 0x18(%esp)
	setbb %al
	movzbl %al, %eax
	orl 0x18(%esp), %eax
	movl 0xec(%esp), %ecx
	movl 0xdc(%esp), %edx
	addl %ecx, %edx
	addl %eax, %edx
	movl (%esp), %eax
	xorl %ecx, %ecx
	movl %edx, 0x20(%esp)
	movl 0x10(%esp), %edx
	movl %esi, 0x28(%esp)
	xorl %esi, %esi
	movl %edx, 0x30(%esp)
	movl 0xe0(%esp), %edx
	movl %esi, 0x38(%esp)
	xorl %esi, %esi
	movl %edx, 0x40(%esp)
	movl %ebp, %edx
	movl %esi, 0x48(%esp)
	xorl %esi, %esi
	movl %edx, 0x50(%esp)
	movl %eax, 0x58(%esp)
	movl 0x58(%esp), %eax
	mull 0x40(%esp)
	movl %esi, 0x60(%esp)
	movl %eax, %esi
	movl %edx, 0x68(%esp)
	movl 0x58(%esp), %eax
	mull 0x50(%esp)
	addl 0x68(%esp), %eax
	adcl $0, %edx
	movl %esi, 0x70(%esp)
	movl %eax, %esi
	movl %edx, 0x78(%esp)
	movl 0x58(%esp), %eax
	mull %edi
	addl 0x78(%esp), %eax
	adcl $0, %edx
	movl %esi, 0x80(%esp)
	movl %eax, %esi
	movl %esi, 0x88(%esp)
	movl (%esp), %esi
	imull 0xec(%esp), %esi
	addl %edx, %esi
	movl 0x30(%esp), %eax
	mull 0x40(%esp)
	addl 0x80(%esp), %eax
	adcl $0, %edx
	movl %esi, 0x90(%esp)
	movl %eax, %esi
	movl %edx, 0x98(%esp)
	movl 0x30(%esp), %eax
	mull 0x50(%esp)
	addl 0x88(%esp), %eax
	adcl $0, %edx
	addl 0x98(%esp), %eax
	adcl $0, %edx
	movl %esi, 0xa0(%esp)
	movl %eax, %esi
	imull 0x10(%esp), %edi
	addl 0x90(%esp), %edi
	addl %edx, %edi
	movl 0x28(%esp), %eax
	mull 0x40(%esp)
	addl %esi, %eax
	adcl $0, %edx
	movl %eax, %esi
	imull 0x28(%esp), %ebp
	addl %ebp, %edi
	addl %edx, %edi
	movl 0x20(%esp), %edx
	imull 0xe0(%esp), %edx
	addl %edx, %edi
	movl 0x70(%esp), %edx
	movl %edx, (%ebx)
	movl 0xa0(%esp), %edx
	movl %edx, 4(%ebx)
	movl %esi, 8(%ebx)
	movl %edi, 0xc(%ebx)
	movl %ebx, %eax
	.cfi_remember_state
	addl $0xac, %esp
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
