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
	.arm
sum:
	.fnstart
	add	r0, r0, r1
	mul	r0, r0, r2
	sub	r0, r0, #7
	bx	lr
	.size	sum, .-sum
	.fnend
	.globl	divide
	.p2align	2
	.type	divide,%function
	.arm
divide:
	.fnstart
	stmdb	sp!, {r4, r5, r6, r7, r8, r9, r10, r11, lr}
	.save	{r4, r5, r6, r7, r8, r9, r10, r11, r14}
	sub	sp, sp, #28
	.pad	#28
	mov	r6, r1
	mov	r5, r0
	mov	r1, r6
	mov	r0, r5
	bl	__aeabi_ldivmod
	mov	r2, r5
	movw	r3, #26215
	movt	r3, #26214
	umull	r4, r7, r2, r3
	mov	r2, r5
	movw	r3, #26214
	movt	r3, #26214
	umull	r8, r9, r2, r3
	mov	r2, r7
	adds	r8, r8, r2
	adc	r9, r9, #0
	mov	r2, r6
	movw	r3, #26215
	movt	r3, #26214
	umull	r7, r10, r2, r3
	mov	r2, r8
	adds	r7, r7, r2
	adc	r10, r10, #0
	mov	r2, r6
	movw	r3, #26214
	movt	r3, #26214
	str	r0, [sp, #0]
	umull	r11, r0, r2, r3
	mov	r2, r9
	adds	r11, r11, r2
	adc	r0, r0, #0
	mov	r2, r10
	adds	r11, r11, r2
	adc	r0, r0, #0
	asr	r2, r6, #31
	asr	r3, r6, #31
	movw	r9, #26215
	movt	r9, #26214
	and	r10, r2, r9
	str	r1, [sp, #8]
	movw	r1, #26214
	movt	r1, #26214
	str	r2, [sp, #16]
	and	r2, r3, r1
	subs	r11, r11, r10
	sbc	r0, r0, r2
	lsr	r1, r11, #2
	orr	r1, r1, r0, lsl #30
	asr	r2, r0, #2
	ldr	r0, [sp, #16]
	subs	r1, r1, r0
	sbc	r2, r2, r3
	mov	r0, #10
	umull	r3, r9, r1, r0
	mla	r9, r0, r2, r9
	subs	r0, r5, r3
	sbc	r1, r6, r9
	ldr	r2, [sp, #0]
	adds	r2, r2, r0
	ldr	r3, [sp, #8]
	adc	r3, r3, r1
	mov	r0, r2
	mov	r1, r3
	add	sp, sp, #28
	ldm	sp!, {r4, r5, r6, r7, r8, r9, r10, r11, pc}
	.size	divide, .-divide
	.fnend
	.globl	shifts
	.p2align	2
	.type	shifts,%function
	.arm
shifts:
	.fnstart
	stmdb	sp!, {r4, r5}
	.save	{r4, r5}
	mov	r3, #0
	lsl	r5, r1, r2
	rsb	r12, r2, #32
	orr	r5, r5, r0, lsr r12
	sub	r12, r2, #32
	orr	r5, r5, r0, lsl r12
	lsl	r4, r0, r2
	lsr	r0, r4, #3
	orr	r0, r0, r5, lsl #29
	asr	r1, r5, #3
	mvn	r2, #0
	eor	r0, r0, r2
	mvn	r4, #0
	eor	r1, r1, r4
	ldm	sp!, {r4, r5}
	bx	lr
	.size	shifts, .-shifts
	.fnend
	.globl	small
	.p2align	2
	.type	small,%function
	.arm
small:
	.fnstart
	stmdb	sp!, {r4, r5, lr}
	.save	{r4, r5, r14}
	sub	sp, sp, #4
	.pad	#4
	mov	r5, r1
	mov	r4, r0
	and	r0, r4, #255
	and	r1, r5, #255
	bl	__aeabi_uidiv
	sxtb	r1, r0
	cmp	r1, #3
	mov	r0, r5
	movlt	r0, r4
	add	sp, sp, #4
	ldm	sp!, {r4, r5, pc}
	.size	small, .-small
	.fnend
	.globl	wide
	.p2align	2
	.type	wide,%function
	.arm
wide:
	.fnstart
	stmdb	sp!, {r4, r5, r6, r7, r8, r9, r10, r11}
	.save	{r4, r5, r6, r7, r8, r9, r10, r11}
	sub	sp, sp, #168
	.pad	#168
	str	r3, [sp, #16]
	mov	r3, r0
	str	r2, [sp, #8]
	str	r1, [sp, #0]
	ldr	r4, [sp, #200]
	ldr	r5, [sp, #204]
	ldr	r6, [sp, #208]
	ldr	r7, [sp, #212]
	adds	r0, r3, r4
	movhs	r1, #1
	movlo	r1, #0
	and	r1, r1, #1
	ldr	r2, [sp, #0]
	adds	r3, r2, r5
	movhs	r8, #1
	movlo	r8, #0
	and	r2, r8, #1
	adds	r8, r3, r1
	movhs	r9, #1
	movlo	r9, #0
	and	r1, r9, #1
	orr	r1, r2, r1
	ldr	r2, [sp, #8]
	adds	r3, r2, r6
	movhs	r9, #1
	movlo	r9, #0
	and	r2, r9, #1
	adds	r9, r3, r1
	movhs	r10, #1
	movlo	r10, #0
	and	r1, r10, #1
	orr	r1, r2, r1
	ldr	r2, [sp, #16]
	add	r2, r2, r7
	add	r1, r2, r1
	mov	r2, r0
	mov	r3, #0
	mov	r10, r8
	mov	r11, #0
	str	r1, [sp, #24]
	mov	r1, r4
	str	r9, [sp, #32]
	mov	r9, #0
	str	r1, [sp, #40]
	mov	r1, r5
	str	r9, [sp, #48]
	mov	r9, #0
	str	r8, [sp, #56]
	ldr	r8, [sp, #40]
	str	r1, [sp, #64]
	str	r9, [sp, #72]
	umull	r1, r9, r2, r8
	mov	r8, r1
	mov	r9, r9
	str	r8, [sp, #80]
	ldr	r8, [sp, #64]
	str	r10, [sp, #88]
	str	r11, [sp, #96]
	umull	r10, r11, r2, r8
	adds	r10, r10, r9
	adc	r11, r11, #0
	mov	r9, r10
	mov	r11, r11
	str	r9, [sp, #104]
	umull	r8, r9, r2, r6
	adds	r8, r8, r11
	adc	r9, r9, #0
	mov	r2, r8
	mov	r9, r9
	mla	r0, r0, r7, r9
	ldr	r7, [sp, #88]
	ldr	r9, [sp, #40]
	str	r0, [sp, #112]
	umull	r11, r0, r7, r9
	ldr	r9, [sp, #104]
	adds	r11, r11, r9
	adc	r0, r0, #0
	mov	r9, r11
	mov	r0, r0
	str	r9, [sp, #120]
	ldr	r9, [sp, #64]
	str	r0, [sp, #128]
	str	r2, [sp, #136]
	umull	r0, r2, r7, r9
	ldr	r7, [sp, #136]
	adds	r0, r0, r7
	adc	r2, r2, #0
	ldr	r7, [sp, #128]
	adds	r0, r0, r7
	adc	r2, r2, #0
	mov	r7, r0
	mov	r2, r2
	ldr	r9, [sp, #112]
	str	r7, [sp, #144]
	ldr	r7, [sp, #56]
	mla	r6, r7, r6, r9
	add	r2, r6, r2
	ldr	r6, [sp, #32]
	ldr	r7, [sp, #40]
	str	r2, [sp, #152]
	umull	r9, r2, r6, r7
	ldr	r7, [sp, #144]
	adds	r9, r9, r7
	adc	r2, r2, #0
	mov	r7, r9
	mov	r2, r2
	ldr	r6, [sp, #152]
	str	r7, [sp, #160]
	ldr	r7, [sp, #32]
	mla	r5, r7, r5, r6
	add	r2, r5, r2
	ldr	r5, [sp, #24]
	mla	r2, r5, r4, r2
	ldr	r0, [sp, #80]
	ldr	r1, [sp, #120]
	mov	r3, r2
	ldr	r2, [sp, #160]
	add	sp, sp, #168
	ldm	sp!, {r4, r5, r6, r7, r8, r9, r10, r11}
	bx	lr
	.size	wide, .-wide
	.fnend
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",%progbits
