//! Finished objects are the images that they are made of: both are linked to the same bytes, for every machine.
#![cfg(not(gusset_compiled_elsewhere))]

use gusset_codegen::object::{ImageSectionKind, ImageSymbol};
use gusset_compiler::{Emit, Features, Options, Relocation, Source, Target, compile_llvm, targets};
use gusset_memory::{Addresses, Layout, ObjectImage, Resolved, read_object};

/// Accesses of every width, at the start of a variable and within it, and calls of functions here and elsewhere.
fn text() -> String {
    let mut text = String::from(
        "declare void @elsewhere()\ndefine void @calls() {\n call void @elsewhere()\n call void @calls()\n ret void\n}\n",
    );
    for (n, ty) in ["i8", "i16", "i32", "i64", "float", "double", "<4 x i32>", "<2 x i64>"].iter().enumerate() {
        text += &format!(
            "@v{n} = external dso_local global [4 x {ty}], align 16\n\
             define void @copy{n}() {{\n %a = load {ty}, ptr getelementptr ([4 x {ty}], ptr @v{n}, i32 0, i32 1)\n\
             store {ty} %a, ptr @v{n}\n ret void\n}}\n"
        );
    }
    text
}

/// The code at an address that is near the variables and far from the function.
fn linked(image: &ObjectImage, triple: &str) -> Vec<u8> {
    let at = Addresses { fixed: 0x1000_0000, written: 0x1080_0000, image: 0x1000_0000, thread_local: [0; 2] };
    let find = |symbol: &ImageSymbol| {
        let address = match symbol.name.trim_start_matches('_') {
            "elsewhere" if triple.starts_with("thumbv7") && triple.contains("windows") => 0x1000_8000,
            "elsewhere" => 0x6000_0000,
            name => 0x1008_0000 + 0x1230 * name.strip_prefix('v')?.parse::<u64>().ok()?,
        };
        symbol.place.is_none().then_some(Resolved::Address(address))
    };
    let layout = Layout::new(image, find, |_| false).unwrap_or_else(|e| panic!("{e}"));
    let (fixed, _) = layout.link(&at).unwrap_or_else(|e| panic!("{triple}: {e}"));
    let code = layout.extent(|kind| kind == ImageSectionKind::Code).unwrap();
    fixed[code.offset as usize..(code.offset + code.size) as usize].to_vec()
}

#[test]
fn objects_are_linked_like_images() {
    let text = text();
    for known in targets() {
        let target = Target::from_triple(known.triple, &Features::default()).unwrap();
        // No process here runs big-endian code.
        if target.abi().endian.is_big() {
            continue;
        }
        let compile = |emit| {
            let source = Source { name: "test.ll", text: text.as_bytes() };
            let options = Options::new().emit(emit).relocation(Relocation::Pic);
            compile_llvm(source, &target, &options, &mut |_| {}).unwrap_or_else(|e| panic!("{}: {e}", known.triple))
        };
        let image = compile(Emit::Image).image.unwrap();
        let object = compile(Emit::Object).bytes.into_vec().unwrap();
        let read = read_object(target.object_format(), &object).unwrap_or_else(|e| panic!("{}: {e}", known.triple));
        assert_eq!(linked(&image, known.triple), linked(&read, known.triple), "{}", known.triple);
    }
}
