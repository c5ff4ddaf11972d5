//! `gusset abi --iree`: what the command says of functions by their records.

use gusset_tests::tools::{Outcome, gusset, limited, root, run, succeed, work_folder};
use serde_json::Value as Json;

fn abi(arguments: &[&str]) -> Outcome {
    let mut command = limited(20, gusset().unwrap_or_else(|e| panic!("{e}")));
    command.arg("abi").args(arguments).env_remove("COLUMNS");
    run(&mut command).unwrap_or_else(|e| panic!("{e}"))
}

/// What the command prints.
fn text(arguments: &[&str]) -> String {
    let outcome = abi(arguments);
    assert_eq!(outcome.code, 0, "{arguments:?}: {}", outcome.errors());
    outcome.text()
}

/// The targets of the JSON form.
fn targets(arguments: &[&str]) -> Vec<Json> {
    let all: Vec<&str> = arguments.iter().copied().chain(["--emit", "json"]).collect();
    let mut json: Json = serde_json::from_str(&text(&all)).expect("the command prints JSON");
    match json["targets"].take() {
        Json::Array(all) => all,
        other => panic!("{other}"),
    }
}

const SAXPY: &str =
    r#"{"a":["f32",["ndarray","f32",1,null],["named","y",["ndarray","f32",1,null]]],"r":[["ndarray","f32",1,null]]}"#;

#[test]
fn table() {
    let expected = "\
x86_64-unknown-linux-gnu  System V x86-64; called by IREE's modules
void _mlir_ciface_saxpy(memref_1d_f32 *result,
float arg0, memref_1d_f32 *arg1, memref_1d_f32 *y);

        type             size  bytes  at the call
result  void
result  memref_1d_f32 *   8/8   0..8  rdi
arg0    float             4/4   0..4  xmm0
arg1    memref_1d_f32 *   8/8   0..8  rsi
y       memref_1d_f32 *   8/8   0..8  rdx

records    {\"a\":[\"f32\", [\"ndarray\", \"f32\", 1,
           null], [\"named\", \"y\", [\"ndarray\", \"f32\",
           1, null]]], \"r\":[[\"ndarray\", \"f32\", 1,
           null]]}
declared   sync func @saxpy(%input0: f32, %input1:
           tensor<?xf32>, %y: tensor<?xf32>) ->
           (%output0: tensor<?xf32>)
machine    0frr_r
arguments  f at 0, r at 8, r at 24; 40 bytes
           aligned to 8; runtimes before 3.10 have
           36 bytes, and are refused
results    r at 0; 16 bytes aligned to 8
stack      no arguments, rsp aligned to 16 at the
           call, red zone of 128 bytes
changed    rax rcx rdx rsi rdi r8–r11 xmm0–xmm15
           st(0)–st(7)
kept       rbx rbp r12–r15
chain      r10 for nested functions
symbol     _mlir_ciface_saxpy
note       the result is stored after the first
           parameter
";
    assert_eq!(text(&["--iree", SAXPY, "--name", "saxpy", "--target", "linux64"]), expected);
    // Other forms have the same in them.
    let llvm = text(&["--iree", SAXPY, "--name", "saxpy", "--target", "linux64", "--emit", "llvm"]);
    assert_eq!(llvm, "declare void @_mlir_ciface_saxpy(ptr, float, ptr, ptr)\n");
    let svg = text(&["--iree", SAXPY, "--target", "linux64", "--emit", "svg"]);
    assert!(svg.contains("0frr_r") && svg.contains("memref_1d_f32"), "{svg}");
    // Nothing goes in or out.
    let none = text(&["--iree", r#"{"a":[],"r":[]}"#, "--target", "win32"]);
    assert!(none.contains("arguments  none\nresults    none\n") && none.contains("0v_v"), "{none}");
}

/// The blocks on each target, and results that are a list's slots.
#[test]
fn json() {
    let records =
        r#"{"a":["i1","i64","f16",["slist","i8","f64"],"f64"],"r":[["sdict",["n","i16"],["x",["ndarray","f64",0]]]]}"#;
    let expected = [
        ("linux64", [0, 8, 16, 24, 40], (48, 8, 40), [0, 8], (24, 8, 20)),
        ("linux32", [0, 4, 12, 16, 24], (32, 4, 32), [0, 4], (12, 4, 12)),
        ("arm64", [0, 8, 16, 24, 40], (48, 8, 40), [0, 8], (24, 8, 20)),
        ("armhf", [0, 8, 16, 20, 32], (40, 8, 32), [0, 4], (12, 4, 12)),
        ("win64", [0, 8, 16, 24, 40], (48, 8, 40), [0, 8], (24, 8, 20)),
        ("win32", [0, 8, 16, 20, 32], (40, 8, 32), [0, 4], (12, 4, 12)),
    ];
    let names: Vec<&str> = expected.iter().map(|row| row.0).collect();
    let shown = targets(&["--iree", records, "--name", "g", "--target", &names.join(",")]);
    assert_eq!(shown.len(), expected.len());
    for (target, (name, args, args_size, results, results_size)) in shown.iter().zip(expected) {
        let iree = &target["iree"];
        assert_eq!(iree["records"], serde_json::from_str::<Json>(records).expect("the records are JSON"));
        assert_eq!(iree["convention"], "0iIirF_ir");
        assert_eq!(
            iree["declaration"],
            "sync func @g(%input0: i1, %input1: i64, %input2: f16, %input3: !util.list<?>, %input4: f64) -> (%output0: i16, \
             %output1: tensor<f64>)"
        );
        let block = |key: &str| {
            let block = &iree[key];
            let offsets: Vec<Json> =
                block["values"].as_array().into_iter().flatten().map(|value| value["offset"].clone()).collect();
            (Json::Array(offsets), [&block["size"], &block["align"], &block["size_before_3_10"]].map(Json::clone))
        };
        let wanted = |offsets: &[u32], (size, align, packed): (u32, u32, u32)| {
            (Json::from(offsets), [size, align, packed].map(Json::from))
        };
        assert_eq!(block("arguments"), wanted(&args, args_size), "{name}");
        assert_eq!(block("results"), wanted(&results, results_size), "{name}");
        assert_eq!(iree["results"]["values"][1]["record"], serde_json::json!(["ndarray", "f64", 0]));
        let notes = target["notes"].to_string();
        assert!(notes.contains("IREE's invoker for Python does not take these records"), "{notes}");
    }
}

/// The C function is where a C declaration of it would be.
#[test]
fn places() {
    for (records, c) in [
        (SAXPY, "void _mlir_ciface_f(void *, float, void *, void *);"),
        (
            r#"{"a":["i8","i16","i1","f64","i64"],"r":["i16"]}"#,
            "short _mlir_ciface_f(signed char, short, _Bool, double, long long);",
        ),
        (
            r#"{"a":["f16","bf16",["slist"],"unknown"],"r":["f16"]}"#,
            "_Float16 _mlir_ciface_f(_Float16, __bf16, void *, void *);",
        ),
        (r#"{"a":[["ndarray","i8",null]],"r":[["py_homogeneous_list","i8"]]}"#, "void *_mlir_ciface_f(void *);"),
    ] {
        let on = ["--target", "linux64,linux32,win64,arm64,armhf"];
        let (ours, theirs) = (targets(&[&["--iree", records][..], &on].concat()), targets(&[&[c][..], &on].concat()));
        assert_eq!(ours.len(), 5);
        for (ours, theirs) in ours.iter().zip(&theirs) {
            let places = |target: &Json| {
                let parts = |value: &Json| [&value["parts"], &value["size"]].map(Json::clone);
                let args: Vec<_> = target["arguments"].as_array().into_iter().flatten().map(parts).collect();
                (args, parts(&target["result"]), target["symbol"].clone(), target["stack"].clone())
            };
            assert_eq!(places(ours), places(theirs), "{records}");
        }
    }
}

#[test]
fn errors() {
    let folder = work_folder("abi-iree");
    let file = folder.join("records.json");
    std::fs::write(&file, "{\"a\": [\"i8\",\n   [\"slist\", \"i4x\"]],\n \"r\": []}")
        .expect("the target folder is writable");
    let at = format!("@{}", file.display());
    let place = format!(
        "{}:2:14: error: `i4x` is no type\n 2 |    [\"slist\", \"i4x\"]],\n   |              ^\n",
        file.display()
    );
    for (records, message) in [
        (&at[..], &place[..]),
        (r#"{"a":["i8"]}"#, "<records>:1:1: error: malformed function reflection metadata: it has no list `r`\n"),
        (
            r#"{"a":["i8","i4"],"r":[]}"#,
            "<records>:1:12: error: IREE's virtual machine has no values of type `\"i4\"`\n",
        ),
        (r#"{"a":[],"r":["complex<f32>"]}"#, "<records>:1:14: error: IREE's virtual machine has no values of type"),
        (
            r#"{"a":[],"r":[["sdict",["k","f80"]]]}"#,
            "<records>:1:28: error: IREE's virtual machine has no values of type",
        ),
        (r#"{"a":[["ndarray","i4",1,2]],"r":[]}"#, "<records>:1:7: error: C has no arrays of"),
        (r#"{"a":[["#, "<records>:1:8: error: reflection metadata is not valid JSON: Unexpected end of file"),
        (r#"{"a":[],"r":[],"a":[]}"#, "<records>:1:6: error: `a` is said twice\n"),
        ("@/no/such/file", "/no/such/file: error: cannot read: "),
    ] {
        let outcome = abi(&["--iree", records]);
        assert_eq!(outcome.code, 1, "{records}");
        assert!(outcome.errors().starts_with(message), "{records}: {}", outcome.errors());
        assert!(outcome.text().is_empty());
    }
    for wrong in
        [&["--iree", SAXPY, "--mlir", "x"][..], &["--iree", SAXPY, "int f(void);"], &["--name", "f", "int f(void);"]]
    {
        assert_eq!(abi(wrong).code, 2, "{wrong:?}");
    }
    // From standard input.
    let mut command = limited(20, gusset().unwrap_or_else(|e| panic!("{e}")));
    std::fs::write(&file, SAXPY).expect("the target folder is writable");
    let input = std::fs::File::open(&file).expect("it has just been written");
    let outcome = succeed(command.current_dir(root()).args(["abi", "--iree", "-", "--target", "linux64"]).stdin(input));
    assert!(outcome.unwrap_or_else(|e| panic!("{e}")).text().contains("0frr_r"));
}
