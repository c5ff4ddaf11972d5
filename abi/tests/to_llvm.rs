//! LLVM signatures of C signatures: each line as clang 19 prints it, and how the C values travel.

mod random;

use gusset_abi::*;

const LINUX: AbiTarget = AbiTarget::X86_64_LINUX;

fn target(triple: &str) -> AbiTarget {
    AbiTarget::from_triple(triple, AbiFeatures::default()).expect("a known target")
}

#[track_caller]
fn check(target: AbiTarget, signature: Signature, expected: &str) {
    let found = match to_llvm(&target, &signature) {
        Ok(lowered) => lowered.declare("f").to_string(),
        Err(error) => error.to_string(),
    };
    assert_eq!(found, expected);
}

/// `struct { float x, y; long long n; }`
fn mixed() -> CType {
    CType::structure([CType::F32, CType::F32, CType::I64])
}

/// `struct { int a[5]; }`
fn large() -> CType {
    CType::structure([CType::array(CType::I32, 5)])
}

/// A C++ class with a copy constructor of its own around an `int`.
fn special() -> CType {
    CType::record(Record::structure(vec![Field::new(CType::I32)]).cxx(Class::NON_TRIVIAL))
}

#[test]
fn the_same_prototype_on_many_targets() {
    // struct Mixed f(char, struct Mixed, struct Large, double, ...);
    let signature =
        || Signature::c(mixed()).param(CType::I8).param(mixed()).param(large()).param(CType::F64).ellipsis();
    let on = |triple: &str, expected: &str| check(target(triple), signature(), expected);
    on(
        "x86_64-unknown-linux-gnu",
        "declare { <2 x float>, i64 } @f(i8 signext, <2 x float>, i64, ptr byval({ [5 x i32] }) align 8, double, ...)",
    );
    on("x86_64-pc-windows-msvc", "declare void @f(ptr sret({ float, float, i64 }) align 8, i8, ptr, ptr, double, ...)");
    on("aarch64-unknown-linux-gnu", "declare [2 x i64] @f(i8, [2 x i64], ptr, double, ...)");
    on("aarch64-apple-darwin", "declare [2 x i64] @f(i8 signext, [2 x i64], ptr, double, ...)");
    on(
        "armv7-unknown-linux-gnueabihf",
        "declare void @f(ptr sret({ float, float, i64 }) align 8, i8 signext, [2 x i64], [5 x i32], double, ...)",
    );
    on(
        "thumbv7a-pc-windows-msvc",
        "declare arm_aapcs_vfpcc void @f(ptr sret({ float, float, i64 }) align 8, i8 signext, [2 x i64], [5 x i32], \
         double, ...)",
    );
    on(
        "i686-unknown-linux-gnu",
        "declare void @f(ptr sret({ float, float, i64 }) align 4, i8 signext, float, float, i64, \
         ptr byval({ [5 x i32] }) align 4, double, ...)",
    );
}

#[test]
fn conventions_have_keywords() {
    let two = || Signature::c(CType::I32).param(CType::I32).param(CType::structure([CType::F64, CType::F64]));
    let i686 = target("i686-pc-windows-msvc");
    check(
        i686,
        two().with_convention(Convention::Vectorcall),
        "declare x86_vectorcallcc i32 @f(i32 inreg, { double, double } inreg)",
    );
    check(
        i686,
        two().with_convention(Convention::Fastcall),
        "declare x86_fastcallcc i32 @f(i32 inreg, double, double)",
    );
    check(target("i686-unknown-linux-gnu"), two().regparm(3), "declare i32 @f(i32 inreg, double, double)");
    check(LINUX, two().with_convention(Convention::Win64), "declare win64cc i32 @f(i32, ptr)");
    check(LINUX, two().with_convention(Convention::Fast), "declare fastcc i32 @f(i32, double, double)");
    let arm = target("armv7-unknown-linux-gnueabi");
    check(arm, two().with_convention(Convention::AapcsVfp), "declare arm_aapcs_vfpcc i32 @f(i32, { double, double })");
}

#[test]
fn classes() {
    let method = |ret| Signature::c(ret).param(CType::PTR).param(special()).member(Member::Method);
    let plain = CType::record(Record::structure(vec![Field::new(CType::I32)]).cxx(Class::PLAIN));
    check(LINUX, method(special()), "declare void @f(ptr sret({ i32 }) align 4, ptr, ptr)");
    check(
        target("x86_64-pc-windows-msvc"),
        method(plain.clone()),
        "declare void @f(ptr, ptr sret({ i32 }) align 4, ptr)",
    );
    check(
        target("aarch64-pc-windows-msvc"),
        method(plain.clone()),
        "declare void @f(ptr, ptr inreg sret({ i32 }) align 4, ptr)",
    );
    let i686 = target("i686-pc-windows-msvc");
    check(i686, method(plain.clone()), "declare ptr @f(ptr inalloca(<{ ptr, ptr, { i32 } }>))");
    check(
        i686,
        method(plain).with_convention(Convention::Thiscall),
        "declare x86_thiscallcc ptr @f(ptr, ptr inalloca(<{ ptr, { i32 } }>))",
    );
    let constructor = Signature::c(CType::Void).param(CType::PTR).param(CType::I8).member(Member::Constructor);
    check(LINUX, constructor.clone(), "declare void @f(ptr, i8 signext)");
    check(target("armv7-unknown-linux-gnueabihf"), constructor, "declare ptr @f(ptr returned, i8 signext)");
}

#[test]
fn values_are_found_again() {
    let signature = Signature::c(mixed()).param(large()).param(CType::structure([])).param(mixed());
    let lowered = to_llvm(&LINUX, &signature).unwrap();
    let part = |offset, ty| IrPart { offset, ty };
    let floats = LlvmType::Vector { lane: LlvmScalar::Float, lanes: 2 };
    let parts = vec![part(0, floats), part(8, LlvmType::int(64))];
    assert_eq!(lowered.result, LoweredResult::Direct(parts.clone()));
    let expected =
        [Lowered::Indirect { param: 0, by_val: true, align: 8 }, Lowered::Ignore, Lowered::Direct { first: 1, parts }];
    assert_eq!(lowered.args, expected);
}

#[test]
fn fields_of_the_argument_block() {
    let signature = Signature::c(CType::Void).param(CType::I8).param(special()).param(mixed()).param(large());
    let lowered = to_llvm(&target("i686-pc-windows-msvc"), &signature).unwrap();
    assert_eq!(
        lowered.declare("f").to_string(),
        "declare void @f(ptr inalloca(<{ i8, [3 x i8], { i32 }, { float, float, i64 }, { [5 x i32] } }>))"
    );
    let fields = lowered.args.iter().map(|arg| match arg {
        Lowered::InAlloca(field) => (field.index, field.offset, field.indirect),
        other => panic!("{other:?}"),
    });
    assert_eq!(fields.collect::<Vec<_>>(), [(0, 0, false), (2, 4, false), (3, 8, false), (4, 24, false)]);
}

#[test]
fn unnamed_arguments() {
    let signature = Signature::c(CType::Void).param(CType::I32).param(special()).ellipsis().param(CType::F64);
    let i686 = target("i686-pc-windows-msvc");
    // At the call the block has the unnamed arguments, too.
    check(i686, signature.clone(), "declare void @f(ptr inalloca(<{ i32, { i32 }, double }>), ...)");
    let lowered = to_llvm(&LINUX, &signature).unwrap();
    assert_eq!(lowered.declare("f").to_string(), "declare void @f(i32, ptr, ...)");
    assert_eq!((lowered.variadic, lowered.params[2].to_string()), (Some(2), "double".into()));
}

#[test]
fn padding_takes_a_register() {
    // MinGW: a struct consumes a register of fastcall without being in it.
    let small = CType::structure([CType::I32]);
    let signature = Signature::c(CType::Void).param(small).param(CType::I32).with_convention(Convention::Fastcall);
    let lowered = to_llvm(&target("i686-pc-windows-gnu"), &signature).unwrap();
    assert_eq!(lowered.declare("f").to_string(), "declare x86_fastcallcc void @f(i32 inreg, i32, i32 inreg)");
    let parts = vec![IrPart { offset: 0, ty: LlvmType::int(32) }];
    assert_eq!(lowered.args[0], Lowered::Expand { first: 1, padding: Some(0), parts });
}

#[test]
fn records_by_name() {
    let inner = mixed();
    let outer = CType::structure([inner.clone(), CType::array(inner.clone(), 2), CType::BOOL]);
    let name = |record: &Record| match &outer {
        CType::Record(known) if **known == *record => Some("struct.Outer".to_string()),
        _ => Some("struct.in er".to_string()),
    };
    let lowered = to_llvm(&LINUX, &Signature::c(CType::Void).param(outer.clone())).unwrap();
    assert_eq!(
        lowered.declare("1f").naming(&name).to_string(),
        "%\"struct.in er\" = type { float, float, i64 }\n\
         %struct.Outer = type { %\"struct.in er\", [2 x %\"struct.in er\"], i8 }\n\n\
         declare void @\"1f\"(ptr byval(%struct.Outer) align 8)"
    );
}

#[test]
fn bit_fields_become_integers() {
    let int = |bits| Field::bit_field(CType::I32, bits);
    let bits = || Record::structure(vec![int(3), int(7), Field::new(CType::I8), int(20), Field::new(CType::I64)]);
    let five = |record: Record| CType::structure([CType::record(record), CType::array(CType::I64, 4)]);
    let signature = |record: Record| Signature::c(CType::Void).param(five(record));
    check(LINUX, signature(bits()), "declare void @f(ptr byval({ { i16, i8, i32, i64 }, [4 x i64] }) align 8)");
    check(
        LINUX,
        signature(bits().packed()),
        "declare void @f(ptr byval({ <{ i16, i8, [3 x i8], i64 }>, [4 x i64] }) align 8)",
    );
    check(
        target("i686-pc-windows-msvc"),
        signature(bits()),
        "declare void @f(ptr byval({ { i32, i8, i32, i64 }, [4 x i64] }) align 4)",
    );
}

#[test]
fn errors_name_the_argument() {
    let c = Signature::c(CType::Void);
    check(LINUX, c.clone().param(CType::I32).param(CType::Void), "argument 1: void is not a value");
    check(LINUX, c.clone().param(LlvmType::PTR), "argument 0: the type is LLVM's already");
    check(LINUX, Signature::c(LlvmType::PTR), "result: the type is LLVM's already");
    check(LINUX, Signature::c(CType::array(CType::I32, 2)), "result: an array is not passed by value; pass a pointer");
    check(
        target("i686-unknown-linux-gnu"),
        c.clone().param(CType::I128),
        "argument 0: the target has no integer type of 128 bits",
    );
    check(LINUX, c.clone().regparm(2), "signature: `regparm` takes up to 3 registers, of 32-bit x86");
    check(
        LINUX,
        c.clone().with_convention(Convention::Swift),
        "signature: clang lowers C types for Swift's conventions by rules of their own, which are not supported",
    );
    let mut nested = CType::structure([CType::I8]);
    for _ in 0..300 {
        nested = CType::structure([nested]);
    }
    check(LINUX, c.param(nested), "argument 0: the record is nested too deeply or has too many members");
}

/// Every target with every convention, and members of classes: an answer or an error, and what is answered is consistent.
#[test]
fn nothing_panics() {
    use Convention::*;
    const CONVENTIONS: [Convention; 19] = [
        C,
        SysV64,
        Fast,
        Cold,
        Tail,
        PreserveMost,
        PreserveAll,
        PreserveNone,
        Win64,
        Stdcall,
        Fastcall,
        Thiscall,
        Vectorcall,
        VectorPcs,
        AapcsBase,
        AapcsVfp,
        Apcs,
        Swift,
        Ghc,
    ];
    let mut random = random::Random(0x0bad_cafe);
    let mut answers = 0;
    for arch in [Arch::X86, Arch::X86_64, Arch::Aarch64, Arch::Arm] {
        for os in [Os::Linux, Os::Bsd, Os::NetBsd, Os::Darwin, Os::Windows, Os::None] {
            for env in [Env::Gnu, Env::Msvc] {
                for _ in 0..60 {
                    let vector_bytes = 16 << random.below(3);
                    let features = AbiFeatures { vector_bytes, ..AbiFeatures::default() };
                    let target = AbiTarget { arch, os, env, features, ..AbiTarget::X86_64_LINUX };
                    let convention = CONVENTIONS[random.below(CONVENTIONS.len() as u64) as usize];
                    let mut signature = random.signature().with_convention(convention);
                    signature.modifiers.regparm = random.below(4) as u8;
                    if random.below(3) == 0 {
                        signature.params.insert(0, CType::PTR.into());
                        signature.variadic = signature.variadic.map(|named| named + 1);
                        signature.modifiers.member =
                            [Member::Method, Member::Constructor, Member::Destructor][random.below(3) as usize];
                    }
                    answers += usize::from(check_answer(&target, &signature));
                }
            }
        }
    }
    assert!(answers > 350, "only {answers} answers");
}

/// Whether there is an answer; each IR parameter is then that of one argument.
fn check_answer(target: &AbiTarget, signature: &Signature) -> bool {
    let Ok(lowered) = to_llvm(target, signature) else { return false };
    let mut uses = vec![0; lowered.params.len()];
    let mut used = |first: u32, count: usize| uses[first as usize..][..count].iter_mut().for_each(|n| *n += 1);
    for arg in &lowered.args {
        match arg {
            Lowered::Ignore | Lowered::InAlloca(_) => {}
            Lowered::Direct { first, parts } => used(*first, parts.len()),
            Lowered::Indirect { param, .. } => used(*param, 1),
            Lowered::Expand { first, padding, parts } => {
                used(*first, parts.len());
                padding.iter().for_each(|padding| used(*padding, 1));
            }
        }
    }
    if let LoweredResult::Indirect { param } = lowered.result {
        used(param, 1);
    }
    let blocks = lowered.params.iter().filter(|param| matches!(param.attrs.role, IrRole::InAlloca(_))).count();
    assert_eq!(uses.iter().filter(|n| **n == 0).count(), blocks, "{}", lowered.declare("f"));
    assert!(uses.iter().all(|n| *n <= 1) && blocks <= 1, "{}", lowered.declare("f"));
    assert_eq!(lowered.args.len(), signature.params.len());
    lowered.to_signature(target).expect("no aggregate is that large");
    true
}
