//! Module flags (LangRef, "Module Flags Metadata").

use gusset_abi::Env;
use gusset_codegen::ir::{CodeModel, Linkage, Symbol, SymbolKind};

use super::{Scan, decorated};
use crate::attributes::FnAttrs;
use crate::lexer::unescape;

impl Scan<'_> {
    /// Takes the flag of a name from the line of its node. What is not known here means nothing to code.
    pub(super) fn flag(&mut self, name: &[u8], line: &[u8]) {
        let value = integer(line).unwrap_or(0);
        let text = || String::from_utf8_lossy(&unescape(line.split(|&b| b == b'"').nth(3).unwrap_or(b""))).into_owned();
        let guard = &mut self.module.stack_guard;
        match name {
            b"cf-protection-branch" => {
                self.t.branch_markers |= value != 0;
                self.module.branch_protection |= value != 0;
            }
            b"cf-protection-return" => self.module.return_protection |= value != 0,
            b"executable-stack" => self.module.executable_stack = value != 0,
            b"Code Model" => self.code_model = code_model(value),
            b"Large Data Threshold" => self.far_bytes = u64::try_from(value).ok(),
            b"PIC Level" => self.pic_level = value as u32,
            b"PIE Level" => self.pie_level = value as u32,
            b"stack-protector-guard" => guard.global = text() == "global",
            b"stack-protector-guard-reg" => guard.register = Some(text()),
            b"stack-protector-guard-offset" => guard.offset = i32::try_from(value).ok(),
            b"stack-protector-guard-symbol" => self.guard = Some(text()).filter(|name| !name.is_empty()),
            _ => {}
        }
    }

    /// Gives a symbol to the variable that the value of stack guards comes from, if that is one that the module can see.
    pub(super) fn guard_symbol(&mut self) {
        let protected = FnAttrs::SSP | FnAttrs::SSPSTRONG | FnAttrs::SSPREQ;
        if !self.bodies.iter().any(|b| b.attrs.has(protected)) {
            return;
        }
        let target = &self.t.target;
        let gnu_windows = target.is_windows() && target.env != Env::Msvc;
        let usual = || String::from("__stack_chk_guard");
        let name = match self.guard.take() {
            // The variables of threads have no other name.
            Some(name) if !target.is_windows() && !self.module.stack_guard.global => name,
            _ if gnu_windows || self.module.stack_guard.global && !target.is_windows() => usual(),
            _ => return,
        };
        let known = self.t.names.get(name.as_bytes()).and_then(|i| self.t.named[i as usize].symbol);
        let symbol = known.unwrap_or_else(|| {
            let name = decorated(&self.t, name.as_bytes());
            let mut symbol = Symbol::new(name, SymbolKind::Data, Linkage::Import);
            // Code at a fixed address reaches the data of others, which the linker copies.
            symbol.dso_local = self.pic_level == 0 && !gnu_windows;
            self.module.add_symbol(symbol)
        });
        self.module.stack_guard.symbol = Some(symbol);
    }
}

/// A code model by LLVM's number (`CodeGen.h`). What is none is the default.
fn code_model(number: i64) -> Option<CodeModel> {
    match number {
        2 => Some(CodeModel::Kernel),
        3 => Some(CodeModel::Medium),
        4 => Some(CodeModel::Large),
        _ => None,
    }
}

/// The number at the end of a flag's node.
fn integer(line: &[u8]) -> Option<i64> {
    let end = line.iter().rposition(|&b| b == b'}')?;
    let start = line[..end].iter().rposition(|b| !(b.is_ascii_digit() || *b == b'-'))? + 1;
    std::str::from_utf8(&line[start..end]).ok()?.parse().ok()
}
