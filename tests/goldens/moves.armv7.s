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
	.arm
rotation:
	.fnstart
	stmdb	sp!, {r4, r5, r6, r7, r8}
	.save	{r4, r5, r6, r7, r8}
	mov	r3, r0
	mov	r4, #0
	mov	r5, #1
	mov	r6, #2
	mov	r7, #3
	mov	r8, #4
	b	.LBB0_52
.LBB0_32:
	mov	r12, r5
	mov	r5, r6
	mov	r6, r7
	mov	r7, r8
	mov	r8, r12
.LBB0_52:
	add	r4, r4, #1
	cmp	r4, r3
	blo	.LBB0_32
	eor	r0, r5, r6
	sub	r1, r7, r8
	mul	r0, r0, r1
	ldm	sp!, {r4, r5, r6, r7, r8}
	bx	lr
	.size	rotation, .-rotation
	.fnend
	.globl	while
	.p2align	2
	.type	while,%function
	.arm
while:
	.fnstart
	stmdb	sp!, {r4, r5, r6}
	.save	{r4, r5, r6}
	mov	r4, r1
	mov	r3, r0
	mov	r5, #0
	mov	r6, #0
	b	.LBB1_36
.LBB1_24:
	ldr	r0, [r3, r5, lsl #2]
	add	r6, r6, r0
	add	r5, r5, #1
.LBB1_36:
	cmp	r5, r4
	blt	.LBB1_24
	mov	r0, r6
	ldm	sp!, {r4, r5, r6}
	bx	lr
	.size	while, .-while
	.fnend
	.globl	used_behind
	.p2align	2
	.type	used_behind,%function
	.arm
used_behind:
	.fnstart
	str	r4, [sp, #-4]!
	.save	{r4}
	mov	r3, r0
	mov	r4, #0
	b	.LBB2_24
.LBB2_16:
	mul	r4, r4, r3
	sub	r3, r3, #5
.LBB2_24:
	cmp	r3, #7
	bhs	.LBB2_16
	add	r0, r4, r3
	ldr	r4, [sp], #4
	bx	lr
	.size	used_behind, .-used_behind
	.fnend
	.globl	choose
	.p2align	2
	.type	choose,%function
	.arm
choose:
	.fnstart
	sub	sp, sp, #8
	.pad	#8
	str	r2, [sp, #0]
	mov	r3, r1
	cmp	r0, #0
	bne	.LBB3_28
	mov	r0, #1
	b	.LBB3_52
.LBB3_28:
	cmp	r3, #9
	bge	.LBB3_44
	mov	r0, r3
	b	.LBB3_52
.LBB3_44:
	ldr	r0, [sp, #0]
	mul	r0, r3, r0
.LBB3_52:
	add	sp, sp, #8
	bx	lr
	.size	choose, .-choose
	.fnend
	.globl	fib
	.p2align	2
	.type	fib,%function
	.arm
fib:
	.fnstart
	stmdb	sp!, {r4, lr}
	.save	{r4, r14}
	sub	sp, sp, #8
	.pad	#8
	mov	r4, r0
	cmp	r4, #2
	bge	.LBB4_28
	mov	r0, r4
	b	.LBB4_60
.LBB4_28:
	sub	r0, r4, #1
	bl	fib
	str	r0, [sp, #0]
	sub	r1, r4, #2
	mov	r0, r1
	bl	fib
	ldr	r1, [sp, #0]
	add	r0, r1, r0
.LBB4_60:
	add	sp, sp, #8
	ldm	sp!, {r4, pc}
	.size	fib, .-fib
	.fnend
	.globl	turned
	.p2align	2
	.type	turned,%function
	.arm
turned:
	.fnstart
	str	lr, [sp, #-4]!
	.save	{r14}
	mov	lr, r0
	mov	r0, r1
	mov	r1, lr
	ldr	lr, [sp], #4
	b	callee
	.size	turned, .-turned
	.fnend
	.globl	given
	.p2align	2
	.type	given,%function
	.arm
given:
	.fnstart
	mov	r12, r0
	bx	r12
	.size	given, .-given
	.fnend
	.globl	both
	.p2align	2
	.type	both,%function
	.arm
both:
	.fnstart
	sub	sp, sp, #8
	.pad	#8
	str	r1, [sp, #0]
	mov	r3, r0
	cmp	r3, #0
	bne	.LBB7_28
	ldr	r0, [sp, #0]
	b	.LBB7_44
.LBB7_28:
	mov	r0, r3
	mov	r1, #7
	add	sp, sp, #8
	b	callee
.LBB7_44:
	add	sp, sp, #8
	bx	lr
	.size	both, .-both
	.fnend
	.globl	after_another
	.p2align	2
	.type	after_another,%function
	.arm
after_another:
	.fnstart
	str	lr, [sp, #-4]!
	.save	{r14}
	sub	sp, sp, #4
	.pad	#4
	bl	nothing
	add	sp, sp, #4
	ldr	lr, [sp], #4
	b	nothing
	.size	after_another, .-after_another
	.fnend
	.globl	extended
	.p2align	2
	.type	extended,%function
	.arm
extended:
	.fnstart
	b	byte
	.size	extended, .-extended
	.fnend
	.globl	widened
	.p2align	2
	.type	widened,%function
	.arm
widened:
	.fnstart
	str	lr, [sp, #-4]!
	.save	{r14}
	sub	sp, sp, #4
	.pad	#4
	bl	any_byte
	and	r0, r0, #255
	add	sp, sp, #4
	ldr	pc, [sp], #4
	.size	widened, .-widened
	.fnend
	.globl	unmarked
	.p2align	2
	.type	unmarked,%function
	.arm
unmarked:
	.fnstart
	str	lr, [sp, #-4]!
	.save	{r14}
	sub	sp, sp, #4
	.pad	#4
	mov	r1, r0
	bl	callee
	add	sp, sp, #4
	ldr	pc, [sp], #4
	.size	unmarked, .-unmarked
	.fnend
	.globl	forbidden
	.p2align	2
	.type	forbidden,%function
	.arm
forbidden:
	.fnstart
	str	lr, [sp, #-4]!
	.save	{r14}
	sub	sp, sp, #4
	.pad	#4
	mov	r1, r0
	bl	callee
	add	sp, sp, #4
	ldr	pc, [sp], #4
	.size	forbidden, .-forbidden
	.fnend
	.globl	result
	.p2align	2
	.type	result,%function
	.arm
result:
	.fnstart
	b	filled
	.size	result, .-result
	.fnend
	.globl	argument
	.p2align	2
	.type	argument,%function
	.arm
argument:
	.fnstart
	str	lr, [sp, #-4]!
	.save	{r14}
	sub	sp, sp, #76
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
	add	sp, sp, #76
	ldr	pc, [sp], #4
	.size	argument, .-argument
	.fnend
	.globl	on_the_stack
	.p2align	2
	.type	on_the_stack,%function
	.arm
on_the_stack:
	.fnstart
	str	lr, [sp, #-4]!
	.save	{r14}
	sub	sp, sp, #28
	.pad	#28
	mov	lr, #5
	str	lr, [sp, #0]
	mov	lr, #6
	str	lr, [sp, #4]
	mov	lr, #7
	str	lr, [sp, #8]
	mov	lr, #8
	str	lr, [sp, #12]
	mov	lr, #9
	str	lr, [sp, #16]
	mov	r0, #1
	mov	r1, #2
	mov	r2, #3
	mov	r3, #4
	bl	many
	add	sp, sp, #28
	ldr	pc, [sp], #4
	.size	on_the_stack, .-on_the_stack
	.fnend
	.globl	changed
	.p2align	2
	.type	changed,%function
	.arm
changed:
	.fnstart
	str	lr, [sp, #-4]!
	.save	{r14}
	sub	sp, sp, #4
	.pad	#4
	mov	r1, r0
	bl	callee
	add	r0, r0, #1
	add	sp, sp, #4
	ldr	pc, [sp], #4
	.size	changed, .-changed
	.fnend
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",%progbits
