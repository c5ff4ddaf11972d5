//! Understands the words of a link: options of LLVM's plugin, inputs, and libraries, which are given to the driver (`-lx`) or through it
//! (`-Wl,-lx`, `-Xlinker -lx`).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::line::{Language, Line, Part};
use super::plugin::Plugin;

/// Some words of the driver's that links.
pub(super) enum Words {
    /// As they are.
    Plain(Vec<OsString>),
    /// An input that is compiled: the number of its part.
    Source(usize),
    /// An input of the linker.
    File(File),
}

/// An input of the linker.
pub(super) struct File {
    pub path: PathBuf,
    /// The words that name it.
    pub words: Vec<OsString>,
    /// They are for the linker, and not for its driver.
    pub through: bool,
}

/// What a link is made of, in order.
pub(super) struct Link {
    pub words: Vec<Words>,
    pub plugin: Plugin,
}

/// Options of linkers whose value is the next word.
const SEPARATE: &str = "-soname -h -o -Map -T -e -entry -rpath -rpath-link -L -z -m -u -undefined -y -Y -A -a -b -c -f -F -G -I -init -fini \
    -dynamic-linker -version-script -dynamic-list -wrap -defsym -section-start -Ttext -Tdata -Tbss -out-implib -exclude-libs -format \
    -oformat -assert -retain-symbols-file -just-symbols -R -export-dynamic-symbol -sysroot -threads";

/// Reads the words one by one.
struct Reader<'r> {
    link: Link,
    folders: &'r [PathBuf],
    /// Libraries are static ones.
    statically: bool,
    /// What the next word for the linker is.
    next: Next,
    /// Words for the linker that belong to one of the driver's.
    list: Vec<String>,
}

/// What a word for the linker is, by the one before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Any,
    Value,
    PluginOption,
    Plugin,
    Library,
}

impl Link {
    /// Reads the parts of a line.
    pub fn read(line: &Line) -> Link {
        let folders = folders(line);
        let link = Link { words: Vec::new(), plugin: Plugin::new(line.options.clone(), line.level) };
        let mut reader = Reader { link, folders: &folders, statically: false, next: Next::Any, list: Vec::new() };
        for (number, part) in line.parts.iter().enumerate() {
            match part {
                Part::Input(_, _, kind) if *kind != Language::Linked => reader.link.words.push(Words::Source(number)),
                Part::Input(path, ..) => reader.file(path.clone(), vec![path.into()], false),
                Part::Option(words) | Part::Assembler(words) => reader.option(words),
                Part::Dependencies(_) => {}
            }
        }
        reader.link
    }
}

impl Reader<'_> {
    fn plain(&mut self, words: &[OsString]) {
        self.link.words.push(Words::Plain(words.to_vec()));
    }

    fn file(&mut self, path: PathBuf, words: Vec<OsString>, through: bool) {
        self.link.words.push(Words::File(File { path, words, through }));
    }

    /// An option of the driver's.
    fn option(&mut self, words: &[OsString]) {
        let word = words[0].to_string_lossy();
        if let Some(list) = word.strip_prefix("-Wl,") {
            list.split(',').for_each(|word| self.for_linker(word));
            return self.end_list();
        }
        if let ("-Xlinker", Some(value)) = (&*word, words.get(1)) {
            self.for_linker(&value.to_string_lossy());
            return self.end_list();
        }
        if let Some(option) = word.strip_prefix("-plugin-opt=") {
            return self.link.plugin.take(option);
        }
        let library = match words.get(1) {
            Some(name) => (word == "-l").then(|| name.to_string_lossy()),
            None => word.strip_prefix("-l").map(Into::into),
        };
        if let Some(path) = library.and_then(|name| self.library(&name)) {
            return self.file(path, words.to_vec(), false);
        }
        match &*word {
            "-static" | "-static-pie" => self.statically = true,
            "-ffat-lto-objects" => self.link.plugin.fat = true,
            "-fno-fat-lto-objects" => self.link.plugin.fat = false,
            "-fno-function-sections" => self.link.plugin.options.function_sections = false,
            "-fno-data-sections" => self.link.plugin.options.data_sections = false,
            _ => {}
        }
        if matches!(&*word, "-shared" | "-pie" | "-static-pie") {
            self.link.plugin.position_independent();
        }
        self.plain(words);
    }

    /// A word for the linker.
    fn for_linker(&mut self, word: &str) {
        let next = std::mem::replace(&mut self.next, Next::Any);
        // Both spellings are the same.
        let option = if word.starts_with("--") { &word[1..] } else { word };
        match (next, option) {
            (Next::PluginOption, _) => self.link.plugin.take(word),
            (Next::Plugin, _) => self.plugin(word, &["-plugin", word]),
            (Next::Library, _) => self.library_for_linker(word, &["-l", word]),
            (Next::Value, _) => self.list.push(word.into()),
            (Next::Any, "-plugin-opt") => self.next = Next::PluginOption,
            (Next::Any, "-plugin") => self.next = Next::Plugin,
            (Next::Any, "-l") => self.next = Next::Library,
            (Next::Any, _) => match (option.strip_prefix("-plugin-opt="), option.strip_prefix("-plugin=")) {
                (Some(option), _) => self.link.plugin.take(option),
                (_, Some(path)) => self.plugin(path, &[word]),
                _ => self.other(word, option),
            },
        }
    }

    /// A plugin that the linker is to load. What LLVM's would compile, the driver does.
    fn plugin(&mut self, path: &str, words: &[&str]) {
        if !path.contains("LLVMgold") {
            self.list.extend(words.iter().map(|word| word.to_string()));
        }
    }

    /// A word that begins one that is not about plugins.
    fn other(&mut self, word: &str, option: &str) {
        match option {
            "-Bstatic" | "-dn" | "-non_shared" | "-static" => self.statically = true,
            "-Bdynamic" | "-dy" | "-call_shared" => self.statically = false,
            "-fat-lto-objects" => self.link.plugin.fat = true,
            "-no-fat-lto-objects" => self.link.plugin.fat = false,
            "-shared" | "-pie" => self.link.plugin.position_independent(),
            _ if super::options::is_in(SEPARATE, option) => self.next = Next::Value,
            _ => {}
        }
        match word.strip_prefix("-l") {
            Some(name) => self.library_for_linker(name, &[word]),
            None if word.starts_with('-') => self.list.push(word.into()),
            None => {
                self.end_list();
                self.file(word.into(), vec![format!("-Wl,{word}").into()], true);
            }
        }
    }

    fn library_for_linker(&mut self, name: &str, words: &[&str]) {
        match self.library(name) {
            Some(path) => {
                self.end_list();
                self.file(path, vec![format!("-Wl,{}", words.join(",")).into()], true);
            }
            None => self.list.extend(words.iter().map(|word| word.to_string())),
        }
    }

    /// Ends the words for the linker that one of the driver's has.
    fn end_list(&mut self) {
        let list = std::mem::take(&mut self.list);
        // One that came as `-Xlinker x` may have a comma.
        match list.iter().any(|word| word.contains(',')) {
            _ if list.is_empty() => {}
            true => list.into_iter().for_each(|word| self.plain(&["-Xlinker".into(), word.into()])),
            false => self.plain(&[format!("-Wl,{}", list.join(",")).into()]),
        }
    }

    /// The static library that the linker takes for a name, if it is one.
    fn library(&self, name: &str) -> Option<PathBuf> {
        let endings: &[(&str, &str)] = match name.strip_prefix(':') {
            Some(_) => &[("", "")],
            None if self.statically => &[("lib", ".a"), ("", ".lib")],
            None => &[("lib", ".so"), ("lib", ".dll.a"), ("", ".dll.a"), ("lib", ".a"), ("", ".lib")],
        };
        let name = name.strip_prefix(':').unwrap_or(name);
        let files = |folder: &PathBuf| -> Option<PathBuf> {
            let place = |(begin, end): &(&str, &str)| folder.join(format!("{begin}{name}{end}"));
            endings.iter().map(place).find(|file| file.is_file())
        };
        let found = self.folders.iter().find_map(files)?;
        let text = found.to_string_lossy();
        (!text.ends_with(".so") && !text.ends_with(".dll.a")).then_some(found)
    }
}

/// Where the linker looks for libraries, as far as the line says it.
fn folders(line: &Line) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut words = Vec::new();
    for part in &line.parts {
        let Part::Option(option) = part else { continue };
        let word = option[0].to_string_lossy();
        match (&*word, option.get(1), word.strip_prefix("-Wl,")) {
            ("-Xlinker", Some(value), _) => words.push(value.to_string_lossy().into_owned()),
            ("-L", Some(folder), _) => words.extend(["-L".into(), folder.to_string_lossy().into_owned()]),
            (_, _, Some(list)) => words.extend(list.split(',').map(str::to_string)),
            _ => words.push(word.into_owned()),
        }
    }
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let folder = match &word[..] {
            "-L" | "-library-path" | "--library-path" => words.next(),
            _ => word.strip_prefix("-L").or(word.strip_prefix("--library-path=")).map(str::to_string),
        };
        all.extend(folder.map(PathBuf::from));
    }
    all
}

/// Returns the arguments that pass a file: to the linker behind the driver if `through` is set, else to the driver.
pub(super) fn named(file: &Path, through: bool) -> Vec<OsString> {
    match through {
        true => vec!["-Xlinker".into(), file.into()],
        false => vec![file.into()],
    }
}
