	.file	"moves.ll"
	.section	.text,"ax",@progbits
	.globl	rotation
	.p2align	2
	.type	rotation,@function
rotation:
	.cfi_startproc
	movz	w2, #0, lsl #0
	movz	w3, #1, lsl #0
	movz	w4, #2, lsl #0
	movz	w5, #3, lsl #0
	movz	w6, #4, lsl #0
	b	.LBB0_44
.LBB0_24:
	mov	w16, w3
	mov	w3, w4
	mov	w4, w5
	mov	w5, w6
	mov	w6, w16
.LBB0_44:
	add	w2, w2, #1
	subs	wzr, w2, w0
	b.lo	.LBB0_24
	eor	w0, w3, w4
	sub	w9, w5, w6
	mul	w0, w0, w9
	ret
	.size	rotation, .-rotation
	.cfi_endproc
	.globl	while
	.p2align	2
	.type	while,@function
while:
	.cfi_startproc
	movz	w2, #0, lsl #0
	movz	w3, #0, lsl #0
	b	.LBB1_24
.LBB1_12:
	ldr	w9, [x0, w2, sxtw #2]
	add	w3, w3, w9
	add	w2, w2, #1
.LBB1_24:
	subs	wzr, w2, w1
	b.lt	.LBB1_12
	mov	w0, w3
	ret
	.size	while, .-while
	.cfi_endproc
	.globl	used_behind
	.p2align	2
	.type	used_behind,@function
used_behind:
	.cfi_startproc
	movz	w2, #0, lsl #0
	b	.LBB2_16
.LBB2_8:
	mul	w2, w2, w0
	sub	w0, w0, #5
.LBB2_16:
	subs	wzr, w0, #7
	b.hs	.LBB2_8
	add	w0, w2, w0
	ret
	.size	used_behind, .-used_behind
	.cfi_endproc
	.globl	choose
	.p2align	2
	.type	choose,@function
choose:
	.cfi_startproc
	cbnz	w0, .LBB3_12
	movz	w0, #1, lsl #0
	ret
.LBB3_12:
	subs	wzr, w1, #9
	b.ge	.LBB3_28
	mov	w0, w1
	ret
.LBB3_28:
	mul	w0, w1, w2
	ret
	.size	choose, .-choose
	.cfi_endproc
	.globl	fib
	.p2align	2
	.type	fib,@function
fib:
	.cfi_startproc
	stp	x19, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 19, -16
	.cfi_offset 30, -8
	sub	sp, sp, #16
	.cfi_def_cfa_offset 32
	mov	w19, w0
	subs	wzr, w19, #2
	b.ge	.LBB4_28
	mov	w0, w19
	b	.LBB4_60
.LBB4_28:
	sub	w0, w19, #1
	bl	fib
	str	w0, [sp, #0]
	sub	w9, w19, #2
	mov	w0, w9
	bl	fib
	ldr	w9, [sp, #0]
	add	w0, w9, w0
	.cfi_remember_state
.LBB4_60:
	add	sp, sp, #16
	.cfi_def_cfa_offset 16
	ldp	x19, x30, [sp], #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
	.size	fib, .-fib
	.cfi_endproc
	.globl	turned
	.p2align	2
	.type	turned,@function
turned:
	.cfi_startproc
	mov	x17, x0
	mov	x0, x1
	mov	x1, x17
	b	callee
	.size	turned, .-turned
	.cfi_endproc
	.globl	given
	.p2align	2
	.type	given,@function
given:
	.cfi_startproc
	mov	x16, x0
	br	x16
	.size	given, .-given
	.cfi_endproc
	.globl	both
	.p2align	2
	.type	both,@function
both:
	.cfi_startproc
	cbnz	w0, .LBB7_12
	mov	w0, w1
	ret
.LBB7_12:
	movz	w1, #7, lsl #0
	b	callee
	.size	both, .-both
	.cfi_endproc
	.globl	after_another
	.p2align	2
	.type	after_another,@function
after_another:
	.cfi_startproc
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	bl	nothing
	.cfi_remember_state
	ldr	x30, [sp], #16
	.cfi_def_cfa_offset 0
	b	nothing
	.cfi_restore_state
	.size	after_another, .-after_another
	.cfi_endproc
	.globl	extended
	.p2align	2
	.type	extended,@function
extended:
	.cfi_startproc
	b	byte
	.size	extended, .-extended
	.cfi_endproc
	.globl	widened
	.p2align	2
	.type	widened,@function
widened:
	.cfi_startproc
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	bl	any_byte
	ubfm	w0, w0, #0, #7
	.cfi_remember_state
	ldr	x30, [sp], #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
	.size	widened, .-widened
	.cfi_endproc
	.globl	unmarked
	.p2align	2
	.type	unmarked,@function
unmarked:
	.cfi_startproc
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	mov	w1, w0
	bl	callee
	.cfi_remember_state
	ldr	x30, [sp], #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
	.size	unmarked, .-unmarked
	.cfi_endproc
	.globl	forbidden
	.p2align	2
	.type	forbidden,@function
forbidden:
	.cfi_startproc
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	mov	w1, w0
	bl	callee
	.cfi_remember_state
	ldr	x30, [sp], #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
	.size	forbidden, .-forbidden
	.cfi_endproc
	.globl	result
	.p2align	2
	.type	result,@function
result:
	.cfi_startproc
	mov	x8, x0
	b	filled
	.size	result, .-result
	.cfi_endproc
	.globl	argument
	.p2align	2
	.type	argument,@function
argument:
	.cfi_startproc
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	sub	sp, sp, #32
	.cfi_def_cfa_offset 48
	ldr	q16, [x0, #0]
	str	q16, [sp, #0]
	ldr	w9, [x0, #16]
	str	w9, [sp, #16]
	bl	copied
	.cfi_remember_state
	add	sp, sp, #32
	.cfi_def_cfa_offset 16
	ldr	x30, [sp], #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
	.size	argument, .-argument
	.cfi_endproc
	.globl	on_the_stack
	.p2align	2
	.type	on_the_stack,@function
on_the_stack:
	.cfi_startproc
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	sub	sp, sp, #16
	.cfi_def_cfa_offset 32
	movz	w17, #9, lsl #0
	str	w17, [sp, #0]
	movz	w0, #1, lsl #0
	movz	w1, #2, lsl #0
	movz	w2, #3, lsl #0
	movz	w3, #4, lsl #0
	movz	w4, #5, lsl #0
	movz	w5, #6, lsl #0
	movz	w6, #7, lsl #0
	movz	w7, #8, lsl #0
	bl	many
	.cfi_remember_state
	add	sp, sp, #16
	.cfi_def_cfa_offset 16
	ldr	x30, [sp], #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
	.size	on_the_stack, .-on_the_stack
	.cfi_endproc
	.globl	changed
	.p2align	2
	.type	changed,@function
changed:
	.cfi_startproc
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	mov	w1, w0
	bl	callee
	add	w0, w0, #1
	.cfi_remember_state
	ldr	x30, [sp], #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_restore_state
	.size	changed, .-changed
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
