//! The tables of operations.

use std::sync::OnceLock;

use gusset_codegen::ir::Opcode;
use gusset_program::Cast;
use gusset_text::NameTable;

use crate::context::op_kind::Llvm;
use crate::context::op_kind::OpKind::{self, *};
use crate::syntax::op_table::Row;

/// A row.
pub(super) const fn row(name: &'static str, form: &'static str, rule: &'static str, make: OpKind) -> Row<OpKind> {
    Row { name, form, rule, make }
}

/// The dialect `llvm`, and operations that others share.
#[rustfmt::skip]
pub(super) const LLVM: &[Row<OpKind>] = &[
    row("llvm.add", "?exact ?disjoint % , % & {} : A", "A A -> A | A llvm", Binary(Opcode::Iadd)),
    row("llvm.sub", "?exact ?disjoint % , % & {} : A", "A A -> A | A llvm", Binary(Opcode::Isub)),
    row("llvm.mul", "?exact ?disjoint % , % & {} : A", "A A -> A | A llvm", Binary(Opcode::Imul)),
    row("llvm.udiv", "?exact ?disjoint % , % & {} : A", "A A -> A | A llvm", Binary(Opcode::Udiv)),
    row("llvm.sdiv", "?exact ?disjoint % , % & {} : A", "A A -> A | A llvm", Binary(Opcode::Sdiv)),
    row("llvm.urem", "?exact ?disjoint % , % & {} : A", "A A -> A | A llvm", Binary(Opcode::Urem)),
    row("llvm.srem", "?exact ?disjoint % , % & {} : A", "A A -> A | A llvm", Binary(Opcode::Srem)),
    row("llvm.and", "?exact ?disjoint % , % & {} : A", "A A -> A | A llvm", Binary(Opcode::And)),
    row("llvm.or", "?exact ?disjoint % , % & {} : A", "A A -> A | A llvm", Binary(Opcode::Or)),
    row("llvm.xor", "?exact ?disjoint % , % & {} : A", "A A -> A | A llvm", Binary(Opcode::Xor)),
    row("llvm.shl", "?exact ?disjoint % , % & {} : A", "A A -> A | A llvm", Binary(Opcode::Shl)),
    row("llvm.lshr", "?exact ?disjoint % , % & {} : A", "A A -> A | A llvm", Binary(Opcode::Lshr)),
    row("llvm.ashr", "?exact ?disjoint % , % & {} : A", "A A -> A | A llvm", Binary(Opcode::Ashr)),
    row("llvm.fadd", "?exact ?disjoint % , % & {} : A", "A A -> A | A llvm", Binary(Opcode::Fadd)),
    row("llvm.fsub", "?exact ?disjoint % , % & {} : A", "A A -> A | A llvm", Binary(Opcode::Fsub)),
    row("llvm.fmul", "?exact ?disjoint % , % & {} : A", "A A -> A | A llvm", Binary(Opcode::Fmul)),
    row("llvm.fdiv", "?exact ?disjoint % , % & {} : A", "A A -> A | A llvm", Binary(Opcode::Fdiv)),
    row("llvm.frem", "?exact ?disjoint % , % & {} : A", "A A -> A | A llvm", Binary(Opcode::Frem)),
    row("llvm.trunc", "?nneg % & {} : A to B", "A -> B | A llvm B llvm", Cast(Cast::Trunc)),
    row("llvm.zext", "?nneg % & {} : A to B", "A -> B | A llvm B llvm", Cast(Cast::Zext)),
    row("llvm.sext", "?nneg % & {} : A to B", "A -> B | A llvm B llvm", Cast(Cast::Sext)),
    row("llvm.fptrunc", "?nneg % & {} : A to B", "A -> B | A llvm B llvm", Cast(Cast::Fptrunc)),
    row("llvm.fpext", "?nneg % & {} : A to B", "A -> B | A llvm B llvm", Cast(Cast::Fpext)),
    row("llvm.fptoui", "?nneg % & {} : A to B", "A -> B | A llvm B llvm", Cast(Cast::Fptoui)),
    row("llvm.fptosi", "?nneg % & {} : A to B", "A -> B | A llvm B llvm", Cast(Cast::Fptosi)),
    row("llvm.uitofp", "?nneg % & {} : A to B", "A -> B | A llvm B llvm", Cast(Cast::Uitofp)),
    row("llvm.sitofp", "?nneg % & {} : A to B", "A -> B | A llvm B llvm", Cast(Cast::Sitofp)),
    row("llvm.ptrtoint", "?nneg % & {} : A to B", "A -> B | A llvm B llvm", Cast(Cast::Ptrtoint)),
    row("llvm.inttoptr", "?nneg % & {} : A to B", "A -> B | A llvm B llvm", Cast(Cast::Inttoptr)),
    row("llvm.bitcast", "?nneg % & {} : A to B", "A -> B | A llvm B llvm", Cast(Cast::Bitcast)),
    row("llvm.addrspacecast", "?nneg % & {} : A to B", "A -> B | A llvm B llvm", Cast(Cast::Addrspacecast)),
    row("llvm.fneg", "% & {} : A", "A -> A | A llvm", Negate),
    row("llvm.icmp", "?samesign ~predicate % , % {} : A", "A A -> bA | A llvm", CompareInts),
    row("llvm.fcmp", "~predicate % , % & {} : A", "A A -> bA | A llvm", CompareFloats),
    row("llvm.select", "% , % , % & {} : C , A", "C A A -> A | A llvm", Select),
    row("llvm.mlir.constant", "( =value ) {} : A", "-> A", Constant),
    row("llvm.mlir.zero", "{} : A", "-> A", Zero),
    row("llvm.mlir.null", "{} : A", "-> A", Zero),
    row("llvm.mlir.undef", "{} : A", "-> A", Undef),
    row("llvm.mlir.poison", "{} : A", "-> A", Poison),
    row("llvm.mlir.none", "{} : A", "-> A", Llvm(Llvm::NoneToken)),
    row("llvm.mlir.addressof", "@global_name {} : A", "-> A", Llvm(Llvm::AddressOf)),
    row("llvm.blockaddress", "<block_addr {} : A", "-> A", Llvm(Llvm::BlockAddress)),
    row("llvm.blocktag", "<tag {}", "->", Llvm(Llvm::BlockTag)),
    row("llvm.indirectbr", "% : A , [ [,* ^ *] ] {}", "A ->", Llvm(Llvm::IndirectBranch)),
    row("llvm.alloca", "?inalloca % x A {} : ( C ) -> P", "C -> P", Llvm(Llvm::Alloca)),
    row("llvm.load", "?volatile % [? atomic [? syncscope ( =syncscope ) ?] $ordering ?] ?invariant ?invariant_group {} : P -> A", "P -> A | A llvm", Llvm(Llvm::Load)),
    row("llvm.store", "?volatile % , % [? atomic [? syncscope ( =syncscope ) ?] $ordering ?] ?invariant ?invariant_group {} : A , P", "A P -> | A llvm", Llvm(Llvm::Store)),
    row("llvm.getelementptr", "?inbounds_flag ?inbounds ?nusw ?nuw % #* {} : ( T* ) -> P , A", "T* -> P", Llvm(Llvm::Gep)),
    row("llvm.extractvalue", "% ~position {} : A", "A -> ...", Llvm(Llvm::ExtractValue)),
    row("llvm.insertvalue", "%1 , %0 ~position {} : A", "A _ -> A", Llvm(Llvm::InsertValue)),
    row("llvm.extractelement", "% [ % : T ] {} : A", "A T -> eA", Llvm(Llvm::ExtractElement)),
    row("llvm.insertelement", "%1 , %0 [ %2 : T ] {} : A", "A eA T -> A", Llvm(Llvm::InsertElement)),
    row("llvm.shufflevector", "% , % ~mask {} : A [? , B ?]", "A A -> ...", Llvm(Llvm::Shuffle)),
    row("llvm.call", "...call", "T* -> ...", Llvm(Llvm::Call)),
    row("llvm.invoke", "...invoke", "T* -> ...", Llvm(Llvm::Invoke)),
    row("llvm.landingpad", "?cleanup [* ( ?catch ?filter % : T+ ) *] {} : R", "T* -> ...", Llvm(Llvm::LandingPad)),
    row("llvm.resume", "% {} : A", "A ->", Llvm(Llvm::Resume)),
    row("llvm.br", "^ {}", "->", Jump),
    row("llvm.cond_br", "% [? weights ( =branch_weights ) ?] , ^ , ^ {}", "1 ->", Branch),
    row("llvm.switch", "% : A , ^ [ [,* ~case : ^ *] ] {}", "A ->", Switch),
    row("llvm.return", "{} %* {} [? : A* ?]", "A* ->", Return),
    row("llvm.unreachable", "{}", "->", Unreachable),
    row("llvm.fence", "[? syncscope ( =syncscope ) ?] $ordering {}", "->", Llvm(Llvm::Fence)),
    row("llvm.atomicrmw", "?volatile $bin_op % , % [? syncscope ( =syncscope ) ?] $ordering {} : P , A", "P A -> A", Llvm(Llvm::AtomicRmw)),
    row("llvm.cmpxchg", "?weak ?volatile % , % , % [? syncscope ( =syncscope ) ?] $success_ordering $failure_ordering {} : P , A", "P A A -> ...", Llvm(Llvm::Cmpxchg)),
    row("llvm.freeze", "% {} : A", "A -> A | A llvm", Llvm(Llvm::Freeze)),
    row("llvm.va_arg", "% {} : ( P ) -> A", "P -> A", Llvm(Llvm::VaArg)),
    row("llvm.inline_asm", "?has_side_effects ?is_align_stack [? asm_dialect = $asm_dialect ?] [? operand_attrs = =operand_attrs ?] ~asm_string , ~constraints %* {} : ( T* ) -> (R*)", "T* -> ...", Llvm(Llvm::InlineAsm)),
    row("llvm.call_intrinsic", "~intrin ( %* ) : ( T* ) -> (R*) {}", "T* -> ...", Llvm(Llvm::CallIntrinsic)),
    row("llvm.intr.*", "...intrinsic", "T* -> ...", Llvm(Llvm::Intrinsic)),
    row("llvm.intr.vastart", "% {} : P", "P ->", Intrinsic("va_start")),
    row("llvm.intr.vaend", "% {} : P", "P ->", Intrinsic("va_end")),
    row("llvm.intr.stackrestore", "% {} : P", "P ->", Intrinsic("stackrestore")),
    row("llvm.intr.stacksave", "{} : P", "-> P", Intrinsic("stacksave")),
    row("llvm.intr.vacopy", "%1 to %0 {} : Q , P", "P Q ->", Intrinsic("va_copy")),
    row("llvm.intr.lifetime.start", "~size , % {} : P", "P ->", Intrinsic("lifetime.start")),
    row("llvm.intr.lifetime.end", "~size , % {} : P", "P ->", Intrinsic("lifetime.end")),
    row("llvm.intr.matrix.multiply", "% , % {} : ( T* ) -> A", "T* -> A", Intrinsic("matrix.multiply")),
    row("llvm.intr.matrix.transpose", "% {} : T into A", "T -> A", Intrinsic("matrix.transpose")),
    row("llvm.intr.matrix.column.major.load", "% , < stride = % > {} : A from P stride T", "P T -> A", Intrinsic("matrix.column.major.load")),
    row("llvm.intr.matrix.column.major.store", "% , % , < stride = % > {} : A to P stride T", "A P T ->", Intrinsic("matrix.column.major.store")),
    row("llvm.intr.get.active.lane.mask", "% , % {} : B , C to A", "B C -> A", Intrinsic("get.active.lane.mask")),
    row("llvm.intr.experimental.stepvector", "{} : A", "-> A", Intrinsic("experimental.stepvector")),
    row("llvm.intr.stepvector", "{} : A", "-> A", Intrinsic("stepvector")),
    row("llvm.intr.expect", "% , % {} : A", "A A -> A", Intrinsic("expect")),
    row("llvm.intr.expect.with.probability", "% , % , ~prob {} : A", "A A -> A", Intrinsic("expect.with.probability")),
    row("llvm.intr.ssa.copy", "% {} : A", "A -> A", Intrinsic("ssa.copy")),
    row("llvm.intr.coro.id", "%* {} : ( T* ) -> A", "T* -> A", Intrinsic("coro.id")),
    row("llvm.intr.coro.begin", "%* {} : ( T* ) -> A", "T* -> A", Intrinsic("coro.begin")),
    row("llvm.intr.coro.size", "{} : A", "-> A", Intrinsic("coro.size")),
    row("llvm.intr.coro.align", "{} : A", "-> A", Intrinsic("coro.align")),
    row("llvm.intr.coro.save", "%* {} : ( T* ) -> A", "T* -> A", Intrinsic("coro.save")),
    row("llvm.intr.coro.suspend", "% , % {} : A", "_ 1 -> A", Intrinsic("coro.suspend")),
    row("llvm.intr.coro.end", "%* {} : ( T* ) -> A", "T* -> A", Intrinsic("coro.end")),
    row("llvm.intr.coro.free", "%* {} : ( T* ) -> A", "T* -> A", Intrinsic("coro.free")),
    row("llvm.intr.coro.resume", "% {} : P", "P ->", Intrinsic("coro.resume")),
    row("llvm.intr.coro.promise", "%* {} : ( T* ) -> A", "T* -> A", Intrinsic("coro.promise")),
    row("llvm.intr.eh.typeid.for", "% {} : ( P ) -> A", "P -> A", Intrinsic("eh.typeid.for")),
    row("llvm.intr.vector.insert", "%1 , %0 [ =pos ] {} : T into A", "A T -> A", Intrinsic("vector.insert")),
    row("llvm.intr.vector.extract", "% [ =pos ] {} : A from T", "T -> A", Intrinsic("vector.extract")),
    row("llvm.intr.invariant.start", "~size , % {} : P", "P -> p", Intrinsic("invariant.start")),
    row("llvm.intr.invariant.end", "% , ~size , % {} : P", "p P ->", Intrinsic("invariant.end")),
    row("llvm.intr.experimental.constrained.fptrunc", "% $roundingmode $fpExceptionBehavior {} : T to A", "T -> A", Intrinsic("experimental.constrained.fptrunc")),
    row("llvm.intr.masked.load", "% , % [? , % ?] {} : ( T* ) -> A", "T* -> A", Intrinsic("masked.load")),
    row("llvm.intr.masked.store", "% , % , % {} : A , M into P", "A P M ->", Intrinsic("masked.store")),
    row("llvm.intr.masked.gather", "% , % [? , % ?] {} : ( T* ) -> A", "T* -> A", Intrinsic("masked.gather")),
    row("llvm.intr.masked.scatter", "% , % , % {} : A , M into P", "A P M ->", Intrinsic("masked.scatter")),
    row("cf.assert", "% , ~msg {}", "1 ->", Assert),
    row("builtin.unrealized_conversion_cast", "%* [? : A* ?] to B*", "A* -> ...", Unrealized),
    row("cf.br", "^ {}", "->", Jump),
    row("cf.cond_br", "% , ^ , ^ {}", "1 ->", Branch),
    row("cf.switch", "% : A , [ default : ^ [? , ?] [,* ~case : ^ *] ] {}", "A ->", Switch),
    row("func.return", "{} %* {} [? : A* ?]", "A* ->", Return),
    row("ub.poison", "[? < =value > ?] {} : A", "-> A", Poison),
    row("ub.unreachable", "{}", "->", Unreachable),
];

/// Functions of libgcc and compiler-rt.
const POWERS: &str = "__powidf2 __powisf2 __powitf2 __powixf2";

/// Functions of C's library on numbers, by their names for `double`; those for `float` end in `f`, those for
/// `long double` in `l`.
const NUMERIC: &str = "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 \
                       fabs floor fma fmax fmin fmod frexp ldexp lgamma log log10 log1p log2 lrint llrint lround \
                       llround modf nearbyint pow rint round roundeven sin sincos sinh sqrt tan tanh tgamma trunc";

/// Functions of C's library on memory, of MLIR's generic allocation, and of MLIR's run-time library.
const OTHERS: &str = "malloc free aligned_alloc abort puts memcpy memmove memset _mlir_memref_to_llvm_alloc \
                      _mlir_memref_to_llvm_aligned_alloc _mlir_memref_to_llvm_free printI64 printU64 printF16 printBF16 \
                      printF32 printF64 printString printOpen printClose printComma printNewline";

/// All functions of libraries that operations become calls of, and their numbers by name.
pub(crate) fn library() -> &'static (Vec<String>, NameTable) {
    static ALL: OnceLock<(Vec<String>, NameTable)> = OnceLock::new();
    ALL.get_or_init(|| {
        let names = |text: &'static str| text.split_whitespace().map(str::to_owned);
        let numeric = names(NUMERIC).flat_map(|name| ["", "f", "l"].map(|suffix| format!("{name}{suffix}")));
        let (all, mut numbers) = (names(POWERS).chain(numeric).chain(names(OTHERS)), NameTable::default());
        let number = |name: &String| _ = numbers.intern(name.as_bytes());
        (all.inspect(number).collect(), numbers)
    })
}
