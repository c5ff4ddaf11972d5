//! Writes variables and the headers of functions.

use gusset_codegen::ir::SymbolId;
use gusset_program::{
    Constant, Def, DllStorage, Header, Linkage, Preemption, Result, Symbol, SymbolKind, ThreadLocal, TypeTable, Val,
};

use super::attributes::keyword;
use super::pieces::Context;
use super::pieces::Piece::*;
use super::text::{dots, list, symbol_text};
use super::{COMDATS, Writer, none, none_if};

/// Metadata without which a symbol would be another one (LLVM LangRef, "Metadata").
const NEEDED: [&str; 4] = ["absolute_symbol", "associated", "exclude", "kcfi_type"];

/// Checks for properties of a symbol that cannot be expressed.
fn check(symbol: &Symbol) -> Result<()> {
    none_if(symbol.partition.is_some(), "a partition")?;
    let storage = symbol.properties.storage;
    none_if(storage != DllStorage::None, &format!("`{}`", storage.name()))?;
    let needed = |(kind, _): &(Vec<u8>, _)| NEEDED.iter().find(|needed| needed.as_bytes() == kind);
    match symbol.attached.iter().find_map(needed) {
        Some(kind) => Err(none(&format!("the metadata `!{kind}`"))),
        None => Ok(()),
    }
}

impl Writer<'_> {
    /// Writes a symbol; nothing for a function that is defined, which [`body`](Writer::body) writes.
    ///
    /// # Errors
    /// The dialect cannot express something in the symbol.
    pub fn symbol(&mut self, types: &TypeTable, id: SymbolId) -> Result<()> {
        let m = self.module;
        let c = Context { types, f: &m.constants };
        let symbol = &m.symbols[id.index()];
        self.note_symbol(symbol);
        match &symbol.kind {
            SymbolKind::Unknown => Ok(()),
            SymbolKind::Function(header) if header.defined => Ok(()),
            SymbolKind::Function(header) => self.declaration(c, id, symbol, header),
            SymbolKind::Alias { ifunc: true, .. } => Err(none("an ifunc")),
            SymbolKind::Alias { .. } => Err(none("an alias")),
            SymbolKind::Variable { init, .. } => match (symbol.name.as_deref(), init) {
                (Some(b"llvm.global_ctors"), Some(init)) => self.structors("ctors", *init),
                (Some(b"llvm.global_dtors"), Some(init)) => self.structors("dtors", *init),
                _ => self.variable(c, id, symbol),
            },
        }
    }

    // Variables.

    fn variable(&mut self, c: Context<'_>, id: SymbolId, symbol: &Symbol) -> Result<()> {
        check(symbol)?;
        let &SymbolKind::Variable { ty, init, constant, externally_initialized, ref code_model, ref sanitizers } =
            &symbol.kind
        else {
            return Ok(());
        };
        none_if(externally_initialized, "`externally_initialized`")?;
        none_if(code_model.is_some(), "a variable's code model")?;
        if let Some(word) = sanitizers.first() {
            return Err(none(&format!("`{word}`")));
        }
        none_if(self.module.attributes(&symbol.attrs).next().is_some(), "attributes of a variable")?;
        let p = symbol.properties;
        self.put("  llvm.mlir.global ");
        let linkage = if p.linkage == Linkage::Unsaid { Linkage::External } else { p.linkage };
        self.left_out.models |= !matches!(p.thread_local, ThreadLocal::No | ThreadLocal::GeneralDynamic);
        let thread_local = if p.thread_local == ThreadLocal::No { "" } else { "thread_local" };
        let constant = if constant { "constant" } else { "" };
        self.words(&[linkage.name(), p.visibility.name(), p.unnamed.name(), thread_local, constant], id);
        let simple = match init.map(|init| &c.f.value(init).def) {
            Some(Def::Const(constant @ Constant::Bytes(_))) if !Self::is_string(c.types, ty, constant) => false,
            Some(Def::Const(constant)) => self.constant_attribute(c, ty, constant)?,
            _ => false,
        };
        self.put(")");
        self.comdat(symbol);
        write!(self, " {{addr_space = {} : i32", symbol.space);
        if let Some(align) = symbol.align {
            write!(self, ", alignment = {align} : i64");
        }
        if p.preemption == Preemption::DsoLocal {
            self.put(", dso_local");
        }
        if let Some(section) = &symbol.section {
            self.text_entry("section", section);
        }
        self.variable_debug(symbol);
        self.pieces(c, &[Text("} : "), Type(ty)])?;
        if let Some(init) = init.filter(|_| !simple) {
            self.locals.clear();
            self.put(" {\n");
            let start = self.out.len();
            self.pieces(c, &[Text("    llvm.return "), Value(init), Text(" : "), Type(ty), Text("\n  }")])?;
            self.make_constants(start);
        }
        self.put("\n");
        Ok(())
    }

    /// Writes the list of constructors or destructors.
    fn structors(&mut self, word: &str, init: Val) -> Result<()> {
        let f = &self.module.constants;
        let bad = || none(&format!("such a list of {word}"));
        let rows: &[Val] = match &f.value(init).def {
            Def::Const(Constant::Aggregate(rows)) => rows,
            Def::Const(Constant::Zero | Constant::Undef | Constant::Poison) => &[],
            _ => return Err(bad()),
        };
        let (mut functions, mut priorities) = (Vec::new(), Vec::new());
        for &row in rows {
            let Def::Const(Constant::Aggregate(members)) = &f.value(row).def else { return Err(bad()) };
            let (&[priority, function], data) = members.split_first_chunk().ok_or_else(bad)?;
            let null = |val: &Val| matches!(f.value(*val).def, Def::Const(Constant::Null | Constant::Zero));
            none_if(!data.iter().all(null), &format!("data that {word} go with"))?;
            functions.push(self.function_reference(function, "an entry of such a list")?);
            let Def::Const(Constant::Integer(n)) = f.value(priority).def else { return Err(bad()) };
            priorities.push(format!("{} : i32", n as i32));
        }
        let (functions, priorities) = (list(functions), list(priorities));
        writeln!(self, "  llvm.mlir.global_{word} {{{word} = {functions}, priorities = {priorities}}}");
        Ok(())
    }

    /// The name of the function that a constant of the module is.
    pub(super) fn function_reference(&self, val: Val, what: &str) -> Result<String> {
        let Def::Const(Constant::Symbol(symbol)) = self.module.constants.value(val).def else {
            return Err(none(&format!("{what} that is not a function")));
        };
        self.check_symbol(symbol)?;
        Ok(self.symbol_name(symbol))
    }

    /// Writes those words that are given, a symbol's name, and an opening parenthesis.
    fn words(&mut self, words: &[&str], id: SymbolId) {
        words.iter().filter(|word| !word.is_empty()).for_each(|word| write!(self, "{word} "));
        write!(self, "{}(", self.symbol_name(id));
    }

    /// Writes the entry for debug information in a variable's dictionary, which has room for one.
    fn variable_debug(&mut self, symbol: &Symbol) {
        let mut all = symbol.attached.iter().filter(|(kind, _)| kind == b"dbg").map(|(_, node)| node);
        let Some(node) = all.next().filter(|_| self.has_front) else { return };
        if all.next().is_some() {
            self.leave_out("all but the first description of a variable");
        }
        if let Some(attribute) = self.debug_attribute(node) {
            write!(self, ", dbg_expr = {attribute}");
        }
    }

    fn comdat(&mut self, symbol: &Symbol) {
        if let Some(name) = &symbol.comdat {
            write!(self, " comdat({COMDATS}::{})", symbol_text(name));
        }
    }

    // Functions.

    pub(super) fn declaration(&mut self, c: Context<'_>, id: SymbolId, symbol: &Symbol, header: &Header) -> Result<()> {
        // Intrinsics are operations.
        if symbol.name.as_ref().is_some_and(|name| name.starts_with(b"llvm.")) {
            return Ok(());
        }
        self.begin_function(id, symbol, header)?;
        self.list(&header.params, |w, (ty, attrs)| {
            w.ty(c, *ty)?;
            w.parameter_attributes(c, attrs)
        })?;
        self.end_header(c, symbol, header)?;
        if let Some(place) = self.function_location(&symbol.attached) {
            self.at(&place);
        }
        self.put("\n");
        Ok(())
    }

    /// Declares functions that were found to be called.
    pub(super) fn late_declarations(&mut self, types: &TypeTable) -> Result<()> {
        let (m, late) = (self.module, self.late);
        let c = Context { types, f: &m.constants };
        for (symbol, header) in &late.declarations {
            self.declaration(c, *symbol, &m.symbols[symbol.index()], header)?;
        }
        Ok(())
    }

    /// Writes what precedes the parameters.
    pub(super) fn begin_function(&mut self, id: SymbolId, symbol: &Symbol, header: &Header) -> Result<()> {
        check(symbol)?;
        none_if(symbol.space != 0, "a function in an address space of its own")?;
        none_if(header.prefix.is_some() || header.prologue.is_some(), "data in front of a function's code")?;
        let p = symbol.properties;
        self.put("  llvm.func ");
        let linkage = if p.linkage == Linkage::External { Linkage::Unsaid } else { p.linkage };
        self.words(&[linkage.name(), p.visibility.name(), p.unnamed.name(), keyword(&header.convention)?], id);
        Ok(())
    }

    /// Writes what follows the parameters.
    pub(super) fn end_header(&mut self, c: Context<'_>, symbol: &Symbol, header: &Header) -> Result<()> {
        self.put(dots(header.variadic, header.params.is_empty()));
        self.put(")");
        if header.ret != gusset_program::VOID {
            self.put(" -> ");
            let before = self.out.len();
            self.pieces(c, &[Text("("), Type(header.ret)])?;
            let at = self.out.len();
            self.parameter_attributes(c, &header.ret_attrs)?;
            if self.out.len() == at {
                self.out.remove(before);
            } else {
                self.put(")");
            }
        }
        self.comdat(symbol);
        self.function_attributes(symbol, header)
    }
}
