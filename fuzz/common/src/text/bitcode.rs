//! Bitcode from bytes.

use gusset::{Source as LlvmSource, TranslateOptions};

use super::compile_llvm;

/// Files to start from.
const FILES: [&[u8]; 6] = [
    include_bytes!("../../../../tests/data/bitcode/calls.bc"),
    include_bytes!("../../../../tests/data/bitcode/memory.bc"),
    include_bytes!("../../../../tests/data/bitcode/threads.bc"),
    include_bytes!("../../../../tests/data/bitcode/debug.bc"),
    include_bytes!("../../../../tests/data/bitcode/clang-13.bc"),
    include_bytes!("../../../../tests/data/bitcode/clang-16.bc"),
];

/// A file as bytes say: the first chooses one to start from and the number of changes, then each three say a place and what is changed. Bytes that are
/// bitcode themselves are taken as they are.
pub fn bitcode(bytes: &[u8]) -> Vec<u8> {
    if bytes.starts_with(b"BC\xc0\xde") {
        return bytes.to_vec();
    }
    let Some((&choice, changes)) = bytes.split_first() else { return FILES[0].to_vec() };
    let mut file = FILES[usize::from(choice) % FILES.len()].to_vec();
    for change in changes.chunks_exact(3).take(usize::from(choice >> 4) + 1) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % file.len();
        file[at] ^= change[2];
    }
    file
}

/// Compiles and translates bitcode, whatever it is. True if it is accepted.
///
/// # Errors
/// The IR that the reader made, or the allocation of registers, is not sound.
pub fn read_bitcode(file: &[u8]) -> Result<bool, String> {
    // Translation reads more, and refuses other things.
    let _ = gusset::translate(LlvmSource { name: "fuzz.bc", text: file }, &TranslateOptions::default());
    compile_llvm(file, true)
}

/// What the target `bitcode_reader` does with bytes; `said` gets the file. The last byte says whether the allocation is checked.
///
/// # Errors
/// The IR that the reader made, or the allocation of registers, is not sound.
pub fn try_bitcode(bytes: &[u8], said: impl FnOnce(&[u8])) -> Result<(), String> {
    let file = bitcode(bytes);
    said(&file);
    let _ = gusset::translate(LlvmSource { name: "fuzz.bc", text: &file }, &TranslateOptions::default());
    compile_llvm(&file, bytes.last().copied().unwrap_or(0) % 2 == 0).map(drop)
}
