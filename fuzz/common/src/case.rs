//! One module: everything that is checked about it.

use std::fmt;
use std::io::Write;

use crate::interp::{Interpreter, Stop, Val};
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::ir::{Function, Linkage, Module, Opcode, Printer, SymbolId, parse, print, verify};
use gusset_codegen::object::{ObjectImage, ObjectOptions, ObjectWriter};
use gusset_codegen::passes::InlinableFunctions;
use gusset_memory::read_object;

use crate::generate::{self, SCRATCH};
use crate::platform::{NATIVE, Platform, Setting};
use crate::runner::{Call, Runner};

/// What the interpreter may take for a module, in instructions.
const STEPS: u64 = 200_000;
/// Where the scratch memory is for the interpreter.
const SCRATCH_BASE: u64 = 0x10_0000;
/// Bytes around the scratch memory that nobody may write, and what they are.
const MARGIN: usize = 64;
const UNTOUCHED: u8 = 0xee;

/// Says which settings are compiled only, as this machine does not run them.
pub fn say_what_is_left_out(platform: &Platform) {
    for setting in platform.settings().iter().filter(|setting| !setting.runs_here()) {
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
    /// A pass refuses it, makes no valid IR of it, or changes what it does: its name first.
    Pass(String),
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
            Failure::Pass(_) => "pass",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Failure::Text(why)
        | Failure::Compile(why)
        | Failure::Allocation(why)
        | Failure::Link(why)
        | Failure::Differs(why)
        | Failure::Pass(why)) = self;
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

/// What a fuzzer's bytes ask for: a module, and one look at it. The last byte says for which platform and setting, and what is
/// looked at; those before it are the module.
#[derive(Clone, Copy, Debug)]
pub struct Task<'b> {
    /// Number of the platform among [`NATIVE`].
    pub platform: usize,
    setting: usize,
    look: Look,
    bytes: &'b [u8],
}

/// What is looked at.
#[derive(Clone, Copy, Debug)]
enum Look {
    TextForm,
    Allocation,
    Meaning,
}

impl Task<'_> {
    /// What bytes ask for.
    pub fn of(bytes: &[u8]) -> Task<'_> {
        let (way, bytes) = bytes.split_last().map_or((0, bytes), |(way, rest)| (*way as usize, rest));
        let look = match way / 8 % 4 {
            0 => Look::TextForm,
            1 => Look::Allocation,
            _ => Look::Meaning,
        };
        Task { platform: way % NATIVE.len(), setting: way / 2, look, bytes }
    }

    /// Its module.
    pub fn module(&self, platform: &Platform) -> (Module, Vec<Function>) {
        generate::module(self.bytes, platform)
    }

    /// Checks it by the judge for its platform.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self, judge: &mut Judge) -> Result<(), Failure> {
        let settings = judge.platform.settings();
        let setting = settings[self.setting % settings.len()];
        let (module, functions) = self.module(&judge.platform);
        match self.look {
            Look::TextForm => judge.check_text_form(&module, &functions).map(drop),
            Look::Allocation => judge.check_allocation(&module, functions, &setting),
            Look::Meaning => judge.check_meaning(&module, functions, &setting),
        }
    }
}

/// What memory is after a run: scratch and data; `None` is a byte of any value.
type Memory = Vec<Option<u8>>;

/// What comes of a run by the interpreter: memory, and the number of instructions.
pub type Interpreted = Result<(Memory, u64), Stop>;

/// What is checked about modules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    /// Their text form, register allocation, and what their code does.
    Code,
    /// What the passes make of them.
    Passes,
}

fn scratch() -> Vec<u8> {
    (0..SCRATCH).map(|k| (k as u8).wrapping_mul(37) ^ (k >> 4) as u8).collect()
}

/// Checks modules for one platform.
pub struct Judge {
    /// The platform.
    pub platform: Platform,
    what: Check,
    /// Runs what was made; started when it is needed.
    runner: Option<Runner>,
}

impl Judge {
    /// A judge for a platform.
    pub fn new(platform: Platform) -> Judge {
        Judge::of(platform, Check::Code)
    }

    /// A judge that checks something else.
    pub fn of(platform: Platform, what: Check) -> Judge {
        Judge { platform, what, runner: None }
    }

    /// Checks a module in the text form.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check_text(&mut self, text: &str) -> Result<Outcome, Failure> {
        let (module, functions) = self.read(text)?;
        self.check(&module, &functions)
    }

    fn read(&self, text: &str) -> Result<(Module, Vec<Function>), Failure> {
        parse(text, &mut |s| self.platform.classify(s))
            .map_err(|e| Failure::Text(format!("the text cannot be read: {e}")))
    }

    /// Checks a module whose first function is its entry, a function of one pointer to [`SCRATCH`] bytes, in every setting.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&mut self, module: &Module, functions: &[Function]) -> Result<Outcome, Failure> {
        let text = self.check_text_form(module, functions)?;
        if self.what == Check::Passes {
            return self.check_passes(module, functions);
        }
        let expected = self.interpret(module, functions);
        for setting in self.platform.settings() {
            let functions = self.read(&text)?.1;
            if let Err(failure) = self.check_code(module, functions, &setting, &expected) {
                if matches!(failure, Failure::Allocation(_)) {
                    // Does it matter?
                    let mut functions = self.read(&text)?.1;
                    let code = self.compile(module, &mut functions, &setting, false)?;
                    self.run(module, &functions, &code, &setting, &expected)?;
                }
                return Err(failure);
            }
        }
        let instructions = functions.iter().map(|f| f.insts.len()).sum();
        Ok(match expected {
            Ok((_, steps)) => Outcome::Agreed { instructions, steps },
            Err(stop) => Outcome::Stopped(stop),
        })
    }

    /// Checks that a module is valid, and that its text form, which is the result, is read back as the same.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check_text_form(&self, module: &Module, functions: &[Function]) -> Result<String, Failure> {
        verified(module, functions)?;
        let text = print(module, functions);
        let (again, again_functions) = self.read(&text)?;
        let second = print(&again, &again_functions);
        if text != second {
            let at = text.lines().zip(second.lines()).find(|(a, b)| a != b);
            return Err(Failure::Text(format!("printed, read and printed again it differs: {at:?}")));
        }
        Ok(text)
    }

    /// Checks the allocation of a valid module's registers in one setting.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check_allocation(
        &self,
        module: &Module,
        mut functions: Vec<Function>,
        setting: &Setting,
    ) -> Result<(), Failure> {
        self.compile(module, &mut functions, setting, true).map(drop)
    }

    /// Checks what a valid module does, compiled in one setting.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check_meaning(
        &mut self,
        module: &Module,
        mut functions: Vec<Function>,
        setting: &Setting,
    ) -> Result<(), Failure> {
        let expected = self.interpret(module, &functions);
        let code = self.compile(module, &mut functions, setting, false)?;
        self.run(module, &functions, &code, setting, &expected)
    }

    fn check_code(
        &mut self,
        module: &Module,
        mut functions: Vec<Function>,
        setting: &Setting,
        expected: &Interpreted,
    ) -> Result<(), Failure> {
        let code = self.compile(module, &mut functions, setting, true)?;
        self.run(module, &functions, &code, setting, expected)
    }

    fn run(
        &mut self,
        module: &Module,
        functions: &[Function],
        code: &[CompiledFunction],
        setting: &Setting,
        expected: &Interpreted,
    ) -> Result<(), Failure> {
        if let Ok((expected, _)) = expected
            && setting.runs_here()
        {
            let found = self.execute(module, functions, code, setting).map_err(|f| match f {
                Failure::Link(why) => Failure::Link(format!("{}: {why}", setting.name)),
                Failure::Differs(why) => Failure::Differs(format!("{}: {why}", setting.name)),
                other => other,
            })?;
            self.compare(module, functions, expected, &found, setting)?;
        }
        Ok(())
    }

    /// Runs a module by the interpreter.
    fn interpret(&self, module: &Module, functions: &[Function]) -> Interpreted {
        interpret(&self.platform, module, functions, STEPS, None)
    }

    fn compile(
        &self,
        module: &Module,
        functions: &mut [Function],
        setting: &Setting,
        check: bool,
    ) -> Result<Vec<CompiledFunction>, Failure> {
        let back_end = self.platform.back_end(setting);
        let mut compiler = back_end.compiler(setting.level, check);
        let mut code = Vec::new();
        let mut bodies = InlinableFunctions::new(module, functions);
        for f in functions {
            compiler.inline(module, f, &mut bodies);
            let out = compiler.compile(module, f).map_err(|e| {
                let at = e.inst.filter(|i| i.index() < f.insts.len()).map(|i| Printer::new(module).inst(f, i));
                let name = &module.symbol(f.symbol).name;
                let why = format!("{}: {name}: {e}: {}", setting.name, at.unwrap_or_default());
                if e.message.contains("register allocation is wrong") {
                    Failure::Allocation(why)
                } else {
                    Failure::Compile(why)
                }
            })?;
            if !moves_the_stack(f) {
                verify(module, f).map_err(|e| Failure::Compile(format!("{}: after the passes: {e}", setting.name)))?;
            }
            code.push(out);
        }
        Ok(code)
    }

    /// A writer with compiled functions.
    fn writer<'m>(
        &self,
        module: &'m Module,
        code: &[CompiledFunction],
        setting: &Setting,
    ) -> Result<ObjectWriter<'m>, Failure> {
        let mut writer = ObjectWriter::new(
            self.platform.machine,
            module,
            ObjectOptions { pic: setting.pic, ..ObjectOptions::default() },
        );
        for c in code {
            writer.function(c).map_err(|e| Failure::Link(e.to_string()))?;
        }
        Ok(writer)
    }

    /// The object of compiled functions.
    fn object(&self, module: &Module, code: &[CompiledFunction], setting: &Setting) -> Result<Vec<u8>, Failure> {
        self.writer(module, code, setting)?.finish().map_err(|e| Failure::Link(e.to_string()))
    }

    /// The image of compiled functions: by turns as the writer makes it, and read from a finished object.
    fn image(&self, module: &Module, code: &[CompiledFunction], setting: &Setting) -> Result<ObjectImage, Failure> {
        let bytes: usize = code.iter().map(|f| f.code.len()).sum();
        let turn = bytes / 4 % 2;
        if turn == 0 {
            return self.writer(module, code, setting)?.finish_image().map_err(|e| Failure::Link(e.to_string()));
        }
        let object = self.object(module, code, setting)?;
        read_object(self.platform.machine, &object).map_err(|e| Failure::Link(e.to_string()))
    }

    /// The object of a module in the text form by the first setting, and the functions as the passes left them, values numbered
    /// as in their tables.
    ///
    /// # Errors
    /// The text is no module, or does not compile.
    pub fn code(&self, text: &str) -> Result<(Vec<u8>, String), String> {
        let setting = self.platform.settings()[0];
        let (module, mut functions) = self.read(text).map_err(|e| e.to_string())?;
        let code = self.compile(&module, &mut functions, &setting, false).map_err(|e| e.to_string())?;
        let printer = Printer::new(&module).raw();
        let passed = functions.iter().map(|f| printer.function(f)).collect();
        Ok((self.object(&module, &code, &setting).map_err(|e| e.to_string())?, passed))
    }

    fn execute(
        &mut self,
        module: &Module,
        functions: &[Function],
        code: &[CompiledFunction],
        setting: &Setting,
    ) -> Result<Vec<u8>, Failure> {
        let image = self.image(module, code, setting)?;
        if self.runner.is_none() {
            self.runner = Some(Runner::new(&self.platform).map_err(Failure::Link)?);
        }
        let runner = self.runner.as_mut().expect("it has been started");
        let mut placed = runner.place(&image).map_err(Failure::Link)?;
        let entry = functions.first().and_then(|f| placed.symbols.get(&module.symbol(f.symbol).name)).copied();
        let entry = entry.ok_or_else(|| Failure::Link("there is no entry".into()))?;
        // The scratch memory and its margins come after the object.
        let start = placed.bytes.len().next_multiple_of(MARGIN) + MARGIN;
        let end = start + SCRATCH as usize;
        placed.bytes.resize(start, UNTOUCHED);
        placed.bytes.extend(scratch());
        placed.bytes.resize(end + 2 * MARGIN, UNTOUCHED);
        let data: Option<Vec<(u64, u64)>> =
            seen(module).map(|(s, size)| Some((*placed.symbols.get(&module.symbol(s).name)?, size))).collect();
        let data = data.ok_or_else(|| Failure::Link("data is not in the object".into()))?;
        let wanted = data.iter().map(|d| d.0).min().unwrap_or(start as u64).min((start - MARGIN) as u64);
        let wanted_size = placed.bytes.len() as u64 - wanted;
        let call = Call { entry, argument: start as u64, wanted, wanted_size };
        let memory = runner.run(&placed, call).map_err(|why| {
            // The next one finds another runner.
            self.runner = None;
            Failure::Differs(why)
        })?;
        let (start, end) = (start - wanted as usize, end - wanted as usize);
        if memory[start - MARGIN..start].iter().chain(&memory[end..]).any(|&b| b != UNTOUCHED) {
            return Err(Failure::Differs("memory beside the scratch memory was written".into()));
        }
        let mut found = memory[start..end].to_vec();
        for (at, size) in data {
            found.extend(&memory[(at - wanted) as usize..][..size as usize]);
        }
        Ok(found)
    }

    fn compare(
        &self,
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
        let passes = match self.interpret(module, functions) {
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
}

/// Runs a module by the interpreter, in at most so many steps. With `definite`, values of any kind get definite bits by this seed.
pub fn interpret(
    platform: &Platform,
    module: &Module,
    functions: &[Function],
    steps: u64,
    definite: Option<u64>,
) -> Interpreted {
    let entry = functions.first().map_or(SymbolId(0), |f| f.symbol);
    let mut interpreter = Interpreter::new(module, functions, &platform.abi, steps);
    if let Some(seed) = definite {
        interpreter.with_definite(seed);
    }
    interpreter.map(SCRATCH_BASE, scratch());
    interpreter.call(entry, &[Val::of(SCRATCH_BASE as u128)])?;
    let mut memory = Memory::new();
    let regions = seen(module).map(|(symbol, _)| interpreter.address(symbol));
    for base in std::iter::once(SCRATCH_BASE).chain(regions) {
        let Some((bytes, known)) = interpreter.mapped(base) else { continue };
        memory.extend(bytes.iter().zip(known).map(|(&b, &k)| k.then_some(b)));
    }
    Ok((memory, steps - interpreter.steps_left()))
}

fn verified(module: &Module, functions: &[Function]) -> Result<(), Failure> {
    functions.iter().try_for_each(|f| verify(module, f).map_err(|e| Failure::Text(e.to_string())))
}

/// Does it have argument blocks or areas on the stack? What the passes make of these is no IR that anybody else may write.
pub(crate) fn moves_the_stack(f: &Function) -> bool {
    f.insts.iter().any(|d| matches!(d.op, Opcode::StackLevel | Opcode::StackAlloc))
        || f.calls.iter().any(|call| f.sigs[call.sig.index()].abi.arg_block.is_some())
}

/// The data that is looked at afterwards: what has a name in the object.
fn seen(module: &Module) -> impl Iterator<Item = (SymbolId, u64)> {
    let named = |s: SymbolId| module.symbol(s).linkage != Linkage::Private;
    module.data.iter().filter(move |d| named(d.symbol)).map(|d| (d.symbol, d.size))
}
