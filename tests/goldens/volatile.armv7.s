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
	.file	"volatile.ll"
	.section	.text,"ax",%progbits
	.globl	unused
	.p2align	2
	.type	unused,%function
	.arm
unused:
	.fnstart
	ldrb	r1, [r0, #0]
	ldr	r1, [r0, #0]
	ldr	r1, [r0, #4]
	ldr	r1, [r0, #0]
	ldr	r1, [r0, #4]
	ldr	r1, [r0, #8]
	ldr	r1, [r0, #12]
	vldr	s0, [r0, #0]
	vld1.8	{d16, d17}, [r0]
	ldr	r1, [r0, #0]
	ldr	r1, [r0, #8]
	ldr	r0, [r0, #12]
	bx	lr
	.size	unused, .-unused
	.fnend
	.globl	used_in_vain
	.p2align	2
	.type	used_in_vain,%function
	.arm
used_in_vain:
	.fnstart
	str	lr, [sp, #-4]!
	.save	{r14}
	ldr	r1, [r0, #0]
	ldr	r1, [r0, #4]
	ldr	r1, [r0, #0]
	ldr	r2, [r0, #4]
	ldr	r3, [r0, #0]
	ldr	r0, [r0, #4]
	adds	r1, r3, r1
	adc	r0, r0, r2
	mov	lr, r1
	mov	r1, r0
	mov	r0, lr
	ldr	pc, [sp], #4
	.size	used_in_vain, .-used_in_vain
	.fnend
	.globl	bit_field
	.p2align	2
	.type	bit_field,%function
	.arm
bit_field:
	.fnstart
	ldr	r1, [r0, #0]
	ldr	r1, [r0, #4]
	ldr	r1, [r0, #8]
	ldr	r2, [r0, #12]
	ldr	r3, [r0, #16]
	ldrb	r0, [r0, #20]
	lsr	r12, r1, #21
	orr	r0, r12, r2, lsl #11
	lsr	r12, r2, #21
	orr	r1, r12, r3, lsl #11
	and	r1, r1, #1
	bx	lr
	.size	bit_field, .-bit_field
	.fnend
	.globl	set_bit_field
	.p2align	2
	.type	set_bit_field,%function
	.arm
set_bit_field:
	.fnstart
	sub	sp, sp, #72
	.pad	#72
	ldr	r1, [r0, #0]
	str	r1, [sp, #0]
	ldr	r1, [r0, #4]
	str	r1, [sp, #8]
	ldr	r1, [r0, #8]
	str	r2, [sp, #16]
	ldr	r2, [r0, #12]
	str	r2, [sp, #24]
	ldr	r2, [r0, #16]
	str	r2, [sp, #32]
	ldrb	r2, [r0, #20]
	and	r3, r3, #1
	str	r0, [sp, #40]
	ldr	r0, [sp, #16]
	lsr	r12, r0, #11
	str	r2, [sp, #48]
	orr	r2, r12, r3, lsl #21
	mov	r0, #0
	lsr	r12, r3, #11
	orr	r0, r12, r0, lsl #21
	ubfx	r1, r1, #0, #21
	ldr	r3, [sp, #24]
	str	r0, [sp, #56]
	movw	r0, #0
	movt	r0, #65472
	and	r0, r3, r0
	ldr	r3, [sp, #16]
	orr	r1, r1, r3, lsl #21
	orr	r0, r0, r2
	ldr	r2, [sp, #32]
	ldr	r3, [sp, #56]
	orr	r2, r2, r3
	ldr	r3, [sp, #0]
	str	r2, [sp, #64]
	ldr	r2, [sp, #40]
	str	r3, [r2, #0]
	ldr	r3, [sp, #8]
	str	r3, [r2, #4]
	str	r1, [r2, #8]
	str	r0, [r2, #12]
	ldr	r0, [sp, #64]
	str	r0, [r2, #16]
	ldr	r0, [sp, #48]
	strb	r0, [r2, #20]
	add	sp, sp, #72
	bx	lr
	.size	set_bit_field, .-set_bit_field
	.fnend
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",%progbits
