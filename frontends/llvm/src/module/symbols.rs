//! Names of symbols and COMDAT groups, and how the target decorates them.

use std::collections::HashMap;

use gusset_abi::Convention;
use gusset_codegen::ir::{ComdatId, ComdatKind, Linkage, Symbol, SymbolId, SymbolKind};
use gusset_lower::{ParamAttrs, ParameterBytes, shows_convention, with_convention};
use gusset_program::{TypeId, TypeTable};

use super::{NameRef, Properties, Scan};
use crate::attributes::{parse_convention, parse_param};
use crate::lexer::{Cursor, Name, Tokens};
use crate::tables::GlobalInfo;
use gusset_text::Result;

/// What is said of a COMDAT group that is used and not defined.
pub(crate) const UNDEFINED_COMDAT: &str = "the COMDAT is not defined";

/// A function whose convention shows in its name.
pub(super) struct Decorated {
    symbol: SymbolId,
    convention: Convention,
    /// The name in the text.
    name: Vec<u8>,
    /// Where its parameters begin.
    params: usize,
}

impl<'s> Scan<'s> {
    pub(super) fn add_name(&mut self, name: Name, info: GlobalInfo, pos: usize) -> Result<NameRef> {
        if let Name::Number(n) = name {
            self.c.refuse_if(n as usize != self.t.numbered.len(), pos, "globals must be numbered in order")?;
            self.t.numbered.push(info);
            return Ok(NameRef::Number(n));
        }
        let id = self.t.names.intern(&name.bytes());
        self.c.refuse_if((id as usize) < self.t.named.len(), pos, "the name is defined twice")?;
        self.t.named.push(info);
        Ok(NameRef::Text(id))
    }

    pub(super) fn info_mut(&mut self, name: NameRef) -> &mut GlobalInfo {
        match name {
            NameRef::Text(i) => &mut self.t.named[i as usize],
            NameRef::Number(i) => &mut self.t.numbered[i as usize],
        }
    }

    /// The name of a symbol.
    fn symbol_name(&self, name: Name) -> String {
        match name {
            Name::Number(n) => self.t.decorated(format!("__unnamed_{}", n + 1).as_bytes()),
            _ => self.t.decorated(&name.bytes()),
        }
    }

    pub(super) fn new_symbol(&self, name: Name, kind: SymbolKind, p: &Properties, defined: bool) -> Symbol {
        Symbol {
            visibility: p.visibility,
            dso_local: p.local(),
            dll: p.dll,
            ..Symbol::new(self.symbol_name(name), kind, p.linkage(defined))
        }
    }

    pub(super) fn comdat_definition(&mut self) -> Result<()> {
        let pos = self.c.pos;
        self.c.pos += 1;
        let name = self.c.name()?;
        self.c.expect(b'=')?;
        self.c.expect_word("comdat")?;
        let word = self.c.peek_word();
        let kind = match word {
            b"any" => ComdatKind::Any,
            b"exactmatch" => ComdatKind::ExactMatch,
            b"largest" => ComdatKind::Largest,
            b"nodeduplicate" | b"noduplicates" => ComdatKind::NoDeduplicate,
            b"samesize" => ComdatKind::SameSize,
            _ => return Err(self.c.expected("a kind of COMDAT")),
        };
        self.c.bump(word.len());
        let id = self.comdat_id(name);
        self.module.comdats[id.index()].kind = kind;
        let twice = !self.found.defined_comdats.insert(id);
        self.c.refuse_if(twice, pos, "the COMDAT is defined twice")
    }

    /// Checks that the COMDAT groups that functions are in are defined.
    pub(super) fn check_comdats(&self) -> Result<()> {
        match self.found.used_comdats.iter().find(|(id, _)| !self.found.defined_comdats.contains(id)) {
            Some(&(_, pos)) => Err(self.c.error_at(pos, UNDEFINED_COMDAT)),
            None => Ok(()),
        }
    }

    fn comdat_id(&mut self, name: Name) -> ComdatId {
        self.t.comdat_id(&mut self.module, &mut self.found.comdats, &name.bytes())
    }

    /// Reads `comdat` or `comdat($name)` behind the word.
    pub(super) fn comdat(&mut self, own: Name) -> Result<ComdatId> {
        let pos = self.c.pos;
        let mut name = own;
        if self.c.eat(b'(') {
            self.c.unexpected_if(self.c.peek() != b'$', self.c.pos, "a COMDAT's name")?;
            self.c.pos += 1;
            name = self.c.name()?;
            self.c.expect(b')')?;
        }
        let id = self.comdat_id(name);
        self.found.used_comdats.push((id, pos));
        Ok(id)
    }

    /// The symbol of a C library function that an intrinsic needs.
    pub(super) fn library_function(&mut self, name: String) -> SymbolId {
        if let Some(&s) = self.found.libcalls.get(&name) {
            return s;
        }
        let decorated = self.t.decorated(name.as_bytes());
        let s = self.module.add_symbol(Symbol::new(decorated, SymbolKind::Function, Linkage::Import));
        self.found.libcalls.insert(name, s);
        s
    }

    /// Takes note of a function whose convention, which stands at `at`, shows in its name. Names with a leading byte 1 say all
    /// themselves, and so do those that Microsoft's C++ makes.
    pub(super) fn note_convention(&mut self, name: Name, symbol: SymbolId, at: usize, params: usize) {
        if !self.c.src[at..].starts_with(b"x86_") {
            return;
        }
        let Ok(convention) = parse_convention(&mut Cursor::new(self.c.src, at)) else { return };
        let name = name.bytes();
        if shows_convention(&self.t.facts.target, convention, &name) {
            self.found.decorated.push(Decorated { symbol, convention, name: name.into_owned(), params });
        }
    }

    /// Gives their names to the functions whose convention shows in them, and to the COMDAT groups called after them, now that all
    /// types are known (MS, "Decorated names"; what LLVM counts, see its `Mangler`).
    pub(super) fn decorate_conventions(&mut self) -> Result<()> {
        for d in std::mem::take(&mut self.found.decorated) {
            let suffix = self.suffix(&d)?;
            let name = with_convention(&d.name, d.convention, &suffix);
            if let Some(id) = self.found.comdats.get(&d.name) {
                self.module.comdats[id as usize].name.clone_from(&name);
            }
            self.module.symbols[d.symbol.index()].name = name;
            self.found.affixes.insert(d.symbol, (d.convention, suffix));
        }
        Ok(())
    }

    /// Aliases of such functions are called by the same rules.
    pub(super) fn decorate_aliases(&mut self) {
        if self.found.affixes.is_empty() {
            return;
        }
        // The writer of the object says what is wrong with those that stand for each other.
        let Ok(aliases) = self.module.resolved_aliases() else { return };
        let named = self.t.named.iter().enumerate();
        let ids: HashMap<SymbolId, usize> = named.filter_map(|(id, info)| Some((info.symbol?, id))).collect();
        for (symbol, target, _) in aliases {
            let Some((convention, suffix)) = self.found.affixes.get(&target) else { continue };
            let own = ids.get(&symbol);
            let Some(name) = own.map(|&id| self.t.names.text(id as u32)) else { continue };
            if shows_convention(&self.t.facts.target, *convention, name) {
                self.module.symbols[symbol.index()].name = with_convention(name, *convention, suffix);
            }
        }
    }

    /// The bytes of the parameters behind a name, each in whole words: not the address of the result; of parameters in memory, what
    /// they point to.
    fn suffix(&mut self, d: &Decorated) -> Result<String> {
        let (target, mut all) = (self.t.facts.target, ParameterBytes::default());
        let variadic = self.parameters(d.params, |types, ty, attrs| all.take(&target, types, ty, &attrs))?;
        Ok(all.suffix(variadic))
    }

    /// Goes over the parameters of a header that begin at `at`; whether there are more than those.
    pub(super) fn parameters(&mut self, at: usize, mut f: impl FnMut(&TypeTable, TypeId, ParamAttrs)) -> Result<bool> {
        let mut c = Cursor::new(self.c.src, at);
        c.expect(b'(')?;
        let mut more = !c.eat(b')');
        while more {
            if c.eat_word(b"...") {
                return c.expect(b')').map(|()| true);
            }
            let ty = self.t.type_names.parse(&mut self.t.types, &mut c)?;
            let attrs = parse_param(&mut c, &mut self.t.types, &mut self.t.type_names)?;
            f(&self.t.types, ty, attrs);
            if c.peek() == b'%' {
                c.pos += 1;
                c.name()?;
            }
            more = c.more(b')')?;
        }
        Ok(false)
    }
}
