//! Two front doors, one result: a C signature classified as it is, and lowered to LLVM's and then classified, puts the same
//! bytes of every value in the same places.

mod meaning;
mod random;

use gusset_abi::*;
use meaning::meaning;
use random::Random;
use std::collections::BTreeMap;

const fn target(arch: Arch, os: Os, env: Env) -> AbiTarget {
    AbiTarget { arch, os, env, ..AbiTarget::X86_64_LINUX }
}

const SOFT_ARM: AbiTarget = AbiTarget {
    features: AbiFeatures { hard_float: false, ..AbiFeatures::DEFAULT },
    ..target(Arch::Arm, Os::Linux, Env::Gnu)
};

/// What has both doors.
const ROWS: &[(AbiTarget, Convention)] = &[
    (AbiTarget::X86_64_LINUX, Convention::C),
    (AbiTarget::X86_64_LINUX, Convention::Win64),
    (target(Arch::X86_64, Os::Windows, Env::Msvc), Convention::C),
    (target(Arch::X86_64, Os::Windows, Env::Gnu), Convention::C),
    (target(Arch::X86_64, Os::Windows, Env::Itanium), Convention::C),
    (target(Arch::X86_64, Os::Windows, Env::Cygnus), Convention::C),
    (target(Arch::X86_64, Os::Windows, Env::Msvc), Convention::SysV64),
    (target(Arch::X86_64, Os::Windows, Env::Msvc), Convention::Vectorcall),
    (target(Arch::Aarch64, Os::Linux, Env::Gnu), Convention::C),
    (target(Arch::Aarch64, Os::Linux, Env::Gnu), Convention::Win64),
    (target(Arch::Aarch64, Os::Linux, Env::Gnu), Convention::VectorPcs),
    (target(Arch::Aarch64, Os::Darwin, Env::Gnu), Convention::C),
    (target(Arch::Aarch64, Os::Windows, Env::Msvc), Convention::C),
    (target(Arch::X86, Os::Linux, Env::Gnu), Convention::C),
    (target(Arch::X86, Os::Linux, Env::Gnu), Convention::Fastcall),
    (target(Arch::X86, Os::Bsd, Env::Gnu), Convention::C),
    (target(Arch::X86, Os::Windows, Env::Msvc), Convention::C),
    (target(Arch::X86, Os::Windows, Env::Msvc), Convention::Fastcall),
    (target(Arch::X86, Os::Windows, Env::Msvc), Convention::Vectorcall),
    (target(Arch::X86, Os::Windows, Env::Gnu), Convention::Stdcall),
    (target(Arch::X86, Os::Windows, Env::Itanium), Convention::C),
    (target(Arch::X86, Os::Windows, Env::Itanium), Convention::Fastcall),
    (target(Arch::X86, Os::Windows, Env::Cygnus), Convention::C),
    (target(Arch::X86, Os::Windows, Env::Cygnus), Convention::Thiscall),
    (target(Arch::Arm, Os::Linux, Env::Gnu), Convention::C),
    (target(Arch::Arm, Os::Linux, Env::Gnu), Convention::AapcsBase),
    (target(Arch::Arm, Os::Windows, Env::Msvc), Convention::C),
    (SOFT_ARM, Convention::C),
    (SOFT_ARM, Convention::AapcsVfp),
];

/// Where a byte is, for comparing and for messages.
type At = String;

/// Notes where the bytes of these pieces are, a value's offsets counted from `base`.
fn note(pieces: &[Piece], base: u64, bytes: &mut BTreeMap<u64, At>) {
    for piece in pieces {
        for i in 0..piece.size {
            let at = match piece.place {
                // LLVM duplicates named arguments of variadic functions, too: nobody has to read the duplicate.
                Place::Reg(reg) | Place::RegPlus { reg, .. } => format!("{reg:?}.{i}"),
                Place::Stack { offset } => format!("stack {}", offset + i),
            };
            bytes.insert(base + u64::from(piece.offset + i), at);
        }
    }
}

/// Where the bytes of a value are, by offset; of one after an address, where the address is.
fn places(mode: &PassMode, base: u64, bytes: &mut BTreeMap<u64, At>) {
    match mode {
        PassMode::Ignore => {}
        PassMode::Direct(pieces) => note(pieces, base, bytes),
        PassMode::Indirect { pointer, .. } => {
            let mut inner = BTreeMap::new();
            note(&[*pointer], 0, &mut inner);
            bytes.insert(u64::MAX, format!("after {inner:?}"));
        }
        PassMode::Parts(_) => panic!("no value of C travels so"),
        PassMode::StackCopy { offset, size, .. } => {
            bytes.extend((0..*size).map(|i| (base + i, format!("stack {}", u64::from(*offset) + i))));
        }
        PassMode::InBlock { offset, size, indirect } => in_block(u64::from(*offset), *size, *indirect, bytes),
    }
}

/// A field of the argument block: that is the stack's arguments.
fn in_block(offset: u64, size: u64, indirect: bool, bytes: &mut BTreeMap<u64, At>) {
    let offset = offset as u32;
    let pointer = Piece { size: 4, place: Place::Stack { offset }, ..Piece::default() };
    let mode = match indirect {
        true => PassMode::Indirect { pointer, size, align: 1 },
        false => PassMode::StackCopy { offset, size, align: 1 },
    };
    places(&mode, 0, bytes);
}

fn lowered_argument(arg: &Lowered, size: u64, abi: &FnAbi) -> BTreeMap<u64, At> {
    let mut bytes = BTreeMap::new();
    match arg {
        Lowered::Ignore => {}
        Lowered::Direct { first, parts } | Lowered::Expand { first, parts, .. } => {
            for (i, part) in parts.iter().enumerate() {
                places(&abi.args[*first as usize + i].mode, part.offset, &mut bytes);
            }
        }
        Lowered::Indirect { param, by_val: true, .. } => places(&abi.args[*param as usize].mode, 0, &mut bytes),
        Lowered::Indirect { param, .. } => {
            let mut inner = BTreeMap::new();
            places(&abi.args[*param as usize].mode, 0, &mut inner);
            bytes.insert(
                u64::MAX,
                match inner.remove(&u64::MAX) {
                    Some(after) => after,
                    None => format!("after {inner:?}"),
                },
            );
        }
        Lowered::InAlloca(field) => in_block(field.offset, size, field.indirect, &mut bytes),
    }
    bytes
}

fn lowered_result(result: &LoweredResult, abi: &FnAbi) -> BTreeMap<u64, At> {
    match result {
        LoweredResult::Ignore => BTreeMap::new(),
        LoweredResult::Direct(parts) => {
            let mut bytes = BTreeMap::new();
            places(&abi.ret.mode, parts.first().map_or(0, |part| part.offset), &mut bytes);
            bytes
        }
        LoweredResult::Indirect { param } => {
            lowered_argument(&Lowered::Indirect { param: *param, by_val: false, align: 1 }, 0, abi)
        }
        LoweredResult::InAlloca(field) => {
            let mut bytes = BTreeMap::new();
            in_block(field.offset, 0, true, &mut bytes);
            bytes
        }
    }
}

/// The bytes of a value that have meaning, and where they are.
fn of_meaning(layout: &DataLayout, ty: &CType, mut bytes: BTreeMap<u64, At>) -> BTreeMap<u64, At> {
    if bytes.contains_key(&u64::MAX) || *ty == CType::Void {
        return bytes;
    }
    let mut mask = vec![0; layout.layout(ty).unwrap().size as usize];
    meaning(layout, ty, 0, &mut mask);
    bytes.retain(|offset, _| mask.get(*offset as usize).is_some_and(|bits| *bits != 0));
    bytes
}

fn c_type(param: &Param) -> &CType {
    match &param.ty {
        AbiType::C(ty) => ty,
        AbiType::Llvm(_) => unreachable!("the signature is C's"),
    }
}

/// What is different, if something is.
fn difference(target: &AbiTarget, signature: &Signature) -> Option<String> {
    let (Ok(abi), Ok(lowered)) = (classify(target, signature), to_llvm(target, signature)) else { return None };
    let llvm = match classify(target, &lowered.to_signature(target).unwrap()) {
        Ok(llvm) => llvm,
        Err(error) => return Some(format!("{}: {error}", lowered.declare("f"))),
    };
    let layout = DataLayout::new(target);
    let differ = |what: String, ours: BTreeMap<u64, At>, theirs: BTreeMap<u64, At>| {
        (ours != theirs).then(|| {
            let only = |a: &BTreeMap<u64, At>, b: &BTreeMap<u64, At>| {
                let different: Vec<_> = a.iter().filter(|(at, place)| b.get(at) != Some(place)).take(3).collect();
                format!("{different:?}")
            };
            format!("{}\n  {what}: C {} LLVM {}", lowered.declare("f"), only(&ours, &theirs), only(&theirs, &ours))
        })
    };
    for (i, param) in signature.params.iter().enumerate() {
        let ty = c_type(param);
        let mut ours = BTreeMap::new();
        places(&abi.args[i].mode, 0, &mut ours);
        let theirs = lowered_argument(&lowered.args[i], layout.layout(ty).unwrap().size, &llvm);
        let (ours, theirs) = (of_meaning(&layout, ty, ours), of_meaning(&layout, ty, theirs));
        if let Some(text) = differ(format!("argument {} {ty:?}", i + 1), ours, theirs) {
            return Some(text);
        }
    }
    let ty = c_type(&signature.ret);
    let mut ours = BTreeMap::new();
    places(&abi.ret.mode, 0, &mut ours);
    let theirs = lowered_result(&lowered.result, &llvm);
    let (ours, theirs) = (of_meaning(&layout, ty, ours), of_meaning(&layout, ty, theirs));
    if let Some(text) = differ(format!("result {ty:?}"), ours, theirs) {
        return Some(text);
    }
    // With an argument block, LLVM's function returns the address like any other result.
    let in_block = matches!(lowered.result, LoweredResult::InAlloca(_));
    let returns = |abi: &FnAbi| abi.sret_return_reg.filter(|_| !in_block);
    let facts = |abi: &FnAbi| (abi.callee_pop_bytes, abi.vector_count, returns(abi), abi.home_space);
    (facts(&abi) != facts(&llvm)).then(|| format!("{}: {:?} {:?}", lowered.declare("f"), facts(&abi), facts(&llvm)))
}

/// Whether some type inside is as `is` says.
fn holds(ty: &CType, is: &dyn Fn(&CType) -> bool) -> bool {
    is(ty)
        || match ty {
            CType::Array(array) => holds(array.element(), is),
            CType::Record(record) => record.fields().iter().any(|field| holds(&field.ty, is)),
            _ => false,
        }
}

/// A C record that has a C++ class in it: there is no such type.
fn is_impossible(ty: &CType) -> bool {
    let is_class = |ty: &CType| matches!(ty, CType::Record(inner) if inner.language() == Language::Cxx);
    matches!(ty, CType::Record(record) if record.language() == Language::C
        && record.fields().iter().any(|field| holds(&field.ty, &is_class)))
}

/// A record none of whose members holds a value.
fn is_empty(ty: &CType) -> bool {
    let empty = |field: &Field| match &field.ty {
        _ if field.bits.is_some() => !field.named,
        CType::Array(array) => array.is_empty() || is_empty(array.element()),
        ty => is_empty(ty),
    };
    matches!(ty, CType::Record(record) if record.fields().iter().all(empty))
}

/// What the two doors are known to do differently: clang and LLVM, which the second follows, against what the first follows. The
/// tables at the heads of the conventions name each case.
fn is_known(target: &AbiTarget, signature: &Signature) -> bool {
    let layout = DataLayout::new(target);
    let ms = signature.convention == Convention::Win64 || target.is_windows();
    let size = |ty: &CType| layout.layout(ty).map_or(0, |layout| layout.size);
    let record = |ty: &CType| matches!(ty, CType::Record(_));
    let is_f128 = |ty: &CType| *ty == CType::F128 || (*ty == CType::LONG_DOUBLE && size(ty) == 16);
    let class = |ty: &CType| matches!(ty, CType::Record(record) if record.language() == Language::Cxx);
    let types = || signature.params.iter().chain([&signature.ret]).map(c_type);
    let any = |is: &dyn Fn(&CType) -> bool| types().any(is);
    let variadic = signature.variadic.is_some();
    let ret = c_type(&signature.ret);
    let is_promoted = |ty: &CType| matches!(ty, CType::Scalar(Scalar::Float(_))) && size(ty) < 8;
    // C promotes such numbers on the way to `...`; LLVM refuses some.
    signature.params[signature.named()..].iter().map(c_type).any(is_promoted)
        || any(&|ty| holds(ty, &is_impossible))
        // MSVC has homogeneous classes as results of __vectorcall in registers, and vectors that methods return in memory.
        || target.env == Env::Msvc && signature.convention == Convention::Vectorcall && class(ret)
        || target.env == Env::Msvc && signature.modifiers.member == Member::Method && matches!(ret, CType::Vector { .. })
        || match target.arch {
            // Vectors of 8 bytes; empty structs in memory; long double in st0: by GCC and by clang.
            Arch::X86_64 if ms && signature.convention != Convention::SysV64 => {
                let gcc = matches!(target.env, Env::Gnu | Env::Cygnus);
                // clang passes homogeneous aggregates of __vectorcall in registers though they cannot be copied bitwise.
                let special = |ty: &CType| matches!(ty, CType::Record(record) if record.is_non_trivial());
                (signature.convention == Convention::Vectorcall && any(&special))
                    || gcc && any(&|ty| matches!(ty, CType::Vector { .. }) && size(ty) <= 8)
                    || gcc && (record(ret) && size(ret) == 0 || *ret == CType::LONG_DOUBLE)
            }
            // clang 19 takes some __bf16 and __float128 in records as integers; and its C++ ABI is Microsoft's.
            // There empty C records have bytes, which clang's search for floating-point members does not foresee.
            Arch::X86_64 => {
                let odd = |ty: &CType| is_f128(ty) || *ty == CType::BF16;
                any(&|ty| holds(ty, &|ty| matches!(ty, CType::Record(_)) && holds(ty, &odd)))
                    || (target.env == Env::Msvc && any(&|ty| holds(ty, &class) || holds(ty, &is_empty)))
            }
            // Variadic functions: what goes to general registers, what is split between x7 and the stack.
            Arch::Aarch64 if ms && variadic => {
                any(&|ty| matches!(ty, CType::Vector { .. }) || holds(ty, &is_f128) || !matches!(ty, CType::Scalar(_)))
            }
            // Apple has no such type.
            Arch::Aarch64 if target.os == Os::Darwin => any(&|ty| holds(ty, &is_f128)),
            // An empty class is one byte for clang, however large it is; on Windows classes differ in what is homogeneous.
            Arch::Aarch64 => {
                any(&|ty| class(ty) && is_empty(ty) && size(ty) > 8)
                    || (target.env == Env::Msvc && any(&|ty| holds(ty, &class)))
            }
            // GCC aligns __float128 to 16 on the stack, LLVM does not. With __vectorcall, clang takes small records apart, and
            // LLVM puts their floating-point members into vector registers.
            Arch::X86 => {
                let float = |ty: &CType| matches!(ty, CType::Scalar(Scalar::Float(_)) | CType::Complex(_));
                let mixed = |ty: &CType| matches!(ty, CType::Record(_)) && holds(ty, &float);
                any(&|ty| *ty == CType::F128) || (signature.convention == Convention::Vectorcall && any(&mixed))
            }
            Arch::Arm => false,
        }
}

#[test]
fn c_and_llvm_signatures_mean_the_same() {
    for (target, convention) in ROWS {
        let mut random = Random(0x0d00_2525);
        let mut compared = 0;
        for _ in 0..3_000 {
            let signature = random.signature().with_convention(*convention);
            if is_known(target, &signature) || classify(target, &signature).is_err() {
                continue;
            }
            compared += 1;
            if let Some(difference) = difference(target, &signature) {
                let types: Vec<_> = signature.params.iter().map(c_type).collect();
                panic!("{target:?} {convention:?}:\n{difference}\n{types:?}");
            }
        }
        assert!(compared > 400, "{target:?} {convention:?}: only {compared} signatures");
    }
}
