	.file	"floats_quad.ll"
	.section	.text,"ax",@progbits
	.globl	long_double
	.p2align	2
	.type	long_double,@function
long_double:
	.cfi_startproc
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	bl	__addtf3
	.cfi_remember_state
	ldr	x30, [sp], #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
	.size	long_double, .-long_double
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
