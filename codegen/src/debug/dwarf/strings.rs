//! The strings of `.debug_str` and `.debug_line_str`, each once.

use foldhash::HashMap;

use super::sections::DwarfWriter;
use crate::debug::{DiString, StringTable, to_zero};

/// The strings that entries refer to.
pub(super) struct Strings {
    pub out: DwarfWriter,
    /// By node, where the string is.
    places: Vec<Option<u32>>,
    /// Where the name of the type of array indices is, which no node has.
    index_type: Option<u32>,
}

impl Strings {
    pub fn new(nodes: &StringTable) -> Strings {
        Strings { out: DwarfWriter::default(), places: vec![None; nodes.count()], index_type: None }
    }

    /// Where a string is, which is added on its first use.
    #[inline]
    pub fn place(&mut self, nodes: &StringTable, string: DiString) -> u32 {
        match self.places[string.index()] {
            Some(place) => place,
            None => {
                let place = add(&mut self.out, to_zero(nodes.get(string)));
                *self.places[string.index()].insert(place)
            }
        }
    }

    /// Where LLVM's name of the type of array indices is.
    pub fn index_type(&mut self) -> u32 {
        *self.index_type.get_or_insert_with(|| add(&mut self.out, b"__ARRAY_SIZE_TYPE__"))
    }
}

/// The strings of line programs: names and texts of files.
#[derive(Default)]
pub(super) struct LineStrings {
    pub out: DwarfWriter,
    places: HashMap<Box<[u8]>, u32>,
}

impl LineStrings {
    pub fn place(&mut self, text: &[u8]) -> u32 {
        if let Some(&known) = self.places.get(text) {
            return known;
        }
        let place = add(&mut self.out, text);
        self.places.insert(text.into(), place);
        place
    }

    /// The string at a place.
    pub fn get(&self, place: u32) -> &[u8] {
        to_zero(&self.out.bytes[place as usize..])
    }

    /// An empty string, if there is any string.
    pub fn empty(&self) -> u32 {
        self.out.bytes.iter().position(|&byte| byte == 0).unwrap_or(0) as u32
    }
}

fn add(out: &mut DwarfWriter, text: &[u8]) -> u32 {
    let place = out.len() as u32;
    out.bytes.extend_from_slice(text);
    out.u8(0);
    place
}
