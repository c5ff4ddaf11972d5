// A function of numbers and one of arrays, for a module by Gusset.

func.func @add(%a: i32, %b: i32) -> i32 {
  %sum = arith.addi %a, %b : i32
  return %sum : i32
}

func.func @saxpy(%k: f32, %x: memref<?xf32>, %y: memref<?xf32>, %r: memref<?xf32> {gusset.result = ["1.0"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %m = memref.dim %y, %c0 : memref<?xf32>
  %same = arith.cmpi eq, %n, %m : index
  cf.assert %same, "arrays of two lengths"
  %ks = vector.splat %k : vector<4xf32>
  %rest = arith.remui %n, %c16 : index
  %whole = arith.subi %n, %rest : index
  scf.for %i0 = %c0 to %whole step %c16 {
    %i1 = arith.addi %i0, %c4 : index
    %i2 = arith.addi %i0, %c8 : index
    %i3 = arith.addi %i0, %c12 : index
    %x0 = vector.load %x[%i0] : memref<?xf32>, vector<4xf32>
    %y0 = vector.load %y[%i0] : memref<?xf32>, vector<4xf32>
    %p0 = arith.mulf %ks, %x0 : vector<4xf32>
    %s0 = arith.addf %p0, %y0 : vector<4xf32>
    vector.store %s0, %r[%i0] : memref<?xf32>, vector<4xf32>
    %x1 = vector.load %x[%i1] : memref<?xf32>, vector<4xf32>
    %y1 = vector.load %y[%i1] : memref<?xf32>, vector<4xf32>
    %p1 = arith.mulf %ks, %x1 : vector<4xf32>
    %s1 = arith.addf %p1, %y1 : vector<4xf32>
    vector.store %s1, %r[%i1] : memref<?xf32>, vector<4xf32>
    %x2 = vector.load %x[%i2] : memref<?xf32>, vector<4xf32>
    %y2 = vector.load %y[%i2] : memref<?xf32>, vector<4xf32>
    %p2 = arith.mulf %ks, %x2 : vector<4xf32>
    %s2 = arith.addf %p2, %y2 : vector<4xf32>
    vector.store %s2, %r[%i2] : memref<?xf32>, vector<4xf32>
    %x3 = vector.load %x[%i3] : memref<?xf32>, vector<4xf32>
    %y3 = vector.load %y[%i3] : memref<?xf32>, vector<4xf32>
    %p3 = arith.mulf %ks, %x3 : vector<4xf32>
    %s3 = arith.addf %p3, %y3 : vector<4xf32>
    vector.store %s3, %r[%i3] : memref<?xf32>, vector<4xf32>
  }
  scf.for %i = %whole to %n step %c1 {
    %a = memref.load %x[%i] : memref<?xf32>
    %b = memref.load %y[%i] : memref<?xf32>
    %p = arith.mulf %k, %a : f32
    %s = arith.addf %p, %b : f32
    memref.store %s, %r[%i] : memref<?xf32>
  }
  return
}
