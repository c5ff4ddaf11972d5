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
	.file	"integers.ll"
	.section	.text,"ax",%progbits
	.globl	sum
	.p2align	2
	.type	sum,%function
	.thumb
	.thumb_func
sum:
	.fnstart
	adds	r0, r0, r1
	muls	r0, r2, r0
	subs	r0, r0, #7
	bx	lr
	.size	sum, .-sum
	.fnend
	.globl	divide
	.p2align	2
	.type	divide,%function
	.thumb
	.thumb_func
divide:
	.fnstart
	stmdb	sp!, {r4, r5, r6, r7, r8, r9, r10, r11, lr}
	.save	{r4, r5, r6, r7, r8, r9, r10, r11, r14}
	sub	sp, #4
	.pad	#4
	mov	r5, r1
	mov	r4, r0
	mov	r1, r5
	mov	r0, r4
	bl	__aeabi_ldivmod
	movw	r2, #26215
	movt	r2, #26214
	umull	r3, r6, r4, r2
	mov.w	r2, #1717986918
	umull	r3, r7, r4, r2
	adds	r2, r3, r6
	adc	r3, r7, #0
	movw	r6, #26215
	movt	r6, #26214
	umull	r7, r8, r5, r6
	adds	r2, r7, r2
	adc	r2, r8, #0
	mov.w	r6, #1717986918
	umull	r7, r8, r5, r6
	adds	r3, r7, r3
	adc	r6, r8, #0
	adds	r2, r3, r2
	adc	r3, r6, #0
	asrs	r6, r5, #31
	lsr	r12, r5, #31
	orr	r7, r12, r6, lsl #1
	movw	r8, #26215
	movt	r8, #26214
	and	r8, r7, r8
	and	r9, r6, #1717986918
	subs	r2, r2, r8
	sbc	r3, r3, r9
	asr	r8, r3, #31
	lsr	r12, r2, #2
	orr	r2, r12, r3, lsl #30
	lsr	r12, r3, #2
	orr	r3, r12, r8, lsl #30
	subs	r2, r2, r7
	sbc	r3, r3, r6
	mov.w	r6, #10
	umull	r7, r8, r2, r6
	mov.w	r2, #10
	mla	r2, r2, r3, r8
	subs	r3, r4, r7
	sbc	r2, r5, r2
	adds	r0, r0, r3
	adc	r1, r1, r2
	add	sp, #4
	ldm	sp!, {r4, r5, r6, r7, r8, r9, r10, r11, pc}
	.size	divide, .-divide
	.fnend
	.globl	shifts
	.p2align	2
	.type	shifts,%function
	.thumb
	.thumb_func
shifts:
	.fnstart
	push	{r4, lr}
	.save	{r4, r14}
	lsl	r4, r1, r2
	rsb	r12, r2, #32
	lsr	r3, r0, r12
	orr	r4, r4, r3
	sub.w	r12, r2, #32
	lsl	r3, r0, r12
	orr	r4, r4, r3
	lsl	r3, r0, r2
	asrs	r0, r4, #31
	lsr	r12, r3, #3
	orr	r1, r12, r4, lsl #29
	lsr	r12, r4, #3
	orr	r0, r12, r0, lsl #29
	mvns	r1, r1
	mvns	r0, r0
	mov	lr, r1
	mov	r1, r0
	mov	r0, lr
	ldm	sp!, {r4, pc}
	.size	shifts, .-shifts
	.fnend
	.globl	small
	.p2align	2
	.type	small,%function
	.thumb
	.thumb_func
small:
	.fnstart
	push	{r4, r5, lr}
	.save	{r4, r5, r14}
	sub	sp, #4
	.pad	#4
	mov	r5, r1
	mov	r4, r0
	and	r0, r4, #255
	and	r1, r5, #255
	bl	__aeabi_uidiv
	sxtb	r1, r0
	cmp	r1, #3
	mov	r0, r5
	it	lt
	movlt	r0, r4
	add	sp, #4
	ldm	sp!, {r4, r5, pc}
	.size	small, .-small
	.fnend
	.globl	wide
	.p2align	2
	.type	wide,%function
	.thumb
	.thumb_func
wide:
	.fnstart
	stmdb	sp!, {r4, r5, r6, r7, r8, r9, r10, r11}
	.save	{r4, r5, r6, r7, r8, r9, r10, r11}
	sub	sp, #32
	.pad	#32
	str	r3, [sp, #16]
	mov	r3, r0
	str	r2, [sp, #8]
	str	r1, [sp, #0]
	ldr	r4, [sp, #64]
	ldr	r5, [sp, #68]
	ldr	r6, [sp, #72]
	ldr	r7, [sp, #76]
	adds	r0, r3, r4
	ite	hs
	movhs	r1, #1
	movlo	r1, #0
	and	r1, r1, #1
	ldr	r2, [sp, #0]
	adds	r3, r2, r5
	ite	hs
	movhs.w	r8, #1
	movlo.w	r8, #0
	and	r2, r8, #1
	adds	r8, r3, r1
	ite	hs
	movhs.w	r9, #1
	movlo.w	r9, #0
	and	r1, r9, #1
	orrs	r1, r2
	ldr	r2, [sp, #8]
	adds	r3, r2, r6
	ite	hs
	movhs.w	r9, #1
	movlo.w	r9, #0
	and	r2, r9, #1
	adds	r9, r3, r1
	ite	hs
	movhs.w	r10, #1
	movlo.w	r10, #0
	and	r1, r10, #1
	orrs	r1, r2
	ldr	r2, [sp, #16]
	adds	r2, r2, r7
	adds	r1, r2, r1
	umull	r2, r3, r0, r4
	umull	r10, r11, r0, r5
	adds	r3, r10, r3
	adc	r10, r11, #0
	str	r2, [sp, #24]
	umull	r11, r2, r0, r6
	adds	r10, r11, r10
	adc	r2, r2, #0
	mla	r0, r0, r7, r2
	umull	r2, r7, r8, r4
	adds	r2, r2, r3
	adc	r3, r7, #0
	umull	r7, r11, r8, r5
	adds	r7, r7, r10
	adc	r10, r11, #0
	adds	r3, r7, r3
	adc	r7, r10, #0
	mla	r0, r8, r6, r0
	adds	r0, r0, r7
	umull	r6, r7, r9, r4
	adds	r3, r6, r3
	adc	r6, r7, #0
	mla	r0, r9, r5, r0
	adds	r0, r0, r6
	mla	r0, r1, r4, r0
	mov	r1, r2
	mov	r2, r3
	mov	r3, r0
	ldr	r0, [sp, #24]
	add	sp, #32
	ldm	sp!, {r4, r5, r6, r7, r8, r9, r10, r11}
	bx	lr
	.size	wide, .-wide
	.fnend
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",%progbits
