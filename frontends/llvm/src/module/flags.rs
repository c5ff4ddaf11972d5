//! Metadata at module level, module flags above all (LangRef, "Module Flags Metadata").

use gusset_codegen::ir::{CodeModel, Linkage, Symbol, SymbolKind};

use super::{Scan, decorated};
use crate::attributes::FnAttrs;
use crate::error::{ReadError, Result};
use crate::lexer::{Cursor, unescape};
use crate::refusals;

/// Bits of `@feat.00` (Microsoft, "PE Format"). Only handlers by Windows' own tables have continuations, and there are none of those.
const GUARD_EH_CONTINUATIONS: u32 = 0x4000;
const KERNEL: u32 = 0x4000_0000;

impl Scan<'_> {
    /// Reads a line of metadata: the producer's name, flags and options for the linker matter, the rest is skipped.
    pub(super) fn metadata(&mut self) -> Result<()> {
        self.c.pos += 1;
        let list = if self.c.starts_with(b"llvm.ident") {
            Some(&mut self.idents)
        } else if self.c.starts_with(b"llvm.module.flags") {
            Some(&mut self.flags)
        } else if self.c.starts_with(b"llvm.linker.options") {
            Some(&mut self.options)
        } else {
            None
        };
        self.debug_info |= self.c.starts_with(b"llvm.dbg.cu") && rest_of_line(&self.c).iter().any(u8::is_ascii_digit);
        if let Some(list) = list {
            let line = rest_of_line(&self.c);
            let numbers =
                line.split(|b| !b.is_ascii_digit()).filter_map(|d| std::str::from_utf8(d).ok()?.parse::<u64>().ok());
            let numbers: Vec<u64> = numbers.collect();
            list.extend(&numbers);
            // Printed modules have the lists first; others need not.
            let after = self.c;
            for (_, pos) in self.early.clone().into_iter().filter(|(n, _)| numbers.contains(n)) {
                self.c.pos = pos;
                self.node()?;
            }
            self.c = after;
        } else if self.c.peek().is_ascii_digit() {
            if self.flags.is_empty() {
                let mut c = self.c;
                self.early.push((c.number()?, self.c.pos));
            }
            self.node()?;
        }
        // Metadata is printed one node a line; a node over several lines goes on with indented or closing lines.
        loop {
            self.c.skip_line();
            if !matches!(self.c.peek(), b' ' | b'\t' | b'}' | b')') {
                return Ok(());
            }
        }
    }

    /// Takes what a node says that is in one of the lists.
    fn node(&mut self) -> Result<()> {
        if !(self.idents.is_empty() && self.flags.is_empty() && self.options.is_empty()) {
            let pos = self.c.pos;
            let n = self.c.number()?;
            let (ident, flag) = (self.idents.contains(&n), self.flags.contains(&n));
            if self.options.contains(&n) {
                // Strings, each an option or a part of one.
                let strings = rest_of_line(&self.c).split(|&b| b == b'"').skip(1).step_by(2);
                let text = strings.map(|s| String::from_utf8_lossy(&unescape(s)).into_owned());
                self.module.linker_options.extend(text);
            }
            if ident || flag {
                let line = rest_of_line(&self.c);
                let quoted = line.split(|&b| b == b'"').nth(1).unwrap_or(b"");
                if ident {
                    self.module.idents.push(String::from_utf8_lossy(&unescape(quoted)).into_owned());
                } else {
                    self.flag(quoted, line).map_err(|m| ReadError::new(self.c.src, pos, m))?;
                }
            }
        }
        Ok(())
    }

    /// Takes the flag of a name from the line of its node. What is not known here means nothing to code, as LLVM has it; the error
    /// says what is refused.
    fn flag(&mut self, name: &[u8], line: &[u8]) -> std::result::Result<(), String> {
        let value = integer(line).unwrap_or(0);
        if let Some(message) = refusals::flag(name, value) {
            return Err(message);
        }
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
            b"override-stack-alignment" => self.t.realigns |= value < 16,
            b"ehcontguard" => self.module.coff_features |= GUARD_EH_CONTINUATIONS,
            b"ms-kernel" => self.module.coff_features |= KERNEL,
            _ => {}
        }
        Ok(())
    }

    /// Gives a symbol to the variable that the value of stack guards comes from, if that is one that the module can see.
    pub(super) fn guard_symbol(&mut self) {
        let protected = FnAttrs::SSP | FnAttrs::SSPSTRONG | FnAttrs::SSPREQ;
        if !self.bodies.iter().any(|b| b.attrs.has(protected)) {
            return;
        }
        let target = &self.t.target;
        let gnu_windows = target.is_windows() && !target.has_microsoft_library();
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

/// The rest of the line, without moving.
fn rest_of_line<'s>(c: &Cursor<'s>) -> &'s [u8] {
    let rest = &c.src[c.pos..];
    let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
    line.strip_suffix(b"\r").unwrap_or(line)
}
