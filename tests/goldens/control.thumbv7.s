	.syntax	unified
	.eabi_attribute	67, "2.09"
	.eabi_attribute	6, 10
	.eabi_attribute	7, 65
	.eabi_attribute	8, 1
	.eabi_attribute	9, 2
	.eabi_attribute	10, 3
	.eabi_attribute	12, 1
	.eabi_attribute	34, 1
	.eabi_attribute	17, 1
	.eabi_attribute	20, 1
	.eabi_attribute	21, 1
	.eabi_attribute	23, 3
	.eabi_attribute	38, 1
	.eabi_attribute	24, 1
	.eabi_attribute	25, 1
	.eabi_attribute	28, 1
	.eabi_attribute	14, 0
	.fpu	neon
	.file	"control.ll"
	.section	.text,"ax",%progbits
	.globl	sum_to
	.p2align	2
	.type	sum_to,%function
	.thumb
	.thumb_func
sum_to:
	.fnstart
	stmdb	sp!, {r4, r5, r6, r7, r8}
	.save	{r4, r5, r6, r7, r8}
	mov	r4, r1
	mov	r3, r0
	mov.w	r5, #0
	mov.w	r6, #0
	mov.w	r7, #0
	mov.w	r8, #0
.LBB0_24:
	adds	r7, r7, r5
	adc	r8, r8, r6
	adds	r5, r5, #1
	adc	r6, r6, #0
	cmp	r5, r3
	sbcs	r12, r6, r4
	blo.n	.LBB0_24
	mov	r0, r7
	mov	r1, r8
	ldm	sp!, {r4, r5, r6, r7, r8}
	bx	lr
	.size	sum_to, .-sum_to
	.fnend
	.globl	dense
	.p2align	2
	.type	dense,%function
	.thumb
	.thumb_func
dense:
	.fnstart
	cmp	r0, #4
	bhi.n	.LBB1_44
	tbh	[pc, r0, lsl #1]
	.byte	6, 0, 9, 0, 12, 0, 6, 0, 15, 0
	b.n	.LBB1_44
	mov.w	r0, #10
	bx	lr
	mov.w	r0, #20
	bx	lr
	mov.w	r0, #30
	bx	lr
	mov.w	r0, #40
	bx	lr
.LBB1_44:
	mov.w	r0, #4294967295
	bx	lr
	.size	dense, .-dense
	.fnend
	.globl	sparse
	.p2align	2
	.type	sparse,%function
	.thumb
	.thumb_func
sparse:
	.fnstart
	cmp	r0, #5
	beq.n	.LBB2_18
	movw	r12, #34464
	movt	r12, #1
	cmp	r0, r12
	beq.n	.LBB2_24
	b.n	.LBB2_30
.LBB2_18:
	mov.w	r0, #1
	bx	lr
.LBB2_24:
	mov.w	r0, #2
	bx	lr
.LBB2_30:
	mov.w	r0, #3
	bx	lr
	.size	sparse, .-sparse
	.fnend
	.globl	swap
	.p2align	2
	.type	swap,%function
	.thumb
	.thumb_func
swap:
	.fnstart
	stmdb	sp!, {r4, r5, r6, r7, r8, lr}
	.save	{r4, r5, r6, r7, r8, r14}
	sub	sp, #8
	.pad	#8
	str	r1, [sp, #0]
	mov	r3, r0
	ldr	r8, [sp, #0]
	mov	r7, r3
	mov.w	r3, #1
	mov.w	r4, #0
	mov.w	r5, #2
	mov.w	r6, #0
	b.n	.LBB3_46
.LBB3_34:
	mov	lr, r3
	mov	r3, r5
	mov	r5, lr
	mov	lr, r4
	mov	r4, r6
	mov	r6, lr
.LBB3_46:
	subs	r7, r7, #1
	sbc	r8, r8, #0
	orrs	r12, r7, r8
	bne.n	.LBB3_34
	mov	r0, r3
	mov	r1, r4
	add	sp, #8
	ldm	sp!, {r4, r5, r6, r7, r8, pc}
	.size	swap, .-swap
	.fnend
	.globl	both
	.p2align	2
	.type	both,%function
	.thumb
	.thumb_func
both:
	.fnstart
	sub	sp, #8
	.pad	#8
	cmp	r0, #3
	ite	gt
	movgt	r2, #1
	movle	r2, #0
	cmp	r1, r0
	ite	lo
	movlo	r3, #1
	movhs	r3, #0
	str	r0, [sp, #0]
	and	r0, r2, r3
	cbz	r0, .LBB4_34
	mov.w	r0, #1
	add	sp, #8
	bx	lr
.LBB4_34:
	mov.w	r0, #2
	add	sp, #8
	bx	lr
	.size	both, .-both
	.fnend
	.globl	either
	.p2align	2
	.type	either,%function
	.thumb
	.thumb_func
either:
	.fnstart
	cmp	r2, #9
	sbcs	r12, r3, #0
	ite	lt
	movlt	r1, #1
	movge	r1, #0
	mov.w	r2, #1
	cmp	r0, #3
	it	eq
	moveq	r1, r2
	cbz	r1, .LBB5_30
	mov.w	r0, #1
	bx	lr
.LBB5_30:
	mov.w	r0, #2
	bx	lr
	.size	either, .-either
	.fnend
	.globl	counted
	.p2align	2
	.type	counted,%function
	.thumb
	.thumb_func
counted:
	.fnstart
	push	{r4}
	.save	{r4}
	subs	r3, r0, #7
	str	r3, [r1, #0]
	subs	r4, r3, r0
	cbnz	r4, .LBB6_16
	mov	r0, r4
	pop	{r4}
	bx	lr
.LBB6_16:
	adds	r0, r4, r3
	pop	{r4}
	bx	lr
	.size	counted, .-counted
	.fnend
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",%progbits
