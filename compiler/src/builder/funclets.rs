//! Windows' own exceptions, as in Microsoft's compilers: handlers and cleanups are *funclets*, code that the
//! personality routine calls while the frame of its function still stands.

use gusset_codegen::ir::{Block, Pad, PadKind, Personality, Value};

use super::{Body, Func, Global};

/// Which exceptions a handler takes. An example is at [`Handler`].
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
        /// The handler declares a reference: it gets the object's address.
        reference: bool,
        /// The local variable ([`Body::local`]) for the object or its address.
        place: Option<Value>,
    },
    /// Exceptions for which a filter of `__except` says so. It is `int (EXCEPTION_POINTERS *, void *frame)`, and
    /// returns 1 to take the exception, 0 to pass it on, -1 to continue where it was raised. On 32-bit Windows it has
    /// no parameters.
    Filtered(Func),
}

/// A handler of a `try` block: the exceptions that it takes, and the block that begins with its [`Body::catch_pad`].
///
/// ```
/// # use gusset_abi::{CType, Signature};
/// # use gusset_compiler::{BuilderOptions, Features, Handler, Linkage, ObjectBuilder, Takes, Target};
/// let target = Target::from_triple("x86_64-pc-windows-msvc", &Features::default())?;
/// let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
/// let number = Signature::c(CType::I32).param(CType::I32);
/// let risky = object.declare("risky", number.clone(), Linkage::Import)?;
/// let routine = Signature::c(CType::I32).ellipsis();
/// let routine = object.declare("__CxxFrameHandler3", routine, Linkage::Import)?;
/// // int f(int n) { try { return risky(n); } catch (...) { } return -1; }
/// let f = object.declare("f", number, Linkage::Export)?;
/// object.define(f, |b| {
///     b.personality(routine);
///     let (n, minus_one) = (b.param(0), b.i32_const(-1));
///     let (switch, handler, after) = (b.create_block(), b.create_block(), b.create_block());
///     b.unwind_to(Some(switch));
///     let result = b.call(risky, &[n]);
///     b.unwind_to(None);
///     b.ret(result);
///
///     b.seal(switch);
///     b.switch_to(switch);
///     let made = b.catch_switch(&[Handler { takes: Takes::Everything, block: handler }], None);
///     b.seal(handler);
///     b.switch_to(handler);
///     b.catch_pad(made[0]);
///     b.catch_ret(made[0], after);
///     b.seal(after);
///     b.switch_to(after);
///     b.ret(Some(minus_one));
/// })?;
/// # Ok::<(), gusset_compiler::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handler {
    /// The exceptions that it takes.
    pub takes: Takes,
    /// Its first block.
    pub block: Block,
}

/// A handler or a cleanup of the function that is being built. An example is at [`Handler`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Funclet(usize);

/// What is known about a funclet.
pub(super) struct FuncletData {
    pad: Pad,
    /// Where exceptions continue that leave it.
    unwind: Option<Block>,
    around: Option<Funclet>,
    /// The place for a handler's object.
    place: Option<Value>,
}

impl Body<'_, '_> {
    /// Sets the funclet that later calls are in; `None` is the function itself. Exceptions that leave them continue
    /// where those continue that leave the funclet, until [`Body::unwind_to`] changes that; those of the function leave
    /// it. Returns the previous funclet. [`Body::catch_pad`] and [`Body::cleanup_pad`] set their own funclet, and the
    /// ends of funclets the one around.
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

    /// The kind of personality routine, which must be one with such funclets.
    fn routine(&mut self, funclets: &str) -> Personality {
        let symbol = self.builder.func.exceptions.personality;
        let routine =
            symbol.map_or(Personality::Landing, |symbol| Personality::of_name(&self.known.module.symbol(symbol).name));
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

    /// The pad around a new pad, by the calls so far.
    fn pad_around(&mut self) -> Option<Pad> {
        let around = self.within?;
        self.pad(around)
    }

    /// Fills an empty block that exceptions come to. They continue at the first handler that takes them; else at
    /// `unwind`, which must begin with another [`Body::catch_switch`] or [`Body::cleanup_pad`]; else outside the
    /// function. The block is in the funclet of [`Body::within`]. The personality routine ([`Body::personality`]) is
    /// `__CxxFrameHandler3` for C++; for `__try`, `__C_specific_handler`, or on 32-bit Windows `_except_handler3` or
    /// `_except_handler4`. Returns the handlers' funclets.
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

    /// Begins a handler, in an empty block. Returns the exception's code, an `i32`, which only has a meaning in
    /// `__except` on 64-bit Windows.
    pub fn catch_pad(&mut self, handler: Funclet) -> Value {
        let Some(&FuncletData { pad, place, .. }) = self.funclet(handler) else { return self.no_value() };
        let place = place.unwrap_or_else(|| self.builder.ptr_const(0));
        self.within(Some(handler));
        self.builder.catch_pad(pad, place)
    }

    /// Ends a handler: control continues at `to`, in the function or funclet around the `try` block.
    pub fn catch_ret(&mut self, handler: Funclet, to: Block) {
        let Some(pad) = self.pad(handler) else { return };
        let edge = self.builder.edge(to, &[]);
        self.builder.catch_ret(pad, edge);
        self.end_funclet(handler);
    }

    /// Begins a cleanup, in an empty block: it destroys objects on the way out, or is the block of a `__finally`.
    /// Afterwards unwinding continues at `unwind`, or outside the function. The block is in the funclet of
    /// [`Body::within`].
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
        self.end_funclet(cleanup);
    }

    fn end_funclet(&mut self, funclet: Funclet) {
        let around = self.funclet(funclet).and_then(|f| f.around);
        self.within(around);
    }

    /// Sets the funclet that the last call is in.
    pub(super) fn place_call(&mut self) {
        if let Some(pad) = self.pad_around() {
            self.builder.within(pad);
        }
    }
}
