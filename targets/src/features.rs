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

/// How many names an error proposes for one that is not known.
const PROPOSALS: usize = 3;

/// The error about a processor that is none of these.
pub(crate) fn unknown(cpu: &str, known: &[&str]) -> String {
    format!("processor `{cpu}` is not known{}", closest(cpu, known))
}

/// What an error about an unknown name adds: the known names that are most like it.
#[cold]
fn closest(name: &str, known: &[&str]) -> String {
    let mut alike: Vec<(f64, &str)> = known.iter().map(|&known| (strsim::jaro_winkler(name, known), known)).collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    let names: Vec<&str> = alike.into_iter().take(PROPOSALS).map(|(_, known)| known).collect();
    format!(": the closest names are {} (`gusset targets` lists all)", names.join(", "))
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
        each.map(|(name, on)| match meaning(arch, name, on) {
            None => Err(format!("feature `{name}` is not known{}", closest(name, &chosen(arch)))),
            Some(Meaning::Refused) => Err(format!("feature `{name}` is not supported")),
            Some(meaning) => Ok((name, on, meaning)),
        })
        .collect()
    }
}
