; targets: aarch64-unknown-linux-gnu
source_filename = "floats_quad.ll"

define fp128 @long_double(fp128 %a, fp128 %b) {
  %1 = fadd fp128 %a, %b
  ret fp128 %1
}
