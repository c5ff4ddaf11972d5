//! The loop over a signature that all conventions share: checks, order, errors that say their place.

use crate::decoration;
use crate::engine::Engine;
use crate::prelude::*;
use alloc::boxed::Box;

/// A parameter while it is classified.
pub(crate) struct Argument {
    /// Its index among the parameters.
    pub(crate) index: usize,
    /// Size and alignment of its type.
    pub(crate) layout: Layout,
    /// It comes before `...`.
    pub(crate) named: bool,
}

/// A convention. It is asked for the place of the result first, then for those of the parameters in order. A convention
/// for C types only, or for LLVM's only, leaves out the other methods.
pub(crate) trait Rules {
    /// Does `this` come before the hidden address of the result (Microsoft C++)?
    fn this_first(&self) -> bool {
        false
    }

    /// Where a result of a C type that is not `void` goes: sets the mode, which is [`PassMode::Ignore`]. It is large, so it is
    /// not returned.
    fn c_result(&mut self, _: &CType, _: Layout, _: &mut PassMode) -> Result<(), AbiError> {
        Err(mixed())
    }

    /// Where an argument of a C type goes: sets the mode in the same way.
    fn c_argument(&mut self, _: &CType, _: &Argument, _: &mut PassMode) -> Result<(), AbiError> {
        Err(mixed())
    }

    /// Where a result of an LLVM type goes, `void` included.
    fn llvm_result(&mut self, _: &LlvmType, _: &Attrs) -> Result<PassMode, AbiError> {
        Err(mixed())
    }

    /// Where an argument of an LLVM type goes.
    fn llvm_argument(&mut self, _: &LlvmType, _: &Attrs, _: &Argument) -> Result<PassMode, AbiError> {
        Err(mixed())
    }

    /// The `va_start` recipe, after the last named parameter.
    fn var_area(&mut self) -> VarArea;
}

fn mixed() -> AbiError {
    AbiError::ty("types of C and LLVM in one signature or convention")
}

// An ABI is large: conventions fill it in where it is.
impl FnAbi {
    /// What a convention begins with.
    pub(crate) fn start(target: &AbiTarget, signature: &Signature) -> FnAbi {
        FnAbi {
            arch: target.arch,
            args: Vec::with_capacity(signature.params.len()),
            ret: RetAbi { mode: PassMode::Ignore, layout: Layout::NOTHING, offsets: Vec::new() },
            stack_arg_bytes: 0,
            callee_pop_bytes: 0,
            stack_align: 0,
            entry_align: 0,
            entry_bias: 0,
            sret_return_reg: None,
            sret_param: None,
            returns_this: None,
            static_chain: None,
            vector_count: None,
            variadic: None,
            arg_block: None,
            clobbers: RegSet::EMPTY,
            preserved: RegSet::EMPTY,
            preserved_low64: RegSet::EMPTY,
            home_space: 0,
            red_zone: 0,
            decoration: Decoration::None,
        }
    }

    /// Is the result in memory whose address the caller passes, hidden or as a parameter?
    pub(crate) fn returns_by_address(&self) -> bool {
        self.sret_param.is_some() || matches!(self.ret.mode, PassMode::Indirect { .. })
    }

    /// Fills in what is the same everywhere; the callee preserves the registers `preserved` of `all`.
    pub(crate) fn finish(
        &mut self,
        target: &AbiTarget,
        signature: &Signature,
        engine: &Engine,
        all: RegSet,
        preserved: RegSet,
    ) -> Result<(), AbiError> {
        self.stack_arg_bytes = engine.stack_bytes();
        self.stack_align = engine.stack_align();
        self.entry_align = engine.stack_align();
        self.clobbers = all.difference(preserved);
        self.preserved = preserved;
        self.decoration = decoration::of(target, signature)?;
        Ok(())
    }
}

/// Asks `rules` for every place of `signature`, and enters them into `abi`.
pub(crate) fn walk(
    target: &AbiTarget,
    signature: &Signature,
    rules: &mut impl Rules,
    abi: &mut FnAbi,
) -> Result<(), AbiError> {
    check(signature)?;
    let layout = DataLayout::new(target);
    // Only classes, and vectors, which are unions there. Types that only C returns in memory, such as _Complex, come
    // before `this` (MicrosoftCXXABI.cpp, classifyReturnType).
    let is_class = matches!(signature.ret.ty, AbiType::C(CType::Record(_) | CType::Vector { .. }));
    let this_first = rules.this_first() && signature.modifiers.member != Member::None && is_class;
    if !this_first {
        result(&layout, signature, rules, &mut abi.ret)?;
    }
    for index in 0..signature.params.len() {
        if signature.variadic == Some(index) {
            abi.variadic = Some(Box::new(rules.var_area()));
        }
        let named = signature.variadic.is_none_or(|first| index < first);
        argument(&layout, &signature.params[index], index, named, rules, &mut abi.args)
            .map_err(|e| e.at(Subject::Param(index)))?;
        if this_first && index == 0 {
            result(&layout, signature, rules, &mut abi.ret)?;
        }
        if matches!(signature.params[index].attrs.role, Role::StructReturn) {
            if abi.returns_by_address() {
                return Err(AbiError::new(Subject::Param(index), "a second address for the result"));
            }
            abi.sret_param = Some(index as u32);
        }
    }
    if signature.variadic == Some(signature.params.len()) {
        abi.variadic = Some(Box::new(rules.var_area()));
    }
    Ok(())
}

pub(crate) fn check(signature: &Signature) -> Result<(), AbiError> {
    let wrong = |reason: &str| Err(AbiError::new(Subject::Signature, reason));
    if signature.variadic.is_some_and(|named| named > signature.params.len()) {
        return wrong("more named parameters than parameters");
    }
    let all = signature.params.iter().chain([&signature.ret]);
    let c_level = Modifiers { preserves: Preserves::Usual, ..signature.modifiers };
    if c_level != Modifiers::default() && all.into_iter().any(|p| matches!(p.ty, AbiType::Llvm(_))) {
        return wrong("modifiers belong to C-level signatures; LLVM-level ones say the same by attributes");
    }
    if signature.modifiers.member == Member::None {
        return Ok(());
    }
    match signature.params.first() {
        Some(this) if this.ty == AbiType::C(CType::PTR) && signature.variadic != Some(0) => Ok(()),
        _ => wrong("a member function's first parameter is `this`, a pointer"),
    }
}

fn result(
    layout: &DataLayout,
    signature: &Signature,
    rules: &mut impl Rules,
    abi: &mut RetAbi,
) -> Result<(), AbiError> {
    let ret = &signature.ret;
    let mut fill = || {
        match &ret.ty {
            AbiType::C(ty) => {
                plain(&ret.attrs)?;
                if !matches!(ty, CType::Void) {
                    abi.layout = value(layout, ty)?;
                    rules.c_result(ty, abi.layout, &mut abi.mode)?;
                }
            }
            AbiType::Llvm(ty) => {
                check_attrs(ty, &ret.attrs)?;
                if ret.attrs.role != Role::Value {
                    return Err(AbiError::ty("a result has no such attribute"));
                }
                abi.mode = rules.llvm_result(ty, &ret.attrs)?;
                abi.layout = if *ty == LlvmType::Void { Layout::NOTHING } else { layout.llvm(ty)? };
                if ty.is_aggregate() && matches!(abi.mode, PassMode::Indirect { .. }) {
                    abi.offsets = layout.offsets(ty)?;
                }
            }
        }
        Ok(())
    };
    fill().map_err(|e: AbiError| e.at(Subject::Result))
}

/// Appends the ABI of the parameter with this index to `args`.
fn argument(
    layout: &DataLayout,
    param: &Param,
    index: usize,
    named: bool,
    rules: &mut impl Rules,
    args: &mut Vec<ArgAbi>,
) -> Result<(), AbiError> {
    match &param.ty {
        AbiType::C(ty) if param.attrs.is_default() => {
            let layout = value(layout, ty)?;
            rules.c_argument(ty, &Argument { index, layout, named }, enter(args, layout))
        }
        // It takes no argument's place; `classify` gives it the register that is left.
        AbiType::C(_) if *param == Param::chain() => {
            let size = layout.target().pointer_bytes();
            enter(args, Layout { size: size.into(), align: size });
            Ok(())
        }
        AbiType::C(_) => plain(&param.attrs),
        AbiType::Llvm(ty) => {
            check_value(ty)?;
            check_attrs(ty, &param.attrs)?;
            let layout = layout.llvm(ty)?;
            let mode = rules.llvm_argument(ty, &param.attrs, &Argument { index, layout, named })?;
            enter(args, layout).set(mode);
            Ok(())
        }
    }
}

/// Appends an argument of this layout, whose mode is to be set.
fn enter(args: &mut Vec<ArgAbi>, layout: Layout) -> &mut PassMode {
    let place = args.len();
    args.push(ArgAbi { mode: PassMode::Ignore, layout });
    &mut args[place].mode
}

/// Fails if there are no values of an LLVM type.
pub(crate) fn check_value(ty: &LlvmType) -> Result<(), AbiError> {
    if *ty == LlvmType::Void { Err(AbiError::ty("void is not a value")) } else { Ok(()) }
}

/// Fails if the attributes of a parameter or result of an LLVM type make no sense in any convention.
fn check_attrs(ty: &LlvmType, attrs: &Attrs) -> Result<(), AbiError> {
    let align = match attrs.role {
        Role::Value => 1,
        _ if *ty != LlvmType::PTR => return Err(AbiError::ty("this attribute needs a pointer")),
        Role::ByVal { align, .. } | Role::Preallocated { align, .. } => align,
        _ => 1,
    };
    for align in [Some(align), attrs.stack_align].into_iter().flatten() {
        if !align.is_power_of_two() {
            return Err(AbiError::ty(alloc::format!("alignment {align} is not a power of two")));
        }
    }
    Ok(())
}

fn plain(attrs: &Attrs) -> Result<(), AbiError> {
    if attrs.is_default() { Ok(()) } else { Err(AbiError::ty("a C type takes no LLVM attributes")) }
}

/// Bytes that callees of LLVM's `tailcc` and `swifttailcc` pop for `bytes` of stack arguments: whole alignment units
/// including the return address of `entry` bytes, so that the stack stays aligned however often the area is replaced
/// (as llc 19 does on x86-64: `ret 8` without arguments).
pub(crate) fn tail_pop(signature: &Signature, bytes: u32, entry: u32, unit: u32) -> u32 {
    if signature.convention.replaces_arguments() && signature.variadic.is_none() {
        (bytes + entry).next_multiple_of(unit) - entry
    } else {
        0
    }
}

/// Does C++ return a class in memory whatever its size? The Itanium C++ ABI, section 3.1.3.1, does so with what cannot
/// be copied bitwise; Microsoft also with classes that are not like C structs, and with every class that a method
/// returns (MS, "x64 calling convention", "Return values", which clang follows for all its processors).
pub(crate) fn returned_in_memory(target: &AbiTarget, ty: &CType, member: Member) -> bool {
    let CType::Record(record) = ty else { return false };
    let class = record.class();
    class.non_trivial || target.is_msvc() && (!class.aggregate || member != Member::None)
}

/// Does Microsoft's compiler for x86 return a method's vector in memory? Its vectors are unions. In `__vectorcall`,
/// vectors of more than 8 bytes are in registers all the same (clang, bug 104; its change 157365).
pub(crate) fn vector_in_memory(
    target: &AbiTarget,
    ty: &CType,
    size: u64,
    member: Member,
    convention: Convention,
) -> bool {
    let in_register = convention == Convention::Vectorcall && size > 8;
    matches!(ty, CType::Vector { .. }) && target.is_msvc() && member == Member::Method && !in_register
}

/// The layout of a C type that values can have.
#[inline]
pub(crate) fn value(layout: &DataLayout, ty: &CType) -> Result<Layout, AbiError> {
    match ty {
        CType::Void => Err(AbiError::ty("void is not a value")),
        CType::Array(_) => Err(AbiError::ty("an array is not passed by value; pass a pointer")),
        _ => layout.layout(ty),
    }
}
