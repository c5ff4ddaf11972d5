//! The loop over a signature that all conventions share: checks, order, errors that say their place.

use crate::decoration;
use crate::engine::Engine;
use crate::prelude::*;

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

    /// Where a result of a C type that is not `void` goes.
    fn c_result(&mut self, _: &CType, _: Layout) -> Result<PassMode, AbiError> {
        Err(mixed())
    }

    /// Where an argument of a C type goes.
    fn c_argument(&mut self, _: &CType, _: &Argument) -> Result<PassMode, AbiError> {
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

/// The parts of a [`FnAbi`](crate::FnAbi) that the loop determines.
pub(crate) struct Walked {
    pub(crate) ret: RetAbi,
    pub(crate) args: Vec<ArgAbi>,
    pub(crate) sret_param: Option<u32>,
    pub(crate) variadic: Option<VarArea>,
}

impl Walked {
    /// Is the result in memory whose address the caller passes, hidden or as a parameter?
    pub(crate) fn returns_by_address(&self) -> bool {
        self.sret_param.is_some() || matches!(self.ret.mode, PassMode::Indirect { .. })
    }

    /// The whole ABI, with what is the same everywhere; the callee preserves the registers `preserved` of `all`.
    #[inline(always)]
    pub(crate) fn finish(
        self,
        target: &Target,
        signature: &Signature,
        engine: &Engine,
        all: RegSet,
        preserved: RegSet,
    ) -> Result<FnAbi, AbiError> {
        Ok(FnAbi {
            arch: target.arch,
            args: self.args,
            ret: self.ret,
            stack_arg_bytes: engine.stack_bytes(),
            callee_pop_bytes: 0,
            stack_align: engine.stack_align(),
            entry_align: engine.stack_align(),
            entry_bias: 0,
            sret_return_reg: None,
            sret_param: self.sret_param,
            returns_this: None,
            static_chain: None,
            vector_count: None,
            variadic: self.variadic,
            arg_block: None,
            clobbers: all.difference(preserved),
            preserved,
            preserved_low64: RegSet::EMPTY,
            home_space: 0,
            red_zone: 0,
            decoration: decoration::of(target, signature)?,
        })
    }
}

/// Asks `rules` for every place of `signature`.
pub(crate) fn walk(target: &Target, signature: &Signature, rules: &mut impl Rules) -> Result<Walked, AbiError> {
    check(signature)?;
    let layout = DataLayout::new(target);
    // Only classes, and vectors, which are unions there. Types that only C returns in memory, such as _Complex, come
    // before `this` (MicrosoftCXXABI.cpp, classifyReturnType).
    let is_class = matches!(signature.ret.ty, Type::C(CType::Record(_) | CType::Vector { .. }));
    let this_first = rules.this_first() && signature.modifiers.member != Member::None && is_class;
    let mut walked = Walked {
        ret: RetAbi { mode: PassMode::Ignore, layout: Layout::NOTHING, offsets: Vec::new() },
        args: Vec::with_capacity(signature.params.len()),
        sret_param: None,
        variadic: None,
    };
    if !this_first {
        walked.ret = result(&layout, signature, rules)?;
    }
    for index in 0..signature.params.len() {
        if signature.variadic == Some(index) {
            walked.variadic = Some(rules.var_area());
        }
        let named = signature.variadic.is_none_or(|first| index < first);
        let arg = argument(&layout, signature, index, named, rules).map_err(|e| e.at(Subject::Param(index)))?;
        walked.args.push(arg);
        if this_first && index == 0 {
            walked.ret = result(&layout, signature, rules)?;
        }
        if signature.params[index].attrs.role == Role::StructReturn {
            if walked.returns_by_address() {
                return Err(AbiError::new(Subject::Param(index), "a second address for the result"));
            }
            walked.sret_param = Some(index as u32);
        }
    }
    if signature.variadic == Some(signature.params.len()) {
        walked.variadic = Some(rules.var_area());
    }
    Ok(walked)
}

pub(crate) fn check(signature: &Signature) -> Result<(), AbiError> {
    let wrong = |reason: &str| Err(AbiError::new(Subject::Signature, reason));
    if signature.variadic.is_some_and(|named| named > signature.params.len()) {
        return wrong("more named parameters than parameters");
    }
    let all = signature.params.iter().chain([&signature.ret]);
    if signature.modifiers != Modifiers::default() && all.into_iter().any(|p| matches!(p.ty, Type::Llvm(_))) {
        return wrong("modifiers belong to C-level signatures; LLVM-level ones say the same by attributes");
    }
    if signature.modifiers.member == Member::None {
        return Ok(());
    }
    match signature.params.first() {
        Some(this) if this.ty == Type::C(CType::PTR) && signature.variadic != Some(0) => Ok(()),
        _ => wrong("a member function's first parameter is `this`, a pointer"),
    }
}

fn result(layout: &DataLayout, signature: &Signature, rules: &mut impl Rules) -> Result<RetAbi, AbiError> {
    let ret = &signature.ret;
    let found = match &ret.ty {
        Type::C(CType::Void) => plain(&ret.attrs).map(|()| (PassMode::Ignore, Layout::NOTHING)),
        Type::C(ty) => plain(&ret.attrs)
            .and_then(|()| value(layout, ty))
            .and_then(|layout| Ok((rules.c_result(ty, layout)?, layout))),
        Type::Llvm(ty) => check_attrs(ty, &ret.attrs).and_then(|()| {
            if ret.attrs.role != Role::Value {
                return Err(AbiError::ty("a result has no such attribute"));
            }
            let mode = rules.llvm_result(ty, &ret.attrs)?;
            Ok((mode, if *ty == LlvmType::Void { Layout::NOTHING } else { layout.llvm(ty)? }))
        }),
    };
    let offsets = |mode: &PassMode| match (&ret.ty, mode) {
        (Type::Llvm(ty), PassMode::Indirect { .. }) if ty.is_aggregate() => layout.offsets(ty),
        _ => Ok(Vec::new()),
    };
    let found = found.and_then(|(mode, layout)| Ok(RetAbi { offsets: offsets(&mode)?, mode, layout }));
    found.map_err(|e| e.at(Subject::Result))
}

fn argument(
    layout: &DataLayout,
    signature: &Signature,
    index: usize,
    named: bool,
    rules: &mut impl Rules,
) -> Result<ArgAbi, AbiError> {
    let param = &signature.params[index];
    Ok(match &param.ty {
        // It takes no argument's place; `classify` gives it the register that is left.
        Type::C(_) if *param == Param::chain() => {
            let size = layout.target().pointer_bytes();
            ArgAbi { mode: PassMode::Ignore, layout: Layout { size: size.into(), align: size } }
        }
        Type::C(ty) => {
            plain(&param.attrs)?;
            let argument = Argument { index, layout: value(layout, ty)?, named };
            ArgAbi { mode: rules.c_argument(ty, &argument)?, layout: argument.layout }
        }
        Type::Llvm(ty) => {
            check_value(ty)?;
            check_attrs(ty, &param.attrs)?;
            let argument = Argument { index, layout: layout.llvm(ty)?, named };
            ArgAbi { mode: rules.llvm_argument(ty, &param.attrs, &argument)?, layout: argument.layout }
        }
    })
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
    if *attrs == Attrs::default() { Ok(()) } else { Err(AbiError::ty("a C type takes no LLVM attributes")) }
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
pub(crate) fn returned_in_memory(target: &Target, ty: &CType, member: Member) -> bool {
    let CType::Record(record) = ty else { return false };
    let class = record.class();
    class.non_trivial || target.is_msvc() && (!class.aggregate || member != Member::None)
}

/// Does Microsoft's compiler for x86 return a method's vector in memory? Its vectors are unions. In `__vectorcall`,
/// vectors of more than 8 bytes are in registers all the same (clang, bug 104; its change 157365).
pub(crate) fn vector_in_memory(target: &Target, ty: &CType, size: u64, member: Member, convention: Convention) -> bool {
    let in_register = convention == Convention::Vectorcall && size > 8;
    matches!(ty, CType::Vector { .. }) && target.is_msvc() && member == Member::Method && !in_register
}

/// The layout of a C type that values can have.
pub(crate) fn value(layout: &DataLayout, ty: &CType) -> Result<Layout, AbiError> {
    match ty {
        CType::Void => Err(AbiError::ty("void is not a value")),
        CType::Array(_) => Err(AbiError::ty("an array is not passed by value; pass a pointer")),
        _ => layout.layout(ty),
    }
}
