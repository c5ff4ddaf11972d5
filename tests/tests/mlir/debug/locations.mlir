// Locations without attributes: positions, names, calls that were replaced, several positions, none.
func.func private @abort()
func.func @main() -> i32 {
  %size = arith.constant 4 : index loc("src/main.c":3:5)
  %m = memref.alloca(%size) : memref<?xi32> loc("src/main.c":4:3)
  %three = arith.constant 3 : i32 loc(unknown)
  %zero = arith.constant 0 : index loc("src/main.c":5:8)
  %one = arith.constant 1 : index loc("src/main.c":5:8)
  scf.for %i = %zero to %size step %one {
    %n = arith.index_cast %i : index to i32 loc("src/main.c":6:12)
    memref.store %n, %m[%i] : memref<?xi32> loc("src/main.c":6:10)
  } loc("src/main.c":5:3)
  %s = func.call @sum(%size, %m) : (index, memref<?xi32>) -> i32 loc("src/main.c":7:11)
  %r = arith.subi %s, %three : i32
  return %r : i32 loc("src/main.c":8:3)
} loc("src/main.c":2:1)
func.func @sum(%n: index, %m: memref<?xi32>) -> i32 {
  %none = arith.constant 0 : i32 loc(#there)
  %zero = arith.constant 0 : index loc("src/sum.c":12:9)
  %one = arith.constant 1 : index loc(unknown)
  %r = scf.for %i = %zero to %n step %one iter_args(%all = %none) -> i32 {
    %x = memref.load %m[%i] : memref<?xi32> loc("src/sum.c":14:7)
    %y = func.call @half(%x) : (i32) -> i32 loc(callsite("src/half.h":44:3 at "src/sum.c":15:7))
    %s = arith.addi %all, %y : i32 loc(fused["src/sum.c":16:7, "src/sum.c":16:7])
    scf.yield %s : i32 loc("src/sum.c":17:3)
  } loc("src/sum.c":13:3)
  return %r : i32 loc("return"("src/sum.c":18:3))
} loc("src/sum.c":10:1)
func.func @half(%x: i32) -> i32 {
  %two = arith.constant 2 : i32 loc("src/half.h":21:3)
  %wrong = arith.cmpi sgt, %x, %two : i32 loc(fused["src/half.h":22:3, "src/half.h":23:3])
  cf.cond_br %wrong, ^bad, ^good loc("src/half.h":24:3)
^bad:
  func.call @abort() : () -> () loc("src/half.h":25:5)
  cf.br ^good loc("src/half.h":25:5)
^good:
  %y = arith.divsi %x, %two : i32 loc("src/half.h":26:3)
  return %y : i32 loc("src/half.h":27:3)
} loc("src/half.h":20:1)
#there = loc("src/sum.c":11:3)
