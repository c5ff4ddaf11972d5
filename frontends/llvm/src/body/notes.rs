//! Notes of calls: the spelling of each symbol's first call, and its signature.
//!
//! Most calls of a function are spelled alike except for their arguments' values. So the text before the callee's name
//! and before each value is compared, rather than read and looked up again. Notes have a copy of the text: the part of
//! the source that was read need not stay in memory.

use gusset_codegen::ir::SymbolId;
use gusset_lower::{EntryId, ParamAttrs, Request};
use gusset_program::TypeId;

/// A stretch of the source.
pub(super) type Span = (usize, usize);

/// A range of the notes' own text.
#[derive(Clone, Copy)]
struct Spelling {
    start: u32,
    end: u32,
}

/// The note of a call.
#[derive(Clone, Copy)]
pub(super) struct Note {
    /// The text from after the keyword to the callee's name.
    head: Spelling,
    /// Index of its first parameter in the list of all.
    start: usize,
    /// Their number.
    pub(super) count: usize,
    /// The signature.
    pub(super) entry: EntryId,
}

/// A parameter as a call spells it.
#[derive(Clone, Copy)]
struct NotedParam {
    spelling: Spelling,
    ty: TypeId,
    attrs: ParamAttrs,
}

/// The notes of a thread.
#[derive(Default)]
pub(super) struct Notes {
    /// By symbol, the index of its note plus one; 0 if there is none.
    known: Vec<u32>,
    notes: Vec<Note>,
    params: Vec<NotedParam>,
    /// The text of all.
    text: Vec<u8>,
    /// The parameters of the current call.
    pub(super) spans: Vec<Span>,
}

impl Notes {
    /// The note of a symbol, if there is one.
    #[inline]
    fn of(&self, symbol: SymbolId) -> Option<&Note> {
        let n = *self.known.get(symbol.index())?;
        self.notes.get((n as usize).wrapping_sub(1))
    }

    /// The note of a symbol, if a call with this head is spelled like it so far.
    #[inline]
    pub(super) fn find(&self, source: &[u8], symbol: SymbolId, head: Span) -> Option<Note> {
        let note = *self.of(symbol)?;
        (self.spelled(note.head) == source.get(head.0..head.1)?).then_some(note)
    }

    #[inline]
    fn spelled(&self, spelling: Spelling) -> &[u8] {
        self.text.get(spelling.start as usize..spelling.end as usize).unwrap_or_default()
    }

    /// Parameter `i` of the note, if it is spelled alike at `pos` and its value follows, with the position of the
    /// value. A value that begins with a letter might be an attribute.
    #[inline]
    pub(super) fn param(
        &self,
        source: &[u8],
        note: &Note,
        i: usize,
        pos: usize,
    ) -> Option<(TypeId, ParamAttrs, usize)> {
        if i >= note.count {
            return None;
        }
        let p = &self.params[note.start + i];
        let spelled = self.spelled(p.spelling);
        let end = pos + spelled.len();
        let alike = source.get(pos..end)? == spelled;
        let value = matches!(source.get(end), Some(b'%' | b'@' | b'-' | b'0'..=b'9'));
        (alike && value).then_some((p.ty, p.attrs, end))
    }

    /// Whether parameter `i` of the note has this type, and is passed alike by attributes that are spelled differently.
    pub(super) fn passes_like(&self, note: &Note, i: usize, ty: TypeId, attrs: &ParamAttrs) -> bool {
        i < note.count && {
            let p = &self.params[note.start + i];
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
        self.params.extend(params.map(|(&span, &(ty, attrs))| NotedParam { spelling: spell(span), ty, attrs }));
        self.notes.push(Note { head, start, count: self.spans.len(), entry });
        self.known[symbol.index()] = self.notes.len() as u32;
    }
}
