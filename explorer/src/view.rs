//! What all forms of output share: values, their parts, and where these are.

use gusset_abi::{
    AbiTarget, Arch, CType, DataLayout, Extension, FnAbi, Language, Layout, LlvmSignature, PassMode, Piece, Place, Reg,
};
use gusset_c::{Leaf, Prototype, Typed};

use super::error::Error;
use super::names;
use super::targets::NamedTarget;

/// One function on one target. An example is at [the crate's page](crate).
#[derive(Debug)]
pub struct View {
    pub(crate) triple: String,
    pub(crate) target: AbiTarget,
    /// The convention in words.
    pub(crate) convention: String,
    /// The declaration on one line.
    pub(crate) text: String,
    /// The function's name.
    pub(crate) name: String,
    /// The decorated symbol, if it is known; C++ has its own rules.
    pub(crate) symbol: Option<String>,
    /// How IREE's virtual machine calls the function that this one implements.
    pub(crate) machine: Option<MachineCall>,
    /// Sentences without a full stop.
    pub(crate) notes: Vec<String>,
    /// What was declared.
    pub(crate) declared: Declared,
    pub(crate) abi: FnAbi,
    /// The result first, then the parameters in order.
    pub(crate) values: Vec<Value>,
}

/// How IREE's virtual machine calls a function.
#[derive(Debug)]
pub(crate) struct MachineCall {
    /// Its records, as JSON.
    pub records: String,
    /// The convention, in letters.
    pub convention: String,
    /// The declaration in its module.
    pub declaration: String,
    pub arguments: Block,
    pub results: Block,
}

/// A block of arguments or results of a virtual machine; sizes are in bytes.
#[derive(Debug)]
pub(crate) struct Block {
    pub size: u32,
    pub align: u32,
    /// Its size in versions of the runtime before 3.10.
    pub packed_size: u32,
    pub slots: Vec<Slot>,
}

/// A value in a block.
#[derive(Debug)]
pub(crate) struct Slot {
    pub letter: char,
    /// In bytes.
    pub offset: u32,
    /// Its contents, as JSON.
    pub record: String,
}

/// What a view shows.
#[derive(Debug)]
pub(crate) enum Declared {
    /// A function of C or C++.
    C(Box<Prototype>),
    /// One whose types are LLVM's.
    Llvm(Box<LlvmSignature>),
}

/// An argument or the result.
#[derive(Debug)]
pub(crate) struct Value {
    /// Its number from 1; 0 is the result.
    pub index: usize,
    /// Its name, or `#n`.
    pub name: String,
    pub spelling: String,
    /// Size and alignment; `None` for `void`.
    pub layout: Option<Layout>,
    /// An argument of a variadic call that has no parameter.
    pub unnamed: bool,
    pub leaves: Vec<Leaf>,
    /// A C++ class that cannot be copied bitwise: by address it is the object itself, not a copy.
    pub is_object: bool,
    pub passing: Passing,
    pub parts: Vec<Part>,
}

/// How a value is passed as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Passing {
    /// Not at all.
    Nothing,
    /// As itself, in parts.
    Direct,
    /// By the address of memory with this size and alignment; the only part is the address.
    Address { size: u64, align: u32 },
}

/// A range of a value, or its address, and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// First byte in the value.
    pub offset: u64,
    /// Number of bytes.
    pub size: u64,
    pub spot: Spot,
    /// A second register with the same bits.
    pub also: Option<Reg>,
    pub ext: Extension,
}

/// A place at the call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spot {
    Reg(Reg),
    /// Bytes above the stack pointer.
    Stack(u64),
}

impl View {
    /// The function's ABI.
    pub fn abi(&self) -> &FnAbi {
        &self.abi
    }

    /// The target's triple.
    pub fn triple(&self) -> &str {
        &self.triple
    }

    /// The convention in words.
    pub fn convention(&self) -> &str {
        &self.convention
    }

    /// The declaration on one line.
    pub fn declaration(&self) -> &str {
        &self.text
    }

    /// The function's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn new(target: &NamedTarget, prototype: Prototype, abi: FnAbi) -> Result<View, Error> {
        let data = DataLayout::new(&target.abi);
        let values = {
            let value = |index: usize, name: String, ty: &Typed, mode: &PassMode| -> Result<Value, Error> {
                let layout = match &ty.ctype {
                    CType::Void => None,
                    ctype => Some(data.layout(ctype).map_err(Error::target)?),
                };
                let (passing, parts) = passing(mode, target.abi.pointer_bytes());
                Ok(Value {
                    index,
                    name,
                    spelling: ty.spelling.clone(),
                    layout,
                    unnamed: index > prototype.signature.named(),
                    leaves: ty.leaves.clone(),
                    is_object: matches!(&ty.ctype, CType::Record(record) if record.is_non_trivial()),
                    passing,
                    parts,
                })
            };
            let mut values = vec![value(0, "result".into(), &prototype.ret, &abi.ret.mode)?];
            for (i, (param, arg)) in prototype.params.iter().zip(&abi.args).enumerate() {
                let name = param.name.clone().unwrap_or_else(|| format!("#{i}"));
                values.push(value(i + 1, name, &param.ty, &arg.mode)?);
            }
            values
        };
        let convention = names::convention(&target.abi, &prototype.signature);
        let symbol = match (&prototype.symbol, prototype.language) {
            (Some(symbol), _) => Some(symbol.clone()),
            (None, Language::C) => Some(abi.decoration.apply(&prototype.name)),
            (None, Language::Cxx) => None,
        };
        Ok(View {
            triple: target.triple.clone(),
            target: target.abi,
            convention,
            text: prototype.text.clone(),
            name: prototype.name.clone(),
            symbol,
            machine: None,
            notes: prototype.notes.clone(),
            declared: Declared::C(Box::new(prototype)),
            abi,
            values,
        })
    }

    pub(crate) fn arch(&self) -> Arch {
        self.target.arch
    }

    /// Bytes of a stack slot: that of a pointer.
    pub(crate) fn slot(&self) -> u64 {
        self.target.pointer_bytes().into()
    }

    /// The register that holds a part, named by the part's width.
    pub(crate) fn register(&self, reg: Reg, part: &Part) -> String {
        let mut bytes = part.size;
        if let Extension::Zero { to, .. } | Extension::Sign { to, .. } = part.ext {
            bytes = bytes.max(to as u64 / 8);
        }
        names::register(self.arch(), reg, bytes)
    }

    /// A stack address in assembly syntax; `bias` is how far the stack pointer has moved since the call.
    pub(crate) fn address(&self, offset: u64, bias: u64) -> String {
        let sp = names::stack_pointer(self.arch());
        match offset + bias {
            0 => format!("[{sp}]"),
            n => format!("[{sp}+{n}]"),
        }
    }
}

/// How a value is passed, and in which parts.
pub(crate) fn passing(mode: &PassMode, pointer: u32) -> (Passing, Vec<Part>) {
    match mode {
        PassMode::Ignore => (Passing::Nothing, Vec::new()),
        PassMode::Direct(pieces) => (Passing::Direct, pieces.iter().map(part).collect()),
        PassMode::Indirect { pointer, size, align } => {
            (Passing::Address { size: *size, align: *align }, vec![part(pointer)])
        }
        // C has no such values.
        PassMode::Parts(parts) => (Passing::Direct, parts.iter().flat_map(|mode| passing(mode, pointer).1).collect()),
        PassMode::StackCopy { offset, size, .. } => {
            let spot = Spot::Stack((*offset).into());
            (Passing::Direct, vec![Part { offset: 0, size: *size, spot, also: None, ext: Extension::None }])
        }
        PassMode::InBlock { offset, size, indirect } => {
            let spot = Spot::Stack((*offset).into());
            let held = if *indirect { pointer.into() } else { *size };
            let part = Part { offset: 0, size: held, spot, also: None, ext: Extension::None };
            (if *indirect { Passing::Address { size: *size, align: pointer } } else { Passing::Direct }, vec![part])
        }
    }
}

fn part(piece: &Piece) -> Part {
    let (spot, also) = match piece.place {
        Place::Reg(reg) => (Spot::Reg(reg), None),
        Place::RegPlus { reg, also } => (Spot::Reg(reg), Some(also)),
        Place::Stack { offset } => (Spot::Stack(offset.into()), None),
    };
    Part { offset: piece.offset.into(), size: piece.size.into(), spot, also, ext: piece.ext }
}

impl Value {
    /// The members that a range of bytes has a part of, in order; empty for a plain scalar.
    pub fn members(&self, offset: u64, size: u64) -> Vec<&Leaf> {
        let (start, end) = (8 * offset, 8 * (offset + size));
        let within = |leaf: &&Leaf| {
            !leaf.path.is_empty() && leaf.bits > 0 && leaf.bit_offset < end && leaf.bit_offset + leaf.bits > start
        };
        self.leaves.iter().filter(within).collect()
    }

    /// Whether the value is one scalar, without members.
    pub fn is_scalar(&self) -> bool {
        matches!(self.leaves.as_slice(), [only] if only.path.is_empty())
    }
}

/// What an extension means, in words.
pub(crate) fn extension(ext: Extension) -> Option<String> {
    match ext {
        Extension::None => None,
        Extension::Zero { to, .. } => Some(format!("zero-extended to {to} bits")),
        Extension::Sign { to, .. } => Some(format!("sign-extended to {to} bits")),
        Extension::Lanes { to, .. } => Some(format!("lanes widened to {to} bits")),
    }
}
