//! The spelling of each function's first call, and its signature.
//!
//! Most calls of a function are spelled alike except for the values of their arguments. The reader compares the text before the callee's
//! name and before each value with that of the first call, and then neither reads nor looks up these parts again. The table keeps its own
//! copy of the text: what has been read of the source may have left memory.

use gusset_codegen::ir::SymbolId;
use gusset_program::{EntryId, ParamAttrs, Request, TypeId};

/// A range of the source.
pub(super) type Span = (usize, usize);

/// A range of the table's own text.
#[derive(Clone, Copy)]
struct Spelling {
    start: u32,
    end: u32,
}

/// The syntax of a function's first call.
#[derive(Clone, Copy)]
pub(super) struct CallSyntax {
    /// From the end of the keyword to the callee's name.
    head: Spelling,
    /// Index of its first parameter in the list of all parameters.
    start: usize,
    /// Their number.
    pub(super) count: usize,
    /// The signature.
    pub(super) entry: EntryId,
}

/// A parameter as a call spells it.
#[derive(Clone, Copy)]
struct ParamSyntax {
    spelling: Spelling,
    ty: TypeId,
    attrs: ParamAttrs,
}

/// The calls that a thread has met.
#[derive(Default)]
pub(super) struct CallSyntaxTable {
    /// By symbol, the index of its first call plus one; 0 if there was none.
    known: Vec<u32>,
    calls: Vec<CallSyntax>,
    params: Vec<ParamSyntax>,
    /// The text of all calls.
    text: Vec<u8>,
    /// The parameters of the current call.
    pub(super) spans: Vec<Span>,
}

impl CallSyntaxTable {
    /// The first call of a symbol, if there was one.
    #[inline]
    fn of(&self, symbol: SymbolId) -> Option<&CallSyntax> {
        let n = *self.known.get(symbol.index())?;
        self.calls.get((n as usize).wrapping_sub(1))
    }

    /// The first call of a symbol if a call with this head is spelled alike so far.
    #[inline]
    pub(super) fn find(&self, source: &[u8], symbol: SymbolId, head: Span) -> Option<CallSyntax> {
        let call = *self.of(symbol)?;
        (self.spelled(call.head) == source.get(head.0..head.1)?).then_some(call)
    }

    #[inline]
    fn spelled(&self, spelling: Spelling) -> &[u8] {
        self.text.get(spelling.start as usize..spelling.end as usize).unwrap_or_default()
    }

    /// Parameter `i`, if it is spelled alike at `pos` and its value begins right after it: its type, its attributes, and where the
    /// value is. Values that begin with a letter might be attributes.
    #[inline]
    pub(super) fn param(
        &self,
        source: &[u8],
        call: &CallSyntax,
        i: usize,
        pos: usize,
    ) -> Option<(TypeId, ParamAttrs, usize)> {
        if i >= call.count {
            return None;
        }
        let p = &self.params[call.start + i];
        let spelled = self.spelled(p.spelling);
        let end = pos + spelled.len();
        let alike = source.get(pos..end)? == spelled;
        let value = matches!(source.get(end), Some(b'%' | b'@' | b'-' | b'0'..=b'9'));
        (alike && value).then_some((p.ty, p.attrs, end))
    }

    /// Whether parameter `i` has this type, and is passed alike by attributes that are spelled differently.
    pub(super) fn passes_like(&self, call: &CallSyntax, i: usize, ty: TypeId, attrs: &ParamAttrs) -> bool {
        i < call.count && {
            let p = &self.params[call.start + i];
            p.ty == ty && p.attrs.passes_like(attrs)
        }
    }

    /// Records the first call of a symbol.
    pub(super) fn learn(&mut self, source: &[u8], symbol: SymbolId, head: Span, request: &Request, entry: EntryId) {
        if self.of(symbol).is_some() || self.spans.len() != request.params.len() {
            return;
        }
        if self.known.len() <= symbol.index() {
            self.known.resize(symbol.index() + 1, 0);
        }
        let text = &mut self.text;
        let mut spell = |span: Span| {
            let start = text.len() as u32;
            text.extend_from_slice(source.get(span.0..span.1).unwrap_or_default());
            Spelling { start, end: text.len() as u32 }
        };
        let head = spell(head);
        let params = self.spans.iter().zip(&request.params);
        let start = self.params.len();
        self.params.extend(params.map(|(&span, &(ty, attrs))| ParamSyntax { spelling: spell(span), ty, attrs }));
        self.calls.push(CallSyntax { head, start, count: self.spans.len(), entry });
        self.known[symbol.index()] = self.calls.len() as u32;
    }
}
