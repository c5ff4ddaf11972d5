	.def	@feat.00;
	.scl	3;
	.type	0;
	.endef
	.globl	@feat.00
.set @feat.00, 0
	.file	"windows_gnu.ll"
	.def	outside;
	.scl	2;
	.type	32;
	.endef
	.section	.text,"xr"
	.globl	outside
	.p2align	4
outside:
.seh_proc	outside
	subq $0x28, %rsp
	.seh_stackalloc	40
	.seh_endprologue
	movq .refptr.maybe_imported(%rip), %rax
	movl (%rax), %ecx
	callq maybe_imported_function
	addq $0x28, %rsp
	retq
	.seh_endproc
	.def	weak;
	.scl	2;
	.type	32;
	.endef
	.globl	weak
	.p2align	4
weak:
.seh_proc	weak
	subq $0x28, %rsp
	.seh_stackalloc	40
	.seh_endprologue
	movl %ecx, %r9d
	movq .refptr.perhaps(%rip), %rax
	testq %rax, %rax
	je .LBB1_33
	movl %r9d, %ecx
	callq *.refptr.perhaps(%rip)
	addq $0x28, %rsp
	retq
.LBB1_33:
	xorl %eax, %eax
	addq $0x28, %rsp
	retq
	.seh_endproc
	.def	inline;
	.scl	2;
	.type	32;
	.endef
	.section	.text$inline,"xr",discard,inline
	.globl	inline
	.p2align	4
inline:
	leal (%rcx,%rcx,4), %eax
	retq
	.def	set_up;
	.scl	3;
	.type	32;
	.endef
	.section	.text,"xr"
	.p2align	4
set_up:
.seh_proc	set_up
	subq $0x28, %rsp
	.seh_stackalloc	40
	.seh_endprologue
	movl $3, %ecx
	callq inline
	movl %eax, mine(%rip)
	addq $0x28, %rsp
	retq
	.seh_endproc
	.section	.data,"dw"
	.globl	mine
	.p2align	2
mine:
	.long	0x3
	.section	.ctors,"dw",associative,inline
	.p2align	3
	.quad	set_up
	.section	.drectve,"niy"
	.ascii	" -export:mine,data"
	.section	.rdata$.refptr.maybe_imported,"dr",discard,.refptr.maybe_imported
	.p2align	3
	.globl	.refptr.maybe_imported
.refptr.maybe_imported:
	.quad	maybe_imported
	.section	.rdata$.refptr.perhaps,"dr",discard,.refptr.perhaps
	.p2align	3
	.globl	.refptr.perhaps
.refptr.perhaps:
	.quad	perhaps
	.weak	perhaps
