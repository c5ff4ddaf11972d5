; targets: x86_64-unknown-linux-gnu i686-unknown-linux-gnu
source_filename = "floats_x87.ll"

define x86_fp80 @long_double(x86_fp80 %a, x86_fp80 %b) {
  %1 = fadd x86_fp80 %a, %b
  ret x86_fp80 %1
}

; A volatile access is made, also if nobody wants what it loads.
define void @unused(ptr %p) {
  %long = load volatile x86_fp80, ptr %p, align 16
  ret void
}
