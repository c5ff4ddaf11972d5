	.file	"control_32.ll"
	.section	.text,"ax",@progbits
	.globl	sum_to
	.p2align	4
	.type	sum_to,@function
sum_to:
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
	subl $0x1c, %esp
	.cfi_def_cfa_offset 48
	movl 0x30(%esp), %eax
	movl %eax, (%esp)
	movl 0x34(%esp), %eax
	movl %eax, 8(%esp)
	xorl %edi, %edi
	xorl %ebp, %ebp
	xorl %ebx, %ebx
	xorl %esi, %esi
.LBB0_30:
	addl %edi, %ebx
	adcl %ebp, %esi
	addl $1, %edi
	adcl $0, %ebp
	cmpl (%esp), %edi
	movl %ebp, %eax
	sbbl 8(%esp), %eax
	jb .LBB0_30
	movl %ebx, %eax
	movl %esi, %edx
	.cfi_remember_state
	addl $0x1c, %esp
	.cfi_def_cfa_offset 20
	popl %edi
	.cfi_def_cfa_offset 16
	popl %esi
	.cfi_def_cfa_offset 12
	popl %ebp
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	sum_to, .-sum_to
	.cfi_endproc
	.globl	dense
	.p2align	4
	.type	dense,@function
dense:
	.cfi_startproc
	subl $0xc, %esp
	.cfi_def_cfa_offset 16
	movl 0x10(%esp), %eax
	movl %eax, (%esp)
	movl (%esp), %eax
	movl %eax, %ecx
	cmpl $4, %ecx
	ja .LBB1_71
	leal .LJTI1_0, %edx
	movl (%edx,%ecx,4), %ecx
	addl %edx, %ecx
	jmpl *%ecx
	jmp .LBB1_71
.LBB1_35:
	movl $0xa, %eax
	.cfi_remember_state
	addl $0xc, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
.LBB1_44:
	movl $0x14, %eax
	.cfi_remember_state
	addl $0xc, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
.LBB1_53:
	movl $0x1e, %eax
	.cfi_remember_state
	addl $0xc, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
.LBB1_62:
	movl $0x28, %eax
	.cfi_remember_state
	addl $0xc, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
.LBB1_71:
	movl $-1, %eax
	.cfi_remember_state
	addl $0xc, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	dense, .-dense
	.cfi_endproc
	.section	.rodata,"a",@progbits
	.p2align	2
.LJTI1_0:
	.long	.LBB1_35-.LJTI1_0
	.long	.LBB1_44-.LJTI1_0
	.long	.LBB1_53-.LJTI1_0
	.long	.LBB1_35-.LJTI1_0
	.long	.LBB1_62-.LJTI1_0
	.section	.text,"ax",@progbits
	.globl	sparse
	.p2align	4
	.type	sparse,@function
sparse:
	.cfi_startproc
	subl $0xc, %esp
	.cfi_def_cfa_offset 16
	movl 0x10(%esp), %eax
	movl %eax, (%esp)
	movl (%esp), %eax
	cmpl $5, %eax
	je .LBB2_27
	cmpl $0x186a0, %eax
	je .LBB2_36
	jmp .LBB2_45
.LBB2_27:
	movl $1, %eax
	.cfi_remember_state
	addl $0xc, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
.LBB2_36:
	movl $2, %eax
	.cfi_remember_state
	addl $0xc, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
.LBB2_45:
	movl $3, %eax
	.cfi_remember_state
	addl $0xc, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	sparse, .-sparse
	.cfi_endproc
	.globl	swap
	.p2align	4
	.type	swap,@function
swap:
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
	subl $0x1c, %esp
	.cfi_def_cfa_offset 48
	movl 0x30(%esp), %eax
	movl %eax, (%esp)
	movl 0x34(%esp), %eax
	movl %eax, 8(%esp)
	movl 8(%esp), %esi
	movl (%esp), %ebx
	movl $1, 8(%esp)
	xorl %eax, %eax
	movl %eax, (%esp)
	movl $2, %edi
	xorl %ebp, %ebp
.LBB3_49:
	subl $1, %ebx
	sbbl $0, %esi
	movl %ebx, %eax
	orl %esi, %eax
	je .LBB3_81
	movl %edi, %eax
	movl 8(%esp), %edi
	movl %eax, 8(%esp)
	movl %ebp, %eax
	movl (%esp), %ebp
	movl %eax, (%esp)
	jmp .LBB3_49
.LBB3_81:
	movl 8(%esp), %eax
	movl (%esp), %edx
	.cfi_remember_state
	addl $0x1c, %esp
	.cfi_def_cfa_offset 20
	popl %edi
	.cfi_def_cfa_offset 16
	popl %esi
	.cfi_def_cfa_offset 12
	popl %ebp
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	swap, .-swap
	.cfi_endproc
	.section	.note.GNU-stack,"",@progbits
