//! Parameters of attributes in angle brackets.
//!
//! MLIR Language Reference, "Dialect Attribute Values"; "Defining Dialect Attributes and Types", "Declarative Assembly Format".

use gusset_text::Result;

use super::attributes::{AttributeRef, NamedAttribute};
use super::lexer::Tokens;

impl<'s> AttributeRef<'s> {
    /// The word of an attribute of a dialect, without `llvm.`, and the first value in its angle brackets, if it has some:
    /// `#llvm.di_file<…>`, `#llvm<di_file<…>>`, or `<…>`, whose word is `kind`.
    pub fn opened(self, kind: &'static str) -> (&'s [u8], Option<Self>) {
        let (mut c, mut word) = (self.cursor(), kind.as_bytes());
        c.pos += usize::from(c.peek() == b'#');
        let text = c.peek_word();
        if !text.is_empty() {
            c.bump(text.len());
            word = text.strip_prefix(b"llvm.").unwrap_or(text);
            if text == b"llvm" && c.eat(b'<') {
                word = c.peek_word();
                c.bump(word.len());
            }
        }
        (word, c.eat(b'<').then_some(AttributeRef::at(&c)))
    }

    /// Reads the parameters in the angle brackets of an attribute, `key = value, …`; those without a name have an empty
    /// one. A value may be a list without brackets, of which this gives the first element. A file and its folder are
    /// separated by a word, `"file" in "folder"`.
    pub fn parameters(self) -> Result<Vec<NamedAttribute<'s>>> {
        let mut all: Vec<NamedAttribute> = Vec::new();
        let Some(mut c) = self.opened("").1.map(AttributeRef::cursor) else { return Ok(all) };
        while c.peek() != b'>' {
            let (mut next, mut name) = (c, c.peek_word());
            next.bump(name.len());
            if !name.is_empty() && next.eat(b'=') {
                c = next;
            } else {
                name = b"";
            }
            all.push(NamedAttribute { name, value: AttributeRef::at(&c) });
            c.skip_value()?;
            if !c.eat(b',') && !c.eat_word(b"in") {
                break;
            }
        }
        c.unexpected_if(c.peek() != b'>', c.pos, "`>`")?;
        Ok(all)
    }

    /// Reads a list of words, some with arguments, `[deref, plus(8)]`: the texts of words and arguments, in order.
    pub fn words_with_arguments(self) -> Result<Vec<&'s [u8]>> {
        let (mut c, mut words) = (self.cursor(), Vec::new());
        let mut more = c.eat(b'[') && !c.eat(b']');
        while more {
            let word = c.peek_word();
            c.unexpected_if(word.is_empty(), c.pos, "an operation of DWARF")?;
            c.bump(word.len());
            words.push(word);
            let mut arguments = c.eat(b'(') && !c.eat(b')');
            while arguments {
                let argument = AttributeRef::at(&c);
                words.push(argument.span()?.trim_ascii_end());
                c.skip_untyped()?;
                arguments = c.more(b')')?;
            }
            more = c.more(b']')?;
        }
        Ok(words)
    }
}
