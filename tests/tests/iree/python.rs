//! Gusset's records in IREE's own invoker for Python, and Gusset's invoker beside it: both take the same calls and pack the same
//! items, and both read the same results, but for the differences that are listed here ([`Difference`]).
//!
//! - `GUSSET_IREE_RECORDS` is the number of random records each way, `GUSSET_IREE_SEED` where they begin.

mod machine;
mod random;

use std::collections::BTreeMap;
use std::io::Write;

use fastrand::Rng;
use gusset_iree::{Invoker, Item, Record, Reflection, Shape, Value};
use gusset_tests::iree;
use gusset_tests::tools::{root, succeed, work_folder};
use machine::{Array, ELEMENTS, I, Items, Numpy, V, items_text, value_text};
use serde_json::{Value as Json, json};

/// Where the two may differ, and why.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Difference {
    /// Python's takes arguments with names by name alone. The document has them in their places, too.
    Names,
    /// Python's takes fewer kinds of records for arguments: no `i1`, `f16`, `bf16`, `null`, `unknown`, no lists of any length,
    /// no arrays of halves, complex numbers or references. The document has them.
    Arguments,
    /// Python's takes fewer kinds of records for results: no `i1`, no `unknown`, no arrays of references.
    Results,
    /// Where nothing is known of a value, Python's takes no truths, texts or `None`.
    Dynamic,
    /// Without an array Python's makes one of what there is, by NumPy, `None` included, and arrays of rank 0 are numbers, too. For
    /// Gusset null is a null reference, and an array no number.
    Numpy,
    /// Whatever has a length and items is a sequence in Python: texts, arrays, dictionaries; and anything empty is an empty
    /// dictionary.
    Sequences,
    /// Gusset truncates integers of a result to their bits, as the virtual machine says nothing of the upper ones.
    Truncated,
    /// Gusset takes an integer where a result is `f16` or `bf16`: its bits.
    Bits,
}

struct Case {
    /// None: there are no records at all.
    reflection: Option<Reflection>,
    args: Vec<V>,
    named: Vec<(String, V)>,
    results: Vec<I>,
}

impl Case {
    fn text(&self) -> Json {
        json!({
            "abi": self.reflection.as_ref().map(Reflection::to_string),
            "args": self.args.iter().map(value_text).collect::<Json>(),
            "named": self.named.iter().map(|(name, value)| json!([name, value_text(value)])).collect::<Json>(),
            "results": items_text(&self.results),
        })
    }

    fn invoker(&self) -> Invoker {
        self.reflection.clone().map_or_else(Invoker::dynamic, Invoker::new)
    }

    /// What Gusset's invoker makes of the arguments.
    fn pack(&self) -> Result<Json, String> {
        let packed = self.invoker().pack(&mut Numpy, self.args.clone(), self.named.clone());
        packed.map(|items| items_text(&items.0)).map_err(|e| e.to_string())
    }

    /// What Gusset's invoker makes of the results: nothing, one, or a tuple of several.
    fn unpack(&self) -> Result<Json, String> {
        let mut all = self.invoker().unpack(&mut Numpy, &Items(self.results.clone())).map_err(|e| e.to_string())?;
        Ok(value_text(&match all.len() {
            0 => Value::Null,
            1 => all.remove(0),
            _ => Value::Tuple(all),
        }))
    }
}

/// What the script says of these cases.
fn by_python(python: &iree::Iree, test: &str, cases: &[Case]) -> Vec<Json> {
    let input = work_folder("iree").join(format!("{test}.json"));
    let mut file = std::fs::File::create(&input).expect("the target folder is writable");
    for case in cases {
        writeln!(file, "{}", case.text()).expect("the target folder is writable");
    }
    let input = std::fs::File::open(&input).expect("it has just been written");
    let outcome = succeed(python.python().arg(root().join("tests/iree/invoke.py")).stdin(input));
    let text = outcome.unwrap_or_else(|e| panic!("{e}")).text();
    let lines: Vec<Json> =
        text.lines().map(|line| serde_json::from_str(line).expect("the script prints JSON")).collect();
    assert_eq!(lines.len(), cases.len());
    lines
}

/// What NumPy or Python's sequences make something of where the record says something else.
fn lenient(record: &Record, value: &V) -> Option<Difference> {
    let each = |slots: &[Record], values: &[V]| slots.iter().zip(values).find_map(|(slot, value)| lenient(slot, value));
    match (record, value) {
        (Record::Named { of, .. }, value) => lenient(of, value),
        (Record::Ndarray { .. }, Value::Array(_)) => None,
        (Record::Ndarray { .. }, _) | (Record::Integer(_) | Record::Float(_), Value::Array(_)) => {
            Some(Difference::Numpy)
        }
        (Record::List(slots) | Record::Tuple(slots), Value::List(values) | Value::Tuple(values)) => each(slots, values),
        (Record::List(_) | Record::Tuple(_), Value::Bytes(_) | Value::Array(_) | Value::Dict(_)) => {
            Some(Difference::Sequences)
        }
        (Record::Dict(slots), Value::Dict(values)) => {
            let value = |key: &str| values.iter().find(|pair| pair.0 == key);
            slots.iter().find_map(|(key, slot)| lenient(slot, &value(key)?.1))
        }
        (Record::Dict(slots), _) if slots.is_empty() => Some(Difference::Sequences),
        _ => None,
    }
}

/// Has it something that goes by the value alone, and that Python's does not take so?
fn unknown(value: &V) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Bytes(_) => true,
        Value::List(all) | Value::Tuple(all) => all.iter().any(unknown),
        Value::Dict(all) => all.iter().any(|pair| unknown(&pair.1)),
        _ => false,
    }
}

/// Of messages that both have, those that tell what is wrong.
const SAYINGS: [&str; 7] = [
    "mismatched call arity",
    "specified kwarg",
    "duplicate keyword argument",
    "expected a sequence with",
    "expected a dict with",
    "could not get item",
    "mismatched return arity",
];

/// An error unless both messages say the same, if Python's does.
fn same_saying(python: &str, gusset: &str) -> Result<(), String> {
    match SAYINGS.iter().find(|saying| python.contains(**saying)) {
        // Of what is no dictionary Python's counts the items first.
        Some(saying) if saying.ends_with("get item") && gusset.contains("expected a dict") => Ok(()),
        Some(saying) if !gusset.contains(saying) => Err(format!("Python says {python}, Gusset {gusset}")),
        _ => Ok(()),
    }
}

/// Compares how the arguments are packed.
fn compare_packed(case: &Case, python: Result<&Json, &str>) -> Result<Option<Difference>, String> {
    let gusset = case.pack();
    let Some(reflection) = &case.reflection else {
        return match (python, gusset) {
            (Ok(python), Ok(gusset)) if *python == gusset => Ok(None),
            (Err(_), Ok(_)) if case.args.iter().any(unknown) => Ok(Some(Difference::Dynamic)),
            (Err(_), Err(_)) => Ok(None),
            (python, gusset) => Err(format!("Python has {python:?}, Gusset {gusset:?}")),
        };
    };
    let records = &reflection.args;
    let all_taken = Reflection { args: records.clone(), results: vec![] }.python_takes();
    let of_name = |(name, value): &(String, V)| {
        let is_it = |record: &&Record| matches!(record, Record::Named { name: own, .. } if own == name);
        lenient(records.iter().find(is_it)?, value)
    };
    let lenient = records.iter().zip(&case.args).find_map(|(record, value)| lenient(record, value));
    let lenient = lenient.or_else(|| case.named.iter().find_map(of_name));
    let unnamed = records.iter().filter(|record| !matches!(record, Record::Named { .. })).count();
    match (python, gusset) {
        (Ok(python), Ok(gusset)) if *python == gusset => Ok(None),
        (Err(_), Ok(_)) if !all_taken => Ok(Some(Difference::Arguments)),
        (Err(said), Ok(_)) if case.args.len() > unnamed && said.contains("mismatched call arity") => {
            Ok(Some(Difference::Names))
        }
        (Ok(_), Ok(_) | Err(_)) | (Err(_), Ok(_)) if lenient.is_some() => Ok(lenient),
        (Err(said), Err(error)) => {
            // Both name the first error, but Python's looks at records and names first, and goes on where it is lenient.
            let same_first = all_taken && lenient.is_none() && case.args.len() <= unnamed;
            if same_first { same_saying(said, &error).map(|()| None) } else { Ok(None) }
        }
        (python, gusset) => Err(format!("Python has {python:?}, Gusset {gusset:?}")),
    }
}

/// An integer of `bits` that an item has more of, or bits of a half.
fn other_number(record: &Record, item: &I) -> Option<Difference> {
    let each =
        |slots: &[&Record], items: &[I]| slots.iter().zip(items).find_map(|(slot, item)| other_number(slot, item));
    match (record, item) {
        (Record::Integer(bits), Item::I64(n)) if *bits < 64 && *n != n << (64 - bits) >> (64 - bits) => {
            Some(Difference::Truncated)
        }
        (Record::Float(16) | Record::Bfloat, Item::I64(_)) => Some(Difference::Bits),
        (Record::Homogeneous(of), Item::List(items)) => items.0.iter().find_map(|item| other_number(of, item)),
        (record, Item::List(items)) => each(&record.slots()?, &items.0),
        _ => None,
    }
}

/// Compares what the caller gets.
fn compare_unpacked(case: &Case, python: Result<&Json, &str>) -> Result<Option<Difference>, String> {
    let gusset = case.unpack();
    let records = case.reflection.as_ref().map_or_else(Vec::new, Reflection::flat_results);
    let all_given = case.reflection.as_ref().is_none_or(Reflection::python_takes);
    let number = records.iter().zip(&case.results).find_map(|(record, item)| other_number(record, item));
    match (python, gusset) {
        (Ok(python), Ok(gusset)) if *python == gusset => Ok(None),
        (Err(_), Ok(_)) if !all_given => Ok(Some(Difference::Results)),
        (_, Ok(_)) if number.is_some() => Ok(number),
        // Python's makes an array of a list, and only then does not read it.
        (Err(_), Err(error)) if error.contains("no value of type `[\"ndarray\"") => Ok(None),
        (Err(said), Err(error)) if all_given && number.is_none() => same_saying(said, &error).map(|()| None),
        (Err(_), Err(_)) => Ok(None),
        (python, gusset) => Err(format!("Python has {python:?}, Gusset {gusset:?}")),
    }
}

/// Compares all cases; how often each difference is seen.
fn compare(test: &str, cases: &[Case]) -> BTreeMap<Option<Difference>, usize> {
    let Some(python) = iree::stock() else { return BTreeMap::new() };
    let mut seen = BTreeMap::new();
    let mut wrong = Vec::new();
    for (case, line) in cases.iter().zip(by_python(python, test, cases)) {
        let text = |key: &str| line[key].as_str();
        let packed = line.get("packed").ok_or_else(|| text("refused").unwrap_or_default());
        let mut both = vec![compare_packed(case, packed)];
        if line.get("packed").is_some() {
            both.push(compare_unpacked(case, line.get("unpacked").ok_or_else(|| text("failed").unwrap_or_default())));
        }
        for one in both {
            match one {
                Ok(difference) => *seen.entry(difference).or_insert(0) += 1,
                Err(e) => wrong.push(format!("{}\n  {e}", case.text())),
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n"));
    seen
}

/// The first number, or that of the environment.
fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// One of every kind of record.
fn kinds() -> Vec<Record> {
    let ndarray = |element: &Record, dims: &[Option<u64>]| Record::Ndarray {
        element: Box::new(element.clone()),
        shape: Shape::Ranked(dims.to_vec()),
    };
    let mut all: Vec<Record> = [1, 4, 8, 16, 32, 64, 128].map(Record::Integer).to_vec();
    all.extend([16, 32, 64, 80].map(Record::Float));
    all.extend([Record::Bfloat, Record::Complex(32), Record::Null, Record::Unknown]);
    all.extend(ELEMENTS.iter().map(|known| ndarray(&known.0, &[Some(2), None])));
    let number = Record::Integer(32);
    all.extend(
        [Record::Bfloat, Record::Integer(4), Record::Unknown, Record::List(vec![])].map(|of| ndarray(&of, &[None])),
    );
    all.push(ndarray(&number, &[]));
    all.push(Record::Ndarray { element: Box::new(number.clone()), shape: Shape::Unranked });
    all.extend([vec![], vec![number.clone()], vec![number.clone(), Record::Null]].map(Record::List));
    all.extend([vec![], vec![number.clone(), Record::Float(64)]].map(Record::Tuple));
    let slot = |key: &str, of: Record| (key.to_string(), of);
    all.push(Record::Dict(vec![]));
    all.push(Record::Dict(vec![slot("b", number.clone()), slot("a", Record::Integer(8))]));
    all.push(Record::Dict(vec![slot("x", Record::List(vec![Record::Tuple(vec![number.clone()])]))]));
    all.push(Record::Homogeneous(Box::new(number.clone())));
    all.push(Record::Homogeneous(Box::new(Record::Unknown)));
    all
}

/// Values of every kind, some at the ends of what fits.
fn values() -> Vec<V> {
    let int = |n| Value::Integer(n);
    let mut all = vec![Value::Null, Value::Bool(true), Value::Float(1.0), Value::Float(2.5), Value::Float(1e30)];
    all.extend([0, 1, -1, 127, 128, -128, -129, 32767, 32768, 1 << 31, (1 << 31) - 1, i64::MIN, i64::MAX].map(int));
    all.extend(["", "x"].map(|text| Value::Bytes(text.into())));
    let lists =
        [vec![], vec![int(1)], vec![int(1), int(2)], vec![int(1), Value::Null], vec![Value::List(vec![int(1)])]];
    all.extend(lists.iter().cloned().map(Value::List));
    all.extend(lists.into_iter().map(Value::Tuple));
    let dict = |keys: &[&str]| Value::Dict(keys.iter().map(|key| (key.to_string(), int(1))).collect());
    all.extend([&[][..], &["a"], &["x"], &["a", "b"], &["a", "c"], &["a", "b", "c"]].map(dict));
    let nested = Value::List(vec![Value::Tuple(vec![int(5)])]);
    all.push(Value::Dict(vec![("x".into(), nested)]));
    all.extend([vec![], vec![2], vec![2, 3], vec![0, 1]].map(|dims| Value::Array(Array::of("f32", dims))));
    all.extend(ELEMENTS.iter().filter(|known| known.3).map(|known| Value::Array(Array::of(known.1, vec![2]))));
    all
}

/// Every kind of record with every kind of value as an argument, and without any record.
#[test]
fn arguments() {
    let mut cases = Vec::new();
    for value in values() {
        let case = |reflection| Case { reflection, args: vec![value.clone()], named: vec![], results: vec![] };
        cases.push(case(None));
        cases.extend(kinds().into_iter().map(|record| case(Some(Reflection { args: vec![record], results: vec![] }))));
    }
    cases.extend(names());
    let seen = compare("arguments", &cases);
    if !seen.is_empty() {
        use Difference::*;
        // What is listed is there.
        for difference in [Names, Arguments, Dynamic, Numpy, Sequences] {
            assert!(seen.contains_key(&Some(difference)), "{difference:?}: {seen:?}");
        }
        assert!(seen[&None] > 1000, "{seen:?}");
    }
}

/// Arguments with names, given and left out.
fn names() -> Vec<Case> {
    let named = |name: &str| Record::Named { name: name.into(), of: Box::new(Record::Integer(32)) };
    let orders = [
        vec![Record::Integer(32), named("a"), named("b")],
        vec![named("a"), Record::Integer(32)],
        vec![named("a"), named("b")],
        vec![Record::Integer(32), Record::Integer(32)],
    ];
    let mut cases = Vec::new();
    for args in orders {
        for count in 0..4 {
            for names in [&[][..], &["a"], &["b"], &["b", "a"], &["a", "c"], &["a", "b", "c"]] {
                cases.push(Case {
                    reflection: Some(Reflection { args: args.clone(), results: vec![] }),
                    args: (0..count).map(Value::Integer).collect(),
                    named: names.iter().map(|name| (name.to_string(), Value::Integer(9))).collect(),
                    results: vec![],
                });
            }
        }
    }
    cases
}

/// Every kind of record with every kind of item as a result, alone and beside another, and without any record.
#[test]
fn results() {
    let list = |all: &[I]| Item::List(Items(all.to_vec()));
    let int = |n| Item::I64(n);
    let mut items: Vec<I> = [0, 1, -1, 127, 300, 0x3c00, 1 << 40].map(int).to_vec();
    items.extend([0.0, 2.5].map(Item::F64));
    items.extend([&[][..], &[int(1)], &[int(1), int(2)], &[list(&[int(1)])], &[int(1), Item::F64(2.0)]].map(list));
    items.push(list(&[list(&[list(&[])]), list(&[int(1)])]));
    items.extend(ELEMENTS.iter().map(|known| Item::Reference(Array::of(known.1, vec![2, 1]))));
    let mut cases = Vec::new();
    for item in items {
        let mut case = |results: Option<Vec<Record>>, items: Vec<I>| {
            let reflection = results.map(|results| Reflection { args: vec![], results });
            cases.push(Case { reflection, args: vec![], named: vec![], results: items });
        };
        case(None, vec![item.clone()]);
        case(None, vec![item.clone(), item.clone()]);
        for record in kinds() {
            case(Some(vec![record.clone()]), vec![item.clone()]);
            case(Some(vec![record.clone()]), vec![item.clone(), item.clone()]);
            case(Some(vec![Record::Integer(64), record]), vec![int(7), item.clone()]);
        }
    }
    let seen = compare("results", &cases);
    if !seen.is_empty() {
        for difference in [Difference::Results, Difference::Truncated, Difference::Bits] {
            assert!(seen.contains_key(&Some(difference)), "{difference:?}: {seen:?}");
        }
        assert!(seen[&None] > 1000, "{seen:?}");
    }
}

/// Random records in each other.
#[test]
fn random_records() {
    let (count, first) = (setting("GUSSET_IREE_RECORDS", 200), setting("GUSSET_IREE_SEED", 1));
    let mut cases = Vec::new();
    for seed in first..first + count {
        let rng = &mut Rng::with_seed(seed);
        let odd = [8, 40, 1000][rng.usize(..3)];
        let records: Vec<Record> = (0..rng.u8(1..4)).map(|_| random::record(rng, 4)).collect();
        let mut case = Case { reflection: None, args: vec![], named: vec![], results: vec![] };
        for record in &records {
            case.args.push(random::value(rng, record, odd));
        }
        let mut args = records.clone();
        // Some are given by name.
        if rng.u8(..4) == 0 {
            let (record, value) = (args.pop().unwrap_or(Record::Null), case.args.pop().unwrap_or(Value::Null));
            args.push(Record::Named { name: "k".into(), of: Box::new(record) });
            case.named.push(("k".into(), value));
        }
        case.reflection = Some(Reflection { args, results: vec![] });
        let text = case.reflection.as_ref().map(Reflection::to_string).unwrap_or_default();
        assert_eq!(Reflection::parse(&text).ok(), case.reflection, "{text}");
        cases.push(case);
        let reflection = Reflection { args: vec![], results: records };
        let results = random::items(rng, reflection.flat_results().into_iter(), odd);
        cases.push(Case { reflection: Some(reflection), args: vec![], named: vec![], results });
    }
    let seen = compare("random", &cases);
    let same = seen.get(&None).copied().unwrap_or_default() as u64;
    assert!(seen.is_empty() || same * 2 > count * 2, "{seen:?}");
}
