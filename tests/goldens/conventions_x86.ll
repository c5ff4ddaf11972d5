; targets: i686-unknown-linux-gnu
source_filename = "conventions_x86.ll"

; Conventions of 32-bit x86: the callee takes its arguments off, some come in registers.
declare x86_stdcallcc i32 @takes_off(i32, i64)

declare x86_fastcallcc i32 @in_registers(i32 inreg, i32 inreg, i32)

define x86_stdcallcc i64 @takes_its_own_off(i64 %a, i32 %b) {
  %x = call x86_stdcallcc i32 @takes_off(i32 %b, i64 %a)
  %y = call x86_fastcallcc i32 @in_registers(i32 inreg %x, i32 inreg %b, i32 7)
  %z = sext i32 %y to i64
  %r = mul i64 %a, %z
  ret i64 %r
}

define i32 @regparm(i32 inreg %a, i64 inreg %b, double %c) {
  %x = trunc i64 %b to i32
  %y = add i32 %a, %x
  %z = fptosi double %c to i32
  %r = add i32 %y, %z
  ret i32 %r
}

define double @on_the_stack_of_floats(double %a, x86_fp80 %b) {
  %x = fptrunc x86_fp80 %b to double
  %r = fadd double %a, %x
  ret double %r
}
