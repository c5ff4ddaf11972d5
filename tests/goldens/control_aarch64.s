	.file	"control.ll"
	.section	.text,"ax",@progbits
	.globl	sum_to
	.p2align	2
	.type	sum_to,@function
sum_to:
	.cfi_startproc
	mov	x2, x0
	movz	w3, #0, lsl #0
	movz	w4, #0, lsl #0
.LBB0_12:
	add	x4, x4, x3
	add	x3, x3, #1
	subs	xzr, x3, x2
	b.lo	.LBB0_12
	mov	x0, x4
	ret
	.size	sum_to, .-sum_to
	.cfi_endproc
	.globl	dense
	.p2align	2
	.type	dense,@function
dense:
	.cfi_startproc
	mov	w2, w0
	add	w9, w2, #0
	subs	wzr, w9, #4
	b.hi	.LBB1_72
	adrp	x17, .LJTI1_0
	add	x17, x17, :lo12:.LJTI1_0
	ldrsw	x9, [x17, w9, uxtw #2]
	add	x9, x9, x17
	br	x9
	b	.LBB1_72
.LBB1_40:
	movz	w0, #10, lsl #0
	ret
.LBB1_48:
	movz	w0, #20, lsl #0
	ret
.LBB1_56:
	movz	w0, #30, lsl #0
	ret
.LBB1_64:
	movz	w0, #40, lsl #0
	ret
.LBB1_72:
	movn	w0, #0, lsl #0
	ret
	.size	dense, .-dense
	.cfi_endproc
	.section	.rodata,"a",@progbits
	.p2align	2
.LJTI1_0:
	.long	.LBB1_40-.LJTI1_0
	.long	.LBB1_48-.LJTI1_0
	.long	.LBB1_56-.LJTI1_0
	.long	.LBB1_40-.LJTI1_0
	.long	.LBB1_64-.LJTI1_0
	.section	.text,"ax",@progbits
	.globl	sparse
	.p2align	2
	.type	sparse,@function
sparse:
	.cfi_startproc
	mov	w2, w0
	subs	wzr, w2, #5
	b.eq	.LBB2_32
	movz	w17, #34464, lsl #0
	movk	w17, #1, lsl #16
	subs	wzr, w2, w17
	b.eq	.LBB2_40
	b	.LBB2_48
.LBB2_32:
	movz	w0, #1, lsl #0
	ret
.LBB2_40:
	movz	w0, #2, lsl #0
	ret
.LBB2_48:
	movz	w0, #3, lsl #0
	ret
	.size	sparse, .-sparse
	.cfi_endproc
	.globl	swap
	.p2align	2
	.type	swap,@function
swap:
	.cfi_startproc
	mov	x2, x0
	mov	x4, x2
	movz	w2, #1, lsl #0
	movz	w3, #2, lsl #0
.LBB3_16:
	sub	x4, x4, #1
	cbz	x4, .LBB3_40
	mov	x17, x2
	mov	x2, x3
	mov	x3, x17
	b	.LBB3_16
.LBB3_40:
	mov	x0, x2
	ret
	.size	swap, .-swap
	.cfi_endproc
	.globl	both
	.p2align	2
	.type	both,@function
both:
	.cfi_startproc
	mov	w3, w1
	mov	w2, w0
	subs	wzr, w2, #3
	ccmp	w3, w2, #2, gt
	b.hs	.LBB4_28
	movz	w0, #1, lsl #0
	ret
.LBB4_28:
	movz	w0, #2, lsl #0
	ret
	.size	both, .-both
	.cfi_endproc
	.globl	either
	.p2align	2
	.type	either,@function
either:
	.cfi_startproc
	mov	x3, x1
	mov	w2, w0
	subs	wzr, w2, #3
	ccmp	x3, #9, #8, ne
	b.ge	.LBB5_28
	movz	w0, #1, lsl #0
	ret
.LBB5_28:
	movz	w0, #2, lsl #0
	ret
	.size	either, .-either
	.cfi_endproc
	.globl	counted
	.p2align	2
	.type	counted,@function
counted:
	.cfi_startproc
	mov	x3, x1
	mov	w2, w0
	sub	w4, w2, #7
	str	w4, [x3, #0]
	sub	w2, w4, w2
	cbnz	w2, .LBB6_32
	mov	w0, w2
	ret
.LBB6_32:
	add	w0, w2, w4
	ret
	.size	counted, .-counted
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
