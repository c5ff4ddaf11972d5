//! Exceptions: calls that they may leave, and the blocks where they continue.

use gusset_abi::{CType, Env, Signature};
use gusset_codegen::ir::{Block, Linkage, Type, Value};

use super::{Body, Func, Global};

/// The exceptions that a landing pad takes.
///
/// ```
/// # use gusset_abi::{CType, Signature};
/// # use gusset_compiler::{BuilderOptions, Catch, Data, Features, Linkage, ObjectBuilder, Target};
/// # let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
/// # let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
/// # use gusset_codegen::ir::IntCc;
/// let number = Signature::c(CType::I32).param(CType::I32);
/// let risky = object.declare("risky", number.clone(), Linkage::Import)?;
/// let begin = object.declare("__cxa_begin_catch", Signature::c(CType::PTR).param(CType::PTR), Linkage::Import)?;
/// let end = object.declare("__cxa_end_catch", Signature::c(CType::Void), Linkage::Import)?;
/// let routine = Signature::c(CType::I32).ellipsis();
/// let routine = object.declare("__gxx_personality_v0", routine, Linkage::Import)?;
/// let int = object.data("_ZTIi", Linkage::Import, Data::default())?;
/// // int f(int n) { try { return risky(n); } catch (int) { return n; } catch (...) { return -1; } }
/// let f = object.declare("f", number, Linkage::Export)?;
/// object.define(f, |b| {
///     b.personality(routine);
///     let (n, minus_one) = (b.param(0), b.i32_const(-1));
///     let pad = b.create_block();
///     b.unwind_to(Some(pad));
///     let result = b.call(risky, &[n]);
///     b.unwind_to(None);
///     b.ret(result);
///
///     b.seal(pad);
///     b.switch_to(pad);
///     let caught = b.landing_pad(&[Catch::Type(int), Catch::Any], false);
///     b.call(begin, &[caught.exception]);
///     b.call(end, &[]);
///     let wanted = b.selector(Some(int));
///     let is_int = b.icmp(IntCc::Eq, caught.selector, wanted);
///     let value = b.select(is_int, n, minus_one);
///     b.ret(Some(value));
/// })?;
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Catch {
    /// Those of the type that this data describes, for example C++'s `typeinfo`.
    Type(Global),
    /// All.
    Any,
    /// Those of all types but these: an exception specification.
    Except(Vec<Global>),
}

/// The values at a landing pad.
///
/// ```
/// # use gusset_compiler::{Body, Func};
/// /// A pad that tidies up, and sends all exceptions on.
/// fn clean_up(b: &mut Body<'_, '_>, tidy: Func) {
///     let caught = b.landing_pad(&[], true);
///     b.call(tidy, &[]);
///     b.resume(caught.exception);
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caught {
    /// The exception, as `__cxa_begin_catch` and [`FunctionBuilder::resume`](gusset_codegen::ir::FunctionBuilder::resume) take it.
    pub exception: Value,
    /// An `i32`: equal to [`Body::selector`] for the [`Catch`] that took the exception, negative for a
    /// [`Catch::Except`], and 0 if the pad was entered for a cleanup only.
    pub selector: Value,
}

impl Body<'_, '_> {
    /// Sets the personality routine, which reads the function's table of pads during unwinding, for example
    /// `__gxx_personality_v0` of C++'s library. A function with pads must have one.
    pub fn personality(&mut self, routine: Func) {
        if let Some(symbol) = self.own(routine) {
            self.builder.func.exceptions.personality = Some(symbol);
        }
    }

    /// Sets the personality routine of C++'s library on the target: `__gxx_personality_v0`, which is `__gxx_personality_seh0` on 64-bit
    /// Windows, and `__CxxFrameHandler3` of Microsoft's library.
    pub fn cxx_personality(&mut self) {
        let target = self.object.target.abi();
        let name = match (target.env, target.is_windows() && target.pointer_bytes() == 8) {
            (Env::Msvc, _) => "__CxxFrameHandler3",
            (_, true) => "__gxx_personality_seh0",
            (_, false) => "__gxx_personality_v0",
        };
        let routine = self.declare(name, Signature::c(CType::I32).ellipsis(), Linkage::Import);
        if let Some(routine) = self.good(routine) {
            self.personality(routine);
        }
    }

    /// Sets where exceptions that leave later calls continue: at `pad`, which must begin with [`Body::landing_pad`], or
    /// with [`Body::catch_switch`] or [`Body::cleanup_pad`] for a personality routine of Microsoft's; with `None` they
    /// leave the function. Returns the previous setting. A call whose exceptions continue at a pad ends its block; what
    /// follows is in a new one.
    pub fn unwind_to(&mut self, pad: Option<Block>) -> Option<Block> {
        std::mem::replace(&mut self.unwind, pad)
    }

    /// Begins a landing pad, in an empty block. The first of `catches` that fits takes the exception. If `cleanup` is
    /// set, all other exceptions come here too: the program destroys what has to be destroyed, and resumes. Targets with
    /// Microsoft's library have [`Body::catch_switch`] and [`Body::cleanup_pad`] instead.
    pub fn landing_pad(&mut self, catches: &[Catch], cleanup: bool) -> Caught {
        if self.target().env == Env::Msvc {
            self.mistake("Microsoft's unwinder knows no landing pads: make a `catch_switch` or a `cleanup_pad`");
        }
        let pad = self.builder.func.exceptions.make_pad(cleanup);
        for catch in catches {
            match catch {
                Catch::Type(ty) => {
                    let ty = self.own(*ty);
                    self.builder.func.exceptions.append_catch(ty);
                }
                Catch::Any => self.builder.func.exceptions.append_catch(None),
                Catch::Except(types) => {
                    let types: Vec<_> = types.iter().map(|&ty| self.own(ty)).collect();
                    self.builder.func.exceptions.append_filter(&types);
                }
            }
        }
        let (exception, selector) = self.builder.landing_pad(pad);
        Caught { exception, selector }
    }

    /// The selector of exceptions of a type that a landing pad of this function takes; with `None`, of those taken by
    /// [`Catch::Any`].
    pub fn selector(&mut self, ty: Option<Global>) -> Value {
        let ty = ty.and_then(|ty| self.own(ty));
        let n = self.builder.func.exceptions.type_number(ty);
        self.builder.iconst(Type::I32, n.into())
    }

    /// Ends the block after a call that exceptions may leave.
    pub(super) fn end_call(&mut self) {
        if let Some(pad) = self.unwind {
            let next = self.builder.create_block();
            self.builder.invoke(next, &[], pad, &[]);
            self.builder.seal(next);
            self.builder.switch_to(next);
        }
    }
}
