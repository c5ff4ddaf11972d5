; Constants in spellings that LLVM's reader takes and its printer does not write.
@quad = global fp128 0xL1
@quad_low = global fp128 0xL00000000000000007
@extended = global x86_fp80 0xK00007
@half = global half 0xH1
@many = global [u0x3 x i16] [i16 1, i16 2, i16 3]
@wide = global i200 680564733841876926926749214863536422912
@wide_negative = global i200 -680564733841876926926749214863536422913
@wide_bits = global i256 u0xFF0000000000000000000000000000000000000000000000001
; Bits of vectors of one shape as a value of another one.
@lanes = global <2 x i64> bitcast (<4 x i32> <i32 1, i32 2, i32 3, i32 -4> to <2 x i64>)
@number = global i64 bitcast (<2 x i32> <i32 1, i32 2> to i64)
@floats = global <4 x float> bitcast (<2 x i64> <i64 4607182418800017408, i64 2> to <4 x float>)
@flags = global <2 x i8> bitcast (<16 x i1> <i1 1, i1 0, i1 1, i1 0, i1 1, i1 0, i1 1, i1 0, i1 1, i1 0, i1 0, i1 0, i1 1, i1 0, i1 1, i1 1> to <2 x i8>)
@halves = global <4 x half> bitcast (i64 4323525824495600640 to <4 x half>)
@members = global { i8, <2 x float> } { i8 7, <2 x float> bitcast (double 1.0 to <2 x float>) }
