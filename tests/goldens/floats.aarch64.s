	.file	"floats.ll"
	.section	.text,"ax",@progbits
	.globl	arithmetic
	.p2align	2
	.type	arithmetic,@function
arithmetic:
	.cfi_startproc
	fmul	d0, d0, d1
	fcvt	d16, s2
	fdiv	d0, d0, d16
	fmov	d16, #2.5
	fsub	d0, d0, d16
	fneg	d0, d0
	ret
	.size	arithmetic, .-arithmetic
	.cfi_endproc
	.globl	compare
	.p2align	2
	.type	compare,@function
compare:
	.cfi_startproc
	fmov	d2, d0
	fcmp	d2, d1
	b.pl	.LBB1_20
	movz	w0, #1, lsl #0
	ret
.LBB1_20:
	fcmp	d2, #0.0
	cset	w0, ne
	ret
	.size	compare, .-compare
	.cfi_endproc
	.globl	convert
	.p2align	2
	.type	convert,@function
convert:
	.cfi_startproc
	scvtf	d0, x0
	ucvtf	d16, w1
	fadd	d0, d0, d16
	ret
	.size	convert, .-convert
	.cfi_endproc
	.globl	to_integer
	.p2align	2
	.type	to_integer,@function
to_integer:
	.cfi_startproc
	fcvtzs	x0, d0
	fcvtzu	w9, s1
	add	x0, x0, w9, uxtw #0
	ret
	.size	to_integer, .-to_integer
	.cfi_endproc
	.ident	"Gusset VERSION"
	.section	.note.GNU-stack,"",@progbits
