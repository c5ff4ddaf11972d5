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
	.thumb
	.thumb_func
little:
	.fnstart
	ldr	r0, [r0, #0]
	bx	lr
	.size	little, .-little
	.fnend
	.globl	big
	.p2align	2
	.type	big,%function
	.thumb
	.thumb_func
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
	.thumb
	.thumb_func
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
	.thumb
	.thumb_func
apart:
	.fnstart
	ldrb	r2, [r0, #0]
	mov.w	r3, #1
	strb	r3, [r1, #0]
	ldrb	r0, [r0, #1]
	lsls	r0, r0, #8
	orrs	r0, r2
	bx	lr
	.size	apart, .-apart
	.fnend
	.globl	volatile
	.p2align	2
	.type	volatile,%function
	.thumb
	.thumb_func
volatile:
	.fnstart
	ldrb	r1, [r0, #0]
	ldrb	r0, [r0, #1]
	lsls	r0, r0, #8
	orrs	r0, r1
	bx	lr
	.size	volatile, .-volatile
	.fnend
	.globl	both
	.p2align	2
	.type	both,%function
	.thumb
	.thumb_func
both:
	.fnstart
	movw	r1, #52429
	movt	r1, #52428
	umull	r12, r2, r0, r1
	lsr	r2, r2, #3
	mov	r1, r2
	mov.w	r2, #10
	mls	r0, r1, r2, r0
	orr	r0, r0, r1, lsl #4
	bx	lr
	.size	both, .-both
	.fnend
	.globl	both_wide
	.p2align	2
	.type	both_wide,%function
	.thumb
	.thumb_func
both_wide:
	.fnstart
	push	{r4, r5, r6, r7, lr}
	.save	{r4, r5, r6, r7, r14}
	sub	sp, #4
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
	eors	r0, r2
	eors	r1, r3
	add	sp, #4
	ldm	sp!, {r4, r5, r6, r7, pc}
	.size	both_wide, .-both_wide
	.fnend
	.globl	power
	.p2align	2
	.type	power,%function
	.thumb
	.thumb_func
power:
	.fnstart
	asrs	r2, r1, #31
	lsrs	r2, r2, #28
	adds	r0, r0, r2
	adc	r1, r1, #0
	asrs	r2, r1, #31
	lsr	r12, r0, #4
	orr	r0, r12, r1, lsl #28
	lsr	r12, r1, #4
	orr	r1, r12, r2, lsl #28
	mov.w	r2, #0
	subs	r0, r2, r0
	mov.w	r2, #0
	sbc	r1, r2, r1
	bx	lr
	.size	power, .-power
	.fnend
	.globl	product
	.p2align	2
	.type	product,%function
	.thumb
	.thumb_func
product:
	.fnstart
	push	{lr}
	.save	{r14}
	sub	sp, #44
	.pad	#44
	lsr	r12, r0, #3
	orr	r0, r12, r1, lsl #29
	lsrs	r1, r1, #3
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
	lsrs	r0, r0, #4
	mov	lr, r1
	mov	r1, r0
	mov	r0, lr
	add	sp, #44
	ldr	pc, [sp], #4
	.size	product, .-product
	.fnend
	.globl	bit
	.p2align	2
	.type	bit,%function
	.thumb
	.thumb_func
bit:
	.fnstart
	push	{r4}
	.save	{r4}
	sub	sp, #20
	.pad	#20
	str	r2, [sp, #8]
	str	r1, [sp, #0]
	ldr	r0, [sp, #8]
	ldr	r1, [sp, #24]
	ldr	r2, [sp, #28]
	ldr	r4, [sp, #0]
	tst	r4, #256
	itt	eq
	moveq	r1, r0
	moveq	r2, r3
	mov	r0, r1
	mov	r1, r2
	add	sp, #20
	pop	{r4}
	bx	lr
	.size	bit, .-bit
	.fnend
	.globl	variable_bit
	.p2align	2
	.type	variable_bit,%function
	.thumb
	.thumb_func
variable_bit:
	.fnstart
	push	{r4}
	.save	{r4}
	sub	sp, #20
	.pad	#20
	mov	r3, r2
	str	r1, [sp, #8]
	str	r0, [sp, #0]
	mov.w	r0, #1
	mov.w	r1, #0
	lsl	r4, r1, r3
	rsb	r12, r3, #32
	lsr	r2, r0, r12
	orr	r4, r4, r2
	sub.w	r12, r3, #32
	lsl	r2, r0, r12
	orr	r4, r4, r2
	lsl	r2, r0, r3
	ldr	r0, [sp, #0]
	ands	r0, r2
	ldr	r1, [sp, #8]
	ands	r1, r4
	ldr	r2, [sp, #24]
	ldr	r3, [sp, #28]
	orrs	r12, r0, r1
	it	ne
	movne	r3, r2
	mov	r0, r3
	add	sp, #20
	pop	{r4}
	bx	lr
	.size	variable_bit, .-variable_bit
	.fnend
	.globl	shifted_bit
	.p2align	2
	.type	shifted_bit,%function
	.thumb
	.thumb_func
shifted_bit:
	.fnstart
	push	{r4}
	.save	{r4}
	mov	r4, r1
	mov	r3, r0
	lsr	r0, r3, r4
	tst	r0, #1
	beq.n	.LBB11_22
	mov	r0, r3
	pop	{r4}
	bx	lr
.LBB11_22:
	mov	r0, r4
	pop	{r4}
	bx	lr
	.size	shifted_bit, .-shifted_bit
	.fnend
	.globl	highest
	.p2align	2
	.type	highest,%function
	.thumb
	.thumb_func
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
	.thumb
	.thumb_func
neighbours:
	.fnstart
	lsls	r0, r0, #1
	movw	r1, :lower16:table
	movt	r1, :upper16:table
	add	r0, r1, r0, lsl #2
	ldr	r1, [r0, #0]
	ldr	r0, [r0, #4]
	subs	r0, r1, r0
	bx	lr
	.size	neighbours, .-neighbours
	.fnend
	.globl	sum
	.p2align	2
	.type	sum,%function
	.thumb
	.thumb_func
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
	.thumb
	.thumb_func
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
	.thumb
	.thumb_func
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
	.thumb
	.thumb_func
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
	.thumb
	.thumb_func
chosen:
	.fnstart
	lsrs	r1, r0, #1
	movw	r2, #33568
	movt	r2, #60856
	tst	r0, #1
	it	ne
	eorne	r1, r2
	mov	r0, r1
	bx	lr
	.size	chosen, .-chosen
	.fnend
	.globl	negated
	.p2align	2
	.type	negated,%function
	.thumb
	.thumb_func
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
	.thumb
	.thumb_func
space:
	.fnstart
	mov	r3, r0
	sub.w	r0, r3, #9
	cmp	r0, #23
	bhi.n	.LBB20_34
	movw	r12, #19
	movt	r12, #128
	lsr	r12, r12, r0
	tst	r12, #1
	bne.n	.LBB20_30
	b.n	.LBB20_34
.LBB20_30:
	mov	r0, r3
	bx	lr
.LBB20_34:
	mov.w	r0, #0
	bx	lr
	.size	space, .-space
	.fnend
	.globl	far_bits
	.p2align	2
	.type	far_bits,%function
	.thumb
	.thumb_func
far_bits:
	.fnstart
	push	{r4, lr}
	.save	{r4, r14}
	mov	r3, r1
	add.w	lr, r0, #268435456
	ldr	r4, [lr, #0]
	tst	r4, r3
	beq.n	.LBB21_22
	mov	r0, r4
	ldm	sp!, {r4, pc}
.LBB21_22:
	mov	r0, r3
	ldm	sp!, {r4, pc}
	.size	far_bits, .-far_bits
	.fnend
	.globl	far_word
	.p2align	2
	.type	far_word,%function
	.thumb
	.thumb_func
far_word:
	.fnstart
	push	{lr}
	.save	{r14}
	add.w	lr, r0, #268435456
	ldr	r0, [lr, #0]
	ldr	pc, [sp], #4
	.size	far_word, .-far_word
	.fnend
	.globl	far_element
	.p2align	2
	.type	far_element,%function
	.thumb
	.thumb_func
far_element:
	.fnstart
	push	{lr}
	.save	{r14}
	add.w	lr, r0, #268435456
	ldr	r1, [lr, #0]
	orr	r2, r1, #1
	ldrb	r1, [r0, r1, lsl #1]
	ldrb	r0, [r0, r2, lsl #1]
	eors	r0, r1
	ldr	pc, [sp], #4
	.size	far_element, .-far_element
	.fnend
	.globl	far_piece
	.p2align	2
	.type	far_piece,%function
	.thumb
	.thumb_func
far_piece:
	.fnstart
	push	{lr}
	.save	{r14}
	add.w	lr, r0, #268435456
	ldrb	r0, [lr, #0]
	strb	r0, [r1, #0]
	ldr	pc, [sp], #4
	.size	far_piece, .-far_piece
	.fnend
	.globl	nested_sum
	.p2align	2
	.type	nested_sum,%function
	.thumb
	.thumb_func
nested_sum:
	.fnstart
	stmdb	sp!, {r4, r5, r6, r7, r8, r9, r10, r11}
	.save	{r4, r5, r6, r7, r8, r9, r10, r11}
	sub	sp, #16
	.pad	#16
	str	r3, [sp, #8]
	str	r2, [sp, #0]
	mov	r4, r0
	ldr	r6, [sp, #48]
	ldr	r7, [sp, #52]
	mov.w	r8, #0
	mov.w	r9, #0
	mov.w	r10, #0
	mov.w	r11, #0
.LBB25_32:
	mov.w	r3, #0
	mov.w	r5, #0
.LBB25_40:
	ldrh	r0, [r4, r3, lsl #1]
	add	r0, r0, r0, lsl #1
	uxth	r0, r0
	adds	r10, r10, r0
	adc	r11, r11, #0
	adds	r3, r3, #1
	adc	r5, r5, #0
	cmp	r3, r6
	it	eq
	cmpeq	r5, r7
	bne.n	.LBB25_40
	adds.w	r8, r8, #1
	adc	r9, r9, #0
	ldr	r0, [sp, #0]
	cmp	r8, r0
	ldr	r1, [sp, #8]
	it	eq
	cmpeq	r9, r1
	bne.n	.LBB25_32
	mov	r0, r10
	mov	r1, r11
	add	sp, #16
	ldm	sp!, {r4, r5, r6, r7, r8, r9, r10, r11}
	bx	lr
	.size	nested_sum, .-nested_sum
	.fnend
	.globl	neighbours_32
	.p2align	2
	.type	neighbours_32,%function
	.thumb
	.thumb_func
neighbours_32:
	.fnstart
	lsls	r0, r0, #1
	movw	r1, :lower16:table
	movt	r1, :upper16:table
	add	r0, r1, r0, lsl #2
	ldr	r1, [r0, #0]
	ldr	r0, [r0, #4]
	subs	r0, r1, r0
	bx	lr
	.size	neighbours_32, .-neighbours_32
	.fnend
	.globl	nested_sum_32
	.p2align	2
	.type	nested_sum_32,%function
	.thumb
	.thumb_func
nested_sum_32:
	.fnstart
	stmdb	sp!, {r4, r5, r6, r7, r8, r9}
	.save	{r4, r5, r6, r7, r8, r9}
	mov	r5, r2
	mov	r4, r1
	mov	r3, r0
	mov.w	r6, #0
	mov.w	r7, #0
	mov.w	r8, #0
.LBB27_22:
	mov.w	r9, #0
.LBB27_26:
	ldrh	r0, [r3, r9, lsl #1]
	add	r0, r0, r0, lsl #1
	uxth	r0, r0
	adds	r7, r7, r0
	adc	r8, r8, #0
	add.w	r9, r9, #1
	cmp	r9, r5
	bne.n	.LBB27_26
	adds	r6, r6, #1
	cmp	r6, r4
	bne.n	.LBB27_22
	mov	r0, r7
	mov	r1, r8
	ldm	sp!, {r4, r5, r6, r7, r8, r9}
	bx	lr
	.size	nested_sum_32, .-nested_sum_32
	.fnend
	.globl	chosen_sum
	.p2align	2
	.type	chosen_sum,%function
	.thumb
	.thumb_func
chosen_sum:
	.fnstart
	push	{r4, r5, r6}
	.save	{r4, r5, r6}
	sub	sp, #12
	.pad	#12
	str	r2, [sp, #0]
	mov	r4, r0
	mov	r6, r3
	ldr	r5, [sp, #0]
	mov.w	r3, #0
.LBB28_16:
	movw	r0, :lower16:numbers
	movt	r0, :upper16:numbers
	ldr	r0, [r0, r3, lsl #3]
	adds	r1, r5, #7
	adc	r2, r6, #0
	tst	r0, #4
	itt	eq
	moveq	r1, r5
	moveq	r2, r6
	mov	r5, r1
	mov	r6, r2
	adds	r3, r3, #1
	cmp	r3, r4
	bne.n	.LBB28_16
	mov	r0, r5
	mov	r1, r6
	add	sp, #12
	pop	{r4, r5, r6}
	bx	lr
	.size	chosen_sum, .-chosen_sum
	.fnend
	.globl	changed_if
	.p2align	2
	.type	changed_if,%function
	.thumb
	.thumb_func
changed_if:
	.fnstart
	sub	sp, #8
	.pad	#8
	lsrs	r3, r0, #1
	str	r1, [sp, #0]
	movw	r1, #33568
	movt	r1, #60856
	tst	r0, #1
	it	ne
	eorne	r3, r1
	ldr	r0, [sp, #0]
	tst	r2, #32768
	it	ne
	subne	r3, r3, r0
	cmp	r3, r0
	it	lo
	addlo	r3, r3, #1
	mov	r0, r3
	add	sp, #8
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
