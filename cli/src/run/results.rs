//! The results of a function that `gusset run -e` calls, as text.

use std::fmt::Write as _;

use gusset::FunctionSignature;
use gusset::abi::memref::{BuiltinType, Lane, Memref};
use gusset::abi::{AbiType, CType, FloatKind, LlvmScalar, LlvmType, Scalar};
use gusset::memory::Module;

/// A number that a function gives, or an element of a memref.
#[derive(Clone, Copy)]
pub(super) enum Number {
    /// An integer of this many bits, 1 to 64.
    Int(u32),
    F32,
    F64,
}

/// A result.
pub(super) enum Shown {
    Number(Number),
    /// A memref of known rank.
    Memref {
        rank: usize,
        element: Number,
    },
}

impl Number {
    fn of_scalar(scalar: LlvmScalar) -> Option<Number> {
        Some(match scalar {
            LlvmScalar::Float => Number::F32,
            LlvmScalar::Double => Number::F64,
            LlvmScalar::Ptr => Number::Int(usize::BITS),
            LlvmScalar::Int(bits @ 1..=64) => Number::Int(bits),
            _ => return None,
        })
    }

    fn of_c(ty: &CType) -> Option<Number> {
        Some(match *ty {
            CType::Scalar(Scalar::Bool) => Number::Int(1),
            CType::Scalar(Scalar::Int { bits: bits @ 1..=64, .. }) => Number::Int(bits.into()),
            CType::Scalar(Scalar::Float(FloatKind::F32)) => Number::F32,
            CType::Scalar(Scalar::Float(FloatKind::F64)) => Number::F64,
            CType::Scalar(Scalar::Pointer) => Number::Int(usize::BITS),
            _ => return None,
        })
    }

    fn of_mlir(ty: &BuiltinType) -> Option<Number> {
        match *ty {
            BuiltinType::Lane(Lane::Llvm(scalar)) | BuiltinType::Llvm(LlvmType::Scalar(scalar)) => {
                Number::of_scalar(scalar)
            }
            BuiltinType::Lane(Lane::Signed(bits @ 1..=64)) => Some(Number::Int(bits)),
            BuiltinType::Lane(Lane::Index) => Some(Number::Int(usize::BITS)),
            _ => None,
        }
    }

    fn bytes(self) -> usize {
        match self {
            Number::Int(bits) => bits.div_ceil(8).next_power_of_two() as usize,
            Number::F32 => 4,
            Number::F64 => 8,
        }
    }

    /// The text of a number from its bytes.
    fn text(self, bytes: &[u8]) -> String {
        let mut word = [0; 8];
        word[..self.bytes()].copy_from_slice(&bytes[..self.bytes()]);
        let word = u64::from_le_bytes(word);
        match self {
            Number::Int(1) => (word & 1).to_string(),
            Number::Int(bits) => ((word << (64 - bits)) as i64 >> (64 - bits)).to_string(),
            Number::F32 => f32::from_bits(word as u32).to_string(),
            Number::F64 => f64::from_bits(word).to_string(),
        }
    }
}

/// The results of a function that takes nothing.
///
/// # Errors
/// What is wrong: it takes something, or a result is of a type that is not shown.
pub(super) fn shown(name: &str, signature: &FunctionSignature) -> Result<Vec<Shown>, String> {
    let unknown = |ty: &dyn std::fmt::Display| format!("a result of type `{ty}` is not shown");
    let (takes_nothing, results) = match signature {
        FunctionSignature::Mlir(ty) => {
            let of = |ty: &BuiltinType| of_mlir(ty).ok_or_else(|| unknown(ty));
            (ty.args.is_empty(), ty.results.iter().map(of).collect())
        }
        FunctionSignature::Symbol(signature) => {
            let number = match &signature.ret.ty {
                AbiType::Llvm(LlvmType::Void) | AbiType::C(CType::Void) => Ok(None),
                AbiType::Llvm(ty @ LlvmType::Scalar(scalar)) => {
                    Number::of_scalar(*scalar).map(Some).ok_or_else(|| unknown(ty))
                }
                AbiType::Llvm(ty) => Err(unknown(ty)),
                AbiType::C(ty) => Number::of_c(ty).map(Some).ok_or("the result's type of C is not shown".to_string()),
            };
            (signature.params.is_empty(), number.map(|number| number.map(Shown::Number).into_iter().collect()))
        }
        _ => (true, Err("it is called in a way that nothing here knows".into())),
    };
    match takes_nothing {
        true => results,
        false => Err(format!("the function `{name}` takes arguments, which nothing here gives")),
    }
}

fn of_mlir(ty: &BuiltinType) -> Option<Shown> {
    let BuiltinType::Memref(memref) = ty else { return Number::of_mlir(ty).map(Shown::Number) };
    Some(Shown::Memref { rank: Memref::rank(memref) as usize, element: Number::of_mlir(memref.element())? })
}

/// Calls a function without arguments and gives its results as text; `None` if it does not exist.
pub(super) fn call(module: &Module, symbol: &str, results: &[Shown]) -> Option<String> {
    module.address(symbol)?;
    let mut out = String::new();
    let word = size_of::<usize>();
    if let [] | [Shown::Number(_)] = results {
        let number = match results {
            [Shown::Number(number)] => Some(*number),
            _ => None,
        };
        let bytes = call_for_number(module, symbol, number)?;
        if let Some(number) = number {
            let _ = writeln!(out, "{}", number.text(&bytes));
        }
        return Some(out);
    }
    // The results are members of a struct, whose address the wrapper takes.
    let mut offsets = Vec::new();
    let mut size = 0usize;
    for result in results {
        let (bytes, align) = match result {
            Shown::Number(number) => {
                (number.bytes(), number.bytes().min(if cfg!(all(unix, target_arch = "x86")) { 4 } else { 8 }))
            }
            Shown::Memref { rank, .. } => ((3 + 2 * rank) * word, word),
        };
        size = size.next_multiple_of(align);
        offsets.push(size);
        size += bytes;
    }
    let mut memory = vec![0u64; size.div_ceil(8) + 1];
    // SAFETY: the wrapper fills the struct, which has room.
    #[allow(unsafe_code)]
    let bytes = unsafe {
        module.function::<extern "C" fn(*mut u64)>(symbol).ok()?(memory.as_mut_ptr());
        std::slice::from_raw_parts(memory.as_ptr().cast::<u8>(), size)
    };
    for (result, &at) in results.iter().zip(&offsets) {
        match result {
            Shown::Number(number) => {
                let _ = writeln!(out, "{}", number.text(&bytes[at..]));
            }
            Shown::Memref { rank, element } => {
                let read = |n: usize| {
                    let mut bytes_of_word = [0; size_of::<usize>()];
                    bytes_of_word.copy_from_slice(&bytes[at + n * word..][..word]);
                    isize::from_le_bytes(bytes_of_word)
                };
                let sizes: Vec<isize> = (0..*rank).map(|n| read(3 + n)).collect();
                let strides: Vec<isize> = (0..*rank).map(|n| read(3 + rank + n)).collect();
                let _ = writeln!(
                    out,
                    "memref rank = {rank} offset = {} sizes = {sizes:?} strides = {strides:?} data =",
                    read(2)
                );
                let first = (read(1) as usize as *const u8).wrapping_offset(read(2) * element.bytes() as isize);
                write_elements(&mut out, *element, first, &sizes, &strides);
                out.push('\n');
            }
        }
    }
    Some(out)
}

/// The bytes of the number that a function returns in a register.
fn call_for_number(module: &Module, symbol: &str, number: Option<Number>) -> Option<[u8; 8]> {
    // SAFETY: the functions have these results.
    #[allow(unsafe_code)]
    let word = unsafe {
        match number {
            Some(Number::F32) => module.function::<extern "C" fn() -> f32>(symbol).ok()?().to_bits().into(),
            Some(Number::F64) => module.function::<extern "C" fn() -> f64>(symbol).ok()?().to_bits(),
            Some(Number::Int(33..)) => module.function::<extern "C" fn() -> u64>(symbol).ok()?(),
            Some(Number::Int(_)) => module.function::<extern "C" fn() -> u32>(symbol).ok()?().into(),
            None => {
                module.function::<extern "C" fn()>(symbol).ok()?();
                0
            }
        }
    };
    Some(word.to_le_bytes())
}

/// Writes the elements of a memref as nested lists.
fn write_elements(out: &mut String, element: Number, at: *const u8, sizes: &[isize], strides: &[isize]) {
    let (Some((&size, sizes)), Some((&stride, strides))) = (sizes.split_first(), strides.split_first()) else {
        // SAFETY: the program says that an element is there.
        #[allow(unsafe_code)]
        let bytes = unsafe { std::slice::from_raw_parts(at, element.bytes()) };
        out.push_str(&element.text(bytes));
        return;
    };
    out.push('[');
    for n in 0..size.max(0) {
        if n > 0 {
            out.push_str(if sizes.is_empty() { ", " } else { ",\n " });
        }
        let next = at.wrapping_offset(n * stride * element.bytes() as isize);
        write_elements(out, element, next, sizes, strides);
    }
    out.push(']');
}
