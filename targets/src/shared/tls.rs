//! Which model of thread-local storage a symbol is reached by.

use gusset_codegen::ir::{Module, SymbolId, SymbolKind, TlsModel};

/// The model for a symbol: the most restricted of the one it was given and the one that follows from where it is and what
/// is made, which is position-independent if `pic`, and an executable all the same if `pie`.
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
