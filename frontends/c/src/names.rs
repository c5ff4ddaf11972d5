//! Types that are known by name without any header.

use gusset_abi::{Arch, CType, Field, FloatKind, Os, Record, Scalar, Target};

use crate::data::DataModel;

/// What a name stands for on some target.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Meaning {
    /// A type passed by value.
    Type(CType),
    /// An array of one such type, which parameters see as a pointer.
    ArrayOfOne(CType),
    /// A type of which only pointers can be passed.
    Opaque,
}

const STANDARD: &[&str] = &[
    "FILE",
    "__builtin_ms_va_list",
    "__builtin_va_list",
    "__gnuc_va_list",
    "__int128_t",
    "__uint128_t",
    "bool",
    "char16_t",
    "char32_t",
    "char8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "int_least16_t",
    "int_least32_t",
    "int_least64_t",
    "int_least8_t",
    "intmax_t",
    "intptr_t",
    "ptrdiff_t",
    "size_t",
    "ssize_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "uint_least16_t",
    "uint_least32_t",
    "uint_least64_t",
    "uint_least8_t",
    "uintmax_t",
    "uintptr_t",
    "va_list",
    "wchar_t",
];
const X86_VECTORS: &[&str] = &[
    "__m128", "__m128bh", "__m128d", "__m128h", "__m128i", "__m256", "__m256bh", "__m256d", "__m256h", "__m256i",
    "__m512", "__m512bh", "__m512d", "__m512h", "__m512i", "__m64",
];
const WINDOWS: &[&str] = &[
    "BOOL",
    "BYTE",
    "DWORD",
    "DWORD64",
    "DWORD_PTR",
    "HANDLE",
    "HINSTANCE",
    "HMODULE",
    "HRESULT",
    "HWND",
    "INT_PTR",
    "LONG",
    "LONGLONG",
    "LONG_PTR",
    "LPARAM",
    "LPCSTR",
    "LPCVOID",
    "LPCWSTR",
    "LPDWORD",
    "LPSTR",
    "LPVOID",
    "LPWSTR",
    "LRESULT",
    "PVOID",
    "SIZE_T",
    "UINT",
    "UINT_PTR",
    "ULONG",
    "ULONGLONG",
    "ULONG_PTR",
    "WCHAR",
    "WORD",
    "WPARAM",
];

/// The meaning of `name` on `target`, if it has one there.
pub(crate) fn meaning(name: &str, target: &Target) -> Option<Meaning> {
    if STANDARD.contains(&name) {
        standard(name, target)
    } else if X86_VECTORS.contains(&name) {
        matches!(target.arch, Arch::X86 | Arch::X86_64).then(|| Meaning::Type(x86_vector(name)))
    } else if WINDOWS.contains(&name) {
        target.is_windows().then(|| Meaning::Type(windows(name, target)))
    } else if matches!(target.arch, Arch::Arm | Arch::Aarch64) {
        neon(name, target.arch).map(Meaning::Type)
    } else {
        None
    }
}

fn standard(name: &str, target: &Target) -> Option<Meaning> {
    let model = DataModel::new(target);
    let word = 8 * target.pointer_bytes() as u16;
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    Some(Meaning::Type(match name {
        "FILE" => return Some(Meaning::Opaque),
        "bool" => CType::BOOL,
        "size_t" | "uintptr_t" => CType::int(word, false),
        "ssize_t" | "ptrdiff_t" | "intptr_t" => CType::int(word, true),
        "intmax_t" => CType::I64,
        "uintmax_t" => CType::U64,
        "wchar_t" => model.wide_char(),
        "char8_t" => CType::U8,
        "char16_t" => CType::U16,
        "char32_t" => CType::U32,
        "__builtin_ms_va_list" => CType::PTR,
        "va_list" | "__builtin_va_list" | "__gnuc_va_list" => return Some(va_list(target)),
        _ => CType::int(digits.parse().ok()?, !name.contains("uint")),
    }))
}

/// psABI x86-64, figure 3.34; AAPCS64, "Definition of va_list"; AAPCS32, "Additional types"; elsewhere a pointer.
fn va_list(target: &Target) -> Meaning {
    match (target.arch, target.os) {
        (_, Os::Windows) | (Arch::Aarch64 | Arch::Arm, Os::Darwin) => Meaning::Type(CType::PTR),
        (Arch::X86_64, _) => Meaning::ArrayOfOne(CType::structure([CType::U32, CType::U32, CType::PTR, CType::PTR])),
        (Arch::Aarch64, _) => {
            Meaning::Type(CType::structure([CType::PTR, CType::PTR, CType::PTR, CType::I32, CType::I32]))
        }
        (Arch::Arm, _) => Meaning::Type(CType::structure([CType::PTR])),
        (Arch::X86, _) => Meaning::Type(CType::PTR),
    }
}

fn x86_vector(name: &str) -> CType {
    let digits: String = name[3..].chars().take_while(char::is_ascii_digit).collect();
    let bits: u32 = digits.parse().unwrap_or(128);
    let lane = match &name.as_bytes()[3 + digits.len()..] {
        b"d" => Scalar::Float(FloatKind::F64),
        b"h" => Scalar::Float(FloatKind::F16),
        b"bh" => Scalar::Float(FloatKind::BF16),
        _ if bits == 64 => Scalar::Int { bits: 64, signed: true },
        b"i" => Scalar::Int { bits: 64, signed: true },
        _ => Scalar::Float(FloatKind::F32),
    };
    CType::Vector { lane, lanes: bits / bits_of(lane) }
}

fn bits_of(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::Bool => 8,
        Scalar::Int { bits, .. } => bits as u32,
        Scalar::Float(FloatKind::F16 | FloatKind::BF16) => 16,
        Scalar::Float(FloatKind::F32) => 32,
        Scalar::Float(FloatKind::F64) | Scalar::Pointer => 64,
        Scalar::Float(FloatKind::Long | FloatKind::F128) => 128,
    }
}

/// `int8x16_t`, `float32x4x2_t`, `float16_t` and the like (ACLE, "Advanced SIMD types").
fn neon(name: &str, arch: Arch) -> Option<CType> {
    let body = name.strip_suffix("_t")?;
    let letters = body.find(|c: char| c.is_ascii_digit())?;
    let (kind, sizes) = body.split_at(letters);
    let mut sizes = sizes.split('x').map(|size| size.parse::<u32>().ok());
    let bits = sizes.next()??;
    let lane = match (kind, bits) {
        ("int", 8 | 16 | 32 | 64) => Scalar::Int { bits: bits as u16, signed: true },
        ("uint", 8 | 16 | 32 | 64) => Scalar::Int { bits: bits as u16, signed: false },
        ("poly", 8 | 16 | 64) => Scalar::Int { bits: bits as u16, signed: arch == Arch::Arm },
        ("poly", 128) => Scalar::Int { bits: 128, signed: false },
        ("float", 16) => Scalar::Float(FloatKind::F16),
        ("bfloat", 16) => Scalar::Float(FloatKind::BF16),
        ("float", 32) => Scalar::Float(FloatKind::F32),
        ("float", 64) if arch == Arch::Aarch64 => Scalar::Float(FloatKind::F64),
        _ => return None,
    };
    let Some(lanes) = sizes.next() else {
        return matches!(kind, "float" | "bfloat" | "poly").then_some(CType::Scalar(lane));
    };
    let lanes = lanes?;
    if !matches!(bits.checked_mul(lanes)?, 64 | 128) {
        return None;
    }
    let vector = CType::Vector { lane, lanes };
    match (sizes.next(), sizes.next()) {
        (None, _) => Some(vector),
        (Some(Some(count @ 2..=4)), None) => {
            Some(CType::record(Record::structure(vec![Field::new(CType::array(vector, count.into()))])))
        }
        _ => None,
    }
}

/// A few names of `windows.h`.
fn windows(name: &str, target: &Target) -> CType {
    let word = 8 * target.pointer_bytes() as u16;
    match name {
        "BYTE" => CType::U8,
        "WORD" => CType::U16,
        "WCHAR" => CType::U16,
        "BOOL" | "LONG" | "HRESULT" => CType::I32,
        "DWORD" | "UINT" | "ULONG" => CType::U32,
        "LONGLONG" => CType::I64,
        "DWORD64" | "ULONGLONG" => CType::U64,
        "INT_PTR" | "LONG_PTR" | "LPARAM" | "LRESULT" => CType::int(word, true),
        "DWORD_PTR" | "SIZE_T" | "UINT_PTR" | "ULONG_PTR" | "WPARAM" => CType::int(word, false),
        _ => CType::PTR,
    }
}

/// Whether the target's C library or compiler has `long double` of 80 bits, for `__float80`.
pub(crate) fn has_float80(target: &Target) -> bool {
    matches!(target.arch, Arch::X86 | Arch::X86_64) && !target.has_microsoft_library()
}
