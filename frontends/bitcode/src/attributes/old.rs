//! Lists of attributes from before LLVM 3.3: pairs of a parameter's number and a word of bits (`BitcodeReader.cpp`,
//! `decodeLLVMAttributesForBitcode`, `getRawAttributeMask`).

use gusset_program::{Attribute, AttributeValue};
use gusset_text::Result;

use crate::bits::Bits;

/// Attributes by their bits, which are above those of the alignment from 21 on.
const BITS: [(u32, &str); 33] = [
    (0, "zeroext"),
    (1, "signext"),
    (2, "noreturn"),
    (3, "inreg"),
    (4, "sret"),
    (5, "nounwind"),
    (6, "noalias"),
    (7, "byval"),
    (8, "nest"),
    (9, "readnone"),
    (10, "readonly"),
    (11, "noinline"),
    (12, "alwaysinline"),
    (13, "optsize"),
    (14, "ssp"),
    (15, "sspreq"),
    (21, "nocapture"),
    (22, "noredzone"),
    (23, "noimplicitfloat"),
    (24, "naked"),
    (25, "inlinehint"),
    (29, "returns_twice"),
    (30, "uwtable"),
    (31, "nonlazybind"),
    (32, "sanitize_address"),
    (33, "minsize"),
    (34, "noduplicate"),
    (35, "sspstrong"),
    (36, "sanitize_thread"),
    (37, "sanitize_memory"),
    (38, "nobuiltin"),
    (39, "returned"),
    (40, "cold"),
];

/// The bits of the stack's alignment.
const STACK: u32 = 26;

/// The attributes of the list that the record is, with the numbers of what they are of.
pub(super) fn lists(c: &Bits<'_>) -> Result<Vec<(u64, Vec<Attribute>)>> {
    let (pairs, rest) = c.record().as_chunks::<2>();
    c.refuse_if(!rest.is_empty(), "a list of attributes has a number without attributes")?;
    Ok(pairs.iter().map(|&[index, word]| (index, list(word))).collect())
}

fn list(word: u64) -> Vec<Attribute> {
    // The alignment takes sixteen bits, of which five were enough.
    let (align, bits) = (word >> 16 & 0xffff, word & 0xffff | (word & 0xf_ffff << 32) >> 11);
    let mut all = Vec::new();
    let mut push = |name: &str, value| all.push(Attribute { name: name.into(), value });
    if align != 0 {
        push("align", AttributeValue::Number(align));
    }
    let stack = bits >> STACK & 7;
    if stack != 0 {
        push("alignstack", AttributeValue::Number(1 << (stack - 1)));
    }
    for (_, name) in BITS.iter().filter(|row| bits >> row.0 & 1 == 1) {
        // One bit has the first kind of unwind tables.
        push(name, if *name == "uwtable" { AttributeValue::Words(b"sync".into()) } else { AttributeValue::Flag });
    }
    all
}
