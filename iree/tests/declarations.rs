//! What functions say of themselves. The declarations are those that iree-compile 3.13 makes of the same functions.

use gusset_abi::memref::Float8;
use gusset_iree::{Class, Detail, Entry, Model, Record, Reflection, Storage};

fn entry(name: &str, reflection: &str) -> Entry {
    Entry::new(name, name, Reflection::parse(reflection).unwrap_or_else(|e| panic!("{reflection}: {e}")))
}

fn named(name: &str) -> Detail {
    Detail { name: Some(name.into()), ..Detail::default() }
}

fn declared(ty: &str) -> Detail {
    Detail { declared: Some(ty.into()), ..Detail::default() }
}

fn pair(key: &str, text: &str) -> (String, String) {
    (key.into(), text.into())
}

/// Of the records alone.
#[test]
fn made() {
    for (name, reflection, text) in [
        ("none", r#"{"a":[],"r":[]}"#, "sync func @none() -> ()"),
        (
            "scalars",
            r#"{"a":["i1","i8","i16","i32","i64","f32","f64"],"r":["i32"]}"#,
            "sync func @scalars(%input0: i1, %input1: i8, %input2: i16, %input3: i32, %input4: i64, %input5: f32, %input6: f64) \
             -> (%output0: i32)",
        ),
        (
            "halves",
            r#"{"a":["f16","bf16"],"r":["f16"]}"#,
            "sync func @halves(%input0: f16, %input1: bf16) -> (%output0: f16)",
        ),
        (
            "tensors",
            r#"{"a":[["ndarray","f32",0],["ndarray","f32",1,4],["ndarray","i8",2,null,3],["ndarray","complex<f32>",2,2,null],
                ["ndarray","i1",0],["ndarray","bf16",1,0],["ndarray","f16",1,2]],"r":[["ndarray","f32",1,4],["ndarray","f32",0]]}"#,
            "sync func @tensors(%input0: tensor<f32>, %input1: tensor<4xf32>, %input2: tensor<?x3xi8>, %input3: \
             tensor<2x?xcomplex<f32>>, %input4: tensor<i1>, %input5: tensor<0xbf16>, %input6: tensor<2xf16>) -> \
             (%output0: tensor<4xf32>, %output1: tensor<f32>)",
        ),
        // iree-compile has no unranked tensors; MLIR writes them so.
        ("any", r#"{"a":[["ndarray","f32",null]],"r":[]}"#, "sync func @any(%input0: tensor<*xf32>) -> ()"),
        (
            "lists",
            r#"{"a":[["py_homogeneous_list","i8"],["slist","i8","f32"],["sdict",["k","i8"]],"unknown",null,
                ["ndarray",["slist"],1,null],["py_homogeneous_list",["stuple"]]],"r":[]}"#,
            "sync func @lists(%input0: !util.list<i8>, %input1: !util.list<?>, %input2: !util.list<?>, %input3: !vm.ref<?>, \
             %input4: !vm.ref<?>, %input5: !util.list<?>, %input6: !util.list<!util.list<?>>) -> ()",
        ),
        // A list alone gives its slots.
        (
            "slots",
            r#"{"a":[["named","x","i32"]],"r":[["sdict",["sum","i32"],["diff","f32"]]]}"#,
            "sync func @slots(%x: i32) -> (%output0: i32, %output1: f32)",
        ),
        ("f$x.y-z", r#"{"a":["i32"],"r":["i32"]}"#, "sync func @f$x.y-z(%input0: i32) -> (%output0: i32)"),
    ] {
        assert_eq!(entry(name, reflection).declaration_text(), text);
    }
}

/// Names, types that no record has, and other attributes.
#[test]
fn detailed() {
    let mut f = entry("named", r#"{"a":["i32",["ndarray","f32",1,2]],"r":[["ndarray","f32",1,2]]}"#);
    f.args = vec![named("x"), Detail { attributes: vec![pair("foo.bar", "3 : i32")], ..named("y z") }];
    f.results = vec![Detail {
        name: Some("out".into()),
        attributes: vec![pair("zz", "unit"), pair("aa.b", "\"s\"")],
        ..Detail::default()
    }];
    assert_eq!(
        f.declaration_text(),
        "sync func @named(%x: i32, %y z: tensor<2xf32> {foo.bar = 3 : i32}) -> (%out: tensor<2xf32> {aa.b = \"s\", zz = unit})"
    );
    let mut f = entry("refs", r#"{"a":["unknown","unknown","i64",["ndarray","i32",1,4]],"r":["unknown"]}"#);
    f.args = ["!hal.buffer", "!hal.fence", "index", "tensor<4xsi32>"].map(declared).to_vec();
    f.results = vec![Detail { declared: Some("!hal.buffer".into()), ..Detail::default() }];
    assert_eq!(
        f.declaration_text(),
        "sync func @refs(%input0: !hal.buffer, %input1: !hal.fence, %input2: index, %input3: tensor<4xsi32>) -> \
         (%output0: !hal.buffer)"
    );
    let mut f = entry("fences", r#"{"a":["i32",["ndarray","f32",1,2]],"r":[["ndarray","f32",1,2]]}"#);
    f.model = Model::CoarseFences;
    assert_eq!(
        f.declaration_text(),
        "async func @fences(%input0: i32, %input1: tensor<2xf32>) -> (%output0: tensor<2xf32>)"
    );
    let mut f = entry("enc", r#"{"a":[["ndarray","i32",1,4]],"r":[["ndarray","i32",1,4]]}"#);
    let seen_as = Some(Record::parse(r#"["ndarray","f32",1,4]"#).unwrap());
    f.args = vec![Detail { seen_as: seen_as.clone(), ..Detail::default() }];
    f.results = vec![Detail { seen_as, ..Detail::default() }];
    assert_eq!(
        f.declaration_text(),
        "sync func @enc(%input0: tensor<4xf32> {iree.abi.encoding = tensor<4xi32>}) -> (%output0: tensor<4xf32> \
         {iree.abi.encoding = tensor<4xi32>})"
    );
    // What records do not say: `iree.abi.encoding` has the class that callers see.
    f.args[0].class = Some(Class::Unsigned);
    f.results[0].class = Some(Class::Signed);
    assert_eq!(
        f.declaration_text(),
        "sync func @enc(%input0: tensor<4xf32> {iree.abi.encoding = tensor<4xui32>}) -> (%output0: tensor<4xf32> \
         {iree.abi.encoding = tensor<4xsi32>})"
    );
    let mut f = entry("classes", r#"{"a":[["ndarray","i8",2,null,2],"i16"],"r":[["ndarray","i8",null]]}"#);
    let of = |class| Detail { class: Some(class), ..Detail::default() };
    f.args = vec![of(Class::Unsigned), of(Class::Signed)];
    f.results = vec![Detail { class: Some(Class::Float8(Float8::E4M3Fn)), ..Detail::default() }];
    assert_eq!(
        f.declaration_text(),
        "sync func @classes(%input0: tensor<?x2xui8>, %input1: si16) -> (%output0: tensor<*xf8E4M3FN>)"
    );
    let mut f = entry("out", r#"{"a":[["ndarray","f32",2,null,8],"unknown"],"r":[["ndarray","f32",2,null,8]]}"#);
    f.args = vec![Detail::default(), declared("!hal.buffer")];
    f.storages = vec![Storage::Argument(1)];
    let text = "sync func @out(%input0: tensor<?x8xf32>, %input1: !hal.buffer {iree.abi.output = 0 : index}) -> (%output0: \
                tensor<?x8xf32>)";
    assert_eq!(f.declaration_text(), text);
    // What is given is not made again.
    f.args[1].attributes = vec![pair("iree.abi.output", "0 : index")];
    assert_eq!(f.declaration_text(), text);
    let mut f = entry("tied", r#"{"a":[["ndarray","f32",1,4]],"r":[["ndarray","f32",1,4]]}"#);
    f.storages = vec![Storage::Tied(0)];
    assert_eq!(
        f.declaration_text(),
        "sync func @tied(%input0: tensor<4xf32>) -> (%output0: tensor<4xf32> {iree.abi.tied = 0 : i64})"
    );
    f.declaration = Some("some.python(thing)".into());
    assert_eq!(f.declaration_text(), "some.python(thing)");
}

#[test]
fn attributes() {
    let mut f = entry("f", r#"{"a":["i32"],"r":[]}"#);
    let keys = |f: &Entry| f.attribute_pairs().map(|all| all.into_iter().map(|pair| pair.0).collect::<Vec<_>>());
    let declaration = pair("iree.abi.declaration", "sync func @f(%input0: i32) -> ()");
    let records = pair("iree.abi", r#"{"a":["i32"],"r":[]}"#);
    assert_eq!(f.attribute_pairs(), Ok(vec![records, declaration.clone()]));
    f.reflected = false;
    assert_eq!(f.attribute_pairs(), Ok(vec![declaration]));
    (f.reflected, f.model) = (true, Model::CoarseFences);
    f.attributes = vec![pair("zz", "1"), pair("aa", "2")];
    assert_eq!(keys(&f).unwrap(), ["iree.abi", "iree.abi.declaration", "iree.abi.model", "zz", "aa"].map(String::from));
    assert_eq!(f.attribute_pairs().unwrap()[2].1, "coarse-fences");
    f.attributes =
        vec![pair("iree.abi.model", "coarse-fences"), pair("iree.abi", "{}"), pair("iree.abi.declaration", "d")];
    assert_eq!(f.attribute_pairs().unwrap(), f.attributes);
    f.model = Model::Sync;
    assert!(f.attribute_pairs().unwrap_err().message.contains("model is not `coarse-fences`"));
    f.attributes = vec![pair("k", "1"), pair("k", "1")];
    assert!(f.attribute_pairs().unwrap_err().message.contains("`k` is given twice"));
}

/// The document has two keys for the records.
#[test]
fn records_among_attributes() {
    let (new, old) = (r#"{"a":["i32"],"r":[]}"#, r#"{"a":["f32"],"r":[]}"#);
    let find =
        |pairs: &[(&str, &str)]| Reflection::of_attributes(pairs.iter().copied()).map(|r| r.map(|r| r.to_string()));
    assert_eq!(find(&[("x", "y")]), Ok(None));
    assert_eq!(find(&[("d", old)]), Ok(Some(old.into())));
    assert_eq!(find(&[("d", old), ("iree.abi", new)]), Ok(Some(new.into())));
    assert!(find(&[("d", "{")]).is_err());
}
