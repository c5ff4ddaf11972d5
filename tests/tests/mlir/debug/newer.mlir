// What MLIR 19 does not know yet.
#file = #llvm.di_file<"f.f90" in "/src">
#cu = #llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_Fortran95, file = #file, producer = "p", isOptimized = false, emissionKind = Full>
#int = #llvm.di_basic_type<tag = DW_TAG_base_type, name = "integer", sizeInBits = 32, encoding = DW_ATE_signed>
#ty = #llvm.di_subroutine_type<types = #int>
#mod = #llvm.di_module<file = #file, scope = #cu, name = "numbers", line = 1>
#self = #llvm.di_subprogram<recId = distinct[2]<>, isRecSelf = true>
#import = #llvm.di_imported_entity<tag = DW_TAG_imported_module, scope = #self, entity = #mod, file = #file, line = 11>
#sp = #llvm.di_subprogram<recId = distinct[2]<>, id = distinct[3]<>, compileUnit = #cu, scope = #file, name = "f", file = #file, line = 10, scopeLine = 10, subprogramFlags = Definition, type = #ty, retainedNodes = #import>
#block = #llvm.di_common_block<scope = #sp, name = "shared", file = #file, line = 12>
#gv = #llvm.di_global_variable<scope = #block, name = "g", linkageName = "shared_", file = #file, line = 13, type = #int, isDefined = true>
#gve = #llvm.di_global_variable_expression<var = #gv>
llvm.mlir.global external @shared_(5 : i32) {dbg_exprs = [#gve]} : i32
llvm.func @f() -> i32 {
  %a = llvm.mlir.constant(3 : i32) : i32 loc("f.f90":14:3)
  llvm.return %a : i32 loc("f.f90":15:1)
} loc(fused<#sp>["f.f90":10:1])
