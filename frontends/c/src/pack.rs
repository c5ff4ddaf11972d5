//! `#pragma pack`.

use crate::fault::{Checked, Fault};

/// The limit in force, and those that were pushed.
#[derive(Default)]
pub(crate) struct Pack {
    bytes: Option<u32>,
    stack: Vec<(Option<String>, Option<u32>)>,
}

impl Pack {
    /// The limit in force, in bytes.
    pub fn bytes(&self) -> Option<u32> {
        self.bytes
    }

    /// Takes note of a pragma, whole, that stands at byte `at`. Others than `pack` have no meaning here, unless they change layouts.
    pub fn pragma(&mut self, text: &str, at: usize) -> Checked<()> {
        let mut words = text
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .skip_while(|word| *word == "pragma");
        match words.next() {
            Some("pack") => {}
            Some(name @ ("ms_struct" | "scalar_storage_order" | "options" | "align")) => {
                return Err(Fault::new(at, format!("`#pragma {name}` is not supported")));
            }
            _ => return Ok(()),
        }
        let mut words = words.peekable();
        if words.peek().is_none() {
            self.bytes = None;
        }
        let (mut pushing, mut popping) = (false, false);
        let (mut label, mut bytes) = (None, None);
        for word in words {
            match word {
                "push" => pushing = true,
                "pop" => popping = true,
                "show" => return Ok(()),
                _ if word.starts_with(|c: char| c.is_ascii_digit()) => match word.parse() {
                    Ok(0) => bytes = Some(None),
                    Ok(n @ (1 | 2 | 4 | 8 | 16)) => bytes = Some(Some(n)),
                    _ => return Err(Fault::new(at, "`#pragma pack` takes 1, 2, 4, 8 or 16")),
                },
                _ => label = Some(word.to_string()),
            }
        }
        if pushing {
            self.stack.push((label, self.bytes));
        } else if popping {
            let found = match &label {
                Some(_) => self.stack.iter().rposition(|(name, _)| *name == label),
                None => self.stack.len().checked_sub(1),
            };
            let Some(found) = found else {
                return Err(Fault::new(at, "`#pragma pack(pop)` without a push"));
            };
            self.bytes = self.stack[found].1;
            self.stack.truncate(found);
        }
        if let Some(bytes) = bytes {
            self.bytes = bytes;
        }
        Ok(())
    }
}
