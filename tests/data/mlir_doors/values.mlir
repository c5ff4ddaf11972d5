// Constants, and what intrinsics without declarations become: as of the LLVM IR that MLIR's translation makes of the module.

// Numbers of eight bits with a point are bytes: the nearest ones, even ones of two, what there is for those that are too large.
llvm.func @small() -> vector<8xi8> {
  %0 = llvm.mlir.constant(dense<[0.0, -0.0, 1.0625, 1.1875, 464.0, 465.0, -1.0e6, 0.0009765625]> : vector<8xf8E4M3FN>) : vector<8xi8>
  llvm.return %0 : vector<8xi8>
}
llvm.func @smaller() -> vector<8xi8> {
  %0 = llvm.mlir.constant(dense<[-0.0, 61440.0, 57344.0, 0.000015, -3.3, 0.1, 1.0e6, 1.5]> : vector<8xf8E5M2>) : vector<8xi8>
  llvm.return %0 : vector<8xi8>
}
llvm.func @unsigned_zero() -> vector<8xi8> {
  %0 = llvm.mlir.constant(dense<[-0.0, 240.0, 248.0, 0.001, -0.0001, 15.8, 30.0, 29.0]> : vector<8xf8E4M3FNUZ>) : vector<8xi8>
  llvm.return %0 : vector<8xi8>
}
llvm.func @biased() -> vector<4xi8> {
  %0 = llvm.mlir.constant(dense<[-0.0, 30.0, 31.0, 0.0078125]> : vector<4xf8E4M3B11FNUZ>) : vector<4xi8>
  llvm.return %0 : vector<4xi8>
}
llvm.func @one() -> i8 {
  %0 = llvm.mlir.constant(0.01 : f8E5M2FNUZ) : i8
  llvm.return %0 : i8
}
llvm.mlir.global external @bytes(dense<[[1.5, -2.0], [0x7C, 3.0]]> : tensor<2x2xf8E4M3>) {addr_space = 0 : i32} : !llvm.array<2 x array<2 x i8>>

// Bits of more than 128.
llvm.mlir.global external @wide(0x1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFE : i137) {addr_space = 0 : i32} : i137
llvm.func @wider() -> i168 {
  %0 = llvm.mlir.constant(0x000000FFFFFFFFFFFFC00000001FFFFFFFFFFFFFFFFFFFFF : i168) : i168
  llvm.return %0 : i168
}

// In any order where flags say so.
llvm.func @sum(%v: vector<8xf32>, %s: f32) -> f32 {
  %0 = "llvm.intr.vector.reduce.fadd"(%s, %v) <{fastmathFlags = #llvm.fastmath<reassoc>}> : (f32, vector<8xf32>) -> f32
  llvm.return %0 : f32
}
llvm.func @product(%v: vector<8xf64>, %s: f64) -> f64 {
  %0 = "llvm.intr.vector.reduce.fmul"(%s, %v) <{fastmathFlags = #llvm.fastmath<fast>}> : (f64, vector<8xf64>) -> f64
  llvm.return %0 : f64
}
llvm.func @in_order(%v: vector<8xf32>, %s: f32) -> f32 {
  %0 = "llvm.intr.vector.reduce.fadd"(%s, %v) <{fastmathFlags = #llvm.fastmath<nnan>}> : (f32, vector<8xf32>) -> f32
  llvm.return %0 : f32
}
llvm.func @named(%v: vector<4xf32>, %s: f32) -> f32 {
  %0 = llvm.call_intrinsic "llvm.vector.reduce.fadd"(%s, %v) : (f32, vector<4xf32>) -> f32 {fastmathFlags = #llvm.fastmath<reassoc>}
  llvm.return %0 : f32
}

// Operations of the machine.
llvm.func @horizontal(%a: vector<4xf32>, %b: vector<4xf32>) -> vector<4xf32> {
  %0 = llvm.call_intrinsic "llvm.x86.sse3.hadd.ps"(%a, %b) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  llvm.return %0 : vector<4xf32>
}
llvm.func @shifted(%a: vector<8xi16>, %b: vector<8xi16>) -> vector<8xi16> {
  %0 = llvm.call_intrinsic "llvm.x86.sse2.psrl.w"(%a, %b) : (vector<8xi16>, vector<8xi16>) -> vector<8xi16>
  llvm.return %0 : vector<8xi16>
}
llvm.func @flush(%p: !llvm.ptr) {
  llvm.call_intrinsic "llvm.x86.sse2.clflush"(%p) : (!llvm.ptr) -> ()
  llvm.return
}
