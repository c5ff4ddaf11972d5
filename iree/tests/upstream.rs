//! The calls by which IREE tests its invoker for Python (`runtime/bindings/python/tests/function_test.py`), as a table: each case
//! has the same name there. One of the 29 needs a GPU and is left out upstream, too: where an array's memory is is the machine's
//! matter.

mod common;

use common::{Fake, I, Items, V, dict, int, items, list};
use gusset_iree::{Invoker, Item, Reflection, Value};

/// One call, or what is wrong with it.
struct Case {
    name: &'static str,
    /// The records of the arguments; none without any records.
    args: Option<&'static str>,
    results: &'static str,
    given: Vec<V>,
    named: Vec<(&'static str, V)>,
    /// What the function gets.
    packed: Result<Vec<I>, &'static str>,
    /// What the function gives.
    returned: Vec<I>,
    /// What the caller gets.
    unpacked: Vec<V>,
}

impl Default for Case {
    fn default() -> Case {
        Case {
            name: "",
            args: None,
            results: "\"i32\"",
            given: Vec::new(),
            named: Vec::new(),
            packed: Ok(Vec::new()),
            returned: vec![Item::I32(3)],
            unpacked: vec![int(3)],
        }
    }
}

fn array(name: &str) -> V {
    Value::Array(name.into())
}

fn view(name: &str) -> I {
    Item::Reference(format!("view of {name}"))
}

fn i32s(all: &[i32]) -> Vec<I> {
    all.iter().map(|&n| Item::I32(n)).collect()
}

fn i64s(all: &[i64]) -> Vec<I> {
    all.iter().map(|&n| Item::I64(n)).collect()
}

const THREE: &str = r#""i32",["named","a","i32"],["named","b","i32"]"#;
const THREE_ARRAYS: &str =
    r#"["ndarray","i32",1,1],["named","a",["ndarray","i32",1,1]],["named","b",["ndarray","i32",1,1]]"#;
const DICT: &str = r#"["sdict",["a","i32"],["b","i32"]]"#;
const ARRAY: &str = r#"["ndarray","i32",1,2]"#;

fn without_records() -> Vec<Case> {
    let returned = || view("2xi32");
    vec![
        Case {
            name: "testNoReflectionScalars",
            given: vec![int(1), int(2)],
            packed: Ok(i64s(&[1, 2])),
            returned: i64s(&[3, 4]),
            unpacked: vec![int(3), int(4)],
            ..Case::default()
        },
        Case {
            name: "testNoReflectionBfloat16Ndarray",
            given: vec![array("2x2xbf16")],
            packed: Ok(vec![view("2x2xbf16")]),
            ..Case::default()
        },
        Case {
            name: "testListArgNoReflection",
            given: vec![list(&[int(2), int(3)])],
            packed: Ok(vec![items(i64s(&[2, 3]))]),
            ..Case::default()
        },
        Case {
            name: "testDictArgNoReflection",
            given: vec![dict(&[("b", int(3)), ("a", int(2))])],
            packed: Ok(vec![items(i64s(&[2, 3]))]),
            ..Case::default()
        },
        Case {
            name: "testNdarrayArgNoReflection",
            given: vec![array("2xi32")],
            packed: Ok(vec![view("2xi32")]),
            ..Case::default()
        },
        // Arrays of the device's and views are passed as they are.
        Case {
            name: "testDeviceArrayArgNoReflection",
            given: vec![Value::Reference("device's 2xi32".into())],
            packed: Ok(vec![Item::Reference("device's 2xi32".into())]),
            ..Case::default()
        },
        Case {
            name: "testBufferViewArgNoReflection",
            given: vec![Value::Reference("view of 2xi32".into())],
            packed: Ok(vec![returned()]),
            ..Case::default()
        },
        Case {
            name: "testReturnBufferViewNoReflection",
            returned: vec![returned()],
            unpacked: vec![array("2xi32")],
            ..Case::default()
        },
    ]
}

fn arguments() -> Vec<Case> {
    let pair = |name, args, given| Case {
        name,
        args: Some(args),
        given: vec![given],
        packed: Ok(vec![items(i32s(&[2, 3]))]),
        ..Case::default()
    };
    let wrong = |name, args, given, named, message| Case {
        name,
        args: Some(args),
        given,
        named,
        packed: Err(message),
        ..Case::default()
    };
    let (one, arity) = (|| vec![("a", int(1))], "mismatched call arity:");
    let passed = |name, given, reference: &str| Case {
        name,
        args: Some(ARRAY),
        results: "",
        given: vec![given],
        packed: Ok(vec![Item::Reference(reference.into())]),
        returned: Vec::new(),
        unpacked: Vec::new(),
        ..Case::default()
    };
    vec![
        Case {
            name: "testKeywordArgs",
            args: Some(THREE),
            given: vec![int(-1)],
            named: vec![("a", int(1)), ("b", int(2))],
            packed: Ok(i32s(&[-1, 1, 2])),
            ..Case::default()
        },
        pair("testListArg", r#"["slist","i32","i32"]"#, list(&[int(2), int(3)])),
        pair("testTupleArg", r#"["stuple","i32","i32"]"#, Value::Tuple(vec![int(2), int(3)])),
        pair("testDictArg", DICT, dict(&[("b", int(3)), ("a", int(2))])),
        wrong(
            "testListArgArityMismatch",
            r#"["slist","i32","i32"]"#,
            vec![list(&[int(2), int(3), int(4)])],
            vec![],
            "expected a sequence with 2 values. got:",
        ),
        wrong(
            "testDictArgArityMismatch",
            DICT,
            vec![dict(&[("a", int(2)), ("b", int(3)), ("c", int(4))])],
            vec![],
            "expected a dict with 2 values. got:",
        ),
        wrong(
            "testDictArgKeyError",
            DICT,
            vec![dict(&[("a", int(2)), ("c", int(3))])],
            vec![],
            "could not get item 'b' from: ",
        ),
        wrong("testMissingPositional", THREE, vec![], vec![("a", int(1)), ("b", int(1))], arity),
        wrong("testMissingPositionalNdarray", THREE_ARRAYS, vec![], vec![("a", int(1)), ("b", int(1))], arity),
        wrong("testMissingKeyword", THREE, vec![int(-1)], one(), arity),
        wrong("testMissingKeywordNdArray", THREE_ARRAYS, vec![int(-1)], one(), arity),
        wrong(
            "testExtraKeyword",
            THREE,
            vec![int(-1)],
            vec![("a", int(1)), ("b", int(2)), ("c", int(3))],
            "specified kwarg 'c' is unknown",
        ),
        passed("testNdarrayArg", array("2xi32"), "view of 2xi32, \"i32\""),
        passed("testDeviceArrayArg", Value::Reference("device's 2xi32".into()), "device's 2xi32"),
        passed("testBufferViewArg", Value::Reference("view of 2xi32".into()), "view of 2xi32"),
    ]
}

fn results() -> Vec<Case> {
    let case = |name, results, returned, unpacked| Case {
        name,
        args: Some(""),
        results,
        returned,
        unpacked,
        ..Case::default()
    };
    let inner = items(vec![items(i32s(&[100, 200])), Item::I32(6)]);
    vec![
        case("testInlinedResults", r#"["slist","i32","i32"]"#, i32s(&[3, 4]), vec![list(&[int(3), int(4)])]),
        case(
            "testNestedResults",
            r#""i32",["slist",["sdict",["bar","i32"],["foo","i32"]],"i64"]"#,
            vec![Item::I32(3), inner],
            vec![int(3), list(&[dict(&[("bar", int(100)), ("foo", int(200))]), int(6)])],
        ),
        case("testReturnBufferView", ARRAY, vec![view("2xi32")], vec![array("2xi32")]),
        // The machine is told that bytes are truths.
        case(
            "testReturnTypeNdArrayBool",
            r#"["ndarray","i1",1,2]"#,
            vec![view("2xui8")],
            vec![array("2xui8 as \"i1\"")],
        ),
        case(
            "testReturnTypeList",
            r#"["py_homogeneous_list","i64"]"#,
            vec![items(i64s(&[1, 2]))],
            vec![list(&[int(1), int(2)])],
        ),
    ]
}

#[test]
fn cases() {
    let cases: Vec<Case> = [without_records(), arguments(), results()].into_iter().flatten().collect();
    assert_eq!(cases.len(), 28);
    for case in cases {
        let invoker = match case.args {
            None => Invoker::dynamic(),
            Some(args) => {
                let text = format!(r#"{{"a":[{args}],"r":[{}]}}"#, case.results);
                Invoker::new(Reflection::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", case.name)))
            }
        };
        let named = case.named.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
        let packed = invoker.pack(&mut Fake, case.given, named).map(|list| list.0).map_err(|e| e.to_string());
        match (case.packed, packed) {
            (Ok(wanted), packed) => {
                assert_eq!(packed, Ok(wanted), "{}", case.name);
                let unpacked = invoker.unpack(&mut Fake, &Items(case.returned, None));
                assert_eq!(unpacked, Ok(case.unpacked), "{}", case.name);
            }
            (Err(message), packed) => {
                let error = packed.expect_err(case.name);
                assert!(error.contains(message), "{}: {error}", case.name);
            }
        }
    }
}

/// What the records may look like, and what is said of others (upstream's `function.py`).
#[test]
fn malformed_records() {
    for (text, message) in [
        ("{", "reflection metadata is not valid JSON"),
        (r#"{"a":[]}"#, "malformed function reflection metadata: "),
        (r#"{"r":[]}"#, "malformed function reflection metadata: "),
        (r#"{"a":[],"r":{}}"#, "malformed function reflection metadata structure"),
        (r#"{"a":"i32","r":[]}"#, "malformed function reflection metadata structure"),
    ] {
        let error = Reflection::parse(text).unwrap_err().to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}
