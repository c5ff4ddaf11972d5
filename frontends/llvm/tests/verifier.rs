//! What LLVM's verifier refuses and would change a program is an error here, too, and what stands beside it is accepted. The workspace's
//! test `verifier` has `llvm-as` judge the same rows.

use gusset_abi::AbiTarget;
use gusset_codegen::ir::{Function, verify};
use gusset_llvm::{BodyReader, ReadError, read_module};

include!("data/verifier.rs");

/// Reads a module and all of its bodies, and verifies what came of them.
fn read(source: &str) -> Result<(), ReadError> {
    let parsed = read_module(source.as_bytes(), "t.ll", &AbiTarget::X86_64_LINUX)?;
    let mut reader = BodyReader::new(&parsed);
    let mut func = Function::new();
    for body in &parsed.bodies {
        reader.read(body, &mut func)?;
        verify(&parsed.module, &func).unwrap_or_else(|e| panic!("{e}\n{source}"));
    }
    Ok(())
}

#[test]
fn rules_of_the_verifier() {
    let mut wrong = Vec::new();
    for (source, part) in INVALID {
        match read(source) {
            Ok(()) => wrong.push(format!("accepted: {source}")),
            Err(e) if !e.message().contains(part) => wrong.push(format!("`{}` lacks `{part}`: {source}", e.message())),
            Err(_) => {}
        }
    }
    for source in VALID {
        if let Err(e) = read(source) {
            wrong.push(format!("refused: {source}: {e}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
