//! Thread-local data without help from the loader: emulated TLS, as in GCC and LLVM.
//!
//! A variable `x` becomes a control variable `__emutls_v.x`, from whose address `__emutls_get_address` of the
//! compiler's run-time library finds the thread's copy. It has four words: size and alignment, a number that the
//! library assigns, and the address of the initial contents `__emutls_t.x`, if these are not all zero. Both have the
//! linkage of `x`, and a COMDAT of their own.

use gusset_abi::Endian;

use super::{ObjectError, ObjectFormat, Result};
use crate::ir::{
    CodeModel, Comdat, ComdatId, DataObject, DataReloc, DllStorage, Linkage, Module, RelocBase, Symbol, SymbolId,
    SymbolKind,
};

/// Replaces every thread-local symbol of a module by its control variable. From then on
/// [`TlsAddr`](crate::ir::Opcode::TlsAddr) of it calls the library, so this must happen before functions are compiled.
///
/// # Errors
/// Data contains the address of such a symbol.
pub fn emulate_tls(format: &ObjectFormat, module: &mut Module) -> Result {
    let mut targets = module.data.iter().flat_map(|data| &data.relocs).map(|reloc| module.symbol(reloc.symbol));
    if let Some(symbol) = targets.find(|symbol| symbol.is_tls()) {
        return Err(ObjectError::EmulatedAddress { symbol: symbol.name.clone() });
    }
    let underscores = format.coff.as_ref().is_some_and(|coff| coff.underscores);
    let word = format.pointer_bytes;
    let (emulated, mut data): (Vec<_>, Vec<_>) =
        std::mem::take(&mut module.data).into_iter().partition(|data| module.symbol(data.symbol).is_tls());
    for object in emulated {
        emulate(module, &mut data, object, (word, format.endian()), underscores);
    }
    module.data = data;
    let far = module.code_model == CodeModel::Large;
    for symbol in module.symbols.iter_mut().filter(|s| s.is_tls()) {
        symbol.name = prefixed("__emutls_v.", &symbol.name, underscores);
        symbol.kind = SymbolKind::EmulatedTls;
        // Only GNU's library supports common variables.
        if symbol.linkage == Linkage::Common {
            symbol.linkage = Linkage::Weak;
        }
        symbol.section = None;
        symbol.align = 0;
        symbol.associated = None;
        symbol.far = far;
    }
    Ok(())
}

/// Adds the control variable and the initial contents of a definition.
fn emulate(
    module: &mut Module,
    out: &mut Vec<DataObject>,
    object: DataObject,
    (word, endian): (u8, Endian),
    underscores: bool,
) {
    let old = module.symbol(object.symbol).clone();
    let align = object.align.max(old.align.into()).max(1);
    let mut own_comdat = |stem: &str| {
        let kind = module.comdats[old.comdat?.index()].kind;
        module.comdats.push(Comdat { name: prefixed(stem, &old.name, underscores), kind });
        Some(ComdatId::new(module.comdats.len() - 1))
    };
    let control_comdat = own_comdat("__emutls_v.");
    let template = (!object.bytes.is_empty()).then(|| own_comdat("__emutls_t."));
    let mut bytes = vec![0; 4 * usize::from(word)];
    for (at, n) in [(0, object.size), (usize::from(word), align)] {
        let size = usize::from(word);
        bytes[at..at + size].copy_from_slice(&endian.number(n.into(), size)[..size]);
    }
    let mut control = DataObject::new(object.symbol, bytes, 4 * u64::from(word), word.into());
    module.symbols[object.symbol.index()].comdat = control_comdat;
    let template = template.map(|comdat| {
        let name = prefixed("__emutls_t.", &old.name, underscores);
        module.add_symbol(Symbol {
            name,
            kind: SymbolKind::Data,
            section: None,
            comdat,
            dll: DllStorage::None,
            associated: None,
            ..old.clone()
        })
    });
    control.relocs.extend(template.map(|symbol| DataReloc {
        offset: 3 * u64::from(word),
        size: word,
        symbol,
        addend: 0,
        base: RelocBase::Zero,
    }));
    out.push(control);
    out.extend(template.map(|symbol: SymbolId| DataObject { symbol, constant: true, mergeable: false, ..object }));
}

/// A name with a prefix, which goes after 32-bit Windows' own.
fn prefixed(stem: &str, name: &str, underscores: bool) -> String {
    match name.strip_prefix('_').filter(|_| underscores) {
        Some(bare) => format!("_{stem}{bare}"),
        None => format!("{stem}{name}"),
    }
}
