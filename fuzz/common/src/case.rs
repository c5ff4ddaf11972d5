//! One module: everything that is checked about it.

use std::fmt;
use std::io::Write;

use gusset_abi::Target;
use gusset_codegen::compile::Compiler;
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::interp::{Interpreter, Stop, Val};
use gusset_codegen::ir::{Function, Module, Printer, SymbolId, parse, print, verify};
use gusset_targets::x86::{Features, X86};

use crate::enter::enter;
use crate::generate::{SCRATCH, abi};
use crate::image::Image;

/// What the interpreter may take for a module, in instructions.
const STEPS: u64 = 200_000;
/// Where the scratch memory is for the interpreter.
const SCRATCH_BASE: u64 = 0x10_0000;
/// Bytes around the scratch memory that nobody may write.
const MARGIN: usize = 64;

/// A way to compile.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// For messages.
    pub name: &'static str,
    /// Extensions that may be used.
    pub features: Features,
    /// Position-independent code.
    pub pic: bool,
}

/// The ways in which every module is compiled, whatever this machine can run.
pub fn settings() -> [Setting; 3] {
    let plain = Features::default();
    let extensions = Features {
        sse3: true,
        ssse3: true,
        sse41: true,
        sse42: true,
        popcnt: true,
        lzcnt: true,
        bmi1: true,
        bmi2: true,
        cx16: true,
        fma: true,
        x87_only: false,
    };
    [
        Setting { name: "sse2", features: plain, pic: true },
        Setting { name: "static", features: plain, pic: false },
        Setting { name: "extensions", features: extensions, pic: true },
    ]
}

impl Setting {
    /// Whether this machine runs what is compiled so.
    pub fn runs_here(&self) -> bool {
        self.features == Features::default()
            || std::is_x86_feature_detected!("sse4.2")
                && std::is_x86_feature_detected!("popcnt")
                && std::is_x86_feature_detected!("lzcnt")
                && std::is_x86_feature_detected!("bmi1")
                && std::is_x86_feature_detected!("bmi2")
                && std::is_x86_feature_detected!("cmpxchg16b")
                && std::is_x86_feature_detected!("fma")
    }
}

/// Says which settings are compiled only, as this machine does not run them.
pub fn say_what_is_left_out() {
    for setting in settings().iter().filter(|setting| !setting.runs_here()) {
        // Past the test harness, which hides what passing tests print.
        let _ = writeln!(std::io::stderr(), "left out, as this processor does not run it: {}", setting.name);
    }
}

/// Something that is wrong with the code generator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The generator of modules, or the text form: a function that the verifier refuses, a text that is read back as
    /// something else.
    Text(String),
    /// It does not compile.
    Compile(String),
    /// The checker of register allocation refuses it, though it does what it should.
    Allocation(String),
    /// It cannot be put into memory.
    Link(String),
    /// It does something else than the interpreter.
    Differs(String),
}

impl Failure {
    /// The kind alone, so that a smaller module can be asked for the same failure.
    pub fn kind(&self) -> &'static str {
        match self {
            Failure::Text(_) => "text",
            Failure::Compile(_) => "compile",
            Failure::Allocation(_) => "allocation",
            Failure::Link(_) => "link",
            Failure::Differs(_) => "differs",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Failure::Text(why)
        | Failure::Compile(why)
        | Failure::Allocation(why)
        | Failure::Link(why)
        | Failure::Differs(why)) = self;
        write!(f, "{}: {why}", self.kind())
    }
}

/// What came of a module in which nothing is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It ran and agreed: instructions in it, and instructions run by the interpreter.
    Agreed {
        /// Instructions of all functions.
        instructions: usize,
        /// Instructions that the interpreter ran.
        steps: u64,
    },
    /// The interpreter stopped, so that there was nothing to compare; it was compiled all the same.
    Stopped(Stop),
}

/// Checks a module in the text form.
///
/// # Errors
/// What is wrong.
pub fn check_text(text: &str) -> Result<Outcome, Failure> {
    let (module, functions) = read(text)?;
    check(&module, &functions)
}

fn read(text: &str) -> Result<(Module, Vec<Function>), Failure> {
    parse(text, &mut |s| abi(s)).map_err(|e| Failure::Text(format!("the text cannot be read: {e}")))
}

/// What memory is after a run: scratch and data; `None` is a byte of any value.
type Memory = Vec<Option<u8>>;

fn scratch() -> Vec<u8> {
    (0..SCRATCH).map(|k| (k as u8).wrapping_mul(37) ^ (k >> 4) as u8).collect()
}

/// Runs a module by the interpreter; the memory afterwards and the number of instructions.
fn interpret(module: &Module, functions: &[Function]) -> Result<(Memory, u64), Stop> {
    let entry = functions.first().map_or(SymbolId(0), |f| f.symbol);
    let mut interpreter = Interpreter::new(module, functions, &Target::X86_64_LINUX, STEPS);
    interpreter.map(SCRATCH_BASE, scratch());
    interpreter.call(entry, &[Val::of(SCRATCH_BASE as u128)])?;
    let mut memory = Memory::new();
    let regions = module.data.iter().map(|d| interpreter.address(d.symbol));
    for base in std::iter::once(SCRATCH_BASE).chain(regions) {
        let Some((bytes, known)) = interpreter.mapped(base) else { continue };
        memory.extend(bytes.iter().zip(known).map(|(&b, &k)| k.then_some(b)));
    }
    Ok((memory, STEPS - interpreter.steps_left()))
}

/// Checks a module whose first function is its entry, a function of one pointer to [`SCRATCH`] bytes.
///
/// # Errors
/// What is wrong.
pub fn check(module: &Module, functions: &[Function]) -> Result<Outcome, Failure> {
    for f in functions {
        verify(module, f).map_err(|e| Failure::Text(e.to_string()))?;
    }
    let text = print(module, functions);
    let (again, again_functions) = read(&text)?;
    let second = print(&again, &again_functions);
    if text != second {
        let at = text.lines().zip(second.lines()).find(|(a, b)| a != b);
        return Err(Failure::Text(format!("printed, read and printed again it differs: {at:?}")));
    }
    let expected = interpret(module, functions);
    let instructions = functions.iter().map(|f| f.insts.len()).sum();
    for setting in settings() {
        let (module, mut functions) = read(&text)?;
        let (code, allocation) = match compile(&module, &mut functions, &setting, true) {
            Err(failure @ Failure::Allocation(_)) => {
                // Does it matter?
                functions = read(&text)?.1;
                (compile(&module, &mut functions, &setting, false)?, Err(failure))
            }
            other => (other?, Ok(())),
        };
        if let Ok((expected, _)) = &expected
            && setting.runs_here()
        {
            let found = execute(&module, &functions, &code).map_err(|f| match f {
                Failure::Link(why) => Failure::Link(format!("{}: {why}", setting.name)),
                Failure::Differs(why) => Failure::Differs(format!("{}: {why}", setting.name)),
                other => other,
            })?;
            compare(&module, &functions, expected, &found, &setting)?;
        }
        allocation?;
    }
    Ok(match expected {
        Ok((_, steps)) => Outcome::Agreed { instructions, steps },
        Err(stop) => Outcome::Stopped(stop),
    })
}

fn compile(
    module: &Module,
    functions: &mut [Function],
    setting: &Setting,
    check: bool,
) -> Result<Vec<CompiledFunction>, Failure> {
    let target = X86::new(setting.features, setting.pic);
    let mut compiler = Compiler::new(&target);
    compiler.check_allocation(check);
    let mut code = Vec::new();
    for f in functions {
        let mut out = CompiledFunction::default();
        compiler.compile(module, f, &mut out).map_err(|e| {
            let at = e.inst.filter(|i| i.index() < f.insts.len()).map(|i| Printer::new(module).inst(f, i));
            let name = &module.symbol(f.symbol).name;
            let why = format!("{}: {name}: {e}: {}", setting.name, at.unwrap_or_default());
            if e.message.contains("register allocation is wrong") {
                Failure::Allocation(why)
            } else {
                Failure::Compile(why)
            }
        })?;
        verify(module, f).map_err(|e| Failure::Compile(format!("{}: after the passes: {e}", setting.name)))?;
        code.push(out);
    }
    Ok(code)
}

/// The machine code of a module's functions by the first of the [`settings`], one after another, and the functions as the
/// passes left them, values numbered as in their tables.
///
/// # Errors
/// The text is no module, or does not compile.
pub fn code(text: &str) -> Result<(Vec<u8>, String), String> {
    let (module, mut functions) = read(text).map_err(|e| e.to_string())?;
    let code = compile(&module, &mut functions, &settings()[0], false).map_err(|e| e.to_string())?;
    let printer = Printer::new(&module).raw();
    let passed = functions.iter().map(|f| printer.function(f)).collect();
    Ok((code.iter().flat_map(|c| c.code.iter().copied()).collect(), passed))
}

fn execute(module: &Module, functions: &[Function], code: &[CompiledFunction]) -> Result<Vec<u8>, Failure> {
    let image = Image::new(module, code).map_err(Failure::Link)?;
    let entry = functions.first().and_then(|f| image.address(f.symbol));
    let entry = entry.ok_or_else(|| Failure::Link("there is no entry".into()))?;
    let mut memory = vec![0xee; MARGIN + SCRATCH as usize + 2 * MARGIN];
    let start = MARGIN + memory[MARGIN..].as_ptr().align_offset(MARGIN);
    let end = start + SCRATCH as usize;
    memory[start..end].copy_from_slice(&scratch());
    // SAFETY: the entry is a function of one pointer; the module is one that the interpreter ran to its end.
    unsafe { enter(entry, memory[start..].as_mut_ptr()) }.map_err(Failure::Differs)?;
    if memory[..start].iter().chain(&memory[end..]).any(|&b| b != 0xee) {
        return Err(Failure::Differs("memory beside the scratch memory was written".into()));
    }
    let mut found = memory[start..end].to_vec();
    for d in &module.data {
        found.extend(image.data(d.symbol, d.size as usize).unwrap_or_default());
    }
    Ok(found)
}

fn compare(
    module: &Module,
    functions: &[Function],
    expected: &Memory,
    found: &[u8],
    setting: &Setting,
) -> Result<(), Failure> {
    let differs = |(e, f): (&Option<u8>, &u8)| e.is_some_and(|e| e != *f);
    let Some(at) = expected.iter().zip(found).position(differs) else { return Ok(()) };
    let (from, to) = (at & !7, (at & !7) + 8);
    // What the interpreter makes of the functions as the passes left them tells whose fault it is.
    let passes = match interpret(module, functions) {
        Ok((after, _)) if after.iter().zip(found).any(differs) => "the passes' result is interpreted otherwise too",
        Ok(_) => "the passes changed the meaning",
        Err(_) => "the passes' result cannot be interpreted",
    };
    Err(Failure::Differs(format!(
        "{}: byte {at}: {:02x?} instead of {:02x?}; {passes}",
        setting.name,
        &found[from..to],
        expected[from..to].iter().map(|b| b.unwrap_or(0)).collect::<Vec<_>>(),
    )))
}
