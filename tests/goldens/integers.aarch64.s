	.file	"integers.ll"
	.section	.text,"ax",@progbits
	.globl	sum
	.p2align	2
	.type	sum,@function
sum:
	.cfi_startproc
	add	w0, w0, w1
	mul	w0, w0, w2
	sub	w0, w0, #7
	ret
	.size	sum, .-sum
	.cfi_endproc
	.globl	divide
	.p2align	2
	.type	divide,@function
divide:
	.cfi_startproc
	sdiv	x9, x0, x1
	movz	x17, #26215, lsl #0
	movk	x17, #26214, lsl #16
	movk	x17, #26214, lsl #32
	movk	x17, #26214, lsl #48
	smulh	x17, x0, x17
	sbfm	x17, x17, #2, #63
	add	x17, x17, x0, lsr #63
	movz	w16, #10, lsl #0
	msub	x10, x17, x16, x0
	add	x0, x9, x10
	ret
	.size	divide, .-divide
	.cfi_endproc
	.globl	shifts
	.p2align	2
	.type	shifts,@function
shifts:
	.cfi_startproc
	mov	w9, w1
	lsl	x0, x0, x9
	sbfm	x0, x0, #3, #63
	orn	x0, xzr, x0
	ret
	.size	shifts, .-shifts
	.cfi_endproc
	.globl	small
	.p2align	2
	.type	small,@function
small:
	.cfi_startproc
	ubfm	w9, w0, #0, #7
	ubfm	w10, w1, #0, #7
	udiv	w9, w9, w10
	sbfm	w10, w9, #0, #7
	subs	wzr, w10, #3
	csel	w9, w0, w1, lt
	mov	w0, w9
	ret
	.size	small, .-small
	.cfi_endproc
	.globl	wide
	.p2align	2
	.type	wide,@function
wide:
	.cfi_startproc
	adds	x9, x0, x2
	adc	x10, x1, x3
	mul	x0, x9, x2
	umulh	x1, x9, x2
	madd	x1, x9, x3, x1
	madd	x1, x2, x10, x1
	ret
	.size	wide, .-wide
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
