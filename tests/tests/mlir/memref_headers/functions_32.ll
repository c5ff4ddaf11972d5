; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

declare ptr @malloc(i32)

define float @weigh(ptr %0, ptr %1, i32 %2, i32 %3, i32 %4, i32 %5, i32 %6, float %7, i32 %8) {
  %10 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } undef, ptr %0, 0
  %11 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %10, ptr %1, 1
  %12 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %11, i32 %2, 2
  %13 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %12, i32 %3, 3, 0
  %14 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %13, i32 %5, 4, 0
  %15 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %14, i32 %4, 3, 1
  %16 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %15, i32 %6, 4, 1
  %17 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %16, 3, 0
  br label %18

18:                                               ; preds = %22, %9
  %19 = phi i32 [ %34, %22 ], [ 0, %9 ]
  %20 = phi float [ %33, %22 ], [ 0.000000e+00, %9 ]
  %21 = icmp slt i32 %19, %17
  br i1 %21, label %22, label %35

22:                                               ; preds = %18
  %23 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %16, 1
  %24 = mul i32 %19, 4
  %25 = add i32 %24, %8
  %26 = getelementptr float, ptr %23, i32 %25
  %27 = load float, ptr %26, align 4
  %28 = fmul float %27, %7
  %29 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %16, 1
  %30 = mul i32 %19, 4
  %31 = add i32 %30, %8
  %32 = getelementptr float, ptr %29, i32 %31
  store float %28, ptr %32, align 4
  %33 = fadd float %20, %28
  %34 = add i32 %19, 1
  br label %18

35:                                               ; preds = %18
  ret float %20
}

define float @_mlir_ciface_weigh(ptr %0, float %1, i32 %2) {
  %4 = load { ptr, ptr, i32, [2 x i32], [2 x i32] }, ptr %0, align 8
  %5 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %4, 0
  %6 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %4, 1
  %7 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %4, 2
  %8 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %4, 3, 0
  %9 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %4, 3, 1
  %10 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %4, 4, 0
  %11 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %4, 4, 1
  %12 = call float @weigh(ptr %5, ptr %6, i32 %7, i32 %8, i32 %9, i32 %10, i32 %11, float %1, i32 %2)
  ret float %12
}

define { ptr, ptr, i32, [2 x i32], [2 x i32] } @transposed(ptr %0, ptr %1, i32 %2, i32 %3, i32 %4, i32 %5, i32 %6) {
  %8 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } undef, ptr %0, 0
  %9 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %8, ptr %1, 1
  %10 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %9, i32 %2, 2
  %11 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %10, i32 %3, 3, 0
  %12 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %11, i32 %5, 4, 0
  %13 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %12, i32 %4, 3, 1
  %14 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %13, i32 %6, 4, 1
  %15 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %14, 3, 0
  %16 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %14, 3, 1
  %17 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %14, 0
  %18 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %14, 1
  %19 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } undef, ptr %17, 0
  %20 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %19, ptr %18, 1
  %21 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %20, i32 0, 2
  %22 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %21, i32 %16, 3, 0
  %23 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %22, i32 1, 4, 0
  %24 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %23, i32 %15, 3, 1
  %25 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %24, i32 %16, 4, 1
  ret { ptr, ptr, i32, [2 x i32], [2 x i32] } %25
}

define void @_mlir_ciface_transposed(ptr %0, ptr %1) {
  %3 = load { ptr, ptr, i32, [2 x i32], [2 x i32] }, ptr %1, align 8
  %4 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %3, 0
  %5 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %3, 1
  %6 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %3, 2
  %7 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %3, 3, 0
  %8 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %3, 3, 1
  %9 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %3, 4, 0
  %10 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %3, 4, 1
  %11 = call { ptr, ptr, i32, [2 x i32], [2 x i32] } @transposed(ptr %4, ptr %5, i32 %6, i32 %7, i32 %8, i32 %9, i32 %10)
  store { ptr, ptr, i32, [2 x i32], [2 x i32] } %11, ptr %0, align 8
  ret void
}

define { i32, { i32, ptr } } @filled(ptr %0, ptr %1, i32 %2, i8 %3) {
  %5 = insertvalue { ptr, ptr, i32 } undef, ptr %0, 0
  %6 = insertvalue { ptr, ptr, i32 } %5, ptr %1, 1
  %7 = insertvalue { ptr, ptr, i32 } %6, i32 %2, 2
  %8 = sext i8 %3 to i32
  %9 = extractvalue { ptr, ptr, i32 } %7, 1
  %10 = load float, ptr %9, align 4
  %11 = mul i32 %8, 2
  %12 = getelementptr float, ptr null, i32 %11
  %13 = ptrtoint ptr %12 to i32
  %14 = call ptr @malloc(i32 %13)
  %15 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } undef, ptr %14, 0
  %16 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %15, ptr %14, 1
  %17 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %16, i32 0, 2
  %18 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %17, i32 2, 3, 0
  %19 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %18, i32 %8, 3, 1
  %20 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %19, i32 %8, 4, 0
  %21 = insertvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %20, i32 1, 4, 1
  br label %22

22:                                               ; preds = %25, %4
  %23 = phi i32 [ %36, %25 ], [ 0, %4 ]
  %24 = icmp slt i32 %23, %8
  br i1 %24, label %25, label %37

25:                                               ; preds = %22
  %26 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %21, 1
  %27 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %21, 4, 0
  %28 = mul i32 0, %27
  %29 = add i32 %28, %23
  %30 = getelementptr float, ptr %26, i32 %29
  store float %10, ptr %30, align 4
  %31 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %21, 1
  %32 = extractvalue { ptr, ptr, i32, [2 x i32], [2 x i32] } %21, 4, 0
  %33 = mul i32 1, %32
  %34 = add i32 %33, %23
  %35 = getelementptr float, ptr %31, i32 %34
  store float %10, ptr %35, align 4
  %36 = add i32 %23, 1
  br label %22

37:                                               ; preds = %22
  %38 = alloca { ptr, ptr, i32, [2 x i32], [2 x i32] }, i64 1, align 8
  store { ptr, ptr, i32, [2 x i32], [2 x i32] } %21, ptr %38, align 8
  %39 = insertvalue { i32, ptr } { i32 2, ptr undef }, ptr %38, 1
  %40 = extractvalue { i32, ptr } %39, 0
  %41 = mul i32 2, %40
  %42 = add i32 %41, 1
  %43 = mul i32 %42, 4
  %44 = add i32 16, %43
  %45 = call ptr @malloc(i32 %44)
  %46 = extractvalue { i32, ptr } %39, 1
  call void @llvm.memcpy.p0.p0.i32(ptr %45, ptr %46, i32 %44, i1 false)
  %47 = extractvalue { i32, ptr } %39, 0
  %48 = insertvalue { i32, ptr } undef, i32 %47, 0
  %49 = insertvalue { i32, ptr } %48, ptr %45, 1
  %50 = insertvalue { i32, { i32, ptr } } undef, i32 %8, 0
  %51 = insertvalue { i32, { i32, ptr } } %50, { i32, ptr } %49, 1
  ret { i32, { i32, ptr } } %51
}

define void @_mlir_ciface_filled(ptr %0, ptr %1, i8 %2) {
  %4 = load { ptr, ptr, i32 }, ptr %1, align 8
  %5 = extractvalue { ptr, ptr, i32 } %4, 0
  %6 = extractvalue { ptr, ptr, i32 } %4, 1
  %7 = extractvalue { ptr, ptr, i32 } %4, 2
  %8 = call { i32, { i32, ptr } } @filled(ptr %5, ptr %6, i32 %7, i8 %2)
  store { i32, { i32, ptr } } %8, ptr %0, align 8
  ret void
}

define i32 @rank_of(i32 %0, ptr %1) {
  %3 = insertvalue { i32, ptr } undef, i32 %0, 0
  %4 = insertvalue { i32, ptr } %3, ptr %1, 1
  %5 = extractvalue { i32, ptr } %4, 0
  ret i32 %5
}

define i32 @_mlir_ciface_rank_of(ptr %0) {
  %2 = load { i32, ptr }, ptr %0, align 8
  %3 = extractvalue { i32, ptr } %2, 0
  %4 = extractvalue { i32, ptr } %2, 1
  %5 = call i32 @rank_of(i32 %3, ptr %4)
  ret i32 %5
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

define private { ptr, ptr, i32, [1 x i32], [1 x i32] } @doubled(ptr %0, ptr %1, i32 %2, i32 %3, i32 %4, i16 %5) {
  %7 = alloca { ptr, ptr, i32, [1 x i32], [1 x i32] }, align 8
  %8 = insertvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } undef, ptr %0, 0
  %9 = insertvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %8, ptr %1, 1
  %10 = insertvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %9, i32 %2, 2
  %11 = insertvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %10, i32 %3, 3, 0
  %12 = insertvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %11, i32 %4, 4, 0
  %13 = alloca { ptr, ptr, i32, [1 x i32], [1 x i32] }, align 8
  store { ptr, ptr, i32, [1 x i32], [1 x i32] } %12, ptr %13, align 8
  call void @_mlir_ciface_doubled(ptr %7, ptr %13, i16 %5)
  %14 = load { ptr, ptr, i32, [1 x i32], [1 x i32] }, ptr %7, align 8
  ret { ptr, ptr, i32, [1 x i32], [1 x i32] } %14
}

declare void @_mlir_ciface_doubled(ptr, ptr, i16)

define i32 @through_c(ptr %0, ptr %1, i32 %2, i32 %3, i32 %4, i16 %5) {
  %7 = insertvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } undef, ptr %0, 0
  %8 = insertvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %7, ptr %1, 1
  %9 = insertvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %8, i32 %2, 2
  %10 = insertvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %9, i32 %3, 3, 0
  %11 = insertvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %10, i32 %4, 4, 0
  %12 = extractvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %11, 0
  %13 = extractvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %11, 1
  %14 = extractvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %11, 2
  %15 = extractvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %11, 3, 0
  %16 = extractvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %11, 4, 0
  %17 = call { ptr, ptr, i32, [1 x i32], [1 x i32] } @doubled(ptr %12, ptr %13, i32 %14, i32 %15, i32 %16, i16 %5)
  %18 = extractvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %17, 3, 0
  %19 = sub i32 %18, 1
  %20 = extractvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %17, 1
  %21 = extractvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %17, 2
  %22 = getelementptr i32, ptr %20, i32 %21
  %23 = extractvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %17, 4, 0
  %24 = mul i32 %19, %23
  %25 = getelementptr i32, ptr %22, i32 %24
  %26 = load i32, ptr %25, align 4
  ret i32 %26
}

define i32 @_mlir_ciface_through_c(ptr %0, i16 %1) {
  %3 = load { ptr, ptr, i32, [1 x i32], [1 x i32] }, ptr %0, align 8
  %4 = extractvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %3, 0
  %5 = extractvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %3, 1
  %6 = extractvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %3, 2
  %7 = extractvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %3, 3, 0
  %8 = extractvalue { ptr, ptr, i32, [1 x i32], [1 x i32] } %3, 4, 0
  %9 = call i32 @through_c(ptr %4, ptr %5, i32 %6, i32 %7, i32 %8, i16 %1)
  ret i32 %9
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i32(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i32, i1 immarg) #0

attributes #0 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
