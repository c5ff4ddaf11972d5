//! Attributes by which linkers check that objects go together (Addenda to, and Errata in, the ABI for the Arm
//! Architecture, "Build attributes").

use super::{Attribute, ObjectWriter, SectionSpec, SectionType};

/// The attribute with the version of the rules for the others; it comes first.
const CONFORMANCE: u8 = 67;
/// The attributes that follow describe the whole file.
const FILE: u8 = 1;

impl ObjectWriter<'_> {
    /// Writes the attributes, if there are any.
    pub(super) fn build_attributes(&mut self) {
        let Some((_, name, vendor)) = self.format.attributes.filter(|_| !self.options.attributes.is_empty()) else {
            return;
        };
        let mut attributes: Vec<_> = self.options.attributes.iter().collect();
        attributes.sort_unstable_by_key(|(tag, _)| (*tag != CONFORMANCE, *tag));
        let mut said = Vec::new();
        for (tag, value) in attributes {
            // Numbers below 128 are one byte.
            said.push(*tag);
            match value {
                Attribute::Number(n) => said.push(*n),
                Attribute::Text(text) => said.extend(text.bytes().chain([0])),
            }
        }
        let vendor = [vendor.as_bytes(), &[0]].concat();
        let file = said.len() as u32 + 5;
        let all = file + vendor.len() as u32 + 4;
        let endian = self.format.endian();
        let parts = [b"A".as_slice(), &endian.u32(all), &vendor, &[FILE], &endian.u32(file), &said];
        let section = self.section(SectionSpec::new(name, SectionType::Attributes, 0, 0));
        self.sections[section as usize].bytes = parts.concat().into();
    }
}
