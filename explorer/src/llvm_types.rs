//! Views of functions whose types are LLVM's.

use gusset_abi::{
    AbiError, AbiType, CType, DataLayout, FnAbi, Layout, LlvmSignature, LlvmType, PassMode, Signature, Subject,
    classify,
};
use gusset_c::Leaf;

use super::names;
use super::targets::NamedTarget;
use super::view::{Declared, Value, View, passing};

/// The most leaves of one value that are listed.
pub(crate) const MAX_LEAVES: usize = 256;

/// What is shown of a function besides its values.
pub(crate) struct Head {
    pub name: String,
    /// The declaration.
    pub text: String,
    /// The text next to the convention.
    pub what: &'static str,
    pub notes: Vec<String>,
}

/// A value's name and contents.
pub(crate) struct Described {
    pub name: String,
    pub spelling: String,
    pub leaves: Vec<Leaf>,
}

/// The view of a function with such a signature.
pub(crate) fn view(
    target: &NamedTarget,
    head: Head,
    (signature, declared): (&Signature, LlvmSignature),
    result: Described,
    params: Vec<Described>,
) -> Result<View, AbiError> {
    let Head { name, text, what, notes } = head;
    let abi: FnAbi =
        classify(&target.abi, signature).map_err(|error| AbiError::new(Subject::Signature, error.to_string()))?;
    let value = |index: usize, described: Described, mode: &PassMode, layout: Option<Layout>| {
        let (passing, parts) = passing(mode, target.abi.pointer_bytes());
        let Described { name, spelling, leaves } = described;
        Value { index, name, spelling, layout, unnamed: false, leaves, is_object: false, passing, parts }
    };
    let has_result = !matches!(signature.ret.ty, AbiType::Llvm(LlvmType::Void) | AbiType::C(CType::Void));
    let mut values = vec![value(0, result, &abi.ret.mode, has_result.then_some(abi.ret.layout))];
    for (i, (described, arg)) in params.into_iter().zip(&abi.args).enumerate() {
        values.push(value(i + 1, described, &arg.mode, Some(arg.layout)));
    }
    let mut convention = names::convention(&target.abi, signature);
    if !what.is_empty() {
        convention += &format!("; {what}");
    }
    Ok(View {
        triple: target.triple.clone(),
        target: target.abi,
        convention,
        text,
        symbol: Some(abi.decoration.apply(&name)),
        name,
        machine: None,
        notes,
        declared: Declared::Llvm(Box::new(declared)),
        abi,
        values,
    })
}

/// The scalars of a value of LLVM type.
pub(crate) fn leaves(layout: DataLayout, ty: &LlvmType) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    add_leaves(layout, ty, String::new(), 0, &mut leaves);
    leaves
}

/// Adds the scalars and vectors of a type at an offset in bytes; their names begin with `path`.
pub(crate) fn add_leaves(layout: DataLayout, ty: &LlvmType, path: String, offset: u64, leaves: &mut Vec<Leaf>) {
    if leaves.len() >= MAX_LEAVES {
        return;
    }
    let within = |part: String| if path.is_empty() { part } else { format!("{path}.{part}") };
    match ty {
        LlvmType::Void => {}
        LlvmType::Array { element, len } => {
            let step = layout.llvm(element).map_or(0, |layout| layout.size);
            for i in 0..(*len).min(MAX_LEAVES as u64) {
                add_leaves(layout, element, format!("{path}[{i}]"), offset + i * step, leaves);
            }
        }
        LlvmType::Struct(body) => {
            for (i, (at, member)) in body.fields.iter().enumerate() {
                add_leaves(layout, member, within(i.to_string()), offset + at, leaves);
            }
        }
        scalar => {
            let bits = 8 * layout.llvm(scalar).map_or(0, |layout| layout.size);
            leaves.push(Leaf { path, spelling: scalar.to_string(), bit_offset: 8 * offset, bits });
        }
    }
}
