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
	ldr	r2, [r0, #4]
	ldr	r1, [r0, #0]
	ldr	r1, [r0, #4]
	ldr	r1, [r0, #8]
	ldr	r1, [r0, #12]
	vldr	s0, [r0, #0]
	vld1.8	{d16, d17}, [r0]
	ldr	r1, [r0, #0]
	ldr	r1, [r0, #8]
	ldr	r2, [r0, #12]
	bx	lr
	.size	unused, .-unused
	.fnend
	.globl	used_in_vain
	.p2align	2
	.type	used_in_vain,%function
	.arm
used_in_vain:
	.fnstart
	sub	sp, sp, #8
	.pad	#8
	ldr	r1, [r0, #0]
	ldr	r2, [r0, #4]
	ldr	r1, [r0, #0]
	ldr	r2, [r0, #4]
	str	r1, [sp, #0]
	ldr	r3, [r0, #0]
	ldr	r1, [r0, #4]
	ldr	r0, [sp, #0]
	adds	r3, r3, r0
	adc	r1, r1, r2
	mov	r0, r3
	add	sp, sp, #8
	bx	lr
	.size	used_in_vain, .-used_in_vain
	.fnend
	.globl	bit_field
	.p2align	2
	.type	bit_field,%function
	.arm
bit_field:
	.fnstart
	sub	sp, sp, #8
	.pad	#8
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
	mov	r2, #0
	str	r0, [sp, #0]
	mov	r0, r1
	mov	r3, #0
	ldr	r1, [sp, #0]
	orr	r3, r3, r1
	mov	r0, r0
	mov	r1, r0
	mov	r0, r3
	add	sp, sp, #8
	bx	lr
	.size	bit_field, .-bit_field
	.fnend
	.globl	set_bit_field
	.p2align	2
	.type	set_bit_field,%function
	.arm
set_bit_field:
	.fnstart
	sub	sp, sp, #96
	.pad	#96
	ldr	r1, [r0, #0]
	str	r1, [sp, #0]
	ldr	r1, [r0, #4]
	str	r1, [sp, #8]
	ldr	r1, [r0, #8]
	str	r1, [sp, #16]
	ldr	r1, [r0, #12]
	str	r1, [sp, #24]
	ldr	r1, [r0, #16]
	str	r1, [sp, #32]
	ldrb	r1, [r0, #20]
	str	r0, [sp, #40]
	mov	r0, r2
	mov	r3, r3
	and	r3, r3, #1
	lsr	r12, r0, #11
	str	r1, [sp, #48]
	orr	r1, r12, r3, lsl #21
	str	r1, [sp, #56]
	mov	r1, #0
	lsr	r12, r3, #11
	orr	r1, r12, r1, lsl #21
	ldr	r3, [sp, #16]
	ubfx	r3, r3, #0, #21
	str	r1, [sp, #64]
	ldr	r1, [sp, #24]
	str	r0, [sp, #72]
	movw	r0, #0
	movt	r0, #65472
	and	r0, r1, r0
	ldr	r1, [sp, #72]
	orr	r1, r3, r1, lsl #21
	ldr	r3, [sp, #56]
	orr	r0, r0, r3
	ldr	r3, [sp, #32]
	str	r0, [sp, #80]
	ldr	r0, [sp, #64]
	orr	r0, r3, r0
	ldr	r3, [sp, #0]
	str	r0, [sp, #88]
	ldr	r0, [sp, #40]
	str	r3, [r0, #0]
	ldr	r3, [sp, #8]
	str	r3, [r0, #4]
	str	r1, [r0, #8]
	ldr	r1, [sp, #80]
	str	r1, [r0, #12]
	ldr	r1, [sp, #88]
	str	r1, [r0, #16]
	ldr	r1, [sp, #48]
	strb	r1, [r0, #20]
	add	sp, sp, #96
	bx	lr
	.size	set_bit_field, .-set_bit_field
	.fnend
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",%progbits
