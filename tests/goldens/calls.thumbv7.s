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
	.file	"calls.ll"
	.section	.text,"ax",%progbits
	.p2align	2
	.type	local,%function
	.thumb
	.thumb_func
local:
	.fnstart
	adds	r0, r0, #1
	adc	r1, r1, #0
	bx	lr
	.size	local, .-local
	.fnend
	.globl	across
	.p2align	2
	.type	across,%function
	.thumb
	.thumb_func
across:
	.fnstart
	push	{r4, r5, lr}
	.save	{r4, r5, r14}
	sub	sp, #36
	.pad	#36
	str	r3, [sp, #8]
	str	r2, [sp, #0]
	mov	r5, r1
	mov	r4, r0
	mov	r1, r5
	mov	r0, r4
	bl	local
	str	r0, [sp, #16]
	str	r1, [sp, #24]
	ldr	r1, [sp, #8]
	ldr	r0, [sp, #0]
	bl	unknown
	ldr	r2, [sp, #16]
	adds	r0, r2, r0
	ldr	r2, [sp, #24]
	adc	r1, r2, r1
	adds	r0, r0, r4
	adc	r1, r1, r5
	add	sp, #36
	ldm	sp!, {r4, r5, pc}
	.size	across, .-across
	.fnend
	.globl	tail
	.p2align	2
	.type	tail,%function
	.thumb
	.thumb_func
tail:
	.fnstart
	adds	r0, r0, #5
	adc	r1, r1, #0
	b.w	unknown
	.size	tail, .-tail
	.fnend
	.globl	structs
	.p2align	2
	.type	structs,%function
	.thumb
	.thumb_func
structs:
	.fnstart
	push	{lr}
	.save	{r14}
	sub	sp, #108
	.pad	#108
	add	r0, sp, #8
	bl	give
	ldr	r0, [sp, #24]
	str	r0, [sp, #0]
	ldr	r0, [sp, #28]
	str	r0, [sp, #4]
	ldr	r0, [sp, #8]
	str	r0, [sp, #40]
	ldr	r0, [sp, #12]
	str	r0, [sp, #56]
	ldr	r0, [sp, #16]
	str	r0, [sp, #72]
	ldr	r0, [sp, #20]
	str	r0, [sp, #88]
	ldr	r0, [sp, #40]
	ldr	r1, [sp, #56]
	ldr	r2, [sp, #72]
	ldr	r3, [sp, #88]
	bl	take
	add	sp, #108
	ldr	pc, [sp], #4
	.size	structs, .-structs
	.fnend
	.globl	variadic
	.p2align	2
	.type	variadic,%function
	.thumb
	.thumb_func
variadic:
	.fnstart
	push	{lr}
	.save	{r14}
	sub	sp, #12
	.pad	#12
	vstr	d0, [sp, #0]
	ldr	r2, [sp, #0]
	ldr	r3, [sp, #4]
	movw	r0, :lower16:.Lformat
	movt	r0, :upper16:.Lformat
	mov.w	r1, #3
	bl	printf
	add	sp, #12
	ldr	pc, [sp], #4
	.size	variadic, .-variadic
	.fnend
	.globl	pair
	.p2align	2
	.type	pair,%function
	.thumb
	.thumb_func
pair:
	.fnstart
	bx	lr
	.size	pair, .-pair
	.fnend
	.globl	many
	.p2align	2
	.type	many,%function
	.thumb
	.thumb_func
many:
	.fnstart
	push	{r4, r5, r6, r7, lr}
	.save	{r4, r5, r6, r7, r14}
	sub	sp, #60
	.pad	#60
	str	r2, [sp, #48]
	ldr	r4, [sp, #112]
	ldr	r5, [sp, #116]
	ldr	r6, [sp, #120]
	ldr	r7, [sp, #124]
	adds	r0, r4, r6
	adc	r1, r5, r7
	ldr	r2, [sp, #104]
	str	r2, [sp, #0]
	ldr	r2, [sp, #108]
	str	r2, [sp, #4]
	ldr	r2, [sp, #96]
	str	r2, [sp, #8]
	ldr	r2, [sp, #100]
	str	r2, [sp, #12]
	ldr	r2, [sp, #88]
	str	r2, [sp, #16]
	ldr	r2, [sp, #92]
	str	r2, [sp, #20]
	ldr	r2, [sp, #80]
	str	r2, [sp, #24]
	ldr	r2, [sp, #84]
	str	r2, [sp, #28]
	ldr	r2, [sp, #48]
	str	r2, [sp, #32]
	str	r3, [sp, #36]
	str	r0, [sp, #40]
	str	r1, [sp, #44]
	mov	r3, r5
	mov	r2, r4
	mov	r1, r7
	mov	r0, r6
	bl	many
	add	sp, #60
	ldm	sp!, {r4, r5, r6, r7, pc}
	.size	many, .-many
	.fnend
	.globl	calls_what_pops
	.p2align	2
	.type	calls_what_pops,%function
	.thumb
	.thumb_func
calls_what_pops:
	.fnstart
	push	{r7, lr}
	.save	{r7, r14}
	mov	r7, sp
	.setfp	r7, sp, #0
	bl	pops
	bl	pops
	mov	sp, r7
	ldm	sp!, {r7, pc}
	.size	calls_what_pops, .-calls_what_pops
	.fnend
	.section	.rodata.str1.1,"aMS",%progbits,1
	.type	.Lformat,%object
.Lformat:
	.ascii	"%d %f\n\000"
	.size	.Lformat, 7
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",%progbits
