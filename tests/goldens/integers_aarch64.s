	.file	"integers.ll"
	.section	.text,"ax",@progbits
	.globl	sum
	.p2align	2
	.type	sum,@function
sum:
	.cfi_startproc
	mov	w4, w2
	mov	w2, w0
	mov	w3, w1
	add	w0, w2, w3
	mul	w0, w0, w4
	sub	w0, w0, #7
	ret
	.size	sum, .-sum
	.cfi_endproc
	.globl	divide
	.p2align	2
	.type	divide,@function
divide:
	.cfi_startproc
	mov	x3, x1
	mov	x2, x0
	sdiv	x0, x2, x3
	movz	w9, #10, lsl #0
	sdiv	x17, x2, x9
	msub	x9, x17, x9, x2
	add	x0, x0, x9
	ret
	.size	divide, .-divide
	.cfi_endproc
	.globl	shifts
	.p2align	2
	.type	shifts,@function
shifts:
	.cfi_startproc
	mov	w3, w1
	mov	x2, x0
	mov	w9, w3
	lsl	x0, x2, x9
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
	mov	w3, w1
	mov	w2, w0
	ubfm	w9, w2, #0, #7
	ubfm	w10, w3, #0, #7
	udiv	w9, w9, w10
	sbfm	w10, w9, #0, #7
	subs	wzr, w10, #3
	csel	w0, w2, w3, lt
	ret
	.size	small, .-small
	.cfi_endproc
	.globl	wide
	.p2align	2
	.type	wide,@function
wide:
	.cfi_startproc
	mov	x5, x3
	mov	x3, x1
	mov	x4, x2
	mov	x2, x0
	adds	x0, x2, x4
	adc	x9, x3, x5
	umulh	x17, x0, x4
	madd	x17, x0, x5, x17
	madd	x11, x9, x4, x17
	mul	x10, x0, x4
	mov	x0, x10
	mov	x1, x11
	ret
	.size	wide, .-wide
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
