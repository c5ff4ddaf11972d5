//! The words of the text form, which printer and parser share.

use gusset_abi::{Convention, FloatKind, LlvmScalar, Member, Role};

use super::module::{ComdatKind, Linkage, TlsModel};

pub(super) const LINKAGES: &[(Linkage, &str)] = &[
    (Linkage::Import, "import"),
    (Linkage::ImportWeak, "import_weak"),
    (Linkage::Export, "export"),
    (Linkage::Weak, "weak"),
    (Linkage::Local, "local"),
    (Linkage::Private, "private"),
    (Linkage::Common, "common"),
];
pub(super) const TLS_MODELS: &[(TlsModel, &str)] = &[
    (TlsModel::GeneralDynamic, "general_dynamic"),
    (TlsModel::LocalDynamic, "local_dynamic"),
    (TlsModel::InitialExec, "initial_exec"),
    (TlsModel::LocalExec, "local_exec"),
];
pub(super) const COMDATS: &[(ComdatKind, &str)] = &[
    (ComdatKind::Any, "any"),
    (ComdatKind::ExactMatch, "exact_match"),
    (ComdatKind::Largest, "largest"),
    (ComdatKind::NoDeduplicate, "no_deduplicate"),
    (ComdatKind::SameSize, "same_size"),
];

pub(super) fn name_of<T: PartialEq + Copy>(table: &[(T, &'static str)], x: T) -> &'static str {
    table.iter().find(|(t, _)| *t == x).map_or("?", |(_, n)| n)
}

/// What a word stands for.
pub(super) fn by_name<T: Copy>(table: &[(T, &str)], name: &str) -> Option<T> {
    table.iter().find(|(_, n)| *n == name).map(|(t, _)| *t)
}

pub(super) const CONVENTIONS: &[(Convention, &str)] = &[
    (Convention::C, "c"),
    (Convention::SysV64, "sysv64"),
    (Convention::Fast, "fast"),
    (Convention::Cold, "cold"),
    (Convention::Tail, "tail"),
    (Convention::PreserveMost, "preserve_most"),
    (Convention::PreserveAll, "preserve_all"),
    (Convention::PreserveNone, "preserve_none"),
    (Convention::Win64, "win64"),
    (Convention::Stdcall, "stdcall"),
    (Convention::Fastcall, "fastcall"),
    (Convention::Thiscall, "thiscall"),
    (Convention::Vectorcall, "vectorcall"),
    (Convention::VectorPcs, "vector_pcs"),
    (Convention::AapcsBase, "aapcs"),
    (Convention::AapcsVfp, "aapcs_vfp"),
    (Convention::Swift, "swift"),
    (Convention::SwiftTail, "swift_tail"),
    (Convention::Ghc, "ghc"),
];

pub(super) const LLVM_SCALARS: &[(LlvmScalar, &str)] = &[
    (LlvmScalar::Half, "half"),
    (LlvmScalar::BFloat, "bfloat"),
    (LlvmScalar::Float, "float"),
    (LlvmScalar::Double, "double"),
    (LlvmScalar::X86Fp80, "x86_fp80"),
    (LlvmScalar::Fp128, "fp128"),
    (LlvmScalar::Ptr, "ptr"),
];

pub(super) const C_FLOATS: &[(FloatKind, &str)] = &[
    (FloatKind::F16, "f16"),
    (FloatKind::BF16, "bf16"),
    (FloatKind::F32, "f32"),
    (FloatKind::F64, "f64"),
    (FloatKind::Long, "long_double"),
    (FloatKind::F128, "f128"),
];

/// Attributes without operands.
pub(super) const PLAIN_ROLES: &[(Role, &str)] = &[
    (Role::StructReturn, "sret"),
    (Role::Nest, "nest"),
    (Role::SwiftSelf, "swiftself"),
    (Role::SwiftError, "swifterror"),
    (Role::SwiftAsync, "swiftasync"),
];

pub(super) const MEMBERS: &[(Member, &str)] =
    &[(Member::Method, "method"), (Member::Constructor, "constructor"), (Member::Destructor, "destructor")];
