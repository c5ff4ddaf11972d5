//! Files of arguments, `@FILE`, as LLVM's tools and GCC read them (libiberty, `expandargv`).

use std::ffi::OsString;
use std::path::Path;

/// How deep such files may name others.
const MAX_DEPTH: usize = 20;

/// The arguments with those of files in place of the files. What names no file that can be read stays.
///
/// # Errors
/// Files name each other without end.
pub(crate) fn expand(arguments: impl IntoIterator<Item = OsString>) -> Result<Vec<OsString>, String> {
    let mut all = Vec::new();
    arguments.into_iter().try_for_each(|argument| add(argument, 0, &mut all))?;
    Ok(all)
}

fn add(argument: OsString, depth: usize, all: &mut Vec<OsString>) -> Result<(), String> {
    let file = argument.to_str().and_then(|text| text.strip_prefix('@')).filter(|name| !name.is_empty());
    let Some(text) = file.and_then(|name| std::fs::read(Path::new(name)).ok()) else {
        all.push(argument);
        return Ok(());
    };
    if depth == MAX_DEPTH {
        return Err(format!("{}: files of arguments name each other", argument.to_string_lossy()));
    }
    words(&text).into_iter().try_for_each(|word| add(os(word), depth + 1, all))
}

/// Bytes as an argument.
fn os(bytes: Vec<u8>) -> OsString {
    #[cfg(unix)]
    {
        std::os::unix::ffi::OsStringExt::from_vec(bytes)
    }
    #[cfg(not(unix))]
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// The words of a text: separated by white space, with quotes, and backslashes that take the next byte as it is.
fn words(text: &[u8]) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => word.get_or_insert_default().extend(bytes.next()),
            _ if quote == Some(byte) => quote = None,
            _ if quote.is_some() => word.get_or_insert_default().push(byte),
            b'"' | b'\'' => {
                word.get_or_insert_default();
                quote = Some(byte);
            }
            _ if byte.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words
}

/// The contents of a file of arguments that stands for these.
pub(crate) fn quoted(arguments: &[OsString]) -> Vec<u8> {
    let mut text = Vec::new();
    for argument in arguments {
        text.push(b'"');
        for &byte in argument.as_encoded_bytes() {
            if matches!(byte, b'"' | b'\\') {
                text.push(b'\\');
            }
            text.push(byte);
        }
        text.extend(b"\"\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{quoted, words};

    #[test]
    fn words_have_quotes_and_backslashes() {
        let text = br#"-a "b c"  'd "e' f\ g "\"" '' -D"x"y"#;
        let expected = ["-a", "b c", "d \"e", "f g", "\"", "", "-Dxy"];
        assert_eq!(words(text), expected.map(|word| word.as_bytes().to_vec()));
    }

    #[test]
    fn quoted_words_are_the_same() {
        let all = ["a b", "\"", "\\", "", "'x'", "-Wl,-z,defs"];
        assert_eq!(words(&quoted(&all.map(Into::into))), all.map(|word| word.as_bytes().to_vec()));
    }
}
