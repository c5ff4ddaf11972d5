//! How IREE's own invoker in Python treats records (`iree.runtime`, `function.py`, and `invoke.cc` which it uses).

use crate::record::{Record, Reflection};

impl Reflection {
    /// Whether IREE's invoker in Python 3.10 to 3.13 accepts each argument by its record and position, and returns each
    /// result. Otherwise it can call the function only if the function has no records. A name is no obstacle, but such
    /// an argument is accepted by name only.
    pub fn python_takes(&self) -> bool {
        self.args.iter().all(|record| every(record.unnamed(), takes))
            && self.results.iter().all(|record| every(record, gives))
    }
}

/// Whether the condition holds for this record and all records that it contains.
fn every(record: &Record, holds: fn(&Record) -> bool) -> bool {
    let mut rest = vec![record];
    while let Some(record) = rest.pop() {
        if !holds(record) {
            return false;
        }
        if !matches!(record, Record::Ndarray { .. }) {
            rest.extend(record.inner());
        }
    }
    true
}

/// Whether a value of this record is accepted as an argument, provided that its contents are.
fn takes(record: &Record) -> bool {
    match record {
        Record::Integer(bits) => matches!(bits, 8 | 16 | 32 | 64),
        Record::Float(bits) => matches!(bits, 32 | 64),
        // The element type is looked up in a table that also has booleans.
        Record::Ndarray { element, .. } => matches!(**element, Record::Integer(1)) || is_plain(element),
        Record::List(_) | Record::Tuple(_) | Record::Dict(_) => true,
        // A named record is an argument, not a slot of one.
        _ => false,
    }
}

/// Whether it is a number that is also accepted by itself.
fn is_plain(element: &Record) -> bool {
    matches!(element, Record::Integer(_) | Record::Float(_)) && takes(element)
}

/// Whether a value of this record is returned as a result, provided that its contents are.
fn gives(record: &Record) -> bool {
    match record {
        Record::Integer(bits) => matches!(bits, 8 | 16 | 32 | 64),
        Record::Float(bits) => matches!(bits, 16 | 32 | 64),
        // Null says that nothing is known, which makes the result dynamic.
        Record::Bfloat | Record::Null => true,
        // From 3.12 on also halves and complex numbers.
        Record::Ndarray { element, .. } => match **element {
            Record::Integer(bits) => matches!(bits, 1 | 8 | 16 | 32 | 64),
            Record::Float(bits) => matches!(bits, 32 | 64),
            _ => false,
        },
        Record::List(_) | Record::Tuple(_) | Record::Dict(_) | Record::Homogeneous(_) => true,
        Record::Complex(_) | Record::Unknown | Record::Named { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(text: &str) -> bool {
        Reflection::parse(text).unwrap().python_takes()
    }

    /// As run with 3.10 and 3.13.
    #[test]
    fn as_the_invoker_decides() {
        for record in [
            "\"i8\"",
            "\"i16\"",
            "\"i32\"",
            "\"i64\"",
            "\"f32\"",
            "\"f64\"",
            "[\"ndarray\",\"i1\",1,4]",
            "[\"ndarray\",\"f32\",null]",
            "[\"ndarray\",\"i64\",2,null,3]",
            "[\"slist\",\"i32\",[\"stuple\",\"f32\"]]",
            "[\"sdict\",[\"a\",[\"ndarray\",\"f64\",0]]]",
        ] {
            assert!(takes(&format!(r#"{{"a":[{record}],"r":[]}}"#)), "{record} as argument");
            assert!(takes(&format!(r#"{{"a":[],"r":[{record}]}}"#)), "{record} as result");
        }
        assert!(takes(r#"{"a":[["named","x","i32"]],"r":[]}"#));
        for record in ["\"f16\"", "\"bf16\"", "null", "[\"slist\",null]", "[\"py_homogeneous_list\",\"i32\"]"] {
            assert!(!takes(&format!(r#"{{"a":[{record}],"r":[]}}"#)), "{record} as argument");
            assert!(takes(&format!(r#"{{"a":[],"r":[{record}]}}"#)), "{record} as result");
        }
        for record in [
            "\"i1\"",
            "\"unknown\"",
            "[\"ndarray\",\"f16\",1,4]",
            "[\"ndarray\",\"bf16\",1,4]",
            "[\"ndarray\",\"complex<f32>\",1,4]",
            "[\"slist\",\"i1\"]",
        ] {
            assert!(!takes(&format!(r#"{{"a":[{record}],"r":[]}}"#)), "{record} as argument");
            assert!(!takes(&format!(r#"{{"a":[],"r":[{record}]}}"#)), "{record} as result");
        }
    }
}
