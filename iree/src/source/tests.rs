//! Entries of MLIR's functions: records from types, attributes that count, and what is refused where.

use super::*;
use gusset_compiler::Features;

fn read(text: &str, names: bool) -> Result<IreeSource, String> {
    let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default()).unwrap();
    entries(Source { name: "t.mlir", text: text.as_bytes() }, &target, None, names).map_err(|e| e.to_string())
}

/// The only entry.
fn entry(text: &str) -> Entry {
    let mut found = read(text, false).unwrap();
    assert_eq!(found.entries.len(), 1, "{text}");
    found.entries.remove(0)
}

/// The records of a function with this type.
fn records(ty: &str) -> String {
    entry(&format!("func.func @f{ty} {{ return }}")).reflection.to_string()
}

/// The error for a text; it must point at what follows `at` in the text.
fn refused(text: &str, at: &str, why: &str) {
    let error = read(text, false).unwrap_err();
    let pos = text.find(at).unwrap_or_else(|| panic!("{at} in {text}"));
    let line = text[..pos].matches('\n').count() + 1;
    let column = pos - text[..pos].rfind('\n').map_or(0, |n| n + 1) + 1;
    assert!(error.starts_with(&format!("t.mlir:{line}:{column}: ")), "{error}");
    assert!(error.contains(why), "{error}");
}

#[test]
fn records_of_types() {
    for (ty, expected) in [
        ("()", r#"{"a":[],"r":[]}"#),
        (
            "(%a: i1, %b: i8, %c: i16, %d: i32, %e: i64, %f: index)",
            r#"{"a":["i1","i8","i16","i32","i64","i64"],"r":[]}"#,
        ),
        ("(%a: f16, %b: bf16, %c: f32, %d: f64)", r#"{"a":["f16","bf16","f32","f64"],"r":[]}"#),
        ("() -> (i32, f32)", r#"{"a":[],"r":["i32","f32"]}"#),
        ("(%a: memref<4x?xf32>)", r#"{"a":[["ndarray","f32",2,4,null]],"r":[]}"#),
        ("(%a: memref<f64>, %b: memref<0xi1>)", r#"{"a":[["ndarray","f64",0],["ndarray","i1",1,0]],"r":[]}"#),
        ("(%a: memref<*xbf16>)", r#"{"a":[["ndarray","bf16",null]],"r":[]}"#),
        ("(%a: memref<3xui8>, %b: memref<3xsi8>)", r#"{"a":[["ndarray","i8",1,3],["ndarray","i8",1,3]],"r":[]}"#),
        ("(%a: memref<*xf8E5M2>, %b: ui16)", r#"{"a":[["ndarray","i8",null],"i16"],"r":[]}"#),
        (
            "(%a: memref<2xcomplex<f32>>, %b: memref<?xcomplex<f64>>)",
            r#"{"a":[["ndarray","complex<f32>",1,2],["ndarray","complex<f64>",1,null]],"r":[]}"#,
        ),
        ("(%a: memref<?xindex>)", r#"{"a":[["ndarray","i64",1,null]],"r":[]}"#),
        ("() -> (memref<?x2xf32>, i32)", r#"{"a":[],"r":[["ndarray","f32",2,null,2],"i32"]}"#),
        // An attribute that says what would be so without it.
        ("(%a: memref<2x4xf32, strided<[4, 1]>>)", r#"{"a":[["ndarray","f32",2,2,4]],"r":[]}"#),
        ("() -> memref<2x4xf32, strided<[4, 1]>>", r#"{"a":[],"r":[["ndarray","f32",2,2,4]]}"#),
        // What is copied to callers may have any layout.
        ("() -> memref<2x?xf32, strided<[?, -3], offset: 7>>", r#"{"a":[],"r":[["ndarray","f32",2,2,null]]}"#),
        ("(%a: memref<?xf32, strided<[?], offset: ?>>)", r#"{"a":[["ndarray","f32",1,null]],"r":[]}"#),
    ] {
        assert_eq!(records(ty), expected, "{ty}");
    }
}

/// What records do not say of integers and elements.
#[test]
fn classes() {
    let e = entry(
        "func.func @f(%a: memref<?xui8>, %b: si16, %c: memref<2xf8E4M3FN>, %d: memref<2xf32> {iree.abi.encoding = tensor<2xsi32>}, \
         %e: memref<2xindex>, %f: i8) -> (ui16, memref<1xui32> {iree.abi.encoding = tensor<4xf8E5M2>}) { return }",
    );
    let class = |class: &Option<Class>| class.map(|class| format!("{class:?}")).unwrap_or_default();
    let args: Vec<String> = e.args.iter().map(|detail| class(&detail.class)).collect();
    assert_eq!(args, ["Unsigned", "Signed", "Float8(E4M3Fn)", "Signed", "", ""]);
    assert_eq!(e.results.iter().map(|detail| class(&detail.class)).collect::<Vec<_>>(), ["Unsigned", "Float8(E5M2)"]);
    assert_eq!(
        e.declaration_text(),
        "sync func @f(%input0: tensor<?xui8>, %input1: si16, %input2: tensor<2xf8E4M3FN>, %input3: tensor<2xf32> \
         {iree.abi.encoding = tensor<2xsi32>}, %input4: tensor<2xindex>, %input5: i8) -> (%output0: ui16, %output1: \
         tensor<1xui32> {iree.abi.encoding = tensor<4xf8E5M2>})"
    );
    // Python would take the records literally.
    assert!(!e.reflected && entry("func.func @f(%a: memref<4xi8>) { return }").reflected);
    assert_eq!(e.function_type().unwrap().results[0], BuiltinType::Lane(Lane::Unsigned(16)));
}

/// The C function that an entry describes is the one that the wrapper is.
#[test]
fn the_types_of_entries_are_those_of_functions() {
    let text =
        "func.func @f(%a: memref<4x?xf32>, %b: i1, %c: memref<*xi8>, %d: f64) -> (memref<?xi32>, index) { return }";
    let e = entry(text);
    assert_eq!((e.name.as_str(), e.symbol.as_str()), ("f", "_mlir_ciface_f"));
    assert_eq!(
        e.function_type().unwrap().to_string(),
        "(memref<4x?xf32>, i1, memref<*xi8>, f64) -> (memref<?xi32>, i64)"
    );
    assert_eq!(e.results[1].declared.as_deref(), Some("index"));
    // Python's own invoker does not accept i1 as a wanted type.
    assert!(!e.reflected);
    assert!(entry("func.func @f(%a: memref<4xf32>) -> i32 { return }").reflected);
}

#[test]
fn which_functions() {
    let found = read(
        "module {
          func.func private @gus.f(memref<?xf32, strided<[2]>>) -> i32 attributes {iree.abi.declaration = \"decl\", iree.abi.model = \"coarse-fences\"}
          func.func private @puts(!llvm.ptr) -> i32
          func.func private @helper(%v: vector<4xf32>) { return }
          func.func nested @inner(%v: vector<4xf32>) { return }
          llvm.func @low(%v: i32) { llvm.return }
          func.func @one() { return }
          func.func public @two(%x: i32) -> i32 { return %x : i32 }
          \"func.func\"() ({^bb0(%x: i32): \"func.return\"() : () -> ()}) {sym_name = \"three\", function_type = (i32) -> (), arg_attrs = [{iree.abi.name = \"x\"}]} : () -> ()
        }",
        false,
    )
    .unwrap();
    let names: Vec<_> = found.entries.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, ["one", "two", "three"]);
    assert_eq!(found.entries[2].args[0].name.as_deref(), Some("x"));
    let [import] = &found.imports[..] else { panic!() };
    assert_eq!((import.name.as_str(), import.symbol.as_str()), ("gus.f", "_mlir_ciface_gus.f"));
    assert_eq!((import.declaration.as_deref(), import.model), (Some("decl"), Model::CoarseFences));
    assert_eq!(import.reflection.to_string(), r#"{"a":[["ndarray","f32",1,null]],"r":["i32"]}"#);
}

#[test]
fn attributes_of_functions() {
    let e = entry(
        r#"#r = {some = "pair", iree.abi.model = "coarse-fences"}
        func.func @f(%a: i32) -> i32 attributes {
          iree.reflection = #r, iree.abi.declaration = "sync func @f()", other = 1 : i32} { return %a : i32 }"#,
    );
    let pairs = [("some", "pair"), ("iree.abi.model", "coarse-fences")];
    assert_eq!(e.attributes, pairs.map(|(key, text)| (key.to_string(), text.to_string())));
    assert_eq!((e.model, e.declaration.as_deref()), (Model::CoarseFences, Some("sync func @f()")));
    assert!(e.reflected);
    // The records are kept as they are, in any of three places.
    let json = r#"{\"r\": [[\"sdict\", [\"sum\", \"i32\"], [\"far\", [\"ndarray\", \"f32\", 1, 4]]]], \"a\": [[\"named\", \"x\", \"i32\"]]}"#;
    let plain = json.replace('\\', "");
    for place in [
        format!(r#"iree.abi = "{json}""#),
        format!(r#"iree.reflection = {{iree.abi = "{json}"}}"#),
        format!(r#"iree.reflection = {{d = "{json}"}}"#),
    ] {
        let e = entry(&format!("func.func @f(%a: i32) -> (i32, memref<?xf32>) attributes {{{place}}} {{ return }}"));
        assert_eq!(e.reflection, Reflection::parse(&plain).unwrap());
        assert_eq!(e.attributes.last(), Some(&("iree.abi".to_string(), plain.clone())));
        assert!(!e.reflected);
        assert_eq!(e.function_type().unwrap().to_string(), "(i32) -> (i32, memref<4xf32>)");
    }
    // A value without a type of its own is passed by address.
    let e = entry(
        r#"func.func @f(%a: !llvm.ptr) attributes {iree.abi = "{\"a\":[[\"slist\",\"i32\",null]],\"r\":[]}"} { return }"#,
    );
    assert_eq!(e.reflection.args.len(), 1);
}

/// Functions as IREE's compiler writes them, with attributes where it reads them.
#[test]
fn functions_of_util() {
    let found = read(
        "util.func private @m.f(i32) -> i32
         util.func private @helper(%v: vector<4xf32>) { util.return }
         util.func public @f(%a: i32 {iree.abi.name = \"x\"}) -> i32 attributes {iree.abi.model = \"coarse-fences\"} {
           %0 = util.call @m.f(%a) : (i32) -> i32
           util.return %0 : i32
         }",
        false,
    );
    let found = found.unwrap();
    assert_eq!((found.entries.len(), found.imports.len()), (1, 1));
    assert_eq!((found.entries[0].name.as_str(), found.entries[0].model), ("f", Model::CoarseFences));
    assert_eq!(found.entries[0].args[0].name.as_deref(), Some("x"));
}

#[test]
fn names_are_in_records_if_they_are_asked_for() {
    let text =
        "func.func @f(%a: i32 {iree.abi.name = \"x\"}, %b: f32) -> (f32 {iree.abi.name = \"y\"}) { return %b : f32 }";
    let e = entry(text);
    assert_eq!(e.reflection.to_string(), r#"{"a":["i32","f32"],"r":["f32"]}"#);
    assert_eq!((e.args[0].name.as_deref(), e.args[1].name.as_deref()), (Some("x"), None));
    assert_eq!(e.results[0].name.as_deref(), Some("y"));
    let found = read(text, true).unwrap();
    assert_eq!(found.entries[0].reflection.to_string(), r#"{"a":[["named","x","i32"],"f32"],"r":["f32"]}"#);
}

#[test]
fn where_results_are() {
    let e = entry(
        "func.func @f(%a: memref<?x4xf32>, %o: memref<?xi32> {iree.abi.output = 1 : index}, %p: memref<8xf32> {gusset.result},
           %q: memref<?x3x?xf64> {gusset.result = [\"0.0\", \"1.0\"]})
           -> (i32, memref<?x4xf32> {iree.abi.tied = 0 : i64}) { return }",
    );
    assert_eq!(
        e.reflection.to_string(),
        r#"{"a":[["ndarray","f32",2,null,4],["ndarray","i32",1,null]],"r":["i32",["ndarray","i32",1,null],["ndarray","f32",2,null,4],["ndarray","f32",1,8],["ndarray","f64",3,null,3,null]]}"#
    );
    let storage = e.storages.clone();
    let passed = vec![Dim::Of { arg: 0, dim: 0 }, Dim::Known(3), Dim::Of { arg: 1, dim: 0 }];
    let expected = [
        Storage::Returned,
        Storage::Argument(1),
        Storage::Tied(0),
        Storage::Passed(vec![Dim::Known(8)]),
        Storage::Passed(passed),
    ];
    assert_eq!(storage, expected);
    assert_eq!(
        e.function_type().unwrap().to_string(),
        "(memref<?x4xf32>, memref<?xi32>, memref<8xf32>, memref<?x3x?xf64>) -> (i32, memref<?x4xf32>)"
    );
}

#[test]
fn encodings() {
    let e = entry(
        "func.func @f(%a: memref<4xf32> {iree.abi.encoding = tensor<16xi8>}, %b: memref<?x3xf32> {iree.abi.encoding = memref<?x3xi32>})
           -> (memref<2xi64> {iree.abi.encoding = tensor<2x2xf32>}) { return }",
    );
    assert_eq!(
        e.reflection.to_string(),
        r#"{"a":[["ndarray","i8",1,16],["ndarray","i32",2,null,3]],"r":[["ndarray","f32",2,2,2]]}"#
    );
    assert_eq!(e.function_type().unwrap().to_string(), "(memref<4xf32>, memref<?x3xf32>) -> memref<2xi64>");
    for (ty, encoding, why) in [
        ("memref<4xf32>", "tensor<15xi8>", "not as many bytes"),
        ("memref<?xf32>", "tensor<?xi16>", "not all known"),
        ("memref<4x?xf32>", "tensor<?x?xi32>", "not all known"),
        ("memref<4xf32>", "tensor<?xi8>", "not all known"),
        ("memref<*xf32>", "tensor<*xi32>", "not all known"),
        ("i32", "f32", "those of arrays"),
        ("memref<4xf32>", "tensor<4xvector<2xf32>>", "such elements"),
    ] {
        let text = format!("func.func @f(%a: {ty} {{iree.abi.encoding = {encoding}}}) {{ return }}");
        refused(&text, "iree.abi.encoding", why);
    }
    refused(
        "func.func @f(%a: memref<4xf32> {iree.abi.encoding = tensor<4xi32>, gusset.result}) { return }",
        "iree.abi.encoding",
        "none of its own",
    );
    refused(
        "func.func @f(%a: memref<4xf32> {iree.abi.encoding = \"x\"}) { return }",
        "iree.abi.encoding",
        "type of an array",
    );
}

#[test]
fn what_no_record_says() {
    for (ty, why) in [
        ("i7", "no such numbers"),
        ("i128", "no such numbers"),
        ("f80", "no such numbers"),
        ("complex<f32>", "pass it in a memref"),
        ("vector<4xf32>", "pass it in a memref"),
        ("!llvm.ptr", "behind the pointer"),
        ("!llvm.struct<(i32)>", "nothing like it"),
        ("memref<4xi7>", "such elements"),
        ("memref<4xf8E3M4>", "such elements"),
        ("f8E5M2", "no such numbers"),
        ("memref<4xmemref<4xf32>>", "such elements"),
        ("memref<4xf32, strided<[2]>>", "without gaps"),
        ("memref<4xf32, strided<[1], offset: 3>>", "without gaps"),
        ("memref<?x?xf32, strided<[4, 1]>>", "without gaps"),
        ("tensor<4xf32>", "bufferize"),
    ] {
        let text = format!("module {{\n  func.func @f(%a: i32, %b: {ty}) {{ return }} }}");
        refused(&text, "%b", why);
    }
    // Nothing is copied into an argument's memory.
    refused(
        "func.func @f(%a: memref<4xf32>) -> (memref<4xf32, strided<[?], offset: ?>> {iree.abi.tied = 0 : i64}) { return }",
        "memref<4xf32, strided",
        "which `memref<",
    );
    refused("func.func private @m.f() -> memref<4xf32, strided<[2]>>", "memref", "without gaps");
    refused("func.func @f(%a: i32) attributes {llvm.bareptr} { return }", "func", "bare pointers");
    refused("func.func @f(%a: i32) attributes {func.varargs = true} { return }", "func", "variadic");
}

#[test]
fn what_attributes_may_not_say() {
    for name in ["affinity", "consume", "transients", "streamable", "stub"] {
        let name = format!("iree.abi.{name}");
        refused(&format!("func.func @f() attributes {{{name}}} {{ return }}"), &name, "is not supported");
        refused(&format!("func.func @f(%a: i32 {{{name} = @x}}) {{ return }}"), &name, "is not supported");
        refused(&format!("func.func @f() -> (i32 {{{name}}}) {{ return }}"), &name, "is not supported");
    }
    for (text, at, why) in [
        ("@f() attributes {iree.abi.nam = \"x\"}", "iree.abi.nam", "functions have no attribute"),
        ("@f(%a: i32 {iree.abi.tied = 0 : i64})", "iree.abi.tied", "arguments have no attribute"),
        ("@f() -> (i32 {iree.abi.output = 0 : i64})", "iree.abi.output", "results have no attribute"),
        ("@f() -> (i32 {gusset.result})", "gusset.result", "results have no attribute"),
        ("@f(%a: i32 {iree.abi.name = 4})", "iree.abi.name", "is a string"),
        ("@f() attributes {iree.abi = unit}", "iree.abi", "is a string"),
        ("@f() attributes {iree.reflection = \"x\"}", "iree.reflection", "dictionary"),
        ("@f() attributes {iree.reflection = {a = 4}}", "a = 4", "is a string"),
        ("@f() attributes {iree.abi.model = \"async\"}", "iree.abi.model", "not `async`"),
        (
            "@f() attributes {iree.abi.model = \"sync\", iree.reflection = {iree.abi.model = \"sync\"}}",
            "iree.abi.model = \"sync\"}}",
            "twice",
        ),
        ("@f() attributes {iree.abi = \"{}\"}", "iree.abi", "no list `a`"),
        ("@f() attributes {iree.abi = \"{\"}", "iree.abi", "not valid JSON"),
        (
            "@f(%a: i32) attributes {iree.abi = \"{\\\"a\\\":[],\\\"r\\\":[]}\"}",
            "iree.abi",
            "0 arguments, and the function 1",
        ),
        (
            "@f() -> i32 attributes {iree.abi = \"{\\\"a\\\":[],\\\"r\\\":[[\\\"slist\\\"]]}\"}",
            "iree.abi",
            "0 results, and the function 1",
        ),
        ("@f(%a: memref<4xf32> {iree.abi.output = 1 : index})", "iree.abi.output", "no result 1"),
        ("@f(%a: i32 {iree.abi.output = 0 : index})", "%a", "memrefs"),
        ("@f(%a: memref<4xf32> {iree.abi.output = -1 : index})", "iree.abi.output", "number from 0"),
        (
            "@f(%a: memref<f32> {iree.abi.output = 0}, %b: memref<f32> {iree.abi.output = 0 : i8})",
            "iree.abi.output = 0 : i8",
            "another argument",
        ),
        ("@f(%a: i32) -> (memref<4xf32> {iree.abi.tied = 0 : i64})", "iree.abi.tied", "no memref that is argument 0"),
        ("@f(%a: memref<3xf32>) -> (memref<4xf32> {iree.abi.tied = 0 : i64})", "memref<4xf32>", "not as many bytes"),
        ("@f(%a: memref<?xi32>) -> (memref<?xf32> {iree.abi.tied = 0 : i64})", "memref<?xf32>", "not all known"),
        ("@f(%a: memref<4xf32>) -> (i32 {iree.abi.tied = 0 : i64})", "i32", "if they are memrefs"),
        ("@f(%a: memref<f32> {gusset.result}, %b: i32)", "%b", "are the last ones"),
        ("@f(%a: memref<?xf32> {gusset.result})", "gusset.result", "leaves open"),
        (
            "@f(%b: i32, %a: memref<?xf32> {gusset.result = [\"0.0\"]})",
            "gusset.result",
            "not the number of an argument",
        ),
        ("@f(%a: memref<*xf32> {gusset.result})", "gusset.result", "known rank"),
        ("@f(%a: memref<?xf32> {gusset.result = [0 : i32]})", "gusset.result", "strings such as"),
    ] {
        let text = format!("module {{\n  func.func {text} {{ return }}\n}}");
        refused(&text, at, why);
    }
}

/// Each record must be one of the type.
#[test]
fn records_that_contradict_types() {
    for (ty, record, why) in [
        ("i32", "\"i64\"", "its record is \"i32\""),
        ("i32", "\"f32\"", "its record is"),
        ("i8", "\"i1\"", "its record is"),
        ("i32", "[\"ndarray\",\"i32\",0]", "its record is"),
        ("i32", "[\"slist\",\"i32\"]", "comes as an address"),
        ("!llvm.ptr", "\"i64\"", "a list or a reference"),
        ("memref<4xf32>", "[\"ndarray\",\"f64\",1,4]", "its elements are"),
        ("memref<4xf32>", "[\"ndarray\",\"f32\",1,5]", "size of dimension 0"),
        ("memref<4xf32>", "[\"ndarray\",\"f32\",1,null]", "size of dimension 0"),
        ("memref<?xf32>", "[\"ndarray\",\"f32\",2,null,null]", "its rank is another"),
        ("memref<*xf32>", "[\"ndarray\",\"f32\",1,null]", "its rank is another"),
        ("memref<?xf32>", "[\"ndarray\",\"f32\",null]", "its rank is another"),
    ] {
        let json = format!("{{\"a\":[{record}],\"r\":[]}}").replace('"', "\\\"");
        let text = format!("func.func @f(%a: {ty}) attributes {{iree.abi = \"{json}\"}} {{ return }}");
        refused(&text, "iree.abi", why);
        assert!(read(&text, false).unwrap_err().contains("at `/a/0`"));
    }
}

/// No text makes the reader panic.
#[test]
fn damaged_texts() {
    let text = include_str!("../../../tests/iree/attributes.mlir");
    assert_eq!(read(text, true).unwrap().entries.len(), 10);
    let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default()).unwrap();
    let read = |text: &[u8]| drop(entries(Source { name: "t.mlir", text }, &target, None, true));
    for at in (0..text.len()).step_by(3) {
        read(&text.as_bytes()[..at]);
        let mut bytes = text.as_bytes().to_vec();
        bytes[at] = b"\"{}[]()<>,=:#!%@x0-\\"[at % 20];
        read(&bytes);
        bytes.remove(at);
        read(&bytes);
    }
    let nested = "[".repeat(100_000);
    read(format!("func.func @f() attributes {{iree.abi.name = {nested}}} {{ return }}").as_bytes());
    let closed = "{a = ".repeat(3_000) + "1" + &"}".repeat(3_000);
    read(format!("func.func @f() attributes {{iree.reflection = {closed}}} {{ return }}").as_bytes());
}
