//! Random records: as the layer sees them, and as a C or C++ program whose one constant says where everything is.

use fastrand::Rng;
use gusset_abi::{AbiFeatures, AbiTarget, CType, Class, DataLayout, Field, FloatKind, Record, RecordKind, Scalar};
use std::fmt::Write;

/// A compiler with its options.
pub struct Compiler {
    /// For messages and file names.
    pub name: String,
    /// The program and its options.
    pub command: Vec<String>,
    /// What it compiles for.
    pub triple: &'static str,
    /// C++ instead of C.
    pub cxx: bool,
    /// GCC instead of clang.
    pub gcc: bool,
}

/// A set of records, with the program that shows their layouts.
pub struct Records {
    layout: DataLayout,
    records: Vec<(String, CType)>,
    /// The program.
    pub text: String,
}

/// Every number or object of the constant starts at a multiple of this.
const UNIT: usize = 64;

/// Stands for an offset that the object does not show.
const UNKNOWN: u64 = u64::MAX;

struct Maker<'a> {
    rng: Rng,
    compiler: &'a Compiler,
    layout: DataLayout,
    declarations: String,
    records: Vec<(String, CType)>,
    count: usize,
}

impl Maker<'_> {
    fn int(&mut self) -> (Scalar, String) {
        const NAMES: [(&str, u16); 5] = [("char", 8), ("short", 16), ("int", 32), ("long long", 64), ("__int128", 128)];
        if self.rng.u32(0..6) == 0 {
            return (Scalar::Bool, if self.compiler.cxx { "bool" } else { "_Bool" }.into());
        }
        loop {
            let (name, bits) = NAMES[self.rng.usize(0..5)];
            let signed = self.rng.bool();
            let scalar = Scalar::Int { bits, signed };
            if self.layout.scalar(scalar).is_ok() {
                return (scalar, format!("{} {name}", if signed { "signed" } else { "unsigned" }));
            }
        }
    }

    fn float(&mut self) -> (Scalar, &'static str) {
        loop {
            let (name, kind) = [
                ("float", FloatKind::F32),
                ("double", FloatKind::F64),
                ("long double", FloatKind::Long),
                ("__float128", FloatKind::F128),
                ("_Float16", FloatKind::F16),
            ][self.rng.usize(0..5)];
            // clang has __float128 on some x86 systems only, GCC 12 has _Float16 in C on some.
            let x86 = self.compiler.triple.starts_with("x86_64") || self.compiler.triple.starts_with("i686");
            let missing = match kind {
                // On i386 GCC halves the alignment of packed arrays of it.
                FloatKind::F128 if self.compiler.gcc && self.compiler.triple.contains("i686") => true,
                FloatKind::F128 => {
                    !x86 || ["darwin", "none", "openbsd"].iter().any(|s| self.compiler.triple.contains(s))
                }
                FloatKind::F16 => self.compiler.gcc,
                _ => false,
            };
            let scalar = Scalar::Float(kind);
            if !missing && self.layout.scalar(scalar).is_ok() {
                return (scalar, name);
            }
        }
    }

    /// A type and its name; arrays have their length beside it.
    fn member(&mut self, depth: u32) -> (CType, String) {
        match self.rng.u32(0..if depth == 0 { 12 } else { 20 }) {
            0..5 => {
                let (scalar, name) = self.int();
                (scalar.into(), name)
            }
            5..8 => {
                let (scalar, name) = self.float();
                (scalar.into(), name.into())
            }
            8 => (CType::PTR, "char *".into()),
            9 => {
                let (scalar, name) = self.float();
                match name {
                    "_Float16" | "__float128" => (scalar.into(), name.into()),
                    _ => (CType::Complex(scalar), format!("_Complex {name}")),
                }
            }
            10 => {
                let name = format!("v{}", self.fresh());
                let (lane, spelled) =
                    [(CType::I8, "char"), (CType::I32, "int"), (CType::F32, "float")][self.rng.usize(0..3)].clone();
                // GCC does not align vectors that are wider than its registers.
                let wide = if self.compiler.triple.contains("x86_64") && !self.compiler.gcc { 4 } else { 2 };
                // On i386 it aligns those of 8 bytes, but not a union of one.
                let narrow = if self.compiler.triple.contains("i686") && self.compiler.gcc { 1 } else { 0 };
                let bytes = 8u64 << self.rng.u32(narrow..wide);
                let _ = writeln!(self.declarations, "typedef {spelled} {name} __attribute__((vector_size({bytes})));");
                let lanes = (bytes / self.layout.layout(&lane).expect("a lane").size) as u32;
                let CType::Scalar(lane) = lane else { unreachable!("a lane is a scalar") };
                (CType::Vector { lane, lanes }, name)
            }
            11 if !self.compiler.gcc => {
                let bits = self.rng.u32(2..129);
                (CType::BitInt { bits, signed: false }, format!("unsigned _BitInt({bits})"))
            }
            11 => (CType::I32, "int".into()),
            _ => {
                self.record(depth - 1);
                let (name, record) = self.records[self.records.len() - 1].clone();
                (record, name)
            }
        }
    }

    fn fresh(&mut self) -> usize {
        self.count += 1;
        self.count
    }

    fn bit_field(&mut self) -> (Field, String) {
        let (ty, name) = self.int();
        let (ty, name) = if !self.compiler.gcc && self.rng.u32(0..10) == 0 {
            let bits = self.rng.u32(2..65);
            (CType::BitInt { bits, signed: false }, format!("unsigned _BitInt({bits})"))
        } else {
            (ty.into(), name)
        };
        let most = match &ty {
            CType::Scalar(Scalar::Bool) => 1,
            CType::BitInt { bits, .. } => *bits,
            ty => 8 * self.layout.layout(ty).expect("an integer").size as u32,
        };
        match self.rng.u32(0..8) {
            0 => (Field::unnamed_bit_field(ty, 0), format!("{name} : 0")),
            1 => {
                let bits = self.rng.u32(1..most + 1);
                (Field::unnamed_bit_field(ty, bits), format!("{name} : {bits}"))
            }
            _ => {
                let bits = self.rng.u32(1..most + 1);
                (Field::bit_field(ty, bits), format!("{name} NAME : {bits}"))
            }
        }
    }

    fn record(&mut self, depth: u32) {
        let kind = if self.rng.u32(0..5) == 0 { RecordKind::Union } else { RecordKind::Struct };
        let mut fields = Vec::new();
        let mut body = String::new();
        let mut has_bits = false;
        let bits_often = self.rng.bool();
        // With Microsoft's bit-fields, GCC and clang differ in unions and packed records of them.
        let differ = self.compiler.gcc && self.compiler.triple.contains("windows");
        for i in 0..self.rng.usize(0..7) {
            let is_bits =
                self.rng.u32(0..if bits_often { 2 } else { 6 }) == 0 && !(differ && kind == RecordKind::Union);
            has_bits |= is_bits;
            let (mut field, spelled) = if is_bits {
                self.bit_field()
            } else {
                let (mut ty, name) = self.member(depth);
                let mut suffix = String::new();
                let each = self.layout.layout(&ty).expect("a possible type");
                if self.rng.u32(0..5) == 0 && each.size.is_multiple_of(each.align.into()) {
                    let len = self.rng.u32(0..4);
                    ty = CType::array(ty, len.into());
                    suffix = format!("[{len}]");
                }
                (Field::new(ty), format!("{name} NAME{suffix}"))
            };
            let mut spelled = spelled.replace("NAME", &format!("m{i}"));
            // GCC and clang differ in what attributes on bit-fields do.
            let plain = field.named && !(self.compiler.gcc && is_bits);
            if self.rng.u32(0..10) == 0 && plain {
                let bytes = 1 << self.rng.u32(0..6);
                field = field.aligned(bytes);
                let _ = write!(spelled, " __attribute__((aligned({bytes})))");
            }
            if self.rng.u32(0..12) == 0 && plain {
                field.packed = true;
                spelled.push_str(" __attribute__((packed))");
            }
            let _ = write!(body, " {spelled};");
            fields.push(field);
        }
        let mut record = match kind {
            RecordKind::Struct => Record::structure(fields),
            RecordKind::Union => Record::union(fields),
        };
        let mut attributes = String::new();
        if self.rng.u32(0..8) == 0 && !(differ && has_bits) {
            record = record.packed();
            attributes.push_str(" __attribute__((packed))");
        }
        if self.rng.u32(0..8) == 0 {
            let bytes = 1 << self.rng.u32(0..6);
            record = record.aligned(bytes);
            let _ = write!(attributes, " __attribute__((aligned({bytes})))");
        }
        let ends = record.fields().iter().any(|field| field.bits == Some(0));
        let pack = (self.rng.u32(0..8) == 0 && !(differ && ends)).then(|| 1 << self.rng.u32(0..5));
        if let Some(bytes) = pack {
            record = record.pragma_pack(bytes);
            let _ = writeln!(self.declarations, "#pragma pack(push, {bytes})");
        }
        if self.compiler.cxx {
            record = record.cxx(Class::PLAIN);
        }
        let word = if kind == RecordKind::Union { "union" } else { "struct" };
        let name = format!("R{}", self.fresh());
        let _ = writeln!(self.declarations, "{word} {name} {{{body} }}{attributes};");
        let _ = writeln!(self.declarations, "typedef {word} {name} T{name};");
        if pack.is_some() {
            let _ = writeln!(self.declarations, "#pragma pack(pop)");
        }
        self.records.push((format!("T{name}"), CType::record(record)));
    }
}

fn bit_fields(record: &Record) -> impl Iterator<Item = usize> {
    let named = record.fields().iter().enumerate().filter(|(_, field)| field.bits.is_some() && field.named);
    named.map(|(i, _)| i)
}

impl Records {
    /// At least `count` random records, some of which contain others.
    pub fn new(compiler: &Compiler, seed: u64, count: usize) -> Records {
        let target = AbiTarget::from_triple(compiler.triple, AbiFeatures::default()).expect("a known target");
        let layout = DataLayout::new(&target);
        let mut maker = Maker {
            rng: Rng::with_seed(seed),
            compiler,
            layout,
            declarations: String::new(),
            records: Vec::new(),
            count: 0,
        };
        while maker.records.len() < count {
            maker.record(2);
        }
        let (mut text, records) = (maker.declarations, maker.records);
        let (mut members, mut values) = (String::new(), String::new());
        for (n, (name, ty)) in records.iter().enumerate() {
            let CType::Record(record) = ty else { unreachable!("only records are made") };
            let mut numbers = vec![format!("sizeof({name})"), format!("ALIGNOF({name})")];
            let plain = record.fields().iter().enumerate().filter(|(_, field)| field.bits.is_none());
            numbers.extend(plain.map(|(i, _)| format!("__builtin_offsetof({name}, m{i})")));
            let _ = writeln!(members, "  UNIT unsigned n{n}[16];");
            let _ = writeln!(values, "  {{ {} }},", numbers.join(", "));
            for i in bit_fields(record) {
                let _ = writeln!(
                    members,
                    "  UNIT union {{ {name} value; char raw[(sizeof({name}) + {UNIT} - 1) / {UNIT} * {UNIT}]; }} b{n}_{i};"
                );
                let _ = writeln!(values, "  {{ {{ .m{i} = 1 }} }},");
            }
        }
        let _ = writeln!(text, "#define UNIT __attribute__((aligned({UNIT})))");
        let alignof = if compiler.cxx { "alignof(T)" } else { "_Alignof(T)" };
        let _ = writeln!(text, "#define ALIGNOF(T) {alignof}\nstruct All {{\n  UNIT char mark[{UNIT}];\n{members}}};");
        let _ = writeln!(text, "{} const struct All all = {{", if compiler.cxx { "extern \"C\"" } else { "" });
        let mark: Vec<String> = super::MARK.iter().map(|byte| format!("'{}'", *byte as char)).collect();
        let _ = writeln!(text, "  {{ {} }},\n{values}}};", mark.join(", "));
        Records { layout, records, text }
    }

    /// What is different in the constant, `bytes` being what comes after its mark.
    pub fn compare(&self, bytes: &[u8]) -> String {
        let mut differences = String::new();
        let mut at = UNIT - super::MARK.len();
        for (name, ty) in &self.records {
            let CType::Record(record) = ty else { unreachable!("only records are made") };
            let mut numbers =
                bytes[at..at + UNIT].chunks(4).map(|c| u64::from(u32::from_le_bytes([c[0], c[1], c[2], c[3]])));
            at += UNIT;
            let (size, align) = (numbers.next().expect("a size"), numbers.next().expect("an alignment"));
            let offsets: Vec<u64> = numbers.collect();
            let theirs = self.theirs(record, size, &offsets, bytes, &mut at);
            let expected = format!("size {size}, align {align}, offsets in bits {theirs:?}");
            let found = match self.layout.record(record) {
                Ok(ours) => {
                    let named = ours.bit_offsets.iter().zip(record.fields()).filter(|(_, field)| field.named);
                    let mut offsets: Vec<u64> = named.map(|(offset, _)| *offset).collect();
                    for (ours, theirs) in offsets.iter_mut().zip(&theirs).filter(|(_, theirs)| **theirs == UNKNOWN) {
                        *ours = *theirs;
                    }
                    format!("size {}, align {}, offsets in bits {offsets:?}", ours.size, ours.align)
                }
                Err(error) => error.to_string(),
            };
            if expected != found {
                let _ = writeln!(differences, "  {name}: compiler {expected}\n  {name}: here     {found}");
            }
        }
        differences
    }

    fn theirs(&self, record: &Record, size: u64, offsets: &[u64], bytes: &[u8], at: &mut usize) -> Vec<u64> {
        let mut plain = offsets.iter();
        let mut theirs = Vec::new();
        for field in record.fields().iter().filter(|field| field.named) {
            if field.bits.is_none() {
                theirs.push(8 * plain.next().expect("an offset"));
                continue;
            }
            let object = &bytes[*at..*at + size as usize];
            let set = (0..8 * object.len()).find(|bit| object[bit / 8] >> (bit % 8) & 1 != 0);
            // clang 19 leaves a bit-field of some C++ constants at 0.
            theirs.push(set.map_or(UNKNOWN, |bit| bit as u64));
            *at += (size as usize).next_multiple_of(UNIT);
        }
        theirs
    }
}
