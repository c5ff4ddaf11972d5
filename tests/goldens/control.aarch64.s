	.file	"control.ll"
	.section	.text,"ax",@progbits
	.globl	sum_to
	.p2align	2
	.type	sum_to,@function
sum_to:
	.cfi_startproc
	movz	w2, #0, lsl #0
	movz	w3, #0, lsl #0
.LBB0_8:
	add	x3, x3, x2
	add	x2, x2, #1
	subs	xzr, x2, x0
	b.lo	.LBB0_8
	mov	x0, x3
	ret
	.size	sum_to, .-sum_to
	.cfi_endproc
	.globl	dense
	.p2align	2
	.type	dense,@function
dense:
	.cfi_startproc
	add	w9, w0, #0
	subs	wzr, w9, #4
	b.hi	.LBB1_68
	adrp	x17, .LJTI1_0
	add	x17, x17, :lo12:.LJTI1_0
	ldrsw	x9, [x17, w9, uxtw #2]
	add	x9, x9, x17
	br	x9
	b	.LBB1_68
.LBB1_36:
	movz	w0, #10, lsl #0
	ret
.LBB1_44:
	movz	w0, #20, lsl #0
	ret
.LBB1_52:
	movz	w0, #30, lsl #0
	ret
.LBB1_60:
	movz	w0, #40, lsl #0
	ret
.LBB1_68:
	movn	w0, #0, lsl #0
	ret
	.size	dense, .-dense
	.cfi_endproc
	.section	.rodata,"a",@progbits
	.p2align	2
.LJTI1_0:
	.long	.LBB1_36-.LJTI1_0
	.long	.LBB1_44-.LJTI1_0
	.long	.LBB1_52-.LJTI1_0
	.long	.LBB1_36-.LJTI1_0
	.long	.LBB1_60-.LJTI1_0
	.section	.text,"ax",@progbits
	.globl	sparse
	.p2align	2
	.type	sparse,@function
sparse:
	.cfi_startproc
	subs	wzr, w0, #5
	b.eq	.LBB2_28
	movz	w17, #34464, lsl #0
	movk	w17, #1, lsl #16
	subs	wzr, w0, w17
	b.eq	.LBB2_36
	b	.LBB2_44
.LBB2_28:
	movz	w0, #1, lsl #0
	ret
.LBB2_36:
	movz	w0, #2, lsl #0
	ret
.LBB2_44:
	movz	w0, #3, lsl #0
	ret
	.size	sparse, .-sparse
	.cfi_endproc
	.globl	swap
	.p2align	2
	.type	swap,@function
swap:
	.cfi_startproc
	mov	x3, x0
	movz	w0, #1, lsl #0
	movz	w2, #2, lsl #0
	b	.LBB3_28
.LBB3_16:
	mov	x17, x0
	mov	x0, x2
	mov	x2, x17
.LBB3_28:
	sub	x3, x3, #1
	cbnz	x3, .LBB3_16
	ret
	.size	swap, .-swap
	.cfi_endproc
	.globl	both
	.p2align	2
	.type	both,@function
both:
	.cfi_startproc
	subs	wzr, w0, #3
	ccmp	w1, w0, #2, gt
	b.hs	.LBB4_20
	movz	w0, #1, lsl #0
	ret
.LBB4_20:
	movz	w0, #2, lsl #0
	ret
	.size	both, .-both
	.cfi_endproc
	.globl	either
	.p2align	2
	.type	either,@function
either:
	.cfi_startproc
	subs	wzr, w0, #3
	ccmp	x1, #9, #8, ne
	b.ge	.LBB5_20
	movz	w0, #1, lsl #0
	ret
.LBB5_20:
	movz	w0, #2, lsl #0
	ret
	.size	either, .-either
	.cfi_endproc
	.globl	counted
	.p2align	2
	.type	counted,@function
counted:
	.cfi_startproc
	sub	w2, w0, #7
	str	w2, [x1, #0]
	sub	w0, w2, w0
	cbnz	w0, .LBB6_20
	ret
.LBB6_20:
	add	w0, w0, w2
	ret
	.size	counted, .-counted
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
