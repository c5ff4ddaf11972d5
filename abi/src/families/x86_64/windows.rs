//! The Windows x64 calling convention and `__vectorcall`, of MSVC and of MinGW; also `ms_abi` functions on other systems.
//!
//! Source: Microsoft, "x64 calling convention", "x64 ABI conventions", "`__vectorcall`" ("MS" below; sections named at each
//! rule). MSVC targets are as clang lays calls out for them, MinGW targets and `ms_abi` elsewhere as GCC does:
//!
//! | case | followed | the other |
//! |---|---|---|
//! | vector of 8 bytes or less, MSVC target | clang: by address of 16 bytes, returned in xmm0; `<1 x i64>` (`__m64`) in a general register, `<1 x double>` as `double` | MS has `__m64` only |
//! | vector of 8 bytes or less, elsewhere | GCC: general registers; `<1 x double>` by address | clang: as on MSVC targets |
//! | vector of less than 16 bytes in `__vectorcall` | clang: in a vector register, of one integer in a general one | MS has `__m64` only |
//! | `_Float16` | clang: as `float` | GCC 12: general registers |
//! | `__float128` | GCC, LLVM 21 and later: by address | clang 19: vector registers |
//! | 80-bit `long double` result of `ms_abi` functions | GCC: in memory | clang 19: in st0 |
//! | argument by address, aligned to more than 16 bytes | clang: the copy is | GCC aligns it to 16 |
//! | record that ends in a flexible array | MSVC targets: by address (clang); elsewhere as without it (GCC) | clang for MinGW: by address |
//! | empty C struct (size 0), result | GCC: nothing | clang: in memory |
//! | empty C++ class, MinGW target | clang: as any other of its size | GCC: it does not travel |
//! | C++ class with a copy constructor, homogeneous, in `__vectorcall` | MS: by address | clang: bitwise in registers |
//! | vector as the result of a method, MSVC target | in memory (MSVC; of more than 8 bytes in `__vectorcall`, xmm0) | clang: xmm0 |
//! | homogeneous class with a constructor or private members, and any that a method returns, as a `__vectorcall` result, MSVC target | in vector registers (MSVC) | clang: in memory |
//! | four `_Float16` as a `__vectorcall` result | as other homogeneous aggregates | clang: in memory |
//! | hidden address of a result that is no class, in a method | clang: before `this` | MS has only classes, whose address comes after `this` |
//! | `va_arg` in `sysv_abi` functions | the System V convention | GCC: an address where Windows passes one; clang has none |
//! | vector wider than the enabled features | refused | clang: several addresses or registers |
//! | floating-point argument before `...` | GCC: in its vector register only | clang fills the general register too, as MS asks for unnamed ones |
//! | `va_arg` of what is passed by address | GCC for MinGW, and every caller: by address | GCC in `ms_abi` functions, clang of scalars and vectors: the value itself |
//! | stack of `__vectorcall` after the sixth argument | clang: homogeneous aggregates in registers leave no slot | MS is silent |

use crate::chain::static_chain;
use crate::engine::Engine;
use crate::families::vectorcall::{Waiting, check_vector, homogeneous, is_member};
use crate::families::x86_64::common::{all, preserved, results, returns_address};
use crate::families::x86_64::positions::{BANKS, VECTORCALL_BANKS, Win64};
use crate::families::x86_64::sysv;
use crate::homogeneous::Homogeneous;
use crate::llvm::legalize::llvm_types_only;
use crate::llvm::x86::changed_arguments;
use crate::prelude::*;
use crate::reg::x86::*;
use crate::walk::{Argument, Rules, returned_in_memory, tail_pop, vector_in_memory, walk};

/// MS, "x64 stack usage": the register parameter area.
const HOME_BYTES: u32 = 32;

/// How a value of a C type is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// In a general register.
    Int,
    /// In a vector register.
    Float,
    /// By the address of memory with at least this alignment.
    Address(u32),
    /// By address as an argument; in xmm0 as a result.
    AddressOrFloat,
    /// For `__vectorcall`: in a vector register; by the address of 16 bytes if none is left.
    FloatOrAddress,
    /// For `__vectorcall`: in a vector register for each member, if enough are left.
    Members(Homogeneous),
}

impl Win64<'_> {
    /// MS, "x64 calling convention", "Parameter passing" and "Return values".
    fn kind(&self, ty: &CType, layout: Layout) -> Result<Kind, AbiError> {
        let Layout { size, align } = layout;
        if self.target.has_microsoft_library() && ty.has_flexible_array() {
            return Ok(Kind::Address(align));
        }
        if self.vectorcall
            && let Some(found) = homogeneous(&self.layout, is_member, ty)?
        {
            return Ok(match ty {
                CType::Record(_) | CType::Complex(_) => Kind::Members(found),
                _ => Kind::Float,
            });
        }
        // MS: structs of 8, 16, 32 or 64 bits are passed like integers of the same size.
        let by_size = if matches!(size, 1 | 2 | 4 | 8) { Kind::Int } else { Kind::Address(align) };
        Ok(match ty {
            CType::Scalar(Scalar::Int { bits: 128, .. }) => Kind::AddressOrFloat,
            CType::Scalar(Scalar::Float(FloatKind::Long)) if size == 8 => Kind::Float,
            CType::Scalar(Scalar::Float(FloatKind::Long | FloatKind::F128)) => Kind::Address(align),
            CType::Scalar(Scalar::Float(_)) => Kind::Float,
            CType::Void | CType::Scalar(_) => Kind::Int,
            CType::BitInt { .. } | CType::Complex(_) | CType::Array(_) | CType::Record(_) => by_size,
            CType::Vector { lane, lanes } => match (size, *lanes, *lane) {
                (16.., ..) => {
                    check_vector(&self.layout, size)?;
                    Kind::AddressOrFloat
                }
                (_, 1, Scalar::Int { .. }) => Kind::Int,
                (_, 1, _) if self.vectorcall || self.target.has_microsoft_library() => Kind::Float,
                _ if self.vectorcall => Kind::FloatOrAddress,
                (8, 1, _) => Kind::Address(align),
                _ if self.target.has_microsoft_library() => Kind::AddressOrFloat,
                _ => Kind::Int,
            },
        })
    }

    /// Fails for clang's `swiftcall`, which splits aggregates by its own rules.
    fn check_c(&self, ty: &CType) -> Result<(), AbiError> {
        if self.convention.is_swift() && !matches!(ty, CType::Scalar(_)) {
            return Err(AbiError::ty("Swift's conventions take scalars and LLVM types only"));
        }
        Ok(())
    }

    /// The place of a floating-point argument, or of a vector of `__vectorcall`. Unnamed ones in variadic calls are in
    /// both registers of their position (MS, "x64 calling convention", "Varargs").
    fn float(&mut self, layout: Layout, named: bool) -> Result<PassMode, AbiError> {
        let Layout { size, align } = layout;
        let place = match self.float_place(!named)? {
            Some(place) => place,
            None if size > 8 => return self.address(size, align),
            None => Place::Stack { offset: self.engine.stack(8, 8)? },
        };
        Ok(PassMode::piece(Piece::whole(size as u32, place)))
    }
}

/// The one piece of a value in a general register. Only `_Bool` is extended (MS, "x64 calling convention": the upper
/// bits must be ignored; clang and GCC).
fn whole(ty: &CType, size: u64, place: Place) -> PassMode {
    let ext =
        if matches!(ty, CType::Scalar(Scalar::Bool)) { Extension::Zero { from: 1, to: 8 } } else { Extension::None };
    PassMode::piece(Piece { ext, assume: ext, ..Piece::whole(size as u32, place) })
}

impl Rules for Win64<'_> {
    fn this_first(&self) -> bool {
        self.target.is_msvc()
    }

    fn c_result(&mut self, ty: &CType, layout: Layout, mode: &mut PassMode) -> Result<(), AbiError> {
        self.check_c(ty)?;
        let Layout { size, align } = layout;
        // MSVC does not ask for more of homogeneous classes, as it does of others (clang, bug 63417).
        let homogeneous = self.vectorcall && !ty.is_non_trivial() && matches!(self.kind(ty, layout)?, Kind::Members(_));
        if !homogeneous && returned_in_memory(self.target, ty, self.member)
            || vector_in_memory(self.target, ty, size, self.member, self.convention)
        {
            mode.set(self.address(size, align)?);
            return Ok(());
        }
        if size == 0 && !self.target.has_microsoft_library() {
            return Ok(());
        }
        mode.set(match self.kind(ty, layout)? {
            Kind::Int => whole(ty, size, Place::Reg(RAX)),
            Kind::Float | Kind::AddressOrFloat | Kind::FloatOrAddress => {
                PassMode::piece(Piece::whole(size as u32, Place::Reg(Reg::float(0))))
            }
            Kind::Members(found) => found.in_first_registers(),
            Kind::Address(_) if matches!(ty, CType::Vector { .. }) => {
                return Err(AbiError::ty("compilers disagree on how a vector of one `double` is returned"));
            }
            Kind::Address(align) => self.address(size, align)?,
        });
        Ok(())
    }

    fn c_argument(&mut self, ty: &CType, argument: &Argument, mode: &mut PassMode) -> Result<(), AbiError> {
        self.check_c(ty)?;
        let &Argument { index, layout, named } = argument;
        let Layout { size, align } = layout;
        let kind = if ty.is_non_trivial() { Kind::Address(align) } else { self.kind(ty, layout)? };
        mode.set(match kind {
            Kind::Int => whole(ty, size, self.int()?),
            Kind::Float => self.float(layout, named)?,
            Kind::Address(align) => self.address(size, align)?,
            Kind::AddressOrFloat => self.address(size, align.max(16))?,
            Kind::FloatOrAddress => match self.float_place(false)? {
                Some(place) => PassMode::piece(Piece::whole(size as u32, place)),
                None => self.address(size, 16)?,
            },
            Kind::Members(found) if self.unclaimed >= found.count => {
                self.unclaimed -= found.count;
                self.float_register()?;
                self.waiting.push(index, found.pieces());
                return Ok(());
            }
            Kind::Members(_) => self.address(size, align)?,
        });
        Ok(())
    }

    fn llvm_result(&mut self, ty: &LlvmType, attrs: &Attrs) -> Result<PassMode, AbiError> {
        self.llvm_result_mode(ty, attrs)
    }

    fn llvm_argument(&mut self, ty: &LlvmType, attrs: &Attrs, argument: &Argument) -> Result<PassMode, AbiError> {
        self.llvm_argument_mode(ty, attrs, argument)
    }

    /// MS, "x64 calling convention", "Varargs": the registers are stored into the home space, so that all arguments
    /// form one array.
    fn var_area(&mut self) -> VarArea {
        let taken = self.engine.taken(RegClass::Int) as u32;
        let next = if taken < 4 { 8 * taken } else { self.engine.stack_bytes() };
        let slots = self.engine.rest(RegClass::Int).map(|(i, reg)| SaveSlot { offset: 8 * i, size: 8, reg });
        let (slots, place) = (slots.collect(), SaveAreaPlace::HomeSpace);
        let save_area = Some(SaveArea { place, size: HOME_BYTES, align: 8, slots, float_guard: None });
        VarArea { save_area, ..VarArea::pointer(8, next) }
    }
}

/// The ABI of a function or call in the Windows x64 convention or `__vectorcall`.
pub(crate) fn classify(target: &AbiTarget, signature: &Signature, abi: &mut FnAbi) -> Result<(), AbiError> {
    let convention = signature.convention;
    let vectorcall = convention == Convention::Vectorcall;
    match convention {
        Convention::Vectorcall if signature.variadic.is_some() => {
            return Err(AbiError::new(Subject::Signature, "a variadic function cannot be __vectorcall"));
        }
        // clang splits C types as for System V, and LLVM passes the parts in this convention's registers.
        Convention::Vectorcall if !target.is_windows() => llvm_types_only(signature)?,
        // Their registers are those of System V (X86CallingConv.td), whatever the system.
        Convention::PreserveNone | Convention::Ghc | Convention::RegCall => {
            return sysv::classify(target, signature, abi);
        }
        _ => {}
    }
    let mut engine = Engine::new(if vectorcall { VECTORCALL_BANKS } else { BANKS }, 8, 16);
    // LLVM, `X86Subtarget::isCallingConvWin64`: these leave no home space.
    let homeless = matches!(convention, Convention::Cold | Convention::PreserveMost | Convention::PreserveAll)
        || vectorcall && !target.is_windows();
    let home_space = if homeless { 0 } else { HOME_BYTES };
    engine.stack(home_space.into(), 16)?;
    let mut rules = Win64 {
        target,
        layout: DataLayout::new(target),
        convention,
        engine,
        vectorcall,
        variadic: signature.variadic.is_some() && !homeless,
        member: signature.modifiers.member,
        waiting: Waiting::default(),
        filled: 0,
        unclaimed: 0,
    };
    if vectorcall {
        rules.unclaimed = 6 - vectors(&rules, signature);
    }
    let constructs = signature.modifiers.member == Member::Constructor && target.is_msvc();
    walk(target, signature, &mut rules, abi)?;
    let Win64 { engine, waiting, filled, .. } = rules;
    waiting.place(filled, &mut abi.args)?;
    let returns_address = abi.returns_by_address() && returns_address(convention);
    // On other systems LLVM's `__vectorcall` differs in its registers only.
    let c = if vectorcall && !target.is_windows() { sysv::PRESERVED } else { PRESERVED };
    let preserved = preserved(target, signature, c).difference(results(&abi.ret.mode, returns_address));
    let preserved = preserved.difference(changed_arguments(signature, abi));
    let wide = RegSet { float: if target.features.vector_bytes > 16 { preserved.float } else { 0 }, ..RegSet::EMPTY };
    abi.finish(target, signature, &engine, all(target), preserved)?;
    abi.clobbers = abi.clobbers.union(wide);
    abi.callee_pop_bytes = tail_pop(signature, engine.stack_bytes(), 8, 16);
    abi.entry_bias = 8;
    // MS, "x64 calling convention", "Return values".
    abi.sret_return_reg = returns_address.then_some(RAX);
    abi.returns_this = constructs.then_some(RAX);
    abi.static_chain = Some(static_chain(target, convention));
    abi.home_space = home_space;
    Ok(())
}

/// MS, "x64 ABI conventions", "Register usage": of vector registers, the 16 bytes of xmm6 to xmm15.
const PRESERVED: RegSet = RegSet { float: 0xffc0, ..RegSet::of(&[RBX, RBP, RSI, RDI, R12, R13, R14, R15]) };

/// How many of the first six arguments are vectors: vector registers are reserved for them before homogeneous
/// aggregates get any.
fn vectors(rules: &Win64<'_>, signature: &Signature) -> u32 {
    let is_vector = |ty: &AbiType| {
        let AbiType::C(ty) = ty else { return false };
        rules.layout.layout(ty).is_ok_and(|layout| matches!(rules.kind(ty, layout), Ok(Kind::Float)))
    };
    signature.params.iter().take(6).filter(|param| is_vector(&param.ty)).count() as u32
}

/// MS, "x64 calling convention", "Varargs": a slot holds the value or, of other sizes than a register's, its address.
pub(crate) fn va_arg(target: &AbiTarget, ty: &CType, layout: Layout) -> Result<VaArg, AbiError> {
    let signature = Signature::c(CType::Void).with_convention(Convention::Win64);
    let signature = signature.ellipsis().param(ty.clone());
    let mut abi = FnAbi::start(target, &signature);
    classify(target, &signature, &mut abi).map_err(AbiError::of_type)?;
    Ok(VaArg::in_slots(layout.size, 8, 8, 8, matches!(abi.args[0].mode, PassMode::Indirect { .. })))
}
