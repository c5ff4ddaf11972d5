//! LLVM types in the spelling of LLVM's own text, an old form in MLIR: `!llvm<"{ i8*, [2 x i64] }">`.

use gusset_program::{MAX_DEPTH, PTR, TypeId, TypeTable};
use gusset_text::{Placed, Result};

use crate::syntax::lexer::{Cursor, Tokens};
use crate::syntax::types::Types;

impl Types {
    /// Reads a type of LLVM's text, with typed pointers.
    pub fn text_type(&mut self, llvm: &mut TypeTable, c: &mut Cursor, depth: u32) -> Result<TypeId> {
        let pos = c.pos;
        c.refuse_if(depth > MAX_DEPTH, pos, "the type is nested too deeply")?;
        let mut ty = match c.peek() {
            b'{' => {
                let members = self.text_types(llvm, c, b'}', depth)?;
                llvm.structure(&members, false).at(c.src, pos)?
            }
            b'<' if c.ahead(1) == b'{' => {
                c.pos += 1;
                let members = self.text_types(llvm, c, b'}', depth)?;
                c.expect(b'>')?;
                llvm.structure(&members, true).at(c.src, pos)?
            }
            open @ (b'<' | b'[') => {
                c.bump(1);
                let len = c.number()?;
                c.expect_word("x")?;
                let element = self.text_type(llvm, c, depth + 1)?;
                c.expect(if open == b'<' { b'>' } else { b']' })?;
                match (open, u32::try_from(len)) {
                    (b'[', _) => llvm.array(element, len),
                    (_, Ok(len)) => llvm.vector(element, len),
                    (_, Err(_)) => return Err(c.expected_at(pos, "a type")),
                }
                .at(c.src, pos)?
            }
            b'%' => {
                c.pos += 1;
                c.name()?;
                llvm.opaque()
            }
            _ => {
                let word = c.peek_word();
                c.unexpected_if(word.is_empty(), pos, "a type")?;
                c.bump(word.len());
                self.llvm_type(llvm, word, c, pos)?
            }
        };
        loop {
            if c.peek() == b'(' {
                // A function type, which is only useful as a pointee.
                c.skip_group()?;
            } else if c.eat_word(b"addrspace") {
                c.skip_group()?;
            } else if c.eat(b'*') {
                ty = PTR;
            } else {
                return Ok(ty);
            }
        }
    }

    /// Reads types between commas up to a closing bracket, after the opening one.
    fn text_types(&mut self, llvm: &mut TypeTable, c: &mut Cursor, close: u8, depth: u32) -> Result<Vec<TypeId>> {
        c.bump(1);
        let mut all = Vec::new();
        let mut more = !c.eat(close);
        while more {
            all.push(self.text_type(llvm, c, depth + 1)?);
            more = c.more(close)?;
        }
        Ok(all)
    }
}
