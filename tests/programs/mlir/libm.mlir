// Complex functions of C's library, which a pass of MLIR makes calls of: see libm.c.

func.func @power32(%a: f32, %b: f32, %c: f32, %d: f32) -> (f32, f32) attributes {llvm.emit_c_interface} {
  %x = complex.create %a, %b : complex<f32>
  %y = complex.create %c, %d : complex<f32>
  %z = complex.pow %x, %y : complex<f32>
  %re = complex.re %z : complex<f32>
  %im = complex.im %z : complex<f32>
  return %re, %im : f32, f32
}
func.func @power64(%a: f64, %b: f64, %c: f64, %d: f64) -> (f64, f64) attributes {llvm.emit_c_interface} {
  %x = complex.create %a, %b : complex<f64>
  %y = complex.create %c, %d : complex<f64>
  %z = complex.pow %x, %y : complex<f64>
  %re = complex.re %z : complex<f64>
  %im = complex.im %z : complex<f64>
  return %re, %im : f64, f64
}
func.func @root32(%a: f32, %b: f32) -> (f32, f32) attributes {llvm.emit_c_interface} {
  %x = complex.create %a, %b : complex<f32>
  %z = complex.sqrt %x : complex<f32>
  %w = complex.tanh %z : complex<f32>
  %re = complex.re %w : complex<f32>
  %im = complex.im %w : complex<f32>
  return %re, %im : f32, f32
}
func.func @size64(%a: f64, %b: f64) -> f64 attributes {llvm.emit_c_interface} {
  %x = complex.create %a, %b : complex<f64>
  %y = complex.abs %x : complex<f64>
  %z = complex.angle %x : complex<f64>
  %w = arith.addf %y, %z : f64
  return %w : f64
}
func.func @size32(%a: f32, %b: f32) -> f32 attributes {llvm.emit_c_interface} {
  %x = complex.create %a, %b : complex<f32>
  %y = complex.abs %x : complex<f32>
  return %y : f32
}
