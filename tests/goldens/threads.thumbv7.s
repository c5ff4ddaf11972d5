	.syntax	unified
	.eabi_attribute	67, "2.09"
	.eabi_attribute	6, 10
	.eabi_attribute	7, 65
	.eabi_attribute	8, 1
	.eabi_attribute	9, 2
	.eabi_attribute	10, 3
	.eabi_attribute	12, 1
	.eabi_attribute	34, 1
	.eabi_attribute	15, 1
	.eabi_attribute	16, 1
	.eabi_attribute	17, 2
	.eabi_attribute	20, 1
	.eabi_attribute	21, 1
	.eabi_attribute	23, 3
	.eabi_attribute	38, 1
	.eabi_attribute	24, 1
	.eabi_attribute	25, 1
	.eabi_attribute	28, 1
	.eabi_attribute	14, 0
	.fpu	neon
	.file	"threads.ll"
	.section	.text,"ax",%progbits
	.globl	all
	.p2align	2
	.type	all,%function
	.thumb
	.thumb_func
all:
	.fnstart
	push	{lr}
	.save	{r14}
	sub	sp, #12
	.pad	#12
	ldr.w	r0, [pc, #72]
	add	r0, pc
	bl	__tls_get_addr
	ldr	r0, [r0, #0]
	str	r0, [sp, #0]
	ldr.w	r0, [pc, #64]
	add	r0, pc
	bl	__tls_get_addr
	ldr.w	r12, [pc, #56]
	add	r0, r12
	ldr	r0, [r0, #0]
	mrc	p15, #0, r1, c13, c0, #3
	ldr.w	r12, [pc, #48]
	add	r12, pc
	ldr	r12, [r12, #0]
	add	r1, r12
	ldr	r1, [r1, #0]
	mrc	p15, #0, r2, c13, c0, #3
	ldr.w	r12, [pc, #36]
	add	r2, r12
	ldr	r2, [r2, #0]
	ldr	r3, [sp, #0]
	adds	r0, r3, r0
	adds	r1, r1, r2
	adds	r0, r0, r1
	add	sp, #12
	ldr	pc, [sp], #4
	.long	general(TLSGD)+68
	.long	local(TLSLDM)+58
	.long	local(TLSLDO)
	.long	initial(GOTTPOFF)+44
	.long	exec(TPOFF)
	.size	all, .-all
	.fnend
	.globl	atomics
	.p2align	2
	.type	atomics,%function
	.thumb
	.thumb_func
atomics:
	.fnstart
	stmdb	sp!, {r4, r5, r6, r7, r8}
	.save	{r4, r5, r6, r7, r8}
	mov	r7, r3
	mov	r1, r2
	mov	r3, r7
	mov	r4, r0
	mov	r5, r1
	mov	r6, r2
	mov	r8, r3
	dmb	#11
.LBB1_22:
	ldrexd	r0, r1, [r4]
	adds	r2, r0, r5
	adcs	r3, r1, r8
	strexd	r12, r2, r3, [r4]
	cmp	r12, #0
	bne.n	.LBB1_22
	dmb	#11
	mov	r2, r0
	mov	r3, r1
	mov	r5, r2
	mov	r8, r3
	mov	r2, r6
	mov	r3, r7
	dmb	#11
.LBB1_62:
	ldrexd	r0, r1, [r4]
	strexd	r12, r2, r3, [r4]
	cmp	r12, #0
	bne.n	.LBB1_62
	dmb	#11
	mov	r2, r0
	mov	r3, r1
	mov	r6, r2
	mov	r7, r3
	mov	r2, r6
	mov	r3, r7
	dmb	#11
.LBB1_96:
	ldrexd	r0, r1, [r4]
	cmp	r0, r5
	it	eq
	cmpeq	r1, r8
	bne.n	.LBB1_118
	strexd	r12, r2, r3, [r4]
	cmp	r12, #0
	bne.n	.LBB1_96
.LBB1_118:
	dmb	#11
	mov	r2, r0
	mov	r3, r1
	mov	r5, r2
	mov	r6, r3
	mov	r2, r5
	mov	r3, r6
	dmb	#11
.LBB1_138:
	ldrexd	r0, r1, [r4]
	strexd	r12, r2, r3, [r4]
	cmp	r12, #0
	bne.n	.LBB1_138
	dmb	#11
	dmb	#11
	ldrexd	r0, r1, [r4]
	dmb	#11
	ldm	sp!, {r4, r5, r6, r7, r8}
	bx	lr
	.size	atomics, .-atomics
	.fnend
	.section	.tdata,"awT",%progbits
	.type	local,%tls_object
	.p2align	2
local:
	.long	0x5
	.size	local, 4
	.section	.tbss,"awT",%nobits
	.type	exec,%tls_object
	.p2align	2
exec:
	.zero	4
	.size	exec, 4
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",%progbits
