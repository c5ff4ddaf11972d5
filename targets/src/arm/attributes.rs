//! What objects say about the processor that they are for and about how they call (Addenda to, and Errata in, the ABI
//! for the Arm Architecture, "Build attributes"), as LLVM writes it.

use gusset_codegen::ir::Module;
use gusset_codegen::object::Attribute;

use super::machine::{Arm, Features};

impl Arm {
    /// The attributes by number, and the name of the floating-point unit.
    pub(super) fn build_attributes(&self, module: &Module) -> (Vec<(u8, Attribute)>, Option<&'static str>) {
        let f = self.features;
        let profile = match f {
            Features { microcontroller: true, .. } => Some(b'M'),
            Features { real_time: true, .. } => Some(b'R'),
            _ => (f.version >= 7).then_some(b'A'),
        };
        let architecture = match f.version {
            ..=4 => 1 + u8::from(f.exchanges),
            5 => 4,
            6 if f.second_t32 => 8,
            6 => 6,
            // With DSP instructions, which come with floating point.
            7 if f.microcontroller && f.fused => 13,
            7 => 10,
            _ if f.microcontroller => 17,
            _ => 14,
        };
        let unit = unit(f);
        let rows = [
            // Architecture and profile; A32 and T32.
            (6, Some(architecture)),
            (7, profile),
            (8, Some(u8::from(!f.microcontroller))),
            (9, f.exchanges.then(|| 1 + u8::from(f.has_t2()) + u8::from(architecture == 17))),
            // Floating point, vectors, half precision, division, unaligned accesses.
            (10, unit.map(|(_, arch, _)| arch)),
            (12, unit.and_then(|(.., vectors)| vectors)),
            (27, (f.vfp && !f.double).then_some(1)),
            (36, (f.vfp && (f.half || f.fused)).then_some(1)),
            (44, (f.divide && profile == Some(b'A')).then_some(2)),
            (34, Some(u8::from(f.unaligned))),
            // How data is addressed: relative to the program counter, `r9`, through the global offset table, or directly.
            (15, if f.data_moves { Some(2) } else { self.pic.then_some(1) }),
            (16, (self.pic || f.code_moves).then_some(1)),
            (17, Some(1 + u8::from(self.pic))),
            // Numbers are IEEE 754's.
            (20, Some(1)),
            (21, Some(1)),
            (23, Some(3)),
            (38, Some(1)),
            // The stack is aligned to eight bytes.
            (24, Some(1)),
            (25, Some(1)),
            (28, self.facts.library.features.hard_float.then_some(1)),
            // Whether `r9` is the static base.
            (14, Some(u8::from(f.data_moves))),
            (18, module.wide_char_bytes),
            (26, module.least_enum_bytes.map(|bytes| if bytes < 4 { 1 } else { 2 })),
        ];
        let protection = |used: bool| used.then_some(if f.pacbti { 2 } else { 1 });
        let rows = rows.into_iter().chain([
            // Signed return addresses and marked targets of branches: which instructions there may be, and whether they are used.
            (50, protection(module.return_protection)),
            (52, protection(module.branch_protection)),
            (74, module.branch_protection.then_some(1)),
            (76, module.return_protection.then_some(1)),
        ]);
        let numbers = rows.filter_map(|(tag, n)| Some((tag, Attribute::Number(n?))));
        let conformance = (67, Attribute::Text("2.09".to_string()));
        (std::iter::once(conformance).chain(numbers).collect(), unit.map(|(name, ..)| name))
    }
}

/// The floating-point unit: its name, its number, and the number of its vector unit.
fn unit(f: Features) -> Option<(&'static str, u8, Option<u8>)> {
    match f {
        Features { vfp: false, .. } => None,
        Features { microcontroller: true, double: false, version: 7, .. } => Some(("fpv4-sp-d16", 6, None)),
        Features { microcontroller: true, double: false, .. } => Some(("fpv5-sp-d16", 8, None)),
        Features { microcontroller: true, .. } => Some(("fpv5-d16", 8, None)),
        Features { version: ..=6, .. } => Some(("vfpv2", 2, None)),
        Features { version: 8.., neon: true, .. } => Some(("neon-fp-armv8", 7, Some(3))),
        Features { version: 8.., .. } => Some(("fp-armv8", 7, None)),
        Features { fused: true, neon: true, .. } => Some(("neon-vfpv4", 5, Some(2))),
        Features { fused: true, .. } => Some(("vfpv4", 5, None)),
        Features { neon: true, .. } => Some(("neon", 3, Some(1))),
        _ => Some(("vfpv3", 3, None)),
    }
}
