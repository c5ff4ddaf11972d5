//! What Windows needs on every architecture: symbols of other images, probes of the stack.

use gusset_abi::Env;
use gusset_codegen::ir::{DllStorage, Linkage, Symbol, SymbolKind};
use gusset_codegen::libcall::LibCall;

/// Is a symbol that is not known to be in this image assumed to be in it?
pub(crate) fn is_here(symbol: &Symbol, env: Env) -> bool {
    if symbol.is_defined() {
        return true;
    }
    // MinGW's linker imports data from anywhere, even if it was not declared so.
    let anywhere = env == Env::Gnu && symbol.kind != SymbolKind::Function;
    !anywhere && symbol.dll != DllStorage::Import && symbol.linkage != Linkage::ImportWeak
}

/// Is a symbol called through a cell that holds its address?
pub(crate) fn is_called_by_cell(symbol: &Symbol) -> bool {
    symbol.dll == DllStorage::Import || symbol.linkage == Linkage::ImportWeak && !symbol.dso_local
}

/// Where the value of stack guards is.
pub(crate) fn guard(microsoft: bool) -> LibCall {
    if microsoft { LibCall::SecurityCookie } else { LibCall::StackChkGuard }
}
