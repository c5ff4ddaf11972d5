	.file	"conventions.ll"
	.section	.text,"ax",@progbits
	.globl	keeps_most
	.p2align	2
	.type	keeps_most,@function
keeps_most:
	.cfi_startproc
	str	x9, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 9, -16
	udiv	x9, x1, x2
	str	x9, [x0, #0]
	mov	x0, x9
	.cfi_remember_state
	ldr	x9, [sp], #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
	.size	keeps_most, .-keeps_most
	.cfi_endproc
	.globl	keeps_all
	.p2align	2
	.type	keeps_all,@function
keeps_all:
	.cfi_startproc
	sub	sp, sp, #16
	.cfi_def_cfa_offset 16
	str	q16, [sp, #0]
	.cfi_offset 80, -16
	fadd	d16, d0, d0
	fmul	d16, d16, d0
	str	d16, [x0, #0]
	ldr	q16, [sp, #0]
	.cfi_remember_state
	add	sp, sp, #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
	.size	keeps_all, .-keeps_all
	.cfi_endproc
	.globl	calls_what_keeps_none
	.p2align	2
	.type	calls_what_keeps_none,@function
calls_what_keeps_none:
	.cfi_startproc
	stp	x19, x20, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 19, -16
	.cfi_offset 20, -8
	stp	x21, x22, [sp, #-16]!
	.cfi_def_cfa_offset 32
	.cfi_offset 21, -32
	.cfi_offset 22, -24
	stp	x23, x24, [sp, #-16]!
	.cfi_def_cfa_offset 48
	.cfi_offset 23, -48
	.cfi_offset 24, -40
	stp	x25, x26, [sp, #-16]!
	.cfi_def_cfa_offset 64
	.cfi_offset 25, -64
	.cfi_offset 26, -56
	stp	x27, x28, [sp, #-16]!
	.cfi_def_cfa_offset 80
	.cfi_offset 27, -80
	.cfi_offset 28, -72
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 96
	.cfi_offset 29, -96
	.cfi_offset 30, -88
	stp	d8, d9, [sp, #-16]!
	.cfi_def_cfa_offset 112
	.cfi_offset 72, -112
	.cfi_offset 73, -104
	stp	d10, d11, [sp, #-16]!
	.cfi_def_cfa_offset 128
	.cfi_offset 74, -128
	.cfi_offset 75, -120
	stp	d12, d13, [sp, #-16]!
	.cfi_def_cfa_offset 144
	.cfi_offset 76, -144
	.cfi_offset 77, -136
	stp	d14, d15, [sp, #-16]!
	.cfi_def_cfa_offset 160
	.cfi_offset 78, -160
	.cfi_offset 79, -152
	sub	sp, sp, #16
	.cfi_def_cfa_offset 176
	str	x1, [sp, #0]
	mov	x29, x0
	mov	x22, x2
	ldr	x21, [sp, #0]
	mov	x20, x29
	bl	keeps_none
	ldr	x9, [sp, #0]
	str	x9, [x29, #0]
	.cfi_remember_state
	add	sp, sp, #16
	.cfi_def_cfa_offset 160
	ldp	d14, d15, [sp], #16
	.cfi_def_cfa_offset 144
	ldp	d12, d13, [sp], #16
	.cfi_def_cfa_offset 128
	ldp	d10, d11, [sp], #16
	.cfi_def_cfa_offset 112
	ldp	d8, d9, [sp], #16
	.cfi_def_cfa_offset 96
	ldp	x29, x30, [sp], #16
	.cfi_def_cfa_offset 80
	ldp	x27, x28, [sp], #16
	.cfi_def_cfa_offset 64
	ldp	x25, x26, [sp], #16
	.cfi_def_cfa_offset 48
	ldp	x23, x24, [sp], #16
	.cfi_def_cfa_offset 32
	ldp	x21, x22, [sp], #16
	.cfi_def_cfa_offset 16
	ldp	x19, x20, [sp], #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
	.size	calls_what_keeps_none, .-calls_what_keeps_none
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
