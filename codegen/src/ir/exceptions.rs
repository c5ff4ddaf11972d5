//! What a function catches: its personality routine, the clauses of its landing pads, and the numbers of the types in
//! them.
//!
//! All of it is kept beside the function's body, so that a function without landing pads pays nothing. Terms are those
//! of the Itanium C++ ABI: Exception Handling, level II, and of LLVM's "Exception Handling in LLVM".

use std::collections::HashMap;

use super::module::SymbolId;
use crate::entity;

entity!(
    /// The clauses of a landing pad. Several blocks may share them.
    Pad, "pad"
);

/// A clause of a landing pad, tried in order. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clause {
    /// Catches exceptions of the type with this number; the selector is then the number.
    Catch(u32),
    /// Catches exceptions of all types but these, a list in [`Exceptions::filter`]. The selector is then negative.
    Filter {
        /// Where the list begins.
        start: u32,
        /// Number of types; 0: everything is caught.
        len: u32,
    },
}

/// The kind of a pad that exceptions come to. Landing pads are places in the function itself. The other kinds belong to
/// Windows' exceptions, in which handlers and cleanups are *funclets*: code that the personality routine calls while
/// the function's frame still stands.
///
/// An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PadKind {
    /// `landing_pad`, with clauses.
    Landing,
    /// `catch_switch`: the handlers of a `try` block.
    Switch {
        /// The pad of the funclet that it is in; `None`: the function itself.
        parent: Option<Pad>,
    },
    /// `catch_pad`: one of its handlers.
    Catch {
        /// The pad of the `catch_switch`.
        switch: Pad,
        /// What it takes: the type's descriptor in C++, the filter of `__except`. `None`: everything.
        what: Option<SymbolId>,
        /// In C++, adjectives of the type: 1 const, 2 volatile, 8 by reference, 64 everything (`ehdata.h`, `HT_*`).
        adjectives: u32,
    },
    /// `cleanup_pad`.
    Cleanup {
        /// The pad of the funclet that it is in; `None`: the function itself.
        parent: Option<Pad>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PadData {
    kind: PadKind,
    cleanup: bool,
    start: u32,
    len: u32,
}

/// The kind of personality routine that reads a function's tables, known by its name.
///
/// An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Personality {
    /// A routine that enters landing pads: that of Itanium's C++, and those like it.
    #[default]
    Landing,
    /// Microsoft's C++: `__CxxFrameHandler3`.
    Cxx,
    /// `__try` on 64-bit Windows: `__C_specific_handler`.
    Scopes,
    /// `__try` on 32-bit Windows: `_except_handler3` or `_except_handler4`, as this number says.
    TryLevels(u8),
}

impl Personality {
    /// The routine with this name, which has one more underscore on 32-bit Windows. Names that are not Microsoft's
    /// count as routines that enter landing pads.
    pub fn of_name(name: &str) -> Personality {
        match name {
            "__CxxFrameHandler3" | "___CxxFrameHandler3" => Personality::Cxx,
            "__C_specific_handler" => Personality::Scopes,
            "_except_handler3" | "__except_handler3" => Personality::TryLevels(3),
            "_except_handler4" | "__except_handler4" => Personality::TryLevels(4),
            _ => Personality::Landing,
        }
    }

    /// The state outside of all others, on systems where code stores its state.
    pub fn outside(self) -> i32 {
        if self == Personality::TryLevels(4) { -2 } else { -1 }
    }

    /// Are its pads funclets?
    pub fn has_funclets(self) -> bool {
        self != Personality::Landing
    }
}

/// What a function catches. Types are numbered from 1, in the order in which they were first asked for.
///
/// An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exceptions {
    /// The routine that reads the function's table during unwinding; without one there is no table.
    pub personality: Option<SymbolId>,
    /// The kind of the routine; the code generator finds it out from the name.
    pub routine: Personality,
    /// Exceptions that no call raises are caught, too, where `scope_begin` says so (`-EHa`).
    pub asynchronous: bool,
    types: Vec<Option<SymbolId>>,
    pads: Vec<PadData>,
    clauses: Vec<Clause>,
    filter_types: Vec<u32>,
    numbers: HashMap<Option<SymbolId>, u32>,
    funclets: bool,
}

impl Exceptions {
    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        (self.personality, self.routine) = (None, Personality::Landing);
        (self.asynchronous, self.funclets) = (false, false);
        self.pads.clear();
        self.clauses.clear();
        self.filter_types.clear();
        if !self.types.is_empty() {
            self.types.clear();
            self.numbers.clear();
        }
    }

    /// Becomes a copy of another, keeping its memory.
    pub fn copy_from(&mut self, other: &Exceptions) {
        self.clear();
        (self.personality, self.routine, self.funclets) = (other.personality, other.routine, other.funclets);
        self.asynchronous = other.asynchronous;
        self.pads.extend_from_slice(&other.pads);
        self.clauses.extend_from_slice(&other.clauses);
        self.filter_types.extend_from_slice(&other.filter_types);
        self.types.extend_from_slice(&other.types);
        self.numbers.extend(&other.numbers);
    }

    /// The number of a type, from 1 on, by the symbol of its type information; `None` means any type. A landing pad's
    /// selector equals this number when the type was caught (`llvm.eh.typeid.for`).
    pub fn type_number(&mut self, symbol: Option<SymbolId>) -> u32 {
        if let Some(&n) = self.numbers.get(&symbol) {
            return n;
        }
        self.types.push(symbol);
        let n = self.types.len() as u32;
        self.numbers.insert(symbol, n);
        n
    }

    /// The types in the order of their numbers, which start at 1. `None` is any type.
    pub fn types(&self) -> &[Option<SymbolId>] {
        &self.types
    }

    /// A new pad without clauses. A `cleanup` is entered for every exception, if only to run destructors.
    pub fn make_pad(&mut self, cleanup: bool) -> Pad {
        self.push_pad(PadKind::Landing, cleanup)
    }

    /// A new pad of a funclet, or of a `catchswitch`.
    pub fn make_funclet_pad(&mut self, kind: PadKind) -> Pad {
        self.funclets = true;
        self.push_pad(kind, matches!(kind, PadKind::Cleanup { .. }))
    }

    fn push_pad(&mut self, kind: PadKind, cleanup: bool) -> Pad {
        self.pads.push(PadData { kind, cleanup, start: self.clauses.len() as u32, len: 0 });
        Pad::new(self.pads.len() - 1)
    }

    /// Has the function funclets?
    #[inline]
    pub fn has_funclets(&self) -> bool {
        self.funclets
    }

    /// May control come back to the function after a handler?
    pub fn has_handlers(&self) -> bool {
        self.pads.iter().any(|pad| matches!(pad.kind, PadKind::Catch { .. }))
    }

    /// Renumbers the parents of pads: for readers that met the mention of a pad before the pad itself.
    pub fn rename_parents(&mut self, renamed: impl Fn(Pad) -> Pad) {
        for pad in &mut self.pads {
            match &mut pad.kind {
                PadKind::Landing => {}
                PadKind::Switch { parent } | PadKind::Cleanup { parent } => *parent = parent.map(&renamed),
                PadKind::Catch { switch, .. } => *switch = renamed(*switch),
            }
        }
    }

    /// Visits every mention of a symbol. Different symbols must stay different.
    pub(crate) fn for_each_symbol(&mut self, mut visit: impl FnMut(&mut SymbolId)) {
        self.personality.as_mut().map(&mut visit);
        self.types.iter_mut().flatten().for_each(&mut visit);
        let numbers = std::mem::take(&mut self.numbers);
        self.numbers.extend(numbers.into_iter().map(|(mut symbol, number)| {
            symbol.as_mut().map(&mut visit);
            (symbol, number)
        }));
        for pad in &mut self.pads {
            if let PadKind::Catch { what: Some(what), .. } = &mut pad.kind {
                visit(what);
            }
        }
    }

    /// The kind of a pad.
    pub fn kind(&self, pad: Pad) -> PadKind {
        self.pads[pad.index()].kind
    }

    /// The funclet that the block of a pad belongs to, by its pad: the pad itself if it begins one, else the funclet
    /// around it. `None`: the function itself.
    pub fn funclet_of(&self, pad: Pad) -> Option<Pad> {
        match self.kind(pad) {
            PadKind::Cleanup { .. } => Some(pad),
            // Handlers of `__except` belong to the function itself.
            PadKind::Catch { .. } if self.routine == Personality::Cxx => Some(pad),
            _ => self.funclet_around(pad),
        }
    }

    /// The funclet around the funclet of a pad, or around a `catchswitch`.
    pub fn funclet_around(&self, pad: Pad) -> Option<Pad> {
        let mut parent = self.parent(pad);
        // In a well-formed function the loop ends long before.
        for _ in 0..=self.pads.len() {
            match self.kind(parent?) {
                PadKind::Catch { .. } if self.routine != Personality::Cxx => parent = self.parent(parent?),
                _ => break,
            }
        }
        parent
    }

    /// The pad of the funclet that a funclet or a `catchswitch` is in; for a handler, that of its `catchswitch`.
    /// `None`: the function itself.
    pub fn parent(&self, pad: Pad) -> Option<Pad> {
        match self.kind(pad) {
            PadKind::Landing => None,
            PadKind::Switch { parent } | PadKind::Cleanup { parent } => parent,
            PadKind::Catch { switch, .. } => match self.kind(switch) {
                PadKind::Switch { parent } => parent,
                _ => None,
            },
        }
    }

    /// Makes every pad a cleanup.
    pub fn make_cleanups(&mut self) {
        self.pads.iter_mut().for_each(|p| p.cleanup = true);
    }

    /// Adds a clause to the newest pad, which catches a type.
    pub fn append_catch(&mut self, symbol: Option<SymbolId>) {
        let n = self.type_number(symbol);
        self.append(Clause::Catch(n));
    }

    /// Adds a clause to the newest pad, which catches all but these types.
    pub fn append_filter(&mut self, symbols: &[Option<SymbolId>]) {
        let start = self.filter_types.len() as u32;
        for &s in symbols {
            let n = self.type_number(s);
            self.filter_types.push(n);
        }
        self.append(Clause::Filter { start, len: symbols.len() as u32 });
    }

    fn append(&mut self, clause: Clause) {
        if let Some(pad) = self.pads.last_mut() {
            pad.len += 1;
            self.clauses.push(clause);
        }
    }

    /// Number of pads.
    pub fn pad_count(&self) -> usize {
        self.pads.len()
    }

    /// Is the pad entered for every exception?
    pub fn is_cleanup(&self, pad: Pad) -> bool {
        self.pads[pad.index()].cleanup
    }

    /// A pad's clauses, in the order in which they are tried.
    pub fn clauses(&self, pad: Pad) -> &[Clause] {
        let p = self.pads[pad.index()];
        &self.clauses[p.start as usize..(p.start + p.len) as usize]
    }

    /// The numbers of a filter's types.
    pub fn filter(&self, start: u32, len: u32) -> &[u32] {
        &self.filter_types[start as usize..(start + len) as usize]
    }
}
