//! Lists of functions and basic blocks that share sections (LLVM, `BasicBlockSectionsProfileReader.h`).

use std::collections::{HashMap, HashSet};

use gusset_codegen::ir::{BlockClusters, Module, SymbolId, SymbolKind};
use gusset_codegen::level::OptimizationLevel;

use crate::Error;

/// A list of functions, each with groups of its basic blocks, as tools make them of profiles. Functions that a module does not have do not
/// matter. Blocks have the numbers of the map that [`Options::block_map`](crate::Options::block_map) writes.
///
/// ```
/// use gusset_compiler::{BlockList, Options};
///
/// let list = BlockList { name: "hot.txt".into(), text: "v1\nf main\nc 0 2\nc 3\n".into() };
/// assert!(Options::new().block_list(Some(list.into())).block_list.is_some());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockList {
    /// The file's name, for messages.
    pub name: String,
    /// Its text: version 0 (`!FUNCTION`, `!!BLOCK BLOCK …`) or 1 (`v1`, `f FUNCTION`, `c BLOCK BLOCK …`).
    pub text: String,
}

/// What a line of a list says.
enum Line<'l> {
    /// Names of one function.
    Function(Vec<&'l str>),
    /// Blocks that share a section.
    Cluster(Vec<&'l str>),
    /// What is not supported, for the functions that it is about.
    Refused(&'static str),
    Nothing,
}

impl BlockList {
    /// Gives the functions of a module their groups, and sections of their own. In optimized code these are for functions that run often, as in
    /// LLVM's.
    pub(crate) fn apply(&self, module: &mut Module, level: OptimizationLevel) -> Result<(), Error> {
        let is_own = |kind: &SymbolKind| matches!(kind, SymbolKind::Function);
        let own = module.symbols.iter().enumerate().filter(|(_, symbol)| symbol.is_defined() && is_own(&symbol.kind));
        let known: HashMap<&str, SymbolId> =
            own.map(|(number, symbol)| (&*symbol.name, SymbolId::new(number))).collect();
        let found = self.read(&known)?;
        for (function, _) in &found {
            let symbol = &mut module.symbols[function.index()];
            symbol.own_section |= symbol.section.is_none();
            if level > OptimizationLevel::O0 {
                symbol.section_prefix = Some("hot".into());
            }
        }
        module.block_clusters = found;
        Ok(())
    }

    /// The groups of the functions that are known, sorted.
    fn read(&self, known: &HashMap<&str, SymbolId>) -> Result<Vec<(SymbolId, BlockClusters)>, Error> {
        let wrong = |line: usize, why: String| {
            Error::Target(format!("invalid profile {} at line {}: {why}", self.name, line + 1))
        };
        let lines = self.text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let mut lines = lines.peekable();
        let mut version = 0;
        if let Some((number, line)) = lines.next_if(|(_, line)| line.starts_with('v')) {
            let said = line[1..].trim();
            version = said
                .parse::<u32>()
                .ok()
                .filter(|version| *version <= 1)
                .ok_or_else(|| wrong(number, format!("invalid profile version: {said}")))?;
        }
        let mut all: Vec<(SymbolId, BlockClusters)> = Vec::new();
        let (mut current, mut blocks) = (None, HashSet::new());
        for (number, line) in lines {
            let wrong = |why: String| wrong(number, why);
            let said = if version == 0 { of_version_0(line) } else { of_version_1(line) };
            match said.map_err(wrong)? {
                Line::Function(names) => {
                    current = names.iter().find_map(|name| known.get(name).copied());
                    blocks.clear();
                    let Some(function) = current else { continue };
                    if all.iter().any(|(other, _)| *other == function) {
                        return Err(wrong(format!("duplicate profile for function '{}'", names[0])));
                    }
                    all.push((function, BlockClusters::default()));
                }
                Line::Cluster(words) if current.is_some() => {
                    let mut cluster = Vec::new();
                    for word in words {
                        let block = number_of(word, version).map_err(wrong)?;
                        if !blocks.insert(block) {
                            return Err(wrong(format!("duplicate basic block id found '{word}'")));
                        }
                        cluster.push(block);
                    }
                    all.last_mut().into_iter().for_each(|(_, of)| of.clusters.push(std::mem::take(&mut cluster)));
                }
                Line::Refused(what) if current.is_some() => return Err(wrong(format!("{what} are not supported"))),
                Line::Cluster(_) | Line::Refused(_) | Line::Nothing => {}
            }
        }
        all.sort_by_key(|(function, _)| *function);
        Ok(all)
    }
}

/// The number of a block.
fn number_of(word: &str, version: u32) -> Result<u32, String> {
    let known = word.parse().ok();
    known.ok_or_else(|| match word.split_once('.') {
        Some((block, copy)) if [block, copy].iter().all(|part| part.parse::<u32>().is_ok()) && version > 0 => {
            "copies of basic blocks are not supported".into()
        }
        _ if version > 0 => format!("unable to parse BB id: '{word}': unsigned integer expected"),
        _ => format!("unsigned integer expected: '{word}'"),
    })
}

fn of_version_0(line: &str) -> Result<Line<'_>, String> {
    let Some(rest) = line.strip_prefix('!') else {
        return if line.starts_with('@') { Ok(Line::Nothing) } else { Err(format!("unknown string found: '{line}'")) };
    };
    if let Some(blocks) = rest.strip_prefix('!') {
        return Ok(Line::Cluster(blocks.split(' ').collect()));
    }
    match rest.split_once(' ') {
        None => Ok(Line::Function(rest.split('/').collect())),
        Some((_, module)) if module.starts_with("M=") => Err("names of modules are not supported".into()),
        Some((_, other)) => Err(format!("unknown string found: '{other}'")),
    }
}

fn of_version_1(line: &str) -> Result<Line<'_>, String> {
    let words = || line[1..].trim().split(' ').collect();
    match line.as_bytes()[0] {
        b'@' => Ok(Line::Nothing),
        b'f' => Ok(Line::Function(words())),
        b'c' => Ok(Line::Cluster(words())),
        b'p' => Ok(Line::Refused("copies of basic blocks")),
        b'm' => Err("names of modules are not supported".into()),
        other => Err(format!("invalid specifier: '{}'", char::from(other))),
    }
}
