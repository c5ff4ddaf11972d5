//! Types that are known by name without any header.

use gusset_abi::{AbiTarget, Arch, CType, Field, FloatKind, Record, Scalar, c_types};

use crate::fault::Fault;

/// The meaning of a name on some target.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Meaning {
    /// A type that is passed by value.
    Type(CType),
    /// An array of one such type, which is a pointer as a parameter.
    ArrayOfOne(CType),
    /// A type that is only passed by pointer.
    Opaque,
}

/// Names that are suggested for others that are not known.
const SUGGESTED: &str = "
    bool char double float int long short signed unsigned void size_t ssize_t ptrdiff_t intptr_t uintptr_t int8_t int16_t
    int32_t int64_t intmax_t uint8_t uint16_t uint32_t uint64_t uintmax_t __int128_t __uint128_t wchar_t char8_t char16_t
    char32_t va_list FILE __m64 __m128 __m128d __m128i __m256 __m256d __m256i __m512 __m512d __m512i int8x16_t int16x8_t
    int32x4_t int64x2_t uint8x16_t uint16x8_t uint32x4_t uint64x2_t float16_t float32x2_t float32x4_t float64x2_t BYTE WORD
    WCHAR BOOL LONG HRESULT DWORD UINT ULONG LONGLONG ULONGLONG HANDLE HINSTANCE HMODULE HWND LPCSTR LPCWSTR LPSTR LPWSTR
    LPVOID PVOID SIZE_T LPARAM LRESULT WPARAM
";

/// The fault that a name is no type; `own` are names of the source, one of which may be meant.
#[cold]
pub(crate) fn unknown_type<'n>(at: usize, name: &str, own: impl Iterator<Item = &'n str>, target: &AbiTarget) -> Fault {
    let exists = |word: &&str| is_basic(word) || meaning(word, target).is_some();
    let known = SUGGESTED.split_ascii_whitespace().filter(exists).chain(own.filter(|own| *own != name));
    Fault::new(at, format!("`{name}` is no type that is known here{}", gusset_text::did_you_mean(name, known)))
}

/// Whether a word is one of C's basic types.
fn is_basic(word: &str) -> bool {
    matches!(word, "bool" | "char" | "double" | "float" | "int" | "long" | "short" | "signed" | "unsigned" | "void")
}

/// The meaning of `name` on `target`; none if it is unknown there.
pub(crate) fn meaning(name: &str, target: &AbiTarget) -> Option<Meaning> {
    if let Some(found) = standard(name, target) {
        return Some(found);
    }
    let found = match target.arch {
        Arch::X86 | Arch::X86_64 => x86_vector(name),
        Arch::Arm | Arch::Aarch64 => neon(name, target.arch),
    };
    let found = found.or_else(|| if target.is_windows() { windows(name, target) } else { None });
    found.map(Meaning::Type)
}

fn standard(name: &str, target: &AbiTarget) -> Option<Meaning> {
    let word = 8 * target.pointer_bytes() as u16;
    Some(Meaning::Type(match name {
        "FILE" => return Some(Meaning::Opaque),
        "bool" => CType::BOOL,
        "size_t" | "uintptr_t" => CType::int(word, false),
        "ssize_t" | "ptrdiff_t" | "intptr_t" => CType::int(word, true),
        "int8_t" | "int_least8_t" => CType::I8,
        "int16_t" | "int_least16_t" => CType::I16,
        "int32_t" | "int_least32_t" => CType::I32,
        "int64_t" | "int_least64_t" | "intmax_t" => CType::I64,
        "__int128_t" => CType::I128,
        "uint8_t" | "uint_least8_t" | "char8_t" => CType::U8,
        "uint16_t" | "uint_least16_t" | "char16_t" => CType::U16,
        "uint32_t" | "uint_least32_t" | "char32_t" => CType::U32,
        "uint64_t" | "uint_least64_t" | "uintmax_t" => CType::U64,
        "__uint128_t" => CType::U128,
        "wchar_t" => c_types::wide_char(target),
        "__builtin_ms_va_list" => CType::PTR,
        "va_list" | "__builtin_va_list" | "__gnuc_va_list" => {
            return Some(match c_types::va_list(target) {
                (list, true) => Meaning::ArrayOfOne(list),
                (list, false) => Meaning::Type(list),
            });
        }
        _ => return None,
    }))
}

/// `__m64`, and `__m128` to `__m512` with the suffix of their lanes.
fn x86_vector(name: &str) -> Option<CType> {
    let rest = name.strip_prefix("__m")?;
    let mut wide = [128, 256, 512].into_iter().map(|bits: u32| (bits, rest.strip_prefix(bits.to_string().as_str())));
    let (bits, letters) = match wide.find_map(|(bits, letters)| Some((bits, letters?))) {
        Some(found) => found,
        None => (64, if rest == "64" { "i" } else { return None }),
    };
    let (lane, width) = match letters {
        "" => (Scalar::Float(FloatKind::F32), 32),
        "d" => (Scalar::Float(FloatKind::F64), 64),
        "h" => (Scalar::Float(FloatKind::F16), 16),
        "bh" => (Scalar::Float(FloatKind::BF16), 16),
        "i" => (Scalar::Int { bits: 64, signed: true }, 64),
        _ => return None,
    };
    Some(CType::Vector { lane, lanes: bits / width })
}

/// Neon's types, such as `int8x16_t`, `float32x4x2_t` and `float16_t` (ACLE, "Advanced SIMD types").
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
fn windows(name: &str, target: &AbiTarget) -> Option<CType> {
    let word = 8 * target.pointer_bytes() as u16;
    Some(match name {
        "BYTE" => CType::U8,
        "WORD" | "WCHAR" => CType::U16,
        "BOOL" | "LONG" | "HRESULT" => CType::I32,
        "DWORD" | "UINT" | "ULONG" => CType::U32,
        "LONGLONG" => CType::I64,
        "DWORD64" | "ULONGLONG" => CType::U64,
        "INT_PTR" | "LONG_PTR" | "LPARAM" | "LRESULT" => CType::int(word, true),
        "DWORD_PTR" | "SIZE_T" | "UINT_PTR" | "ULONG_PTR" | "WPARAM" => CType::int(word, false),
        "HANDLE" | "HINSTANCE" | "HMODULE" | "HWND" | "LPCSTR" | "LPCVOID" | "LPCWSTR" | "LPDWORD" | "LPSTR"
        | "LPVOID" | "LPWSTR" | "PVOID" => CType::PTR,
        _ => return None,
    })
}

/// Whether the target's C library or compiler has an 80-bit `long double`, which `__float80` needs.
pub(crate) fn has_float80(target: &AbiTarget) -> bool {
    matches!(target.arch, Arch::X86 | Arch::X86_64) && !target.has_microsoft_library()
}
