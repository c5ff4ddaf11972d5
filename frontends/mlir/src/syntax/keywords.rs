//! Words that the dialect `llvm` spells differently from LLVM IR.

use gusset_codegen::ir::RmwOp;

/// The word of an atomic operation, without an underscore that those have which are operators of C++.
pub(crate) fn rmw_word(op: RmwOp) -> (&'static str, &'static str) {
    let underscore = if matches!(op, RmwOp::And | RmwOp::Or | RmwOp::Xor) { "_" } else { "" };
    (underscore, op.name())
}

/// The atomic operation of such a word.
pub(crate) fn rmw_of(word: &[u8]) -> Option<RmwOp> {
    let word = std::str::from_utf8(word).ok()?;
    RmwOp::from_name(word.trim_start_matches('_')).filter(|&op| {
        let (underscore, name) = rmw_word(op);
        word.strip_prefix(underscore) == Some(name)
    })
}
