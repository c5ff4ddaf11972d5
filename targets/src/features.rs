//! A processor and its features, as users specify them.

use gusset_abi::Arch;
use gusset_abi::features::{Meaning, chosen, each, meaning};

/// What processors have, each with the names, separated by blanks, of those that have it.
pub(crate) type Processors<T> = [(T, &'static str)];

/// What the processor of a name has.
pub(crate) fn find<T: Copy>(rows: &Processors<T>, cpu: &str) -> Option<T> {
    rows.iter().find(|row| row.1.split(' ').any(|name| name == cpu)).map(|row| row.0)
}

/// The names of the processors, in order.
pub(crate) fn names<T>(rows: &Processors<T>) -> Vec<&'static str> {
    rows.iter().flat_map(|row| row.1.split(' ')).collect()
}

/// The error about a processor that is none of these.
pub(crate) fn unknown(cpu: &str, known: &[&str]) -> String {
    format!("processor `{cpu}` is not known (known: {})", known.join(", "))
}

/// A processor, and features that are switched on or off relative to it.
///
/// Names are those of LLVM's `-mcpu` and `-mattr`.
///
/// ```
/// use gusset_targets::Features;
///
/// let features = Features::cpu("x86-64-v2").with("-popcnt");
/// assert_eq!(features.attributes, ["-popcnt"]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// The processor; `None` is the architecture's baseline.
    pub cpu: Option<String>,
    /// Features in order, each with `+` or `-` before it; `+` may be left out.
    pub attributes: Vec<String>,
}

impl Features {
    /// The features of a processor.
    pub fn cpu(name: impl Into<String>) -> Features {
        Features { cpu: Some(name.into()), attributes: Vec::new() }
    }

    /// These features and more: a list such as `+sse4.2,-popcnt`.
    pub fn with(mut self, list: &str) -> Features {
        self.attributes.extend(list.split(',').filter(|item| !item.is_empty()).map(str::to_string));
        self
    }

    /// The features one by one: whether each is switched on, and how an architecture treats it.
    pub(crate) fn meanings(&self, arch: Arch) -> Result<Vec<(&str, bool, Meaning)>, String> {
        let each = self.attributes.iter().flat_map(|attribute| each(attribute.as_bytes()));
        let error = |what: &str, name: &str| {
            let known = chosen(arch).join(", ");
            format!("feature `{name}` is not {what} (known: {known})")
        };
        each.map(|(name, on)| match meaning(arch, name, on) {
            None => Err(error("known", name)),
            Some(Meaning::Refused) => Err(error("supported", name)),
            Some(meaning) => Ok((name, on, meaning)),
        })
        .collect()
    }
}
