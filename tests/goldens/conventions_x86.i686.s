	.file	"conventions_x86.ll"
	.section	.text,"ax",@progbits
	.globl	takes_its_own_off
	.p2align	4
	.type	takes_its_own_off,@function
takes_its_own_off:
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
	subl $0x10, %esp
	.cfi_def_cfa_offset 32
	movl 0x20(%esp), %ebx
	movl 0x24(%esp), %esi
	movl 0x28(%esp), %edi
	movl %edi, (%esp)
	movl %ebx, 4(%esp)
	movl %esi, 8(%esp)
	calll takes_off@PLT
	.cfi_def_cfa_offset 20
	subl $0xc, %esp
	.cfi_def_cfa_offset 32
	movl $7, (%esp)
	movl %edi, %edx
	movl %eax, %ecx
	calll in_registers@PLT
	.cfi_def_cfa_offset 28
	subl $4, %esp
	.cfi_def_cfa_offset 32
	movl %eax, %ecx
	sarl $0x1f, %ecx
	movl %eax, %edi
	movl %ebx, %eax
	mull %edi
	imull %ecx, %ebx
	addl %ebx, %edx
	imull %esi, %edi
	addl %edi, %edx
	.cfi_remember_state
	addl $0x10, %esp
	.cfi_def_cfa_offset 16
	popl %edi
	.cfi_def_cfa_offset 12
	popl %esi
	.cfi_def_cfa_offset 8
	popl %ebx
	.cfi_def_cfa_offset 4
	retl $0xc
	.cfi_restore_state
	.size	takes_its_own_off, .-takes_its_own_off
	.cfi_endproc
	.globl	regparm
	.p2align	4
	.type	regparm,@function
regparm:
	.cfi_startproc
	subl $0x1c, %esp
	.cfi_def_cfa_offset 32
	movl %edx, 8(%esp)
	movl %eax, (%esp)
	movsd 0x20(%esp), %xmm6
	movl (%esp), %eax
	addl 8(%esp), %eax
	cvttsd2si %xmm6, %ecx
	addl %ecx, %eax
	.cfi_remember_state
	addl $0x1c, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	regparm, .-regparm
	.cfi_endproc
	.globl	on_the_stack_of_floats
	.p2align	4
	.type	on_the_stack_of_floats,@function
on_the_stack_of_floats:
	.cfi_startproc
	subl $0x2c, %esp
	.cfi_def_cfa_offset 48
	fldt 0x38(%esp)
	fstpt (%esp)
	movsd 0x30(%esp), %xmm6
	fldt (%esp)
	fstpl 0x10(%esp)
	movsd 0x10(%esp), %xmm0
	addsd %xmm0, %xmm6
	movsd %xmm6, 0x18(%esp)
	fldl 0x18(%esp)
	.cfi_remember_state
	addl $0x2c, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	on_the_stack_of_floats, .-on_the_stack_of_floats
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
