//! Where a record's members are, by the three sets of rules that targets have.
//!
//! | rules | where | sources |
//! |---|---|---|
//! | common | ELF and Apple targets | the psABIs' sections on aggregates and bit-fields; Itanium C++ ABI, section 2.4; AAPCS32 and AAPCS64, "Bit-fields" |
//! | with Microsoft's bit-fields | MinGW | GCC manual, "x86 Type Attributes", `ms_struct`, which is the default there |
//! | Microsoft's | Windows with MSVC | Microsoft C++ language reference, `align`, `pack`, "C++ Bit Fields"; what clang 19 does where it is silent |
//!
//! Where GCC and clang differ, clang is followed:
//!
//! | case | clang | GCC 12 |
//! |---|---|---|
//! | bit-field with `aligned` or `packed` | as the rules say for members | its own mixture |
//! | MinGW: bit-field in a union | does not align the union | aligns it as its type |
//! | MinGW: bit-field in a packed record | takes and aligns a whole unit of its type | is packed |
//! | MinGW: bit-field of width 0 under `#pragma pack` | is not packed | is packed |
//! | packed record with an array of classes that are not plain data | packs them | keeps their alignment |
//! | i386: union of a vector of 8 bytes | aligned to 8 | aligned to 4 |
//! | vectors wider than the enabled registers | aligned to their size | less, in arrays |
//!
//! Microsoft's rules know a *required* alignment: what `__declspec(align)` asks of a record, a member or anything inside
//! them. `#pragma pack` does not lower it, and it decides how arguments are passed.

use crate::error::AbiError;
use crate::measure::{Layout, MAX_SIZE, Measure};
use crate::target::{AbiTarget, Arch, Env, Os};
use crate::types::{CType, Field, Language, Record, RecordKind, Scalar};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rules {
    Common,
    MsStruct,
    Microsoft,
}

/// Places a record's members one after another.
pub(crate) struct Placer<'a> {
    target: &'a AbiTarget,
    record: &'a Record,
    pub(super) rules: Rules,
    /// `#pragma pack`, in bits, if it has an effect.
    pub(super) pack: Option<u64>,
    /// End of the members so far, in bits; with Microsoft's bit-fields, of their last storage unit.
    pub(super) end: u64,
    /// The furthest end of any member, in bits: a bit-field of width zero takes `end` back into a packed storage unit.
    pub(super) reached: u64,
    /// Alignment so far, in bits.
    pub(super) align: u64,
    /// Required alignment so far in bytes; 0 if nothing asks for one.
    pub(super) required: u32,
    /// With Microsoft's bit-fields: if the last member is a bit-field of nonzero width, the size of its storage unit in
    /// bits.
    unit: Option<u64>,
    /// How many bits of that unit are free.
    left: u64,
}

impl<'a> Placer<'a> {
    pub(crate) fn new(target: &'a AbiTarget, record: &'a Record) -> Result<Placer<'a>, AbiError> {
        if record.is_excessive() {
            return Err(AbiError::ty("the record is nested too deeply or has too many members"));
        }
        for (what, align) in [("aligned", record.min_align()), ("#pragma pack", record.max_field_align())] {
            check_align(what, align)?;
        }
        let rules = match target.env {
            Env::Msvc => Rules::Microsoft,
            Env::Gnu if target.is_windows() => Rules::MsStruct,
            Env::Gnu | Env::Itanium | Env::Cygnus => Rules::Common,
        };
        let mut pack = record.max_field_align().map(|bytes| 8 * bytes as u64);
        let mut required = 0;
        if rules == Rules::Microsoft {
            // Packing to more than a pointer's size has no effect; `packed` is packing to 1.
            pack = pack.filter(|bits| *bits <= 8 * target.pointer_bytes() as u64);
            if record.is_packed() {
                pack = Some(8);
            }
            required = if target.pointer_bytes() == 8 { 1 } else { 0 };
        }
        Ok(Placer { target, record, rules, pack, end: 0, reached: 0, align: 8, required, unit: None, left: 0 })
    }

    /// Places the next member, of type `ty`. Returns its offset in bits.
    pub(crate) fn place(&mut self, field: &Field, ty: Measure) -> Result<u64, AbiError> {
        check_align("aligned", field.align)?;
        if let Some(bits) = field.bits {
            self.check_bit_field(field, ty.layout, bits)?;
        }
        let bits = field.bits.map(u64::from);
        let offset = match (self.rules, bits) {
            (Rules::Common, Some(bits)) => self.place_bits(field, ty.layout, bits),
            (Rules::MsStruct, Some(bits)) => self.place_ms_bits(field, ty.layout, bits),
            (Rules::Common | Rules::MsStruct, None) => self.place_whole(field, ty.layout),
            (Rules::Microsoft, bits) => self.place_microsoft(field, ty, bits),
        };
        if self.end > 8 * MAX_SIZE {
            return Err(AbiError::ty("the type is larger than 2^31 bytes"));
        }
        Ok(offset)
    }

    fn check_bit_field(&self, field: &Field, ty: Layout, bits: u32) -> Result<(), AbiError> {
        let integral = matches!(field.ty, CType::Scalar(Scalar::Bool | Scalar::Int { .. }) | CType::BitInt { .. });
        let width = match field.ty {
            CType::Scalar(Scalar::Bool) => 1,
            CType::BitInt { bits, .. } => bits as u64,
            _ => 8 * ty.size,
        };
        if !integral || bits as u64 > width {
            return Err(AbiError::ty(alloc::format!("a bit-field of {bits} bits does not fit its type")));
        }
        if self.rules == Rules::MsStruct && !ty.size.is_power_of_two() {
            return Err(AbiError::ty("MinGW has no bit-fields whose type's size is not a power of two"));
        }
        if bits == 0 && field.named {
            return Err(AbiError::ty("a named bit-field of width 0"));
        }
        Ok(())
    }

    pub(super) fn is_packed(&self) -> bool {
        self.record.is_packed()
    }

    pub(super) fn is_union(&self) -> bool {
        self.record.kind() == RecordKind::Union
    }

    fn start(&self) -> u64 {
        if self.is_union() { 0 } else { self.end }
    }

    /// psABI x86-64, section 3.1.2 "Aggregates and Unions"; the attributes as GCC documents them.
    fn place_whole(&mut self, field: &Field, ty: Layout) -> u64 {
        let align = self.whole_align(field, ty);
        let offset = self.start().next_multiple_of(8).next_multiple_of(align);
        self.end = self.end.max(offset + 8 * ty.size);
        self.align = self.align.max(align);
        self.forget_unit();
        offset
    }

    /// Ends the unit of bit-fields.
    pub(super) fn forget_unit(&mut self) {
        (self.unit, self.left) = (None, 0);
    }

    /// The alignment in bits of a member that is no bit-field.
    pub(super) fn whole_align(&self, field: &Field, ty: Layout) -> u64 {
        let packed = field.packed || (self.record.is_packed() && self.may_pack(&field.ty));
        let align = if packed { 8 } else { 8 * ty.align as u64 };
        align.max(8 * field.align.unwrap_or(1) as u64).min(self.pack.unwrap_or(u64::MAX))
    }

    /// Does a packed record lower the member's alignment? GCC and, since version 16, clang keep that of classes that
    /// are not plain data; that of arrays of them GCC only.
    fn may_pack(&self, ty: &CType) -> bool {
        match ty {
            CType::Record(record) => record.is_packed() || self.target.os == Os::Darwin || is_plain_data(record),
            _ => true,
        }
    }

    /// psABI x86-64, section 3.1.2 "Bit-Fields"; Itanium C++ ABI, section 2.4; AAPCS, "Bit-fields".
    fn place_bits(&mut self, field: &Field, ty: Layout, bits: u64) -> u64 {
        let target = self.target;
        let packed = field.packed || self.record.is_packed();
        let unit = 8 * ty.size;
        // Under `#pragma pack`, GCC and clang ignore that a bit-field is packed.
        let mut align = if packed && bits != 0 && self.pack.is_none() { 1 } else { 8 * ty.align as u64 };
        if let Some(least) = field.align {
            align = align.max(8 * least as u64);
        }
        if let (Some(most), true) = (self.pack, bits != 0) {
            align = align.min(most);
        }
        let mut offset = self.start();
        let straddles = self.pack.is_none() && (offset & (align - 1)) + bits > unit;
        let demanded = field.align.map(|a| 8 * a as u64).filter(|a| self.pack.is_none_or(|most| *a <= most));
        if bits == 0 || straddles {
            offset = offset.next_multiple_of(align);
        } else if let Some(demanded) = demanded {
            offset = offset.next_multiple_of(demanded);
        }
        // Only AAPCS counts the alignment of unnamed bit-fields.
        let aapcs = matches!(target.arch, Arch::Arm | Arch::Aarch64) && target.os != Os::Darwin;
        if field.named || aapcs {
            self.align = self.align.max(align);
        }
        self.end = self.end.max(offset + bits);
        offset
    }

    /// GCC manual, "x86 Type Attributes", `ms_struct`: bit-fields share a unit only with others of the same size.
    fn place_ms_bits(&mut self, field: &Field, ty: Layout, bits: u64) -> u64 {
        let unit = 8 * ty.size;
        let mut align = unit;
        if self.unit != Some(unit) || self.left < bits {
            if self.unit.is_none() && bits == 0 {
                align = 8;
            }
            (self.unit, self.left) = (None, 0);
        }
        let mut offset = self.start() - self.left;
        if let Some(least) = field.align {
            align = align.max(8 * least as u64);
        }
        if let (Some(most), true) = (self.pack, bits != 0) {
            align = align.min(most);
        }
        if self.is_union() {
            self.end = self.end.max(if bits == 0 { 8 } else { unit });
            return 0;
        }
        if bits == 0 || bits > self.left {
            offset = offset.next_multiple_of(align);
            self.left = 0;
        }
        if bits == 0 {
            self.reached = self.reached.max(self.end);
            self.end = offset;
            (self.unit, self.left) = (None, 0);
        } else {
            if self.left == 0 {
                self.end = offset + unit;
                self.left = unit;
            }
            self.left -= bits;
            self.unit = Some(unit);
        }
        self.align = self.align.max(align);
        offset
    }

    /// Microsoft C++ language reference, `align` and `pack`; "C++ Bit Fields".
    fn place_microsoft(&mut self, field: &Field, ty: Measure, bits: Option<u64>) -> u64 {
        if bits == Some(0) && self.unit.is_none() {
            // Without effect, unless a bit-field comes before.
            return self.start();
        }
        let align = self.microsoft_align(field, ty);
        let size = 8 * ty.layout.size;
        let Some(bits) = bits else {
            self.unit = None;
            self.align = self.align.max(align);
            let offset = self.start().next_multiple_of(align);
            self.end = self.end.max(offset + size);
            return offset;
        };
        if self.is_union() {
            self.unit = if bits == 0 { None } else { Some(size) };
            self.end = self.end.max(size);
            return 0;
        }
        if bits != 0 && self.unit == Some(size) && bits <= self.left {
            let offset = self.end - self.left;
            self.left -= bits;
            return offset;
        }
        let offset = self.end.next_multiple_of(align);
        self.align = self.align.max(align);
        if bits == 0 {
            (self.unit, self.end) = (None, offset);
        } else {
            (self.unit, self.left, self.end) = (Some(size), size - bits, offset + size);
        }
        offset
    }

    /// The alignment in bits of a member by Microsoft's rules; notes the alignment that it requires.
    pub(super) fn microsoft_align(&mut self, field: &Field, ty: Measure) -> u64 {
        let mut align = ty.layout.align;
        let mut required = field.align.unwrap_or(0).max(demanded_by_type(&field.ty, align));
        if field.bits.is_some() {
            // An attribute on a bit-field does not count as required.
            align = align.max(required);
        } else {
            required = required.max(ty.required);
            self.required = self.required.max(required);
        }
        if let Some(pack) = self.pack {
            align = align.min(pack as u32 / 8);
        }
        if field.packed {
            align = 1;
        }
        8 * align.max(required) as u64
    }

    /// Size in bytes before attributes of the record itself are considered: without padding at the end or, by
    /// Microsoft's rules, without what required alignment adds.
    pub(crate) fn data_size(&self) -> u64 {
        let end = self.end.div_ceil(8);
        if self.rules != Rules::Microsoft {
            return end;
        }
        let align = self.align / 8;
        let pack = if self.record.language() == Language::Cxx { self.pack } else { None };
        end.next_multiple_of(align.min(pack.map_or(u64::MAX, |bits| bits / 8)))
    }

    /// Size and alignment of the whole record.
    pub(crate) fn finish(&self) -> Measure {
        if self.rules == Rules::Microsoft {
            return self.finish_microsoft();
        }
        let align = (self.align / 8).max(self.record.min_align().unwrap_or(1) as u64);
        let mut size = self.end.max(self.reached).div_ceil(8);
        // C++, [class.mem]: complete objects have a size. GNU C gives an empty struct size 0; C++ does so for one with
        // empty arrays.
        let empty = self.record.fields().iter().all(|f| f.bits == Some(0));
        if size == 0 && empty && self.record.language() == Language::Cxx {
            size = 1;
        }
        let natural = (self.align / 8) as u32;
        // As in clang where records are passed by Microsoft's rules for calls (windows-itanium).
        let required = align as u32;
        Measure { layout: Layout::new(size.next_multiple_of(align), required), required, natural }
    }

    fn finish_microsoft(&self) -> Measure {
        let cxx = self.record.language() == Language::Cxx;
        let (mut align, pack) = (self.align / 8, self.pack.map_or(u64::MAX, |bits| bits / 8));
        let mut size = self.data_size();
        let required = self.required.max(self.record.min_align().unwrap_or(0));
        if required != 0 {
            align = align.max(required as u64);
            size = size.next_multiple_of(align.min(pack).max(required as u64));
        }
        // C has no empty records; Microsoft's compiler gives them the size of an int.
        let least = if cxx { 1 } else { 4 };
        if size == 0 {
            size = if required >= least { align } else { least as u64 };
        }
        // Microsoft's rules do not distinguish natural alignment from that of attributes.
        Measure { layout: Layout::new(size, align as u32), required, natural: align as u32 }
    }
}

/// Could the record, with all records in it, be declared in C ("plain old data" of C++98)?
pub(crate) fn is_plain_data(record: &Record) -> bool {
    let plain = |ty: &CType| {
        let mut ty = ty;
        while let CType::Array(array) = ty {
            ty = array.element();
        }
        !matches!(ty, CType::Record(inner) if !is_plain_data(inner))
    };
    record.language() == Language::C
        || (record.class().plain_data && record.fields().iter().all(|field| !field.is_base() && plain(&field.ty)))
}

/// Alignment in bytes that a type asks for by an attribute of its own; `align` is its whole alignment.
fn demanded_by_type(ty: &CType, align: u32) -> u32 {
    match ty {
        CType::Array(array) => demanded_by_type(array.element(), align),
        CType::Record(record) if record.min_align().is_some() => align,
        _ => 0,
    }
}

pub(super) fn check_align(what: &str, align: Option<u32>) -> Result<(), AbiError> {
    match align {
        Some(bytes) if !bytes.is_power_of_two() || bytes > 1 << 28 => {
            Err(AbiError::ty(alloc::format!("{what}({bytes}) is not a power of two up to 2^28")))
        }
        _ => Ok(()),
    }
}
