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
	.file	"moves.ll"
	.section	.text,"ax",%progbits
	.globl	rotation
	.p2align	2
	.type	rotation,%function
	.thumb
	.thumb_func
rotation:
	.fnstart
	stmdb	sp!, {r4, r5, r6, r7, r8}
	.save	{r4, r5, r6, r7, r8}
	mov	r3, r0
	mov.w	r4, #0
	mov.w	r5, #1
	mov.w	r6, #2
	mov.w	r7, #3
	mov.w	r8, #4
	b.n	.LBB0_38
.LBB0_28:
	mov	r12, r5
	mov	r5, r6
	mov	r6, r7
	mov	r7, r8
	mov	r8, r12
.LBB0_38:
	adds	r4, r4, #1
	cmp	r4, r3
	blo.n	.LBB0_28
	eor	r0, r5, r6
	sub	r1, r7, r8
	muls	r0, r1, r0
	ldm	sp!, {r4, r5, r6, r7, r8}
	bx	lr
	.size	rotation, .-rotation
	.fnend
	.globl	while
	.p2align	2
	.type	while,%function
	.thumb
	.thumb_func
while:
	.fnstart
	push	{r4, r5, r6}
	.save	{r4, r5, r6}
	mov	r4, r1
	mov	r3, r0
	mov.w	r5, #0
	mov.w	r6, #0
	b.n	.LBB1_24
.LBB1_16:
	ldr	r0, [r3, r5, lsl #2]
	adds	r6, r6, r0
	adds	r5, r5, #1
.LBB1_24:
	cmp	r5, r4
	blt.n	.LBB1_16
	mov	r0, r6
	pop	{r4, r5, r6}
	bx	lr
	.size	while, .-while
	.fnend
	.globl	used_behind
	.p2align	2
	.type	used_behind,%function
	.thumb
	.thumb_func
used_behind:
	.fnstart
	push	{r4}
	.save	{r4}
	mov	r3, r0
	mov.w	r4, #0
	b.n	.LBB2_14
.LBB2_10:
	muls	r4, r3, r4
	subs	r3, r3, #5
.LBB2_14:
	cmp	r3, #7
	bhs.n	.LBB2_10
	adds	r0, r4, r3
	pop	{r4}
	bx	lr
	.size	used_behind, .-used_behind
	.fnend
	.globl	choose
	.p2align	2
	.type	choose,%function
	.thumb
	.thumb_func
choose:
	.fnstart
	sub	sp, #8
	.pad	#8
	str	r2, [sp, #0]
	mov	r3, r1
	cbnz	r0, .LBB3_14
	mov.w	r0, #1
	b.n	.LBB3_26
.LBB3_14:
	cmp	r3, #9
	bge.n	.LBB3_22
	mov	r0, r3
	b.n	.LBB3_26
.LBB3_22:
	ldr	r0, [sp, #0]
	muls	r0, r3, r0
.LBB3_26:
	add	sp, #8
	bx	lr
	.size	choose, .-choose
	.fnend
	.globl	fib
	.p2align	2
	.type	fib,%function
	.thumb
	.thumb_func
fib:
	.fnstart
	push	{r4, lr}
	.save	{r4, r14}
	sub	sp, #8
	.pad	#8
	mov	r4, r0
	cmp	r4, #2
	bge.n	.LBB4_14
	mov	r0, r4
	b.n	.LBB4_36
.LBB4_14:
	add.w	r0, r4, #4294967295
	bl	fib
	str	r0, [sp, #0]
	subs	r1, r4, #2
	mov	r0, r1
	bl	fib
	ldr	r1, [sp, #0]
	adds	r0, r1, r0
.LBB4_36:
	add	sp, #8
	ldm	sp!, {r4, pc}
	.size	fib, .-fib
	.fnend
	.globl	turned
	.p2align	2
	.type	turned,%function
	.thumb
	.thumb_func
turned:
	.fnstart
	push	{lr}
	.save	{r14}
	mov	lr, r0
	mov	r0, r1
	mov	r1, lr
	ldr	lr, [sp], #4
	b.w	callee
	.size	turned, .-turned
	.fnend
	.globl	given
	.p2align	2
	.type	given,%function
	.thumb
	.thumb_func
given:
	.fnstart
	mov	r12, r0
	bx	r12
	.size	given, .-given
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
	str	r1, [sp, #0]
	mov	r3, r0
	cbnz	r3, .LBB7_12
	ldr	r0, [sp, #0]
	b.n	.LBB7_24
.LBB7_12:
	mov	r0, r3
	mov.w	r1, #7
	add	sp, #8
	b.w	callee
.LBB7_24:
	add	sp, #8
	bx	lr
	.size	both, .-both
	.fnend
	.globl	after_another
	.p2align	2
	.type	after_another,%function
	.thumb
	.thumb_func
after_another:
	.fnstart
	push	{lr}
	.save	{r14}
	sub	sp, #4
	.pad	#4
	bl	nothing
	add	sp, #4
	ldr	lr, [sp], #4
	b.w	nothing
	.size	after_another, .-after_another
	.fnend
	.globl	extended
	.p2align	2
	.type	extended,%function
	.thumb
	.thumb_func
extended:
	.fnstart
	b.w	byte
	.size	extended, .-extended
	.fnend
	.globl	widened
	.p2align	2
	.type	widened,%function
	.thumb
	.thumb_func
widened:
	.fnstart
	push	{lr}
	.save	{r14}
	sub	sp, #4
	.pad	#4
	bl	any_byte
	and	r0, r0, #255
	add	sp, #4
	ldr	pc, [sp], #4
	.size	widened, .-widened
	.fnend
	.globl	unmarked
	.p2align	2
	.type	unmarked,%function
	.thumb
	.thumb_func
unmarked:
	.fnstart
	push	{lr}
	.save	{r14}
	sub	sp, #4
	.pad	#4
	mov	r1, r0
	bl	callee
	add	sp, #4
	ldr	pc, [sp], #4
	.size	unmarked, .-unmarked
	.fnend
	.globl	forbidden
	.p2align	2
	.type	forbidden,%function
	.thumb
	.thumb_func
forbidden:
	.fnstart
	push	{lr}
	.save	{r14}
	sub	sp, #4
	.pad	#4
	mov	r1, r0
	bl	callee
	add	sp, #4
	ldr	pc, [sp], #4
	.size	forbidden, .-forbidden
	.fnend
	.globl	result
	.p2align	2
	.type	result,%function
	.thumb
	.thumb_func
result:
	.fnstart
	b.w	filled
	.size	result, .-result
	.fnend
	.globl	argument
	.p2align	2
	.type	argument,%function
	.thumb
	.thumb_func
argument:
	.fnstart
	push	{lr}
	.save	{r14}
	sub	sp, #76
	.pad	#76
	ldr	r1, [r0, #16]
	str	r1, [sp, #0]
	ldr	r1, [r0, #0]
	str	r1, [sp, #8]
	ldr	r1, [r0, #4]
	str	r1, [sp, #24]
	ldr	r1, [r0, #8]
	str	r1, [sp, #40]
	ldr	r1, [r0, #12]
	str	r1, [sp, #56]
	ldr	r0, [sp, #8]
	ldr	r1, [sp, #24]
	ldr	r2, [sp, #40]
	ldr	r3, [sp, #56]
	bl	copied
	add	sp, #76
	ldr	pc, [sp], #4
	.size	argument, .-argument
	.fnend
	.globl	on_the_stack
	.p2align	2
	.type	on_the_stack,%function
	.thumb
	.thumb_func
on_the_stack:
	.fnstart
	push	{lr}
	.save	{r14}
	sub	sp, #28
	.pad	#28
	mov.w	lr, #5
	str	lr, [sp, #0]
	mov.w	lr, #6
	str	lr, [sp, #4]
	mov.w	lr, #7
	str	lr, [sp, #8]
	mov.w	lr, #8
	str	lr, [sp, #12]
	mov.w	lr, #9
	str	lr, [sp, #16]
	mov.w	r0, #1
	mov.w	r1, #2
	mov.w	r2, #3
	mov.w	r3, #4
	bl	many
	add	sp, #28
	ldr	pc, [sp], #4
	.size	on_the_stack, .-on_the_stack
	.fnend
	.globl	changed
	.p2align	2
	.type	changed,%function
	.thumb
	.thumb_func
changed:
	.fnstart
	push	{lr}
	.save	{r14}
	sub	sp, #4
	.pad	#4
	mov	r1, r0
	bl	callee
	adds	r0, r0, #1
	add	sp, #4
	ldr	pc, [sp], #4
	.size	changed, .-changed
	.fnend
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",%progbits
