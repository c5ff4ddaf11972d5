//! What a function tells about itself: its declaration, and all its attributes.

use std::fmt::Write;

use crate::entry::{Class, Detail, Entry, Model, Storage};
use crate::error::Error;
use crate::record::{Record, Shape};

/// The key of the records.
pub(crate) const ABI: &str = "iree.abi";
const DECLARATION: &str = "iree.abi.declaration";
const MODEL: &str = "iree.abi.model";
const COARSE_FENCES: &str = "coarse-fences";

impl Entry {
    /// The function's declaration for people (`iree.abi.declaration`): the one that the entry has, or else the text
    /// that iree-compile makes of such a function, `sync func @f(%input0: tensor<4xf32>) -> (%output0: f32)`. Arguments
    /// and results have their own names, or those of their records, or their numbers; fences are left out. Arrays are
    /// tensors, and the type is followed by `iree.abi.encoding`, `iree.abi.output` and `iree.abi.tied`. Records without
    /// an MLIR type are IREE's lists and references.
    pub fn declaration_text(&self) -> String {
        if let Some(given) = &self.declaration {
            return given.clone();
        }
        let when = match self.model {
            Model::Sync => "sync",
            Model::CoarseFences => "async",
        };
        let mut text = format!("{when} func @{}(", self.name);
        for (i, record) in self.reflection.args.iter().enumerate() {
            let detail = self.arg(i);
            let name = detail.name.clone().or_else(|| match record {
                Record::Named { name, .. } => Some(name.clone()),
                _ => None,
            });
            let (ty, mut attributes) = type_of(detail, record);
            let results = self.reflection.flat_results().len();
            let output = (0..results).find(|&result| *self.storage(result) == Storage::Argument(i));
            if let Some(result) = output {
                add(&mut attributes, "iree.abi.output", format!("{result} : index"));
            }
            value(&mut text, i, name.unwrap_or_else(|| format!("input{i}")), &ty, &attributes);
        }
        text += ") -> (";
        for (i, record) in self.reflection.flat_results().into_iter().enumerate() {
            let (ty, mut attributes) = type_of(self.result(i), record);
            if let Storage::Tied(arg) = self.storage(i) {
                add(&mut attributes, "iree.abi.tied", format!("{arg} : i64"));
            }
            let name = self.result(i).name.clone();
            value(&mut text, i, name.unwrap_or_else(|| format!("output{i}")), &ty, &attributes);
        }
        text + ")"
    }

    /// All attributes of the function that callers can query, as keys and values: `iree.abi` if it is reflected, its
    /// declaration, its model unless that is the default, then the given attributes in order. A given attribute
    /// replaces a generated one.
    ///
    /// # Errors
    /// A key is given twice, or the given model is not the function's.
    pub fn attribute_pairs(&self) -> Result<Vec<(String, String)>, Error> {
        let given = |key: &str| self.attributes.iter().any(|pair| pair.0 == key);
        let mut pairs: Vec<(String, String)> = Vec::new();
        if self.reflected && !given(ABI) {
            pairs.push((ABI.into(), self.reflection.to_string()));
        }
        if !given(DECLARATION) {
            pairs.push((DECLARATION.into(), self.declaration_text()));
        }
        if self.model == Model::CoarseFences && !given(MODEL) {
            pairs.push((MODEL.into(), COARSE_FENCES.into()));
        }
        let mut seen = std::collections::HashSet::new();
        for (key, text) in &self.attributes {
            if !seen.insert(key) {
                return Err(Error::at("", format!("the attribute `{key}` is given twice")));
            }
            if key == MODEL && (text == COARSE_FENCES) != (self.model == Model::CoarseFences) {
                return Err(Error::at("", format!("the function's model is not `{text}`, as its attribute says")));
            }
            pairs.push((key.clone(), text.clone()));
        }
        Ok(pairs)
    }
}

/// Adds an attribute unless its key is there.
fn add(attributes: &mut Vec<(String, String)>, key: &str, text: String) {
    if attributes.iter().all(|pair| pair.0 != key) {
        attributes.push((key.into(), text));
    }
}

/// Appends an argument or a result. MLIR sorts attributes by their keys.
fn value(text: &mut String, i: usize, name: String, ty: &str, attributes: &[(String, String)]) {
    if i > 0 {
        text.push_str(", ");
    }
    let _ = write!(text, "%{name}: {ty}");
    if attributes.is_empty() {
        return;
    }
    let mut sorted: Vec<&(String, String)> = attributes.iter().collect();
    sorted.sort();
    let all: Vec<String> = sorted.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    let _ = write!(text, " {{{}}}", all.join(", "));
}

/// The type of a value in the declaration, and its attributes. If callers see another type than the function, that of
/// the function has no class, and theirs is an attribute.
fn type_of(detail: &Detail, record: &Record) -> (String, Vec<(String, String)>) {
    let (mut attributes, mut class) = (detail.attributes.clone(), detail.class);
    if detail.seen_as.is_some() {
        add(&mut attributes, "iree.abi.encoding", TypeText(record, class).to_string());
        class = None;
    }
    let ty = detail.declared.clone().unwrap_or_else(|| TypeText(detail.seen(record), class).to_string());
    (ty, attributes)
}

/// A record, with the class of its integers or elements, as a type of MLIR and IREE. An example is at [the crate's page](crate).
pub struct TypeText<'r>(pub &'r Record, pub Option<Class>);

impl std::fmt::Display for TypeText<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let TypeText(record, class) = *self;
        match (record, class) {
            (Record::Integer(bits), None) => write!(f, "i{bits}"),
            (Record::Integer(bits), Some(Class::Signed)) => write!(f, "si{bits}"),
            (Record::Integer(bits), Some(Class::Unsigned)) => write!(f, "ui{bits}"),
            (Record::Integer(_), Some(Class::Float8(format))) => f.write_str(format.name()),
            (Record::Float(bits), _) => write!(f, "f{bits}"),
            (Record::Bfloat, _) => f.write_str("bf16"),
            (Record::Complex(bits), _) => write!(f, "complex<f{bits}>"),
            (Record::Null | Record::Unknown, _) => f.write_str("!vm.ref<?>"),
            (Record::Named { .. }, _) => TypeText(record.unnamed(), class).fmt(f),
            (Record::Ndarray { element, shape }, _) if element.is_number() => {
                f.write_str("tensor<")?;
                match shape {
                    Shape::Unranked => f.write_str("*x")?,
                    Shape::Ranked(dims) => {
                        for dim in dims {
                            match dim {
                                Some(size) => write!(f, "{size}x")?,
                                None => f.write_str("?x")?,
                            }
                        }
                    }
                }
                write!(f, "{}>", TypeText(element, class))
            }
            (Record::Ndarray { .. } | Record::List(_) | Record::Tuple(_) | Record::Dict(_), _) => {
                f.write_str("!util.list<?>")
            }
            (Record::Homogeneous(_), _) => {
                let (mut innermost, mut depth) = (record, 0);
                while let Record::Homogeneous(element) = innermost {
                    (innermost, depth) = (element, depth + 1);
                }
                write!(f, "{}{}{}", "!util.list<".repeat(depth), TypeText(innermost, None), ">".repeat(depth))
            }
        }
    }
}
