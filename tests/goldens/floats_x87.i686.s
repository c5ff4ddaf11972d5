	.file	"floats_x87.ll"
	.section	.text,"ax",@progbits
	.globl	long_double
	.p2align	4
	.type	long_double,@function
long_double:
	.cfi_startproc
	subl $0x3c, %esp
	.cfi_def_cfa_offset 64
	fldt 0x40(%esp)
	fstpt (%esp)
	fldt 0x4c(%esp)
	fstpt 0x10(%esp)
	fldt (%esp)
	fldt 0x10(%esp)
	faddp
	fstpt 0x20(%esp)
	fldt 0x20(%esp)
	.cfi_remember_state
	addl $0x3c, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	long_double, .-long_double
	.cfi_endproc
	.globl	unused
	.p2align	4
	.type	unused,@function
unused:
	.cfi_startproc
	subl $0x1c, %esp
	.cfi_def_cfa_offset 32
	movl 0x20(%esp), %eax
	fldt (%eax)
	fstpt (%esp)
	.cfi_remember_state
	addl $0x1c, %esp
	.cfi_def_cfa_offset 4
	retl
	.cfi_restore_state
	.size	unused, .-unused
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
