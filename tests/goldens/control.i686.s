	.file	"control.ll"
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
	xorl %edi, %edi
	xorl %ebp, %ebp
	xorl %ebx, %ebx
	xorl %esi, %esi
.LBB0_12:
	addl %edi, %ebx
	adcl %ebp, %esi
	addl $1, %edi
	adcl $0, %ebp
	cmpl 0x14(%esp), %edi
	movl %ebp, %eax
	sbbl 0x18(%esp), %eax
	jb .LBB0_12
	movl %ebx, %eax
	movl %esi, %edx
	.cfi_remember_state
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
	movl 4(%esp), %eax
	movl %eax, %ecx
	cmpl $4, %ecx
	ja .LBB1_50
	leal .LJTI1_0, %edx
	movl (%edx,%ecx,4), %ecx
	addl %edx, %ecx
	jmpl *%ecx
	jmp .LBB1_50
.LBB1_26:
	movl $0xa, %eax
	retl
.LBB1_32:
	movl $0x14, %eax
	retl
.LBB1_38:
	movl $0x1e, %eax
	retl
.LBB1_44:
	movl $0x28, %eax
	retl
.LBB1_50:
	movl $-1, %eax
	retl
	.size	dense, .-dense
	.cfi_endproc
	.section	.rodata,"a",@progbits
	.p2align	2
.LJTI1_0:
	.long	.LBB1_26-.LJTI1_0
	.long	.LBB1_32-.LJTI1_0
	.long	.LBB1_38-.LJTI1_0
	.long	.LBB1_26-.LJTI1_0
	.long	.LBB1_44-.LJTI1_0
	.section	.text,"ax",@progbits
	.globl	sparse
	.p2align	4
	.type	sparse,@function
sparse:
	.cfi_startproc
	movl 4(%esp), %eax
	cmpl $5, %eax
	je .LBB2_18
	cmpl $0x186a0, %eax
	je .LBB2_24
	jmp .LBB2_30
.LBB2_18:
	movl $1, %eax
	retl
.LBB2_24:
	movl $2, %eax
	retl
.LBB2_30:
	movl $3, %eax
	retl
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
	movl 0x34(%esp), %edi
	movl 0x30(%esp), %ebp
	movl $1, %ebx
	xorl %esi, %esi
	movl $2, (%esp)
	movl $0, 8(%esp)
.LBB3_37:
	subl $1, %ebp
	sbbl $0, %edi
	movl %ebp, %eax
	orl %edi, %eax
	je .LBB3_69
	movl %ebx, %eax
	movl (%esp), %ebx
	movl %eax, (%esp)
	movl %esi, %eax
	movl 8(%esp), %esi
	movl %eax, 8(%esp)
	jmp .LBB3_37
.LBB3_69:
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
	.size	swap, .-swap
	.cfi_endproc
	.globl	both
	.p2align	4
	.type	both,@function
both:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	movl 8(%esp), %ebx
	cmpl $3, %ebx
	setgb %al
	movl 0xc(%esp), %ecx
	cmpl %ebx, %ecx
	setbb %cl
	andl %ecx, %eax
	testb %al, %al
	je .LBB4_33
	movl $1, %eax
	.cfi_remember_state
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
.LBB4_33:
	movl $2, %eax
	.cfi_remember_state
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	both, .-both
	.cfi_endproc
	.globl	either
	.p2align	4
	.type	either,@function
either:
	.cfi_startproc
	movl 8(%esp), %eax
	cmpl $9, %eax
	movl 0xc(%esp), %ecx
	sbbl $0, %ecx
	setlb %al
	movl $1, %ecx
	cmpl $3, 4(%esp)
	movl %eax, %edx
	cmovel %ecx, %edx
	testb %dl, %dl
	je .LBB5_42
	movl $1, %eax
	retl
.LBB5_42:
	movl $2, %eax
	retl
	.size	either, .-either
	.cfi_endproc
	.globl	counted
	.p2align	4
	.type	counted,@function
counted:
	.cfi_startproc
	pushl %ebx
	.cfi_def_cfa_offset 8
	.cfi_offset 3, -8
	pushl %esi
	.cfi_def_cfa_offset 12
	.cfi_offset 6, -12
	movl 0xc(%esp), %ebx
	leal -7(%ebx), %esi
	movl 0x10(%esp), %eax
	movl %esi, (%eax)
	movl %esi, %eax
	subl %ebx, %eax
	movl %eax, %ebx
	jne .LBB6_28
	movl %ebx, %eax
	.cfi_remember_state
	popl %esi
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
.LBB6_28:
	leal (%ebx,%esi), %eax
	.cfi_remember_state
	popl %esi
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	counted, .-counted
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
