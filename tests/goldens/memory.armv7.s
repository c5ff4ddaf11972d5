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
	movw	r1, :lower16:counter
	movt	r1, :upper16:counter
	ldr	r1, [r1, #0]
	movw	r2, :lower16:elsewhere
	movt	r2, :upper16:elsewhere
	ldr	r2, [r2, #0]
	movw	r3, :lower16:table
	movt	r3, :upper16:table
	ldr	r0, [r3, r0, lsl #2]
	add	r1, r1, r2
	add	r0, r1, r0
	movw	r1, :lower16:counter
	movt	r1, :upper16:counter
	str	r0, [r1, #0]
	bx	lr
	.size	globals, .-globals
	.fnend
	.globl	index
	.p2align	2
	.type	index,%function
	.arm
index:
	.fnstart
	stmdb	sp!, {r4, lr}
	.save	{r4, r14}
	mov	r4, r2
	mov	r3, r0
	add	r0, r3, r4, lsl #3
	ldr	r1, [r0, #24]
	ldr	r0, [r0, #28]
	mov	r12, #24
	mla	r2, r12, r4, r3
	ldr	r3, [sp, #8]
	add	r4, r2, r3, lsl #1
	ldrsh	r2, [r4, #4]
	asr	r3, r2, #31
	adds	r1, r1, r2
	adc	r0, r0, r3
	mov	lr, r1
	mov	r1, r0
	mov	r0, lr
	ldm	sp!, {r4, pc}
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
	stmdb	sp!, {r4, r5}
	.save	{r4, r5}
	mov	r5, r2
	mov	r4, r0
	ldr	r0, [r4, #0]
	ldr	r1, [r4, #4]
	subs	r0, r0, r5
	sbc	r1, r1, r3
	str	r0, [r4, #0]
	str	r1, [r4, #4]
	ldrb	r0, [r4, #8]
	ldr	r1, [sp, #8]
	orr	r0, r1, r0
	strb	r0, [r4, #8]
	ldr	r0, [r4, #0]
	ldr	r1, [r4, #4]
	subs	r0, r5, r0
	sbc	r1, r3, r1
	str	r0, [r4, #0]
	str	r1, [r4, #4]
	ldm	sp!, {r4, r5}
	bx	lr
	.size	updates, .-updates
	.fnend
	.globl	rows
	.p2align	2
	.type	rows,%function
	.arm
rows:
	.fnstart
	sub	sp, sp, #16
	.pad	#16
	str	r2, [sp, #8]
	str	r0, [sp, #0]
	ldr	r3, [sp, #16]
	and	r3, r3, #1
	cmp	r3, #0
	beq	.LBB4_52
	ldr	r0, [sp, #0]
	ldr	r1, [sp, #8]
	add	r2, r0, r1, lsl #2
	ldr	r0, [r2, #32]
	add	sp, sp, #16
	bx	lr
.LBB4_52:
	mov	r0, #0
	add	sp, sp, #16
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
