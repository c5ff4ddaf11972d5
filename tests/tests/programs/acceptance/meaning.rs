//! How far a function's text lets it have a meaning for every argument.

use std::collections::{HashMap, HashSet};

/// Which calls of a function are compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Care {
    /// All.
    All,
    /// Those with small positive numbers: others may overflow where the text promises that nothing does, shift too far, or be
    /// out of range for a conversion.
    Small,
    /// The same, and as far as lanes of vectors go, some: others have no meaning.
    Lanes,
    /// None: it has values without meaning whatever it is called with.
    None,
}

/// What has no meaning for some arguments.
const DEPENDS: &[&str] = &[
    " fptosi ",
    " fptoui ",
    " nsw ",
    " nuw ",
    " inbounds ",
    " nusw ",
    " shl ",
    " lshr ",
    " ashr ",
    "i1 true)",
    " disjoint ",
    " nneg ",
    " samesign ",
    "range(",
    "!range",
    "!nonnull",
    "!noundef",
    "@llvm.assume",
    " nonnull ",
    " dereferenceable(",
    " nnan ",
    " ninf ",
    " nsz ",
    " udiv ",
    " sdiv ",
    " urem ",
    " srem ",
    " extractelement ",
    " insertelement ",
    " alloca ",
    "nofpclass(",
    " freeze ",
    ".ssa.copy",
    "shl.sat",
    "lrint",
    "lround",
    "fptosi",
    "fptoui",
];

/// Whether a load or an array in memory has bits between its values.
fn has_odd_bits(line: &str) -> bool {
    let Some((_, rest)) = line.split_once(" load ") else { return false };
    let ty: String =
        rest.trim_start_matches("atomic ").trim_start_matches("volatile ").chars().take_while(|&c| c != ',').collect();
    let lane = ty.rsplit("x ").next().unwrap_or_default().trim_end_matches('>');
    lane.strip_prefix('i').and_then(|bits| bits.parse::<u32>().ok()).is_some_and(|bits| !bits.is_multiple_of(8))
}

/// Whether a shuffle takes lanes of its second operand, which has no values.
fn takes_nothing(line: &str) -> bool {
    let Some((head, mask)) = line.split_once("> poison, <").or_else(|| line.split_once("> undef, <")) else {
        return false;
    };
    let lanes = head.rsplit('<').next().and_then(|ty| ty.split(' ').next()?.parse::<u32>().ok());
    let indices = mask.split("i32 ").filter_map(|rest| rest.split([',', '>']).next()?.parse::<u32>().ok());
    lanes.is_some_and(|lanes| indices.skip(1).any(|index| index >= lanes))
}

/// Whether a shift's amount was loaded: memory has all sorts of numbers.
fn shifts_by_any(line: &str, loaded: &HashSet<&str>) -> bool {
    let is_shift = [" shl ", " lshr ", " ashr "].iter().any(|shift| line.contains(shift));
    is_shift && line.rsplit(' ').next().is_some_and(|amount| loaded.contains(amount))
}

/// How far the groups of attributes with promises about floating-point numbers let functions have a meaning, by their numbers.
fn promising_groups(text: &str) -> HashMap<&str, Care> {
    let groups = text.lines().filter_map(|line| line.strip_prefix("attributes ")?.split_once(" = "));
    let care = |all: &str| match () {
        () if all.contains("\"unsafe-fp-math\"=\"true\"") => Care::None,
        () if all.contains("-fp-math\"=\"true\"") => Care::Small,
        () => Care::All,
    };
    groups.map(|(number, all)| (number, care(all))).collect()
}

fn of_line(line: &str) -> Care {
    let line = line.split(" ; ").next().unwrap_or_default();
    // Values without meaning that only fill up lanes or members.
    let fills = [" shufflevector ", " insertelement ", " insertvalue "].iter().any(|word| line.contains(word));
    let nothing = [" undef", " poison", "(undef", "(poison"].iter().any(|word| line.contains(word));
    // Optimizers may round otherwise.
    let loose =
        [" fast ", " reassoc ", " arcp ", " contract ", " afn ", " exact "].iter().any(|word| line.contains(word));
    if loose || nothing && !fills || has_odd_bits(line) {
        return Care::None;
    }
    let masked = line.contains(" shufflevector ")
        && (line.contains("i32 undef") || line.contains("i32 poison") || takes_nothing(line));
    if masked || line.contains(" insertelement ") {
        return Care::Lanes;
    }
    let spaced = format!(" {} ", line.trim());
    if DEPENDS.iter().any(|word| spaced.contains(word)) { Care::Small } else { Care::All }
}

/// The care for each function of a file, as `opt -S` writes it.
pub fn of_functions(text: &str) -> HashMap<String, Care> {
    // What is called has its part in the meaning: files are small, so that every function counts for every caller.
    let mut own: HashMap<String, (Care, Vec<String>)> = HashMap::new();
    let mut now: Option<String> = None;
    let mut before = "";
    let groups = promising_groups(text);
    let mut loaded = HashSet::new();
    for line in text.lines() {
        if line.starts_with("define ") {
            now = super::header::function(line).map(|f| f.name);
            loaded.clear();
        }
        let Some(name) = &now else { continue };
        let entry = own.entry(name.clone()).or_insert((Care::All, Vec::new()));
        entry.0 = entry.0.max(of_line(line));
        if line.starts_with("define ") {
            let promised = line.split(' ').filter_map(|word| groups.get(word)).max();
            entry.0 = entry.0.max(promised.copied().unwrap_or(Care::All));
        }
        if let Some((result, _)) = line.split_once(" = load ") {
            loaded.insert(result.trim());
        } else if shifts_by_any(line, &loaded) {
            entry.0 = Care::None;
        }
        // Code ends there in any way that one likes, but for what does not return.
        if line.trim_start().starts_with("unreachable") && !before.contains("call ") {
            entry.0 = Care::None;
        }
        before = line;
        if line.contains(" call ") || line.contains(" invoke ") {
            entry.1.extend(line.split('@').skip(1).map(|rest| {
                let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || "._-$\"".contains(*c)).collect();
                format!("@{name}")
            }));
        }
        if line == "}" {
            now = None;
        }
    }
    let mut care: HashMap<String, Care> = own.iter().map(|(name, (care, _))| (name.clone(), *care)).collect();
    // As often as calls are deep in what was tried; the rest shows as a difference.
    for _ in 0..4 {
        for (name, (_, called)) in &own {
            let worst = called.iter().filter_map(|c| care.get(c)).max().copied().unwrap_or(Care::All);
            let entry = care.get_mut(name).expect("every function has an entry");
            *entry = (*entry).max(worst);
        }
    }
    care
}

impl Care {
    /// Whether the driver's call number `round` is compared: see `start` there for what its arguments are.
    pub fn compares(self, round: usize) -> bool {
        match self {
            Care::All => true,
            Care::Small | Care::Lanes => round == 1 || round >= 3 && round.is_multiple_of(3),
            Care::None => false,
        }
    }
}
