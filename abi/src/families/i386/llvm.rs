//! How LLVM's back end for 32-bit x86 passes LLVM IR types, so that objects mix with llc's.
//!
//! Source: LLVM LangRef, "Parameter Attributes" and "Calling Conventions", X86CallingConv.td (`CC_X86_32`: a table that knows no
//! place for a value hands it on to the next), `X86TargetLowering::LowerFormalArguments`, and what llc 19 was seen to do with
//! SSE2. Where it is not followed:
//!
//! | case | followed | llc 19 |
//! |---|---|---|
//! | `i128`, `fp128` on the stack | GCC, LLVM 20 and later: aligned to 16 | aligned to 4 |
//! | `nest` of `x86_thiscallcc` | GCC: eax, which LLVM's own trampolines load | an ordinary argument |
//! | `nest` whose register an `inreg` argument has | refused, as LLVM's trampolines do | the stack |
//! | `byval` as the first argument of `x86_thiscallcc` | the address of a copy in ecx | the address of the original |
//! | `inalloca` and `preallocated` as the first argument of `x86_thiscallcc` | refused | ecx |
//! | `x86_fp80` of `x86_vectorcallcc` | refused | a vector register, in which no such value can be: functions read a register that does not exist |
//! | `ghccc` beyond four words, or with other types | refused | the C convention's places |
//! | `preserve_mostcc`, `preserve_allcc`, `preserve_nonecc` | refused | saves registers of x86-64 |

use crate::chain::static_chain;
use crate::engine::Engine;
use crate::families::i386::call::{finish, stack_align};
use crate::families::vectorcall::Waiting;
use crate::llvm::legalize::{Kind, Part};
use crate::llvm::result::{Returns, registers};
use crate::llvm::x86::{Least, REG_CALL_LACKS, by_value_slot, parts};
use crate::prelude::*;
use crate::reg::x86::*;
use crate::walk::{Argument, Rules, walk};

const XMM: [Reg; 6] = [Reg::float(0), Reg::float(1), Reg::float(2), Reg::float(3), Reg::float(4), Reg::float(5)];
/// `inreg` of the C convention; `x86_fastcallcc` and `fastcc`; `ghccc`.
const IN_REG: &[Reg] = &[RAX, RDX, RCX];
const FAST: &[Reg] = &[RCX, RDX];
const GHC: &[Reg] = &[RBX, RBP, RDI, RSI];
/// `x86_regcallcc` (X86CallingConv.td, `RC_X86_32_RegCall`).
const REG_CALL: &[Reg] = &[RAX, RCX, RDX, RDI, RSI];

/// Is a signature handled by this file, because it has LLVM types or a convention that C has not?
pub(crate) fn is_llvm(signature: &Signature) -> bool {
    use Convention::*;
    let all = signature.params.iter().chain([&signature.ret]);
    all.into_iter().any(|p| matches!(p.ty, AbiType::Llvm(_)))
        || matches!(signature.convention, Fast | Cold | Tail | Swift | SwiftTail | Ghc | RegCall | Interrupt)
}

struct Llvm32<'a> {
    target: &'a AbiTarget,
    convention: Convention,
    variadic: bool,
    taken: RegSet,
    engine: Engine,
    /// Nothing has a place yet.
    first: bool,
    /// The address of the result is the first thing on the stack, and the callee pops it.
    pops_result: bool,
    /// Homogeneous aggregates of `x86_vectorcallcc`, which get the registers that are left.
    waiting: Waiting,
    block: Option<ArgBlock>,
}

impl Llvm32<'_> {
    fn take(&mut self, regs: &[Reg]) -> Option<Place> {
        let reg = regs.iter().find(|reg| !self.taken.contains(**reg))?;
        self.taken.insert(*reg);
        Some(Place::Reg(*reg))
    }

    fn slot(&mut self, size: u32, align: u32) -> Result<Place, AbiError> {
        Ok(Place::Stack { offset: self.engine.stack(size.into(), align)? })
    }

    fn is(&self, convention: Convention) -> bool {
        self.convention == convention
    }

    /// `fastcc` and `tailcc`.
    fn is_fast(&self) -> bool {
        matches!(self.convention, Convention::Fast | Convention::Tail)
    }

    /// The place of an integer of up to 32 bits.
    fn int(&mut self, bits: u32, in_reg: bool) -> Result<Place, AbiError> {
        let c = if in_reg && !self.variadic { IN_REG } else { &[] };
        let reg = match self.convention {
            Convention::Thiscall => self.take(&[RCX]),
            Convention::Fast | Convention::Tail => self.take(FAST),
            Convention::RegCall => self.take(REG_CALL),
            Convention::Ghc => return self.take(GHC).ok_or_else(|| AbiError::ty("ghccc has no register left")),
            Convention::Fastcall | Convention::Vectorcall => match if in_reg { self.take(FAST) } else { None } {
                // 8 and 16 bits have no stack slots there, and are passed as integers of the C convention.
                None if bits <= 16 => self.take(c),
                found => found,
            },
            _ => self.take(c),
        };
        reg.map_or_else(|| self.slot(4, 4), Ok)
    }

    /// Integer vectors of `x86_vectorcallcc` that get no vector register are passed by address.
    fn vector_by_address(&mut self, part: &Part) -> Result<Option<PassMode>, AbiError> {
        let Kind::Vector(bytes) = part.kind else { return Ok(None) };
        if !is_integer_vector(part) || XMM.iter().any(|reg| !self.taken.contains(*reg)) {
            return Ok(None);
        }
        let pointer = Piece { size: 4, ext: Extension::None, ..part.piece(self.int(32, true)?) };
        Ok(Some(PassMode::Indirect { pointer, size: part.copied_bytes(), align: bytes.into() }))
    }

    /// The place of a part that is not an integer.
    fn other(&mut self, part: &Part, in_reg: bool) -> Result<Place, AbiError> {
        let vectorcall = self.is(Convention::Vectorcall);
        let few = if self.target.os == Os::Darwin { &XMM[..4] } else { &XMM[..3] };
        let reg = match part.kind {
            _ if self.is(Convention::Ghc) => return Err(AbiError::ty("ghccc has no registers for this type")),
            Kind::Fp80 if vectorcall => return Err(AbiError::ty("x86_fp80 cannot be passed in x86_vectorcallcc")),
            Kind::Fp80 | Kind::Half if self.is(Convention::RegCall) => return Err(AbiError::ty(REG_CALL_LACKS)),
            Kind::Fp80 => None,
            _ if self.is(Convention::RegCall) && self.target.features.vector_bytes > 0 => {
                [&XMM[..], &[Reg::float(6), Reg::float(7)]].iter().find_map(|regs| self.take(regs))
            }
            _ if vectorcall => self.take(&XMM),
            _ if self.variadic => None,
            Kind::Vector(_) => self.take(few),
            Kind::Float | Kind::Double if self.target.features.vector_bytes == 0 => None,
            Kind::Float | Kind::Double if self.is_fast() => self.take(&XMM[..3]),
            _ if in_reg => self.take(&XMM[..3]),
            _ => None,
        };
        if let Some(place) = reg {
            return Ok(place);
        }
        let (size, align) = match part.kind {
            Kind::Double if self.is_fast() => (8, 8),
            Kind::Float | Kind::Double => (part.size, 4),
            _ => slot(self.target, part.kind, self.variadic)?,
        };
        self.slot(size, align)
    }

    /// A part at its place.
    fn piece(&mut self, mut part: Part, in_reg: bool) -> Result<Piece, AbiError> {
        let place = match part.kind {
            Kind::Int(_) => self.int(part.bits(), in_reg)?,
            _ => self.other(&part, in_reg)?,
        };
        // cl, dl and the like hold the value without extension.
        let narrow = matches!(self.convention, Convention::Fastcall | Convention::Vectorcall);
        if narrow && matches!(place, Place::Reg(reg) if reg == RCX || reg == RDX) {
            part.ext = narrower(part.ext, part.bits());
        }
        Ok(part.piece(place))
    }

    /// The place of the address of the result.
    fn result_address(&mut self, in_reg: bool) -> Result<Place, AbiError> {
        // LLVM's table for `x86_thiscallcc` keeps ecx for `this`, but not on MinGW and Cygwin.
        let place = match self.convention {
            Convention::Thiscall if !self.target.is_cygming() => self.slot(4, 4)?,
            _ => self.int(32, in_reg)?,
        };
        // psABI i386, section 2.2.3, "Functions Returning Structures or Unions": on Windows only Cygwin has it so.
        self.pops_result = self.first && !in_reg && (!self.target.is_windows() || self.target.env == Env::Cygnus);
        self.first = false;
        Ok(place)
    }

    fn nest(&mut self) -> Result<PassMode, AbiError> {
        if self.is(Convention::Ghc) {
            return Err(AbiError::ty("ghccc has no such attribute"));
        }
        let chain = static_chain(self.target, self.convention);
        match self.take(&[chain]) {
            Some(place) => Ok(pointer(place)),
            None => Err(AbiError::ty("the register of `nest` has another argument")),
        }
    }

    /// The place of a pointer with a role of its own; `None` for any other pointer.
    fn role(&mut self, attrs: &Attrs, index: usize) -> Result<Option<PassMode>, AbiError> {
        match attrs.role {
            Role::StructReturn => return Ok(Some(pointer(self.result_address(attrs.in_reg)?))),
            // Ordinary arguments here.
            Role::Value | Role::SwiftAsync => return Ok(None),
            Role::SwiftSelf if !self.is(Convention::SwiftTail) => return Ok(None),
            Role::SwiftError => return Err(AbiError::ty("32-bit x86 has no register for swifterror")),
            _ => self.first = false,
        }
        Ok(match attrs.role {
            Role::Nest => Some(self.nest()?),
            Role::ByVal { size, align } if self.is(Convention::Thiscall) && !self.taken.contains(RCX) => {
                let (_, align) = by_value_slot(attrs, size, align, 4);
                let pointer = Piece::whole(4, self.int(32, false)?);
                Some(PassMode::Indirect { pointer, size, align })
            }
            Role::ByVal { size, align } => {
                let (bytes, align) = by_value_slot(attrs, size, align, 4);
                Some(PassMode::StackCopy { offset: self.memory(bytes, align)?, size, align })
            }
            Role::Preallocated { size, align } => {
                let (bytes, align) = by_value_slot(attrs, size, align, 4);
                let offset = self.memory(bytes, align)?;
                self.block.get_or_insert(ArgBlock { size: 0, align: 4, param: None });
                Some(PassMode::InBlock { offset, size, indirect: false })
            }
            Role::InAlloca { size } => Some(self.argument_block(size, index)?),
            _ => self.take(&[RCX]).map(pointer),
        })
    }

    /// The memory of a `byval`, `inalloca` or `preallocated` argument.
    fn memory(&mut self, size: u64, align: u32) -> Result<u32, AbiError> {
        match self.convention {
            Convention::Ghc => Err(AbiError::ty("ghccc has no such attribute")),
            Convention::Thiscall if !self.taken.contains(RCX) => {
                Err(AbiError::ty("x86_thiscallcc wants `this`, a pointer, before this"))
            }
            _ => self.engine.stack(size.max(1), align),
        }
    }

    /// LangRef, `inalloca`: the last parameter, and the only one in memory.
    fn argument_block(&mut self, size: u64, index: usize) -> Result<PassMode, AbiError> {
        if self.memory(size, 4)? != 0 {
            return Err(AbiError::ty("an inalloca argument has to be the only one in memory"));
        }
        self.block = Some(ArgBlock { size: size.next_multiple_of(4), align: 4, param: Some(index as u32) });
        Ok(PassMode::InBlock { offset: 0, size, indirect: false })
    }

    fn popped(&self) -> u32 {
        let bytes = self.engine.stack_bytes();
        match self.convention {
            Convention::Stdcall | Convention::Fastcall | Convention::Thiscall | Convention::Vectorcall => bytes,
            // Rounded up, together with the return address, to whole alignment units.
            Convention::Tail | Convention::SwiftTail => {
                (bytes + 4).next_multiple_of(stack_align(self.target)).wrapping_sub(4)
            }
            Convention::Fast | Convention::Ghc | Convention::RegCall => 0,
            _ if self.pops_result => 4,
            _ => 0,
        }
    }
}

/// Is it a vector of integers or truth values in a vector register?
fn is_integer_vector(part: &Part) -> bool {
    matches!(part.kind, Kind::Vector(_)) && matches!(part.lane, LlvmScalar::Int(_))
}

/// Size and alignment of the stack slot of a value that is not an integer, `float` or `double`.
fn slot(target: &AbiTarget, kind: Kind, variadic: bool) -> Result<(u32, u32), AbiError> {
    Ok(match kind {
        Kind::Fp80 => {
            let Layout { size, align } = DataLayout::new(target).llvm_scalar(LlvmScalar::X86Fp80)?;
            (size as u32, align)
        }
        Kind::Vector(bytes) if variadic && target.env == Env::Msvc => (bytes.into(), 4),
        Kind::Vector(bytes) => (bytes.into(), bytes.into()),
        _ => (4, 4),
    })
}

fn pointer(place: Place) -> PassMode {
    PassMode::piece(Piece::whole(4, place))
}

impl Rules for Llvm32<'_> {
    fn llvm_result(&mut self, ty: &LlvmType, attrs: &Attrs) -> Result<PassMode, AbiError> {
        let returns = match self.convention {
            Convention::Vectorcall => Returns::VECTORCALL32,
            Convention::Fast | Convention::Tail => Returns::FAST32,
            Convention::RegCall => Returns::REG_CALL32,
            _ => Returns::C32,
        };
        if let Some(mode) = registers(self.target, ty, attrs, &returns)? {
            return Ok(mode);
        }
        let layout = DataLayout::new(self.target).llvm(ty)?;
        Ok(PassMode::indirect(Piece::whole(4, self.result_address(false)?), layout))
    }

    fn llvm_argument(&mut self, ty: &LlvmType, attrs: &Attrs, argument: &Argument) -> Result<PassMode, AbiError> {
        if self.block.is_some_and(|block| block.param.is_some()) && argument.named {
            return Err(AbiError::ty("an inalloca argument has to be the last"));
        }
        if let Some(mode) = self.role(attrs, argument.index)? {
            return Ok(mode);
        }
        let parts = parts(self.target, ty, attrs.widen, Least::Word)?;
        self.first &= parts.is_empty();
        if self.is(Convention::Vectorcall) && attrs.in_reg && ty.is_aggregate() && !parts.is_empty() {
            if parts.iter().any(|part| matches!(part.kind, Kind::Int(_) | Kind::Fp80)) {
                return Err(AbiError::ty(
                    "inreg marks homogeneous aggregates of vectors or floating-point numbers here",
                ));
            }
            self.waiting.push(argument.index, parts.iter().map(|part| part.piece(Place::default())).collect());
            return Ok(PassMode::Ignore);
        }
        if self.is(Convention::Vectorcall) && parts.iter().any(is_integer_vector) {
            let mut modes = Vec::with_capacity(parts.len());
            for part in parts {
                modes.push(match self.vector_by_address(&part)? {
                    Some(mode) => mode,
                    None => PassMode::piece(self.piece(part, attrs.in_reg)?),
                });
            }
            return Ok(PassMode::of_parts(modes));
        }
        // LLVM 20 and later, GCC: the value is passed as a whole.
        let whole = matches!(ty, LlvmType::Scalar(LlvmScalar::Int(128) | LlvmScalar::Fp128))
            && !self.is_fast()
            && !matches!(self.convention, Convention::Ghc | Convention::RegCall)
            && (self.variadic || !attrs.in_reg);
        if whole {
            let start = self.engine.stack(16, 16)?;
            let at = |part: &Part| part.piece(Place::Stack { offset: start + part.offset });
            return Ok(PassMode::Direct(parts.iter().map(at).collect()));
        }
        let mut pieces = Pieces::new();
        for part in parts {
            pieces.push(self.piece(part, attrs.in_reg)?);
        }
        Ok(PassMode::direct(pieces))
    }

    fn var_area(&mut self) -> VarArea {
        VarArea::pointer(4, self.engine.stack_bytes())
    }
}

/// The extension to the smallest register that holds an integer of this many bits.
fn narrower(ext: Extension, bits: u32) -> Extension {
    let register = match bits {
        0..=8 => 8,
        9..=16 => 16,
        _ => 32,
    };
    match ext {
        Extension::Zero { from, .. } if from < register => Extension::Zero { from, to: register },
        Extension::Sign { from, .. } if from < register => Extension::Sign { from, to: register },
        _ => Extension::None,
    }
}

/// The ABI of a function or call whose types are LLVM's.
pub(crate) fn classify(target: &AbiTarget, signature: &Signature, abi: &mut FnAbi) -> Result<(), AbiError> {
    let convention = signature.convention;
    // Callers of these expect all arguments to be removed, whatever the function can know about them (LLVM, `X86::isCalleePop`).
    let removes = matches!(
        convention,
        Convention::Stdcall | Convention::Fastcall | Convention::Thiscall | Convention::Vectorcall
    );
    let variadic = signature.variadic.is_some() && !removes;
    if variadic && !matches!(convention, Convention::C | Convention::Cold | Convention::Swift) {
        return Err(AbiError::new(Subject::Signature, "functions of this convention cannot be variadic"));
    }
    let mut rules = Llvm32 {
        target,
        convention,
        variadic,
        taken: RegSet::EMPTY,
        engine: Engine::new([&[], &[], &[]], 4, stack_align(target)),
        first: true,
        pops_result: false,
        waiting: Waiting::default(),
        block: None,
    };
    walk(target, signature, &mut rules, abi)?;
    core::mem::take(&mut rules.waiting).place(rules.taken.float as u32, &mut abi.args)?;
    let stack_arg_bytes = rules.engine.stack_bytes();
    if let Some(block) = &mut rules.block
        && block.param.is_none()
    {
        // The block is the area of all stack arguments.
        *block = ArgBlock { size: stack_arg_bytes.into(), align: rules.engine.stack_align().min(16), param: None };
    }
    let chain = static_chain(target, convention);
    let nest = signature.params.iter().any(|p| p.attrs.role == Role::Nest);
    let chain_free =
        !matches!(convention, Convention::Ghc | Convention::RegCall) && (nest || !rules.taken.contains(chain));
    let chain = chain_free.then_some(chain);
    finish(target, signature, &rules.engine, chain, abi)?;
    (abi.callee_pop_bytes, abi.arg_block) = (rules.popped(), rules.block);
    // A function that jumps on to such a function leaves the stack pointer as it is: llc 19 aligns it in the callee.
    if convention.replaces_arguments() {
        abi.entry_align = stack_align(target);
    }
    Ok(())
}

/// The steps that fetch an argument of this type: a slot for each part, as callers pass it.
pub(crate) fn va_arg(target: &AbiTarget, ty: &LlvmType) -> Result<Vec<VaArg>, AbiError> {
    let mut steps = Vec::new();
    for part in parts(target, ty, Widen::None, Least::Word)? {
        let (bytes, mut align) = match part.kind {
            Kind::Float | Kind::Double => (part.size, 4),
            kind => slot(target, kind, true)?,
        };
        if part.offset == 0 && matches!(ty, LlvmType::Scalar(LlvmScalar::Int(128) | LlvmScalar::Fp128)) {
            align = 16;
        }
        part.check_va_arg()?;
        let step = VaArg::in_slots(part.size.into(), 4, align, bytes.into(), false);
        steps.push(VaArg { offset: part.offset.into(), ..step });
    }
    Ok(steps)
}
