//! Each pass against the interpreter: what functions do before it, they do after it.
//!
//! A module is rewritten as it is compiled, up to where instructions would be selected: without any pass of optimized code, with each of
//! these passes alone, and by the pipelines of all levels. What the interpreter makes of the result has to be what it makes of
//! the module: the same memory where that has definite bytes, the same way out of the entry.

use gusset_codegen::ir::{Function, Inst, InstData, Module, Opcode, Printer, Type, reverse_postorder, verify};
use gusset_codegen::level::OptimizationLevel;
use gusset_codegen::passes::{InlinableFunctions, PIPELINE, Pass, PassSet, UseCounts};

use crate::case::{Failure, Interpreted, Judge, Outcome, interpret, moves_the_stack};
use crate::interp::Stop;
use crate::platform::{Platform, Setting};

/// What the interpreter may take for a module, in instructions, and for what passes make of it, where a wide operation may be a loop.
const STEPS: u64 = 50_000;
const STEPS_OF_RESULT: u64 = 1_000 * STEPS;

/// Passes that run on a module.
#[derive(Clone, Debug)]
pub struct Selection {
    /// For messages.
    pub name: String,
    /// The level that they run at.
    pub level: OptimizationLevel,
    /// Those of its passes that run.
    pub passes: PassSet,
}

impl Selection {
    /// None of the passes of optimized code, only what all code needs.
    pub fn none() -> Selection {
        Selection { name: "no pass".into(), level: OptimizationLevel::O2, passes: PassSet::of(&[]) }
    }

    /// One pass alone.
    pub fn alone(pass: Pass) -> Selection {
        Selection { name: pass.name().into(), level: OptimizationLevel::O2, passes: PassSet::of(&[pass]) }
    }

    /// All passes of a level.
    fn all(name: &str, level: OptimizationLevel) -> Selection {
        Selection { name: name.into(), level, passes: PassSet::default() }
    }

    /// The passes of `-O2` up to one, by its place in [`PIPELINE`].
    pub fn up_to(last: usize) -> Selection {
        let passes: Vec<Pass> = PIPELINE[..=last].iter().map(|step| step.pass).collect();
        let name = format!("the passes up to {}", PIPELINE[last].pass.name());
        Selection { name, level: OptimizationLevel::O2, passes: PassSet::of(&passes) }
    }
}

/// All that is tried with every module; the first is [`Selection::none`].
fn selections() -> Vec<Selection> {
    let mut all = vec![Selection::none()];
    all.extend(Pass::all().map(Selection::alone));
    let levels = [("O1", OptimizationLevel::O1), ("O2", OptimizationLevel::O2), ("Os", OptimizationLevel::Os)];
    all.extend(levels.map(|(name, level)| Selection::all(name, level)));
    all
}

/// The functions of a module after passes, without what is dead.
///
/// # Errors
/// One of them is refused, or is no valid IR afterwards.
pub fn rewritten(
    platform: &Platform,
    setting: &Setting,
    selection: &Selection,
    module: &Module,
    functions: &[Function],
) -> Result<Vec<Function>, Failure> {
    let fails = |why: String| Failure::Pass(format!("{}: {}: {why}", selection.name, setting.name));
    let back_end = platform.back_end(setting);
    let mut compiler = back_end.compiler(selection.level, false);
    compiler.choose_passes(selection.passes);
    let mut bodies = InlinableFunctions::new(module, functions);
    let mut functions = functions.to_vec();
    for f in &mut functions {
        compiler.inline(module, f, &mut bodies);
        compiler.rewrite(module, f).map_err(|e| {
            let at = e.inst.filter(|i| i.index() < f.insts.len()).map(|i| Printer::new(module).inst(f, i));
            fails(format!("{e}: {}", at.unwrap_or_default()))
        })?;
        if !moves_the_stack(f) {
            verify(module, f).map_err(|e| fails(format!("after the passes: {e}")))?;
        }
        forget_dead(f);
    }
    Ok(functions)
}

/// Takes out what no code is made for: where it computes or loads something else than before, that does no harm.
fn forget_dead(f: &mut Function) {
    let (order, _) = reverse_postorder(f);
    let mut counts = UseCounts::default();
    counts.count(f, &order);
    for i in order.iter().flat_map(|&b| f.block_insts(b)).collect::<Vec<Inst>>() {
        if counts.is_dead(i) {
            f.insts[i.index()] = InstData { op: Opcode::Nop, flags: 0, ty: Type::VOID, a: 0, b: 0, c: 0 };
        }
    }
}

/// In which way the results of two modules differ, of which the second is made of the first by passes.
pub fn difference(before: &Interpreted, after: &Interpreted) -> Option<String> {
    let ((memory, _), (other, _)) = match (before, after) {
        (Ok(before), Ok(after)) => (before, after),
        (Err(Stop::Raised(_)), Err(Stop::Raised(_))) => return None,
        // Nothing is said about these.
        (Err(Stop::Undefined(_) | Stop::Unsupported(_) | Stop::Limit), _) | (_, Err(Stop::Unsupported(_))) => {
            return None;
        }
        (_, Err(stop)) => return Some(format!("the result stops: {stop}")),
        (Err(stop), Ok(_)) => return Some(format!("the result comes to its end: before, {stop}")),
    };
    let at = memory.iter().zip(other).position(|(a, b)| a.is_some() && a != b)?;
    let (from, to) = (at & !7, ((at & !7) + 8).min(memory.len()));
    Some(format!("byte {at}: {:02x?} instead of {:02x?}", &other[from..to], &memory[from..to]))
}

impl Judge {
    /// Checks the passes by a valid module, in the settings for optimized code.
    ///
    /// # Errors
    /// What is wrong, with the name of the pass.
    pub fn check_passes(&self, module: &Module, functions: &[Function]) -> Result<Outcome, Failure> {
        let platform = &self.platform;
        let before = interpret(platform, module, functions, STEPS, None);
        let steps = match &before {
            Ok((_, steps)) => *steps,
            Err(Stop::Raised(_)) => 0,
            Err(stop) => return Ok(Outcome::Stopped(stop.clone())),
        };
        let mut stopped = None;
        for setting in platform.settings().iter().filter(|setting| setting.level == OptimizationLevel::O2) {
            for selection in selections() {
                let after = self.check_selection(setting, &selection, (module, functions), &before)?;
                stopped = stopped.or(after.err().filter(|stop| matches!(stop, Stop::Unsupported(_))));
            }
        }
        let instructions = functions.iter().map(|f| f.insts.len()).sum();
        Ok(stopped.map_or(Outcome::Agreed { instructions, steps }, Outcome::Stopped))
    }

    /// Runs the result of passes. Its values have bits that do not count: what they are is different for every module.
    fn run_rewritten(&self, module: &Module, functions: &[Function]) -> Interpreted {
        let seed = functions.iter().map(|f| f.insts.len() as u64).sum();
        interpret(&self.platform, module, functions, STEPS_OF_RESULT, Some(seed))
    }

    fn check_selection(
        &self,
        setting: &Setting,
        selection: &Selection,
        (module, functions): (&Module, &[Function]),
        before: &Interpreted,
    ) -> Result<Interpreted, Failure> {
        let result = rewritten(&self.platform, setting, selection, module, functions)?;
        let after = self.run_rewritten(module, &result);
        match difference(before, &after) {
            Some(why) => {
                let name = self.first_that_differs(setting, selection, (module, functions), before);
                Err(Failure::Pass(format!("{name}: {}: {why}", setting.name)))
            }
            None => Ok(after),
        }
    }

    /// The name of passes that differ: of a pipeline, its shortest beginning.
    fn first_that_differs(
        &self,
        setting: &Setting,
        selection: &Selection,
        (module, functions): (&Module, &[Function]),
        before: &Interpreted,
    ) -> String {
        if selection.passes != PassSet::default() || selection.level != OptimizationLevel::O2 {
            return selection.name.clone();
        }
        let differs = |selection: &Selection| {
            rewritten(&self.platform, setting, selection, module, functions)
                .map_or(true, |result| difference(before, &self.run_rewritten(module, &result)).is_some())
        };
        let first = (0..PIPELINE.len()).map(Selection::up_to).find(differs);
        first.map_or(selection.name.clone(), |selection| selection.name)
    }
}
