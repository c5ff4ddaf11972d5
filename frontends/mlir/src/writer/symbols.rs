//! Writes variables and the headers of functions.

use std::io::Write as _;

use gusset_codegen::ir::SymbolId;
use gusset_program::{
    Constant, Def, DllStorage, Header, Linkage, Preemption, Result, Symbol, SymbolKind, ThreadLocal, TypeId, TypeTable,
    Val,
};

use super::attributes::keyword;
use super::{COMDATS, Writer, none};

/// Metadata without which a symbol would be another one (LLVM LangRef, "Metadata").
const NEEDED: [&str; 4] = ["absolute_symbol", "associated", "exclude", "kcfi_type"];

/// Checks for properties of a symbol that cannot be expressed.
fn check(symbol: &Symbol) -> Result<()> {
    if symbol.partition.is_some() {
        return Err(none("a partition"));
    }
    if symbol.properties.storage != DllStorage::None {
        return Err(none(&format!("`{}`", symbol.properties.storage.name())));
    }
    let needed = |(kind, _): &(Vec<u8>, _)| NEEDED.iter().find(|needed| needed.as_bytes() == kind);
    match symbol.attached.iter().find_map(needed) {
        Some(kind) => Err(none(&format!("the metadata `!{kind}`"))),
        None => Ok(()),
    }
}

impl Writer<'_> {
    pub(super) fn whole_symbol(&mut self, types: &TypeTable, id: SymbolId) -> Result<()> {
        let m = self.module;
        let symbol = &m.symbols[id.index()];
        self.note_symbol(symbol);
        match &symbol.kind {
            SymbolKind::Unknown => Ok(()),
            SymbolKind::Function(header) if header.defined => Ok(()),
            SymbolKind::Function(header) => self.declaration(types, id, symbol, header),
            SymbolKind::Alias { ifunc: true, .. } => Err(none("an ifunc")),
            SymbolKind::Alias { .. } => Err(none("an alias")),
            SymbolKind::Variable { ty, init, .. } => match (symbol.name.as_deref(), init) {
                (Some(b"llvm.global_ctors"), Some(init)) => self.structors("ctors", *init),
                (Some(b"llvm.global_dtors"), Some(init)) => self.structors("dtors", *init),
                _ => self.variable(types, id, symbol, (*ty, *init)),
            },
        }
    }

    // Variables.

    fn variable(
        &mut self,
        types: &TypeTable,
        id: SymbolId,
        symbol: &Symbol,
        (ty, init): (TypeId, Option<Val>),
    ) -> Result<()> {
        let m = self.module;
        check(symbol)?;
        let SymbolKind::Variable { constant, externally_initialized, code_model, sanitizers, .. } = &symbol.kind else {
            return Ok(());
        };
        if *externally_initialized {
            return Err(none("`externally_initialized`"));
        }
        if code_model.is_some() {
            return Err(none("a variable's code model"));
        }
        if let Some(word) = sanitizers.first() {
            return Err(none(&format!("`{word}`")));
        }
        if m.attributes(&symbol.attrs).next().is_some() {
            return Err(none("attributes of a variable"));
        }
        let p = symbol.properties;
        self.put("  llvm.mlir.global ");
        let linkage = if p.linkage == Linkage::Unsaid { Linkage::External } else { p.linkage };
        self.left_out.models |= !matches!(p.thread_local, ThreadLocal::No | ThreadLocal::GeneralDynamic);
        let thread_local = if p.thread_local == ThreadLocal::No { "" } else { "thread_local" };
        let constant = if *constant { "constant" } else { "" };
        self.words(&[linkage.name(), p.visibility.name(), p.unnamed.name(), thread_local, constant]);
        self.symbol_name(id);
        self.put("(");
        let known = init.map(|init| m.constants.value(init));
        let simple = match known.map(|data| &data.def) {
            Some(Def::Const(constant @ Constant::Bytes(_))) if !Self::is_string(types, ty, constant) => false,
            Some(Def::Const(constant)) => self.constant_attribute(types, &m.constants, ty, constant)?,
            _ => false,
        };
        self.put(")");
        self.comdat(symbol);
        let _ = write!(self.out, " {{addr_space = {} : i32", symbol.space);
        if let Some(align) = symbol.align {
            let _ = write!(self.out, ", alignment = {align} : i64");
        }
        if p.preemption == Preemption::DsoLocal {
            self.put(", dso_local");
        }
        if let Some(section) = &symbol.section {
            self.put(", section = ");
            self.quoted(section);
        }
        self.variable_debug(symbol);
        self.put("} : ");
        self.ty(types, ty)?;
        if let Some(init) = init.filter(|_| !simple) {
            self.locals.clear();
            self.put(" {\n");
            let start = self.out.len();
            self.put("    llvm.return ");
            self.value(types, &m.constants, init)?;
            self.put(" : ");
            self.ty(types, ty)?;
            self.put("\n  }");
            self.make_constants(start);
        }
        self.put("\n");
        Ok(())
    }

    /// Writes the list of constructors or destructors.
    fn structors(&mut self, word: &str, init: Val) -> Result<()> {
        let m = self.module;
        let f = &m.constants;
        let bad = || none(&format!("such a list of {word}"));
        let rows: &[Val] = match &f.value(init).def {
            Def::Const(Constant::Aggregate(rows)) => rows,
            Def::Const(Constant::Zero | Constant::Undef | Constant::Poison) => &[],
            _ => return Err(bad()),
        };
        let mut priorities = Vec::new();
        let _ = write!(self.out, "  llvm.mlir.global_{word} {{{word} = [");
        for (i, &row) in rows.iter().enumerate() {
            let Def::Const(Constant::Aggregate(members)) = &f.value(row).def else { return Err(bad()) };
            let (&[priority, function], data) = members.split_first_chunk().ok_or_else(bad)?;
            let null = |val: &Val| matches!(f.value(*val).def, Def::Const(Constant::Null | Constant::Zero));
            if !data.iter().all(null) {
                return Err(none(&format!("data that {word} go with")));
            }
            self.comma(i);
            self.function_reference(function, "an entry of such a list")?;
            let Def::Const(Constant::Integer(n)) = f.value(priority).def else { return Err(bad()) };
            priorities.push(n as i32);
        }
        self.put("], priorities = [");
        for (i, priority) in priorities.into_iter().enumerate() {
            self.comma(i);
            let _ = write!(self.out, "{priority} : i32");
        }
        self.put("]}\n");
        Ok(())
    }

    /// Writes the name of the function that a constant of the module is.
    pub(super) fn function_reference(&mut self, val: Val, what: &str) -> Result<()> {
        let m = self.module;
        let Def::Const(Constant::Symbol(symbol)) = m.constants.value(val).def else {
            return Err(none(&format!("{what} that is not a function")));
        };
        self.check_symbol(symbol)?;
        self.symbol_name(symbol);
        Ok(())
    }

    /// Writes those words that are given, each followed by a space.
    fn words(&mut self, words: &[&str]) {
        for word in words.iter().filter(|word| !word.is_empty()) {
            self.put(word);
            self.put(" ");
        }
    }

    /// Writes the entry for debug information in a variable's dictionary, which has room for one.
    fn variable_debug(&mut self, symbol: &Symbol) {
        let mut all = symbol.attached.iter().filter(|(kind, _)| kind == b"dbg").map(|(_, node)| node);
        let Some(node) = all.next().filter(|_| self.has_front) else { return };
        if all.next().is_some() {
            self.leave_out("all but the first description of a variable");
        }
        if let Some(attribute) = self.debug_attribute(node) {
            self.put(", dbg_expr = ");
            self.put(&attribute);
        }
    }

    fn comdat(&mut self, symbol: &Symbol) {
        if let Some(name) = &symbol.comdat {
            self.put(" comdat(");
            self.put(COMDATS);
            self.put("::");
            self.symbol_text(name);
            self.put(")");
        }
    }

    // Functions.

    pub(super) fn declaration(
        &mut self,
        types: &TypeTable,
        id: SymbolId,
        symbol: &Symbol,
        header: &Header,
    ) -> Result<()> {
        // Intrinsics are operations.
        if symbol.name.as_ref().is_some_and(|name| name.starts_with(b"llvm.")) {
            return Ok(());
        }
        self.begin_function(id, symbol, header)?;
        for (i, (ty, attrs)) in header.params.iter().enumerate() {
            self.comma(i);
            self.ty(types, *ty)?;
            self.parameter_attributes(types, attrs)?;
        }
        self.end_header(types, symbol, header)?;
        if let Some(place) = self.function_location(&symbol.attached) {
            self.at(&place);
        }
        self.put("\n");
        Ok(())
    }

    /// Writes what precedes the parameters.
    pub(super) fn begin_function(&mut self, id: SymbolId, symbol: &Symbol, header: &Header) -> Result<()> {
        check(symbol)?;
        if symbol.space != 0 {
            return Err(none("a function in an address space of its own"));
        }
        if header.prefix.is_some() || header.prologue.is_some() {
            return Err(none("data in front of a function's code"));
        }
        let p = symbol.properties;
        self.put("  llvm.func ");
        let linkage = if p.linkage == Linkage::External { Linkage::Unsaid } else { p.linkage };
        self.words(&[linkage.name(), p.visibility.name(), p.unnamed.name(), keyword(&header.convention)?]);
        self.symbol_name(id);
        self.put("(");
        Ok(())
    }

    /// Writes what follows the parameters.
    pub(super) fn end_header(&mut self, types: &TypeTable, symbol: &Symbol, header: &Header) -> Result<()> {
        if header.variadic {
            self.comma(header.params.len());
            self.put("...");
        }
        self.put(")");
        if header.ret != gusset_program::VOID {
            self.put(" -> ");
            let before = self.out.len();
            self.put("(");
            self.ty(types, header.ret)?;
            let at = self.out.len();
            self.parameter_attributes(types, &header.ret_attrs)?;
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
