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
	.file	"floats.ll"
	.section	.text,"ax",%progbits
	.globl	arithmetic
	.p2align	2
	.type	arithmetic,%function
	.thumb
	.thumb_func
arithmetic:
	.fnstart
	vmul.f64	d0, d0, d1
	vcvt.f64.f32	d1, s4
	vdiv.f64	d0, d0, d1
	vmov.f64	d1, #2.5
	vsub.f64	d0, d0, d1
	vneg.f64	d0, d0
	bx	lr
	.size	arithmetic, .-arithmetic
	.fnend
	.globl	compare
	.p2align	2
	.type	compare,%function
	.thumb
	.thumb_func
compare:
	.fnstart
	vmov.f64	d2, d0
	vcmp.f64	d2, d1
	vmrs	apsr_nzcv, fpscr
	bpl.n	.LBB1_20
	mov.w	r0, #1
	bx	lr
.LBB1_20:
	vcmp.f64	d2, #0
	vmrs	apsr_nzcv, fpscr
	ite	ne
	movne	r0, #1
	moveq	r0, #0
	bx	lr
	.size	compare, .-compare
	.fnend
	.globl	convert
	.p2align	2
	.type	convert,%function
	.thumb
	.thumb_func
convert:
	.fnstart
	push	{lr}
	.save	{r14}
	sub	sp, #28
	.pad	#28
	str	r2, [sp, #0]
	bl	__aeabi_l2d
	str	r0, [sp, #8]
	str	r1, [sp, #12]
	vldr	d7, [sp, #8]
	vstr	d7, [sp, #16]
	ldr	r0, [sp, #0]
	vmov	s14, r0
	vcvt.f64.u32	d0, s14
	vldr	d1, [sp, #16]
	vadd.f64	d0, d1, d0
	add	sp, #28
	ldr	pc, [sp], #4
	.size	convert, .-convert
	.fnend
	.globl	to_integer
	.p2align	2
	.type	to_integer,%function
	.thumb
	.thumb_func
to_integer:
	.fnstart
	push	{lr}
	.save	{r14}
	sub	sp, #20
	.pad	#20
	vstr	s2, [sp, #0]
	vstr	d0, [sp, #8]
	ldr	r0, [sp, #8]
	ldr	r1, [sp, #12]
	bl	__aeabi_d2lz
	vldr	s0, [sp, #0]
	vcvt.u32.f32	s14, s0
	vmov	r2, s14
	adds	r0, r0, r2
	adc	r1, r1, #0
	add	sp, #20
	ldr	pc, [sp], #4
	.size	to_integer, .-to_integer
	.fnend
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",%progbits
