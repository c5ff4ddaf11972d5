//! Fields of debug information nodes that contain no nodes.

use gusset_program::{Field, Metadata};

/// The bits for which MLIR 19 has no name: its three kinds of inheritance are one.
const NAMELESS: u32 = 2 << 16;

/// MLIR's names of flags with the prefix `prefix`, separated by bars; empty if no flag is set. None if MLIR has no name
/// for one of them.
pub(super) fn flags(words: &str, prefix: &str, all: &[(&'static str, u32)]) -> Option<String> {
    let mut bits = 0u32;
    for word in words.split('|').map(str::trim).filter(|word| !word.is_empty()) {
        bits |= match (word.parse(), word.strip_prefix(prefix)) {
            (Ok(bits), _) => bits,
            (_, Some("Zero")) => 0,
            (_, name) => all.iter().find(|flag| Some(flag.0) == name)?.1,
        };
    }
    if prefix == "DIFlag" && bits & NAMELESS != 0 {
        return None;
    }
    let mut names = Vec::new();
    for (name, flag) in all.iter().filter(|flag| flag.1 & NAMELESS == 0 || prefix != "DIFlag") {
        if bits & flag == *flag {
            bits &= !flag;
            names.push(*name);
        }
    }
    match &names[..] {
        _ if bits != 0 => None,
        [] => Some(String::new()),
        [one] => Some(one.to_string()),
        _ => Some(format!("\"{}\"", names.join("|"))),
    }
}

/// Number of arguments of a DWARF operation in LLVM (`DIExpression::ExprOperand`).
pub(super) fn argument_count(op: &str) -> usize {
    match op {
        "DW_OP_LLVM_convert"
        | "DW_OP_LLVM_fragment"
        | "DW_OP_LLVM_extract_bits_sext"
        | "DW_OP_LLVM_extract_bits_zext"
        | "DW_OP_bregx" => 2,
        "DW_OP_constu"
        | "DW_OP_consts"
        | "DW_OP_deref_size"
        | "DW_OP_plus_uconst"
        | "DW_OP_LLVM_tag_offset"
        | "DW_OP_LLVM_entry_value"
        | "DW_OP_LLVM_arg"
        | "DW_OP_regx" => 1,
        _ => usize::from(op.strip_prefix("DW_OP_breg").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))),
    }
}

/// Text of LLVM's own words.
pub(super) fn text_of(words: &[u8]) -> String {
    String::from_utf8_lossy(words).into_owned()
}

/// Whether a field has the value that it has if it is omitted.
pub(super) fn is_default(field: &Field) -> bool {
    match field {
        Field::Words(words) => matches!(&words[..], b"0" | b"false" | b"DIFlagZero"),
        Field::String(text) => text.is_empty(),
        Field::Metadata(Metadata::Null) => true,
        Field::Metadata(Metadata::Tuple(list)) | Field::List(list) => list.is_empty(),
        Field::Metadata(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gusset_codegen::debug::di_flags;

    #[test]
    fn flags_of_types() {
        let said = |words| flags(words, "DIFlag", di_flags::NAMES);
        assert_eq!(said("DIFlagPublic | DIFlagFwdDecl").as_deref(), Some("\"Public|FwdDecl\""));
        assert_eq!(said("DIFlagZero").as_deref(), Some(""));
        assert_eq!(said("DIFlagSingleInheritance").as_deref(), Some("SingleInheritance"));
        assert_eq!(said("DIFlagVirtualInheritance"), None);
        assert_eq!(said("DIFlagNone"), None);
        assert_eq!(argument_count("DW_OP_breg7"), 1);
        assert_eq!(argument_count("DW_OP_bregx"), 2);
        assert_eq!(argument_count("DW_OP_deref"), 0);
    }
}
