//! Files with their checksums, and the table of strings.

use std::collections::HashMap;

use super::bytes::Output;
use super::names::full_path;
use super::records::subsection;
use crate::debug::{ChecksumKind, DebugInfo, DiFileId};

/// The name of a file without one (LLVM, `CodeViewContext::addFile`).
const UNKNOWN: &[u8] = b"<stdin>";

/// Files by the offsets of their checksums, which stand for them.
pub(super) struct Files<'a> {
    info: &'a DebugInfo,
    by_node: HashMap<DiFileId, u32>,
    by_path: HashMap<Vec<u8>, u32>,
    checksums: Output,
    strings: Vec<u8>,
    string_offsets: HashMap<Vec<u8>, u32>,
}

impl<'a> Files<'a> {
    pub fn new(info: &'a DebugInfo) -> Files<'a> {
        let (by_node, by_path) = (HashMap::new(), HashMap::new());
        // The first string is the empty one.
        let (checksums, strings, string_offsets) = (Output::default(), vec![0], HashMap::new());
        Files { info, by_node, by_path, checksums, strings, string_offsets }
    }

    /// The file of a node, which is added if it is new. Nodes with the same path are the same file.
    pub fn file(&mut self, node: Option<DiFileId>) -> u32 {
        if let Some(&known) = node.and_then(|node| self.by_node.get(&node)) {
            return known;
        }
        let path = node.map_or(Vec::new(), |node| full_path(self.info, node));
        let path = if path.is_empty() { UNKNOWN.to_vec() } else { path };
        let file = match self.by_path.get(&path) {
            Some(&known) => known,
            None => self.add(node, path),
        };
        if let Some(node) = node {
            self.by_node.insert(node, file);
        }
        file
    }

    fn add(&mut self, node: Option<DiFileId>, path: Vec<u8>) -> u32 {
        let name = self.string(&path);
        let at = self.checksums.len() as u32;
        let out = &mut self.checksums;
        out.bytes.u32(name);
        match node.and_then(|node| self.info.files[node.index()].checksum.as_ref()) {
            Some(checksum) => {
                out.bytes.u8(checksum.bytes.len() as u8);
                out.bytes.u8(match checksum.kind {
                    ChecksumKind::Md5 => 1,
                    ChecksumKind::Sha1 => 2,
                    ChecksumKind::Sha256 => 3,
                });
                out.bytes.0.extend_from_slice(&checksum.bytes);
                out.align();
            }
            None => out.bytes.u32(0),
        }
        self.by_path.insert(path, at);
        at
    }

    /// The offset of a string in the table.
    pub fn string(&mut self, text: &[u8]) -> u32 {
        if let Some(&known) = self.string_offsets.get(text) {
            return known;
        }
        let at = self.strings.len() as u32;
        self.strings.extend_from_slice(text);
        self.strings.push(0);
        self.string_offsets.insert(text.to_vec(), at);
        at
    }

    /// Writes the files, if there are any, and the strings.
    pub fn write(self, out: &mut Output) {
        if self.checksums.len() != 0 {
            out.subsection(subsection::FILE_CHECKSUMS, self.checksums);
        }
        let mut strings = Output::default();
        strings.bytes.0 = self.strings;
        strings.align();
        out.subsection(subsection::STRING_TABLE, strings);
    }
}
