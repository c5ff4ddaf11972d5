//! Intrinsics that need something before any body is read: operations of the machine have numbers in the module, and functions whose
//! variables others find by the frame have tables. `llvm.call_intrinsic` names them without a declaration.

use gusset_abi::Arch;
use gusset_codegen::ir::{Linkage, Module, Symbol as IrSymbol, SymbolId, SymbolKind};
use gusset_lower::Intrinsic;

use crate::tables::{Body, BodyKind, Tables};

/// Numbers the operation of a machine that an intrinsic is, if it is one.
pub(crate) fn machine_intrinsic(tables: &Tables<'_>, module: &mut Module, name: &[u8]) {
    Intrinsic::find(name, &tables.facts.target, |operation| module.machine_op(operation));
}

/// Numbers the operations of the machine that calls name.
pub(crate) fn called_intrinsics(tables: &Tables<'_>, module: &mut Module) {
    let prefix = match tables.facts.target.arch {
        Arch::X86 | Arch::X86_64 => "\"llvm.x86.",
        Arch::Aarch64 => "\"llvm.aarch64.",
        Arch::Arm => "\"llvm.arm.",
    };
    for at in memchr::memmem::find_iter(tables.source, prefix.as_bytes()) {
        let name = &tables.source[at + b"\"llvm.".len()..];
        // Names are short, and strings that are no names are of any length.
        if let Some(end) = name.iter().take(128).position(|&b| b == b'"') {
            machine_intrinsic(tables, module, &name[..end]);
        }
    }
}

/// Gives tables to the functions whose variables escape, or whose frames are asked for.
pub(crate) fn frames(tables: &mut Tables<'_>, module: &mut Module, bodies: &[Body]) {
    let source = tables.source;
    let mut hosts: Vec<(usize, usize, SymbolId)> = Vec::new();
    for at in memchr::memmem::find_iter(source, b"llvm.local") {
        let name = &source[at..];
        let escapes = name.starts_with(b"llvm.localescape");
        if !(escapes || name.starts_with(b"llvm.localaddress")) {
            continue;
        }
        if hosts.is_empty() {
            let own = bodies.iter().filter(|body| body.kind == BodyKind::Operations);
            hosts.extend(own.map(|body| (body.range.start, body.range.end, body.symbol)));
            hosts.sort_unstable();
        }
        let behind = hosts.partition_point(|host| host.0 <= at);
        let host = behind.checked_sub(1).map(|i| hosts[i]).filter(|host| at < host.1);
        let Some((start, _, host)) = host else { continue };
        let count = if escapes { operands(&source[start..], at - start) } else { 0 };
        let known = tables.facts.escapes.get(&host).copied();
        let table = known.map_or_else(
            || {
                let name = format!("{}.frame", module.symbols[host.index()].name);
                module.add_symbol(IrSymbol::new(name, SymbolKind::Data, Linkage::Private))
            },
            |known| known.0,
        );
        tables.facts.escapes.insert(host, (table, count.max(known.map_or(0, |known| known.1))));
    }
}

/// The number of operands of the call whose callee's name stands at `at`: behind it, or in the generic form before it.
fn operands(source: &[u8], at: usize) -> u32 {
    let name = b"llvm.localescape".len();
    let behind = source[at + name..].strip_prefix(b"\"").unwrap_or(&source[at + name..]).trim_ascii_start();
    let list = match behind.first() {
        Some(b'(') => behind,
        _ => {
            let call = memchr::memmem::rfind(&source[..at], b"\"(").map(|open| &source[open..at]);
            call.unwrap_or_default()
        }
    };
    let end = memchr::memchr(b')', list).unwrap_or(0);
    memchr::memchr_iter(b'%', &list[..end]).count() as u32
}
