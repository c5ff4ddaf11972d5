//! Random C types: as the layer sees them, as C spells them, and which of their bits have meaning.

use fastrand::Rng;
use gusset_abi::{CType, DataLayout, Field, FloatKind, Record, RecordKind, Scalar};
use std::fmt::Write;

/// A C type with its name in the program.
#[derive(Clone)]
pub struct Named {
    /// The type.
    pub ty: CType,
    /// The name of its typedef, or its own.
    pub name: String,
}

/// Makes types, and collects their declarations.
pub struct Types {
    rng: Rng,
    layout: DataLayout,
    vector_bytes: u32,
    for_clang: bool,
    /// Declarations, then checks of sizes and offsets, each in C.
    pub declarations: String,
    /// Statements that check bit-field offsets at run time.
    pub checks: String,
    count: usize,
}

const INTS: &[(&str, u16, bool)] = &[
    ("signed char", 8, true),
    ("unsigned char", 8, false),
    ("short", 16, true),
    ("unsigned short", 16, false),
    ("int", 32, true),
    ("unsigned", 32, false),
    ("long", 64, true),
    ("unsigned long", 64, false),
    ("__int128", 128, true),
    ("unsigned __int128", 128, false),
];

const FLOATS: &[(&str, FloatKind)] = &[
    ("_Float16", FloatKind::F16),
    ("float", FloatKind::F32),
    ("double", FloatKind::F64),
    ("long double", FloatKind::Long),
    ("__float128", FloatKind::F128),
];

impl Types {
    /// A generator seeded with `seed`, making vectors of up to `vector_bytes` bytes, and, if `for_clang`,
    /// `_BitInt`, which GCC 12 has not, and unnamed bit-fields with a width, which it classifies differently.
    pub fn new(seed: u64, layout: DataLayout, vector_bytes: u8, for_clang: bool) -> Types {
        let vector_bytes = vector_bytes.into();
        Types {
            rng: Rng::with_seed(seed),
            layout,
            vector_bytes,
            for_clang,
            declarations: String::new(),
            checks: String::new(),
            count: 0,
        }
    }

    /// The source of randomness, for choices beside types.
    pub fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    fn fresh(&mut self) -> String {
        self.count += 1;
        format!("t{}", self.count)
    }

    fn scalar(&mut self) -> (Scalar, &'static str) {
        match self.rng.u32(0..10) {
            0 => (Scalar::Bool, "_Bool"),
            1 => (Scalar::Pointer, "char *"),
            2..6 => {
                let (name, bits, signed) = INTS[self.rng.usize(0..INTS.len())];
                (Scalar::Int { bits, signed }, name)
            }
            _ => {
                let (name, kind) = FLOATS[self.rng.usize(0..FLOATS.len())];
                (Scalar::Float(kind), name)
            }
        }
    }

    fn typedef(&mut self, ty: CType, spelled: &str, suffix: &str) -> Named {
        let name = self.fresh();
        let _ = writeln!(self.declarations, "typedef {spelled} {name}{suffix};");
        Named { ty, name }
    }

    /// A random type of a parameter or result.
    pub fn value(&mut self) -> Named {
        match self.rng.u32(0..20) {
            0..7 => {
                let (scalar, name) = self.scalar();
                Named { ty: scalar.into(), name: name.into() }
            }
            7..9 => self.complex(),
            9..11 => self.vector(),
            11 if self.for_clang => self.bit_int(),
            _ => self.record(2),
        }
    }

    fn bit_int(&mut self) -> Named {
        let bits = [self.rng.u32(2..33), self.rng.u32(2..130), self.rng.u32(2..300)][self.rng.usize(0..3)];
        let signed = self.rng.bool();
        let name = format!("{} _BitInt({bits})", if signed { "signed" } else { "unsigned" });
        Named { ty: CType::BitInt { bits, signed }, name }
    }

    fn complex(&mut self) -> Named {
        let (name, kind) = FLOATS[self.rng.usize(1..4)];
        Named { ty: CType::complex(kind), name: format!("_Complex {name}") }
    }

    /// A vector whose passing GCC and clang agree on: neither a lone `double` nor less than 8 bytes with float lanes.
    fn vector(&mut self) -> Named {
        let (name, lane, bytes) = match self.rng.u32(0..5) {
            0 => ("signed char", Scalar::Int { bits: 8, signed: true }, 1),
            1 => ("short", Scalar::Int { bits: 16, signed: true }, 2),
            2 => ("int", Scalar::Int { bits: 32, signed: true }, 4),
            3 => ("float", Scalar::Float(FloatKind::F32), 4),
            _ => ("long", Scalar::Int { bits: 64, signed: true }, 8),
        };
        let size = [8, 16, 16, 16, 32, 64][self.rng.usize(0..6)].min(self.vector_bytes);
        let ty = CType::Vector { lane, lanes: size / bytes };
        self.typedef(ty, name, &format!(" __attribute__((vector_size({size})))"))
    }

    fn record(&mut self, depth: u32) -> Named {
        let union = self.rng.u32(0..6) == 0;
        let packed = self.rng.u32(0..8) == 0;
        let aligned = (self.rng.u32(0..10) == 0).then(|| 1 << self.rng.u32(1..6));
        let count = [0, 1, 1, 2, 2, 2, 3, 3, 4, 6][self.rng.usize(0..10)];
        let mut fields = Vec::new();
        let mut body = String::new();
        for i in 0..count {
            let (field, text) = self.field(i, depth, union);
            fields.push(field);
            body.push_str(&text);
        }
        let kind = if union { RecordKind::Union } else { RecordKind::Struct };
        let mut record = if union { Record::union(fields) } else { Record::structure(fields) };
        let mut attributes = String::new();
        if packed {
            record = record.packed();
            attributes.push_str(" __attribute__((packed))");
        }
        if let Some(align) = aligned {
            record = record.aligned(align);
            let _ = write!(attributes, " __attribute__((aligned({align})))");
        }
        let keyword = if kind == RecordKind::Union { "union" } else { "struct" };
        let named = self.typedef(CType::record(record), &format!("{keyword} {{{body} }}{attributes}"), "");
        self.check_layout(&named);
        named
    }

    fn field(&mut self, i: usize, depth: u32, union: bool) -> (Field, String) {
        let choice = self.rng.u32(0..14);
        if choice < 3 {
            let (name, bits, signed) = INTS[self.rng.usize(0..8)];
            let ty = CType::int(bits, signed);
            let mut width = self.rng.u32(0..=bits as u32);
            if choice == 0 && !self.for_clang {
                width = 0;
            }
            // An unnamed bit-field of a union is among what GCC and clang classify differently.
            if (width == 0 || choice == 0) && !union {
                return (Field::unnamed_bit_field(ty, width), format!(" {name} : {width};"));
            }
            return (Field::bit_field(ty, width.max(1)), format!(" {name} m{i} : {};", width.max(1)));
        }
        if choice == 3 {
            return (Field::bit_field(CType::BOOL, 1), format!(" _Bool m{i} : 1;"));
        }
        let mut element = match choice {
            4 if depth > 0 => self.record(depth - 1),
            5 if depth > 0 => self.record(depth - 1),
            6 => self.vector(),
            7 => self.complex(),
            8 if self.for_clang => self.bit_int(),
            _ => {
                let (scalar, name) = self.scalar();
                Named { ty: scalar.into(), name: name.into() }
            }
        };
        let mut suffix = String::new();
        let empty = self.layout.layout(&element.ty).is_ok_and(|l| l.size == 0);
        if self.rng.u32(0..4) == 0 && !empty {
            let len = self.rng.u32(1..5);
            element.ty = CType::array(element.ty, len.into());
            suffix = format!("[{len}]");
        }
        let mut field = Field::new(element.ty);
        if self.rng.u32(0..16) == 0 {
            let align = 1 << self.rng.u32(1..5);
            field = field.aligned(align);
            let _ = write!(suffix, " __attribute__((aligned({align})))");
        }
        (field, format!(" {} m{i}{suffix};", element.name))
    }

    /// Sizes and offsets are compared when the program is compiled, bits of bit-fields when it runs.
    fn check_layout(&mut self, named: &Named) {
        let CType::Record(record) = &named.ty else { return };
        let layout = self.layout.record(record).expect("only possible records are made");
        let name = &named.name;
        let _ = writeln!(
            self.declarations,
            "_Static_assert(sizeof({name}) == {} && _Alignof({name}) == {}, \"{name}\");",
            layout.size, layout.align
        );
        for (i, (field, offset)) in record.fields().iter().zip(&layout.bit_offsets).enumerate() {
            match field.bits {
                None => {
                    let _ = writeln!(
                        self.declarations,
                        "_Static_assert(__builtin_offsetof({name}, m{i}) == {}, \"{name}.m{i}\");",
                        offset / 8
                    );
                }
                Some(bits) if field.named => {
                    let _ = writeln!(
                        self.checks,
                        "{{ {name} v; memset(&v, 0, sizeof v); v.m{i} = -1; check_bits(\"{name}.m{i}\", &v, sizeof v, {offset}, {bits}); }}"
                    );
                }
                Some(_) => {}
            }
        }
    }
}

/// For each byte of a value of type `ty`, the bits that have meaning.
pub fn meaning(layout: &DataLayout, ty: &CType) -> Vec<u8> {
    let size = layout.layout(ty).expect("only possible types are made").size;
    let mut mask = vec![0; size as usize];
    mark(layout, ty, 0, &mut mask);
    mask
}

fn mark(layout: &DataLayout, ty: &CType, at: usize, mask: &mut [u8]) {
    let size = |ty: &CType| layout.layout(ty).expect("only possible types are made").size as usize;
    match ty {
        CType::BitInt { bits, .. } => (0..*bits as usize).for_each(|b| mask[at + b / 8] |= 1 << (b % 8)),
        CType::Scalar(Scalar::Float(FloatKind::Long)) => mask[at..at + 10].fill(0xff),
        CType::Complex(Scalar::Float(FloatKind::Long)) => {
            mask[at..at + 10].fill(0xff);
            mask[at + 16..at + 26].fill(0xff);
        }
        CType::Array(array) => {
            let each = size(array.element());
            (0..array.len() as usize).for_each(|i| mark(layout, array.element(), at + i * each, mask));
        }
        CType::Record(record) => {
            let offsets = layout.record(record).expect("only possible records are made").bit_offsets;
            for (field, offset) in record.fields().iter().zip(offsets) {
                match field.bits {
                    None => mark(layout, &field.ty, at + offset as usize / 8, mask),
                    Some(bits) if field.named => {
                        (offset..offset + bits as u64).for_each(|b| mask[at + b as usize / 8] |= 1 << (b % 8));
                    }
                    Some(_) => {}
                }
            }
        }
        _ => mask[at..at + size(ty)].fill(0xff),
    }
}

/// A random value of type `ty`, as bytes; bits without meaning are 0.
pub fn value(rng: &mut Rng, layout: &DataLayout, ty: &CType) -> Vec<u8> {
    let mut bytes = meaning(layout, ty);
    bytes.iter_mut().for_each(|b| *b &= rng.u8(..));
    tame(layout, ty, 0, &mut bytes);
    bytes
}

/// Makes a valid value of the bytes of each `_Bool` and `long double`: other patterns do not survive every copy.
fn tame(layout: &DataLayout, ty: &CType, at: usize, bytes: &mut [u8]) {
    let size = |ty: &CType| layout.layout(ty).expect("only possible types are made").size as usize;
    let mut normal = |at: usize| {
        bytes[at + 7] |= 0x80;
        bytes[at + 8] |= 1;
        bytes[at + 9] &= 0xbf;
    };
    match ty {
        CType::Scalar(Scalar::Bool) => bytes[at] &= 1,
        CType::Scalar(Scalar::Float(FloatKind::Long)) => normal(at),
        CType::Complex(Scalar::Float(FloatKind::Long)) => {
            normal(at);
            normal(at + 16);
        }
        CType::Array(array) => {
            let each = size(array.element());
            (0..array.len() as usize).for_each(|i| tame(layout, array.element(), at + i * each, bytes));
        }
        CType::Record(record) => {
            let offsets = layout.record(record).expect("only possible records are made").bit_offsets;
            for (field, offset) in record.fields().iter().zip(offsets) {
                if field.bits.is_none() {
                    tame(layout, &field.ty, at + offset as usize / 8, bytes);
                }
            }
        }
        _ => {}
    }
}
