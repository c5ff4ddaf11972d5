//! Random C++ classes against clang: layouts with bases, pointers to tables and empty objects, and the IR of functions
//! that take and return such classes.
//!
//! `GUSSET_CLASSES` sets the number of classes per target, `GUSSET_ABI_SEED` the first seed, and `GUSSET_CLASSES_TARGET`
//! a part of a triple's name. The campaign is `GUSSET_CLASSES=300 cargo test -p gusset-tests --test abi classes`.

mod dump;
mod random;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use dump::{Dumped, Layouts};
use gusset_abi::{AbiFeatures, AbiTarget, CType, Env, Language, to_llvm};
use gusset_c::{Member, MemberRole, TypeLayout};
use gusset_tests::parallel;
use gusset_tests::tools::{self, Failure, limited};
use random::{Class, Classes};

use super::to_llvm::define;

/// The targets, with what clang wants to hear beside the triple.
const TARGETS: [(&str, &[&str]); 9] = [
    ("x86_64-unknown-linux-gnu", &[]),
    ("i686-unknown-linux-gnu", &["-msse2"]),
    ("aarch64-unknown-linux-gnu", &[]),
    ("armv7-unknown-linux-gnueabihf", &["-mfpu=neon"]),
    ("armv7-unknown-linux-gnueabi", &["-mfpu=neon"]),
    ("x86_64-pc-windows-msvc", &[]),
    ("i686-pc-windows-msvc", &["-msse2"]),
    ("aarch64-pc-windows-msvc", &[]),
    ("x86_64-pc-windows-gnu", &[]),
];

/// Classes per program.
const PER_PROGRAM: usize = 50;

fn setting(name: &str, default: usize) -> usize {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => default,
    }
}

struct Clang<'a> {
    triple: &'a str,
    options: &'a [&'a str],
    file: &'a Path,
}

impl Clang<'_> {
    fn command(&self, extra: &[&str]) -> std::process::Command {
        let mut command = limited(120, tools::clang());
        command.arg(format!("--target={}", self.triple)).args(self.options).args(extra);
        command.args(["-w", "-std=gnu++20", "-fno-exceptions", "-fno-rtti", "-ferror-limit=0"]).arg(self.file);
        command
    }

    /// The lines that clang refuses.
    fn refused(&self) -> Result<Vec<usize>, Failure> {
        let outcome = tools::run(&mut self.command(&["-fsyntax-only"]))?;
        let text = outcome.errors();
        let errors = text.lines().filter(|line| line.contains(": error:"));
        let lines = errors.filter_map(|line| line.rsplit_once(": error:")?.0.rsplit(':').nth(1)?.parse().ok());
        Ok(lines.collect())
    }

    fn output(&self, extra: &[&str]) -> Result<String, Failure> {
        Ok(tools::succeed(&mut self.command(extra))?.text())
    }
}

/// A program that clang accepts: classes that it refuses are left out.
fn accepted(clang: &Clang<'_>, classes: &mut Classes) -> Result<String, Failure> {
    loop {
        let text = classes.program();
        std::fs::write(clang.file, &text)?;
        let refused = clang.refused()?;
        if refused.is_empty() {
            return Ok(text);
        }
        classes.remove(&refused);
    }
}

fn compare(triple: &str, options: &[&str], seed: u64) -> Result<(usize, String), Failure> {
    let target = AbiTarget::from_triple(triple, AbiFeatures::default()).map_err(|e| Failure::new(e.to_string()))?;
    let file = tools::work_folder("classes").join(format!("{triple}-{seed}.cc"));
    let clang = Clang { triple, options, file: &file };
    let mut classes = Classes::new(seed, PER_PROGRAM, triple.contains("msvc"));
    let text = accepted(&clang, &mut classes)?;
    let dumped = dump::layouts(&clang.output(&["-fsyntax-only", "-Xclang", "-fdump-record-layouts-complete"])?);
    let module = clang.output(&["-O0", "-S", "-emit-llvm", "-o", "-"])?;
    let mut differences = String::new();
    let found = gusset_c::layouts_in(Language::Cxx, &text, &target);
    match &found {
        Err(error) => drop(writeln!(differences, "{error}")),
        Ok(found) => layouts(&dumped, found, &mut differences),
    }
    for class in &classes.all {
        calls(&target, &text, class, &module, &mut differences);
    }
    if differences.is_empty() {
        std::fs::remove_file(&file)?;
        return Ok((classes.all.len(), differences));
    }
    Ok((classes.all.len(), format!("{}:\n{differences}", file.display())))
}

fn layouts(theirs: &Layouts, ours: &[TypeLayout], out: &mut String) {
    for layout in ours.iter().filter(|layout| matches!(layout.ctype, CType::Record(_))) {
        let name = layout.spelling.rsplit(' ').next().unwrap_or_default();
        let Some(expected) = theirs.get(name) else { continue };
        let class = layout.class.expect("it is a class");
        let data_size = if expected.data_size.is_some() { Some(class.data_size) } else { None };
        let mut members = BTreeMap::new();
        for member in &layout.members {
            members.extend(key(member));
        }
        let found = Dumped {
            size: layout.size,
            data_size,
            align: layout.align.into(),
            non_virtual_size: class.non_virtual_size,
            non_virtual_align: class.non_virtual_align.into(),
            members,
        };
        if found != *expected {
            let _ = writeln!(out, "  {name}\n    clang: {expected:?}\n    here:  {found:?}");
        }
    }
}

/// A member's name as in clang's dump, and its offset in bits; none if it has no name.
fn key(member: &Member) -> Option<(String, u64)> {
    let declaration = member.declaration.split(':').next().unwrap_or_default();
    let last = declaration.rsplit(' ').next().unwrap_or_default();
    let name = last.split('[').next().unwrap_or_default().trim_start_matches('*');
    let name = match member.role {
        MemberRole::Member if !name.starts_with('m') => return None,
        MemberRole::Base => format!("{name} (base)"),
        MemberRole::VirtualBase => format!("{name} (virtual base)"),
        MemberRole::Vptr => "vptr".into(),
        MemberRole::Vbptr => "vbptr".into(),
        MemberRole::Vtordisp => format!("vtordisp {}", member.bit_offset / 8),
        _ => name.into(),
    };
    Some((name, member.bit_offset))
}

fn calls(target: &AbiTarget, text: &str, class: &Class, module: &str, out: &mut String) {
    let (name, user) = (&class.name, &class.user);
    let method =
        if target.env == Env::Msvc { format!("?m_{name}@{user}@@") } else { format!("_ZN{}{user}", user.len()) };
    for (function, symbol) in [(format!("f_{name}"), format!("f_{name}")), (format!("{user}::m_{name}"), method)] {
        let Some(expected) = define::signature(module, &symbol) else { continue };
        let found = gusset_c::prototype_in(Language::Cxx, text, target, Some(&function))
            .map_err(|error| error.to_string())
            .and_then(|prototype| {
                to_llvm(target, &prototype.signature).map_err(|error| prototype.locate(text, &error).to_string())
            });
        let found = found.map_or_else(|error| error, |lowered| lowered.declare("f").to_string());
        if expected != found {
            let _ = writeln!(out, "  {function}\n    clang: {expected}\n    here:  {found}");
        }
    }
}

#[test]
fn classes_are_clangs() {
    let only = std::env::var("GUSSET_CLASSES_TARGET").unwrap_or_default();
    let targets: Vec<_> = TARGETS.into_iter().filter(|(triple, _)| triple.contains(&only)).collect();
    let programs = setting("GUSSET_CLASSES", PER_PROGRAM).div_ceil(PER_PROGRAM);
    let first = setting("GUSSET_ABI_SEED", 1);
    let results = parallel::map(targets.len() * programs, |i| {
        let (triple, options) = targets[i / programs];
        let seed = (first + i % programs) as u64;
        compare(triple, options, seed).unwrap_or_else(|failure| (0, format!("{triple} {seed}: {failure}\n")))
    });
    let differences: String = results.iter().map(|(_, text)| text.as_str()).collect();
    assert!(differences.is_empty(), "{differences}");
    for (i, (triple, _)) in targets.iter().enumerate() {
        let count: usize = results[i * programs..(i + 1) * programs].iter().map(|(count, _)| count).sum();
        println!("{triple}: {count} classes");
        assert!(count >= programs * PER_PROGRAM / 2, "{triple}: clang refuses too many classes");
    }
}
