// Functions of numbers alone: their module needs nothing of the runtime.

func.func @nothing() {
  return
}

func.func @mix(%i: i32, %l: i64, %f: f32, %d: f64) -> (i64, f64, i32, f32) {
  %wide = arith.extsi %i : i32 to i64
  %sum = arith.addi %wide, %l : i64
  %more = arith.extf %f : f32 to f64
  %total = arith.addf %more, %d : f64
  %less = arith.trunci %sum : i64 to i32
  %half = arith.truncf %total : f64 to f32
  return %sum, %total, %less, %half : i64, f64, i32, f32
}

// Nine integers and ten floats, in no order that registers would like.
func.func @many(%a0: i32, %x0: f32, %a1: i64, %x1: f64, %a2: i8, %x2: f32, %a3: i16, %x3: f64, %a4: i32, %x4: f32,
                %a5: i64, %x5: f64, %a6: i8, %x6: f32, %a7: i16, %x7: f64, %a8: i64, %x8: f32, %x9: f64) -> (i64, f64) {
  %b0 = arith.extsi %a0 : i32 to i64
  %b2 = arith.extsi %a2 : i8 to i64
  %b3 = arith.extsi %a3 : i16 to i64
  %b4 = arith.extsi %a4 : i32 to i64
  %b6 = arith.extsi %a6 : i8 to i64
  %b7 = arith.extsi %a7 : i16 to i64
  %ten = arith.constant 10 : i64
  %s0 = arith.muli %b0, %ten : i64
  %t0 = arith.addi %s0, %a1 : i64
  %s1 = arith.muli %t0, %ten : i64
  %t1 = arith.addi %s1, %b2 : i64
  %s2 = arith.muli %t1, %ten : i64
  %t2 = arith.addi %s2, %b3 : i64
  %s3 = arith.muli %t2, %ten : i64
  %t3 = arith.addi %s3, %b4 : i64
  %s4 = arith.muli %t3, %ten : i64
  %t4 = arith.addi %s4, %a5 : i64
  %s5 = arith.muli %t4, %ten : i64
  %t5 = arith.addi %s5, %b6 : i64
  %s6 = arith.muli %t5, %ten : i64
  %t6 = arith.addi %s6, %b7 : i64
  %s7 = arith.muli %t6, %ten : i64
  %t7 = arith.addi %s7, %a8 : i64
  %y0 = arith.extf %x0 : f32 to f64
  %y2 = arith.extf %x2 : f32 to f64
  %y4 = arith.extf %x4 : f32 to f64
  %y6 = arith.extf %x6 : f32 to f64
  %y8 = arith.extf %x8 : f32 to f64
  %dten = arith.constant 10.0 : f64
  %u0 = arith.mulf %y0, %dten : f64
  %v0 = arith.addf %u0, %x1 : f64
  %u1 = arith.mulf %v0, %dten : f64
  %v1 = arith.addf %u1, %y2 : f64
  %u2 = arith.mulf %v1, %dten : f64
  %v2 = arith.addf %u2, %x3 : f64
  %u3 = arith.mulf %v2, %dten : f64
  %v3 = arith.addf %u3, %y4 : f64
  %u4 = arith.mulf %v3, %dten : f64
  %v4 = arith.addf %u4, %x5 : f64
  %u5 = arith.mulf %v4, %dten : f64
  %v5 = arith.addf %u5, %y6 : f64
  %u6 = arith.mulf %v5, %dten : f64
  %v6 = arith.addf %u6, %x7 : f64
  %u7 = arith.mulf %v6, %dten : f64
  %v7 = arith.addf %u7, %y8 : f64
  %u8 = arith.mulf %v7, %dten : f64
  %v8 = arith.addf %u8, %x9 : f64
  return %t7, %v8 : i64, f64
}

// More results than registers.
func.func @spread(%x: i32) -> (i32, i64, f32, f64, i8, i16, i32, i64, f32, f64) {
  %l = arith.extsi %x : i32 to i64
  %f = arith.sitofp %x : i32 to f32
  %d = arith.sitofp %x : i32 to f64
  %b = arith.trunci %x : i32 to i8
  %h = arith.trunci %x : i32 to i16
  return %x, %l, %f, %d, %b, %h, %x, %l, %f, %d : i32, i64, f32, f64, i8, i16, i32, i64, f32, f64
}

// What is above the small integers in an argument's 32 bits is anything.
func.func @add_i8(%a: i8, %b: i8) -> i8 {
  %sum = arith.addi %a, %b : i8
  return %sum : i8
}

func.func @add_i16(%a: i16, %b: i16) -> i16 {
  %sum = arith.addi %a, %b : i16
  return %sum : i16
}

func.func @half_i8(%a: i8) -> (i8, i8) {
  %two = arith.constant 2 : i8
  %signed = arith.divsi %a, %two : i8
  %unsigned = arith.divui %a, %two : i8
  return %signed, %unsigned : i8, i8
}

func.func @not(%a: i1) -> i1 {
  %true = arith.constant true
  %not = arith.xori %a, %true : i1
  return %not : i1
}

func.func @halves(%a: f16, %b: bf16) -> (f16, bf16) {
  %two = arith.extf %a : f16 to f32
  %three = arith.extf %b : bf16 to f32
  %sum = arith.addf %two, %three : f32
  %c = arith.truncf %sum : f32 to f16
  %d = arith.truncf %sum : f32 to bf16
  return %c, %d : f16, bf16
}

func.func @position(%i: index) -> index {
  %sum = index.add %i, %i
  return %sum : index
}

func.func @divide(%a: i32, %b: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %fine = arith.cmpi ne, %b, %zero : i32
  cf.assert %fine, "division by zero"
  %q = arith.divsi %a, %b : i32
  return %q : i32
}

// Fails with all of its message, however long.
func.func @tell(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %fine = arith.cmpi eq, %n, %zero : i32
  cf.assert %fine, "a message of more than two hundred bytes goes on and on, over hill and dale, through bush and brier, over park and pale, through flood and fire, and wanders everywhere, swifter than the moon's sphere, 100% of it, until it is more than enough and there it ends"
  return %n : i32
}
