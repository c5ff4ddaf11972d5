//! Intrinsics that need something before any body is read: machine operations have numbers in the module, and functions
//! whose variables others find through the frame have tables. `llvm.call_intrinsic` names them without a declaration.

use gusset_abi::Arch;
use gusset_codegen::ir::{Module, SymbolId, SymbolKind};
use gusset_lower::find_intrinsic;

use crate::context::{Body, BodyKind, ModuleContext};
use crate::syntax::attributes::AttributeRef;

/// What intrinsics that operations name may need, without a declaration.
pub(crate) struct NamedIntrinsics {
    /// There is `llvm.call_intrinsic`, which may name any.
    pub called: bool,
    /// Trampolines are made or adjusted.
    pub trampolines: bool,
}

/// Searches the text for operations `llvm.intr.NAME` and `llvm.call_intrinsic`.
pub(crate) fn intrinsics(text: &[u8]) -> NamedIntrinsics {
    let mut named = NamedIntrinsics { called: false, trampolines: false };
    for at in memchr::memmem::find_iter(text, b"intr") {
        let rest = &text[at + b"intr".len()..];
        named.called |= rest.starts_with(b"insic");
        named.trampolines |= rest.starts_with(b".init.trampoline") || rest.starts_with(b".adjust.trampoline");
    }
    named.trampolines |= named.called && memchr::memmem::find(text, b".trampoline").is_some();
    named
}

/// Gives a number to the machine operation that an intrinsic is, if it is one.
pub(crate) fn machine_intrinsic(tables: &ModuleContext<'_>, module: &mut Module, name: &[u8]) {
    find_intrinsic(name, &tables.facts.target, |operation| module.machine_op(operation));
}

/// What the names of a machine's intrinsics begin with.
pub(crate) fn machine_prefix(arch: Arch) -> &'static str {
    match arch {
        Arch::X86 | Arch::X86_64 => "x86.",
        Arch::Aarch64 => "aarch64.",
        Arch::Arm => "arm.",
    }
}

/// Gives numbers to the machine operations that calls name.
pub(crate) fn called_intrinsics(tables: &ModuleContext<'_>, module: &mut Module) {
    // Those of the floating-point environment begin with what happens to it.
    for beginning in [machine_prefix(tables.facts.target.arch), "get.", "set.", "reset."] {
        let prefix = format!("\"llvm.{beginning}");
        for at in memchr::memmem::find_iter(tables.source.text, prefix.as_bytes()) {
            let name = &tables.source.text[at + b"\"llvm.".len()..];
            // Names are short; other strings may have any length.
            if let Some(end) = name.iter().take(128).position(|&b| b == b'"') {
                machine_intrinsic(tables, module, &name[..end]);
            }
        }
    }
}

/// Gives tables to the functions whose variables escape, or whose frames are looked into.
pub(crate) fn frames(tables: &mut ModuleContext<'_>, module: &mut Module, bodies: &[Body]) {
    let source = tables.source.text;
    let mut hosts: Vec<(usize, usize, SymbolId)> = Vec::new();
    let local = memchr::memmem::find_iter(source, b"llvm.local");
    for at in local.chain(memchr::memmem::find_iter(source, b"llvm.eh.recoverfp")) {
        let is = |name: &[u8]| source[at..].starts_with(name);
        let (escapes, looked_at) = (is(b"llvm.localescape"), is(b"llvm.localrecover") || is(b"llvm.eh.recoverfp"));
        if !(escapes || looked_at || is(b"llvm.localaddress")) {
            continue;
        }
        if hosts.is_empty() {
            let own = bodies.iter().filter(|body| body.kind == BodyKind::Operations);
            hosts.extend(own.map(|body| (body.range.start, body.range.end, body.symbol)));
            hosts.sort_unstable();
        }
        let after = hosts.partition_point(|host| host.0 <= at);
        let body = after.checked_sub(1).map(|i| hosts[i]).filter(|host| at < host.1);
        let Some((start, end, own)) = body else { continue };
        let list = operands(&source[start..end], at - start);
        let host = if looked_at { addressed(tables, &source[start..end], list) } else { Some(own) };
        let defined = |host: &SymbolId| {
            let symbol = &module.symbols[host.index()];
            symbol.kind == SymbolKind::Function && symbol.is_defined()
        };
        let Some(host) = host.filter(defined) else { continue };
        let count = if escapes { memchr::memchr_iter(b'%', list).count() as u32 } else { 0 };
        tables.facts.escape(module, host, count);
    }
}

/// The operands of the call whose callee's name is at `at`: after it, or in the generic form before it.
fn operands(body: &[u8], at: usize) -> &[u8] {
    let name = body[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'.').count();
    let after = &body[at + name..];
    let after = after.strip_prefix(b"\"").unwrap_or(after).trim_ascii_start();
    let list = match after.first() {
        Some(b'(') => after,
        _ => memchr::memmem::rfind(&body[..at], b"\"(").map_or(&b""[..], |open| &body[open + 1..at]),
    };
    let end = memchr::memchr(b')', list).unwrap_or(0);
    &list[..end]
}

/// The function whose address the first operand is.
fn addressed(tables: &ModuleContext<'_>, body: &[u8], list: &[u8]) -> Option<SymbolId> {
    let list = list.strip_prefix(b"(")?.trim_ascii_start();
    let end = list.iter().position(|&b| b == b',' || b.is_ascii_whitespace()).unwrap_or(list.len());
    let definition = [&list[..end], b" = "].concat();
    let at = memchr::memmem::find(body, &definition)? + definition.len();
    let line = &body[at..];
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    let line = line.strip_prefix(b"\"").unwrap_or(line);
    let name = memchr::memchr(b'@', line.strip_prefix(b"llvm.mlir.addressof")?)?;
    let name = AttributeRef::new(line, b"llvm.mlir.addressof".len() + name).symbol().ok()?;
    tables.lookup(&name).map(|known| known.symbol)
}
