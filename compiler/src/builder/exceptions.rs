//! Exceptions: calls that may be left by one, and the blocks where these go on.

use gusset_codegen::ir::{Block, Type, Value};

use super::{Body, Func, Global};

/// Which exceptions a landing pad takes.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Catch {
    /// Those of the type that this data describes, such as C++'s `typeinfo`.
    Type(Global),
    /// All.
    Any,
    /// Those of any type but these: an exception specification.
    Except(Vec<Global>),
}

/// What a landing pad finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caught {
    /// The exception, as `__cxa_begin_catch` and [`FunctionBuilder::resume`](gusset_codegen::ir::FunctionBuilder::resume) take it.
    pub exception: Value,
    /// An `i32`: what [`Body::selector`] gives for the [`Catch`] that took it, negative if it was a [`Catch::Except`], and 0 if
    /// the pad was entered for a cleanup alone.
    pub selector: Value,
}

impl Body<'_, '_> {
    /// Sets the personality routine, which reads the function's table of pads while the stack is unwound:
    /// `__gxx_personality_v0` of C++'s library, say. A function with pads must have one.
    pub fn personality(&mut self, routine: Func) {
        if let Some(symbol) = self.own(routine) {
            self.builder.func.exceptions.personality = Some(symbol);
        }
    }

    /// From here on, an exception that leaves a call goes on at `pad`, which is to begin with [`Body::landing_pad`], or with
    /// [`Body::catch_switch`] or [`Body::cleanup_pad`] where the personality routine is one of Microsoft's; with
    /// `None` it leaves the function. Gives what held before. A call that may go on at a pad ends its block, and what follows
    /// it is in a new one.
    pub fn unwind_to(&mut self, pad: Option<Block>) -> Option<Block> {
        std::mem::replace(&mut self.unwind, pad)
    }

    /// Begins a landing pad, in a block that is empty yet. It takes exceptions by the first of `catches` that fits; if `cleanup`
    /// is set all others come here too, for the program to destroy what is to be destroyed and to resume.
    pub fn landing_pad(&mut self, catches: &[Catch], cleanup: bool) -> Caught {
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

    /// The selector of exceptions of a type that a landing pad of this function has taken; with `None`, of those taken by
    /// [`Catch::Any`].
    pub fn selector(&mut self, ty: Option<Global>) -> Value {
        let ty = ty.and_then(|ty| self.own(ty));
        let n = self.builder.func.exceptions.type_number(ty);
        self.builder.iconst(Type::I32, n.into())
    }

    /// Ends the block behind a call that exceptions may leave.
    pub(super) fn end_call(&mut self) {
        if let Some(pad) = self.unwind {
            let next = self.builder.create_block();
            self.builder.invoke(next, &[], pad, &[]);
            self.builder.seal(next);
            self.builder.switch_to(next);
        }
    }
}
