//! What IREE's own invoker in Python does with records (`iree.runtime`, `function.py`, and `invoke.cc` behind it).

use crate::record::{Record, Reflection};

impl Reflection {
    /// Does IREE's invoker in Python 3.10 to 3.13 take each argument by its record where it stands, and give each result? Where it
    /// does not, it calls the function only if that says nothing of its records. A name is no hindrance, but such an argument
    /// is then taken by it alone.
    pub fn python_takes(&self) -> bool {
        self.args.iter().all(|record| every(record.unnamed(), takes))
            && self.results.iter().all(|record| every(record, gives))
    }
}

/// Do all records hold it: this one, and those that values in its values have?
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

/// Is a value of this record taken as an argument, if what stands in it is?
fn takes(record: &Record) -> bool {
    match record {
        Record::Integer(bits) => matches!(bits, 8 | 16 | 32 | 64),
        Record::Float(bits) => matches!(bits, 32 | 64),
        // Its elements are found by a table of its own, which truths are in.
        Record::Ndarray { element, .. } => matches!(**element, Record::Integer(1)) || is_plain(element),
        Record::List(_) | Record::Tuple(_) | Record::Dict(_) => true,
        // Named ones are arguments themselves, not slots of one.
        _ => false,
    }
}

/// A number that is taken by itself, too.
fn is_plain(element: &Record) -> bool {
    matches!(element, Record::Integer(_) | Record::Float(_)) && takes(element)
}

/// Is a value of this record given as a result, if what stands in it is?
fn gives(record: &Record) -> bool {
    match record {
        Record::Integer(bits) => matches!(bits, 8 | 16 | 32 | 64),
        Record::Float(bits) => matches!(bits, 16 | 32 | 64),
        // Null says that nothing is known, which is dynamic.
        Record::Bfloat | Record::Null => true,
        // From 3.12 on those of halves and of complex numbers, too.
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
