//! Attributes of functions that were strings or had other names, as LLVM's reader of bitcode completes them (`AutoUpgrade.cpp`,
//! `UpgradeAttributes`). Texts of these versions have them, too.

use crate::module::{Attribute, AttributeValue};

/// What becomes of a string attribute.
enum Now {
    /// `"frame-pointer"` with this value.
    FramePointer(&'static str),
    /// An attribute that is a word.
    Word(&'static str),
    Nothing,
}

/// Names, the values for which a row holds, if not for all, and what they became. The first row that holds counts.
const ROWS: [(&str, Option<&str>, Now); 5] = [
    ("no-frame-pointer-elim", Some("true"), Now::FramePointer("all")),
    ("no-frame-pointer-elim", None, Now::FramePointer("none")),
    ("no-frame-pointer-elim-non-leaf", None, Now::FramePointer("non-leaf")),
    ("null-pointer-is-valid", Some("true"), Now::Word("null_pointer_is_valid")),
    ("null-pointer-is-valid", None, Now::Nothing),
];

/// The name with which the attribute for frame pointers is known.
const FRAME_POINTER: &[u8] = b"frame-pointer";

fn row(name: &[u8], value: &[u8]) -> Option<&'static Now> {
    let holds = |row: &&(&str, Option<&str>, Now)| {
        row.0.as_bytes() == name && row.1.is_none_or(|wanted| wanted.as_bytes() == value)
    };
    ROWS.iter().find(holds).map(|row| &row.2)
}

/// The value of `"frame-pointer"` that an attribute of before LLVM 8 stands for. Of several, `all` counts before `non-leaf`, and that before
/// `none`.
pub(crate) fn frame_pointer(name: &[u8], value: &[u8]) -> Option<&'static [u8]> {
    match row(name, value) {
        Some(Now::FramePointer(now)) => Some(now.as_bytes()),
        _ => None,
    }
}

/// Puts what attributes became into their places, for translation.
pub fn upgrade_function_attributes(list: &mut Vec<Attribute>) {
    let mut frame = None;
    let mut words = Vec::new();
    list.retain(|Attribute { name, value }| {
        let now = match value {
            AttributeValue::String(text) => row(name, text),
            AttributeValue::Key => row(name, b""),
            _ => None,
        };
        match now {
            Some(Now::FramePointer(now)) => frame = frame.max(Some((now.len() == 3, *now != "none", *now))),
            Some(Now::Word(word)) => words.push(*word),
            _ => {}
        }
        now.is_none()
    });
    if let Some((_, _, value)) = frame {
        list.retain(|attribute| attribute.name != FRAME_POINTER);
        list.push(Attribute { name: FRAME_POINTER.into(), value: AttributeValue::String(value.into()) });
    }
    list.extend(words.into_iter().map(|word| Attribute { name: word.into(), value: AttributeValue::Flag }));
}
