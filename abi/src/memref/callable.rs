//! Decides whether C can call a function in LLVM's convention, by comparing the places of both conventions byte for
//! byte.

use super::convert::{Pointers, TypeConverter};
use super::descriptor::Part;
use super::types::FunctionType;
use super::wrapper::Source;
use crate::classify::classify;
use crate::error::{AbiError, Subject};
use crate::fnabi::{Extension, FnAbi, PassMode, Piece, Place};
use crate::layout::DataLayout;
use crate::reg::{RegClass, RegName};
use crate::signature::{AbiType, Param, Signature};
use crate::target::Arch;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

impl TypeConverter {
    /// Checks whether C can call the function itself, without a wrapper. Each parameter is declared as the C type that
    /// it has: a descriptor's fields one by one, structs as records.
    ///
    /// # Errors
    /// The value that C cannot pass and the reason: where LLVM has a byte and where C has it. Otherwise as
    /// [`TypeConverter::function`].
    pub fn function_in_c(&self, function: &FunctionType, pointers: Pointers) -> Result<(), AbiError> {
        let converted = self.function(function, pointers)?;
        let bare = pointers == Pointers::Bare;
        let ret = if bare { self.c_member(&converted.ret) } else { self.c_result(function) };
        let ret = ret.map_err(|e| e.at(Subject::Result))?;
        let mut c = Signature::c(ret);
        for param in &converted.params {
            let arg = param.arg as usize;
            c = c.param(match (param.part, &param.ty) {
                (Part::Value, _) => self.c_arg(function, arg)?,
                (_, ty) => self.c_member(ty)?,
            });
        }
        let c = if function.variadic { c.ellipsis() } else { c };
        self.compare(&converted.signature(), &c, &|index| Subject::Param(converted.params[index].arg as usize))
    }

    /// Checks whether C can call the wrapper as upstream defines it. Arguments that are complex numbers or vectors may
    /// prevent it, and so may vectors of several dimensions as result. Small integers count as widened in C's way.
    ///
    /// # Errors
    /// As [`TypeConverter::function_in_c`]; the error counts the function's arguments.
    pub fn wrapper_in_c(&self, function: &FunctionType) -> Result<(), AbiError> {
        let wrapper = self.wrapper(function)?;
        let c = self.c_interface(function)?;
        self.compare(&wrapper.signature(true), &c, &|index| match wrapper.params[index].source {
            Source::Argument(arg) | Source::Descriptor(arg) => Subject::Param(arg as usize),
            Source::Result => Subject::Result,
            Source::VaList => Subject::Signature,
        })
    }

    /// Compares an LLVM-level signature with a C-level one whose parameters are the same values.
    fn compare(&self, llvm: &Signature, c: &Signature, subject: &dyn Fn(usize) -> Subject) -> Result<(), AbiError> {
        let of_argument = |e: AbiError| match e.subject() {
            Subject::Param(index) => AbiError::new(subject(index), e.reason()),
            _ => e,
        };
        let llvm_abi = classify(self.target(), llvm).map_err(of_argument)?;
        let c_abi = classify(self.target(), c).map_err(of_argument)?;
        let sides = Sides { layout: self.layout(), llvm: &llvm_abi, c: &c_abi };
        let wrong = |subject: Subject, reason: Option<String>| match reason {
            Some(reason) => Err(AbiError::new(subject, reason)),
            None => Ok(()),
        };
        wrong(Subject::Result, sides.value(&llvm.ret, &llvm_abi.ret.mode, &c_abi.ret.mode)?)?;
        wrong(Subject::Result, sides.relied_on(&llvm_abi.ret.mode, &c_abi.ret.mode))?;
        for (index, param) in llvm.params.iter().enumerate() {
            wrong(subject(index), sides.value(param, &llvm_abi.args[index].mode, &c_abi.args[index].mode)?)?;
        }
        wrong(Subject::Signature, sides.ends())
    }
}

/// Both results of classification.
struct Sides<'a> {
    layout: DataLayout,
    llvm: &'a FnAbi,
    c: &'a FnAbi,
}

/// Where a byte is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spot {
    /// At this byte of a place. Registers are counted in the smallest ones that overlap.
    In(Place, u64),
    /// At this byte of the memory whose address is in that place.
    Behind(Place, u64),
    /// In no place.
    Nowhere,
}

impl Sides<'_> {
    /// Why a value is not where C expects it, if so.
    fn value(&self, param: &Param, llvm: &PassMode, c: &PassMode) -> Result<Option<String>, AbiError> {
        let AbiType::Llvm(ty) = &param.ty else { return Ok(None) };
        let (llvm, c) = (Side::new(self.llvm.arch, llvm), Side::new(self.c.arch, c));
        let mut found = None;
        self.layout.each_leaf(ty, &mut |_, leaf| {
            let bits = leaf.lane.bits(8 * self.layout.target().pointer_bytes()) * leaf.lanes.unwrap_or(1);
            let end = leaf.offset + u64::from(bits.div_ceil(8));
            let mut at = leaf.offset;
            while at < end && found.is_none() {
                let ((here, here_ext, here_end), (there, there_ext, there_end)) = (llvm.at(at), c.at(at));
                if here != there {
                    found = Some(format!("LLVM has byte {at} of it {}, C {}", self.spell(here), self.spell(there)));
                } else if here_ext != there_ext {
                    found = Some(format!("LLVM widens the lanes of the vector {}", self.spell(here)));
                }
                at = here_end.min(there_end);
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Why C relies on more of a small integer's result than is there.
    fn relied_on(&self, llvm: &PassMode, c: &PassMode) -> Option<String> {
        let ([llvm], [c]) = (llvm.pieces(), c.pieces()) else { return None };
        let bits = |ext: Extension| match ext {
            Extension::Zero { from, to } => Some((false, from, to)),
            Extension::Sign { from, to } => Some((true, from, to)),
            _ => None,
        };
        let (sign, from, to) = bits(c.assume)?;
        // AAPCS64, "Boolean": LLVM's back end clears the bits of an `i1` without being told.
        if self.llvm.arch == Arch::Aarch64 && from == 1 {
            return None;
        }
        match bits(llvm.ext) {
            Some((same, first, last)) if same == sign && first == from && last >= to => None,
            _ => {
                let how = if sign { "copies of the sign" } else { "zero" };
                Some(format!("C takes bits {from} to {} for {how}, LLVM leaves them as they are", to - 1))
            }
        }
    }

    /// What differs at the function's end.
    fn ends(&self) -> Option<String> {
        let (llvm, c) = (self.llvm, self.c);
        if llvm.callee_pop_bytes != c.callee_pop_bytes {
            return Some(format!(
                "LLVM removes {} bytes of arguments, C {}",
                llvm.callee_pop_bytes, c.callee_pop_bytes
            ));
        }
        let by_address = |abi: &FnAbi| matches!(abi.ret.mode, PassMode::Indirect { .. });
        match (llvm.sret_return_reg, c.sret_return_reg) {
            (None, Some(reg)) if by_address(c) => {
                let name = RegName { arch: c.arch, reg, bytes: None };
                Some(format!("C wants the result's address back in {name}"))
            }
            _ => None,
        }
    }

    fn spell(&self, spot: Spot) -> String {
        let place = |place| match place {
            Place::Reg(reg) | Place::RegPlus { reg, .. } => {
                format!("{}", RegName { arch: self.c.arch, reg, bytes: None })
            }
            Place::Stack { offset } => format!("the stack's byte {offset}"),
        };
        match spot {
            Spot::In(at @ Place::Stack { .. }, _) => format!("at {}", place(at)),
            Spot::In(at, byte) => format!("at byte {byte} of {}", place(at)),
            Spot::Behind(at, _) => format!("in memory, whose address is in {}", place(at)),
            Spot::Nowhere => "nowhere".into(),
        }
    }
}

/// One convention's view of a value.
struct Side<'a> {
    arch: Arch,
    mode: &'a PassMode,
    pieces: Vec<Piece>,
}

impl<'a> Side<'a> {
    fn new(arch: Arch, mode: &'a PassMode) -> Side<'a> {
        let mut pieces = mode.pieces().to_vec();
        pieces.sort_by_key(|piece| piece.offset);
        Side { arch, mode, pieces }
    }

    /// Where the value's byte at this offset is, how lanes are widened there, and up to which offset the following
    /// bytes follow it there.
    fn at(&self, offset: u64) -> (Spot, Extension, u64) {
        let whole = |spot| (spot, Extension::None, u64::MAX);
        match self.mode {
            PassMode::Ignore | PassMode::InBlock { .. } => whole(Spot::Nowhere),
            // C has nothing that is passed so.
            PassMode::Parts(_) => whole(Spot::Nowhere),
            // Only where it begins matters; the rest is in the same order.
            PassMode::Indirect { pointer, .. } => whole(Spot::Behind(self.place(pointer.place, 0).0, 0)),
            PassMode::StackCopy { offset: start, .. } => {
                whole(Spot::In(Place::Stack { offset: (u64::from(*start) + offset) as u32 }, 0))
            }
            PassMode::Direct(_) => {
                let after = self.pieces.partition_point(|piece| u64::from(piece.offset) <= offset);
                let end = |piece: &Piece| u64::from(piece.offset) + u64::from(piece.size);
                let piece = after.checked_sub(1).map(|i| &self.pieces[i]);
                let Some(piece) = piece.filter(|piece| offset < end(piece)) else {
                    let next = self.pieces.get(after).map_or(u64::MAX, |piece| piece.offset.into());
                    return (Spot::Nowhere, Extension::None, next);
                };
                let (place, byte) = self.place(piece.place, offset - u64::from(piece.offset));
                let lanes = match piece.ext {
                    lanes @ Extension::Lanes { .. } => lanes,
                    _ => Extension::None,
                };
                (Spot::In(place, byte), lanes, end(piece))
            }
        }
    }

    /// A byte of a place, in the smallest of the registers that overlap there: 32-bit ARM's floating-point registers
    /// are numbered by their words.
    fn place(&self, place: Place, byte: u64) -> (Place, u64) {
        match place {
            Place::Reg(mut reg) if self.arch == Arch::Arm && reg.class == RegClass::Float => {
                reg.num += (byte / 4) as u8;
                (Place::Reg(reg), byte % 4)
            }
            Place::Stack { offset } => (Place::Stack { offset: offset + byte as u32 }, 0),
            other => (other, byte),
        }
    }
}
