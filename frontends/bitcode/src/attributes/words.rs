//! Values of attributes as LLVM's text has them, for translation (LLVM, `Attributes.cpp`, `Attribute::getAsString`).

use gusset_program::AttributeValue;

/// What a word names: its bits among those of a set.
type Row = (u64, &'static str);

const ALLOCATION: [Row; 6] =
    [(1, "alloc"), (2, "realloc"), (4, "free"), (8, "uninitialized"), (16, "zeroed"), (32, "aligned")];

/// Classes of floating-point numbers, those of several bits first (`FloatingPointMode.h`).
const CLASSES: [Row; 16] = [
    (0x3ff, "all"),
    (0x003, "nan"),
    (0x204, "inf"),
    (0x108, "norm"),
    (0x090, "sub"),
    (0x060, "zero"),
    (0x001, "snan"),
    (0x002, "qnan"),
    (0x200, "pinf"),
    (0x004, "ninf"),
    (0x100, "pnorm"),
    (0x008, "nnorm"),
    (0x080, "psub"),
    (0x010, "nsub"),
    (0x040, "pzero"),
    (0x020, "nzero"),
];

/// The value of an attribute that a file gives as a number.
pub(super) fn of_number(word: &str, number: u64) -> AttributeValue {
    let words = match word {
        "align" | "alignstack" | "dereferenceable" | "dereferenceable_or_null" => {
            return AttributeValue::Number(number);
        }
        "uwtable" if number == 1 => "sync".into(),
        "uwtable" => return AttributeValue::Flag,
        "allocsize" => match number as u32 {
            u32::MAX => (number >> 32).to_string(),
            count => format!("{},{count}", number >> 32),
        },
        "vscale_range" => format!("{},{}", number >> 32, number as u32),
        "allockind" => format!("\"{}\"", all_of(number, &ALLOCATION, ",")),
        "nofpclass" => all_of(number, &CLASSES, " "),
        "memory" => memory(number),
        "captures" => captures(number),
        _ => number.to_string(),
    };
    AttributeValue::Words(words.into_bytes())
}

fn all_of(mut number: u64, rows: &[Row], between: &str) -> String {
    let mut words = Vec::new();
    for &(bits, word) in rows {
        if number & bits == bits {
            number &= !bits;
            words.push(word);
        }
    }
    words.join(between)
}

/// What memory a function accesses: two bits for each kind of location. The highest byte is the version; before version 1, what the
/// function does with `errno` was what it does with other memory.
fn memory(number: u64) -> String {
    const ACCESS: [&str; 4] = ["none", "read", "write", "readwrite"];
    let access = |at: u32| ACCESS[(number >> (2 * at) & 3) as usize];
    let (other, named): (&str, Vec<(&str, &str)>) = match number >> 56 {
        0 => (access(2), vec![("argmem", access(0)), ("inaccessiblemem", access(1))]),
        _ => {
            let targets = [("target_mem0", access(4)), ("target_mem1", access(5))];
            let targets = targets.into_iter().filter(|_| number >> 56 > 1);
            let first = [("argmem", access(0)), ("inaccessiblemem", access(1)), ("errnomem", access(2))];
            (access(3), first.into_iter().chain(targets).collect())
        }
    };
    let named: Vec<_> = named.into_iter().filter(|location| location.1 != other).collect();
    let said = (other != "none" || named.is_empty()).then(|| other.to_string());
    let named = named.into_iter().map(|(location, access)| format!("{location}: {access}"));
    said.into_iter().chain(named).collect::<Vec<_>>().join(", ")
}

/// Which parts of a pointer a function keeps: four bits for the result, and four for all else.
fn captures(number: u64) -> String {
    let parts = |bits: u64| {
        let address = match bits & 3 {
            0 => None,
            1 => Some("address_is_null"),
            _ => Some("address"),
        };
        let provenance = match bits >> 2 & 3 {
            0 => None,
            1 => Some("read_provenance"),
            _ => Some("provenance"),
        };
        let all: Vec<_> = [address, provenance].into_iter().flatten().collect();
        if all.is_empty() { "none".to_string() } else { all.join(", ") }
    };
    let (other, result) = (number >> 4 & 15, number & 15);
    let said = (other != 0 || other == result).then(|| parts(other));
    let of_result = (other != result).then(|| format!("ret: {}", parts(result)));
    said.into_iter().chain(of_result).collect::<Vec<_>>().join(", ")
}

/// The value of `range`: the type, and the bounds.
pub(super) fn of_range(width: u64, fields: &[u64]) -> AttributeValue {
    let bounds = range(width, fields);
    AttributeValue::Words(format!("i{width} {}", bounds.trim_matches(['(', ')'])).into_bytes())
}

/// The bounds of a range in parentheses. Bounds of more than 64 bits are as many words as the first field says, those of the lower bound in
/// its lower half.
pub(super) fn range(width: u64, fields: &[u64]) -> String {
    let (low, high) = match (width, fields) {
        (..=64, &[low, high]) => (number(&[low], width), number(&[high], width)),
        (_, [counts, words @ ..]) => {
            let (low, high) = words.split_at((*counts as u32 as usize).min(words.len()));
            (number(low, width), number(high, width))
        }
        _ => Default::default(),
    };
    format!("({low}, {high})")
}

/// A number of a width by its words, each with its sign in the lowest bit.
fn number(words: &[u64], width: u64) -> String {
    let mut bits: u128 = match words {
        // One word is extended.
        [word] => i128::from(crate::constants::signed(*word)) as u128,
        _ => words
            .iter()
            .take(2)
            .rev()
            .fold(0, |all, &word| all << 64 | u128::from(crate::constants::signed(word) as u64)),
    };
    let unused = 128 - width.clamp(1, 128) as u32;
    bits <<= unused;
    (bits as i128 >> unused).to_string()
}
