//! The program around dispatched functions, as MLIR text for `iree-compile`.

use std::fmt::{self, Write as _};

use crate::{Model, Record, Shape, TypeText};
use gusset_abi::{Arch, Os};
use gusset_compiler::{Error, Target};

use super::dispatch::{Arg, Array, Dispatch, Meaning, Outcome, Size, Word, bits_of};
use super::wrapper::{EXECUTABLE, Loader, Route, VARIANT, Wrapper, converter, no_wrapper};

impl Wrapper<'_> {
    /// The program as MLIR for `iree-compile`. `objects` are the paths of the objects that an executable is linked with
    /// ([`Route::Executable`]), relative to `--iree-hal-executable-object-search-path`; empty for other routes.
    ///
    /// # Errors
    /// Those of [`define`](Self::define); or IREE has no executables for the target.
    pub fn text(&self, target: &Target, objects: &[&str]) -> Result<String, Error> {
        let converter = converter(target, self.index_bits)?;
        let dispatches = self.dispatches(&converter)?;
        if self.route == Route::Module {
            return Err(no_wrapper());
        }
        let config = Configuration::new(target, self.loader)?;
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = Text { wrapper: self, dispatches: &dispatches, config, objects }.write(&mut text);
        Ok(text)
    }
}

/// The target of an executable, in IREE's terms.
struct Configuration {
    format: String,
    triple: String,
    loader: Loader,
}

impl Configuration {
    fn new(target: &Target, loader: Loader) -> Result<Configuration, Error> {
        let abi = target.abi();
        // IREE's name, and LLVM's.
        let (arch, llvm) = match abi.arch {
            Arch::X86_64 => ("x86_64", "x86_64"),
            Arch::X86 => ("x86_32", "i686"),
            Arch::Aarch64 => ("arm_64", "aarch64"),
            Arch::Arm => ("arm_32", "armv7a"),
        };
        let (format, triple) = match (loader, abi.os) {
            (Loader::Embedded, Os::Windows | Os::Darwin) => {
                let message = "an embedded executable is an ELF file, which objects of this target are not: use the \
                               system's loader";
                return Err(Error::Target(message.into()));
            }
            (Loader::Embedded, _) => ("embedded-elf", format!("{llvm}-none-elf")),
            (Loader::System, Os::Windows) => ("system-dll", target.triple().to_string()),
            (Loader::System, Os::Darwin) => ("system-dylib", target.triple().to_string()),
            (Loader::System, _) => ("system-elf", target.triple().to_string()),
        };
        Ok(Configuration { format: format!("{format}-{arch}"), triple, loader })
    }
}

struct Text<'t, 'e> {
    wrapper: &'t Wrapper<'e>,
    dispatches: &'t [Dispatch<'e>],
    config: Configuration,
    objects: &'t [&'t str],
}

impl Text<'_, '_> {
    fn write(&self, out: &mut String) -> fmt::Result {
        let Configuration { format, triple, loader } = &self.config;
        let link = if *loader == Loader::System { ", link_embedded = false" } else { "" };
        writeln!(out, "#target = #hal.executable.target<\"llvm-cpu\", \"{format}\", {{")?;
        writeln!(out, "  target_triple = {}, cpu = \"generic\"{link}", Quoted(triple))?;
        writeln!(out, "}}>")?;
        writeln!(out, "#device = #hal.device.target<\"local\", [#target]> : !hal.device")?;
        writeln!(out)?;
        writeln!(out, "module @{} attributes {{hal.device.targets = [#device]}} {{", Quoted(self.wrapper.module))?;
        let split = self.wrapper.route == Route::Library;
        if split {
            self.library(out)?;
        }
        for (i, dispatch) in self.dispatches.iter().enumerate() {
            let executable = if split { EXECUTABLE.to_string() } else { format!("{EXECUTABLE}_{i}") };
            if !split {
                self.executable(out, &executable, dispatch)?;
            }
            writeln!(out)?;
            Function { dispatch, executable, split }.write(out)?;
        }
        writeln!(out, "}}")
    }

    /// An executable whose function calls that of the object or the plugin, one per entry; the compiler merges them.
    /// (Up to version 3.11 it confuses the functions of an executable that has several.)
    fn executable(&self, out: &mut String, executable: &str, dispatch: &Dispatch<'_>) -> fmt::Result {
        write!(out, "  stream.executable private @{executable}")?;
        let linked = self.wrapper.route == Route::Executable;
        if linked {
            let objects =
                self.objects.iter().map(|path| format!("#hal.executable.object<{{path = {}}}>", Quoted(path)));
            let objects = objects.collect::<Vec<_>>().join(", ");
            writeln!(out, " attributes {{")?;
            writeln!(out, "    hal.executable.objects = #hal.executable.objects<{{#target = [{objects}]}}>")?;
            write!(out, "  }}")?;
        }
        writeln!(out, " {{")?;
        let name = Quoted(&dispatch.entry.name);
        writeln!(out, "    stream.executable.export public @{name} workgroups() -> (index, index, index) {{")?;
        writeln!(out, "      %c1 = arith.constant 1 : index")?;
        writeln!(out, "      stream.return %c1, %c1, %c1 : index, index, index")?;
        writeln!(out, "    }}")?;
        writeln!(out, "    builtin.module {{")?;
        self.shim(out, dispatch, if linked { "hal.import.static, " } else { "" })?;
        writeln!(out, "    }}")?;
        writeln!(out, "  }}")
    }

    /// The function of the executable that calls one of the object or the plugin.
    fn shim(&self, out: &mut String, dispatch: &Dispatch<'_>, import: &str) -> fmt::Result {
        let symbol = self.wrapper.symbol(dispatch);
        let (symbol, name) = (Quoted(&symbol), Quoted(&dispatch.entry.name));
        let bindings = dispatch.bindings.len();
        let word = |word: &Word| if word.wide { "i64" } else { "i32" };
        let types = dispatch.words.iter().map(word).chain((0..bindings).flat_map(|_| ["memref<i8>", "i64"]));
        let types = types.collect::<Vec<_>>().join(", ");
        let words = dispatch.words.iter().enumerate().map(|(i, w)| format!("%w{i}: {}", word(w)));
        let params = words.chain((0..bindings).map(|i| format!("%b{i}: !stream.binding")));
        let params = params.collect::<Vec<_>>().join(", ");
        writeln!(out, "      func.func private @{symbol}({types}) attributes {{{import}llvm.bareptr = true}}")?;
        writeln!(out, "      func.func @{name}({params}) {{")?;
        writeln!(out, "        %c0 = arith.constant 0 : index")?;
        for i in 0..bindings {
            // Only the beginning of a binding is wanted. Its offset in bytes is an operand of its own, because bindings
            // share buffers.
            writeln!(out, "        %m{i} = stream.binding.subspan %b{i}[%c0] : !stream.binding -> memref<1xi8>")?;
            writeln!(
                out,
                "        %p{i}, %o{i}, %s{i}, %t{i} = iree_codegen.extract_strided_metadata %m{i} : memref<1xi8> -> \
                 memref<i8>, index, index, index"
            )?;
            writeln!(out, "        %q{i} = arith.index_castui %o{i} : index to i64")?;
        }
        let words = (0..dispatch.words.len()).map(|i| format!("%w{i}"));
        let args = words.chain((0..bindings).map(|i| format!("%p{i}, %q{i}"))).collect::<Vec<_>>().join(", ");
        writeln!(out, "        func.call @{symbol}({args}) : ({types}) -> ()")?;
        writeln!(out, "        return")?;
        writeln!(out, "      }}")
    }

    /// An executable whose functions do nothing, because the library replaces its binary.
    fn library(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "  hal.executable private @{EXECUTABLE} {{")?;
        writeln!(out, "    hal.executable.variant public @{VARIANT} target(#target) {{")?;
        for (ordinal, dispatch) in self.dispatches.iter().enumerate() {
            let name = Quoted(&dispatch.entry.name);
            let binding = |written: &bool| match written {
                true => "#hal.pipeline.binding<storage_buffer>",
                false => "#hal.pipeline.binding<storage_buffer, ReadOnly>",
            };
            let bindings = dispatch.bindings.iter().map(binding).collect::<Vec<_>>().join(", ");
            let constants = dispatch.constants();
            writeln!(
                out,
                "      hal.executable.export public @{name} ordinal({ordinal}) \
                 layout(#hal.pipeline.layout<constants = {constants}, bindings = [{bindings}]>) \
                 count(%device: !hal.device) -> (index, index, index) {{"
            )?;
            writeln!(out, "        %c1 = arith.constant 1 : index")?;
            writeln!(out, "        hal.return %c1, %c1, %c1 : index, index, index")?;
            writeln!(out, "      }}")?;
        }
        writeln!(out, "      builtin.module {{")?;
        for dispatch in self.dispatches {
            writeln!(out, "        func.func @{}() {{ return }}", Quoted(&dispatch.entry.name))?;
        }
        writeln!(out, "      }}")?;
        writeln!(out, "    }}")?;
        writeln!(out, "  }}")
    }
}

/// A public function.
struct Function<'f, 'e> {
    dispatch: &'f Dispatch<'e>,
    /// The symbol of its executable.
    executable: String,
    /// 64-bit constants are split into two of 32 bits.
    split: bool,
}

impl Function<'_, '_> {
    fn write(&self, out: &mut String) -> fmt::Result {
        let entry = self.dispatch.entry;
        let args =
            self.dispatch.args.iter().enumerate().map(|(i, arg)| self.arg(i, arg)).collect::<Vec<_>>().join(", ");
        let results = self.dispatch.results.iter().enumerate().map(|(i, result)| self.result(i, result));
        let results = results.collect::<Vec<_>>().join(", ");
        write!(out, "  util.func public @{}({args}) -> ({results})", Quoted(&entry.name))?;
        self.attributes(out)?;
        writeln!(out, " {{")?;
        self.operands(out)?;
        self.dispatch(out)?;
        self.give(out)?;
        writeln!(out, "  }}")
    }

    fn arg(&self, i: usize, arg: &Arg<'_>) -> String {
        let detail = self.dispatch.entry.arg(i);
        let output = |result: &Outcome<'_>| matches!(result, Outcome::Argument { arg, .. } if *arg == i);
        let output = self.dispatch.results.iter().position(output);
        let output = output.map(|result| format!("iree.abi.output = {result} : index"));
        let ty = match arg {
            Arg::Number(Record::Float(16) | Record::Bfloat) => "i32".into(),
            arg => arg_type(arg).to_string(),
        };
        format!("%a{i}: {ty}{}", attributes_of(detail.name.as_ref(), output, &detail.attributes))
    }

    fn result(&self, i: usize, result: &Outcome<'_>) -> String {
        let detail = self.dispatch.entry.result(i);
        format!("{}{}", self.result_type(result), attributes_of(detail.name.as_ref(), None, &detail.attributes))
    }

    /// Integers below 32 bits are 32 bits in the virtual machine, and IREE does not extend them by the sign; it has no
    /// 16-bit floating-point numbers.
    fn result_type(&self, result: &Outcome<'_>) -> String {
        match result {
            Outcome::Number { record: Record::Integer(8 | 16) | Record::Float(16) | Record::Bfloat, .. } => {
                "i32".into()
            }
            Outcome::Number { record, .. } => TypeText(record, None).to_string(),
            Outcome::Passed(array) | Outcome::Returned(array) => TypeText(array.record, array.class).to_string(),
            Outcome::Argument { arg, .. } => arg_type(&self.dispatch.args[*arg]).to_string(),
        }
    }

    fn result_record<'r>(&'r self, result: &'r Outcome<'_>) -> &'r Record {
        match result {
            Outcome::Number { record, .. } => record,
            Outcome::Passed(array) | Outcome::Returned(array) => array.record,
            Outcome::Argument { arg, .. } => arg_record(&self.dispatch.args[*arg]),
        }
    }

    fn attributes(&self, out: &mut String) -> fmt::Result {
        let entry = self.dispatch.entry;
        let mut reflection = Vec::new();
        let mut attributes = Vec::new();
        for (key, value) in &self.dispatch.attributes {
            match key.as_str() {
                // iree-compile knows these as attributes of the function only.
                "iree.abi.model" | "iree.abi.declaration" => attributes.push(format!("{key} = {}", Quoted(value))),
                _ => reflection.push(format!("{} = {}", Quoted(key), Quoted(value))),
            }
        }
        if entry.model == Model::Sync {
            attributes.retain(|text| !text.starts_with("iree.abi.model"));
        }
        if !reflection.is_empty() {
            attributes.push(format!("iree.reflection = {{{}}}", reflection.join(", ")));
        }
        match &attributes[..] {
            [] => Ok(()),
            _ => write!(out, " attributes {{{}}}", attributes.join(", ")),
        }
    }

    /// Writes the operands of the dispatch: sizes, and the bits of numbers.
    fn operands(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "    %c0 = arith.constant 0 : index")?;
        if self.has_doubles() {
            // Here a compiler stops that turns every f64 into f32, which is the default.
            writeln!(out, "    %zero = arith.constant 0 : i64")?;
            writeln!(out, "    %any = util.optimization_barrier %zero : i64")?;
            writeln!(out, "    %double = arith.bitcast %any : i64 to f64")?;
            writeln!(out, "    %kept = util.optimization_barrier %double : f64")?;
        }
        if self.split && self.dispatch.words.iter().any(|word| word.wide) {
            writeln!(out, "    %c32 = arith.constant 32 : i64")?;
        }
        for (i, word) in self.dispatch.words.iter().enumerate() {
            match word.what {
                Meaning::Number(arg) => match arg_record(&self.dispatch.args[arg]) {
                    record if travels_as_it_is(record) => {}
                    Record::Integer(bits) => writeln!(out, "    %w{i} = arith.extui %a{arg} : i{bits} to i32")?,
                    record => {
                        let bits = bits_of(record).unwrap_or(64);
                        writeln!(out, "    %w{i} = arith.bitcast %a{arg} : {} to i{bits}", TypeText(record, None))?;
                    }
                },
                Meaning::Size { arg, dim } => {
                    let ty = arg_type(&self.dispatch.args[arg]);
                    writeln!(out, "    %k{i} = arith.constant {dim} : index")?;
                    writeln!(out, "    %n{i} = tensor.dim %a{arg}, %k{i} : {ty}")?;
                    writeln!(out, "    %w{i} = arith.index_castui %n{i} : index to i64")?;
                }
            }
            if self.split && word.wide {
                let value = self.word(i);
                writeln!(out, "    %l{i} = arith.trunci {value} : i64 to i32")?;
                writeln!(out, "    %r{i} = arith.shrui {value}, %c32 : i64")?;
                writeln!(out, "    %h{i} = arith.trunci %r{i} : i64 to i32")?;
            }
        }
        Ok(())
    }

    /// The value that is constant `i`.
    fn word(&self, i: usize) -> String {
        match self.dispatch.words[i].what {
            Meaning::Number(arg) if travels_as_it_is(arg_record(&self.dispatch.args[arg])) => {
                format!("%a{arg}")
            }
            _ => format!("%w{i}"),
        }
    }

    fn dispatch(&self, out: &mut String) -> fmt::Result {
        let (mut operands, mut types) = (Vec::new(), Vec::new());
        for (i, word) in self.dispatch.words.iter().enumerate() {
            if self.split && word.wide {
                operands.extend([format!("%l{i}"), format!("%h{i}")]);
                types.extend(["i32".to_string(), "i32".to_string()]);
            } else {
                operands.push(self.word(i));
                types.push(if word.wide { "i64".to_string() } else { "i32".to_string() });
            }
        }
        for (i, arg) in self.dispatch.args.iter().enumerate() {
            if let Arg::Array(array) = arg {
                operands.push(format!("%a{i}"));
                types.push(format!("{}{}", arg_type(arg), self.sizes(out, array, &format!("a{i}"))?));
            }
        }
        let mut results = Vec::new();
        for (i, result) in self.dispatch.results.iter().enumerate() {
            results.push(match result {
                Outcome::Number { record, .. } => format!("tensor<1xi{}>", stored_bits(record)),
                Outcome::Passed(array) | Outcome::Returned(array) => {
                    let ty = TypeText(array.record, array.class);
                    format!("{ty}{}", self.sizes(out, array, &format!("r{i}"))?)
                }
                Outcome::Argument { arg, .. } => match &self.dispatch.args[*arg] {
                    Arg::Array(array) => format!("%a{arg}{}", self.sizes(out, array, &format!("t{i}"))?),
                    Arg::Number(_) => format!("%a{arg}"),
                },
            });
        }
        let name = Quoted(&self.dispatch.entry.name);
        let count = if results.len() == 1 { String::new() } else { format!(":{}", results.len()) };
        // A library's variant is named, so that the operands stay as they are written here.
        let (variant, uses) = match self.split {
            true => (format!("@{VARIANT}::"), format!(" {{hal.executable.ref = [@{}]}}", self.executable)),
            false => (String::new(), String::new()),
        };
        writeln!(
            out,
            "    %result{count} = flow.dispatch @{}::{variant}@{name}({}){uses} : ({}) -> ({})",
            self.executable,
            operands.join(", "),
            types.join(", "),
            results.join(", ")
        )
    }

    /// The sizes that an array's type leaves open, in braces. Those that are known nevertheless are constants, whose
    /// names contain `name`.
    fn sizes(&self, out: &mut String, array: &Array<'_>, name: &str) -> Result<String, fmt::Error> {
        let Record::Ndarray { shape: Shape::Ranked(shape), .. } = array.record else { return Ok(String::new()) };
        let mut sizes = Vec::new();
        for (dim, (_, size)) in shape.iter().zip(&array.sizes).enumerate().filter(|(_, (known, _))| known.is_none()) {
            sizes.push(match size {
                Size::Word(word) => format!("%n{word}"),
                Size::Known(n) => {
                    writeln!(out, "    %{name}_{dim} = arith.constant {n} : index")?;
                    format!("%{name}_{dim}")
                }
            });
        }
        Ok(Braces(&sizes).to_string().trim_start().to_string())
    }

    /// Writes the function's results, from those of the dispatch.
    fn give(&self, out: &mut String) -> fmt::Result {
        let several = self.dispatch.results.len() > 1;
        let (mut values, mut types) = (Vec::new(), Vec::new());
        for (i, result) in self.dispatch.results.iter().enumerate() {
            let record = self.result_record(result);
            let from = if several { format!("%result#{i}") } else { "%result".to_string() };
            types.push(self.result_type(result));
            let Outcome::Number { unsigned, .. } = result else {
                values.push(from);
                continue;
            };
            let bits = stored_bits(record);
            writeln!(out, "    %e{i} = flow.tensor.load {from}[%c0] : tensor<1xi{bits}>")?;
            let conversion = match record {
                Record::Integer(1) => format!("trunci %e{i} : i{bits} to i1"),
                Record::Integer(8 | 16) if !unsigned => format!("extsi %e{i} : i{bits} to i32"),
                Record::Integer(8 | 16) | Record::Float(16) | Record::Bfloat => {
                    format!("extui %e{i} : i{bits} to i32")
                }
                Record::Integer(_) => {
                    values.push(format!("%e{i}"));
                    continue;
                }
                _ => format!("bitcast %e{i} : i{bits} to {}", TypeText(record, None)),
            };
            writeln!(out, "    %v{i} = arith.{conversion}")?;
            values.push(format!("%v{i}"));
        }
        writeln!(out, "    util.return {} : {}", values.join(", "), types.join(", "))
    }

    /// Whether an array has 64-bit floating-point elements, which no operation of the text concerns.
    fn has_doubles(&self) -> bool {
        let double = |record: &Record| match record {
            Record::Ndarray { element, .. } => matches!(**element, Record::Float(64) | Record::Complex(128 | 64)),
            _ => false,
        };
        let results = self.dispatch.results.iter().map(|result| self.result_record(result));
        self.dispatch.args.iter().map(arg_record).chain(results).any(double)
    }
}

/// The attributes of an argument or result in braces: its name, its own one, and the further ones whose keys are new.
fn attributes_of(name: Option<&String>, own: Option<String>, more: &[(String, String)]) -> String {
    let name = name.map(|name| format!("iree.abi.name = {}", Quoted(name)));
    let mut attributes: Vec<String> = name.into_iter().chain(own).collect();
    for (key, value) in more {
        let start = format!("{key} = ");
        if attributes.iter().all(|attribute| !attribute.starts_with(&start)) {
            attributes.push(start + value);
        }
    }
    Braces(&attributes).to_string()
}

/// Whether an argument is passed unchanged: an integer of 32 or 64 bits in the public function, or a 16-bit
/// floating-point number.
fn travels_as_it_is(record: &Record) -> bool {
    matches!(record, Record::Integer(32 | 64) | Record::Float(16) | Record::Bfloat)
}

fn arg_record<'a>(arg: &'a Arg<'_>) -> &'a Record {
    match arg {
        Arg::Number(record) => record,
        Arg::Array(array) => array.record,
    }
}

/// The type of an argument in the public function; an integer by itself has no sign there.
fn arg_type<'a>(arg: &'a Arg<'_>) -> TypeText<'a> {
    match arg {
        Arg::Number(record) => TypeText(record, None),
        Arg::Array(array) => TypeText(array.record, array.class),
    }
}

/// Bits of a number in memory.
fn stored_bits(record: &Record) -> u32 {
    bits_of(record).unwrap_or(64).max(8)
}

/// A list in braces after a space; nothing if it is empty.
struct Braces<'b>(&'b [String]);

impl fmt::Display for Braces<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => Ok(()),
            all => write!(f, " {{{}}}", all.join(", ")),
        }
    }
}

/// A text of MLIR's, quoted.
struct Quoted<'q>(&'q str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' | '\0'..='\x1F' | '\x7F' => write!(f, "\\{:02X}", c as u32)?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}
