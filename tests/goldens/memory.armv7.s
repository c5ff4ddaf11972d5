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
	.file	"memory.ll"
	.section	.text,"ax",%progbits
	.globl	globals
	.p2align	2
	.type	globals,%function
	.arm
globals:
	.fnstart
	sub	sp, sp, #8
	.pad	#8
	movw	r2, :lower16:counter
	movt	r2, :upper16:counter
	ldr	r2, [r2, #0]
	movw	r3, :lower16:elsewhere
	movt	r3, :upper16:elsewhere
	ldr	r3, [r3, #0]
	str	r2, [sp, #0]
	movw	r2, :lower16:table
	movt	r2, :upper16:table
	ldr	r0, [r2, r0, lsl #2]
	ldr	r2, [sp, #0]
	add	r2, r2, r3
	add	r0, r2, r0
	movw	r2, :lower16:counter
	movt	r2, :upper16:counter
	str	r0, [r2, #0]
	add	sp, sp, #8
	bx	lr
	.size	globals, .-globals
	.fnend
	.globl	index
	.p2align	2
	.type	index,%function
	.arm
index:
	.fnstart
	stmdb	sp!, {r4, r5, r6}
	.save	{r4, r5, r6}
	mov	r6, r2
	mov	r5, r0
	mov	r0, r6
	add	r1, r5, r0, lsl #3
	ldr	r2, [r1, #24]
	ldr	r4, [r1, #28]
	mov	r12, #24
	mla	r0, r12, r6, r5
	ldr	r1, [sp, #12]
	add	r3, r0, r1, lsl #1
	ldrh	r0, [r3, #4]
	sxth	r1, r0
	asr	r3, r1, #31
	adds	r2, r2, r1
	adc	r4, r4, r3
	mov	r0, r2
	mov	r1, r4
	ldm	sp!, {r4, r5, r6}
	bx	lr
	.size	index, .-index
	.fnend
	.globl	blocks
	.p2align	2
	.type	blocks,%function
	.arm
blocks:
	.fnstart
	str	lr, [sp, #-4]!
	.save	{r14}
	sub	sp, sp, #44
	.pad	#44
	ldr	r12, [r0, #0]
	ldr	r1, [r0, #4]
	str	r12, [sp, #0]
	str	r1, [sp, #4]
	ldr	r12, [r0, #8]
	ldr	r1, [r0, #12]
	str	r12, [sp, #8]
	str	r1, [sp, #12]
	ldr	r12, [r0, #16]
	ldr	r1, [r0, #20]
	str	r12, [sp, #16]
	str	r1, [sp, #20]
	ldr	r12, [r0, #24]
	ldr	r1, [r0, #28]
	str	r12, [sp, #24]
	str	r1, [sp, #28]
	ldr	r12, [r0, #32]
	ldr	r1, [r0, #36]
	str	r12, [sp, #32]
	str	r1, [sp, #36]
	mov	r1, #0
	bl	memset
	ldr	r0, [sp, #16]
	ldr	r1, [sp, #20]
	add	sp, sp, #44
	ldr	pc, [sp], #4
	.size	blocks, .-blocks
	.fnend
	.globl	updates
	.p2align	2
	.type	updates,%function
	.arm
updates:
	.fnstart
	stmdb	sp!, {r4, r5, r6}
	.save	{r4, r5, r6}
	mov	r5, r2
	mov	r4, r0
	ldr	r0, [r4, #0]
	ldr	r1, [r4, #4]
	subs	r0, r0, r5
	sbc	r1, r1, r3
	str	r0, [r4, #0]
	str	r1, [r4, #4]
	ldrb	r0, [r4, #8]
	ldr	r1, [sp, #12]
	orr	r0, r1, r0
	strb	r0, [r4, #8]
	ldr	r0, [r4, #0]
	ldr	r1, [r4, #4]
	subs	r2, r5, r0
	sbc	r6, r3, r1
	str	r2, [r4, #0]
	str	r6, [r4, #4]
	ldm	sp!, {r4, r5, r6}
	bx	lr
	.size	updates, .-updates
	.fnend
	.globl	rows
	.p2align	2
	.type	rows,%function
	.arm
rows:
	.fnstart
	sub	sp, sp, #24
	.pad	#24
	str	r3, [sp, #16]
	str	r2, [sp, #8]
	str	r0, [sp, #0]
	ldr	r3, [sp, #24]
	and	r3, r3, #1
	cmp	r3, #0
	beq	.LBB4_56
	ldr	r0, [sp, #8]
	ldr	r1, [sp, #0]
	add	r2, r1, r0, lsl #2
	ldr	r0, [r2, #32]
	add	sp, sp, #24
	bx	lr
.LBB4_56:
	mov	r0, #0
	add	sp, sp, #24
	bx	lr
	.size	rows, .-rows
	.fnend
	.section	.bss,"aw",%nobits
	.type	counter,%object
	.p2align	2
counter:
	.zero	4
	.size	counter, 4
	.section	.rodata,"a",%progbits
	.type	table,%object
	.globl	table
	.p2align	2
table:
	.quad	0x200000001, 0x400000003
	.size	table, 16
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",%progbits
