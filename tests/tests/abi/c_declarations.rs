//! C declarations as `gusset-c` reads them, against clang on every kind of target: which are accepted, sizes, alignments, offsets,
//! and the signs of integers.

use std::fmt::Write as _;

use gusset_abi::{AbiFeatures, AbiTarget, CType, DataLayout, Language, Scalar};
use gusset_c::{Prototype, Typed};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, clang, gcc, limited, root, run, succeed, work_folder};

const TARGETS: [&str; 11] = [
    "x86_64-unknown-linux-gnu",
    "i686-unknown-linux-gnu",
    "i686-unknown-freebsd",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "i686-pc-windows-msvc",
    "x86_64-pc-windows-gnu",
    "aarch64-unknown-linux-gnu",
    "aarch64-apple-darwin",
    "aarch64-pc-windows-msvc",
    "armv7-unknown-linux-gnueabihf",
];

/// The names that the crate knows without headers, for clang.
const NAMES: &str =
    "typedef __SIZE_TYPE__ size_t; typedef __PTRDIFF_TYPE__ ptrdiff_t; typedef __INTPTR_TYPE__ intptr_t;
typedef unsigned char uint8_t; typedef short int16_t; typedef unsigned uint32_t; typedef __INT64_TYPE__ int64_t;
typedef __WCHAR_TYPE__ wchar_t; typedef __INTMAX_TYPE__ intmax_t; typedef __builtin_va_list va_list;
";

/// Whether clang accepts a text, and what it says.
fn judged(target: &str, name: &str, text: &str) -> Result<(bool, String), Failure> {
    let folder = work_folder("c_declarations");
    let file = folder.join(format!("{target}-{name}.c"));
    std::fs::write(&file, text)?;
    let options = ["-fsyntax-only", "-std=gnu23", "-w", "-fdeclspec", "-fms-extensions", "-target", target];
    // `_Float16` needs it.
    let sse = target.starts_with("i686").then_some("-msse2");
    let outcome = run(limited(60, clang()).args(options).args(sse).arg(&file))?;
    Ok((outcome.code == 0, outcome.errors()))
}

/// Assertions in C that a type is as it was read.
fn assertions(out: &mut String, data: &DataLayout, ty: &Typed) {
    let layout = match &ty.ctype {
        CType::Void => return,
        ctype => data.layout(ctype).unwrap(),
    };
    let name = &ty.spelling;
    // An anonymous type cannot be named again; some `va_list` are arrays, which parameters are not.
    if name.contains('{') || name == "va_list" {
        return;
    }
    let _ = writeln!(out, "_Static_assert(sizeof({name}) == {}, \"size of {name}\");", layout.size);
    let _ = writeln!(out, "_Static_assert(_Alignof({name}) == {}, \"alignment of {name}\");", layout.align);
    if let CType::Scalar(Scalar::Int { signed, .. }) = ty.ctype {
        let _ = writeln!(out, "_Static_assert((({name})-1 < 0) == {}, \"sign of {name}\");", u8::from(signed));
    }
    if !matches!(ty.ctype, CType::Record(_)) {
        return;
    }
    for leaf in &ty.leaves {
        let part_of_complex = leaf.path.ends_with(".re") || leaf.path.ends_with(".im");
        if leaf.bit_offset % 8 != 0 || part_of_complex || leaf.bits % 8 != 0 {
            continue;
        }
        let offset = leaf.bit_offset / 8;
        // A bit-field of whole bytes has no offset in C: its neighbours tell where it is.
        let is_field = leaf.spelling != "va_list" && !is_bit_field(&leaf.path, name);
        if is_field {
            let path = &leaf.path;
            let _ = writeln!(out, "_Static_assert(__builtin_offsetof({name}, {path}) == {offset}, \"{name}.{path}\");");
        }
    }
}

/// The few bit-fields of the corpus that have whole bytes.
fn is_bit_field(path: &str, record: &str) -> bool {
    matches!((record, path), ("struct a5", "e") | ("struct e5", "c"))
}

fn check(triple: &str, blocks: &[&str]) -> Result<String, Failure> {
    let target = AbiTarget::from_triple(triple, AbiFeatures::default()).unwrap();
    let data = DataLayout::new(&target);
    let mut accepted = NAMES.to_string();
    let mut problems = String::new();
    let mut number = 0;
    for block in blocks {
        number += 1;
        match gusset_c::prototypes(block, &target) {
            // GCC has the type where clang has not.
            Ok(_) if block.contains("__float128") && !judged(triple, "float128", block)?.0 => {}
            Ok(prototypes) => {
                accepted += block;
                accepted.push('\n');
                for Prototype { params, ret, .. } in &prototypes {
                    for ty in params.iter().map(|param| &param.ty).chain([ret]) {
                        assertions(&mut accepted, &data, ty);
                    }
                }
            }
            Err(error) => {
                let (fine, _) = judged(triple, &format!("block{number}"), &format!("{NAMES}{block}"))?;
                if fine {
                    let _ = writeln!(problems, "{triple}: clang accepts what is refused: {error}");
                }
            }
        }
    }
    let (fine, said) = judged(triple, "all", &accepted)?;
    if !fine {
        let said: Vec<&str> = said.lines().filter(|line| line.contains("error:")).take(8).collect();
        let _ = writeln!(problems, "{triple}: {}", said.join("\n  "));
    }
    Ok(problems)
}

#[test]
fn declarations_are_as_by_clang() {
    let corpus = std::fs::read_to_string(root().join("tests/data/declarations.h")).unwrap();
    let blocks: Vec<&str> = corpus.split("\n\n").collect();
    assert!(blocks.len() > 40);
    let found = parallel::map(TARGETS.len(), |i| check(TARGETS[i], &blocks));
    let problems: String =
        found.into_iter().map(|result| result.unwrap_or_else(|failure| failure.to_string())).collect();
    assert!(problems.is_empty(), "{problems}");
}

/// Headers as they come, by each preprocessor: every function in them has an ABI.
#[test]
fn system_headers_are_read() -> Result<(), Failure> {
    let headers = ["stdio.h", "stdlib.h", "math.h", "complex.h", "pthread.h", "sys/socket.h", "immintrin.h"];
    let compilers = [clang(), gcc()];
    let folder = work_folder("c_declarations");
    let read = |i: usize| -> Result<usize, Failure> {
        let (header, compiler) = (headers[i / compilers.len()], &compilers[i % compilers.len()]);
        let file = folder.join(format!("header{i}.c"));
        std::fs::write(&file, format!("#include <{header}>\n"))?;
        let text = succeed(limited(60, compiler).args(["-E"]).arg(&file))?.text();
        let features = AbiFeatures { vector_bytes: 64, ..AbiFeatures::default() };
        let target = AbiTarget::from_triple("x86_64-unknown-linux-gnu", features).unwrap();
        let place = |error: gusset_c::ReadError| Failure::new(format!("{header} by {compiler}: {error}"));
        let prototypes = gusset_c::prototypes(&text, &target).map_err(place)?;
        for prototype in &prototypes {
            let classified = gusset_abi::classify(&target, &prototype.signature);
            classified.map_err(|error| place(prototype.locate(&text, &error)))?;
        }
        Ok(prototypes.len())
    };
    let counts = parallel::map(headers.len() * compilers.len(), read).into_iter().collect::<Result<Vec<usize>, _>>()?;
    assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
    Ok(())
}

#[test]
fn attributes_say_what_a_class_is() {
    let target = AbiTarget::X86_64_LINUX;
    let record = |attributes: &str| {
        let source = format!("struct {attributes} S {{ }}; void f(struct S);");
        let prototype = gusset_c::prototype(&source, &target, None).unwrap();
        match &prototype.params[0].ty.ctype {
            CType::Record(record) => record.as_ref().clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(record("").language(), Language::C);
    assert_eq!(record("__attribute__((cxx_class))").language(), Language::Cxx);
    assert!(record("__attribute__((cxx_nontrivial))").is_non_trivial());
    assert!(!record("__attribute__((cxx_nonaggregate))").is_non_trivial());
}
