#file = #llvm.di_file<"f.f90" in "/src">
#cu = #llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_Fortran95, file = #file, producer = "p", isOptimized = false, emissionKind = Full>
#int = #llvm.di_basic_type<tag = DW_TAG_base_type, name = "integer", sizeInBits = 32, encoding = DW_ATE_signed>
#ptr = #llvm.di_derived_type<tag = DW_TAG_pointer_type, baseType = #int, sizeInBits = 64>
#arr = #llvm.di_composite_type<tag = DW_TAG_array_type, baseType = #int, elements = #llvm.di_subrange<count = 7 : i64, lowerBound = 2 : i64>>
#str = #llvm.di_string_type<tag = DW_TAG_string_type, name = "", sizeInBits = 80, encoding = DW_ATE_ASCII>
#self = #llvm.di_composite_type<tag = DW_TAG_null, recId = distinct[1]<>>
#selfp = #llvm.di_derived_type<tag = DW_TAG_pointer_type, baseType = #self, sizeInBits = 64>
#next = #llvm.di_derived_type<tag = DW_TAG_member, name = "next", baseType = #selfp, sizeInBits = 64>
#node = #llvm.di_composite_type<tag = DW_TAG_structure_type, recId = distinct[1]<>, name = "node", file = #file, line = 3, sizeInBits = 64, elements = #next>
#mod = #llvm.di_module<file = #file, scope = #cu, name = "mod", configMacros = "", includePath = "", apinotes = "", line = 1, isDecl = false>
#ns = #llvm.di_namespace<name = "space", scope = #cu, exportSymbols = false>
#gv = #llvm.di_global_variable<scope = #mod, name = "g", linkageName = "_QMmodEg", file = #file, line = 2, type = #int, isDefined = true>
#gv2 = #llvm.di_global_variable<scope = #cu, name = "h", file = #file, line = 4, type = #arr, isDefined = true>
#gve = #llvm.di_global_variable_expression<var = #gv, expr = #llvm.di_expression<>>
#gve2 = #llvm.di_global_variable_expression<var = #gv2>
#ty = #llvm.di_subroutine_type<types = #int, #int>
#ety = #llvm.di_subroutine_type<callingConvention = DW_CC_normal>
#sp = #llvm.di_subprogram<id = distinct[2]<>, compileUnit = #cu, scope = #mod, name = "f", linkageName = "_QMmodPf", file = #file, line = 10, scopeLine = 10, subprogramFlags = Definition, type = #ty>
#sp2 = #llvm.di_subprogram<id = distinct[3]<>, compileUnit = #cu, scope = #file, name = "inl", file = #file, line = 30, scopeLine = 30, subprogramFlags = "Definition|Optimized", type = #ety>
#blk = #llvm.di_lexical_block<scope = #sp, file = #file, line = 12, column = 3>
#x = #llvm.di_local_variable<scope = #sp, name = "x", file = #file, line = 10, arg = 1, type = #int>
#s = #llvm.di_local_variable<scope = #blk, name = "s", file = #file, line = 12, type = #str>
#n = #llvm.di_local_variable<scope = #blk, name = "n", file = #file, line = 13, type = #node>
#v = #llvm.di_local_variable<scope = #sp2, name = "v", file = #file, line = 31, type = #int>
#late = #llvm.di_local_variable<scope = #sp, name = "late", file = #file, line = 14, type = #int>
#lab = #llvm.di_label<scope = #sp, name = "again", file = #file, line = 15>
#callee = loc(fused<#sp2>["f.f90":32:5])
#caller = loc(fused<#blk>["f.f90":16:7])
llvm.mlir.global external @g(5 : i32) {dbg_expr = #gve} : i32
llvm.mlir.global external @h() {dbg_expr = #gve2} : !llvm.array<7 x i32> { %z = llvm.mlir.zero : !llvm.array<7 x i32>
  llvm.return %z : !llvm.array<7 x i32> }
llvm.func @use(i32) -> i32
llvm.func @f(%arg: i32) -> i32 {
  llvm.intr.dbg.value #x = %arg : i32 loc(fused<#sp>["f.f90":10:1])
  %one = llvm.mlir.constant(1 : i64) : i64 loc("f.f90":11:1)
  %m = llvm.alloca %one x !llvm.array<10 x i8> : (i64) -> !llvm.ptr loc("f.f90":11:2)
  llvm.intr.dbg.declare #s #llvm.di_expression<[DW_OP_plus_uconst(0)]> = %m : !llvm.ptr loc(#caller)
  %n = llvm.alloca %one x i64 : (i64) -> !llvm.ptr loc("f.f90":11:2)
  "llvm.intr.dbg.declare"(%n) <{varInfo = #n, locationExpr = #llvm.di_expression<>}> : (!llvm.ptr) -> () loc(#caller)
  %a = llvm.call @use(%arg) : (i32) -> i32 loc(fused<#blk>["f.f90":13:9])
  llvm.intr.dbg.label #lab loc(fused<#sp>["f.f90":15:1])
  %b = llvm.add %a, %arg : i32 loc(callsite(#callee at #caller))
  llvm.intr.dbg.value #v #llvm.di_expression<[DW_OP_plus_uconst(3), DW_OP_stack_value]> = %b : i32 loc(callsite(#callee at #caller))
  %c = llvm.call @use(%b) : (i32) -> i32 loc(callsite(fused<#sp2>["f.f90":33:5] at #caller))
  llvm.br ^two loc("f.f90":17:1)
^one:
  llvm.intr.dbg.value #late = %d : i32 loc(fused<#sp>["f.f90":18:1])
  %e = llvm.call @use(%d) : (i32) -> i32 loc(fused<#sp>["f.f90":18:4])
  llvm.return %e : i32 loc(unknown)
^two:
  %d = llvm.call @use(%c) : (i32) -> i32 loc("name"(fused<#sp>["f.f90":20:4, "f.f90":20:4]))
  llvm.br ^one loc("f.f90":21:1)
} loc(fused<#sp>["f.f90":10:1])
