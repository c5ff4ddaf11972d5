//! Records as the document has them: read, printed, checked.

use gusset_abi::{AbiFeatures, AbiTarget};
use gusset_iree::{Block, Convention, Letter, Place, Record, Reflection, Shape};

/// Every kind, and kinds in each other.
const RECORDS: &[&str] = &[
    r#""i1""#,
    r#""i8""#,
    r#""i64""#,
    r#""i128""#,
    r#""f16""#,
    r#""f32""#,
    r#""f64""#,
    r#""bf16""#,
    r#""unknown""#,
    "null",
    r#"["named","x","i32"]"#,
    r#"["named","",["ndarray","f32",null]]"#,
    r#"["ndarray","f32",0]"#,
    r#"["ndarray","i1",3,1,null,18446744073709551615]"#,
    r#"["ndarray","complex<f64>",1,2]"#,
    r#"["ndarray",["slist","i8"],2,null,null]"#,
    r#"["slist"]"#,
    r#"["slist","i32",null,["stuple","f32",["slist"]]]"#,
    r#"["sdict",["b","i32"],["a",["sdict"]],["~/",null]]"#,
    r#"["py_homogeneous_list",["sdict",["x",["ndarray","bf16",1,null]]]]"#,
];

#[test]
fn every_kind_is_read_and_printed() {
    for text in RECORDS {
        let reflection = format!(r#"{{"a":[{text}],"r":[]}}"#);
        let read = Reflection::parse(&reflection).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(read.to_string(), reflection);
    }
    let spaced = "{ \"r\" : [ [ \"ndarray\" , \"f32\" , 1 , null ] ],\n \"a\":[] }";
    let array = Record::Ndarray { element: Box::new(Record::Float(32)), shape: Shape::Ranked(vec![None]) };
    assert_eq!(Reflection::parse(spaced), Ok(Reflection { args: vec![], results: vec![array] }));
}

/// Of what is wrong the place is said.
#[test]
fn malformed() {
    for (text, place, message) in [
        (r#"{"r":[]}"#, "", "has no list `a`"),
        (r#"{"a":[]}"#, "", "has no list `r`"),
        (r#"{"a":{},"r":[]}"#, "/a", "stand in a list"),
        (r#"{"a":[],"r":"i32"}"#, "/r", "stand in a list"),
        (r#"{"a":[],"r":[],"x/y":1}"#, "/x~1y", "`a` and `r` alone"),
        (r#"[]"#, "", "an object"),
        (r#"{"a":[],"a":[],"r":[]}"#, "/a", "`a` is said twice"),
        (r#"{"a":[{}],"r":[]}"#, "/a/0", "a string, null or a list"),
        (r#"{"a":[["slist",{"k":[]}]],"r":[]}"#, "/a/0/1", "a string, null or a list"),
        (r#"{"a":["i32",7],"r":[]}"#, "/a/1", "a string, null or a list"),
        (r#"{"a":["i"],"r":[]}"#, "/a/0", "`i` is no type"),
        (r#"{"a":["i032"],"r":[]}"#, "/a/0", "is no type"),
        (r#"{"a":["i-1"],"r":[]}"#, "/a/0", "is no type"),
        (r#"{"a":["i99999999999"],"r":[]}"#, "/a/0", "is no type"),
        (r#"{"a":["f 32"],"r":[]}"#, "/a/0", "is no type"),
        (r#"{"a":["é"],"r":[]}"#, "/a/0", "is no type"),
        (r#"{"a":[[]],"r":[]}"#, "/a/0", "begins with its kind"),
        (r#"{"a":[[1]],"r":[]}"#, "/a/0/0", "begins with its kind"),
        (r#"{"a":[["list"]],"r":[]}"#, "/a/0/0", "`list` is no kind"),
        (r#"{"a":[["named","x"]],"r":[]}"#, "/a/0", "a name and a type, 1 found"),
        (r#"{"a":[["named",1,"i8"]],"r":[]}"#, "/a/0/1", "a name is a string"),
        (r#"{"a":[["named","x","i8",["i8"]]],"r":[]}"#, "/a/0/3", "a name and a type, and no more"),
        (r#"{"a":[["named"]],"r":[]}"#, "/a/0", "a name and a type, 0 found"),
        (r#"{"a":[["named","x",["named","y","i8"]]],"r":[]}"#, "/a/0/2", "arguments alone have names"),
        (r#"{"a":[],"r":[["named","x","i8"]]}"#, "/r/0", "arguments alone have names"),
        (r#"{"a":[["slist",["named","x","i8"]]],"r":[]}"#, "/a/0/1", "arguments alone have names"),
        (r#"{"a":[["named","x","i8"],["named","x","i8"]],"r":[]}"#, "/a/1/1", "called `x`, too"),
        (r#"{"a":[["ndarray","f32"]],"r":[]}"#, "/a/0", "an element type and a rank"),
        (r#"{"a":[["ndarray","f32",-1]],"r":[]}"#, "/a/0/2", "a rank is"),
        (r#"{"a":[["ndarray","f32",2,1]],"r":[]}"#, "/a/0/2", "the rank is 2, and 1"),
        (r#"{"a":[["ndarray","f32",1,1.5]],"r":[]}"#, "/a/0/3", "a dimension is"),
        (r#"{"a":[["ndarray","f32",null,1]],"r":[]}"#, "/a/0/3", "unknown rank"),
        (r#"{"a":[["ndarray"]],"r":[]}"#, "/a/0", "an element type and a rank, 0 found"),
        (r#"{"a":[["ndarray","f32",1,[]]],"r":[]}"#, "/a/0/3", "a dimension is"),
        (r#"{"a":[["ndarray","f32",1,18446744073709551616]],"r":[]}"#, "/a/0/3", "a dimension is"),
        (r#"{"a":[["sdict","i8"]],"r":[]}"#, "/a/0/1", "a key and a type"),
        (r#"{"a":[["sdict",[]]],"r":[]}"#, "/a/0/1", "a key and a type"),
        (r#"{"a":[["sdict",["k"]]],"r":[]}"#, "/a/0/1", "a key and a type, 1 found"),
        (r#"{"a":[["sdict",["k","i8","i8"]]],"r":[]}"#, "/a/0/1/2", "a key and a type, and no more"),
        (r#"{"a":[["sdict",[null,"i8"]]],"r":[]}"#, "/a/0/1/0", "a key is a string"),
        (r#"{"a":[["sdict",["k","i8"],["k","i8"]]],"r":[]}"#, "/a/0/2/0", "called `k`, too"),
        (r#"{"a":[["sdict",["k",["slist",true]]]],"r":[]}"#, "/a/0/1/1/1", "a string, null or a list"),
        (r#"{"a":[["py_homogeneous_list"]],"r":[]}"#, "/a/0", "one type, 0 found"),
        (r#"{"a":[["py_homogeneous_list","i8",null]],"r":[]}"#, "/a/0/2", "one type, and no more"),
    ] {
        let error = Reflection::parse(text).expect_err(text);
        assert_eq!(error.place, Place::Value(place.into()), "{text}: {error}");
        assert!(error.message.contains(message), "{text}: {error}");
    }
    let error = Reflection::parse("{\"a\":\n [").unwrap_err();
    assert_eq!(
        error.to_string(),
        "2:3: reflection metadata is not valid JSON: Unexpected end of file, a value was expected"
    );
    for text in [
        "",
        "{",
        "[",
        "{}x",
        "[]]",
        "{\"a\":[],\"r\":[]}{}",
        "{\"a\":[\"\\ud800\"],\"r\":[]}",
        "{'a':[]}",
        "{\"a\":[],}",
    ] {
        let error = Reflection::parse(text).unwrap_err();
        assert!(matches!(error.place, Place::Text { .. }), "{text}: {error}");
        assert!(error.message.starts_with("reflection metadata is not valid JSON: "), "{text}: {error}");
    }
}

/// Nothing that is done to records runs out of stack.
#[test]
fn nested_as_deep_as_one_likes() {
    const DEPTH: usize = 30_000;
    for (before, after) in [
        (r#"["slist","#, "]"),
        (r#"["stuple",null,"#, r#","f32"]"#),
        (r#"["sdict",["k","#, "]]"),
        (r#"["py_homogeneous_list","#, "]"),
        (r#"["ndarray","#, ",1,null]"),
    ] {
        let text = format!(r#"{{"a":[{}"i8"{}],"r":[]}}"#, before.repeat(DEPTH), after.repeat(DEPTH));
        let read = Reflection::parse(&text).unwrap_or_else(|e| panic!("{before}: {}", e.message));
        assert!(read.to_string() == text, "{before}");
        assert_eq!(read.args[0].depth(), DEPTH + 1);
        let mut other = read.clone();
        assert!(other == read && format!("{:?}", other.args[0]) == other.args[0].to_string());
        let list = before.starts_with(r#"["s"#);
        assert_eq!(other.python_takes(), list && !before.contains("null"), "{before}");
        other.results.push(other.args.remove(0));
        assert!(other != read);
        let entry = gusset_iree::Entry::new("f", "f", other);
        assert!(entry.convention().is_ok() && entry.function_type().is_ok());
        assert!(entry.declaration_text().contains("util.list<"));
        // Of what is wrong in the innermost one the place is said.
        let wrong = text.replace("i8", "i4x");
        let error = Reflection::parse(&wrong).unwrap_err();
        assert!(error.message.contains("`i4x` is no type"), "{}", error.message);
        assert!(wrong[error.byte(&wrong)..].starts_with("\"i4x"), "{before}");
        let short = &text[..text.len() / 2];
        assert!(Reflection::parse(short).unwrap_err().message.contains("not valid JSON"));
    }
}

/// The place is one in the text, too.
#[test]
fn places_in_texts() {
    const TEXT: &str =
        "\n {\"x\\\"y\": [{}],\n \"r\" : [[\"slist\", null , \"i8\",[\"stuple\",3]]], \"a/\": {\"~\":\"]\"}}";
    for (pointer, found) in [
        ("", "{\"x"),
        ("/x\"y", "[{}]"),
        ("/x\"y/0", "{}"),
        ("/r", "[[\"slist"),
        ("/r/0/0", "\"slist"),
        ("/r/0/1", "null"),
        ("/r/0/2", "\"i8"),
        ("/r/0/3/1", "3]"),
        ("/a~1/~0", "\"]"),
        // What is not there is where it would be.
        ("/r/0/9", "[\"slist"),
        ("/z/0", "{\"x"),
    ] {
        let error = gusset_iree::Error { place: Place::Value(pointer.into()), message: String::new() };
        let at = error.byte(TEXT);
        assert!(TEXT[at..].starts_with(found), "{pointer}: {}", &TEXT[at..]);
        // Of no text the place is in it, too.
        for end in (0..TEXT.len()).filter(|&end| TEXT.is_char_boundary(end)) {
            assert!(error.byte(&TEXT[..end]) <= end + 1);
        }
    }
    let error = Reflection::parse("{\"a\":[],\n \"r\":[,").unwrap_err();
    assert_eq!(error.byte("{\"a\":[],\n \"r\":[,"), 15);
}

#[test]
fn conventions() {
    for (reflection, text) in [
        (r#"{"a":[],"r":[]}"#, "0v_v"),
        (r#"{"a":["i1","i8","i16","i32","i64","f16","bf16","f32","f64"],"r":["f64"]}"#, "0iiiiIiifF_F"),
        (r#"{"a":[["named","x","i64"],null,"unknown",["ndarray","f32",null]],"r":[]}"#, "0Irrr_v"),
        // A list, tuple or dictionary alone gives its slots back one by one.
        (r#"{"a":[],"r":[["sdict",["a","i32"],["b",["slist","i8"]]]]}"#, "0v_ir"),
        (r#"{"a":[],"r":[["stuple"]]}"#, "0v_v"),
        (r#"{"a":[],"r":[["slist","i8"],"i32"]}"#, "0v_ri"),
        (r#"{"a":[["slist","i8"]],"r":[["py_homogeneous_list","i8"]]}"#, "0r_r"),
    ] {
        let convention = Convention::of(&Reflection::parse(reflection).unwrap()).unwrap();
        assert_eq!(convention.to_string(), text);
        assert_eq!(Convention::parse(text), Ok(convention));
    }
    assert_eq!(Convention::parse("0"), Ok(Convention::default()));
    for (reflection, place) in [
        (r#"{"a":["i32","i4"],"r":[]}"#, "/a/1"),
        (r#"{"a":[["named","x","i128"]],"r":[]}"#, "/a/0"),
        (r#"{"a":[],"r":["complex<f32>"]}"#, "/r/0"),
        (r#"{"a":[],"r":[["slist","i8","f80"]]}"#, "/r/0/2"),
    ] {
        let error = Convention::of(&Reflection::parse(reflection).unwrap()).unwrap_err();
        assert_eq!(error.place, Place::Value(place.into()));
    }
    for text in ["", "1v_v", "0x_v", "0i_i_i", "0vi_v", "0v_CiD", "0CCiDD_v", "0iD_v", "0CD_v", "0Ci_v"] {
        assert!(Convention::parse(text).is_err(), "{text}");
    }
    // Functions that modules import take any number of some values.
    for (text, spans, calls) in [
        ("0rIIiiCID_r", vec![(5, "I")], [(&[0][..], "rIIiii"), (&[2], "rIIiiiII")]),
        ("0CrD_r", vec![(0, "r")], [(&[], "i"), (&[1], "ir")]),
        ("0CiDICFfDCrDi_v", vec![(0, "i"), (1, "Ff"), (1, "r")], [(&[1, 0, 2], "iiIiirri"), (&[0, 2, 0], "iIiFfFfii")]),
    ] {
        let convention = Convention::parse(text).unwrap();
        assert_eq!(convention.to_string(), text);
        let letters = |all: &[Letter]| all.iter().map(|letter| letter.letter()).collect::<String>();
        let found: Vec<_> = convention.spans.iter().map(|span| (span.before, letters(&span.letters))).collect();
        assert_eq!(found, spans.into_iter().map(|(before, of)| (before, of.to_string())).collect::<Vec<_>>());
        for (counts, expected) in calls {
            assert_eq!(letters(&convention.args_of_call(counts)), expected);
        }
    }
}

/// Blocks are C's structures on each target; IREE before 3.10 packed them, which their sizes tell but where there is no gap.
#[test]
fn blocks() {
    use Letter::*;
    let target = |triple| AbiTarget::from_triple(triple, AbiFeatures::default()).unwrap();
    let block = |letters: &[Letter], triple| {
        let block = Block::new(letters, &target(triple)).unwrap();
        (block.offsets, block.size, block.align, block.packed_size)
    };
    let all = [I32, I64, F32, F64, Ref, I32];
    for triple in ["x86_64-linux-gnu", "aarch64-linux-gnu", "x86_64-pc-windows-msvc"] {
        assert_eq!(block(&all, triple), (vec![0, 8, 16, 24, 32, 48], 56, 8, 44));
        assert_eq!(block(&[F32, Ref, Ref], triple), (vec![0, 8, 24], 40, 8, 36));
        assert_eq!(block(&[I32, I32], triple), (vec![0, 4], 8, 4, 8));
    }
    // The psABI of i386 aligns eight bytes to four.
    assert_eq!(block(&all, "i686-linux-gnu"), (vec![0, 4, 12, 16, 24, 32], 36, 4, 36));
    for triple in ["armv7-linux-gnueabihf", "i686-pc-windows-msvc"] {
        assert_eq!(block(&all, triple), (vec![0, 8, 16, 24, 32, 40], 48, 8, 36));
    }
    assert_eq!(block(&[], "x86_64-linux-gnu"), (vec![], 0, 1, 0));
}
