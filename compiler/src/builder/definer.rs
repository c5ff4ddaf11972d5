//! What a thread needs to define functions of an object: a compiler with its tables, and a copy of the symbols.

use std::sync::Arc;

use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::debug::DebugInfo;
use gusset_codegen::dump::Dumped;
use gusset_codegen::ir::{Function, Module, SigData, SymbolId, SymbolKind};
use gusset_targets::FunctionCompiler;

use super::debug::body::BodyDebug;
use super::declarations::Declarations;
use super::items::ObjectId;
use super::signatures::Signatures;

/// A compiler, and what it needs to know of the object.
pub(super) struct Definer<'t> {
    pub known: Known<'t>,
    pub function: Function,
    pub compiler: Box<dyn FunctionCompiler + 't>,
}

/// Copies of an object's symbols, which a thread reads without waiting for others.
pub(super) struct Known<'t> {
    /// The module without data and bodies.
    pub module: Module,
    pub signatures: Signatures<'t>,
    /// How functions are called, by symbol.
    declared: Vec<Option<Arc<SigData>>>,
    /// The [version](Declarations::version) of the object that was copied.
    version: Option<(ObjectId, u32)>,
    /// Thread-local symbols are emulated.
    emulated_tls: bool,
    /// What expands intrinsics, if one has been asked for.
    #[cfg(feature = "llvm")]
    pub intrinsics: Option<Box<gusset_lower::IntrinsicLowering>>,
}

impl<'t> Definer<'t> {
    pub fn new(
        compiler: Box<dyn FunctionCompiler + 't>,
        module: &Module,
        signatures: Signatures<'t>,
        emulated_tls: bool,
    ) -> Self {
        let known = Known {
            module: module.without_symbols(),
            signatures,
            declared: Vec::new(),
            version: None,
            emulated_tls,
            #[cfg(feature = "llvm")]
            intrinsics: None,
        };
        Definer { known, function: Function::new(), compiler }
    }
}

impl Known<'_> {
    /// Copies the symbols that are new, or all if some have changed.
    pub fn update(&mut self, declarations: &Declarations<'_>) {
        if self.version.replace(declarations.version()) != Some(declarations.version()) {
            self.module.symbols.clear();
            self.module.machine_ops.clear();
            self.declared.clear();
        }
        let from = self.declared.len();
        if from == 0 {
            self.module.prefixes.clone_from(&declarations.module.prefixes);
        }
        let known = self.module.machine_ops.len();
        self.module.machine_ops.extend_from_slice(&declarations.module.machine_ops[known..]);
        self.module.symbols.extend_from_slice(&declarations.module.symbols[from..]);
        if self.emulated_tls {
            // `emulate_tls` changes the module's own when all functions are there.
            for symbol in self.module.symbols[from..].iter_mut().filter(|symbol| symbol.is_tls()) {
                symbol.kind = SymbolKind::EmulatedTls;
            }
        }
        let new = (from..declarations.module.symbols.len()).map(SymbolId::new);
        self.declared.extend(new.map(|symbol| declarations.signature(symbol).cloned()));
    }

    /// Does it have the symbol?
    pub fn has(&self, symbol: SymbolId) -> bool {
        symbol.index() < self.declared.len()
    }

    /// Is it thread-local data?
    pub fn is_thread_local(&self, symbol: SymbolId) -> bool {
        matches!(self.module.symbol(symbol).kind, SymbolKind::Tls(_) | SymbolKind::EmulatedTls)
    }

    /// How a function is called; `None` for anything else.
    pub fn signature(&self, symbol: SymbolId) -> Option<&Arc<SigData>> {
        self.declared.get(symbol.index())?.as_ref()
    }
}

/// A function that has been compiled, with what is needed to put it where it belongs.
pub(super) struct Defined {
    /// Boxed: it is large, and the list of them grows.
    pub compiled: Box<CompiledFunction>,
    /// The symbols that were declared or first used in its body, in order.
    pub made: Vec<SymbolId>,
    /// Its text at the stage that was asked for, if one was.
    pub text: Option<Box<Dumped>>,
    /// Its IR, if that was asked for.
    pub ir: Option<Box<Function>>,
    /// What it says of the source program.
    pub debug: Option<Box<BodyDebug>>,
}

impl Defined {
    /// Its text at the stage that was asked for.
    pub fn shown(&self, info: Option<&DebugInfo>) -> String {
        self.text.as_ref().map(|text| text.text(info)).unwrap_or_default()
    }
}

/// The order of an object's symbols that does not depend on which thread was first: those declared while no body was
/// open, and then what each function's body declared, by function.
pub(super) fn order(declarations: &Declarations<'_>, defined: &[Defined]) -> Vec<SymbolId> {
    let count = declarations.module.symbols.len();
    let mut made_by: Vec<&[SymbolId]> = vec![&[]; count];
    for function in defined {
        made_by[function.compiled.symbol.index()] = &function.made;
    }
    let (mut of_bodies, mut order): (Vec<SymbolId>, Vec<SymbolId>) =
        (0..count).map(SymbolId::new).partition(|&symbol| declarations.is_of_body(symbol));
    let mut placed = vec![true; count];
    of_bodies.iter().for_each(|symbol| placed[symbol.index()] = false);
    let mut next = 0;
    while let Some(&symbol) = order.get(next) {
        let made = made_by[symbol.index()].iter();
        order.extend(made.filter(|symbol| !std::mem::replace(&mut placed[symbol.index()], true)));
        next += 1;
    }
    // Bodies that failed have made the rest.
    of_bodies.retain(|symbol| !placed[symbol.index()]);
    of_bodies.sort_by_cached_key(|&symbol| declarations.module.symbol(symbol).name.clone());
    order.extend(of_bodies);
    order
}
