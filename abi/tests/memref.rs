//! MLIR's conventions for memrefs, against the examples of "LLVM IR Target" and "Built-in Function and MemRef Calling Convention",
//! and what mlir-opt 19 makes of the same.

use gusset_abi::memref::*;
use gusset_abi::*;

const X64: AbiTarget = AbiTarget::X86_64_LINUX;
const A64: AbiTarget = AbiTarget { arch: Arch::Aarch64, ..X64 };
const ARM: AbiTarget = AbiTarget { arch: Arch::Arm, ..X64 };
const X86: AbiTarget = AbiTarget { arch: Arch::X86, ..X64 };
const WIN64: AbiTarget = AbiTarget { os: Os::Windows, env: Env::Msvc, ..X64 };
const WIN32: AbiTarget = AbiTarget { arch: Arch::X86, ..WIN64 };
const ALL: [AbiTarget; 6] = [X64, A64, ARM, X86, WIN64, WIN32];

const F32: BuiltinType = BuiltinType::scalar(LlvmScalar::Float);
const F64: BuiltinType = BuiltinType::scalar(LlvmScalar::Double);
const I32: BuiltinType = BuiltinType::int(32);
const I64: BuiltinType = BuiltinType::int(64);

/// `memref<sizes x element>`, -1 being `?`.
fn memref<const R: usize>(sizes: [i64; R], element: BuiltinType) -> BuiltinType {
    BuiltinType::memref(Memref::identity(element, sizes.map(|n| u64::try_from(n).ok()).to_vec()))
}

fn vector<const R: usize>(shape: [u32; R], lane: LlvmScalar) -> BuiltinType {
    BuiltinType::Vector { lane: Lane::Llvm(lane), shape: shape.to_vec() }
}

fn complex(part: LlvmScalar) -> BuiltinType {
    BuiltinType::Complex(Lane::Llvm(part))
}

fn f<const A: usize, const R: usize>(args: [BuiltinType; A], results: [BuiltinType; R]) -> FunctionType {
    FunctionType { args: args.to_vec(), results: results.to_vec(), variadic: false }
}

fn converted(target: &AbiTarget, function: &FunctionType) -> String {
    TypeConverter::new(target).function(function, Pointers::Expanded).unwrap().to_string()
}

/// "LLVM IR Target", "Function Types": all ten examples, in the order there.
#[test]
fn function_types_of_the_document() {
    let varargs = FunctionType { variadic: true, ..f([I32], []) };
    let cases = [
        (f([], []), "void ()"),
        (f([I32], [I64]), "i64 (i32)"),
        (f([I32, F32], [I64]), "i64 (i32, float)"),
        (f([I32, F32], [I64, F64]), "{ i64, double } (i32, float)"),
        (f([BuiltinType::Function], [BuiltinType::Function]), "ptr (ptr)"),
        (f([memref([], F32)], []), "void (ptr, ptr, i64)"),
        (f([memref([], F32), F32], []), "void (ptr, ptr, i64, float)"),
        (f([memref([-1, -1], F32)], []), "void (ptr, ptr, i64, i64, i64, i64, i64)"),
        (f([BuiltinType::unranked(F32)], []), "void (i64, ptr)"),
        (f([], [memref([-1], F32)]), "{ ptr, ptr, i64, [1 x i64], [1 x i64] } ()"),
        (f([], [memref([], F32), memref([], F64)]), "{ { ptr, ptr, i64 }, { ptr, ptr, i64 } } ()"),
        (varargs, "void (i32, ...)"),
    ];
    for (function, expected) in cases {
        assert_eq!(converted(&X64, &function), expected);
        let on_32_bits =
            expected.replace("64", "32").replace("i32 (i32", "i64 (i32").replace("{ i32, double", "{ i64, double");
        assert_eq!(converted(&ARM, &function), on_32_bits);
    }
}

/// "LLVM IR Target", "Conversion of Built-in Types": what single types become.
#[test]
fn types_of_the_document() {
    let float8 = LlvmType::Vector { lane: LlvmScalar::Float, lanes: 8 };
    let cases = [
        (complex(LlvmScalar::Float), "{ float, float }"),
        (BuiltinType::INDEX, "i64"),
        (memref([], F32), "{ ptr, ptr, i64 }"),
        (memref([1], F32), "{ ptr, ptr, i64, [1 x i64], [1 x i64] }"),
        (memref([-1], F32), "{ ptr, ptr, i64, [1 x i64], [1 x i64] }"),
        (memref([10, 42, 42, 43, 123], F32), "{ ptr, ptr, i64, [5 x i64], [5 x i64] }"),
        (memref([10, -1, 42, -1, 123], F32), "{ ptr, ptr, i64, [5 x i64], [5 x i64] }"),
        (memref([1, -1], vector([4], LlvmScalar::Float)), "{ ptr, ptr, i64, [2 x i64], [2 x i64] }"),
        (memref([2], vector([4, 8], LlvmScalar::Float)), "{ ptr, ptr, i64, [1 x i64], [1 x i64] }"),
        (BuiltinType::unranked(F32), "{ i64, ptr }"),
        (vector([4, 8], LlvmScalar::Float), "[4 x <8 x float>]"),
        (vector([2, 3, 4], LlvmScalar::Float), "[2 x [3 x <4 x float>]]"),
        (vector([], LlvmScalar::Float), "<1 x float>"),
        (BuiltinType::Vector { lane: Lane::Index, shape: vec![2, 3] }, "[2 x <3 x i64>]"),
        (BuiltinType::Lane(Lane::Unsigned(16)), "i16"),
        (BuiltinType::Lane(Lane::Signed(8)), "i8"),
        (BuiltinType::Lane(Lane::Float8(Float8::E4M3Fn)), "i8"),
        (BuiltinType::Llvm(LlvmType::array(float8, 2)), "[2 x <8 x float>]"),
    ];
    let converter = TypeConverter::new(&X64);
    for (ty, expected) in cases {
        assert_eq!(converter.convert(&ty).unwrap().to_string(), expected);
    }
    for (bits, expected) in
        [(16, "{ ptr, ptr, i16, [2 x i16], [2 x i16] }"), (32, "{ ptr, ptr, i32, [2 x i32], [2 x i32] }")]
    {
        let narrow = TypeConverter::with_index_bits(&X64, bits).unwrap();
        assert_eq!(narrow.convert(&memref([-1, 4], F32)).unwrap().to_string(), expected);
    }
    assert!(TypeConverter::with_index_bits(&X64, 24).is_err());
    for (ty, error) in [
        (vector([4, 0], LlvmScalar::Float), "type: a vector of 0 lanes"),
        (vector([0, 4], LlvmScalar::Float), "type: a vector with a dimension of 0 lanes"),
        (BuiltinType::int(0), "type: i0 does not exist"),
    ] {
        assert_eq!(converter.convert(&ty).unwrap_err().to_string(), error);
    }
    assert!(converter.ranked(u32::MAX).is_err());
}

fn spelled(descriptor: Descriptor) -> String {
    let field = |field: DescriptorField| format!("{:?} {} at {}", field.part, LlvmType::from(field.ty), field.offset);
    let fields = descriptor.fields().map(field).collect::<Vec<_>>().join(", ");
    format!("{fields}; {} align {}", descriptor.layout().size, descriptor.layout().align)
}

#[test]
fn descriptors_name_their_fields_in_order() {
    let x64 = TypeConverter::new(&X64);
    let arm = TypeConverter::new(&ARM);
    assert_eq!(
        spelled(x64.ranked(2).unwrap()),
        "Allocated ptr at 0, Aligned ptr at 8, Offset i64 at 16, Size(0) i64 at 24, Size(1) i64 at 32, \
         Stride(0) i64 at 40, Stride(1) i64 at 48; 56 align 8"
    );
    assert_eq!(spelled(x64.ranked(0).unwrap()), "Allocated ptr at 0, Aligned ptr at 8, Offset i64 at 16; 24 align 8");
    assert_eq!(spelled(x64.unranked()), "Rank i64 at 0, Descriptor ptr at 8; 16 align 8");
    assert_eq!(
        spelled(arm.ranked(1).unwrap()),
        "Allocated ptr at 0, Aligned ptr at 4, Offset i32 at 8, Size(0) i32 at 12, Stride(0) i32 at 16; 20 align 4"
    );
    assert_eq!(spelled(arm.unranked()), "Rank i32 at 0, Descriptor ptr at 4; 8 align 4");
    // An index that is wider or narrower than a pointer.
    let wide = TypeConverter::with_index_bits(&ARM, 64).unwrap();
    assert_eq!(spelled(wide.unranked()), "Rank i64 at 0, Descriptor ptr at 8; 16 align 8");
    let narrow = TypeConverter::with_index_bits(&X64, 16).unwrap();
    assert_eq!(spelled(narrow.unranked()), "Rank i16 at 0, Descriptor ptr at 8; 16 align 8");
    assert_eq!(
        spelled(narrow.ranked(1).unwrap()),
        "Allocated ptr at 0, Aligned ptr at 8, Offset i16 at 16, Size(0) i16 at 18, Stride(0) i16 at 20; 24 align 8"
    );
}

/// On every target, with every width of `index`: LLVM's struct, C's record and the descriptor agree, and the copy after an
/// unranked memref (2 pointers and 1 + 2 * rank indices) is all of it.
#[test]
fn descriptors_are_what_c_and_llvm_make_of_them() {
    for target in ALL {
        let layout = DataLayout::new(&target);
        for bits in [8, 16, 32, 64] {
            let converter = TypeConverter::with_index_bits(&target, bits).unwrap();
            let descriptors = (0..6).map(|rank| converter.ranked(rank).unwrap()).chain([converter.unranked()]);
            for descriptor in descriptors {
                let LlvmType::Struct(llvm) = descriptor.ty(&layout).unwrap() else { panic!() };
                let memref = match descriptor.rank() {
                    Some(rank) => BuiltinType::memref(Memref::identity(F32, vec![None; rank as usize])),
                    None => BuiltinType::unranked(F32),
                };
                let CType::Record(c) = converter.c_type(&memref).unwrap() else { panic!() };
                let c = layout.record(&c).unwrap();
                assert_eq!((llvm.size, llvm.align), (c.size, c.align));
                assert_eq!((llvm.size, llvm.align), (descriptor.layout().size, descriptor.layout().align));
                assert_eq!(descriptor.fields().count() as u32, descriptor.len());
                let mut end = 0;
                for (number, field) in descriptor.fields().enumerate() {
                    let index = field.index as usize;
                    let within = u64::from(field.element.unwrap_or(0)) * u64::from(bits / 8);
                    assert_eq!(field.offset, llvm.fields[index].0 + within);
                    assert_eq!(field.offset, c.bit_offsets[index] / 8 + within);
                    assert_eq!(descriptor.number(field.part), Some(number as u32));
                    assert!(field.offset >= end, "fields overlap");
                    end = field.offset + layout.llvm_scalar(field.ty).unwrap().size;
                }
                let Some(rank) = descriptor.rank() else { continue };
                let size = descriptor.copy_size();
                let (pointer, index) = (u64::from(target.pointer_bytes()), u64::from(bits / 8));
                assert_eq!(size, CopySize { base: 2 * pointer + index, per_rank: 2 * index });
                assert_eq!(size.of(rank), end);
            }
        }
    }
}

#[test]
fn parameters_say_what_they_are_of() {
    let function = f([I32, memref([-1], F32), BuiltinType::unranked(F32)], []);
    let converted = TypeConverter::new(&X64).function(&function, Pointers::Expanded).unwrap();
    let parts: Vec<(u32, Part)> = converted.params.iter().map(|p| (p.arg, p.part)).collect();
    let expected = [
        (0, Part::Value),
        (1, Part::Allocated),
        (1, Part::Aligned),
        (1, Part::Offset),
        (1, Part::Size(0)),
        (1, Part::Stride(0)),
        (2, Part::Rank),
        (2, Part::Descriptor),
    ];
    assert_eq!(parts, expected);
    assert_eq!((0..3).map(|arg| converted.params_of(arg)).collect::<Vec<_>>(), [0..1, 1..6, 6..8]);
    let abi = classify(&X64, &converted.signature()).unwrap();
    assert_eq!(
        abi.to_string(),
        "r: -; a1: [0..4)@rdi; a2: [0..8)@rsi; a3: [0..8)@rdx; a4: [0..8)@rcx; a5: [0..8)@r8; a6: [0..8)@r9; \
         a7: [0..8)@sp+0; a8: [0..8)@sp+8; stack 16; pop 0"
    );
}

/// "Bare Pointer Calling Convention for Ranked MemRef".
#[test]
fn bare_pointers() {
    let bare = |args: &[BuiltinType], results: &[BuiltinType]| {
        let function = FunctionType { args: args.to_vec(), results: results.to_vec(), variadic: false };
        TypeConverter::new(&X64).function(&function, Pointers::Bare)
    };
    let strided = |strides: [Option<i64>; 2], offset| {
        let sizes = vec![Some(2), Some(4)];
        BuiltinType::memref(Memref::strided(F32, sizes, strides.to_vec(), offset).unwrap())
    };
    let callee = bare(&[memref([2, 4], F32)], &[]).unwrap();
    assert_eq!(callee.to_string(), "void (ptr)");
    assert_eq!(callee.params[0].part, Part::Aligned);
    let Form::Bare(inside) = &callee.args[0] else { panic!() };
    assert_eq!(inside.rank(), Some(2));
    // Not the default layout, as mlir-opt 19; several results are packed.
    let view = strided([Some(8), Some(1)], Some(3));
    assert_eq!(bare(&[view.clone(), I32], &[view, I32]).unwrap().to_string(), "{ ptr, i32 } (ptr, i32)");
    assert_eq!(bare(&[], &[memref([], F32)]).unwrap().to_string(), "ptr ()");
    let cannot = "cannot be a bare pointer";
    let cases = [
        (
            bare(&[I32, memref([2, -1], F32)], &[]),
            format!("argument 1: a memref of dynamic size in dimension 1 {cannot}"),
        ),
        (
            bare(&[strided([None, Some(1)], Some(0))], &[]),
            format!("argument 0: a memref of dynamic stride in dimension 0 {cannot}"),
        ),
        (bare(&[strided([Some(4), Some(1)], None)], &[]), format!("argument 0: a memref of dynamic offset {cannot}")),
        (bare(&[], &[memref([-1], F32)]), format!("result: a memref of dynamic size in dimension 0 {cannot}")),
        (bare(&[], &[I32, BuiltinType::unranked(F32)]), format!("result: number 1: an unranked memref {cannot}")),
    ];
    for (result, start) in cases {
        let error = result.unwrap_err().to_string();
        assert!(error.starts_with(&start), "{error}");
    }
    assert!(Memref::strided(F32, vec![None], vec![], None).is_err());
}

/// Row-major strides: the last is 1, others the product of the sizes after them as far as they are known.
#[test]
fn natural_strides() {
    let strides = |sizes: &[i64]| {
        let sizes = sizes.iter().map(|n| u64::try_from(*n).ok()).collect();
        Memref::identity(F32, sizes).strides().iter().map(|s| s.unwrap_or(-1)).collect::<Vec<_>>()
    };
    assert_eq!(strides(&[-1, -1, 4, 8]), [-1, 32, 8, 1]);
    assert_eq!(strides(&[4, -1, 8]), [-1, 8, 1]);
    assert_eq!(strides(&[]), [0; 0]);
    assert_eq!(strides(&[2, i64::MAX, 8]), [-1, 8, 1]);
}

fn wrapped(target: &AbiTarget, function: &FunctionType) -> String {
    let wrapper = TypeConverter::new(target).wrapper(function).unwrap();
    let params: Vec<String> = wrapper.params.iter().map(|p| format!("{:?} {}", p.source, p.ty)).collect();
    let stored = wrapper.stored.map_or(String::new(), |ty| format!(" stores {ty}"));
    format!("{} ({}){stored}", wrapper.ret, params.join(", "))
}

/// "C-compatible wrapper emission": the documents' functions, then what mlir-opt 19 makes of others.
#[test]
fn wrappers() {
    let matrix = memref([-1, -1], F32);
    assert_eq!(wrapper_name("qux"), "_mlir_ciface_qux");
    assert_eq!(wrapped(&X64, &f([matrix.clone()], [])), "void (Descriptor(0) ptr)");
    assert_eq!(
        wrapped(&X64, &f([matrix.clone()], [matrix.clone()])),
        "void (Result ptr, Descriptor(0) ptr) stores { ptr, ptr, i64, [2 x i64], [2 x i64] }"
    );
    let unranked = BuiltinType::unranked(F32);
    assert_eq!(
        wrapped(&X64, &f([memref([], F32), BuiltinType::int(8)], [I32, unranked.clone()])),
        "void (Result ptr, Descriptor(0) ptr, Argument(1) i8) stores { i32, { i64, ptr } }"
    );
    let float = LlvmScalar::Float;
    assert_eq!(
        wrapped(&X64, &f([complex(float), vector([2, 4], float), unranked, BuiltinType::INDEX], [complex(float)])),
        "void (Result ptr, Argument(0) { float, float }, Argument(1) [2 x <4 x float>], Descriptor(2) ptr, \
         Argument(3) i64) stores { float, float }"
    );
    // No struct: it is returned.
    assert_eq!(wrapped(&X64, &f([], [vector([2, 4], float)])), "[2 x <4 x float>] ()");
    assert_eq!(wrapped(&ARM, &f([matrix, BuiltinType::INDEX], [I32])), "i32 (Descriptor(0) ptr, Argument(1) i32)");
    let varargs = FunctionType { variadic: true, ..f([I32], [F64]) };
    assert_eq!(wrapped(&X64, &varargs), "double (Argument(0) i32, VaList ptr)");
}

#[test]
fn what_a_va_list_parameter_is() {
    for (target, by_address) in [(X64, true), (A64, true), (ARM, false), (X86, false), (WIN64, false)] {
        let abi = classify(&target, &Signature::c(CType::Void).param(CType::I32).ellipsis()).unwrap();
        assert_eq!(Wrapper::va_list_by_address(&abi), by_address, "{target:?}");
    }
}

/// What C passes: as clang 19 declares `void w(void *, _Complex float, v4f)` and the like.
#[test]
fn wrappers_as_c_has_them() {
    let float = LlvmScalar::Float;
    let function = f([complex(float), vector([4], float), memref([-1], F32), BuiltinType::int(8)], [complex(float)]);
    let declared = |target: &AbiTarget| {
        let signature = TypeConverter::new(target).c_interface(&function).unwrap();
        to_llvm(target, &signature).unwrap().declare("w").to_string()
    };
    assert_eq!(declared(&X64), "declare void @w(ptr, <2 x float>, <4 x float>, ptr, i8 signext)");
    assert_eq!(declared(&A64), "declare void @w(ptr, [2 x float] alignstack(8), <4 x float>, ptr, i8)");
    assert_eq!(declared(&WIN64), "declare void @w(ptr, i64, <4 x float>, ptr, i8)");
    let rows = f([vector([2, 4], float)], [vector([2, 4], float)]);
    let signature = TypeConverter::new(&X64).c_interface(&rows).unwrap();
    assert_eq!(
        to_llvm(&X64, &signature).unwrap().to_signature(&X64).and_then(|s| classify(&X64, &s)).unwrap().to_string(),
        "r: -; a1: [0..8)@rdi -> rax; a2: copy [0..32)@sp+0; stack 32; pop 0"
    );
}

/// Small integers are widened as C relies on it, where upstream leaves them as they are.
#[test]
fn wrappers_widen_small_integers_for_c() {
    let function = f([BuiltinType::int(8), BuiltinType::Lane(Lane::Unsigned(16)), I32], [BuiltinType::int(1)]);
    let wrapper = TypeConverter::new(&X64).wrapper(&function).unwrap();
    let widened: Vec<Widen> = wrapper.params.iter().map(|p| p.widen).collect();
    assert_eq!((widened, wrapper.ret_widen), (vec![Widen::Sign, Widen::Zero, Widen::None], Widen::Zero));
    let line = |signature| classify(&X64, &signature).unwrap().to_string();
    assert_eq!(
        line(wrapper.signature(true)),
        "r: [0..1)@rax zx1:8; a1: [0..1)@rdi sx8:32; a2: [0..2)@rsi zx16:32; a3: [0..4)@rdx; pop 0"
    );
    assert_eq!(line(wrapper.signature(false)), "r: [0..1)@rax; a1: [0..1)@rdi; a2: [0..2)@rsi; a3: [0..4)@rdx; pop 0");
}

/// Which functions C can call without wrapper: LLVM returns structs in a register for each field, C does not.
#[test]
fn what_c_cannot_call() {
    let says = |target: &AbiTarget, function: &FunctionType| {
        let converter = TypeConverter::new(target);
        match converter.function_in_c(function, Pointers::Expanded) {
            Ok(()) => "yes".to_string(),
            Err(error) => error.to_string(),
        }
    };
    let float = LlvmScalar::Float;
    let scalars = f([I32, F32, memref([-1, -1], F32), BuiltinType::INDEX], [F64]);
    for target in ALL {
        assert_eq!(says(&target, &scalars), "yes", "{target:?}");
    }
    let point = f([], [memref([], F32)]);
    assert_eq!(
        says(&X64, &point),
        "result: LLVM has byte 0 of it at byte 0 of rax, C in memory, whose address is in rdi"
    );
    assert_eq!(
        says(&A64, &point),
        "result: LLVM has byte 0 of it at byte 0 of x0, C in memory, whose address is in x8"
    );
    // Both in memory: LLVM has three registers for integers on x86-64, and eight on AArch64.
    let line = f([], [memref([-1], F32)]);
    assert_eq!(says(&X64, &line), "yes");
    assert_eq!(says(&A64, &line), "result: LLVM has byte 0 of it at byte 0 of x0, C in memory, whose address is in x8");
    let both = f([], [I32, I32]);
    assert_eq!(says(&X64, &both), "result: LLVM has byte 4 of it at byte 0 of rdx, C at byte 4 of rax");
    let apart = f([], [I64, I64]);
    assert_eq!(says(&X64, &apart), "yes");
    let number = f([complex(float)], []);
    assert_eq!(says(&X64, &number), "argument 0: LLVM has byte 4 of it at byte 0 of xmm1, C at byte 4 of xmm0");
    assert_eq!(says(&A64, &number), "yes");
    let rows = f([I32, vector([2, 4], float)], []);
    assert_eq!(says(&X64, &rows), "argument 1: LLVM has byte 0 of it at byte 0 of xmm0, C at the stack's byte 0");
    let flag = f([], [BuiltinType::int(1)]);
    assert_eq!(says(&X64, &flag), "result: C takes bits 1 to 7 for zero, LLVM leaves them as they are");
    assert_eq!(says(&A64, &flag), "yes");
    let byte = f([], [BuiltinType::int(8)]);
    assert_eq!(says(&ARM, &byte), "result: C takes bits 8 to 31 for copies of the sign, LLVM leaves them as they are");
    assert_eq!(says(&X64, &f([vector([3], float)], [])), "argument 0: C has no type for <3 x float>");
    // The argument is counted as the function's, not as LLVM's.
    let mixed = f([memref([-1], F32), complex(float)], []);
    assert!(says(&X64, &mixed).starts_with("argument 1: "));
    // Bare pointers are C's, results being single.
    let bare = f([memref([2, 4], F32)], [memref([2, 4], F32)]);
    assert_eq!(TypeConverter::new(&X64).function_in_c(&bare, Pointers::Bare), Ok(()));
}

#[test]
fn which_wrappers_c_cannot_call() {
    let float = LlvmScalar::Float;
    let matrix = memref([-1, -1], F32);
    let plain = f([matrix.clone(), I32, BuiltinType::int(1), BuiltinType::unranked(F32)], [matrix, I64]);
    let number = f([complex(float)], []);
    let result = f([], [complex(float), complex(LlvmScalar::Double)]);
    let flag = f([BuiltinType::int(8)], [BuiltinType::int(1)]);
    for target in ALL {
        let converter = TypeConverter::new(&target);
        for function in [&plain, &result, &flag] {
            assert_eq!(converter.wrapper_in_c(function), Ok(()), "{target:?}");
        }
    }
    let error = TypeConverter::new(&X64).wrapper_in_c(&number).unwrap_err();
    assert_eq!(error.subject(), Subject::Param(0));
    assert!(TypeConverter::new(&WIN64).wrapper_in_c(&number).is_err());
    assert!(TypeConverter::new(&A64).wrapper_in_c(&number).is_ok());
}

/// "C-compatible wrapper emission": the functions as C declares them, which compilers read in `tests/tests/mlir/memref_headers.rs`.
#[test]
fn headers() {
    let matrix = memref([-1, -1], F32);
    let (qux, foo) = (f([matrix.clone()], []), f([matrix.clone()], [matrix]));
    let (unranked, number) = (f([], [BuiltinType::unranked(F32)]), f([complex(LlvmScalar::Float)], []));
    let function = |name, ty, defined| HeaderFunction { name, ty, arg_names: &["input"], defined };
    let functions = [
        function("qux", &qux, false),
        function("foo", &foo, true),
        function("made", &unranked, true),
        function("number", &number, true),
    ];
    let header = Header {
        converter: TypeConverter::new(&X64),
        allocation: Allocation { generic: true, aligned: false },
        c_values: false,
        functions: &functions,
    };
    let text = header.to_string();
    for line in [
        " * - Buffers belong to whom the program says: no wrapper allocates or frees one. What a function has allocated",
        " *   and given back is freed by _mlir_memref_to_llvm_free(result->allocated), once, though several results may share it, and",
        "/* func.func private @qux(memref<?x?xf32>)",
        " * To be defined in C. */",
        "void _mlir_ciface_qux(memref_2d_f32 *input);",
        "void _mlir_ciface_foo(memref_2d_f32 *result, memref_2d_f32 *input);",
        " * result->descriptor is from malloc: free it. */",
        "void _mlir_ciface_made(unranked_memref *result);",
        " * C cannot call its wrapper: argument 0: LLVM has byte 4 of it at byte 0 of xmm1, C at byte 4 of xmm0. */",
    ] {
        assert!(text.lines().any(|other| other == line), "{line}\nis missing from\n{text}");
    }
    assert!(!text.contains("_mlir_ciface_number"));
    let as_c = Header { c_values: true, ..header }.to_string();
    assert!(as_c.contains("\nvoid _mlir_ciface_number(float _Complex input);\n"), "{as_c}");
}

/// Types as MLIR prints them.
#[test]
fn text() {
    let strided =
        |strides: [Option<i64>; 2], offset| Memref::strided(F32, vec![Some(2), None], strides.to_vec(), offset);
    let pair = DataLayout::new(&X64).llvm_struct([LlvmType::int(32), LlvmType::PTR], false).unwrap();
    for (ty, expected) in [
        (memref([-1, 4], F32), "memref<?x4xf32>"),
        (memref([], BuiltinType::INDEX), "memref<index>"),
        (BuiltinType::memref(strided([None, Some(1)], None).unwrap()), "memref<2x?xf32, strided<[?, 1], offset: ?>>"),
        (BuiltinType::memref(strided([Some(-8), Some(2)], Some(0)).unwrap()), "memref<2x?xf32, strided<[-8, 2]>>"),
        (BuiltinType::unranked(complex(LlvmScalar::Double)), "memref<*xcomplex<f64>>"),
        (vector([2, 8], LlvmScalar::BFloat), "vector<2x8xbf16>"),
        (BuiltinType::Lane(Lane::Unsigned(8)), "ui8"),
        (BuiltinType::Lane(Lane::Signed(8)), "si8"),
        (memref([-1], BuiltinType::Lane(Lane::Float8(Float8::E5M2FnUz))), "memref<?xf8E5M2FNUZ>"),
        (BuiltinType::Llvm(LlvmType::structure(pair)), "!llvm.struct<(i32, !llvm.ptr)>"),
    ] {
        assert_eq!(ty.to_string(), expected);
    }
    assert_eq!(f([I32], []).to_string(), "(i32)");
    assert_eq!(f([I32, F32], [I64]).to_string(), "(i32, f32) -> i64");
    assert_eq!(f([], [BuiltinType::Function]).to_string(), "() -> (() -> ())");
    assert_eq!(f([], [I32, F64]).to_string(), "() -> (i32, f64)");
}

/// "Generic allocation and deallocation functions".
#[test]
fn allocation() {
    let line = |target: &AbiTarget, signature: Signature| classify(target, &signature).unwrap().to_string();
    let x64 = TypeConverter::new(&X64);
    for (generic, names) in [
        (false, ["malloc", "aligned_alloc", "free"]),
        (true, ["_mlir_memref_to_llvm_alloc", "_mlir_memref_to_llvm_aligned_alloc", "_mlir_memref_to_llvm_free"]),
    ] {
        let allocation = Allocation { generic, aligned: false };
        let functions = [Allocator::Alloc, Allocator::AlignedAlloc, Allocator::Free];
        assert_eq!(functions.map(|function| allocation.name(function)), names);
        assert_eq!(allocation.allocator(), Allocator::Alloc);
        assert_eq!(Allocation { aligned: true, ..allocation }.allocator(), Allocator::AlignedAlloc);
    }
    assert_eq!(
        line(&X64, Allocator::AlignedAlloc.signature(&x64)),
        "r: [0..8)@rax; a1: [0..8)@rdi; a2: [0..8)@rsi; pop 0"
    );
    for target in ALL {
        let converter = TypeConverter::new(&target);
        for function in [Allocator::Alloc, Allocator::AlignedAlloc, Allocator::Free] {
            assert_eq!(line(&target, function.signature(&converter)), line(&target, function.c_signature(&converter)));
        }
    }
    let narrow = TypeConverter::with_index_bits(&X64, 32).unwrap();
    assert_eq!(line(&X64, Allocator::Alloc.signature(&narrow)), "r: [0..8)@rax; a1: [0..4)@rdi; pop 0");
    assert_eq!([1, 4, 16, 20, 64].map(Allocation::default_align), [16, 16, 16, 32, 64]);
}
