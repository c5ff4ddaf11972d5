//! The model of thread-local storage by which a symbol is accessed.

use gusset_codegen::ir::{Module, SymbolId, SymbolKind, TlsModel};

/// The model for a symbol: the more restricted one of the model that it was given and the one that follows from its
/// definition and the kind of code (position-independent if `pic`, part of an executable if `pie`).
pub(crate) fn model(module: &Module, s: SymbolId, pic: bool, pie: bool) -> TlsModel {
    let symbol = module.symbol(s);
    let shared = pic && !pie;
    let local = symbol.dso_local || !pic && symbol.is_defined();
    let implied = match (shared, local) {
        (true, false) => TlsModel::GeneralDynamic,
        (true, true) => TlsModel::LocalDynamic,
        (false, false) => TlsModel::InitialExec,
        (false, true) => TlsModel::LocalExec,
    };
    match symbol.kind {
        SymbolKind::Tls(given) if given as u8 > implied as u8 => given,
        _ => implied,
    }
}
