//! All errors of a module at once.
//!
//! Reading ends at the first error. To report all errors, the module is read again in another way: an operation that
//! cannot be read or converted is skipped by its brackets, and its results are poisoned. Uses of them fail silently,
//! and so does an operation whose regions contain a failure; unknown operations are errors whatever they use. A syntax
//! error ends the function, because nothing after it would have a meaning. The functions that are made in this way are
//! not used.

use gusset_abi::{AbiTarget, Convention};
use gusset_codegen::ir::Function;
use gusset_program::{MAX_DEPTH, ParamAttrs, Sink, VOID};
use gusset_text::{ReadError, Result};

use crate::context::Declared;
use crate::context::recovery::Recovery;
use crate::context::{Body, BodyKind};
use crate::convert::body::BodyReader;
use crate::convert::build::Build;
use crate::convert::reader::{Ending, Reader};
use crate::import::{BodyImporter, import_text};
use crate::module::choices::Choices;
use crate::syntax::Next;
use crate::syntax::module::Extents;
use crate::syntax::op::{POISONED, Value};
use crate::syntax::op_span::{Begins, OpSpan};

/// Most bytes of types that a message shows.
const LONGEST: usize = 160;

/// All errors of a module to be compiled, as one error that the others follow; `None` if reading finds none. Only some
/// errors are useful: if there are many, the rest is counted. Arguments are as for [`crate::read_module`].
pub fn all_errors(source: &[u8], name: &str, target: &AbiTarget, choices: Choices) -> Option<ReadError> {
    let mut recovery = Box::<Recovery>::default();
    match crate::module::read(source, name, target, choices, (Extents::Exact, Some(&mut recovery))) {
        Ok(module) => {
            let (mut bodies, mut func) = (BodyReader::new(&module), Function::new());
            for body in &module.bodies {
                let reader = bodies.reader(body.range.start, &mut func, body.range.len());
                recovery = reader.recover_body(body, recovery);
            }
        }
        Err(error) => recovery.push(error),
    }
    recovery.all(name)
}

/// The same of a module that is to be translated. Arguments are as for [`import_module`](crate::import_module).
pub fn all_translation_errors(
    source: &[u8],
    name: &str,
    target: Option<&AbiTarget>,
    choices: Choices,
) -> Option<ReadError> {
    let mut recovery = Box::<Recovery>::default();
    match import_text(source, name, target, choices, Some(&mut recovery)) {
        Ok(module) => {
            let (mut bodies, mut func) = (BodyImporter::new(&module), gusset_program::Function::default());
            for body in &module.bodies {
                recovery = bodies.recovery(body, &mut func, recovery);
            }
        }
        Err(error) => recovery.push(error),
    }
    recovery.all(name)
}

impl<'r, E: Sink> Reader<'r, E> {
    /// Whether names in this region may be unknown, because the operation that contains it could not be read.
    pub fn is_lost(&self) -> bool {
        self.recovery.as_ref().is_some_and(|s| s.lost > 0)
    }

    /// Whether the function's results are unknown.
    pub fn is_headless(&self) -> bool {
        self.recovery.as_ref().is_some_and(|s| s.headless)
    }

    fn recovery(&mut self) -> &mut Recovery {
        self.recovery.get_or_insert_default()
    }

    /// Reads a body for its errors, which the recovery collects.
    pub fn recover_body(mut self, body: &Body, mut recovery: Box<Recovery>) -> Box<Recovery> {
        if recovery.has_ended() {
            return recovery;
        }
        (recovery.failures, recovery.lost, recovery.reached, recovery.headless) = (0, 0, 0, false);
        self.recovery = Some(recovery);
        let ended = self.recover_function(body);
        let mut recovery = self.recovery.take().unwrap_or_default();
        if let Err(error) = ended
            && !recovery.has_ended()
        {
            recovery.push(error);
        }
        recovery
    }

    /// Reads a body for its errors; a returned error ends it.
    fn recover_function(&mut self, body: &Body) -> Result<()> {
        let (f, start) = (self.declared(body), body.range.start);
        let mut sound = true;
        for slot in f.results.iter().chain(f.params) {
            let fits = self.check(slot.ty, slot.pos).and_then(|()| self.travelling(slot.ty, self.bare, slot.pos));
            if let Err(error) = fits {
                sound = false;
                self.recovery().push(error);
            }
        }
        if body.kind != BodyKind::Operations {
            return if sound { self.whole_function(body) } else { Ok(()) };
        }
        let begun = if sound { self.begin(f, body, start).map(Some) } else { Ok(None) };
        let entry = match begun {
            Ok(Some(entry)) => entry,
            other => {
                if let Err(error) = other {
                    self.recovery().push(error);
                }
                self.recovery().failures += 1;
                self.recovery().headless = true;
                self.begin_anyhow(f, body, start)?
            }
        };
        self.name_parameters(f, &entry)?;
        let Some(open) = body.open else { return Ok(()) };
        let outer = self.enter_region(open)?;
        self.operations(&entry)?;
        if self.recovery().failures > 0 {
            return Ok(());
        }
        self.src.refuse_if(self.l.current_block().is_some(), self.next, "the last block has no terminator")?;
        self.check_all_defined()?;
        self.close_scope(outer)?;
        self.finish()
    }

    /// Begins a function whose header is unusable, with values for its parameters.
    fn begin_anyhow(&mut self, f: Declared<'r>, body: &Body, start: usize) -> Result<Vec<Value>> {
        self.results = f.results.iter().map(|r| r.ty).collect();
        self.s.call.begin(Convention::C, VOID, ParamAttrs::default());
        self.begin_plain(body.symbol, start)?;
        let mut entry = Vec::with_capacity(f.params.len());
        for slot in f.params {
            let sound = self.check(slot.ty, slot.pos).and_then(|()| self.stand_in(slot.ty, slot.pos));
            entry.push(sound.unwrap_or(Value { ty: slot.ty, at: POISONED }));
        }
        Ok(entry)
    }

    /// Like [`operations`](Self::operations), but reads to the end whatever is wrong.
    #[cold]
    pub fn recover_operations(&mut self, entry: &[Value]) -> Result<()> {
        let mut first = true;
        loop {
            let pos = self.next;
            match self.parse(|p| p.next_in_region())? {
                Next::Label => self.recover_block(first.then_some(entry))?,
                Next::Operation => self.recover_operation()?,
                Next::End => {
                    self.recovery().reached = pos;
                    return Ok(());
                }
            }
            first = false;
        }
    }

    /// Reads a block's header, whatever is wrong with it.
    fn recover_block(&mut self, entry: Option<&[Value]>) -> Result<()> {
        let start = self.next;
        if entry.is_none() && self.recovery().failures > 0 {
            // The operation that should have ended the block before may be one that failed.
            self.ended = None;
            if self.l.current_block().is_some() {
                self.l.unreachable();
            }
        }
        match if entry.is_some() && self.is_lost() { Err(None) } else { self.start_block(entry).map_err(Some) } {
            Ok(()) => return Ok(()),
            Err(Some(error)) if error.is_syntax() => return Err(error),
            Err(error) => {
                let recovery = self.recovery();
                recovery.failures += 1;
                if recovery.lost == 0
                    && let Some(error) = error
                {
                    recovery.push(error);
                }
            }
        }
        self.next = start;
        for (name, _) in self.parse(|p| p.label(false))?.names {
            self.poison(name, 1);
        }
        self.open_block();
        Ok(())
    }

    /// Makes sure that operations may follow.
    fn open_block(&mut self) {
        self.ended = None;
        if self.l.current_block().is_none() {
            let block = self.l.create_block();
            self.l.start_block(block);
        }
    }

    /// Reads an operation; if that fails, moves over it.
    fn recover_operation(&mut self) -> Result<()> {
        let start = self.next;
        let (scope, depth, ending, loops, mask) =
            (self.scope(), self.depth, self.ending.clone(), self.loops, self.mask);
        let before = self.recovery().failures;
        let error = match self.operation() {
            Ok(()) => return Ok(()),
            Err(error) if error.is_syntax() || self.recovery().has_ended() => return Err(error),
            Err(error) => error,
        };
        self.recovery().errors.add_work(start);
        (self.depth, self.ending, self.loops, self.mask) = (depth, ending, loops, mask);
        if self.scope() != scope {
            // Names of a region that was not closed. Other errors in it do not matter any more.
            let _ = self.close_scope(scope);
        }
        self.open_block();
        self.next = start;
        let (mut results, m, dialect) = (Vec::new(), self.m, self.dialect);
        self.parse(|p| p.result_names(&mut results))?;
        let span = self.parse(|p| p.span(&|word| Begins::short(m.named(word, dialect).is_some())))?;
        self.judge(error, &span, self.recovery.as_ref().is_some_and(|s| s.failures > before));
        self.recovery().failures += 1;
        for &at in &span.regions {
            let seen = at < self.recovery().reached;
            if !seen && self.is_known(span.name) && self.depth < MAX_DEPTH {
                self.lost_region(at)?;
            }
        }
        for (r, count) in results {
            self.poison(r, count);
        }
        self.next = span.end;
        self.open_block();
        Ok(())
    }

    fn is_known(&self, name: &[u8]) -> bool {
        self.m.named(name, self.dialect).is_some()
    }

    /// Reports the error of an operation, unless it is a consequence of an earlier one.
    fn judge(&mut self, error: ReadError, span: &OpSpan<'r>, inner: bool) {
        let types = self.types_text(span);
        if !self.is_known(span.name) {
            let error = self.src.error(span.pos, crate::convert::advice::unknown(span.name, &types));
            return self.recovery().push(error);
        }
        if inner || self.uses_poison(span) {
            return;
        }
        let error = match self.foreign_in(span) {
            Some((text, why)) => {
                let name = String::from_utf8_lossy(span.name);
                self.src.error(span.pos, format!("the operation `{name}` has the type `{text}`: {why}"))
            }
            None => error,
        };
        self.recovery().push(error);
    }

    /// The types of an operation in its text.
    fn types_text(&self, span: &OpSpan<'r>) -> String {
        let Some(from) = span.types.filter(|&at| at < span.end) else { return String::new() };
        let text = &self.src.text[from..span.end];
        let end = memchr::memmem::find(text, b" loc(").unwrap_or(text.len());
        let line_end = memchr::memchr(b'\n', &text[..end]).unwrap_or(end);
        let text = String::from_utf8_lossy(&text[..line_end]);
        let text = text.split(" {").next().unwrap_or_default().trim();
        match text.char_indices().nth(LONGEST) {
            Some((at, _)) => format!("{}…", &text[..at]),
            None => text.to_string(),
        }
    }

    /// Whether an operation uses an unknown value.
    fn uses_poison(&mut self, span: &OpSpan<'r>) -> bool {
        let lost = self.is_lost();
        let (values, symbols) = self.parse_at(span.pos, |p| p.names_before(span.head_end));
        let lost_symbols = &self.recovery().lost_symbols;
        symbols.iter().any(|name| lost_symbols.contains(&**name))
            || values.into_iter().any(|r| self.is_poisoned(r, lost))
    }

    /// A type in an operation's text that is not converted, and the reason.
    fn foreign_in(&mut self, span: &OpSpan<'r>) -> Option<(String, &'static str)> {
        let types = self.parse_at(span.pos, |p| p.types_in(span));
        types.into_iter().find_map(|(ty, text)| {
            let (why, _) = self.t.foreign(ty)?;
            Some((String::from_utf8_lossy(text).into_owned(), why))
        })
    }

    /// Reads a region of an operation that could not be read.
    fn lost_region(&mut self, at: usize) -> Result<()> {
        let outer = self.enter_region(at)?;
        let ending = std::mem::replace(&mut self.ending, Ending::Yield);
        self.recovery().lost += 1;
        self.depth += 1;
        self.open_block();
        self.recover_operations(&[])?;
        self.recovery().lost -= 1;
        self.depth -= 1;
        self.ending = ending;
        // Missing blocks are no new error.
        let _ = self.close_scope(outer);
        Ok(())
    }
}
