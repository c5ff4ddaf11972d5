//! Windows' own exceptions, as Microsoft's compilers have them: handlers and cleanups that are *funclets*, code that the personality
//! routine calls while the frame of its function still stands.

use gusset_codegen::ir::{Block, Pad, PadKind, Personality, Value};

use super::{Body, Func, Global};

/// Which exceptions a handler takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Takes {
    /// All: `catch (...)`, `__except (1)`.
    Everything,
    /// Objects of a type of C++.
    Object {
        /// The type's descriptor: `??_R0H@8` is that of `int`.
        descriptor: Global,
        /// The handler declares the object as `const`.
        constant: bool,
        /// It declares the object as `volatile`.
        volatile: bool,
        /// It declares a reference: what it gets is the object's address.
        reference: bool,
        /// The local variable ([`Body::local`]) that gets the object or its address.
        place: Option<Value>,
    },
    /// Those for which a filter of `__except` says so: `int (EXCEPTION_POINTERS *, void *frame)`, which gives 1 to take one, 0 to
    /// pass it on, -1 to go on where it came from. On 32-bit Windows it has no parameters.
    Filtered(Func),
}

/// A handler of a `try` block: which exceptions it takes, and the block that begins with its [`Body::catch_pad`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handler {
    /// Which it takes.
    pub takes: Takes,
    /// Where it begins.
    pub block: Block,
}

/// A handler or a cleanup of the function that is being built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Funclet(usize);

/// What is known of a funclet.
pub(super) struct FuncletData {
    pad: Pad,
    /// Where exceptions go that leave it.
    unwind: Option<Block>,
    around: Option<Funclet>,
    /// Where a handler gets the object.
    place: Option<Value>,
}

impl Body<'_, '_> {
    /// From here on calls stand in a funclet, and exceptions that leave them go where those go that leave the funclet, until
    /// [`Body::unwind_to`] says otherwise; with `None`, in the function itself, which they leave. Gives the funclet from before.
    /// [`Body::catch_pad`] and [`Body::cleanup_pad`] do the same for their own, and the ends of funclets for the one around.
    pub fn within(&mut self, funclet: Option<Funclet>) -> Option<Funclet> {
        self.unwind = funclet.and_then(|funclet| self.funclet(funclet)?.unwind);
        std::mem::replace(&mut self.within, funclet)
    }

    fn funclet(&mut self, funclet: Funclet) -> Option<&FuncletData> {
        if funclet.0 >= self.funclets.len() {
            self.mistake("the funclet is one of another function");
        }
        self.funclets.get(funclet.0)
    }

    /// The pad of a funclet.
    fn pad(&mut self, funclet: Funclet) -> Option<Pad> {
        self.funclet(funclet).map(|f| f.pad)
    }

    /// What reads the function's tables, which has to be one that has such funclets.
    fn routine(&mut self, funclets: &str) -> Personality {
        let symbol = self.builder.func.exceptions.personality;
        let routine =
            symbol.map_or(Personality::Landing, |symbol| Personality::of_name(&self.facts.module.symbol(symbol).name));
        if !routine.has_funclets() {
            let message = "as funclets need one of Microsoft's personality routines, which comes first";
            self.mistake(format!("{funclets} {message}"));
        }
        routine
    }

    fn make_funclet(&mut self, kind: PadKind, unwind: Option<Block>, place: Option<Value>) -> Funclet {
        let pad = self.builder.func.exceptions.make_funclet_pad(kind);
        self.funclets.push(FuncletData { pad, unwind, around: self.within, place });
        Funclet(self.funclets.len() - 1)
    }

    /// The pad that a new pad stands in, by the calls here.
    fn pad_around(&mut self) -> Option<Pad> {
        let around = self.within?;
        self.pad(around)
    }

    /// Fills an empty block that exceptions come to: on to the first handler that takes the exception, else to `unwind`, which begins
    /// with another [`Body::catch_switch`] or [`Body::cleanup_pad`], or out of the function. It stands in the funclet of
    /// [`Body::within`]. The personality routine ([`Body::personality`]) is `__CxxFrameHandler3` for C++;
    /// `__C_specific_handler`, on 32-bit Windows `_except_handler3` or `_except_handler4`, for `__try`. Gives the handlers' funclets.
    pub fn catch_switch(&mut self, handlers: &[Handler], unwind: Option<Block>) -> Vec<Funclet> {
        let routine = self.routine("handlers");
        let parent = self.pad_around();
        let switch = self.builder.func.exceptions.make_funclet_pad(PadKind::Switch { parent });
        let edges: Vec<_> = handlers.iter().map(|h| self.builder.edge(h.block, &[])).collect();
        let out = unwind.map(|block| self.builder.edge(block, &[]));
        self.builder.catch_switch(switch, &edges, out);
        let mut made = Vec::with_capacity(handlers.len());
        for handler in handlers {
            let (what, adjectives, place) = match handler.takes {
                // `HT_IsStdDotDot` of `ehdata.h`.
                Takes::Everything => (None, if routine == Personality::Cxx { 64 } else { 0 }, None),
                Takes::Object { descriptor, constant, volatile, reference, place } => {
                    if routine != Personality::Cxx {
                        self.mistake("a handler of `__except` takes no objects");
                    }
                    let adjectives = u32::from(constant) | u32::from(volatile) << 1 | u32::from(reference) << 3;
                    (self.own(descriptor), adjectives, place)
                }
                Takes::Filtered(filter) => {
                    if routine == Personality::Cxx {
                        self.mistake("a handler of C++ has no filter");
                    }
                    (self.own(filter), 0, None)
                }
            };
            made.push(self.make_funclet(PadKind::Catch { switch, what, adjectives }, unwind, place));
        }
        made
    }

    /// Begins a handler, in a block that is empty yet. Gives the exception's code, an `i32`, which means something in `__except`
    /// on 64-bit Windows alone.
    pub fn catch_pad(&mut self, handler: Funclet) -> Value {
        let Some(&FuncletData { pad, place, .. }) = self.funclet(handler) else { return self.no_value() };
        let place = place.unwrap_or_else(|| self.builder.ptr_const(0));
        self.within(Some(handler));
        self.builder.catch_pad(pad, place)
    }

    /// Ends a handler: on to `to`, in the function or funclet around the `try` block.
    pub fn catch_ret(&mut self, handler: Funclet, to: Block) {
        let Some(pad) = self.pad(handler) else { return };
        let edge = self.builder.edge(to, &[]);
        self.builder.catch_ret(pad, edge);
        self.leave(handler);
    }

    /// Begins a cleanup, in a block that is empty yet: what is to be destroyed on the way out, and the block of `__finally`. Behind it
    /// unwinding goes on at `unwind`, or out of the function. It stands in the funclet of [`Body::within`].
    pub fn cleanup_pad(&mut self, unwind: Option<Block>) -> Funclet {
        self.routine("cleanups");
        let parent = self.pad_around();
        let cleanup = self.make_funclet(PadKind::Cleanup { parent }, unwind, None);
        self.within(Some(cleanup));
        if let Some(pad) = self.pad(cleanup) {
            self.builder.cleanup_pad(pad);
        }
        cleanup
    }

    /// Ends a cleanup.
    pub fn cleanup_ret(&mut self, cleanup: Funclet) {
        let Some(&FuncletData { pad, unwind, .. }) = self.funclet(cleanup) else { return };
        let edge = unwind.map(|block| self.builder.edge(block, &[]));
        self.builder.cleanup_ret(pad, edge);
        self.leave(cleanup);
    }

    fn leave(&mut self, funclet: Funclet) {
        let around = self.funclet(funclet).and_then(|f| f.around);
        self.within(around);
    }

    /// Says which funclet the call that was just made stands in.
    pub(super) fn place_call(&mut self) {
        if let Some(pad) = self.pad_around() {
            self.builder.within(pad);
        }
    }
}
