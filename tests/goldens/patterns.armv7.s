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
	.file	"patterns.ll"
	.section	.text,"ax",%progbits
	.globl	little
	.p2align	2
	.type	little,%function
	.arm
little:
	.fnstart
	ldr	r0, [r0, #0]
	bx	lr
	.size	little, .-little
	.fnend
	.globl	big
	.p2align	2
	.type	big,%function
	.arm
big:
	.fnstart
	ldrh	r0, [r0, #0]
	rev	r0, r0
	lsr	r0, r0, #16
	bx	lr
	.size	big, .-big
	.fnend
	.globl	put_big
	.p2align	2
	.type	put_big,%function
	.arm
put_big:
	.fnstart
	rev	r1, r1
	str	r1, [r0, #0]
	bx	lr
	.size	put_big, .-put_big
	.fnend
	.globl	apart
	.p2align	2
	.type	apart,%function
	.arm
apart:
	.fnstart
	ldrb	r2, [r0, #0]
	mov	r3, #1
	strb	r3, [r1, #0]
	ldrb	r0, [r0, #1]
	lsl	r0, r0, #8
	orr	r0, r2, r0
	bx	lr
	.size	apart, .-apart
	.fnend
	.globl	volatile
	.p2align	2
	.type	volatile,%function
	.arm
volatile:
	.fnstart
	ldrb	r1, [r0, #0]
	ldrb	r0, [r0, #1]
	lsl	r0, r0, #8
	orr	r0, r1, r0
	bx	lr
	.size	volatile, .-volatile
	.fnend
	.globl	both
	.p2align	2
	.type	both,%function
	.arm
both:
	.fnstart
	movw	r1, #52429
	movt	r1, #52428
	umull	r12, r2, r0, r1
	lsr	r2, r2, #3
	mov	r1, r2
	mov	r2, #10
	mls	r0, r1, r2, r0
	orr	r0, r0, r1, lsl #4
	bx	lr
	.size	both, .-both
	.fnend
	.globl	both_wide
	.p2align	2
	.type	both_wide,%function
	.arm
both_wide:
	.fnstart
	stmdb	sp!, {r4, r5, r6, r7, lr}
	.save	{r4, r5, r6, r7, r14}
	sub	sp, sp, #4
	.pad	#4
	mov	r7, r3
	mov	r6, r2
	mov	r5, r1
	mov	r4, r0
	mov	r3, r7
	mov	r2, r6
	mov	r1, r5
	mov	r0, r4
	bl	__aeabi_ldivmod
	umull	r2, r3, r0, r6
	mla	r3, r0, r7, r3
	mla	r3, r6, r1, r3
	subs	r2, r4, r2
	sbc	r3, r5, r3
	eor	r0, r0, r2
	eor	r1, r1, r3
	add	sp, sp, #4
	ldm	sp!, {r4, r5, r6, r7, pc}
	.size	both_wide, .-both_wide
	.fnend
	.globl	power
	.p2align	2
	.type	power,%function
	.arm
power:
	.fnstart
	asr	r2, r1, #31
	lsr	r2, r2, #28
	adds	r0, r0, r2
	adc	r1, r1, #0
	asr	r2, r1, #31
	lsr	r12, r0, #4
	orr	r0, r12, r1, lsl #28
	lsr	r12, r1, #4
	orr	r1, r12, r2, lsl #28
	mov	r2, #0
	subs	r0, r2, r0
	mov	r2, #0
	sbc	r1, r2, r1
	bx	lr
	.size	power, .-power
	.fnend
	.globl	product
	.p2align	2
	.type	product,%function
	.arm
product:
	.fnstart
	str	lr, [sp, #-4]!
	.save	{r14}
	sub	sp, sp, #44
	.pad	#44
	lsr	r12, r0, #3
	orr	r0, r12, r1, lsl #29
	lsr	r1, r1, #3
	movw	r2, #63439
	movt	r2, #58195
	str	r1, [sp, #0]
	umull	r3, r1, r0, r2
	movw	r2, #39845
	movt	r2, #8388
	str	r1, [sp, #8]
	umull	r3, r1, r0, r2
	ldr	r0, [sp, #8]
	adds	r0, r3, r0
	adc	r1, r1, #0
	ldr	r2, [sp, #0]
	movw	r3, #63439
	movt	r3, #58195
	str	r1, [sp, #16]
	str	r0, [sp, #24]
	umull	r1, r0, r2, r3
	ldr	r3, [sp, #24]
	adds	r1, r1, r3
	adc	r0, r0, #0
	movw	r1, #39845
	movt	r1, #8388
	str	r0, [sp, #32]
	umull	r3, r0, r2, r1
	ldr	r1, [sp, #16]
	adds	r1, r3, r1
	adc	r0, r0, #0
	ldr	r2, [sp, #32]
	adds	r1, r1, r2
	adc	r0, r0, #0
	lsr	r12, r1, #4
	orr	r1, r12, r0, lsl #28
	lsr	r0, r0, #4
	mov	lr, r1
	mov	r1, r0
	mov	r0, lr
	add	sp, sp, #44
	ldr	pc, [sp], #4
	.size	product, .-product
	.fnend
	.globl	bit
	.p2align	2
	.type	bit,%function
	.arm
bit:
	.fnstart
	str	r4, [sp, #-4]!
	.save	{r4}
	sub	sp, sp, #20
	.pad	#20
	str	r2, [sp, #8]
	str	r1, [sp, #0]
	ldr	r0, [sp, #8]
	ldr	r1, [sp, #24]
	ldr	r2, [sp, #28]
	ldr	r4, [sp, #0]
	tst	r4, #256
	moveq	r1, r0
	moveq	r2, r3
	mov	r0, r1
	mov	r1, r2
	add	sp, sp, #20
	ldr	r4, [sp], #4
	bx	lr
	.size	bit, .-bit
	.fnend
	.globl	variable_bit
	.p2align	2
	.type	variable_bit,%function
	.arm
variable_bit:
	.fnstart
	str	r4, [sp, #-4]!
	.save	{r4}
	sub	sp, sp, #20
	.pad	#20
	mov	r3, r2
	str	r1, [sp, #8]
	str	r0, [sp, #0]
	mov	r0, #1
	mov	r1, #0
	lsl	r4, r1, r3
	rsb	r12, r3, #32
	orr	r4, r4, r0, lsr r12
	sub	r12, r3, #32
	orr	r4, r4, r0, lsl r12
	lsl	r2, r0, r3
	ldr	r0, [sp, #0]
	and	r0, r0, r2
	ldr	r1, [sp, #8]
	and	r1, r1, r4
	ldr	r2, [sp, #24]
	ldr	r3, [sp, #28]
	orrs	r12, r0, r1
	movne	r3, r2
	mov	r0, r3
	add	sp, sp, #20
	ldr	r4, [sp], #4
	bx	lr
	.size	variable_bit, .-variable_bit
	.fnend
	.globl	shifted_bit
	.p2align	2
	.type	shifted_bit,%function
	.arm
shifted_bit:
	.fnstart
	str	r4, [sp, #-4]!
	.save	{r4}
	mov	r4, r1
	mov	r3, r0
	lsr	r0, r3, r4
	tst	r0, #1
	beq	.LBB11_36
	mov	r0, r3
	ldr	r4, [sp], #4
	bx	lr
.LBB11_36:
	mov	r0, r4
	ldr	r4, [sp], #4
	bx	lr
	.size	shifted_bit, .-shifted_bit
	.fnend
	.globl	highest
	.p2align	2
	.type	highest,%function
	.arm
highest:
	.fnstart
	clz	r0, r0
	eor	r0, r0, #31
	bx	lr
	.size	highest, .-highest
	.fnend
	.globl	neighbours
	.p2align	2
	.type	neighbours,%function
	.arm
neighbours:
	.fnstart
	lsl	r0, r0, #1
	movw	r1, :lower16:table
	movt	r1, :upper16:table
	add	r0, r1, r0, lsl #2
	ldr	r1, [r0, #0]
	ldr	r0, [r0, #4]
	sub	r0, r1, r0
	bx	lr
	.size	neighbours, .-neighbours
	.fnend
	.globl	sum
	.p2align	2
	.type	sum,%function
	.arm
sum:
	.fnstart
	vmul.f64	d0, d0, d1
	vsub.f64	d1, d2, d0
	vadd.f64	d0, d0, d1
	bx	lr
	.size	sum, .-sum
	.fnend
	.globl	difference
	.p2align	2
	.type	difference,%function
	.arm
difference:
	.fnstart
	vmls.f64	d2, d0, d1
	vmov.f64	d0, d2
	bx	lr
	.size	difference, .-difference
	.fnend
	.globl	population
	.p2align	2
	.type	population,%function
	.arm
population:
	.fnstart
	vmov.i8	q8, #0x0
	vmov.f64	d16, d0
	vmov.f64	d17, d1
	vcnt.8	q8, q8
	vpaddl.u8	q8, q8
	vpaddl.u16	q8, q8
	vorr	q9, q8, q8
	vmov.f64	d0, d18
	vmov.f64	d1, d17
	bx	lr
	.size	population, .-population
	.fnend
	.globl	widened
	.p2align	2
	.type	widened,%function
	.arm
widened:
	.fnstart
	adds	r0, r0, r2
	adc	r1, r1, #0
	bx	lr
	.size	widened, .-widened
	.fnend
	.globl	chosen
	.p2align	2
	.type	chosen,%function
	.arm
chosen:
	.fnstart
	lsr	r1, r0, #1
	movw	r2, #33568
	movt	r2, #60856
	tst	r0, #1
	eorne	r1, r1, r2
	mov	r0, r1
	bx	lr
	.size	chosen, .-chosen
	.fnend
	.globl	negated
	.p2align	2
	.type	negated,%function
	.arm
negated:
	.fnstart
	vmls.f64	d2, d0, d1
	vmov.f64	d0, d2
	bx	lr
	.size	negated, .-negated
	.fnend
	.globl	space
	.p2align	2
	.type	space,%function
	.arm
space:
	.fnstart
	mov	r3, r0
	sub	r0, r3, #9
	cmp	r0, #23
	bhi	.LBB20_48
	movw	r12, #19
	movt	r12, #128
	lsr	r12, r12, r0
	tst	r12, #1
	bne	.LBB20_40
	b	.LBB20_48
.LBB20_40:
	mov	r0, r3
	bx	lr
.LBB20_48:
	mov	r0, #0
	bx	lr
	.size	space, .-space
	.fnend
	.globl	far_bits
	.p2align	2
	.type	far_bits,%function
	.arm
far_bits:
	.fnstart
	stmdb	sp!, {r4, lr}
	.save	{r4, r14}
	mov	r3, r1
	add	lr, r0, #268435456
	ldr	r4, [lr, #0]
	tst	r4, r3
	beq	.LBB21_32
	mov	r0, r4
	ldm	sp!, {r4, pc}
.LBB21_32:
	mov	r0, r3
	ldm	sp!, {r4, pc}
	.size	far_bits, .-far_bits
	.fnend
	.globl	far_word
	.p2align	2
	.type	far_word,%function
	.arm
far_word:
	.fnstart
	str	lr, [sp, #-4]!
	.save	{r14}
	add	lr, r0, #268435456
	ldr	r0, [lr, #0]
	ldr	pc, [sp], #4
	.size	far_word, .-far_word
	.fnend
	.globl	far_element
	.p2align	2
	.type	far_element,%function
	.arm
far_element:
	.fnstart
	str	lr, [sp, #-4]!
	.save	{r14}
	add	lr, r0, #268435456
	ldr	r1, [lr, #0]
	orr	r2, r1, #1
	ldrb	r1, [r0, r1, lsl #1]
	ldrb	r0, [r0, r2, lsl #1]
	eor	r0, r1, r0
	ldr	pc, [sp], #4
	.size	far_element, .-far_element
	.fnend
	.globl	far_piece
	.p2align	2
	.type	far_piece,%function
	.arm
far_piece:
	.fnstart
	str	lr, [sp, #-4]!
	.save	{r14}
	add	lr, r0, #268435456
	ldrb	r0, [lr, #0]
	strb	r0, [r1, #0]
	ldr	pc, [sp], #4
	.size	far_piece, .-far_piece
	.fnend
	.globl	nested_sum
	.p2align	2
	.type	nested_sum,%function
	.arm
nested_sum:
	.fnstart
	stmdb	sp!, {r4, r5, r6, r7, r8, r9, r10, r11}
	.save	{r4, r5, r6, r7, r8, r9, r10, r11}
	sub	sp, sp, #16
	.pad	#16
	str	r3, [sp, #8]
	str	r2, [sp, #0]
	mov	r4, r0
	ldr	r6, [sp, #48]
	ldr	r7, [sp, #52]
	mov	r8, #0
	mov	r9, #0
	mov	r10, #0
	mov	r11, #0
.LBB25_44:
	mov	r3, #0
	mov	r5, #0
.LBB25_52:
	add	r0, r4, r3, lsl #1
	ldrh	r0, [r0, #0]
	add	r0, r0, r0, lsl #1
	uxth	r0, r0
	adds	r10, r10, r0
	adc	r11, r11, #0
	adds	r3, r3, #1
	adc	r5, r5, #0
	cmp	r3, r6
	cmpeq	r5, r7
	bne	.LBB25_52
	adds	r8, r8, #1
	adc	r9, r9, #0
	ldr	r0, [sp, #0]
	cmp	r8, r0
	ldr	r1, [sp, #8]
	cmpeq	r9, r1
	bne	.LBB25_44
	mov	r0, r10
	mov	r1, r11
	add	sp, sp, #16
	ldm	sp!, {r4, r5, r6, r7, r8, r9, r10, r11}
	bx	lr
	.size	nested_sum, .-nested_sum
	.fnend
	.globl	neighbours_32
	.p2align	2
	.type	neighbours_32,%function
	.arm
neighbours_32:
	.fnstart
	lsl	r0, r0, #1
	movw	r1, :lower16:table
	movt	r1, :upper16:table
	add	r0, r1, r0, lsl #2
	ldr	r1, [r0, #0]
	ldr	r0, [r0, #4]
	sub	r0, r1, r0
	bx	lr
	.size	neighbours_32, .-neighbours_32
	.fnend
	.globl	nested_sum_32
	.p2align	2
	.type	nested_sum_32,%function
	.arm
nested_sum_32:
	.fnstart
	stmdb	sp!, {r4, r5, r6, r7, r8, r9}
	.save	{r4, r5, r6, r7, r8, r9}
	mov	r5, r2
	mov	r4, r1
	mov	r3, r0
	mov	r6, #0
	mov	r7, #0
	mov	r8, #0
.LBB27_28:
	mov	r9, #0
.LBB27_32:
	add	r0, r3, r9, lsl #1
	ldrh	r0, [r0, #0]
	add	r0, r0, r0, lsl #1
	uxth	r0, r0
	adds	r7, r7, r0
	adc	r8, r8, #0
	add	r9, r9, #1
	cmp	r9, r5
	bne	.LBB27_32
	add	r6, r6, #1
	cmp	r6, r4
	bne	.LBB27_28
	mov	r0, r7
	mov	r1, r8
	ldm	sp!, {r4, r5, r6, r7, r8, r9}
	bx	lr
	.size	nested_sum_32, .-nested_sum_32
	.fnend
	.globl	chosen_sum
	.p2align	2
	.type	chosen_sum,%function
	.arm
chosen_sum:
	.fnstart
	stmdb	sp!, {r4, r5, r6}
	.save	{r4, r5, r6}
	sub	sp, sp, #12
	.pad	#12
	str	r2, [sp, #0]
	mov	r4, r0
	mov	r6, r3
	ldr	r5, [sp, #0]
	mov	r3, #0
.LBB28_28:
	movw	r0, :lower16:numbers
	movt	r0, :upper16:numbers
	ldr	r0, [r0, r3, lsl #3]
	adds	r1, r5, #7
	adc	r2, r6, #0
	tst	r0, #4
	moveq	r1, r5
	moveq	r2, r6
	mov	r5, r1
	mov	r6, r2
	add	r3, r3, #1
	cmp	r3, r4
	bne	.LBB28_28
	mov	r0, r5
	mov	r1, r6
	add	sp, sp, #12
	ldm	sp!, {r4, r5, r6}
	bx	lr
	.size	chosen_sum, .-chosen_sum
	.fnend
	.globl	changed_if
	.p2align	2
	.type	changed_if,%function
	.arm
changed_if:
	.fnstart
	sub	sp, sp, #8
	.pad	#8
	lsr	r3, r0, #1
	str	r1, [sp, #0]
	movw	r1, #33568
	movt	r1, #60856
	tst	r0, #1
	eorne	r3, r3, r1
	ldr	r0, [sp, #0]
	tst	r2, #32768
	subne	r3, r3, r0
	cmp	r3, r0
	addlo	r3, r3, #1
	mov	r0, r3
	add	sp, sp, #8
	bx	lr
	.size	changed_if, .-changed_if
	.fnend
	.section	.bss,"aw",%nobits
	.type	table,%object
	.globl	table
	.p2align	4
table:
	.zero	256
	.size	table, 256
	.type	numbers,%object
	.p2align	4
numbers:
	.zero	128
	.size	numbers, 128
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",%progbits
