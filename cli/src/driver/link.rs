//! Links: inputs that are sources are compiled, and so is bitcode in objects and static libraries among the inputs, as LLVM's plugin for
//! linkers does it; the compiler's driver does the rest.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::super::messages::Failure;
use super::super::output;
use super::super::response;
use super::super::streams::HoldSignals;
use super::bitcode;
use super::cache::Cache;
use super::inputs::{Holder, Module};
use super::job::{Driver, Job};
use super::line::Part;
use super::linker::{File, Link, Words, named};
use super::temporary::Folder;
use super::tools;

/// Links as the line says. `arguments` are the line's own words, and `expanded` those with what is in files of arguments.
///
/// # Errors
/// The message for the user.
pub(super) fn link(driver: &mut Driver<'_>, arguments: &[OsString], expanded: &[OsString]) -> Result<ExitCode, String> {
    let link = Link::read(driver.line);
    let holders = Holders::of(&link);
    let sources = link.words.iter().any(|words| matches!(words, Words::Source(_)));
    if holders.all.is_empty() && !sources && !link.plugin.given {
        return tools::hand_over(driver.compiler, arguments);
    }
    let modules: Vec<Vec<Module<'_>>> = holders.all.iter().map(Holder::modules).collect();
    let Some(objects) = compile_modules(driver, &link, &modules)? else { return Ok(ExitCode::from(1)) };
    // The folder goes before a signal ends this process; it reaches the compilers at once.
    let _held = HoldSignals::new();
    let folder = Folder::new()?;
    let Some(objects) = fall_back(driver, &link, &modules, objects, &folder)? else { return Ok(ExitCode::from(1)) };
    let mut places = Vec::new();
    for (number, (holder, objects)) in holders.all.iter().zip(&objects).enumerate() {
        places.push(write(holder, objects, &holders.paths[number], &folder, number)?);
    }
    let mut words = Vec::new();
    let mut failed = 0;
    for part in &link.words {
        match part {
            Words::Plain(plain) => words.extend(plain.iter().cloned()),
            Words::File(file) => match holders.by_path.get(&file.path) {
                Some(number) => words.extend(named(&places[*number], file.through)),
                None => words.extend(file.words.iter().cloned()),
            },
            Words::Source(number) => {
                let Part::Input(input, language, kind) = &driver.line.parts[*number] else { continue };
                let stem = input.file_stem().unwrap_or_default().to_string_lossy();
                let output = folder.path().join(format!("{stem}-{number}.o"));
                words.push(output.clone().into());
                let code = driver.carry_out(&Job { input, language: language.as_deref(), kind: *kind, output })?;
                failed = if failed == 0 { code } else { failed };
            }
        }
    }
    if failed != 0 {
        return Ok(ExitCode::from(failed));
    }
    if let Some(output) = &driver.line.output {
        words.extend(["-o".into(), output.into()]);
    }
    // Options of the front end are no mistake.
    words.extend(driver.kind.unused_is_right().map(OsString::from));
    if arguments != expanded {
        // There may be more words than a command can have.
        let file = folder.path().join("arguments");
        output::write(&file, &response::quoted(&words))?;
        let mut word = OsString::from("@");
        word.push(file);
        words = vec![word];
    }
    Ok(ExitCode::from(tools::run(driver.compiler, &words)?))
}

/// The inputs with bitcode.
struct Holders {
    all: Vec<Holder>,
    paths: Vec<PathBuf>,
    /// Their numbers.
    by_path: HashMap<PathBuf, usize>,
}

impl Holders {
    fn of(link: &Link) -> Holders {
        let mut holders = Holders { all: Vec::new(), paths: Vec::new(), by_path: HashMap::new() };
        for words in &link.words {
            let Words::File(File { path, .. }) = words else { continue };
            if holders.by_path.contains_key(path) {
                continue;
            }
            if let Some(holder) = Holder::open(path, link.plugin.fat) {
                holders.by_path.insert(path.clone(), holders.all.len());
                holders.all.push(holder);
                holders.paths.push(path.clone());
            }
        }
        holders
    }
}

/// The objects of each input's modules, or why there are none.
type Objects = Vec<Vec<Result<Vec<u8>, Failure>>>;

/// The same; without an object the machine code that is there stays.
type Written = Vec<Vec<Option<Vec<u8>>>>;

/// Objects of the modules of each input. `None`: an option is refused, which has been said.
fn compile_modules(
    driver: &mut Driver<'_>,
    link: &Link,
    modules: &[Vec<Module<'_>>],
) -> Result<Option<Objects>, String> {
    let all: Vec<Module<'_>> = modules.iter().flatten().cloned().collect();
    if all.is_empty() {
        return Ok(Some(modules.iter().map(|_| Vec::new()).collect()));
    }
    if let Some(option) = link.plugin.refused.as_ref().or(driver.line.refused.as_ref()) {
        let why = |module: &Module<'_>| {
            Failure::from(format!("{}: error: the option `{option}` is not supported", module.name))
        };
        if !driver.fallback {
            driver.messages.error(&why(&all[0]));
            return Ok(None);
        }
        return Ok(Some(modules.iter().map(|of_one| of_one.iter().map(|module| Err(why(module))).collect()).collect()));
    }
    let cache = Cache::open(link.plugin.cache.as_deref())?;
    let made = bitcode::compile_all(&all, &link.plugin, cache.as_ref(), driver.messages);
    if let Some(cache) = cache.as_ref().filter(|_| made.cached < all.len()) {
        cache.trim();
    }
    if driver.line.verbose {
        let (name, cached, count) = (driver.kind.driver_name(), made.cached, all.len());
        let place = cache.as_ref().map(|cache| format!(" in {}", cache.folder().display())).unwrap_or_default();
        driver.messages.note(&format!("{name}: note: {count} modules of bitcode, {cached} from the cache{place}"));
    }
    let mut objects = made.objects.into_iter();
    Ok(Some(modules.iter().map(|of_one| objects.by_ref().take(of_one.len()).collect()).collect()))
}

/// The objects of all modules. With `--fallback`, machine code that is there already stays where Gusset refuses the bitcode beside it, and
/// the compiler's code generator makes it where there is none. `None`: something failed, which has been said.
fn fall_back(
    driver: &mut Driver<'_>,
    link: &Link,
    modules: &[Vec<Module<'_>>],
    objects: Objects,
    folder: &Folder,
) -> Result<Option<Written>, String> {
    let mut failed = false;
    let mut all = Vec::new();
    for (modules, objects) in modules.iter().zip(objects) {
        let mut of_one = Vec::new();
        for (module, object) in modules.iter().zip(objects) {
            of_one.push(match object {
                Ok(object) => Some(object),
                Err(failure) if !driver.fallback => {
                    driver.messages.error(&failure);
                    failed = true;
                    None
                }
                Err(failure) => {
                    driver.fallen_back.push(failure.first_line());
                    if module.beside_code {
                        None
                    } else {
                        let object = driver.code_of(module, &link.plugin, folder)?;
                        failed |= object.is_none();
                        object
                    }
                }
            });
        }
        all.push(of_one);
    }
    Ok((!failed).then_some(all))
}

/// Writes an input with machine code in place of its bitcode: under the same name, which linkers may ask for.
fn write(
    holder: &Holder,
    objects: &[Option<Vec<u8>>],
    path: &Path,
    folder: &Folder,
    number: usize,
) -> Result<PathBuf, String> {
    let place = folder.path().join(number.to_string());
    let file = place.join(path.file_name().unwrap_or_default());
    let written = std::fs::create_dir(&place).and_then(|()| holder.write(objects, &file));
    match written {
        Ok(()) => Ok(file),
        Err(error) => Err(format!("error: {}: cannot write: {}", file.display(), output::reason(&error))),
    }
}
