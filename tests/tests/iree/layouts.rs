//! Where values stand in what modules share with IREE's runtime: a C compiler has the same offsets on every target, of the blocks of
//! arguments and results, and of the runtime's structures, which are declared anew in `layouts/structures.h`.

use std::fmt::Write;

use fastrand::Rng;
use gusset_abi::{AbiFeatures, AbiTarget};
use gusset_iree::{Block, Letter, host};
use gusset_tests::tools::{Failure, clang, limited, root, succeed, work_folder};

/// Of either width, and of both rules for eight bytes on i386.
const TARGETS: [&str; 7] = [
    "x86_64-unknown-linux-gnu",
    "i686-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "armv7-unknown-linux-gnueabihf",
    "x86_64-w64-windows-gnu",
    "i686-w64-windows-gnu",
    "aarch64-pc-windows-msvc",
];

/// Appends what C has to say of a structure: its size, its alignment if that is known, and its fields' offsets.
fn assert_layout(text: &mut String, name: &str, size: u32, align: Option<u32>, fields: &[(String, i32)]) {
    let mut claim = |what: String| {
        let _ = writeln!(text, "_Static_assert({what}, \"{what}\");");
    };
    claim(format!("sizeof(struct {name}) == {size}"));
    if let Some(align) = align {
        claim(format!("_Alignof(struct {name}) == {align}"));
    }
    for (field, offset) in fields {
        claim(format!("offsetof(struct {name}, {field}) == {offset}"));
    }
}

/// Has clang look at a text for a target.
fn check(name: &str, triple: &str, text: &str) -> Result<(), Failure> {
    let file = work_folder("iree-layouts").join(format!("{name}-{triple}.c"));
    std::fs::write(&file, text)?;
    let mut command = limited(60, clang());
    command.args(["-std=c11", "-fsyntax-only", "-ffreestanding", "-target", triple]).arg(&file);
    succeed(&mut command).map(drop)
}

fn target(triple: &str) -> Result<AbiTarget, Failure> {
    AbiTarget::from_triple(triple, AbiFeatures::default()).map_err(|e| Failure::new(e.to_string()))
}

/// Random blocks, short and long.
#[test]
fn blocks() -> Result<(), Failure> {
    let rng = &mut Rng::with_seed(13);
    let all = [Letter::I32, Letter::I64, Letter::F32, Letter::F64, Letter::Ref];
    let blocks: Vec<Vec<Letter>> =
        (0..200).map(|i| (0..1 + i % 12).map(|_| all[rng.usize(..all.len())]).collect()).collect();
    for triple in TARGETS {
        let target = target(triple)?;
        let head = "#include <stddef.h>\n#include <stdint.h>\nstruct reference { void *object; uintptr_t type; };\n";
        let mut text = head.to_string();
        for (number, letters) in blocks.iter().enumerate() {
            let block = Block::new(letters, &target).map_err(|e| Failure::new(e.to_string()))?;
            let _ = write!(text, "struct block{number} {{");
            for (i, letter) in letters.iter().enumerate() {
                let ty = match letter {
                    Letter::I32 => "int32_t",
                    Letter::I64 => "int64_t",
                    Letter::F32 => "float",
                    Letter::F64 => "double",
                    Letter::Ref => "struct reference",
                };
                let _ = write!(text, " {ty} v{i};");
            }
            text += " };\n";
            let fields: Vec<(String, i32)> =
                block.offsets.iter().enumerate().map(|(i, &offset)| (format!("v{i}"), offset as i32)).collect();
            assert_eq!(fields.len(), letters.len());
            assert_layout(&mut text, &format!("block{number}"), block.size, Some(block.align), &fields);
        }
        check("blocks", triple, &text)?;
    }
    Ok(())
}

/// The structures that a module and its host have in common.
#[test]
fn structures() -> Result<(), Failure> {
    let declarations = std::fs::read_to_string(root().join("tests/tests/iree/layouts/structures.h"))?;
    for triple in TARGETS {
        let target = target(triple)?;
        let mut text = declarations.clone();
        macro_rules! all {
            ($($name:ident)+) => {
                $({
                    let layout = host::$name::new(&target).map_err(|e| Failure::new(e.to_string()))?;
                    let fields: Vec<_> = layout.fields().into_iter().map(|(f, at)| (f.to_string(), at)).collect();
                    assert_layout(&mut text, stringify!($name), layout.size, None, &fields);
                })+
            };
        }
        all!(View Pair Allocator Reference Descriptor FunctionRef ModuleSignature Dependency Call Interface Status Stack
             Memory List Variant BufferTable Buffer);
        check("structures", triple, &text)?;
    }
    // A wrong offset is seen.
    let mut text = declarations;
    assert_layout(&mut text, "View", 16, Some(8), &[("len".into(), 4)]);
    assert!(check("wrong", TARGETS[0], &text).is_err());
    Ok(())
}
