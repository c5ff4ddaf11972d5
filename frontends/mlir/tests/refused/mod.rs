//! Bodies that are refused.

use gusset_abi::AbiTarget;
use gusset_codegen::ir::Function;
use gusset_mlir::{BodyReader, Choices, read_module};

/// The message about a body.
pub fn refused(parameters: &str, body: &str) -> String {
    let source = format!("func.func @f({parameters}) {{\n{body}\nreturn\n}}\n");
    let module = read_module(source.as_bytes(), "t.mlir", &AbiTarget::X86_64_LINUX, Choices::default()).unwrap();
    let mut reader = BodyReader::new(&module);
    let error = reader.read(&module.bodies[0], &mut Function::default()).expect_err(body);
    let text = error.to_string();
    assert!(text.contains("t.mlir:2:"), "{text}");
    text
}
