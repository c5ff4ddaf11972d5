	.file	"memory.ll"
	.section	.text,"ax",@progbits
	.globl	globals
	.p2align	2
	.type	globals,@function
globals:
	.cfi_startproc
	adrp	x9, counter
	ldr	w9, [x9, :lo12:counter]
	adrp	x10, :got:elsewhere
	ldr	x10, [x10, :got_lo12:elsewhere]
	ldr	w10, [x10, #0]
	adrp	x11, table
	add	x11, x11, :lo12:table
	ldr	w11, [x11, x0, lsl #2]
	add	w0, w9, w10
	add	w0, w0, w11
	adrp	x9, counter
	str	w0, [x9, :lo12:counter]
	ret
	.size	globals, .-globals
	.cfi_endproc
	.globl	index
	.p2align	2
	.type	index,@function
index:
	.cfi_startproc
	add	x9, x0, x1, lsl #3
	ldr	x9, [x9, #24]
	movz	w17, #24, lsl #0
	madd	x10, x1, x17, x0
	add	x11, x10, w2, sxtw #1
	ldrsh	x8, [x11, #4]
	add	x0, x9, x8
	ret
	.size	index, .-index
	.cfi_endproc
	.globl	blocks
	.p2align	2
	.type	blocks,@function
blocks:
	.cfi_startproc
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	sub	sp, sp, #48
	.cfi_def_cfa_offset 64
	ldr	q16, [x0, #0]
	ldr	q17, [x0, #16]
	stp	q16, q17, [sp, #0]
	ldr	d16, [x0, #32]
	str	d16, [sp, #32]
	mov	x2, x1
	movz	w1, #0, lsl #0
	bl	memset
	ldr	x0, [sp, #16]
	.cfi_remember_state
	add	sp, sp, #48
	.cfi_def_cfa_offset 16
	ldr	x30, [sp], #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
	.size	blocks, .-blocks
	.cfi_endproc
	.globl	updates
	.p2align	2
	.type	updates,@function
updates:
	.cfi_startproc
	ldr	x9, [x0, #0]
	sub	x9, x9, x1
	str	x9, [x0, #0]
	ldrb	w9, [x0, #8]
	orr	w9, w2, w9
	strb	w9, [x0, #8]
	ldr	x9, [x0, #0]
	sub	x9, x1, x9
	str	x9, [x0, #0]
	ret
	.size	updates, .-updates
	.cfi_endproc
	.globl	rows
	.p2align	2
	.type	rows,@function
rows:
	.cfi_startproc
	ubfm	w2, w2, #0, #0
	tbz	w2, #0, .LBB4_20
	add	x9, x0, x1, lsl #2
	ldr	w0, [x9, #32]
	ret
.LBB4_20:
	movz	w0, #0, lsl #0
	ret
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
