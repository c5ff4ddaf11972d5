// Vectors as values: what is taken out, put in, moved, combined, printed.
func.func @values(%i: index, %j: index, %f: f32, %t: i1) {
  %c = arith.constant dense<[[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]], [[-1.0, -2.0, -3.0, -4.0], [-5.0, -6.0, -7.0, -8.0], [-9.0, -10.0, -11.0, -12.0]]]> : vector<2x3x4xf32>
  %n = arith.constant dense<[[10, 20, 30], [40, 50, 60]]> : vector<2x3xi32>
  %a = vector.broadcast %f : f32 to vector<2x3x4xf32>
  %v = arith.addf %a, %c : vector<2x3x4xf32>
  vector.print %v : vector<2x3x4xf32>
  %e0 = vector.extract %v[1] : vector<3x4xf32> from vector<2x3x4xf32>
  vector.print %e0 : vector<3x4xf32>
  %e1 = vector.extract %v[1, 2] : vector<4xf32> from vector<2x3x4xf32>
  vector.print %e1 : vector<4xf32>
  %e2 = vector.extract %v[1, 2, 3] : f32 from vector<2x3x4xf32>
  vector.print %e2 : f32
  %e3 = vector.extract %e1[%i] : f32 from vector<4xf32>
  vector.print %e3 : f32
  %i0 = vector.insert %f, %v[0, 1, 2] : f32 into vector<2x3x4xf32>
  vector.print %i0 : vector<2x3x4xf32>
  %i1 = vector.insert %e1, %v[0, 1] : vector<4xf32> into vector<2x3x4xf32>
  vector.print %i1 : vector<2x3x4xf32>
  %i2 = vector.insert %e0, %v[0] : vector<3x4xf32> into vector<2x3x4xf32>
  vector.print %i2 : vector<2x3x4xf32>
  %i3 = vector.insert %f, %e1[%i] : f32 into vector<4xf32>
  vector.print %i3 : vector<4xf32>
  %s0 = vector.shuffle %e0, %e0 [5, 0, 0, 3, 2] : vector<3x4xf32>, vector<3x4xf32>
  vector.print %s0 : vector<5x4xf32>
  %s1 = vector.shuffle %e1, %i3 [7, 0, 1] : vector<4xf32>, vector<4xf32>
  vector.print %s1 : vector<3xf32>
  %s2 = vector.shuffle %s1, %e1 [6, 0, 1, 3, 2, 2] : vector<3xf32>, vector<4xf32>
  vector.print %s2 : vector<6xf32>
  %p0 = vector.broadcast %s1 : vector<3xf32> to vector<2x3xf32>
  vector.print %p0 : vector<2x3xf32>
  %one = arith.constant dense<[[7.0], [8.0]]> : vector<2x1xf32>
  %p1 = vector.broadcast %one : vector<2x1xf32> to vector<3x2x4xf32>
  vector.print %p1 : vector<3x2x4xf32>
  %one3 = vector.extract_strided_slice %v {offsets = [0, 1], sizes = [2, 2], strides = [1, 1]} : vector<2x3x4xf32> to vector<2x2x4xf32>
  vector.print %one3 : vector<2x2x4xf32>
  %x1 = vector.extract_strided_slice %v {offsets = [1, 1, 1], sizes = [1, 2, 2], strides = [1, 1, 1]} : vector<2x3x4xf32> to vector<1x2x2xf32>
  vector.print %x1 : vector<1x2x2xf32>
  %small = vector.extract_strided_slice %e0 {offsets = [0, 1], sizes = [2, 2], strides = [1, 1]} : vector<3x4xf32> to vector<2x2xf32>
  %y1 = vector.insert_strided_slice %small, %v {offsets = [0, 1, 2], strides = [1, 1]} : vector<2x2xf32> into vector<2x3x4xf32>
  vector.print %y1 : vector<2x3x4xf32>
  %c1 = vector.shape_cast %v : vector<2x3x4xf32> to vector<6x4xf32>
  vector.print %c1 : vector<6x4xf32>
  %c2 = vector.shape_cast %v : vector<2x3x4xf32> to vector<24xf32>
  vector.print %c2 : vector<24xf32>
  %c3 = vector.shape_cast %c2 : vector<24xf32> to vector<3x2x2x2xf32>
  vector.print %c3 : vector<3x2x2x2xf32>
  %t1 = vector.transpose %v, [2, 0, 1] : vector<2x3x4xf32> to vector<4x2x3xf32>
  vector.print %t1 : vector<4x2x3xf32>
  %t2 = vector.transpose %v, [1, 0, 2] : vector<2x3x4xf32> to vector<3x2x4xf32>
  vector.print %t2 : vector<3x2x4xf32>
  %b1 = vector.bitcast %e0 : vector<3x4xf32> to vector<3x4xi32>
  vector.print %b1 : vector<3x4xi32>
  %b2 = vector.bitcast %b1 : vector<3x4xi32> to vector<3x2xi64>
  vector.print %b2 : vector<3x2xi64>
  %b3 = vector.bitcast %n : vector<2x3xi32> to vector<2x6xi16>
  vector.print %b3 : vector<2x6xi16>
  %il = vector.interleave %n, %n : vector<2x3xi32> -> vector<2x6xi32>
  vector.print %il : vector<2x6xi32>
  %d0, %d1 = vector.deinterleave %b3 : vector<2x6xi16> -> vector<2x3xi16>
  vector.print %d0 : vector<2x3xi16>
  vector.print %d1 : vector<2x3xi16>
  %m0 = vector.create_mask %i, %j : vector<4x3xi1>
  vector.print %m0 : vector<4x3xi1>
  %m1 = vector.constant_mask [1, 2] : vector<2x3xi1>
  vector.print %m1 : vector<2x3xi1>
  %neg = arith.constant -3 : index
  %m2 = vector.create_mask %neg : vector<3xi1>
  vector.print %m2 : vector<3xi1>
  %big = arith.constant 100 : index
  %m3 = vector.create_mask %big : vector<3xi1>
  vector.print %m3 : vector<3xi1>
  %sel = arith.select %m1, %n, %n : vector<2x3xi1>, vector<2x3xi32>
  vector.print %sel : vector<2x3xi32>
  %z = vector.broadcast %f : f32 to vector<f32>
  vector.print %z : vector<f32>
  %z1 = vector.insertelement %e3, %z[] : vector<f32>
  %z2 = vector.extractelement %z1[] : vector<f32>
  vector.print %z2 : f32
  %idx = vector.step : vector<5xindex>
  vector.print %idx : vector<5xindex>
  %i32v = arith.index_cast %idx : vector<5xindex> to vector<5xi32>
  vector.print %i32v : vector<5xi32>
  %sp = vector.splat %i : vector<3x2xindex>
  vector.print %sp : vector<3x2xindex>
  vector.print %t : i1
  %one_lane = vector.extract_strided_slice %e1 {offsets = [2], sizes = [1], strides = [1]} : vector<4xf32> to vector<1xf32>
  vector.print %one_lane : vector<1xf32>
  %fe = vector.from_elements %e2, %e3, %f : vector<3xf32>
  vector.print %fe : vector<3xf32>
  return
}
func.func @math(%f: f32, %i: i32, %m: vector<4xi1>) {
  %a = arith.constant dense<[[1.5, 2.0, 3.0], [4.0, 5.0, -6.0]]> : vector<2x3xf32>
  %b = arith.constant dense<[[1.0, 2.0, 3.0, 0.5], [4.0, -5.0, 6.0, 1.0], [7.0, 8.0, 9.0, 2.0]]> : vector<3x4xf32>
  %z = arith.constant dense<1.0> : vector<2x4xf32>
  %ff = vector.broadcast %f : f32 to vector<2x3xf32>
  %aa = arith.addf %a, %ff : vector<2x3xf32>
  %r = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %aa, %b, %z : vector<2x3xf32>, vector<3x4xf32> into vector<2x4xf32>
  vector.print %r : vector<2x4xf32>
  %r3 = vector.contract {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"], kind = #vector.kind<add>} %aa, %a, %f : vector<2x3xf32>, vector<2x3xf32> into f32
  vector.print %r3 : f32
  %v3 = arith.constant dense<[1.0, -2.0, 4.0]> : vector<3xf32>
  %v2 = arith.constant dense<[10.0, 20.0]> : vector<2xf32>
  %r4 = vector.contract {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>} %aa, %v3, %v2 : vector<2x3xf32>, vector<3xf32> into vector<2xf32>
  vector.print %r4 : vector<2xf32>
  %ia = arith.constant dense<[[1, 2, 3], [4, 5, -6]]> : vector<2x3xi32>
  %ib = arith.constant dense<[[1, -2], [7, 5], [-9, 2]]> : vector<3x2xi32>
  %ic = vector.broadcast %i : i32 to vector<2x2xi32>
  %r5 = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (j, i)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %ia, %ib, %ic : vector<2x3xi32>, vector<3x2xi32> into vector<2x2xi32>
  vector.print %r5 : vector<2x2xi32>
  %o1 = vector.outerproduct %v2, %v3 : vector<2xf32>, vector<3xf32>
  vector.print %o1 : vector<2x3xf32>
  %o2 = vector.outerproduct %v2, %v3, %aa {kind = #vector.kind<add>} : vector<2xf32>, vector<3xf32>
  vector.print %o2 : vector<2x3xf32>
  %o3 = vector.outerproduct %v3, %f, %v3 {kind = #vector.kind<maxnumf>} : vector<3xf32>, f32
  vector.print %o3 : vector<3xf32>
  %i3 = arith.constant dense<[1, -2, 4]> : vector<3xi32>
  %om = arith.constant dense<2> : vector<3x3xi32>
  %o4 = vector.outerproduct %i3, %i3, %om {kind = #vector.kind<minsi>} : vector<3xi32>, vector<3xi32>
  vector.print %o4 : vector<3x3xi32>
  return
}
func.func @reductions(%v: vector<4xf32>, %w: vector<4xi32>, %f: f32, %i: i32, %m: vector<4xi1>) {
  %0 = vector.reduction <add>, %v : vector<4xf32> into f32
  vector.print %0 : f32
  %1 = vector.reduction <mul>, %v, %f : vector<4xf32> into f32
  vector.print %1 : f32
  %2 = vector.reduction <maxnumf>, %v, %f : vector<4xf32> into f32
  vector.print %2 : f32
  %3 = vector.reduction <minnumf>, %v : vector<4xf32> into f32
  vector.print %3 : f32
  %4 = vector.reduction <maximumf>, %v, %f : vector<4xf32> into f32
  vector.print %4 : f32
  %5 = vector.reduction <minimumf>, %v : vector<4xf32> into f32
  vector.print %5 : f32
  %6 = vector.reduction <minsi>, %w, %i : vector<4xi32> into i32
  vector.print %6 : i32
  %7 = vector.reduction <maxsi>, %w : vector<4xi32> into i32
  vector.print %7 : i32
  %8 = vector.reduction <minui>, %w : vector<4xi32> into i32
  vector.print %8 : i32
  %9 = vector.reduction <maxui>, %w, %i : vector<4xi32> into i32
  vector.print %9 : i32
  %10 = vector.reduction <and>, %w, %i : vector<4xi32> into i32
  vector.print %10 : i32
  %11 = vector.reduction <or>, %w : vector<4xi32> into i32
  vector.print %11 : i32
  %12 = vector.reduction <xor>, %w, %i : vector<4xi32> into i32
  vector.print %12 : i32
  %13 = vector.reduction <add>, %w, %i : vector<4xi32> into i32
  vector.print %13 : i32
  %14 = vector.reduction <mul>, %w, %i : vector<4xi32> into i32
  vector.print %14 : i32
  %20 = vector.mask %m { vector.reduction <add>, %v, %f : vector<4xf32> into f32 } : vector<4xi1> -> f32
  vector.print %20 : f32
  %21 = vector.mask %m { vector.reduction <mul>, %v : vector<4xf32> into f32 } : vector<4xi1> -> f32
  vector.print %21 : f32
  %22 = vector.mask %m { vector.reduction <maxnumf>, %v, %f : vector<4xf32> into f32 } : vector<4xi1> -> f32
  vector.print %22 : f32
  %23 = vector.mask %m { vector.reduction <minsi>, %w, %i : vector<4xi32> into i32 } : vector<4xi1> -> i32
  vector.print %23 : i32
  %24 = vector.mask %m { vector.reduction <and>, %w : vector<4xi32> into i32 } : vector<4xi1> -> i32
  vector.print %24 : i32
  %25 = vector.mask %m { vector.reduction <maxui>, %w : vector<4xi32> into i32 } : vector<4xi1> -> i32
  vector.print %25 : i32
  %26 = vector.mask %m { vector.reduction <mul>, %w, %i : vector<4xi32> into i32 } : vector<4xi1> -> i32
  vector.print %26 : i32
  %30 = vector.fma %v, %v, %v : vector<4xf32>
  vector.print %30 : vector<4xf32>
  return
}
func.func @entry() {
  %i = arith.constant 2 : index
  %j = arith.constant 1 : index
  %f = arith.constant 0.5 : f32
  %t = arith.constant true
  call @values(%i, %j, %f, %t) : (index, index, f32, i1) -> ()
  %k = arith.constant -7 : i32
  %m = arith.constant dense<[true, false, true, true]> : vector<4xi1>
  call @math(%f, %k, %m) : (f32, i32, vector<4xi1>) -> ()
  %v = arith.constant dense<[1.0, -0.0, 3.0, -4.0]> : vector<4xf32>
  %nan = arith.constant dense<[1.0, 0x7FC00000, 3.0, -4.0]> : vector<4xf32>
  %w = arith.constant dense<[1, -5, 3, 70000]> : vector<4xi32>
  call @reductions(%v, %w, %f, %k, %m) : (vector<4xf32>, vector<4xi32>, f32, i32, vector<4xi1>) -> ()
  call @reductions(%nan, %w, %f, %k, %m) : (vector<4xf32>, vector<4xi32>, f32, i32, vector<4xi1>) -> ()
  %none = arith.constant dense<false> : vector<4xi1>
  call @reductions(%v, %w, %f, %k, %none) : (vector<4xf32>, vector<4xi32>, f32, i32, vector<4xi1>) -> ()
  return
}
