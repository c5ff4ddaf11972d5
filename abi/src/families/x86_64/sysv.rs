//! The System V calling convention of x86-64.
//!
//! Source: System V Application Binary Interface, AMD64 Architecture Processor Supplement ("psABI"), sections named at
//! each rule. Where the document is silent, what GCC and clang agree on; where those differ, the rule says who is followed:
//!
//! | case | followed | the other |
//! |---|---|---|
//! | flexible array member | it counts for nothing | clang: MEMORY |
//! | array member of no elements | clang: it counts for nothing | GCC merges its element's class |
//! | unnamed bit-field with a width | clang: it counts for nothing | GCC, in C: INTEGER |
//! | record member at an offset that its own alignment forbids, its scalars being aligned | clang, psABI: MEMORY | GCC |
//! | array of packed elements of which only the first is aligned | clang, psABI: MEMORY | GCC looks at the first alone |
//! | array whose last eightbyte is padding after a bit-field of width zero | clang: it counts for nothing | GCC: as the first |
//! | record of a 32- or 64-byte vector and members without size | GCC, psABI: in a register | clang: MEMORY |
//! | union larger than 16 bytes that no vector fills | GCC, psABI: MEMORY | clang: in a register |
//! | `__bf16` alone, or two `_Float16`, in the first eightbyte of a larger record | GCC, psABI: SSE | clang 19: INTEGER |
//! | union of `float` and several `_Float16` | GCC, psABI: SSE, whole | clang: only the bytes of the `float` |
//! | union of `__float128` and `_Complex double` | GCC, psABI: SSE, SSE | clang 19: INTEGER, SSE |
//! | vector of 4 bytes or less, floating-point lane | clang: INTEGER | GCC: SSE |
//! | `__int128` that finds one register left | GCC, clang 20 and later: the register stays free | clang 19 loses it |
//! | 32- or 64-byte vector as a named argument of a variadic function | GCC, psABI: in a register | clang: on the stack |
//! | vector result wider than the enabled features, `<1 x double>` result | refused | GCC: memory, clang: registers |
//! | small integers | the caller extends to 32 bits, the callee relies on 8 bits of `_Bool` only | clang relies on 32 |
//! | `_BitInt` of less than 32 bits | clang: as small integers in a register, as a result extended to its bytes, not on the stack | psABI: not extended |
//! | empty C++ class aligned to more than 16 bytes | clang, psABI: MEMORY | GCC: it does not travel |

use crate::chain::static_chain;
use crate::engine::{Banks, Engine, Overflow, wanted};
use crate::families::x86_64::classes::{Class, Classes, Classifier, Dialect};
use crate::families::x86_64::common::{self, PRESERVE_NONE_C, SAVE_BYTES, SAVE_INT_BYTES, va_plan};
use crate::families::x86_64::llvm;
use crate::layout::Placed;
use crate::llvm::x86::changed_arguments;
use crate::prelude::*;
use crate::reg::x86::*;
use crate::walk::{Argument, Rules, tail_pop, walk};

/// psABI, section 3.2.3, "Passing": rdi, rsi, rdx, rcx, r8, r9; xmm0 to xmm7.
const ARG_BANKS: Banks = [&[7, 6, 2, 1, 8, 9], &[0, 1, 2, 3, 4, 5, 6, 7], &[]];
/// psABI, section 3.2.3, "Returning of Values": rax, rdx; xmm0, xmm1; st0, st1.
const RET_BANKS: Banks = [&[0, 2], &[0, 1], &[0, 1]];
/// LLVM's `preserve_nonecc` hands out r12 to r15 first (LangRef, "Calling Conventions"; seen of llc 19).
const PRESERVE_NONE_BANKS: Banks = [&[12, 13, 14, 15, 7, 6, 2, 1, 8, 9, 11, 0], &[0, 1, 2, 3, 4, 5, 6, 7], &[]];
/// LLVM's `ghccc` (X86CallingConv.td): r13, rbp, r12, rbx, r14, rsi, rdi, r8, r9, r15; xmm1 to xmm6.
const GHC_BANKS: Banks = [&[13, 5, 12, 3, 14, 6, 7, 8, 9, 15], &[1, 2, 3, 4, 5, 6], &[]];

/// LLVM's `x86_regcallcc` (X86CallingConv.td, `RC_X86_64_RegCall_SysV`).
const REG_CALL_BANKS: Banks =
    [&[0, 1, 2, 7, 6, 8, 9, 12, 13, 14, 15], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], &[]];

/// The same on Windows (`RC_X86_64_RegCall_Win`).
const REG_CALL_WINDOWS_BANKS: Banks = [&[0, 1, 2, 7, 6, 8, 9, 10, 11, 12, 14, 15], REG_CALL_BANKS[1], &[]];

/// The pieces of a value with these classes; their places only name classes.
fn pieces(ty: &CType, classes: Classes, size: u64) -> Pieces {
    let size = size as u32;
    let one = match classes {
        [Class::Integer, Class::None] => Some(RegClass::Int),
        [Class::Sse, Class::None] => Some(RegClass::Float),
        _ => None,
    };
    if let Some(class) = one {
        let mut piece = Piece::whole(size.min(8), wanted(class));
        piece.extend(ty, 32);
        return Pieces::one(piece);
    }
    let mut pieces = Pieces::new();
    let mut push = |offset, size, class| {
        pieces.push(Piece { offset, size, place: wanted(class), ..Piece::default() });
    };
    match classes {
        [Class::Sse, Class::SseUp] => push(0, size, RegClass::Float),
        [Class::X87, _] => push(0, 10, RegClass::X87),
        [Class::ComplexX87, _] => {
            push(0, 10, RegClass::X87);
            push(16, 10, RegClass::X87);
        }
        _ => {
            for (offset, class) in [0, 8].into_iter().zip(classes) {
                match class {
                    Class::Integer => push(offset, (size - offset).min(8), RegClass::Int),
                    Class::Sse | Class::SseUp => push(offset, (size - offset).min(8), RegClass::Float),
                    _ => {}
                }
            }
        }
    }
    if let Some(first) = pieces.first_mut() {
        first.extend(ty, 32);
    }
    pieces
}

/// Where the data between `from` and `to` ends in a value of type `ty` that begins at `at`; `from` if there is none.
fn data_end(layout: &DataLayout, ty: &CType, at: u64, from: u64, to: u64) -> Result<u64, AbiError> {
    let size = layout.layout(ty)?.size;
    let scalar = |start: u64, end: u64| if start < to && end > from { end.min(to) } else { from };
    let mut end = from;
    match ty {
        CType::Array(array) if size > 0 => {
            let step = size / array.len();
            for i in 0..array.len() {
                end = end.max(data_end(layout, array.element(), at + i * step, from, to)?);
            }
        }
        CType::Array(_) => {}
        CType::Record(record) => {
            for member in layout.members(record)? {
                let Placed { field, bit_offset: offset, .. } = member?;
                end = end.max(match field.bits {
                    Some(bits) if field.named => scalar(at + offset / 8, at + (offset + u64::from(bits)).div_ceil(8)),
                    Some(_) => from,
                    None => data_end(layout, &field.ty, at + offset / 8, from, to)?,
                });
            }
        }
        _ => end = scalar(at, at + size),
    }
    Ok(end)
}

/// May clang take a piece of a record for an integer of up to 16 bits? It looks at the padding after the piece.
fn check_preserve_none(layout: &DataLayout, ty: &CType, pieces: &Pieces) -> Result<(), AbiError> {
    for piece in pieces.iter().filter(|p| p.size > 2 && p.reg().is_some_and(|r| r.class == RegClass::Int)) {
        let from = u64::from(piece.offset);
        if data_end(layout, ty, 0, from, from + u64::from(piece.size))? <= from + 2 {
            return Err(AbiError::ty("padding after a small integer of a record in preserve_none"));
        }
    }
    Ok(())
}

/// [`Engine::group`] for `preserve_none`, whose first registers LLVM does not give to integers of up to 16 bits.
fn preserve_none_group(pieces: &mut Pieces, engine: &mut Engine) -> bool {
    let before = engine.clone();
    for piece in pieces.iter_mut() {
        let taken = match piece.reg() {
            Some(reg) if reg.class == RegClass::Int && piece.size <= 2 => engine.take_among(reg.class, PRESERVE_NONE_C),
            Some(reg) => engine.take(reg.class, usize::MAX),
            None => continue,
        };
        let Some(reg) = taken else {
            *engine = before;
            return false;
        };
        piece.place = Place::Reg(reg);
    }
    true
}

struct SysV64<'a> {
    target: &'a AbiTarget,
    classifier: Classifier,
    convention: Convention,
    engine: Engine,
    /// The signature has a `...`.
    variadic: bool,
    /// The last parameter is an `inalloca`.
    block: Option<ArgBlock>,
}

impl SysV64<'_> {
    /// Fails if C types have no meaning in the convention: clang's `swiftcall` splits aggregates by its own rules, and
    /// no C compiler has `ghccc`. `preserve_none` has the registers of System V on Windows, where C types are passed
    /// differently.
    fn check_c(&self, ty: &CType) -> Result<(), AbiError> {
        let what = match self.convention {
            Convention::Ghc => "ghccc takes LLVM types only",
            Convention::PreserveNone if self.target.is_windows() => "preserve_none takes LLVM types only on Windows",
            Convention::Swift | Convention::SwiftTail if !matches!(ty, CType::Scalar(_)) => {
                "Swift's conventions take scalars and LLVM types only"
            }
            _ => return Ok(()),
        };
        Err(AbiError::ty(what))
    }
}

impl Rules for SysV64<'_> {
    fn c_result(&mut self, ty: &CType, layout: Layout, mode: &mut PassMode) -> Result<(), AbiError> {
        self.check_c(ty)?;
        let classes = self.classifier.whole(ty, layout.size)?;
        if classes[0] == Class::Memory {
            if let CType::Vector { .. } = ty
                && layout.size <= 64
            {
                return Err(AbiError::ty(alloc::format!(
                    "compilers disagree on how a vector of {} bytes is returned with the enabled features",
                    layout.size
                )));
            }
            // psABI, section 3.2.3, "Returning of Values", rule 2: the address is a hidden first argument.
            mode.set(PassMode::indirect(self.engine.pointer(8)?, layout));
            return Ok(());
        }
        let mut pieces = pieces(ty, classes, layout.size);
        if pieces.is_empty() {
            return Ok(());
        }
        Engine::new(RET_BANKS, 8, 16).group(&mut pieces, Overflow::Revert);
        if let Some((signed, bits)) = ty.small_int() {
            // Results are not promoted, but fill their bytes; psABI, section 3.2.3: so does _Bool. Callers made by
            // clang rely on it for _BitInt, although the psABI leaves the upper bits unspecified.
            pieces[0].ext = Extension::of_int(signed, bits, 8 * layout.size as u16);
        }
        mode.set(PassMode::Direct(pieces));
        Ok(())
    }

    fn c_argument(&mut self, ty: &CType, argument: &Argument, mode: &mut PassMode) -> Result<(), AbiError> {
        let &Argument { layout, named, .. } = argument;
        self.check_c(ty)?;
        self.classifier.named = named;
        if ty.is_non_trivial() {
            // Itanium C++ ABI, section 3.1.2.3: the address of the object itself.
            mode.set(PassMode::indirect(self.engine.pointer(8)?, layout));
            return Ok(());
        }
        let classes = self.classifier.whole(ty, layout.size)?;
        // psABI, section 3.2.3, "Passing", rules 1 and 5: memory, x87 and complex x87 go on the stack.
        let in_memory = matches!(classes[0], Class::Memory | Class::X87 | Class::ComplexX87);
        let mut pieces = pieces(ty, classes, layout.size);
        if !in_memory && pieces.is_empty() {
            return Ok(());
        }
        let none = self.convention == Convention::PreserveNone;
        if none {
            check_preserve_none(&self.classifier.layout, ty, &pieces)?;
        }
        let fits = !in_memory
            && if none {
                preserve_none_group(&mut pieces, &mut self.engine)
            } else {
                self.engine.group(&mut pieces, Overflow::Revert)
            };
        if fits {
            mode.set(PassMode::Direct(pieces));
            return Ok(());
        }
        let offset = self.engine.stack(layout.size, layout.align)?;
        if ty.is_by_address() {
            mode.set(PassMode::StackCopy { offset, size: layout.size, align: layout.align.max(8) });
            return Ok(());
        }
        if pieces.is_empty() {
            pieces.push(Piece::whole(layout.size as u32, Place::default()));
        }
        for piece in pieces.iter_mut() {
            piece.place = Place::Stack { offset: offset + piece.offset };
            if let CType::BitInt { .. } = ty {
                piece.ext = Extension::None;
            }
        }
        mode.set(PassMode::Direct(pieces));
        Ok(())
    }

    fn llvm_result(&mut self, ty: &LlvmType, attrs: &Attrs) -> Result<PassMode, AbiError> {
        llvm::result(self.target, self.convention, ty, attrs, &mut self.engine)
    }

    fn llvm_argument(&mut self, ty: &LlvmType, attrs: &Attrs, argument: &Argument) -> Result<PassMode, AbiError> {
        if self.block.is_some() {
            return Err(AbiError::ty("an inalloca argument has to be the last"));
        }
        let mode = llvm::argument(self.target, self.convention, ty, attrs, self.variadic, &mut self.engine)?;
        if let PassMode::InBlock { size, .. } = mode {
            let size = size.next_multiple_of(8);
            self.block = Some(ArgBlock { size, align: 8, param: Some(argument.index as u32) });
        }
        Ok(mode)
    }

    fn var_area(&mut self) -> VarArea {
        var_area(&self.engine)
    }
}

/// The ABI of a function or call in this convention or one of LLVM's variations of it.
pub(crate) fn classify(target: &AbiTarget, signature: &Signature, abi: &mut FnAbi) -> Result<(), AbiError> {
    let convention = signature.convention;
    let banks = match convention {
        Convention::PreserveNone => PRESERVE_NONE_BANKS,
        Convention::Ghc => GHC_BANKS,
        Convention::RegCall if target.is_windows() => REG_CALL_WINDOWS_BANKS,
        Convention::RegCall => REG_CALL_BANKS,
        _ => ARG_BANKS,
    };
    // psABI, section 3.2.2: 16 bytes, more if a wider vector is in memory.
    let engine = Engine::new(banks, 8, 16);
    let variadic = signature.variadic.is_some();
    if variadic && matches!(convention, Convention::Ghc | Convention::RegCall) {
        return Err(AbiError::new(Subject::Signature, "functions of this convention cannot be variadic"));
    }
    let classifier = Classifier::new(target, Dialect::PSABI, true);
    let mut rules = SysV64 { target, classifier, convention, engine, variadic, block: None };
    walk(target, signature, &mut rules, abi)?;
    let SysV64 { engine, block, .. } = rules;
    let returns_address = abi.returns_by_address() && common::returns_address(convention);
    let results = common::results(&abi.ret.mode, returns_address);
    let preserved = common::preserved(target, signature, PRESERVED).difference(results);
    let preserved = preserved.difference(changed_arguments(signature, abi));
    abi.finish(target, signature, &engine, common::all(target), preserved)?;
    abi.callee_pop_bytes = tail_pop(signature, engine.stack_bytes(), 8, 16);
    abi.entry_bias = 8;
    // psABI, section 3.2.3, "Returning of Values", rule 2.
    abi.sret_return_reg = returns_address.then_some(RAX);
    let chain = !matches!(convention, Convention::Ghc | Convention::PreserveNone | Convention::RegCall);
    abi.static_chain = chain.then(|| static_chain(target, convention));
    // psABI, section 3.5.7: al is an upper bound of the vector registers used.
    abi.vector_count = signature.variadic.map(|_| (RAX, engine.taken(RegClass::Float) as u8));
    abi.arg_block = block;
    // psABI, section 3.2.2.
    abi.red_zone = if target.is_windows() { 0 } else { 128 };
    Ok(())
}

/// psABI, section 3.2.1 and figure 3.4.
pub(crate) const PRESERVED: RegSet = RegSet::of(&[RBX, RBP, R12, R13, R14, R15]);

/// psABI, section 3.5.7, "The Register Save Area" and "The va_list Type": `gp_offset`, `fp_offset`,
/// `overflow_arg_area`, `reg_save_area`.
fn var_area(engine: &Engine) -> VarArea {
    let gp = 8 * engine.taken(RegClass::Int) as i32;
    let fp = SAVE_INT_BYTES as i32 + 16 * engine.taken(RegClass::Float) as i32;
    let field = |offset, size, init| VaField { offset, size, init };
    VarArea {
        va_list_size: 24,
        va_list_align: 8,
        fields: [
            field(0, 4, VaInit::Const(gp)),
            field(4, 4, VaInit::Const(fp)),
            field(8, 8, VaInit::StackArgs { offset: engine.stack_bytes() }),
            field(16, 8, VaInit::SaveArea { offset: 0 }),
        ]
        .into_iter()
        .collect(),
        save_area: Some(SaveArea { float_guard: Some(RAX), ..engine.save_area(SAVE_INT_BYTES, SAVE_BYTES) }),
    }
}

/// psABI, section 3.5.7, "The va_arg Macro".
pub(crate) fn va_arg(target: &AbiTarget, ty: &CType, layout: Layout) -> Result<VaArg, AbiError> {
    let classifier = Classifier::new(target, Dialect::PSABI, false);
    if ty.is_non_trivial() {
        let pointer = Pieces::one(Piece { size: 8, place: wanted(RegClass::Int), ..Piece::default() });
        return Ok(VaArg { indirect: true, size: layout.size, ..va_plan(&pointer, 8, 8) });
    }
    let classes = classifier.whole(ty, layout.size)?;
    let in_memory = matches!(classes[0], Class::Memory | Class::X87 | Class::ComplexX87);
    let pieces = if in_memory { Pieces::new() } else { pieces(ty, classes, layout.size) };
    if !in_memory && pieces.is_empty() {
        // A value that is not passed takes no space here either, whatever its alignment.
        let nothing = va_plan(&pieces, 0, 1);
        return Ok(VaArg { size: layout.size, ..nothing });
    }
    Ok(va_plan(&pieces, layout.size, layout.align))
}
