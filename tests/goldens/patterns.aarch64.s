	.file	"patterns.ll"
	.section	.text,"ax",@progbits
	.globl	little
	.p2align	2
	.type	little,@function
little:
	.cfi_startproc
	ldr	w0, [x0, #0]
	ret
	.size	little, .-little
	.cfi_endproc
	.globl	big
	.p2align	2
	.type	big,@function
big:
	.cfi_startproc
	ldrh	w0, [x0, #0]
	rev	w0, w0
	ubfm	w0, w0, #16, #31
	ret
	.size	big, .-big
	.cfi_endproc
	.globl	put_big
	.p2align	2
	.type	put_big,@function
put_big:
	.cfi_startproc
	rev	w9, w1
	str	w9, [x0, #0]
	ret
	.size	put_big, .-put_big
	.cfi_endproc
	.globl	apart
	.p2align	2
	.type	apart,@function
apart:
	.cfi_startproc
	ldrb	w9, [x0, #0]
	movz	w10, #1, lsl #0
	strb	w10, [x1, #0]
	ldrb	w10, [x0, #1]
	ubfm	w10, w10, #24, #23
	orr	w0, w9, w10
	ret
	.size	apart, .-apart
	.cfi_endproc
	.globl	volatile
	.p2align	2
	.type	volatile,@function
volatile:
	.cfi_startproc
	ldrb	w9, [x0, #0]
	ldrb	w10, [x0, #1]
	ubfm	w10, w10, #24, #23
	orr	w0, w9, w10
	ret
	.size	volatile, .-volatile
	.cfi_endproc
	.globl	both
	.p2align	2
	.type	both,@function
both:
	.cfi_startproc
	movz	w17, #52429, lsl #0
	movk	w17, #52428, lsl #16
	umaddl	x17, w0, w17, xzr
	ubfm	x9, x17, #35, #63
	movz	w10, #10, lsl #0
	msub	w10, w9, w10, w0
	orr	w0, w10, w9, lsl #4
	ret
	.size	both, .-both
	.cfi_endproc
	.globl	both_wide
	.p2align	2
	.type	both_wide,@function
both_wide:
	.cfi_startproc
	sdiv	x9, x0, x1
	msub	x10, x9, x1, x0
	eor	x0, x9, x10
	ret
	.size	both_wide, .-both_wide
	.cfi_endproc
	.globl	power
	.p2align	2
	.type	power,@function
power:
	.cfi_startproc
	sbfm	x17, x0, #63, #63
	add	x17, x0, x17, lsr #60
	sub	x0, xzr, x17, asr #4
	ret
	.size	power, .-power
	.cfi_endproc
	.globl	product
	.p2align	2
	.type	product,@function
product:
	.cfi_startproc
	movz	x17, #63439, lsl #0
	movk	x17, #58195, lsl #16
	movk	x17, #39845, lsl #32
	movk	x17, #8388, lsl #48
	ubfm	x16, x0, #3, #63
	umulh	x17, x16, x17
	ubfm	x0, x17, #4, #63
	ret
	.size	product, .-product
	.cfi_endproc
	.globl	bit
	.p2align	2
	.type	bit,@function
bit:
	.cfi_startproc
	ands	xzr, x0, #0x10000000000
	csel	x9, x1, x2, eq
	mov	x0, x9
	ret
	.size	bit, .-bit
	.cfi_endproc
	.globl	variable_bit
	.p2align	2
	.type	variable_bit,@function
variable_bit:
	.cfi_startproc
	movz	w9, #1, lsl #0
	lsl	x9, x9, x1
	ands	xzr, x0, x9
	csel	w9, w2, w3, ne
	mov	w0, w9
	ret
	.size	variable_bit, .-variable_bit
	.cfi_endproc
	.globl	shifted_bit
	.p2align	2
	.type	shifted_bit,@function
shifted_bit:
	.cfi_startproc
	lsr	w9, w0, w1
	tbz	w9, #0, .LBB11_12
	ret
.LBB11_12:
	mov	w0, w1
	ret
	.size	shifted_bit, .-shifted_bit
	.cfi_endproc
	.globl	highest
	.p2align	2
	.type	highest,@function
highest:
	.cfi_startproc
	clz	w0, w0
	eor	w0, w0, #0x1f
	ret
	.size	highest, .-highest
	.cfi_endproc
	.globl	neighbours
	.p2align	2
	.type	neighbours,@function
neighbours:
	.cfi_startproc
	ubfm	x9, x0, #63, #62
	adrp	x10, table
	add	x10, x10, :lo12:table
	add	x9, x10, x9, lsl #2
	ldr	w0, [x9, #0]
	ldr	w9, [x9, #4]
	sub	w0, w0, w9
	ret
	.size	neighbours, .-neighbours
	.cfi_endproc
	.globl	sum
	.p2align	2
	.type	sum,@function
sum:
	.cfi_startproc
	fmul	d16, d0, d1
	fsub	d17, d2, d16
	fadd	d0, d16, d17
	ret
	.size	sum, .-sum
	.cfi_endproc
	.globl	difference
	.p2align	2
	.type	difference,@function
difference:
	.cfi_startproc
	fmul	d16, d0, d1
	fsub	d0, d2, d16
	ret
	.size	difference, .-difference
	.cfi_endproc
	.globl	population
	.p2align	2
	.type	population,@function
population:
	.cfi_startproc
	cnt	v0.16b, v0.16b
	uaddlp	v0.8h, v0.16b
	uaddlp	v0.4s, v0.8h
	ret
	.size	population, .-population
	.cfi_endproc
	.globl	widened
	.p2align	2
	.type	widened,@function
widened:
	.cfi_startproc
	add	x0, x0, w1, uxtw #0
	ret
	.size	widened, .-widened
	.cfi_endproc
	.globl	chosen
	.p2align	2
	.type	chosen,@function
chosen:
	.cfi_startproc
	ubfm	w9, w0, #1, #31
	movz	w10, #33568, lsl #0
	movk	w10, #60856, lsl #16
	eor	w10, w9, w10
	ands	xzr, x0, #0x1
	csel	w11, w9, w10, eq
	mov	w0, w11
	ret
	.size	chosen, .-chosen
	.cfi_endproc
	.globl	negated
	.p2align	2
	.type	negated,@function
negated:
	.cfi_startproc
	fneg	d0, d0
	fmul	d0, d0, d1
	fadd	d0, d0, d2
	ret
	.size	negated, .-negated
	.cfi_endproc
	.globl	space
	.p2align	2
	.type	space,@function
space:
	.cfi_startproc
	sub	w9, w0, #9
	subs	wzr, w9, #23
	b.hi	.LBB20_36
	movz	w17, #19, lsl #0
	movk	w17, #128, lsl #16
	lsr	x17, x17, x9
	tbnz	w17, #0, .LBB20_32
	b	.LBB20_36
.LBB20_32:
	ret
.LBB20_36:
	movz	w0, #0, lsl #0
	ret
	.size	space, .-space
	.cfi_endproc
	.globl	far_bits
	.p2align	2
	.type	far_bits,@function
far_bits:
	.cfi_startproc
	movz	w17, #4096, lsl #16
	ldr	w0, [x0, x17]
	ands	wzr, w0, w1
	b.eq	.LBB21_20
	ret
.LBB21_20:
	mov	w0, w1
	ret
	.size	far_bits, .-far_bits
	.cfi_endproc
	.globl	far_word
	.p2align	2
	.type	far_word,@function
far_word:
	.cfi_startproc
	movz	w17, #4096, lsl #16
	ldr	x0, [x0, x17]
	ret
	.size	far_word, .-far_word
	.cfi_endproc
	.globl	far_element
	.p2align	2
	.type	far_element,@function
far_element:
	.cfi_startproc
	movz	w17, #4096, lsl #16
	ldr	w9, [x0, x17]
	orr	w10, w9, #0x1
	add	x11, x0, w9, sxtw #1
	ldrb	w9, [x11, #0]
	add	x11, x0, w10, sxtw #1
	ldrb	w10, [x11, #0]
	eor	w0, w9, w10
	ret
	.size	far_element, .-far_element
	.cfi_endproc
	.globl	far_piece
	.p2align	2
	.type	far_piece,@function
far_piece:
	.cfi_startproc
	movz	w17, #4096, lsl #16
	ldrb	w9, [x0, x17]
	strb	w9, [x1, #0]
	ret
	.size	far_piece, .-far_piece
	.cfi_endproc
	.globl	nested_sum
	.p2align	2
	.type	nested_sum,@function
nested_sum:
	.cfi_startproc
	movz	w3, #0, lsl #0
	movz	w4, #0, lsl #0
.LBB25_8:
	movz	w5, #0, lsl #0
.LBB25_12:
	ldrh	w9, [x0, x5, lsl #1]
	add	w9, w9, w9, lsl #1
	add	x4, x4, w9, uxth #0
	add	x5, x5, #1
	subs	xzr, x5, x2
	b.ne	.LBB25_12
	add	x3, x3, #1
	subs	xzr, x3, x1
	b.ne	.LBB25_8
	mov	x0, x4
	ret
	.size	nested_sum, .-nested_sum
	.cfi_endproc
	.globl	neighbours_32
	.p2align	2
	.type	neighbours_32,@function
neighbours_32:
	.cfi_startproc
	ubfm	w9, w0, #31, #30
	adrp	x10, table
	add	x10, x10, :lo12:table
	ldr	w0, [x10, w9, sxtw #2]
	orr	w9, w9, #0x1
	adrp	x10, table
	add	x10, x10, :lo12:table
	ldr	w9, [x10, w9, sxtw #2]
	sub	w0, w0, w9
	ret
	.size	neighbours_32, .-neighbours_32
	.cfi_endproc
	.globl	nested_sum_32
	.p2align	2
	.type	nested_sum_32,@function
nested_sum_32:
	.cfi_startproc
	movz	w3, #0, lsl #0
	movz	w4, #0, lsl #0
.LBB27_8:
	movz	w5, #0, lsl #0
.LBB27_12:
	ldrh	w9, [x0, w5, sxtw #1]
	add	w9, w9, w9, lsl #1
	add	x4, x4, w9, uxth #0
	add	w5, w5, #1
	subs	wzr, w5, w2
	b.ne	.LBB27_12
	add	w3, w3, #1
	subs	wzr, w3, w1
	b.ne	.LBB27_8
	mov	x0, x4
	ret
	.size	nested_sum_32, .-nested_sum_32
	.cfi_endproc
	.globl	chosen_sum
	.p2align	2
	.type	chosen_sum,@function
chosen_sum:
	.cfi_startproc
	movz	w2, #0, lsl #0
.LBB28_4:
	adrp	x9, numbers
	add	x9, x9, :lo12:numbers
	add	x10, x9, w2, sxtw #3
	ldr	w9, [x10, #0]
	add	x10, x1, #7
	ands	xzr, x9, #0x4
	csel	x9, x1, x10, eq
	mov	x1, x9
	add	w2, w2, #1
	subs	wzr, w2, w0
	b.ne	.LBB28_4
	mov	x0, x1
	ret
	.size	chosen_sum, .-chosen_sum
	.cfi_endproc
	.globl	changed_if
	.p2align	2
	.type	changed_if,@function
changed_if:
	.cfi_startproc
	ubfm	w9, w0, #1, #31
	movz	w10, #33568, lsl #0
	movk	w10, #60856, lsl #16
	eor	w10, w9, w10
	ands	xzr, x0, #0x1
	csel	w11, w9, w10, eq
	sub	w9, w11, w1
	ands	xzr, x2, #0x8000
	csel	w10, w9, w11, ne
	add	w9, w10, #1
	subs	wzr, w10, w1
	csel	w0, w9, w10, lo
	ret
	.size	changed_if, .-changed_if
	.cfi_endproc
	.section	.bss,"aw",@nobits
	.type	table,@object
	.globl	table
	.p2align	4
table:
	.zero	256
	.size	table, 256
	.type	numbers,@object
	.p2align	4
numbers:
	.zero	128
	.size	numbers, 128
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
