	.file	"memory.ll"
	.section	.text,"ax",@progbits
	.globl	globals
	.p2align	4
	.type	globals,@function
globals:
	.cfi_startproc
	movl counter, %eax
	movl $elsewhere, %ecx
	addl (%ecx), %eax
	movl 4(%esp), %ecx
	addl table(,%ecx,4), %eax
	movl %eax, counter
	retl
	.size	globals, .-globals
	.cfi_endproc
	.globl	index
	.p2align	4
	.type	index,@function
index:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	pushl %esi
	.cfi_def_cfa_offset 12
	.cfi_offset 6, -12
	movl 0xc(%esp), %ebx
	movl 0x10(%esp), %esi
	leal (%ebx,%esi,8), %eax
	movl 0x18(%eax), %ecx
	movl 0x1c(%eax), %edx
	imull $0x18, %esi, %eax
	leal (%ebx,%eax), %eax
	movl 0x18(%esp), %ebx
	movswl 4(%eax,%ebx,2), %eax
	movl %eax, %ebx
	sarl $0x1f, %ebx
	addl %eax, %ecx
	adcl %ebx, %edx
	movl %ecx, %eax
	.cfi_remember_state
	popl %esi
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	index, .-index
	.cfi_endproc
	.globl	blocks
	.p2align	4
	.type	blocks,@function
blocks:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	subl $0x38, %esp
	.cfi_def_cfa_offset 64
	movl 0x40(%esp), %ebx
	movups (%ebx), %xmm0
	movups %xmm0, 0x10(%esp)
	movups 0x10(%ebx), %xmm0
	movups %xmm0, 0x20(%esp)
	movsd 0x20(%ebx), %xmm0
	movsd %xmm0, 0x30(%esp)
	movl %ebx, (%esp)
	movl $0, 4(%esp)
	movl 0x44(%esp), %eax
	movl %eax, 8(%esp)
	calll memset@PLT
	movl 0x20(%esp), %eax
	movl 0x24(%esp), %edx
	.cfi_remember_state
	addl $0x38, %esp
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	blocks, .-blocks
	.cfi_endproc
	.globl	updates
	.p2align	4
	.type	updates,@function
updates:
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
	movl 0x10(%esp), %ebx
	movl 0x14(%esp), %esi
	movl 0x18(%esp), %edi
	movl (%ebx), %eax
	movl 4(%ebx), %ecx
	subl %esi, %eax
	sbbl %edi, %ecx
	movl %eax, (%ebx)
	movl %ecx, 4(%ebx)
	movl 0x1c(%esp), %eax
	orb %al, 8(%ebx)
	movl (%ebx), %eax
	subl %eax, %esi
	sbbl 4(%ebx), %edi
	movl %esi, (%ebx)
	movl %edi, 4(%ebx)
	.cfi_remember_state
	popl %edi
	.cfi_def_cfa_offset 12
	popl %esi
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	updates, .-updates
	.cfi_endproc
	.globl	rows
	.p2align	4
	.type	rows,@function
rows:
	.cfi_startproc
	movl 0x10(%esp), %eax
	andl $1, %eax
	movl %eax, 0x10(%esp)
	cmpb $0, 0x10(%esp)
	je .LBB4_31
	movl 4(%esp), %eax
	movl 8(%esp), %ecx
	movl 0x20(%eax,%ecx,4), %eax
	retl
.LBB4_31:
	xorl %eax, %eax
	retl
	.size	rows, .-rows
	.cfi_endproc
	.section	.bss,"aw",@nobits
	.type	counter,@object
	.p2align	2
counter:
	.zero	4
	.size	counter, 4
	.section	.rodata,"a",@progbits
	.type	table,@object
	.globl	table
	.p2align	2
table:
	.quad	0x200000001, 0x400000003
	.size	table, 16
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
