; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

declare ptr @malloc(i64)

define float @weigh(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, float %7, i64 %8) {
  %10 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } undef, ptr %0, 0
  %11 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %10, ptr %1, 1
  %12 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %11, i64 %2, 2
  %13 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %12, i64 %3, 3, 0
  %14 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %13, i64 %5, 4, 0
  %15 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %14, i64 %4, 3, 1
  %16 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %15, i64 %6, 4, 1
  %17 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %16, 3, 0
  br label %18

18:                                               ; preds = %22, %9
  %19 = phi i64 [ %34, %22 ], [ 0, %9 ]
  %20 = phi float [ %33, %22 ], [ 0.000000e+00, %9 ]
  %21 = icmp slt i64 %19, %17
  br i1 %21, label %22, label %35

22:                                               ; preds = %18
  %23 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %16, 1
  %24 = mul i64 %19, 4
  %25 = add i64 %24, %8
  %26 = getelementptr float, ptr %23, i64 %25
  %27 = load float, ptr %26, align 4
  %28 = fmul float %27, %7
  %29 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %16, 1
  %30 = mul i64 %19, 4
  %31 = add i64 %30, %8
  %32 = getelementptr float, ptr %29, i64 %31
  store float %28, ptr %32, align 4
  %33 = fadd float %20, %28
  %34 = add i64 %19, 1
  br label %18

35:                                               ; preds = %18
  ret float %20
}

define float @_mlir_ciface_weigh(ptr %0, float %1, i64 %2) {
  %4 = load { ptr, ptr, i64, [2 x i64], [2 x i64] }, ptr %0, align 8
  %5 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %4, 0
  %6 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %4, 1
  %7 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %4, 2
  %8 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %4, 3, 0
  %9 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %4, 3, 1
  %10 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %4, 4, 0
  %11 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %4, 4, 1
  %12 = call float @weigh(ptr %5, ptr %6, i64 %7, i64 %8, i64 %9, i64 %10, i64 %11, float %1, i64 %2)
  ret float %12
}

define { ptr, ptr, i64, [2 x i64], [2 x i64] } @transposed(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6) {
  %8 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } undef, ptr %0, 0
  %9 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %8, ptr %1, 1
  %10 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %9, i64 %2, 2
  %11 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %10, i64 %3, 3, 0
  %12 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %11, i64 %5, 4, 0
  %13 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %12, i64 %4, 3, 1
  %14 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %13, i64 %6, 4, 1
  %15 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %14, 3, 0
  %16 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %14, 3, 1
  %17 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %14, 0
  %18 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %14, 1
  %19 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } undef, ptr %17, 0
  %20 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %19, ptr %18, 1
  %21 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %20, i64 0, 2
  %22 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %21, i64 %16, 3, 0
  %23 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %22, i64 1, 4, 0
  %24 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %23, i64 %15, 3, 1
  %25 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %24, i64 %16, 4, 1
  ret { ptr, ptr, i64, [2 x i64], [2 x i64] } %25
}

define void @_mlir_ciface_transposed(ptr %0, ptr %1) {
  %3 = load { ptr, ptr, i64, [2 x i64], [2 x i64] }, ptr %1, align 8
  %4 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %3, 0
  %5 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %3, 1
  %6 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %3, 2
  %7 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %3, 3, 0
  %8 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %3, 3, 1
  %9 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %3, 4, 0
  %10 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %3, 4, 1
  %11 = call { ptr, ptr, i64, [2 x i64], [2 x i64] } @transposed(ptr %4, ptr %5, i64 %6, i64 %7, i64 %8, i64 %9, i64 %10)
  store { ptr, ptr, i64, [2 x i64], [2 x i64] } %11, ptr %0, align 8
  ret void
}

define { i32, { i64, ptr } } @filled(ptr %0, ptr %1, i64 %2, i8 %3) {
  %5 = insertvalue { ptr, ptr, i64 } undef, ptr %0, 0
  %6 = insertvalue { ptr, ptr, i64 } %5, ptr %1, 1
  %7 = insertvalue { ptr, ptr, i64 } %6, i64 %2, 2
  %8 = sext i8 %3 to i32
  %9 = sext i32 %8 to i64
  %10 = extractvalue { ptr, ptr, i64 } %7, 1
  %11 = load float, ptr %10, align 4
  %12 = mul i64 %9, 2
  %13 = getelementptr float, ptr null, i64 %12
  %14 = ptrtoint ptr %13 to i64
  %15 = call ptr @malloc(i64 %14)
  %16 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } undef, ptr %15, 0
  %17 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %16, ptr %15, 1
  %18 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %17, i64 0, 2
  %19 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %18, i64 2, 3, 0
  %20 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %19, i64 %9, 3, 1
  %21 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %20, i64 %9, 4, 0
  %22 = insertvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %21, i64 1, 4, 1
  br label %23

23:                                               ; preds = %26, %4
  %24 = phi i64 [ %37, %26 ], [ 0, %4 ]
  %25 = icmp slt i64 %24, %9
  br i1 %25, label %26, label %38

26:                                               ; preds = %23
  %27 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %22, 1
  %28 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %22, 4, 0
  %29 = mul i64 0, %28
  %30 = add i64 %29, %24
  %31 = getelementptr float, ptr %27, i64 %30
  store float %11, ptr %31, align 4
  %32 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %22, 1
  %33 = extractvalue { ptr, ptr, i64, [2 x i64], [2 x i64] } %22, 4, 0
  %34 = mul i64 1, %33
  %35 = add i64 %34, %24
  %36 = getelementptr float, ptr %32, i64 %35
  store float %11, ptr %36, align 4
  %37 = add i64 %24, 1
  br label %23

38:                                               ; preds = %23
  %39 = alloca { ptr, ptr, i64, [2 x i64], [2 x i64] }, i64 1, align 8
  store { ptr, ptr, i64, [2 x i64], [2 x i64] } %22, ptr %39, align 8
  %40 = insertvalue { i64, ptr } { i64 2, ptr undef }, ptr %39, 1
  %41 = extractvalue { i64, ptr } %40, 0
  %42 = mul i64 2, %41
  %43 = add i64 %42, 1
  %44 = mul i64 %43, 8
  %45 = add i64 16, %44
  %46 = call ptr @malloc(i64 %45)
  %47 = extractvalue { i64, ptr } %40, 1
  call void @llvm.memcpy.p0.p0.i64(ptr %46, ptr %47, i64 %45, i1 false)
  %48 = extractvalue { i64, ptr } %40, 0
  %49 = insertvalue { i64, ptr } undef, i64 %48, 0
  %50 = insertvalue { i64, ptr } %49, ptr %46, 1
  %51 = insertvalue { i32, { i64, ptr } } undef, i32 %8, 0
  %52 = insertvalue { i32, { i64, ptr } } %51, { i64, ptr } %50, 1
  ret { i32, { i64, ptr } } %52
}

define void @_mlir_ciface_filled(ptr %0, ptr %1, i8 %2) {
  %4 = load { ptr, ptr, i64 }, ptr %1, align 8
  %5 = extractvalue { ptr, ptr, i64 } %4, 0
  %6 = extractvalue { ptr, ptr, i64 } %4, 1
  %7 = extractvalue { ptr, ptr, i64 } %4, 2
  %8 = call { i32, { i64, ptr } } @filled(ptr %5, ptr %6, i64 %7, i8 %2)
  store { i32, { i64, ptr } } %8, ptr %0, align 8
  ret void
}

define i64 @rank_of(i64 %0, ptr %1) {
  %3 = insertvalue { i64, ptr } undef, i64 %0, 0
  %4 = insertvalue { i64, ptr } %3, ptr %1, 1
  %5 = extractvalue { i64, ptr } %4, 0
  ret i64 %5
}

define i64 @_mlir_ciface_rank_of(ptr %0) {
  %2 = load { i64, ptr }, ptr %0, align 8
  %3 = extractvalue { i64, ptr } %2, 0
  %4 = extractvalue { i64, ptr } %2, 1
  %5 = call i64 @rank_of(i64 %3, ptr %4)
  ret i64 %5
}

define { float, float } @turned(float %0, float %1) {
  %3 = insertvalue { float, float } undef, float %1, 0
  %4 = insertvalue { float, float } %3, float %0, 1
  ret { float, float } %4
}

define void @_mlir_ciface_turned(ptr %0, float %1, float %2) {
  %4 = call { float, float } @turned(float %1, float %2)
  store { float, float } %4, ptr %0, align 4
  ret void
}

define private { ptr, ptr, i64, [1 x i64], [1 x i64] } @doubled(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, i16 %5) {
  %7 = alloca { ptr, ptr, i64, [1 x i64], [1 x i64] }, i64 1, align 8
  %8 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } undef, ptr %0, 0
  %9 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %8, ptr %1, 1
  %10 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %9, i64 %2, 2
  %11 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %10, i64 %3, 3, 0
  %12 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %11, i64 %4, 4, 0
  %13 = alloca { ptr, ptr, i64, [1 x i64], [1 x i64] }, i64 1, align 8
  store { ptr, ptr, i64, [1 x i64], [1 x i64] } %12, ptr %13, align 8
  call void @_mlir_ciface_doubled(ptr %7, ptr %13, i16 %5)
  %14 = load { ptr, ptr, i64, [1 x i64], [1 x i64] }, ptr %7, align 8
  ret { ptr, ptr, i64, [1 x i64], [1 x i64] } %14
}

declare void @_mlir_ciface_doubled(ptr, ptr, i16)

define i32 @through_c(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4, i16 %5) {
  %7 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } undef, ptr %0, 0
  %8 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %7, ptr %1, 1
  %9 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %8, i64 %2, 2
  %10 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %9, i64 %3, 3, 0
  %11 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %10, i64 %4, 4, 0
  %12 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %11, 0
  %13 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %11, 1
  %14 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %11, 2
  %15 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %11, 3, 0
  %16 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %11, 4, 0
  %17 = call { ptr, ptr, i64, [1 x i64], [1 x i64] } @doubled(ptr %12, ptr %13, i64 %14, i64 %15, i64 %16, i16 %5)
  %18 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %17, 3, 0
  %19 = sub i64 %18, 1
  %20 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %17, 1
  %21 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %17, 2
  %22 = getelementptr i32, ptr %20, i64 %21
  %23 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %17, 4, 0
  %24 = mul i64 %19, %23
  %25 = getelementptr i32, ptr %22, i64 %24
  %26 = load i32, ptr %25, align 4
  ret i32 %26
}

define i32 @_mlir_ciface_through_c(ptr %0, i16 %1) {
  %3 = load { ptr, ptr, i64, [1 x i64], [1 x i64] }, ptr %0, align 8
  %4 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %3, 0
  %5 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %3, 1
  %6 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %3, 2
  %7 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %3, 3, 0
  %8 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %3, 4, 0
  %9 = call i32 @through_c(ptr %4, ptr %5, i64 %6, i64 %7, i64 %8, i16 %1)
  ret i32 %9
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #0

attributes #0 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
