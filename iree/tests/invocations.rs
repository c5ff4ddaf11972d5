//! Calls by records: what callers give becomes lists of the virtual machine's items, and back. Where IREE 3.13's own invoker for
//! Python takes a call, the items are those that it makes.

mod common;

use common::{Fake, I, Items, V, dict, int, items, list};
use gusset_iree::{Invoker, Item, Machine, Record, Reflection, Shape, Strided, Value};

fn items_of(element: &str, all: Vec<I>) -> I {
    Item::List(Items(all, Some(element.into())))
}

fn invoker(reflection: &str) -> Invoker {
    match reflection {
        "" => Invoker::dynamic(),
        text => Invoker::new(Reflection::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))),
    }
}

fn pack(a: &str, args: &[V], named: &[(&str, V)]) -> Result<Vec<I>, String> {
    let reflection = if a.is_empty() { String::new() } else { format!(r#"{{"a":[{a}],"r":[]}}"#) };
    let named = named.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
    invoker(&reflection).pack(&mut Fake, args.to_vec(), named).map(|l| l.0).map_err(|e| e.to_string())
}

fn unpack(r: &str, results: &[I]) -> Result<Vec<V>, String> {
    let reflection = if r.is_empty() { String::new() } else { format!(r#"{{"a":[],"r":[{r}]}}"#) };
    invoker(&reflection).unpack(&mut Fake, &Items(results.to_vec(), None)).map_err(|e| e.to_string())
}

#[test]
fn without_records() {
    let nested = list(&[int(1), Value::Tuple(vec![Value::Float(2.0)])]);
    assert_eq!(
        pack("", &[int(1 << 40), Value::Float(2.5), nested, dict(&[("b", int(3)), ("a", int(2))])], &[]),
        Ok(vec![
            Item::I64(1 << 40),
            Item::F64(2.5),
            items(vec![Item::I64(1), items(vec![Item::F64(2.0)])]),
            items(vec![Item::I64(2), Item::I64(3)]),
        ])
    );
    assert_eq!(pack("", &[Value::Array("x".into())], &[]), Ok(vec![Item::Reference("view of x".into())]));
    assert_eq!(
        pack("", &[Value::Bytes(b"h\xff".to_vec())], &[]),
        Ok(vec![items_of("\"i8\"", vec![Item::I8(104), Item::I8(-1)])])
    );
    assert!(pack("", &[], &[("a", int(1))]).unwrap_err().contains("says no names"));
    let results = [Item::I8(1), Item::F32(0.5), Item::Null, items(vec![Item::I64(2)])];
    assert_eq!(unpack("", &results), Ok(vec![int(1), Value::Float(0.5), Value::Null, list(&[int(2)])]));
    let references = [Item::Reference("view of x".into()), Item::Reference("other".into())];
    assert_eq!(unpack("", &references), Ok(vec![Value::Array("x".into()), Value::Reference("other".into())]));
}

#[test]
fn numbers() {
    for (record, value, item) in [
        (r#""i1""#, Value::Bool(true), Item::I32(1)),
        (r#""i1""#, int(0), Item::I32(0)),
        (r#""i8""#, int(-128), Item::I8(-128)),
        (r#""i8""#, Value::Bool(true), Item::I8(1)),
        (r#""i16""#, int(300), Item::I16(300)),
        (r#""i32""#, int(300), Item::I32(300)),
        (r#""i64""#, int(1 << 33), Item::I64(1 << 33)),
        (r#""f32""#, int(1), Item::F32(1.0)),
        (r#""f64""#, Value::Float(1.5), Item::F64(1.5)),
        (r#""f16""#, Value::Float(-2.0), Item::I32(0xc000)),
        (r#""bf16""#, Value::Float(1.0), Item::I32(0x3f80)),
        ("null", Value::Null, Item::Null),
        (r#""unknown""#, int(5), Item::I64(5)),
    ] {
        assert_eq!(pack(record, std::slice::from_ref(&value), &[]), Ok(vec![item]), "{record}");
    }
    for (record, value, message) in [
        (r#""i1""#, int(2), "at `/a/0`: 2 does not fit `i1`"),
        (r#""i8""#, int(200), "200 does not fit `i8`"),
        (r#""i32""#, int(1 << 33), "does not fit `i32`"),
        (r#""i32""#, Value::Float(1.5), "expected an integer, got a floating-point number"),
        (r#""i32""#, Value::Null, "expected an integer, got null"),
        (r#""f32""#, Value::Bytes(b"1".to_vec()), "expected a number, got a string"),
        (r#""i4""#, int(1), "no values of type `i4`"),
        (r#""complex<f32>""#, int(1), "no values of type"),
        ("null", int(1), "expected null, got an integer"),
    ] {
        let error = pack(record, &[value], &[]).unwrap_err();
        assert!(error.contains(message), "{record}: {error}");
    }
    for (record, item, value) in [
        (r#""i1""#, Item::I32(3), Value::Bool(true)),
        // The upper bits of small integers are not to be trusted.
        (r#""i8""#, Item::I32(200), int(-56)),
        (r#""i32""#, Item::I64(5), int(5)),
        (r#""f16""#, Item::I32(0xc000), Value::Float(-2.0)),
        (r#""bf16""#, Item::F32(0.5), Value::Float(0.5)),
        (r#""f32""#, Item::F32(0.5), Value::Float(0.5)),
        ("null", Item::Null, Value::Null),
        (r#""unknown""#, Item::I64(7), int(7)),
    ] {
        assert_eq!(unpack(record, &[item]), Ok(vec![value]), "{record}");
    }
    for (record, item) in [(r#""f32""#, Item::I64(5)), (r#""i32""#, Item::F64(5.0)), (r#""i8""#, Item::Null)] {
        assert!(unpack(record, &[item]).unwrap_err().starts_with("at `/r/0`: the result is "), "{record}");
    }
}

/// Arguments with names are given in their places or by name.
#[test]
fn names() {
    const THREE: &str = r#""i32",["named","a","i32"],["named","b","f32"]"#;
    let all = Ok(vec![Item::I32(1), Item::I32(2), Item::F32(3.0)]);
    assert_eq!(pack(THREE, &[int(1), int(2), int(3)], &[]), all);
    assert_eq!(pack(THREE, &[int(1), int(2)], &[("b", int(3))]), all);
    assert_eq!(pack(THREE, &[int(1)], &[("b", int(3)), ("a", int(2))]), all);
    for (args, named, message) in [
        (&[][..], &[("a", int(2)), ("b", int(3))][..], "expected a value for argument 0"),
        (&[int(1)], &[("a", int(2))], "at `/a/2`: mismatched call arity: expected a value for argument 2"),
        (&[int(1), int(2)], &[("a", int(2)), ("b", int(3))], "duplicate keyword argument 'a'"),
        (&[int(1)], &[("a", int(2)), ("a", int(2))], "duplicate keyword argument 'a'"),
        (&[int(1), int(2), int(3)], &[("c", int(2))], "specified kwarg 'c' is unknown"),
        (&[int(1), int(2), int(3), int(4)], &[], "mismatched call arity: expected 3 got 4"),
    ] {
        let error = pack(THREE, args, named).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn compound_arguments() {
    let pair = Ok(vec![items(vec![Item::I32(1), Item::F32(2.0)])]);
    assert_eq!(pack(r#"["slist","i32","f32"]"#, &[list(&[int(1), int(2)])], &[]), pair);
    assert_eq!(pack(r#"["stuple","i32","f32"]"#, &[list(&[int(1), int(2)])], &[]), pair);
    assert_eq!(pack(r#"["slist","i32","f32"]"#, &[Value::Tuple(vec![int(1), int(2)])], &[]), pair);
    // In the record's order, whatever the caller's.
    let given = dict(&[("a", int(1)), ("b", int(2))]);
    let packed = Ok(vec![items(vec![Item::I32(2), Item::I32(1)])]);
    assert_eq!(pack(r#"["sdict",["b","i32"],["a","i32"]]"#, std::slice::from_ref(&given), &[]), packed);
    let gap = pack(r#"["slist",null,"i8"]"#, &[list(&[Value::Null, int(1)])], &[]);
    assert_eq!(gap, Ok(vec![items(vec![Item::Null, Item::I8(1)])]));
    let deep = pack(
        r#"["py_homogeneous_list",["sdict",["x",["stuple","i8"]]]]"#,
        &[list(&[dict(&[("x", list(&[int(1)]))])])],
        &[],
    );
    let inner = items(vec![items(vec![Item::I8(1)])]);
    assert_eq!(deep, Ok(vec![items_of(r#"["sdict",["x",["stuple","i8"]]]"#, vec![inner])]));
    for (record, value, message) in [
        (r#"["slist","i32","f32"]"#, list(&[int(1)]), "expected a sequence with 2 values"),
        (r#"["stuple","i32"]"#, Value::Bytes(b"a".to_vec()), "expected a sequence with 1 values. got: a string"),
        (
            r#"["slist","i32",["slist","i8"]]"#,
            list(&[int(1), list(&[Value::Null])]),
            "at `/a/0/2/1`: expected an integer",
        ),
        (r#"["sdict",["b","i32"]]"#, dict(&[("a", int(1))]), "at `/a/0/1`: could not get item 'b' from: a"),
        (r#"["sdict",["b","i32"]]"#, given, "expected a dict with 1 values. got: 2 values"),
        (r#"["sdict",["b","i32"]]"#, list(&[int(1)]), "expected a dict with 1 values. got: a list"),
        (r#"["py_homogeneous_list","i8"]"#, int(1), "expected a sequence, got an integer"),
        (r#"["ndarray","f32",2,2,2]"#, int(1), "expected an array, got an integer"),
        (r#"["ndarray","f32",2,2,2]"#, Value::Array("3x3".into()), "at `/a/0`: not 2x2"),
    ] {
        let error = pack(record, &[value], &[]).unwrap_err();
        assert!(error.contains(message), "{record}: {error}");
    }
    let view = pack(r#"["ndarray","f32",2,2,2]"#, &[Value::Array("2x2".into())], &[]);
    assert_eq!(view, Ok(vec![Item::Reference("view of 2x2, \"f32\"".into())]));
}

#[test]
fn compound_results() {
    let two = [Item::I32(1), Item::I32(2)];
    assert_eq!(unpack(r#""i32","i32""#, &two), Ok(vec![int(1), int(2)]));
    // A list, tuple or dictionary alone: its slots are results of their own.
    assert_eq!(unpack(r#"["slist","i32","i32"]"#, &two), Ok(vec![list(&[int(1), int(2)])]));
    assert_eq!(unpack(r#"["stuple","i32","i32"]"#, &two), Ok(vec![Value::Tuple(vec![int(1), int(2)])]));
    let named = dict(&[("x", int(1)), ("y", int(2))]);
    assert_eq!(unpack(r#"["sdict",["x","i32"],["y","i32"]]"#, &two), Ok(vec![named.clone()]));
    // Beside others each is a list.
    let nested = [items(two.to_vec()), items(vec![])];
    assert_eq!(unpack(r#"["sdict",["x","i32"],["y","i32"]],["slist"]"#, &nested), Ok(vec![named, list(&[])]));
    let of_any_length = unpack(r#"["py_homogeneous_list","i32"]"#, &[items(two.to_vec())]);
    assert_eq!(of_any_length, Ok(vec![list(&[int(1), int(2)])]));
    assert_eq!(
        unpack(r#"["ndarray","f32",null]"#, &[Item::Reference("view of x".into())]),
        Ok(vec![Value::Array("x".into())])
    );
    assert_eq!(unpack(r#"["ndarray","f32",null]"#, &[Item::Null]), Ok(vec![Value::Null]));
    for (record, results, message) in [
        ("", &[items(vec![])][..], ""),
        (r#""i32""#, &two, "at `/r`: mismatched return arity: 2 vs 1"),
        (r#"["slist","i32"]"#, &two, "at `/r/0`: mismatched return arity: 2 vs 1"),
        (r#""i8",["stuple","i8"]"#, &[Item::I8(1), items(two.to_vec())], "at `/r/1`: mismatched return arity"),
        (r#""i8",["stuple","i8"]"#, &[Item::I8(1), items(vec![Item::F32(1.0)])], "at `/r/1/1`: the result is"),
        (r#"["ndarray","f32",null]"#, &[Item::I32(1)], "the result is an integer"),
        (r#"["ndarray","f32",null]"#, &[Item::Reference("x".into())], "no view"),
    ] {
        match unpack(record, results) {
            Ok(_) => assert!(message.is_empty(), "{record}"),
            Err(error) => assert!(!message.is_empty() && error.contains(message), "{record}: {error}"),
        }
    }
}

/// Arrays of references: a list of the elements, and one of the dimensions.
#[test]
fn arrays_of_references() {
    const RECORD: &str = r#"["ndarray",["slist","i8"],2,null,2]"#;
    let cell = |n: i64| list(&[int(n)]);
    let rows = list(&[list(&[cell(1), cell(2)]), list(&[cell(3), cell(4)]), list(&[cell(5), cell(6)])]);
    let packed = pack(RECORD, std::slice::from_ref(&rows), &[]).unwrap();
    let elements = (1..=6).map(|n| items(vec![Item::I8(n)])).collect();
    let (of, dims) = (r#"["slist","i8"]"#, vec![Item::I64(3), Item::I64(2)]);
    let both = items(vec![items_of(of, elements), items_of("\"i64\"", dims)]);
    assert_eq!(packed, vec![both]);
    assert_eq!(unpack(RECORD, &packed), Ok(vec![rows]));
    let empty = list(&[]);
    let packed = pack(RECORD, std::slice::from_ref(&empty), &[]).unwrap();
    assert_eq!(unpack(RECORD, &packed), Ok(vec![empty]));
    for (value, message) in [
        (list(&[list(&[cell(1)])]), "dimension 1 has 1 values, and 2 elsewhere"),
        (list(&[list(&[cell(1), cell(2)]), cell(3)]), "dimension 1 has 1 values"),
        (list(&[int(1)]), "dimension 1 is no sequence, but an integer"),
        (list(&[list(&[cell(1), cell(200)])]), "at `/a/0/1/1`: 200 does not fit"),
    ] {
        let error = pack(RECORD, &[value], &[]).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
    let sizes = |dims: &[i64]| items(vec![items(vec![]), items(dims.iter().map(|&n| Item::I64(n)).collect())]);
    for (dims, message) in [
        (&[1i64, 2][..], "its dimensions are others"),
        (&[0], "its dimensions are others"),
        (&[-1, 2], "a dimension is no size"),
    ] {
        assert!(unpack(RECORD, &[sizes(dims)]).unwrap_err().contains(message), "{dims:?}");
    }
    let error = unpack(r#"["ndarray",null,2,null,null]"#, &[sizes(&[1 << 40, 0])]).unwrap_err();
    assert!(error.contains("too many rows"), "{error}");
    assert!(unpack(RECORD, &[items(vec![])]).unwrap_err().contains("there are not two"));
}

/// A string is a list of bytes (IREE, "Function ABI", "String").
#[test]
fn strings() {
    const RECORD: &str = r#"["py_homogeneous_list","i8"]"#;
    let text = "h\u{e4}".as_bytes();
    let bytes: Vec<I> = text.iter().map(|&b| Item::I8(b as i8)).collect();
    let packed = pack(RECORD, &[Value::Bytes(text.to_vec())], &[]);
    assert_eq!(packed, Ok(vec![items_of("\"i8\"", bytes.clone())]));
    assert_eq!(pack(r#""unknown""#, &[Value::Bytes(text.to_vec())], &[]), packed);
    let back = unpack(RECORD, &packed.unwrap()).unwrap().remove(0);
    assert_eq!(back.clone().bytes(), Some(text.to_vec()));
    // The same as integers.
    assert_eq!(pack(RECORD, &[back], &[]), Ok(vec![items_of("\"i8\"", bytes)]));
    assert_eq!(V::Bytes(text.to_vec()).bytes(), Some(text.to_vec()));
    for value in [list(&[int(200)]), list(&[Value::Null]), int(1)] {
        assert_eq!(value.bytes(), None);
    }
    let error = pack(r#"["py_homogeneous_list","i16"]"#, &[Value::Bytes(vec![1])], &[]).unwrap_err();
    assert!(error.contains("expected a sequence, got a string"), "{error}");
}

/// Arrays with strides (IREE, "Function ABI", "Reference Types").
#[test]
fn strided_arrays() {
    let strided = |offset, sizes: &[u64], strides: &[i64]| Strided {
        buffer: "12".to_string(),
        offset,
        sizes: sizes.to_vec(),
        strides: strides.to_vec(),
    };
    // Columns of a matrix of three by four, from the last one.
    let columns = strided(3, &[4, 3], &[-1, 4]);
    let numbers = |all: &[i64]| items_of("\"i64\"", all.iter().map(|&n| Item::I64(n)).collect());
    let four = items(vec![Item::Reference("12".into()), Item::I64(3), numbers(&[4, 3]), numbers(&[-1, 4])]);
    let record = Strided::<String>::record().to_string();
    assert_eq!(record, r#"["stuple","unknown","i64",["py_homogeneous_list","i64"],["py_homogeneous_list","i64"]]"#);
    for record in ["", r#""unknown""#, &record] {
        assert_eq!(pack(record, &[Value::Strided(columns.clone())], &[]), Ok(vec![four.clone()]), "{record}");
    }
    // Beside another result, as the slots of the only one are results of their own.
    let back = unpack(&format!(r#"{record},"i8""#), &[four, Item::I8(0)]).unwrap().remove(0);
    assert_eq!(back.strided(), Some(columns.clone()));
    // Dense where the function wants that.
    let copy = Ok(vec![Item::Reference("view of [3, 7, 11, 2, 6, 10, 1, 5, 9, 0, 4, 8], \"i8\"".into())]);
    assert_eq!(pack(r#"["ndarray","i8",2,4,null]"#, &[Value::Strided(columns.clone())], &[]), copy);
    assert_eq!(pack(r#"["ndarray","i8",null]"#, &[Value::Strided(columns.clone())], &[]), copy);
    for (record, value, message) in [
        (r#"["ndarray","i8",2,3,3]"#, columns.clone(), "at `/a/0`: an array of sizes [4, 3] is no"),
        (r#"["ndarray","i8",null]"#, strided(0, &[1], &[1, 1]), "an array of sizes [1] is no"),
        (r#""i8""#, columns.clone(), "expected an integer, got an array with strides"),
        (r#"["stuple","i8"]"#, columns.clone(), "expected a sequence with 1 values. got: an array with strides"),
        (r#"["ndarray","i8",null]"#, strided(2, &[4, 3], &[-1, 4]), "has elements -1 to 10 of a buffer of 12"),
        (r#"["ndarray","i8",null]"#, strided(4, &[4, 3], &[-1, 4]), "has elements 1 to 12 of a buffer of 12"),
        (r#"["ndarray","i8",null]"#, strided(0, &[1 << 40], &[0]), "takes more than 1024 bytes"),
        (r#"["ndarray","i8",null]"#, strided(0, &[u64::MAX, u64::MAX], &[1, 1]), "takes more than"),
        ("", strided(0, &[u64::MAX], &[1]), "fewer than 2^63 elements"),
        ("", strided(0, &[1], &[]), "as many sizes as strides"),
    ] {
        let error = pack(record, &[Value::Strided(value)], &[]).unwrap_err();
        assert!(error.contains(message), "{record}: {error}");
    }
    let bytes: Vec<u8> = (0..24).collect();
    for (array, dense, gathered) in [
        (strided(0, &[2, 3], &[3, 1]), true, vec![0, 1, 2, 3, 4, 5]),
        (strided(1, &[2, 1, 2], &[2, 99, 1]), true, vec![1, 2, 3, 4]),
        (strided(5, &[], &[]), true, vec![5]),
        (strided(-9, &[0, 4], &[7, 7]), true, vec![]),
        (strided(7, &[3], &[0]), false, vec![7, 7, 7]),
        (strided(0, &[2, 2], &[1, 2]), false, vec![0, 2, 1, 3]),
    ] {
        assert_eq!(array.is_dense(), dense, "{array:?}");
        assert_eq!(array.gather(&bytes, 1, 100), Ok(gathered.clone()));
        let pairs: Vec<u8> = gathered.iter().flat_map(|&n: &u8| [2 * n, 2 * n + 1]).collect();
        assert_eq!(array.gather(&bytes, 2, 100), Ok(pairs));
    }
    let odd = strided(11, &[2], &[i64::MAX]);
    assert!(odd.gather(&bytes, 1, 100).is_err() && !odd.is_dense());
    // Half an element is none.
    assert!(strided(0, &[2], &[1]).gather(&bytes[..15], 8, 100).is_err());
}

/// A machine whose lists are numbers of them.
#[derive(Clone, PartialEq, Debug, Default)]
struct Lists(Vec<Vec<Item<Lists>>>);

impl Machine for Lists {
    type List = usize;
    type Reference = ();
    type Array = ();
    type Error = String;

    fn new_list(&mut self, _: Option<&Record>, _: usize) -> Result<usize, String> {
        self.0.push(Vec::new());
        Ok(self.0.len() - 1)
    }
    fn push(&mut self, list: &mut usize, item: Item<Lists>) -> Result<(), String> {
        self.0[*list].push(item);
        Ok(())
    }
    fn len(&self, list: &usize) -> usize {
        self.0[*list].len()
    }
    fn get(&mut self, list: &usize, number: usize) -> Result<Item<Lists>, String> {
        self.0[*list].get(number).cloned().ok_or_else(|| "there is no such item".into())
    }
    fn pass(&mut self, (): (), _: Option<(&Record, &Shape)>) -> Result<(), String> {
        Ok(())
    }
    fn dense(&mut self, _: Strided<()>, _: &Record, _: &Shape) -> Result<(), String> {
        Ok(())
    }
    fn take(&mut self, (): (), _: Option<(&Record, &Shape)>) -> Result<Value<Lists>, String> {
        Ok(Value::Null)
    }
}

/// Nothing that is done to values runs out of stack.
#[test]
fn nested_as_deep_as_one_likes() {
    const DEPTH: usize = 30_000;
    type Around = fn(Value<Lists>) -> Value<Lists>;
    let list: Around = |inner| Value::List(vec![inner]);
    let dict: Around = |inner| Value::Dict(vec![("k".into(), inner)]);
    for (before, after, around) in [
        ("[\"slist\",", "]", list),
        ("[\"sdict\",[\"k\",", "]]", dict),
        ("[\"py_homogeneous_list\",", "]", list),
        // Of references: of numbers it would be an array of the machine's.
        ("[\"ndarray\",", ",1,1]", list),
        // Without records.
        ("", "", list),
        ("", "", dict),
    ] {
        let records = format!("{}[\"slist\",\"i64\"]{}", before.repeat(DEPTH - 1), after.repeat(DEPTH - 1));
        let value = |innermost| (0..DEPTH - 1).fold(Value::List(vec![innermost]), |inner, _| around(inner));
        // Beside another one, so that results are not the slots of a list.
        let text = format!(r#"{{"a":[{records},"i64"],"r":[{records},"i64"]}}"#);
        let invoker = if before.is_empty() { Invoker::dynamic() } else { invoker(&text) };
        let mut machine = Lists::default();
        let packed = invoker
            .pack(&mut machine, vec![value(int_of(7)), int_of(8)], vec![])
            .unwrap_or_else(|e| panic!("{}", e.message));
        let mut back = invoker.unpack(&mut machine, &packed).unwrap_or_else(|e| panic!("{}", e.message));
        assert!(back.pop() == Some(int_of(8)) && back.len() == 1);
        // Taken apart from the outside on, as values are dropped by recursion.
        let (mut inner, mut depth) = (back.remove(0), 0);
        inner = loop {
            inner = match inner {
                Value::List(mut all) if all.len() == 1 => all.remove(0),
                Value::Dict(mut all) if all.len() == 1 => all.remove(0).1,
                other => break other,
            };
            depth += 1;
        };
        assert!(inner == int_of(7) && depth == DEPTH, "{before}: {depth}");
        if !before.is_empty() {
            let wrong = vec![value(Value::Float(0.5)), int_of(8)];
            let error = invoker.pack(&mut machine, wrong, vec![]).unwrap_err();
            assert!(error.message.contains("expected an integer"), "{}", error.message);
        }
    }
}

fn int_of(n: i64) -> Value<Lists> {
    Value::Integer(n)
}
