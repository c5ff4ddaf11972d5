//! Chapter 12: Windows and 32-bit targets. One front end, objects for each of them.

use gusset::abi::{CType, Signature};
use gusset::ir::Type;
use gusset::{BuilderOptions, Features, Linkage, ObjectBuilder, Target};

use super::Result;

const TRIPLES: [&str; 7] = [
    "x86_64-unknown-linux-gnu",
    "i686-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "armv7-unknown-linux-gnueabihf",
    "x86_64-pc-windows-msvc",
    "i686-pc-windows-msvc",
    "aarch64-pc-windows-msvc",
];

/// A struct as a header of C has it, whose layout differs from target to target.
const ENTRY: &str = "struct entry { char kind; long long when; long size; void *next; };";

pub fn run() -> Result {
    println!("pointer long entry size next");
    for triple in TRIPLES {
        let target = Target::from_triple(triple, &Features::default())?;
        let object = build(&target)?;
        let entry = object.c_type(ENTRY, None)?;
        let fields = object.offsets(&entry)?;
        let (pointer, long) = (object.layout(&CType::PTR)?.size, object.layout(&object.c_types().long)?.size);
        let size = object.layout(&entry)?.size;
        let bytes = object.finish()?;
        let format = if bytes.starts_with(b"\x7fELF") { "ELF" } else { "COFF" };
        println!("{pointer:7} {long:4} {size:5} {:4} {:4} {format:4} {triple}", fields[2], fields[3]);
    }
    Ok(())
}

fn build(target: &Target) -> Result<ObjectBuilder<'_>> {
    let mut object = ObjectBuilder::new(target, &BuilderOptions::new());
    let entry = object.c_type(ENTRY, None)?;
    let fields = object.offsets(&entry)?;
    let long = object.c_types().long;
    let long_type = Type::int(object.layout(&long)?.size as u32 * 8).ok_or("an integer type")?;

    // fn total(entry: &Entry) -> long { sum of `size` along the list }
    let total = object.declare("total", Signature::c(long).param(CType::PTR), Linkage::Export)?;
    object.define(total, |b| {
        let pointer = b.ptr_type();
        let (sum, at) = (b.declare_var(long_type), b.declare_var(pointer));
        let (first, zero) = (b.param(0), b.zero(long_type));
        b.def_var(sum, zero);
        b.def_var(at, first);
        let (head, inside, end) = (b.create_block(), b.create_block(), b.create_block());
        b.jump(head, &[]);
        b.switch_to(head);
        let (now, null) = (b.use_var(at), b.ptr_const(0));
        let more = b.icmp(gusset::ir::IntCc::Ne, now, null);
        b.br(more, inside, &[], end, &[]);
        b.seal(inside);
        b.seal(end);
        b.switch_to(inside);
        let (so_far, size) = (b.use_var(sum), b.load(long_type, now, fields[2]));
        let so_far = b.iadd(so_far, size);
        b.def_var(sum, so_far);
        let next = b.load_pointer(now, fields[3]);
        b.def_var(at, next);
        b.jump(head, &[]);
        b.seal(head);
        b.switch_to(end);
        let result = b.use_var(sum);
        b.ret(Some(result));
    })?;

    // Windows calls this function back. On 32 bits its convention is another one than C's.
    if target.triple().contains("windows") {
        let signature = object.c_signature("int __stdcall on_message(void *window, unsigned message);")?;
        let on_message = object.declare("on_message", signature, Linkage::Export)?;
        object.define(on_message, |b| {
            let message = b.param(1);
            b.ret(Some(message));
        })?;
    }
    Ok(object)
}
