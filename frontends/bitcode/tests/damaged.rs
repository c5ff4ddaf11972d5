//! Damaged files that made the reader panic: each is an error with its place.

use gusset_abi::AbiTarget;
use gusset_bitcode::{BodyReader, Choices, read_module};

/// The error of a file with one bit changed.
fn error(name: &str, bit: usize) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/bitcode");
    let mut file = std::fs::read(folder.join(name)).unwrap();
    file[bit / 8] ^= 1 << (bit % 8);
    let module = match read_module(&file, name, &AbiTarget::X86_64_LINUX, Choices::default()) {
        Ok(module) => module,
        Err(error) => return error.to_string(),
    };
    let mut reader = BodyReader::new(&module);
    let mut func = gusset_codegen::ir::Function::new();
    let errors = module.bodies.iter().filter_map(|body| reader.read(body, &mut func).err());
    errors.map(|error| error.to_string()).next().unwrap_or_default()
}

#[test]
fn numbers_are_values_of_types_of_numbers() {
    let said = error("calls.bc", 14788);
    assert!(said.contains("a number is not a value of this type (bit 14793, CONSTANTS_BLOCK)"), "{said}");
}
