//! The calling conventions of AArch64: of Linux, the BSDs and bare ELF, of Apple's systems, and of Windows with MSVC and MinGW,
//! which `ms_abi` functions of other systems have too.
//!
//! Sources: "Procedure Call Standard for the Arm 64-bit Architecture" ("AAPCS64"); Apple, "Writing ARM64 code for Apple platforms"
//! ("Apple"); Microsoft, "Overview of ARM64 ABI conventions" ("MS"). The last two say where they depart from the first; what Apple
//! leaves open is as clang does it. Classification is in `common.rs`, with a table of what compilers do differently everywhere.
//! Beyond that:
//!
//! | case | followed | the other |
//! |---|---|---|
//! | ELF: `va_arg` of a homogeneous aggregate with a member aligned to more than 16 bytes | AAPCS64, and clang's caller: the stack slot is aligned to 16 | clang's `va_arg` rounds further |
//! | Apple: record of less than 8 bytes on the stack | clang: a slot of 8 bytes, as an integer would have it | Apple: its own size |
//! | Apple: `_BitInt` of less than 32 bits on the stack, neither 8 nor 16 wide | clang: a slot of 4 bytes | – |
//! | Apple: `__int128` and records aligned to 16 in registers | clang: any two that follow each other | AAPCS64: the first is even |
//! | Apple: unnamed homogeneous record aligned to 16 bytes or more | clang's `va_arg`, AAPCS64: a slot aligned to 16 | clang's caller aligns to 8, its `va_arg` beyond 16 |
//! | Apple: unnamed `_Float16` or `__bf16` | refused: clang makes it a `double` that `va_arg` takes back | – |
//! | Windows: record of 16 bytes of which x7 is left, in a variadic function | MS: half of it in x7 | clang 19's caller: on the stack, where its own `va_arg` does not look |
//! | Windows: vector as an argument of a variadic function | MS: general registers | clang's caller: a vector register, where its own `va_arg` does not look |
//! | Windows: vector of more than 16 bytes through `va_arg` | its caller, also clang's: by address | clang's `va_arg` reads the value itself |
//! | Windows: `va_arg` of a value aligned to 16 bytes | MS, LLVM 20 and later: an aligned slot | clang 19's `va_arg` does not align |
//! | Windows: empty C record as an unnamed argument | clang's caller: it does not travel | clang's `va_arg` passes over a slot |
//! | Windows: address of a result that came as an argument | MS, clang: returned in x0 | clang 19 without optimization: not returned |
//! | `ms_abi` on Linux | clang: variadic functions as on Windows, x18 is kept, all else as AAPCS64 | GCC has none |

use crate::chain::static_chain;
use crate::engine::{Engine, Overflow};
use crate::families::aarch64::common::*;
use crate::families::aarch64::llvm::Call;
use crate::family::{Family, unsupported};
use crate::prelude::*;
use crate::reg::aarch64::*;
use crate::walk::{Argument, Rules, returned_in_memory, tail_pop, walk};

/// A call, while its signature is classified.
struct Aapcs64 {
    /// The family whose rules it follows: [`Family::Aapcs64`], [`Family::Apple64`] or [`Family::WinArm64`].
    family: Family,
    classifier: Classifier,
    call: Call,
    engine: Engine,
    member: Member,
}

impl Aapcs64 {
    fn new(target: &AbiTarget, family: Family, call: Call, member: Member) -> Aapcs64 {
        // Apple, "Pass arguments to functions correctly": arguments take as much of the stack as they need.
        let engine = call.engine(if family == Family::Apple64 { 1 } else { 8 });
        Aapcs64 { family, classifier: Classifier::new(target), call, engine, member }
    }

    /// Is it a variadic function of Windows, whose arguments form one array? MS, "Addendum: Variadic functions":
    /// composites are not treated specially, and no vector registers are used.
    fn is_array(&self) -> bool {
        self.family == Family::WinArm64 && self.call.variadic
    }

    /// How an argument is passed.
    fn shape(&self, ty: &CType, layout: Layout) -> Result<Shape, AbiError> {
        let shape = self.classifier.argument(ty, layout)?;
        match shape {
            Shape::Float(_) if self.is_array() && layout.size > 16 => Ok(Shape::Address),
            Shape::Float(_) if self.is_array() => Ok(Shape::Int { pair: self.classifier.align(ty)? >= 16 }),
            _ => Ok(shape),
        }
    }

    /// Size and alignment of an argument's place on the stack: rules C.3 to C.5, C.8 and C.14; Apple, "Update code that passes
    /// arguments to variadic functions".
    fn slot(&self, ty: &CType, shape: Shape, layout: Layout, named: bool) -> Result<Layout, AbiError> {
        let align = match shape {
            _ if self.family == Family::Apple64 && named => return Ok(packed(ty, shape, layout)),
            Shape::Float(members) if self.call.target.is_windows() => members.size,
            _ => self.classifier.align(ty)?,
        };
        Ok(Layout { size: layout.size.next_multiple_of(8), align: if align >= 16 { 16 } else { 8 } })
    }

    /// The place of an argument for which there are registers. AAPCS64, "Parameter passing rules", stage C.
    fn place(&mut self, ty: &CType, shape: Shape, layout: Layout, mode: &mut PassMode) -> Result<(), AbiError> {
        // Rule C.10. Apple's compiler begins pairs at odd registers too.
        if shape == (Shape::Int { pair: true }) && self.family != Family::Apple64 {
            self.engine.align_to_pair(RegClass::Int);
        }
        let pieces = mode.start_direct();
        push_pieces(shape, layout.size, pieces);
        // The first 64 bytes of the array are in x0 to x7.
        if self.is_array() && self.engine.free(RegClass::Int) > 0 {
            for piece in pieces.iter_mut() {
                let reg = self.engine.take(RegClass::Int, usize::MAX);
                piece.place = self.engine.place(reg, piece.size.into(), 8)?;
            }
        } else if !self.engine.group(pieces, Overflow::Exhaust) {
            // Rules C.2 to C.4, C.12, C.13: if a value does not fit, later values of its class get no register either.
            *mode = PassMode::Ignore;
            return self.on_stack(ty, shape, layout, true, mode);
        }
        Ok(())
    }

    /// The mode of a value among the stack arguments.
    fn on_stack(
        &mut self,
        ty: &CType,
        shape: Shape,
        layout: Layout,
        named: bool,
        mode: &mut PassMode,
    ) -> Result<(), AbiError> {
        let slot = self.slot(ty, shape, layout, named)?;
        let offset = self.engine.stack(slot.size, slot.align)?;
        if ty.is_by_address() {
            mode.set(PassMode::StackCopy { offset, size: layout.size, align: slot.align });
            return Ok(());
        }
        let pieces = mode.start_direct();
        push_pieces(shape, layout.size, pieces);
        // Rule C.16: a number is in the low bytes of its slot.
        let low = self.call.target.endian.place(0, layout.size as u32, slot.size as u32);
        for piece in pieces.iter_mut() {
            piece.place = Place::Stack { offset: offset + low + piece.offset };
        }
        Ok(())
    }

    /// Is the class returned in memory whose address is passed as an argument? Microsoft's compiler does so for classes
    /// that are not like C structs (except vectors alone), and for every class that a method returns (MS, "Return
    /// values").
    fn returned_as_microsoft_class(&self, ty: &CType) -> Result<bool, AbiError> {
        let by_class = self.call.target.is_msvc() && returned_in_memory(&self.call.target, ty, self.member);
        if !by_class || self.member != Member::None || ty.is_non_trivial() {
            return Ok(by_class);
        }
        Ok(!self.classifier.homogeneous(ty)?.is_some_and(|found| found.vector))
    }
}

/// Size and alignment of a named argument's place on the stack. Apple, "Pass arguments to functions correctly": arguments take
/// as much as they need.
fn packed(ty: &CType, shape: Shape, layout: Layout) -> Layout {
    match (shape, ty) {
        (Shape::Float(members), _) => Layout { size: layout.size, align: members.size },
        (_, CType::Scalar(_)) => layout,
        (_, CType::Vector { .. }) => Layout { size: 4, align: 4 },
        (_, CType::BitInt { bits: 1..=7 | 9..=15 | 17..=31, .. }) => Layout { size: 4, align: 4 },
        (_, CType::BitInt { bits: 8 | 16 | 32, .. }) => layout,
        (Shape::Int { pair: true }, _) => Layout { size: layout.size, align: 16 },
        _ => Layout { size: layout.size.next_multiple_of(8), align: 8 },
    }
}

/// Apple, "Update code that passes arguments to variadic functions": unnamed arguments are on the stack, in slots of 8 bytes.
fn check_unnamed(ty: &CType) -> Result<(), AbiError> {
    match ty {
        CType::Scalar(Scalar::Float(FloatKind::F16 | FloatKind::BF16)) => {
            Err(AbiError::ty("an unnamed argument of 16-bit floating-point type: pass it as double"))
        }
        _ => Ok(()),
    }
}

impl Rules for Aapcs64 {
    /// MS, "Return values": a method finds `this` in x0, and the address for its result in x1.
    fn this_first(&self) -> bool {
        self.family == Family::WinArm64 && self.call.target.is_msvc()
    }

    /// AAPCS64, "Result return": x0, x1, or v0 to v3, or memory whose address is in x8.
    fn c_result(&mut self, ty: &CType, layout: Layout, mode: &mut PassMode) -> Result<(), AbiError> {
        if self.returned_as_microsoft_class(ty)? {
            mode.set(PassMode::indirect(self.engine.pointer(8)?, layout));
            return Ok(());
        }
        let shape = self.classifier.result(ty, layout)?;
        match shape {
            Shape::Nothing => {}
            Shape::Address => mode.set(PassMode::indirect(Piece::whole(8, Place::Reg(X8)), layout)),
            Shape::Int { .. } | Shape::Float(_) => {
                let pieces = mode.start_direct();
                push_pieces(shape, layout.size, pieces);
                Engine::new(ARG_BANKS, 8, 16).group(pieces, Overflow::Exhaust);
                extend(&self.classifier, ty, mode);
            }
        }
        Ok(())
    }

    fn c_argument(&mut self, ty: &CType, argument: &Argument, mode: &mut PassMode) -> Result<(), AbiError> {
        let &Argument { layout, named, .. } = argument;
        let shape = self.shape(ty, layout)?;
        let in_registers = named || self.family != Family::Apple64;
        match shape {
            Shape::Nothing => {}
            // An address is aligned, whatever the arguments before it are.
            Shape::Address if in_registers => mode.set(PassMode::indirect(self.engine.pointer(8)?, layout)),
            Shape::Address => mode.set(PassMode::indirect(Piece::whole(8, self.engine.place(None, 8, 8)?), layout)),
            _ if in_registers => self.place(ty, shape, layout, mode)?,
            _ => {
                check_unnamed(ty)?;
                self.on_stack(ty, shape, layout, false, mode)?;
            }
        }
        extend(&self.classifier, ty, mode);
        Ok(())
    }

    fn llvm_result(&mut self, ty: &LlvmType, attrs: &Attrs) -> Result<PassMode, AbiError> {
        self.call.result(ty, attrs, &mut self.engine)
    }

    fn llvm_argument(&mut self, ty: &LlvmType, attrs: &Attrs, argument: &Argument) -> Result<PassMode, AbiError> {
        self.call.argument(ty, attrs, argument, &mut self.engine)
    }

    fn var_area(&mut self) -> VarArea {
        match self.family {
            // Apple, "Update code that passes arguments to variadic functions": a pointer to the first unnamed argument.
            Family::Apple64 => VarArea::pointer(8, self.engine.stack_bytes().next_multiple_of(8)),
            // MS, "Addendum: Variadic functions": a pointer into the array, whose first part the callee stores below the rest.
            Family::WinArm64 => self.engine.array_with_stack(8),
            _ => var_area(&self.engine),
        }
    }
}

/// Sets how small integers are widened. AAPCS64, rule C.9 leaves the upper bits unspecified, but its data types make
/// `_Bool` a byte that is 0 or 1; Apple, "Pass arguments to functions correctly": the caller widens to 32 bits.
#[inline]
fn extend(classifier: &Classifier, ty: &CType, mode: &mut PassMode) {
    let (PassMode::Direct(pieces), Some((signed, from))) = (mode, ty.small_int()) else { return };
    let piece = &mut pieces[0];
    // On the stack, Apple's compiler gives 32 bits to a `_BitInt` that is narrower than its type.
    let odd = matches!(ty, CType::BitInt { bits, .. } if !matches!(bits, 8 | 16));
    let to = match (piece.place, classifier.target.os) {
        (Place::Reg(_), Os::Darwin) => 32,
        (_, Os::Darwin) if odd => 32,
        _ if matches!(ty, CType::Scalar(Scalar::Bool)) => 8,
        _ => return,
    };
    piece.ext = Extension::of_int(signed, from, to);
    piece.assume = piece.ext;
}

/// AAPCS64, "Machine Registers": x19 to x29, and the low halves of v8 to v15.
const PRESERVED: RegSet = RegSet { int: 0x3ff8_0000, x87: 0, float: 0 };
const LOW_HALVES: u64 = 0xff00;

/// The registers that a callee preserves, and those of which it only preserves the low 64 bits.
fn preserved(target: &AbiTarget, convention: Convention) -> (RegSet, RegSet) {
    let mut kept = PRESERVED;
    let mut low = RegSet { float: LOW_HALVES, ..RegSet::EMPTY };
    match convention {
        // "Vector Function Application Binary Interface Specification for AArch64": v8 to v23 whole.
        Convention::VectorPcs => (kept.float, low) = (0x00ff_ff00, RegSet::EMPTY),
        // LangRef, "Calling Conventions", and as llc 19 saves them: x9 to x15.
        Convention::PreserveMost => kept.int |= 0xfe00,
        // And v8 to v31 whole.
        Convention::PreserveAll => {
            kept.int |= 0xfe00;
            (kept.float, low) = (0xffff_ff00, RegSet::EMPTY);
        }
        // As llc 19 saves them: only the frame pointer; all but where `self` and the context are; nothing.
        Convention::PreserveNone => (kept.int, low) = (1 << 29, RegSet::EMPTY),
        Convention::SwiftTail => kept.int &= !(1 << 20 | 1 << 22),
        Convention::Ghc => (kept.int, low) = (0, RegSet::EMPTY),
        _ => {}
    }
    // x18 belongs to the platform (Apple, "Respect the purpose of specific CPU registers"; MS, "Overview of ARM64 ABI
    // conventions", "Integer registers"), and functions that a Windows program may call keep it.
    if matches!(target.os, Os::Darwin | Os::Windows) || convention == Convention::Win64 {
        kept.insert(X18);
    }
    (kept, low)
}

/// Whether constructors and destructors return their object's address: Apple's variant of the Itanium C++ ABI; of
/// constructors only, Microsoft's.
fn returns_this(target: &AbiTarget, member: Member) -> bool {
    match member {
        Member::None | Member::Method => false,
        Member::Constructor => target.os == Os::Darwin || target.is_msvc(),
        Member::Destructor => target.os == Os::Darwin,
    }
}

/// The ABI of a function or call.
pub(crate) fn classify(
    target: &AbiTarget,
    family: Family,
    signature: &Signature,
    abi: &mut FnAbi,
) -> Result<(), AbiError> {
    let (convention, member) = (signature.convention, signature.modifiers.member);
    if convention == Convention::Win64 && target.os == Os::Darwin {
        return Err(unsupported(target, convention));
    }
    let mut rules = Aapcs64::new(target, family, Call::new(target, signature)?, member);
    walk(target, signature, &mut rules, abi)?;
    let engine = &rules.engine;
    let (mut preserved, preserved_low64) = preserved(target, convention);
    // The register of `swifterror`, in which the error comes back, is not preserved.
    if signature.takes_error() {
        preserved.remove(X21);
    }
    let all = RegSet { int: u32::MAX, x87: 0, float: 0xffff_ffff };
    // The address of a result only comes back if it was an ordinary argument (MS, "Return values").
    let visible = |reg: &Reg| reg.num < 2;
    let by_param = abi.sret_param.filter(|_| target.is_windows()).map(|i| &abi.args[i as usize].mode);
    let sret_return_reg = match (&abi.ret.mode, by_param) {
        (PassMode::Indirect { pointer, .. }, _) => pointer.reg().filter(visible).map(|_| X0),
        (_, Some(mode)) => mode.pieces().iter().find_map(Piece::reg).filter(visible).map(|_| X0),
        _ => None,
    };
    abi.finish(target, signature, engine, all.without(SP), preserved)?;
    abi.callee_pop_bytes = tail_pop(signature, engine.stack_bytes(), 0, 16);
    abi.sret_return_reg = sret_return_reg;
    abi.returns_this = returns_this(target, member).then_some(X0);
    abi.static_chain = Some(static_chain(target, convention));
    abi.preserved_low64 = preserved_low64;
    abi.red_zone = match target.os {
        // Apple, "Respect the stack's red zone".
        Os::Darwin => 128,
        // MS, "Overview of ARM64 ABI conventions", "Red zone".
        Os::Windows => 16,
        Os::Linux | Os::Bsd | Os::NetBsd | Os::None => 0,
    };
    Ok(())
}

/// AAPCS64, appendix "Variable argument lists".
fn var_area(engine: &Engine) -> VarArea {
    let field = |offset, size, init| VaField { offset, size, init };
    VarArea {
        va_list_size: 32,
        va_list_align: 8,
        fields: [
            field(STACK, 8, VaInit::StackArgs { offset: engine.stack_bytes() }),
            field(GR_TOP, 8, VaInit::SaveArea { offset: SAVE_INT_BYTES }),
            field(VR_TOP, 8, VaInit::SaveArea { offset: SAVE_BYTES }),
            field(GR_OFFS, 4, VaInit::Const(-8 * engine.free(RegClass::Int) as i32)),
            field(VR_OFFS, 4, VaInit::Const(-16 * engine.free(RegClass::Float) as i32)),
        ]
        .into_iter()
        .collect(),
        save_area: Some(engine.save_area(SAVE_INT_BYTES, SAVE_BYTES)),
    }
}

/// AAPCS64, appendix B; elsewhere a pointer that runs over the slots.
pub(crate) fn va_arg(target: &AbiTarget, family: Family, ty: &CType, layout: Layout) -> Result<VaArg, AbiError> {
    let call = Call { target: *target, convention: Convention::C, variadic: true };
    let rules = Aapcs64::new(target, family, call, Member::None);
    if family == Family::Apple64 {
        check_unnamed(ty)?;
    }
    let shape = rules.shape(ty, layout)?;
    let (fetched, slot) = match shape {
        Shape::Nothing => (0, Layout::NOTHING),
        // For a value that is passed by address, the address is fetched.
        Shape::Address => (8, Layout { size: 8, align: 8 }),
        _ => (layout.size, rules.slot(ty, shape, layout, false)?),
    };
    let regs = (family == Family::Aapcs64 && shape != Shape::Nothing).then(|| {
        let class = if let Shape::Float(_) = shape { RegClass::Float } else { RegClass::Int };
        let mut pieces = Pieces::new();
        push_pieces(shape, fetched, &mut pieces);
        let numbers = if class == RegClass::Float || !ty.is_by_address() { target.endian } else { Endian::Little };
        va_regs(
            class,
            shape == Shape::Int { pair: true },
            numbers,
            pieces.iter().map(|piece| (piece.offset, piece.size)),
        )
    });
    let on_stack = VaArg::in_slots(layout.size, 8, slot.align, slot.size, shape == Shape::Address);
    let on_stack = if ty.is_by_address() { on_stack } else { on_stack.of_number(target.endian) };
    Ok(VaArg { regs, ..on_stack })
}
