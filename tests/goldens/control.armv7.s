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
	.arm
sum_to:
	.fnstart
	stmdb	sp!, {r4, r5, r6, r7, r8}
	.save	{r4, r5, r6, r7, r8}
	mov	r4, r1
	mov	r3, r0
	mov	r5, #0
	mov	r6, #0
	mov	r7, #0
	mov	r8, #0
.LBB0_28:
	adds	r7, r7, r5
	adc	r8, r8, r6
	adds	r5, r5, #1
	adc	r6, r6, #0
	cmp	r5, r3
	sbcs	r12, r6, r4
	blo	.LBB0_28
	mov	r0, r7
	mov	r1, r8
	ldm	sp!, {r4, r5, r6, r7, r8}
	bx	lr
	.size	sum_to, .-sum_to
	.fnend
	.globl	dense
	.p2align	2
	.type	dense,%function
	.arm
dense:
	.fnstart
	cmp	r0, #4
	addls	pc, pc, r0, lsl #2
	b	.LBB1_68
	b	.LBB1_36
	b	.LBB1_44
	b	.LBB1_52
	b	.LBB1_36
	b	.LBB1_60
	b	.LBB1_68
.LBB1_36:
	mov	r0, #10
	bx	lr
.LBB1_44:
	mov	r0, #20
	bx	lr
.LBB1_52:
	mov	r0, #30
	bx	lr
.LBB1_60:
	mov	r0, #40
	bx	lr
.LBB1_68:
	mvn	r0, #0
	bx	lr
	.size	dense, .-dense
	.fnend
	.globl	sparse
	.p2align	2
	.type	sparse,%function
	.arm
sparse:
	.fnstart
	cmp	r0, #5
	beq	.LBB2_28
	movw	r12, #34464
	movt	r12, #1
	cmp	r0, r12
	beq	.LBB2_36
	b	.LBB2_44
.LBB2_28:
	mov	r0, #1
	bx	lr
.LBB2_36:
	mov	r0, #2
	bx	lr
.LBB2_44:
	mov	r0, #3
	bx	lr
	.size	sparse, .-sparse
	.fnend
	.globl	swap
	.p2align	2
	.type	swap,%function
	.arm
swap:
	.fnstart
	stmdb	sp!, {r4, r5, r6, r7, r8, lr}
	.save	{r4, r5, r6, r7, r8, r14}
	sub	sp, sp, #8
	.pad	#8
	str	r1, [sp, #0]
	mov	r3, r0
	ldr	r8, [sp, #0]
	mov	r7, r3
	mov	r3, #1
	mov	r4, #0
	mov	r5, #2
	mov	r6, #0
	b	.LBB3_68
.LBB3_44:
	mov	lr, r3
	mov	r3, r5
	mov	r5, lr
	mov	lr, r4
	mov	r4, r6
	mov	r6, lr
.LBB3_68:
	subs	r7, r7, #1
	sbc	r8, r8, #0
	orrs	r12, r7, r8
	bne	.LBB3_44
	mov	r0, r3
	mov	r1, r4
	add	sp, sp, #8
	ldm	sp!, {r4, r5, r6, r7, r8, pc}
	.size	swap, .-swap
	.fnend
	.globl	both
	.p2align	2
	.type	both,%function
	.arm
both:
	.fnstart
	sub	sp, sp, #8
	.pad	#8
	cmp	r0, #3
	movgt	r2, #1
	movle	r2, #0
	cmp	r1, r0
	movlo	r3, #1
	movhs	r3, #0
	str	r0, [sp, #0]
	and	r0, r2, r3
	cmp	r0, #0
	beq	.LBB4_56
	mov	r0, #1
	add	sp, sp, #8
	bx	lr
.LBB4_56:
	mov	r0, #2
	add	sp, sp, #8
	bx	lr
	.size	both, .-both
	.fnend
	.globl	either
	.p2align	2
	.type	either,%function
	.arm
either:
	.fnstart
	cmp	r2, #9
	sbcs	r12, r3, #0
	movlt	r1, #1
	movge	r1, #0
	mov	r2, #1
	cmp	r0, #3
	moveq	r1, r2
	cmp	r1, #0
	beq	.LBB5_44
	mov	r0, #1
	bx	lr
.LBB5_44:
	mov	r0, #2
	bx	lr
	.size	either, .-either
	.fnend
	.globl	counted
	.p2align	2
	.type	counted,%function
	.arm
counted:
	.fnstart
	str	r4, [sp, #-4]!
	.save	{r4}
	sub	r3, r0, #7
	str	r3, [r1, #0]
	sub	r4, r3, r0
	cmp	r4, #0
	bne	.LBB6_36
	mov	r0, r4
	ldr	r4, [sp], #4
	bx	lr
.LBB6_36:
	add	r0, r4, r3
	ldr	r4, [sp], #4
	bx	lr
	.size	counted, .-counted
	.fnend
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",%progbits
