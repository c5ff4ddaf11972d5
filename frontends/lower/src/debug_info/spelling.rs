//! Numbers in fields of nodes as LLVM's text names them, for translation.

use gusset_codegen::debug::{di_flags, di_subprogram_flags};

use super::names::Names;

/// The words of a number in the field of a name; none if the field has plain numbers, or the number no name.
pub fn spelled(field: &str, number: u64) -> Option<String> {
    let of = |names: Names| names.spelled(number).map(str::to_string);
    let one_of =
        |words: &[&str]| usize::try_from(number).ok().and_then(|at| words.get(at)).map(|word| word.to_string());
    match field {
        "tag" => of(Names::Tag),
        "language" => of(Names::Language),
        "encoding" => of(Names::Encoding),
        "cc" => of(Names::Convention),
        "virtuality" => of(Names::Virtuality),
        "emissionKind" => one_of(&["NoDebug", "FullDebug", "LineTablesOnly", "DebugDirectivesOnly"]),
        "nameTableKind" => one_of(&["Default", "GNU", "None", "Apple"]),
        "flags" => Some(flags("DIFlag", di_flags::NAMES, number)),
        "spFlags" => Some(flags("DISPFlag", di_subprogram_flags::NAMES, number)),
        _ => None,
    }
}

/// The name of an operation of an expression; none if it has none.
pub fn spelled_operation(number: u64) -> Option<&'static str> {
    Names::Operation.spelled(number)
}

/// The name of an encoding of numbers; none if it has none.
pub fn spelled_encoding(number: u64) -> Option<&'static str> {
    Names::Encoding.spelled(number)
}

fn flags(prefix: &str, names: &[(&str, u32)], mut bits: u64) -> String {
    let mut words = Vec::new();
    for &(name, flag) in names.iter().filter(|name| name.1 != 0) {
        if bits & u64::from(flag) == flag.into() {
            bits &= !u64::from(flag);
            words.push(format!("{prefix}{name}"));
        }
    }
    if bits != 0 || words.is_empty() {
        words.push(bits.to_string());
    }
    words.join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_llvms_names() {
        for (field, number, words) in [
            ("tag", 13, Some("DW_TAG_member")),
            ("encoding", 5, Some("DW_ATE_signed")),
            ("emissionKind", 1, Some("FullDebug")),
            ("flags", 3 | 1 << 6, Some("DIFlagPublic | DIFlagArtificial")),
            ("spFlags", 8, Some("DISPFlagDefinition")),
            ("line", 8, None),
        ] {
            assert_eq!(spelled(field, number).as_deref(), words);
        }
        assert_eq!(spelled_operation(0x1000), Some("DW_OP_LLVM_fragment"));
    }
}
