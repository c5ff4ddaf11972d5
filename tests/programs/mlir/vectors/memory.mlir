// Vectors in memory: transfers with maps, masks and bounds, masked and scattered access.
memref.global "private" @g : memref<5x7xf32> = dense<[[0.0,1.0,2.0,3.0,4.0,5.0,6.0],[10.0,11.0,12.0,13.0,14.0,15.0,16.0],[20.0,21.0,22.0,23.0,24.0,25.0,26.0],[30.0,31.0,32.0,33.0,34.0,35.0,36.0],[40.0,41.0,42.0,43.0,44.0,45.0,46.0]]>
func.func @show(%m: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %f = arith.constant -77.0 : f32
  %v = vector.transfer_read %m[%c0, %c0], %f {in_bounds = [true, true]} : memref<?x?xf32>, vector<5x7xf32>
  vector.print %v : vector<5x7xf32>
  return
}
func.func @reads(%m: memref<?x?xf32>, %i: index, %j: index, %t: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %pad = arith.constant -1.0 : f32
  %0 = vector.transfer_read %m[%i, %j], %pad : memref<?x?xf32>, vector<4xf32>
  vector.print %0 : vector<4xf32>
  %1 = vector.transfer_read %m[%i, %j], %pad : memref<?x?xf32>, vector<3x4xf32>
  vector.print %1 : vector<3x4xf32>
  %2 = vector.transfer_read %m[%i, %j], %pad {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<?x?xf32>, vector<4x3xf32>
  vector.print %2 : vector<4x3xf32>
  %3 = vector.transfer_read %m[%i, %j], %pad {permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<?x?xf32>, vector<4xf32>
  vector.print %3 : vector<4xf32>
  %4 = vector.transfer_read %m[%i, %j], %pad {in_bounds = [true, false], permutation_map = affine_map<(d0, d1) -> (0, d1)>} : memref<?x?xf32>, vector<2x4xf32>
  vector.print %4 : vector<2x4xf32>
  %5 = vector.transfer_read %m[%i, %j], %pad {in_bounds = [false, true], permutation_map = affine_map<(d0, d1) -> (d0, 0)>} : memref<?x?xf32>, vector<4x2xf32>
  vector.print %5 : vector<4x2xf32>
  %6 = vector.transfer_read %t[%i, %j], %pad : memref<?x?xf32, strided<[?, ?], offset: ?>>, vector<3x4xf32>
  vector.print %6 : vector<3x4xf32>
  %mask = arith.constant dense<[[true, false, true, true], [false, true, true, true], [true, true, true, false]]> : vector<3x4xi1>
  %7 = vector.transfer_read %m[%i, %j], %pad, %mask : memref<?x?xf32>, vector<3x4xf32>
  vector.print %7 : vector<3x4xf32>
  %m1 = arith.constant dense<[true, false, true, true]> : vector<4xi1>
  %8 = vector.transfer_read %m[%i, %j], %pad, %m1 : memref<?x?xf32>, vector<4xf32>
  vector.print %8 : vector<4xf32>
  %11 = vector.transfer_read %m[%i, %j], %pad : memref<?x?xf32>, vector<f32>
  vector.print %11 : vector<f32>
  return
}
func.func @writes(%m: memref<?x?xf32>, %i: index, %j: index, %t: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %c = arith.constant dense<[[100.0, 101.0, 102.0, 103.0], [200.0, 201.0, 202.0, 203.0], [300.0, 301.0, 302.0, 303.0]]> : vector<3x4xf32>
  vector.transfer_write %c, %m[%i, %j] : vector<3x4xf32>, memref<?x?xf32>
  func.call @show(%m) : (memref<?x?xf32>) -> ()
  %r = vector.extract %c[1] : vector<4xf32> from vector<3x4xf32>
  vector.transfer_write %r, %m[%j, %i] {permutation_map = affine_map<(d0, d1) -> (d0)>} : vector<4xf32>, memref<?x?xf32>
  func.call @show(%m) : (memref<?x?xf32>) -> ()
  vector.transfer_write %c, %m[%j, %i] {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : vector<3x4xf32>, memref<?x?xf32>
  func.call @show(%m) : (memref<?x?xf32>) -> ()
  %m1 = arith.constant dense<[true, false, true, true]> : vector<4xi1>
  vector.transfer_write %r, %m[%i, %i], %m1 : vector<4xf32>, memref<?x?xf32>
  func.call @show(%m) : (memref<?x?xf32>) -> ()
  vector.transfer_write %c, %t[%j, %j] : vector<3x4xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
  func.call @show(%m) : (memref<?x?xf32>) -> ()
  return
}
func.func @plain(%m: memref<5x7xf32>, %i: index, %j: index) {
  %0 = vector.load %m[%i, %j] : memref<5x7xf32>, vector<3xf32>
  vector.print %0 : vector<3xf32>
  %n = arith.negf %0 : vector<3xf32>
  vector.store %n, %m[%j, %i] : memref<5x7xf32>, vector<3xf32>
  %mask = arith.constant dense<[true, false, true]> : vector<3xi1>
  %1 = vector.maskedload %m[%i, %j], %mask, %n : memref<5x7xf32>, vector<3xi1>, vector<3xf32> into vector<3xf32>
  vector.print %1 : vector<3xf32>
  vector.maskedstore %m[%i, %i], %mask, %n : memref<5x7xf32>, vector<3xi1>, vector<3xf32>
  %x = arith.constant dense<[5, -3, 1]> : vector<3xi32>
  %2 = vector.gather %m[%i, %j] [%x], %mask, %n : memref<5x7xf32>, vector<3xi32>, vector<3xi1>, vector<3xf32> into vector<3xf32>
  vector.print %2 : vector<3xf32>
  %xi = arith.index_cast %x : vector<3xi32> to vector<3xindex>
  vector.scatter %m[%j, %j] [%xi], %mask, %0 : memref<5x7xf32>, vector<3xindex>, vector<3xi1>, vector<3xf32>
  %3 = vector.expandload %m[%i, %j], %mask, %n : memref<5x7xf32>, vector<3xi1>, vector<3xf32> into vector<3xf32>
  vector.print %3 : vector<3xf32>
  vector.compressstore %m[%j, %j], %mask, %n : memref<5x7xf32>, vector<3xi1>, vector<3xf32>
  %d = memref.cast %m : memref<5x7xf32> to memref<?x?xf32>
  func.call @show(%d) : (memref<?x?xf32>) -> ()
  return
}
func.func @kinds() {
  %m = memref.alloc() : memref<6xvector<4xf32>>
  %i8 = memref.alloc() : memref<20xi8>
  %ix = memref.alloc() : memref<6xindex>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %v = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  memref.store %v, %m[%c1] : memref<6xvector<4xf32>>
  vector.store %v, %m[%c2] : memref<6xvector<4xf32>>, vector<4xf32>
  %l = vector.load %m[%c1] : memref<6xvector<4xf32>>, vector<4xf32>
  vector.print %l : vector<4xf32>
  %b = arith.constant dense<[1, -2, 3, -4, 5]> : vector<5xi8>
  vector.store %b, %i8[%c1] : memref<20xi8>, vector<5xi8>
  %p = arith.constant 99 : i8
  %rb = vector.transfer_read %i8[%c2], %p : memref<20xi8>, vector<4xi8>
  vector.print %rb : vector<4xi8>
  %st = vector.step : vector<6xindex>
  vector.store %st, %ix[%c0] : memref<6xindex>, vector<6xindex>
  %ri = vector.transfer_read %ix[%c2], %c1 : memref<6xindex>, vector<6xindex>
  vector.print %ri : vector<6xindex>
  %z = memref.alloca() : memref<f32>
  %f = arith.constant 3.5 : f32
  memref.store %f, %z[] : memref<f32>
  %zv = vector.transfer_read %z[], %f : memref<f32>, vector<f32>
  vector.print %zv : vector<f32>
  vector.transfer_write %zv, %z[] : vector<f32>, memref<f32>
  %tc = memref.alloca() : memref<vector<2x3xf32>>
  %vv = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : vector<2x3xf32>
  memref.store %vv, %tc[] : memref<vector<2x3xf32>>
  %tc2 = vector.type_cast %tc : memref<vector<2x3xf32>> to memref<2xvector<3xf32>>
  %row = memref.load %tc2[%c1] : memref<2xvector<3xf32>>
  vector.print %row : vector<3xf32>
  memref.dealloc %m : memref<6xvector<4xf32>>
  memref.dealloc %i8 : memref<20xi8>
  memref.dealloc %ix : memref<6xindex>
  return
}
func.func @entry() {
  %g = memref.get_global @g : memref<5x7xf32>
  %d = memref.cast %g : memref<5x7xf32> to memref<?x?xf32>
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %5 = arith.constant 5 : index
  %9 = arith.constant 4 : index
  %t = memref.transpose %d (i, j) -> (j, i) : memref<?x?xf32> to memref<?x?xf32, affine_map<(d0, d1)[s0] -> (d1 * s0 + d0)>>
  %s = memref.cast %t : memref<?x?xf32, affine_map<(d0, d1)[s0] -> (d1 * s0 + d0)>> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  func.call @reads(%d, %1, %2, %s) : (memref<?x?xf32>, index, index, memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  func.call @reads(%d, %3, %5, %s) : (memref<?x?xf32>, index, index, memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  func.call @reads(%d, %9, %9, %s) : (memref<?x?xf32>, index, index, memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  func.call @writes(%d, %3, %5, %s) : (memref<?x?xf32>, index, index, memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  func.call @plain(%g, %1, %2) : (memref<5x7xf32>, index, index) -> ()
  func.call @kinds() : () -> ()
  return
}
