//! Random C types: as the layer sees them, as C and C++ spell them, and which of their bits have meaning.

use super::script::Value;
use super::signature::some_record;
use fastrand::Rng;
use gusset_abi::{AbiTarget, Arch, CType, Class, DataLayout, Env, Field, FloatKind, Record, RecordKind, Scalar};
use std::fmt::Write;

/// A C type with its name in the program.
#[derive(Clone)]
pub struct Named {
    /// The type.
    pub ty: CType,
    /// The name of its typedef, or its own.
    pub name: String,
}

impl Named {
    /// No value.
    pub fn void() -> Named {
        Named { ty: CType::Void, name: "void".into() }
    }
}

/// What a judge has, and what it may be asked about.
#[derive(Clone, Copy)]
pub struct Palette {
    /// Widest `_BitInt` in bits, or 0.
    pub bit_int: u32,
    /// `_Float16`.
    pub half: bool,
    /// `__float128`.
    pub float128: bool,
    /// Arrays without elements.
    pub empty_arrays: bool,
    /// Flexible array members.
    pub flexible_arrays: bool,
    /// Unnamed bit-fields with a width, and in unions.
    pub unnamed_bits: bool,
    /// Bit-fields in unions and in packed records.
    pub odd_bits: bool,
    /// Vectors of 8 bytes.
    pub short_vectors: bool,
    /// Vectors at all.
    pub vectors: bool,
    /// `#pragma pack`, and `packed` on members.
    pub packing: bool,
    /// C++ instead of C.
    pub cxx: bool,
}

impl Palette {
    /// What both compilers have and agree on everywhere.
    pub const COMMON: Palette = Palette {
        bit_int: 0,
        half: true,
        float128: true,
        empty_arrays: false,
        flexible_arrays: true,
        unnamed_bits: false,
        odd_bits: true,
        short_vectors: true,
        vectors: true,
        packing: true,
        cxx: false,
    };
}

/// Makes types, and collects their declarations.
pub struct Types {
    rng: Rng,
    target: AbiTarget,
    layout: DataLayout,
    palette: Palette,
    /// Declarations with checks of sizes and offsets, in the judge's language.
    pub declarations: String,
    /// Functions that fill `seen` with records, and what has to be there: checks of bit-fields.
    pub checks: Vec<Check>,
    count: usize,
}

/// A function that fills `seen`.
pub struct Check {
    /// Its symbol without decoration.
    pub name: String,
    /// Bytes that have to be in `seen`.
    pub image: Vec<u8>,
    /// The bits of them that count.
    pub mask: Vec<u8>,
}

const INTS: &[(&str, u16, bool)] = &[
    ("signed char", 8, true),
    ("unsigned char", 8, false),
    ("short", 16, true),
    ("unsigned short", 16, false),
    ("int", 32, true),
    ("unsigned", 32, false),
    ("long long", 64, true),
    ("unsigned long long", 64, false),
    ("__int128", 128, true),
    ("unsigned __int128", 128, false),
];

const FLOATS: &[(&str, FloatKind)] = &[
    ("float", FloatKind::F32),
    ("double", FloatKind::F64),
    ("long double", FloatKind::Long),
    ("_Float16", FloatKind::F16),
    ("__float128", FloatKind::F128),
];

impl Types {
    /// A generator seeded with `seed`, making types of `target` that `palette` has.
    pub fn new(seed: u64, target: &AbiTarget, palette: Palette) -> Types {
        Types {
            rng: Rng::with_seed(seed),
            target: *target,
            layout: DataLayout::new(target),
            palette,
            declarations: String::new(),
            checks: Vec::new(),
            count: 0,
        }
    }

    /// The source of randomness, for choices beside types.
    pub fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    fn one_in(&mut self, n: u32) -> bool {
        self.rng.u32(0..n) == 0
    }

    fn fresh(&mut self) -> String {
        self.count += 1;
        format!("t{}", self.count)
    }

    fn int(&mut self, most: u16) -> (CType, &'static str) {
        loop {
            let (name, bits, signed) = INTS[self.rng.usize(0..INTS.len())];
            if bits <= most && self.layout.scalar(Scalar::Int { bits, signed }).is_ok() {
                return (CType::int(bits, signed), name);
            }
        }
    }

    fn float(&mut self) -> (FloatKind, &'static str) {
        loop {
            let (name, kind) = FLOATS[self.rng.usize(0..FLOATS.len())];
            let known = match kind {
                FloatKind::F16 => self.palette.half,
                FloatKind::F128 => self.palette.float128,
                _ => true,
            };
            if known && self.layout.scalar(Scalar::Float(kind)).is_ok() {
                return (kind, name);
            }
        }
    }

    fn scalar(&mut self) -> Named {
        let (ty, name) = match self.rng.u32(0..10) {
            0 if self.palette.cxx => (CType::BOOL, "bool"),
            0 => (CType::BOOL, "_Bool"),
            1 => (CType::PTR, "char *"),
            2..6 => self.int(128),
            _ => {
                let (kind, name) = self.float();
                (CType::float(kind), name)
            }
        };
        Named { ty, name: name.into() }
    }

    fn typedef(&mut self, ty: CType, spelled: &str, suffix: &str) -> Named {
        let name = self.fresh();
        let _ = writeln!(self.declarations, "typedef {spelled} {name}{suffix};");
        Named { ty, name }
    }

    /// A random type of a parameter or result.
    pub fn value(&mut self) -> Named {
        match self.rng.u32(0..20) {
            7..9 => self.complex(),
            9..11 if self.palette.vectors => self.vector(),
            11 if self.palette.bit_int > 0 => self.bit_int(),
            12.. => self.record(2, true),
            _ => self.scalar(),
        }
    }

    fn bit_int(&mut self) -> Named {
        let bits = [self.rng.u32(2..33), self.rng.u32(2..130), self.rng.u32(2..300)][self.rng.usize(0..3)];
        let bits = bits.min(self.palette.bit_int);
        let signed = self.rng.bool();
        let name = format!("{} _BitInt({bits})", if signed { "signed" } else { "unsigned" });
        Named { ty: CType::BitInt { bits, signed }, name }
    }

    fn complex(&mut self) -> Named {
        let (name, kind) = FLOATS[self.rng.usize(0..3)];
        Named { ty: CType::complex(kind), name: format!("_Complex {name}") }
    }

    fn vector(&mut self) -> Named {
        let (name, lane, bytes) = match self.rng.u32(0..5) {
            0 => ("signed char", Scalar::Int { bits: 8, signed: true }, 1),
            1 => ("short", Scalar::Int { bits: 16, signed: true }, 2),
            2 => ("int", Scalar::Int { bits: 32, signed: true }, 4),
            3 => ("float", Scalar::Float(FloatKind::F32), 4),
            _ => ("long long", Scalar::Int { bits: 64, signed: true }, 8),
        };
        let widest = self.target.features.vector_bytes.into();
        let size = [8, 16, 16, 16, 32, 64][self.rng.usize(0..6)].min(widest);
        let size = if self.palette.short_vectors { size } else { size.max(16) };
        let ty = CType::Vector { lane, lanes: size / bytes };
        self.typedef(ty, name, &format!(" __attribute__((vector_size({size})))"))
    }

    /// A record, which may be a class of C++ that takes part in no union unless it is trivial.
    fn record(&mut self, depth: u32, may_be_class: bool) -> Named {
        let mut union = self.one_in(6);
        let mut packed = self.one_in(8);
        let mut pack = (self.palette.packing && self.one_in(12)).then(|| 1 << self.rng.u32(0..5));
        let aligned = self.one_in(10).then(|| 1 << self.rng.u32(1..6));
        let count = [0, 1, 1, 2, 2, 2, 3, 3, 4, 6][self.rng.usize(0..10)];
        let mut fields = Vec::new();
        let mut body = String::new();
        for i in 0..count {
            // A flexible array stands last, after another member.
            let flexible = i + 1 == count && !union && fields.iter().any(|f: &Field| f.named);
            let (field, text) = self.field(i, depth, union, may_be_class && !union, flexible);
            fields.push(field);
            body.push_str(&text);
        }
        if !self.palette.odd_bits && fields.iter().any(|f: &Field| f.bits.is_some()) {
            (union, packed, pack) = (false, false, None);
            fields.iter_mut().for_each(|f| f.packed = false);
            body = body.replace(" __attribute__((packed))", "");
        }
        let holds = |test: fn(Class) -> bool| fields.iter().any(|f| some_record(&f.ty, &mut |_, r| test(r.class())));
        let holds_class = holds(|class| class.non_trivial);
        let class_of_members = if holds_class { Class::NON_TRIVIAL } else { Class::PLAIN };
        if holds(|class| class != Class::PLAIN) {
            // Compilers differ in what may be packed there, and copy constructors do not take members so packed.
            (packed, pack) = (false, None);
            fields.iter_mut().for_each(|f| f.packed = false);
            body = body.replace(" __attribute__((packed))", "");
        }
        let mut class = class_of_members;
        let has_named = fields.iter().any(|f| f.named);
        let keyword = if union { "union" } else { "struct" };
        let mut record = if union { Record::union(fields) } else { Record::structure(fields) };
        let mut attributes = String::new();
        if packed {
            record = record.packed();
            attributes.push_str(" __attribute__((packed))");
        }
        if let Some(align) = aligned {
            record = record.aligned(align);
            if self.target.env == Env::Msvc && self.rng.bool() {
                let _ = write!(attributes, " __declspec(align({align}))");
            } else {
                let _ = write!(attributes, " __attribute__((aligned({align})))");
            }
        }
        let name = self.fresh();
        let mut is_private = false;
        if self.palette.cxx {
            if may_be_class && !union && !holds_class && !packed && pack.is_none() {
                match self.rng.u32(0..12) {
                    0..3 => {
                        class = Class::NON_TRIVIAL;
                        let _ = write!(
                            body,
                            " {name}(const {name} &o) {{ copy(this, &o, sizeof o); }} ~{name}() {{}} {name}() {{}}"
                        );
                    }
                    3 => {
                        class.aggregate = false;
                        record = record.never_homogeneous();
                        let _ = write!(body, " {name}() {{}} {name}(const {name} &) = default;");
                    }
                    4 if has_named => {
                        class.aggregate = false;
                        is_private = true;
                        body = format!(" private:{body} public: {name}() = default;");
                    }
                    _ => {}
                }
            }
            record = record.cxx(class);
        }
        if let Some(bytes) = pack {
            record = record.pragma_pack(bytes);
        }
        let ty = CType::record(record);
        if self.layout.layout(&ty).is_err() {
            return self.scalar();
        }
        if let Some(bytes) = pack {
            let _ = writeln!(self.declarations, "#pragma pack(push, {bytes})");
        }
        let _ = writeln!(self.declarations, "typedef {keyword}{attributes} {name} {{{body} }} {name};");
        if pack.is_some() {
            self.declarations.push_str("#pragma pack(pop)\n");
        }
        let named = Named { ty, name };
        self.check_layout(&named, is_private || class.non_trivial);
        named
    }

    fn field(&mut self, i: usize, depth: u32, union: bool, may_be_class: bool, flexible: bool) -> (Field, String) {
        let choice = self.rng.u32(0..14);
        if choice < 3 {
            let (ty, name) = self.int(64);
            let CType::Scalar(Scalar::Int { bits, .. }) = ty else { unreachable!("an integer was asked for") };
            let mut width = self.rng.u32(0..=bits as u32);
            if choice == 0 && !self.palette.unnamed_bits {
                width = 0;
            }
            if (width == 0 || choice == 0) && (!union || self.palette.unnamed_bits) {
                return (Field::unnamed_bit_field(ty, width), format!(" {name} : {width};"));
            }
            return (Field::bit_field(ty, width.max(1)), format!(" {name} m{i} : {};", width.max(1)));
        }
        if choice == 3 {
            let name = if self.palette.cxx { "bool" } else { "_Bool" };
            return (Field::bit_field(CType::BOOL, 1), format!(" {name} m{i} : 1;"));
        }
        let mut element = match choice {
            4 | 5 if depth > 0 => self.record(depth - 1, may_be_class),
            6 if self.palette.vectors => self.vector(),
            7 => self.complex(),
            8 if self.palette.bit_int > 0 => self.bit_int(),
            _ => self.scalar(),
        };
        let mut suffix = String::new();
        let each = self.layout.layout(&element.ty).expect("only possible types are made");
        if self.one_in(4) && each.size > 0 && each.size.is_multiple_of(each.align.into()) {
            let flexible = flexible && self.palette.flexible_arrays && self.one_in(5);
            let empty = flexible || self.palette.empty_arrays && self.one_in(10);
            let len = if empty { 0 } else { self.rng.u32(1..5) };
            element.ty =
                if flexible { CType::flexible_array(element.ty) } else { CType::array(element.ty, len.into()) };
            suffix = if flexible { "[]".into() } else { format!("[{len}]") };
        }
        let mut field = Field::new(element.ty);
        if self.one_in(16) {
            let align = 1 << self.rng.u32(1..5);
            field = field.aligned(align);
            let _ = write!(suffix, " __attribute__((aligned({align})))");
        }
        if self.palette.packing && self.one_in(24) {
            field.packed = true;
            suffix.push_str(" __attribute__((packed))");
        }
        (field, format!(" {} m{i}{suffix};", element.name))
    }

    /// Sizes and offsets are compared when the program is compiled, bits of bit-fields when it runs.
    fn check_layout(&mut self, named: &Named, members_hidden: bool) {
        let CType::Record(record) = &named.ty else { return };
        let Ok(layout) = self.layout.record(record) else { return };
        let name = &named.name;
        let (size, align) = (layout.size, layout.align);
        let _ = write!(self.declarations, "CHECK(sizeof({name}) == {size} && __alignof__({name}) == {align}");
        let mut bits = Vec::new();
        for (i, (field, offset)) in record.fields().iter().zip(&layout.bit_offsets).enumerate() {
            match field.bits {
                _ if members_hidden => {}
                None => {
                    let _ = write!(self.declarations, "\n && __builtin_offsetof({name}, m{i}) == {}", offset / 8);
                }
                Some(width) if field.named => bits.push((i, *offset, width, field.ty == CType::BOOL)),
                Some(_) => {}
            }
        }
        let _ = writeln!(self.declarations, ", \"{name}\");");
        if bits.is_empty() {
            return;
        }
        // Members of a struct are filled together, those of a union one after the other.
        let size = size as usize;
        let copies = if record.kind() == RecordKind::Union { bits.len() } else { 1 };
        let function = format!("k_{name}");
        let mut text = format!("void {function}(void) {{ {name} v;");
        let mut image = vec![0; size * copies];
        for (nth, (i, offset, width, is_bool)) in bits.into_iter().enumerate() {
            let value = self.rng.u64(..) >> (64 - width) | 1;
            let base = if copies > 1 { 8 * nth * size } else { 0 };
            for b in 0..width as usize {
                let at = base + offset as usize + b;
                image[at / 8] |= ((value >> b & 1) as u8) << (at % 8);
            }
            if copies > 1 || nth == 0 {
                text.push_str(" __builtin_memset(&v, 0, sizeof v);");
            }
            let value = if is_bool { 1 } else { value };
            let _ = write!(text, " v.m{i} = {value}ull;");
            if copies > 1 {
                let _ = write!(text, " copy(seen + {}, &v, sizeof v);", nth * size);
            }
        }
        if copies == 1 {
            text.push_str(" copy(seen, &v, sizeof v);");
        }
        let _ = writeln!(self.declarations, "EXTERN {text} }}");
        self.checks.push(Check { name: function, mask: vec![0xff; image.len()], image });
    }

    /// A random value of type `ty`.
    pub fn random(&mut self, ty: &CType) -> Value {
        if *ty == CType::Void {
            return Value::default();
        }
        let mask = self.meaning(ty);
        let mut bytes: Vec<u8> = mask.iter().map(|m| m & self.rng.u8(..)).collect();
        self.tame(ty, 0, &mut bytes);
        let (bits, signed) = match *ty {
            CType::Scalar(Scalar::Bool) => (8, false),
            CType::Scalar(Scalar::Int { bits, signed }) if bits <= 64 => (bits as u32, signed),
            CType::BitInt { bits, signed } if bits <= 64 => (bits, signed),
            _ => return Value::plain(bytes, mask),
        };
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(&bytes);
        let raw = u64::from_le_bytes(word) << (64 - bits);
        let wide = if signed { (raw as i64 >> (64 - bits)) as u64 } else { raw >> (64 - bits) };
        Value { bytes, mask, image: wide.to_le_bytes().to_vec(), image_mask: vec![0xff; 8], leaves: Vec::new() }
    }

    /// For each byte of a value of type `ty`, the bits that have meaning.
    fn meaning(&self, ty: &CType) -> Vec<u8> {
        let mut mask = vec![0; self.size(ty)];
        self.mark(ty, 0, &mut mask);
        mask
    }

    fn size(&self, ty: &CType) -> usize {
        self.layout.layout(ty).expect("only possible types are made").size as usize
    }

    /// Bytes of a `long double` that have meaning.
    fn long_double(&self) -> usize {
        match self.size(&CType::LONG_DOUBLE) {
            8 => 8,
            _ if self.target.arch == Arch::Aarch64 => 16,
            _ => 10,
        }
    }

    fn mark(&self, ty: &CType, at: usize, mask: &mut [u8]) {
        match ty {
            CType::BitInt { bits, .. } => (0..*bits as usize).for_each(|b| mask[at + b / 8] |= 1 << (b % 8)),
            CType::Scalar(Scalar::Float(FloatKind::Long)) => mask[at..at + self.long_double()].fill(0xff),
            CType::Complex(part @ Scalar::Float(FloatKind::Long)) => {
                self.mark(&CType::Scalar(*part), at, mask);
                self.mark(&CType::Scalar(*part), at + self.size(ty) / 2, mask);
            }
            CType::Array(array) => {
                let each = self.size(array.element());
                (0..array.len() as usize).for_each(|i| self.mark(array.element(), at + i * each, mask));
            }
            CType::Record(record) => {
                let offsets = self.layout.record(record).expect("only possible records are made").bit_offsets;
                for (field, offset) in record.fields().iter().zip(offsets) {
                    match field.bits {
                        None => self.mark(&field.ty, at + offset as usize / 8, mask),
                        Some(bits) if field.named => {
                            (offset..offset + bits as u64).for_each(|b| mask[at + b as usize / 8] |= 1 << (b % 8));
                        }
                        Some(_) => {}
                    }
                }
            }
            _ => mask[at..at + self.size(ty)].fill(0xff),
        }
    }

    /// Makes valid values where other patterns do not survive every copy: `_Bool`, `long double` in x87 registers, and on
    /// 32-bit x86 all numbers that pass through them.
    fn tame(&self, ty: &CType, at: usize, bytes: &mut [u8]) {
        match ty {
            CType::Scalar(Scalar::Bool) => bytes[at] &= 1,
            CType::Scalar(Scalar::Float(kind)) => match (kind, self.size(ty)) {
                (FloatKind::Long, 10..) if self.target.arch != Arch::Aarch64 => {
                    bytes[at + 7] |= 0x80;
                    bytes[at + 8] |= 1;
                    bytes[at + 9] &= 0xbf;
                }
                (FloatKind::F128, _) => {}
                (_, size) => bytes[at + size - 1] &= 0xbf,
            },
            CType::Complex(part) => {
                self.tame(&CType::Scalar(*part), at, bytes);
                self.tame(&CType::Scalar(*part), at + self.size(ty) / 2, bytes);
            }
            CType::Array(array) => {
                let each = self.size(array.element());
                (0..array.len() as usize).for_each(|i| self.tame(array.element(), at + i * each, bytes));
            }
            CType::Record(record) => {
                let offsets = self.layout.record(record).expect("only possible records are made").bit_offsets;
                for (field, offset) in record.fields().iter().zip(offsets) {
                    if field.bits.is_none() {
                        self.tame(&field.ty, at + offset as usize / 8, bytes);
                    }
                }
            }
            _ => {}
        }
    }
}
