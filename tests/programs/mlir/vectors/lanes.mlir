// Lanes of all kinds: halves, truths, indices, words at their limits.
func.func @f(%m: memref<16xi1>, %h: vector<3xf16>, %i: index, %t: memref<?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  vector.print %h : vector<3xf16>
  %v = arith.constant dense<[true, false, true, true, false, true, true, true]> : vector<8xi1>
  vector.store %v, %m[%c0] : memref<16xi1>, vector<8xi1>
  %r = vector.load %m[%c0] : memref<16xi1>, vector<8xi1>
  vector.print %r : vector<8xi1>
  %x = vector.extractelement %h[%i : index] : vector<3xf16>
  %y = arith.addf %x, %x : f16
  vector.print %y : f16
  %pad = arith.constant 7.0 : f16
  %q = vector.transfer_read %t[%c1], %pad : memref<?xf16>, vector<4xf16>
  vector.print %q : vector<4xf16>
  %s = vector.reduction <add>, %h : vector<3xf16> into f16
  vector.print %s : f16
  %mx = vector.reduction <maxnumf>, %h : vector<3xf16> into f16
  vector.print %mx : f16
  %i1r = vector.reduction <or>, %v : vector<8xi1> into i1
  vector.print %i1r : i1
  %i1a = vector.reduction <and>, %v : vector<8xi1> into i1
  vector.print %i1a : i1
  %ix = arith.constant dense<[3, 1, 4, -1]> : vector<4xindex>
  %ixr = vector.reduction <maxsi>, %ix : vector<4xindex> into index
  vector.print %ixr : index
  %ixs = vector.reduction <add>, %ix, %i : vector<4xindex> into index
  vector.print %ixs : index
  %d = arith.constant dense<[1.0e300, -1.0, 0.1]> : vector<3xf64>
  %dr = vector.reduction <add>, %d : vector<3xf64> into f64
  vector.print %dr : f64
  %l = arith.constant dense<[1, 9223372036854775807, -9223372036854775808]> : vector<3xi64>
  vector.print %l : vector<3xi64>
  %lr = vector.reduction <minui>, %l : vector<3xi64> into i64
  vector.print %lr : i64
  return
}
func.func @entry() {
  %m = memref.alloca() : memref<16xi1>
  %h = arith.constant dense<[1.5, -2.25, 65504.0]> : vector<3xf16>
  %i = arith.constant 1 : index
  %t = memref.alloca(%i) : memref<?xf16>
  %c0 = arith.constant 0 : index
  %x = arith.constant 4.0 : f16
  memref.store %x, %t[%c0] : memref<?xf16>
  call @f(%m, %h, %i, %t) : (memref<16xi1>, vector<3xf16>, index, memref<?xf16>) -> ()
  return
}
