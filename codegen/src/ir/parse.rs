//! Reads the text form. [`super::print()`] describes it by example; blanks and line ends separate words, `;` starts a
//! comment.

mod body;
mod lex;
mod sig;

use std::collections::HashMap;
use std::fmt;

use gusset_abi::{AbiError, FnAbi, Signature};

use super::function::Function;
use super::module::{
    AliasData, Comdat, ComdatId, ComdatKind, DataObject, DataReloc, DllStorage, Linkage, Module, RelocBase, Structor,
    Symbol, SymbolId, SymbolKind, Temperature, TlsModel, TypeId, Visibility,
};
use super::verify::verify;
use crate::sparse::SparseBytes;
use lex::{Lexer, Parsed};

/// Why a text is not a module, and where. An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.reason)
    }
}

impl std::error::Error for ParseError {}

/// How the parser makes an ABI from a source-level signature: `gusset_abi::classify` for a target.
///
/// An example is at [`FunctionBuilder`](crate::ir::FunctionBuilder).
pub type Classify<'a> = &'a mut dyn FnMut(&Signature) -> Result<FnAbi, AbiError>;

/// Reads a module and its functions, and verifies each function.
///
/// # Errors
/// The first place where the text is not in the text form, a signature without an ABI, or a function that the verifier
/// rejects.
pub fn parse(text: &str, classify: Classify) -> Result<(Module, Vec<Function>), ParseError> {
    let mut parser = Parser { lex: Lexer::new(text), module: Module::default(), names: HashMap::new(), classify };
    parser
        .file()
        .map_err(|(at, reason)| {
            let before = &text.as_bytes()[..at.min(text.len())];
            let line = before.iter().filter(|&&b| b == b'\n').count() as u32 + 1;
            let column = (before.len() - before.iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1)) as u32 + 1;
            ParseError { line, column, reason }
        })
        .map(|functions| (parser.module, functions))
}

struct Parser<'t, 'c> {
    lex: Lexer<'t>,
    module: Module,
    /// Symbols by name; `None` for a name that several symbols have.
    names: HashMap<String, Option<SymbolId>>,
    classify: Classify<'c>,
}

impl Parser<'_, '_> {
    fn file(&mut self) -> Parsed<Vec<Function>> {
        let mut functions = Vec::new();
        self.lex.keyword("module")?;
        self.module.source_name = self.lex.text()?;
        while !self.lex.at_end() {
            let at = self.lex.here();
            let word = self.lex.word()?;
            match word {
                "ident" => {
                    let text = self.lex.text()?;
                    self.module.idents.push(text);
                }
                "asm" => self.module.module_asm = self.lex.text()?,
                "data" => {
                    let data = self.data()?;
                    self.module.add_data(data);
                }
                "prefix" | "prologue" | "type_hash" => {
                    let data = self.data()?;
                    let module = &mut self.module;
                    let list = match word {
                        "prefix" => &mut module.prefixes,
                        "prologue" => &mut module.prologues,
                        _ => &mut module.type_hashes,
                    };
                    list.push(data);
                    list.sort_by_key(|d| d.symbol);
                }
                "type_id" => {
                    let (function, id) = (self.symbol()?, self.lex.number()?);
                    let place = if self.lex.take_word("at") { Some(self.symbol()?) } else { None };
                    self.module.type_ids.push(TypeId { function, place, id });
                    self.module.type_ids.sort_by_key(|id| id.function);
                }
                "alias" => {
                    let symbol = self.symbol()?;
                    self.lex.punct("=")?;
                    let target = self.symbol()?;
                    self.lex.punct(",")?;
                    let offset = self.lex.number()?;
                    self.module.aliases.push(AliasData { symbol, target, offset });
                }
                "ctor" | "dtor" => {
                    let (priority, function) = (self.lex.number()?, self.symbol()?);
                    let with = if self.lex.take_word("with") { Some(self.symbol()?) } else { None };
                    let entry = Structor { priority, function, with };
                    if word == "ctor" { self.module.ctors.push(entry) } else { self.module.dtors.push(entry) }
                }
                "used" => {
                    let s = self.symbol()?;
                    self.module.used.push(s);
                }
                "compiler_used" => {
                    let s = self.symbol()?;
                    self.module.compiler_used.push(s);
                }
                "function" => {
                    let mut func = Function::new();
                    self.function(&mut func)?;
                    verify(&self.module, &func).map_err(|e| (at, e.to_string()))?;
                    functions.push(func);
                }
                _ => self.numbered(at, word)?,
            }
        }
        Ok(functions)
    }

    /// `comdat0 = …` or `s0 = …`.
    fn numbered(&mut self, at: usize, word: &str) -> Parsed<()> {
        let next = |n: usize, prefix: &str| word == format!("{prefix}{n}");
        self.lex.punct("=")?;
        if next(self.module.comdats.len(), "comdat") {
            let kind = self.lex.named("a kind of COMDAT", ComdatKind::from_name)?;
            let name = self.lex.text()?;
            self.module.comdats.push(Comdat { name, kind });
            return Ok(());
        }
        if next(self.module.symbols.len(), "s") {
            return self.symbol_definition();
        }
        Err((at, format!("expected a line of a module, found `{word}`; symbols and COMDATs are numbered in order")))
    }

    fn symbol_definition(&mut self) -> Parsed<()> {
        let linkage = self.lex.named("a linkage", Linkage::from_name)?;
        let at = self.lex.here();
        let kind = match self.lex.word()? {
            "function" => SymbolKind::Function,
            "data" => SymbolKind::Data,
            "ifunc" => SymbolKind::Ifunc,
            "emutls" => SymbolKind::EmulatedTls,
            "tls" => SymbolKind::Tls(self.lex.named("a TLS model", TlsModel::from_name)?),
            "block" => SymbolKind::Block(SymbolId(self.lex.entity("s")?)),
            other => return Err((at, format!("`{other}` is no kind of symbol"))),
        };
        let name = self.lex.symbol_name()?;
        let id = SymbolId::new(self.module.symbols.len());
        self.names.entry(name.clone()).and_modify(|e| *e = None).or_insert(Some(id));
        let mut s = Symbol { dso_local: false, ..Symbol::new(name, kind, linkage) };
        while !self.lex.at_line_end() {
            let at = self.lex.here();
            match self.lex.word()? {
                "hidden" => s.visibility = Visibility::Hidden,
                "protected" => s.visibility = Visibility::Protected,
                "dso_local" => s.dso_local = true,
                "no_plt" => s.no_plt = true,
                "excluded" => s.excluded = true,
                "own_section" => s.own_section = true,
                "far" => s.far = true,
                "hot" => s.temperature = Temperature::Hot,
                "cold" => s.temperature = Temperature::Cold,
                "associated" => s.associated = Some(SymbolId(self.lex.entity("s")?)),
                "dllimport" => s.dll = DllStorage::Import,
                "dllexport" => s.dll = DllStorage::Export,
                "section" => s.section = Some(self.lex.text()?),
                "section_prefix" => s.section_prefix = Some(self.lex.text()?.into()),
                "align" => s.align = self.lex.number()?,
                word => match word.strip_prefix("comdat").and_then(|n| n.parse().ok()) {
                    Some(n) if (n as usize) < self.module.comdats.len() => s.comdat = Some(ComdatId(n)),
                    _ => return Err((at, format!("`{word}` is no property of a symbol"))),
                },
            }
        }
        self.module.symbols.push(s);
        Ok(())
    }

    fn data(&mut self) -> Parsed<DataObject> {
        let symbol = self.symbol()?;
        self.lex.keyword("size")?;
        let size = self.lex.number()?;
        self.lex.keyword("align")?;
        let align_at = self.lex.here();
        let align: u64 = self.lex.number()?;
        if !align.is_power_of_two() {
            return Err((align_at, "an alignment is a power of two".into()));
        }
        let constant = self.lex.take_word("constant");
        let mergeable = self.lex.take_word("mergeable");
        self.lex.punct("=")?;
        let at = self.lex.here();
        let bytes = self.contents()?;
        if bytes.len() > size {
            return Err((at, format!("{} bytes do not fit an object of size {size}", bytes.len())));
        }
        let mut relocs = Vec::new();
        while !self.lex.at_line_end() {
            self.lex.keyword("reloc")?;
            self.lex.punct("(")?;
            let offset = self.lex.number()?;
            self.lex.punct(",")?;
            let size = self.lex.number()?;
            self.lex.punct(",")?;
            let symbol = self.symbol()?;
            self.lex.punct(",")?;
            let addend = self.lex.number()?;
            let base = if !self.lex.take_punct(",") {
                RelocBase::Zero
            } else if self.lex.take_word("from") {
                RelocBase::Symbol(self.symbol()?)
            } else {
                self.lex.keyword("pc")?;
                RelocBase::Field
            };
            self.lex.punct(")")?;
            relocs.push(DataReloc { offset, size, symbol, addend, base });
        }
        Ok(DataObject { symbol, bytes, size, align, constant, mergeable, relocs })
    }

    /// Strings, each with an optional number of bytes that it is repeated up to.
    fn contents(&mut self) -> Parsed<SparseBytes> {
        let mut all = SparseBytes::new();
        loop {
            let at = self.lex.here();
            let bytes = self.lex.bytes()?;
            let added = if self.lex.take_word("x") {
                let len = self.lex.number()?;
                if bytes.is_empty() {
                    return Err((at, "no bytes cannot be repeated".into()));
                }
                all.fill(len, &bytes)
            } else {
                all.extend_vec(bytes)
            };
            added.map_err(|e| (at, e.to_string()))?;
            if !self.lex.at_string() {
                return Ok(all);
            }
        }
    }

    /// A list, separated by commas, up to a closing bracket or the line's end.
    fn list<T>(&mut self, close: Option<&str>, mut one: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut list = Vec::new();
        loop {
            match close {
                Some(p) if self.lex.take_punct(p) => return Ok(list),
                None if self.lex.at_line_end() => return Ok(list),
                _ => {}
            }
            if !list.is_empty() {
                self.lex.punct(",")?;
            }
            list.push(one(self)?);
        }
    }

    /// `@name`, or `s3` for a symbol without a name of its own.
    fn symbol(&mut self) -> Parsed<SymbolId> {
        let at = self.lex.here();
        if self.lex.peek() == Some(b'@') {
            let name = self.lex.symbol_name()?;
            return match self.names.get(&name) {
                Some(Some(id)) => Ok(*id),
                Some(None) => Err((at, format!("several symbols are called `{name}`"))),
                None => Err((at, format!("there is no symbol `{name}`"))),
            };
        }
        let n = self.lex.entity("s")?;
        if (n as usize) < self.module.symbols.len() {
            Ok(SymbolId(n))
        } else {
            Err((at, format!("there is no symbol s{n}")))
        }
    }
}
