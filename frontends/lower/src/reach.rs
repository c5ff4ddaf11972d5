//! Which data and functions may be far away, by the code model (LLVM's `TargetMachine::isLargeGlobalValue`).

use gusset_codegen::ir::{CodeModel, Module, Symbol, SymbolKind};

/// The distances that the code model allows.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    model: CodeModel,
    /// In the medium and large models, data of more bytes may be far away.
    far_bytes: u64,
}

impl Reach {
    /// The distances of a code model; `far_bytes` is the threshold of the options or the module's flags.
    pub fn of(model: CodeModel, far_bytes: Option<u64>) -> Reach {
        // Clang's defaults.
        let usual = if model == CodeModel::Large { 0 } else { 1 << 16 };
        Reach { model, far_bytes: far_bytes.unwrap_or(usual) }
    }

    /// Whether data of `size` bytes, if that is known, may be far away. The variable's attribute (`said`) or its
    /// section may decide it.
    pub fn is_far(self, symbol: &Symbol, (said, section): (Option<bool>, Option<&str>), size: Option<u64>) -> bool {
        let by_size = matches!(self.model, CodeModel::Medium | CodeModel::Large);
        let boundary = symbol.name.starts_with("__start_") || symbol.name.starts_with("__stop_");
        match (said, section) {
            _ if symbol.is_tls() => false,
            (Some(far), _) => far,
            (_, Some(section)) => [".lbss", ".ldata", ".lrodata"]
                .iter()
                .any(|stem| section.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))),
            _ if by_size && !symbol.is_defined() && (boundary || symbol.name == "__ehdr_start") => true,
            // The module that defines data without a size here may know a large one.
            _ => by_size && size.is_none_or(|size| size == 0 || size > self.far_bytes),
        }
    }

    /// Marks the functions of other modules, which may be anywhere in the large model.
    pub fn functions(self, module: &mut Module) {
        if self.model == CodeModel::Large {
            let outside = |s: &&mut Symbol| s.kind == SymbolKind::Function && !s.is_defined();
            module.symbols.iter_mut().filter(outside).for_each(|s| s.far = true);
        }
    }
}
