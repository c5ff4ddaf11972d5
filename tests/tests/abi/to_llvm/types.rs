//! Random types as the layer sees them and as C or C++ spells them.

use fastrand::Rng;
use gusset_abi::{AbiTarget, Arch, CType, Class, DataLayout, Env, Field, FloatKind, Os, Record, Scalar};
use std::fmt::Write;

/// A C type with its name in the program.
#[derive(Clone)]
pub struct Named {
    /// The type.
    pub ty: CType,
    /// Its name.
    pub name: String,
}

/// Makes types, and collects their declarations.
pub struct Types {
    /// The source of randomness.
    pub rng: Rng,
    layout: DataLayout,
    target: AbiTarget,
    cxx: bool,
    /// Declarations.
    pub text: String,
    count: usize,
}

const INTS: &[(&str, u16)] = &[("char", 8), ("short", 16), ("int", 32), ("long long", 64), ("__int128", 128)];

const FLOATS: &[(&str, FloatKind)] = &[
    ("float", FloatKind::F32),
    ("double", FloatKind::F64),
    ("long double", FloatKind::Long),
    ("_Float16", FloatKind::F16),
    ("__float128", FloatKind::F128),
    ("__bf16", FloatKind::BF16),
];

impl Types {
    /// A generator seeded with `seed`.
    pub fn new(seed: u64, target: AbiTarget, cxx: bool) -> Types {
        let layout = DataLayout::new(&target);
        Types { rng: Rng::with_seed(seed), layout, target, cxx, text: String::new(), count: 0 }
    }

    fn fresh(&mut self) -> usize {
        self.count += 1;
        self.count
    }

    fn int(&mut self) -> (Scalar, String) {
        loop {
            let (name, bits) = INTS[self.rng.usize(0..INTS.len())];
            let signed = self.rng.bool();
            let scalar = Scalar::Int { bits, signed };
            if self.layout.scalar(scalar).is_ok() {
                return (scalar, format!("{} {name}", if signed { "signed" } else { "unsigned" }));
            }
        }
    }

    fn float(&mut self) -> (Scalar, &'static str) {
        let x86 = matches!(self.target.arch, Arch::X86 | Arch::X86_64);
        loop {
            let often = self.rng.bool();
            let (name, kind) = FLOATS[self.rng.usize(0..if often { 2 } else { FLOATS.len() })];
            let missing = match kind {
                FloatKind::F128 => !x86 || self.target.os == Os::Darwin || self.target.env == Env::Msvc,
                FloatKind::BF16 => self.target.arch == Arch::Arm,
                _ => false,
            };
            if !missing && self.layout.scalar(Scalar::Float(kind)).is_ok() {
                return (Scalar::Float(kind), name);
            }
        }
    }

    /// A random scalar.
    pub fn scalar(&mut self) -> Named {
        match self.rng.u32(0..12) {
            0 => Named { ty: CType::BOOL, name: if self.cxx { "bool" } else { "_Bool" }.into() },
            1 => Named { ty: CType::PTR, name: "char *".into() },
            2..7 => {
                let (scalar, name) = self.int();
                Named { ty: scalar.into(), name }
            }
            7 => self.bit_int(),
            _ => {
                let (scalar, name) = self.float();
                Named { ty: scalar.into(), name: name.into() }
            }
        }
    }

    fn bit_int(&mut self) -> Named {
        let most = if matches!(self.target.arch, Arch::X86 | Arch::X86_64) { 300 } else { 129 };
        let bits = [self.rng.u32(2..33), self.rng.u32(2..129), self.rng.u32(2..most)][self.rng.usize(0..3)];
        let signed = self.rng.bool();
        let name = format!("{} _BitInt({bits})", if signed { "signed" } else { "unsigned" });
        Named { ty: CType::BitInt { bits, signed }, name }
    }

    fn complex(&mut self) -> Named {
        let (part, name) = loop {
            let (part, name) = match self.rng.u32(0..4) {
                0 => self.int(),
                _ => {
                    let (part, name) = self.float();
                    (part, name.to_string())
                }
            };
            // clang has no complex numbers of these.
            let wide = matches!(part, Scalar::Int { bits: 128, .. });
            if !wide && !matches!(part, Scalar::Float(FloatKind::BF16 | FloatKind::F128)) {
                break (part, name);
            }
        };
        Named { ty: CType::Complex(part), name: format!("_Complex {name}") }
    }

    fn vector(&mut self) -> Named {
        loop {
            let (lane, spelled) = match self.rng.u32(0..3) {
                0 => {
                    let (lane, name) = self.float();
                    (lane, name.to_string())
                }
                _ => self.int(),
            };
            let lane_size = self.layout.scalar(lane).expect("a possible type").size;
            // Lanes of x87 numbers and bfloats are no vectors of C.
            if matches!(lane, Scalar::Float(FloatKind::Long | FloatKind::F128 | FloatKind::BF16)) {
                continue;
            }
            let size = [1, 2, 4, 8, 8, 8, 16, 16, 16, 16, 32, 64, 12, 24, 128][self.rng.usize(0..15)];
            if size % lane_size != 0 {
                continue;
            }
            let name = format!("V{}", self.fresh());
            let _ = writeln!(self.text, "typedef {spelled} {name} __attribute__((vector_size({size})));");
            return Named { ty: CType::Vector { lane, lanes: (size / lane_size) as u32 }, name };
        }
    }

    /// A random type of a parameter or result.
    pub fn value(&mut self) -> Named {
        match self.rng.u32(0..20) {
            0..7 => self.scalar(),
            7 => self.complex(),
            8..10 => self.vector(),
            _ => self.record(2),
        }
    }

    fn member(&mut self, depth: u32) -> Named {
        match self.rng.u32(0..if depth == 0 { 10 } else { 14 }) {
            0..8 => self.scalar(),
            8 => self.complex(),
            9 => self.vector(),
            _ => self.record(depth - 1),
        }
    }

    fn bit_field(&mut self) -> (Field, String) {
        let Named { ty, name } = match self.rng.u32(0..10) {
            0 => Named { ty: CType::BOOL, name: if self.cxx { "bool" } else { "_Bool" }.into() },
            1 => loop {
                let named = self.bit_int();
                let size = self.layout.layout(&named.ty).expect("an integer").size;
                // What clang makes of wider ones as bit-fields of MinGW is not always consistent.
                if size <= 8 || !self.target.is_windows() || self.target.env == Env::Msvc {
                    break named;
                }
            },
            _ => {
                let (scalar, name) = self.int();
                Named { ty: scalar.into(), name }
            }
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

    /// A struct or union of members that are often alike, so that homogeneous aggregates are frequent.
    fn fields(&mut self, depth: u32, union: bool) -> (Vec<Field>, String) {
        let (mut fields, mut body) = (Vec::new(), String::new());
        let count = [0, 1, 1, 2, 2, 2, 3, 3, 4, 6][self.rng.usize(0..10)];
        let bits_often = self.rng.u32(0..3) == 0;
        let same = (self.rng.u32(0..3) == 0).then(|| match self.rng.u32(0..4) {
            0 => self.vector(),
            1 => Named { ty: CType::PTR, name: "char *".into() },
            _ => {
                let (scalar, name) = self.float();
                Named { ty: scalar.into(), name: name.into() }
            }
        });
        for i in 0..count {
            let is_bits = same.is_none() && self.rng.u32(0..if bits_often { 2 } else { 10 }) == 0;
            let (mut field, spelled) = if is_bits {
                self.bit_field()
            } else {
                let Named { mut ty, name } = match &same {
                    Some(same) if self.rng.u32(0..8) != 0 => same.clone(),
                    _ => self.member(depth),
                };
                let mut suffix = String::new();
                let each = self.layout.layout(&ty).expect("a possible type");
                let repeats = each.size.is_multiple_of(each.align.into());
                if self.rng.u32(0..5) == 0 && repeats {
                    // clang 19 gives a union without size an IR type with one, by Microsoft's rules.
                    let least = if union && self.cxx && self.target.env == Env::Msvc { 1 } else { 0 };
                    let len = self.rng.u32(least..4);
                    ty = CType::array(ty, len.into());
                    suffix = format!("[{len}]");
                } else if repeats
                    && each.size != 0
                    && !union
                    && i > 0
                    && i + 1 == count
                    && self.rng.u32(0..12) == 0
                    && !is_non_trivial(&ty)
                {
                    ty = CType::flexible_array(ty);
                    suffix = "[]".into();
                }
                (Field::new(ty), format!("{name} NAME{suffix}"))
            };
            let mut spelled = spelled.replace("NAME", &format!("m{i}"));
            if self.rng.u32(0..14) == 0 && field.named {
                let bytes = 1 << self.rng.u32(0..6);
                field = field.aligned(bytes);
                let _ = write!(spelled, " __attribute__((aligned({bytes})))");
            }
            if self.rng.u32(0..16) == 0 && field.named {
                field.packed = true;
                spelled.push_str(" __attribute__((packed))");
            }
            let _ = write!(body, " {spelled};");
            fields.push(field);
        }
        (fields, body)
    }

    fn record(&mut self, depth: u32) -> Named {
        let union = self.rng.u32(0..6) == 0;
        let (fields, mut body) = self.fields(depth, union);
        let non_trivial = fields.iter().any(|field| is_non_trivial(&field.ty));
        // A union of such members cannot be copied at all.
        let union = union && !non_trivial;
        let mut record = if union { Record::union(fields) } else { Record::structure(fields) };
        let mut attributes = String::new();
        if self.rng.u32(0..10) == 0 {
            record = record.packed();
            attributes.push_str(" __attribute__((packed))");
        }
        if self.rng.u32(0..10) == 0 {
            let bytes = 1 << self.rng.u32(0..6);
            record = record.aligned(bytes);
            let _ = write!(attributes, " __attribute__((aligned({bytes})))");
        }
        let pack = (self.rng.u32(0..12) == 0).then(|| 1 << self.rng.u32(0..5));
        if let Some(bytes) = pack {
            record = record.pragma_pack(bytes);
            let _ = writeln!(self.text, "#pragma pack(push, {bytes})");
        }
        let name = format!("R{}", self.fresh());
        if self.cxx {
            let (class, before, after) = self.class(non_trivial, union);
            record = record.cxx(class);
            if class.aggregate && record.fields().iter().any(|field| lacks_default_constructor(&field.ty)) {
                record = record.never_homogeneous();
            }
            body = format!("{before}{body}{after}").replace("CLASS", &name);
        }
        let word = if union { "union" } else { "struct" };
        let _ = writeln!(self.text, "{word} {name} {{{body} }}{attributes};");
        if pack.is_some() {
            let _ = writeln!(self.text, "#pragma pack(pop)");
        }
        Named { ty: CType::record(record), name: format!("{word} {name}") }
    }

    /// What makes a class more than a C struct: what comes before its members and after them.
    fn class(&mut self, non_trivial: bool, union: bool) -> (Class, &'static str, &'static str) {
        if non_trivial {
            return (Class::NON_TRIVIAL, "", "");
        }
        match self.rng.u32(0..12) {
            0 => (Class::NON_TRIVIAL, "", " CLASS(const CLASS &); ~CLASS();"),
            1 if !union => {
                (Class { aggregate: false, plain_data: false, ..Class::PLAIN }, "", " CLASS(int, int, int);")
            }
            _ => (Class::PLAIN, "", ""),
        }
    }
}

/// Whether a class that holds one has no trivial default constructor.
fn lacks_default_constructor(ty: &CType) -> bool {
    match ty {
        CType::Array(array) => lacks_default_constructor(array.element()),
        CType::Record(record) => !record.class().aggregate || record.is_never_homogeneous(),
        _ => false,
    }
}

/// Whether values of the type cannot be copied bitwise.
fn is_non_trivial(ty: &CType) -> bool {
    match ty {
        CType::Array(array) => is_non_trivial(array.element()),
        CType::Record(record) => record.is_non_trivial(),
        _ => false,
    }
}
