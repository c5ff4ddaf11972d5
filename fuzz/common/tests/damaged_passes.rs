//! The check of passes finds passes that do wrong. The result of a pass is damaged in a way in which that pass might be wrong, in functions
//! that it changes, at any place that is reached; the interpreter has to see a difference in a good part of them. In the rest the value
//! does not matter.

use gusset_codegen::ir::{
    Block, ConstData, Edge, Function, Inst, InstData, IntCc, Module, Opcode, Printer, Type, Value, ValueDef,
};
use gusset_codegen::level::OptimizationLevel;
use gusset_codegen::passes::{PIPELINE, Pass, Step};

use gusset_fuzz::case::interpret;
use gusset_fuzz::generate;
use gusset_fuzz::passes::{Selection, difference, rewritten};
use gusset_fuzz::platform::{PLATFORMS, Platform, Setting};
use gusset_fuzz::source::{Random, bytes_of_seed};

/// Modules that are looked at, for each platform.
const MODULES: u64 = 40;
/// Places that are tried for a damage of each kind in one module.
const TRIES: usize = 2;
/// Modules are small enough for so many instructions of the interpreter, also where a damage makes an endless loop.
const STEPS: u64 = 20_000;

/// What may be wrong with the result of a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Damage {
    /// A store is gone.
    LostStore,
    /// A load gives what an earlier load gave, though something is stored in between.
    StaleLoad,
    /// An operand is another value of its type.
    WrongValue,
    /// An operand is another constant.
    WrongConstant,
    /// An operation is gone: its first operand takes its place.
    LostOperation,
    /// The operands of a subtraction or a shift have changed places.
    SwappedOperands,
    /// A comparison holds where it should not.
    WrongCondition,
    /// The edges of a branch have changed places.
    SwappedEdges,
    /// An edge leads elsewhere.
    WrongEdge,
    /// An edge passes another value.
    WrongArgument,
    /// An access is beside its place.
    WrongOffset,
    /// An index is scaled wrongly.
    WrongScale,
}

/// The typical faults of each pass.
fn typical(pass: Pass) -> &'static [Damage] {
    use Damage::*;
    match pass {
        Pass::Inline => &[WrongArgument, LostStore, WrongValue],
        Pass::Gvn => &[WrongValue, StaleLoad, LostStore, SwappedEdges],
        Pass::Parameters => &[WrongConstant, WrongValue, LostOperation],
        Pass::Saturate => &[WrongConstant, WrongValue, LostOperation],
        Pass::Merge => &[WrongEdge, WrongArgument],
        Pass::Thread => &[WrongEdge, SwappedEdges],
        Pass::Simplify => &[WrongConstant, WrongCondition, LostOperation],
        Pass::Widen => &[WrongValue, WrongCondition, WrongOffset],
        Pass::Operands => &[WrongOffset, WrongScale, WrongValue, WrongCondition],
        Pass::Conditions => &[SwappedEdges, WrongCondition, WrongEdge],
        Pass::Hoist => &[WrongOffset, WrongScale, WrongValue],
        Pass::Sink => &[StaleLoad, WrongValue, SwappedOperands],
        Pass::Increments => &[WrongOffset, WrongConstant, WrongValue],
    }
}

/// Damages a function at one of the places where that is possible, which is returned.
fn damage(f: &mut Function, kind: Damage, random: &mut Random) -> Option<Inst> {
    let blocks = f.layout.clone();
    let all: Vec<(Block, Inst)> = blocks.iter().flat_map(|&b| f.block_insts(b).map(move |i| (b, i))).collect();
    let start = random.below(all.len());
    let mut places = all[start..].iter().chain(&all[..start]);
    places.find(|&&(b, i)| damage_at(f, kind, (b, i), random)).map(|place| place.1)
}

fn damage_at(f: &mut Function, kind: Damage, (b, i): (Block, Inst), random: &mut Random) -> bool {
    let d = *f.inst(i);
    let changed = match kind {
        Damage::LostStore if d.op == Opcode::Store => InstData { op: Opcode::Nop, ty: Type::VOID, ..d },
        Damage::StaleLoad if d.op == Opcode::Load => return stale(f, b, i),
        Damage::WrongValue if d.op.arity() > 0 && d.op != Opcode::Call => {
            let other = f.block_insts(b).take_while(|&k| k < i).filter(|&k| f.inst(k).op.result_count() == Some(1));
            let others: Vec<Value> = other.map(|k| f.result(k)).chain(f.params(b).iter().copied()).collect();
            let ty = f.value_type(Value(d.a));
            let fits: Vec<Value> =
                others.into_iter().filter(|&v| v.0 != d.a && f.value_type(v) == ty && is_own(f, v)).collect();
            if fits.is_empty() {
                return false;
            }
            InstData { a: fits[random.below(fits.len())].0, ..d }
        }
        Damage::WrongConstant if d.op.arity() == 2 && d.ty.is_int() && !d.ty.is_vector() => {
            let Some(n) = f.int_constant(Value(d.b)) else { return false };
            let ty = f.value_type(Value(d.b));
            InstData { b: f.make_int(ty, n as i128 ^ 1).0, ..d }
        }
        Damage::LostOperation if d.op.arity() == 2 && d.op.result_count() == Some(1) => {
            let (r, a) = (f.result(i), Value(d.a));
            if f.value_type(a) != f.value_type(r) {
                return false;
            }
            InstData { op: Opcode::Freeze, flags: 0, ty: f.value_type(r), b: 0, c: 0, ..d }
        }
        Damage::SwappedOperands if matches!(d.op, Opcode::Isub | Opcode::Shl | Opcode::Lshr) && d.a != d.b => {
            InstData { a: d.b, b: d.a, ..d }
        }
        Damage::WrongCondition if d.op == Opcode::Icmp => {
            let Some(cc) = IntCc::from_u8(d.flags) else { return false };
            InstData { flags: cc.inverse() as u8, ..d }
        }
        Damage::SwappedEdges if d.op == Opcode::Br && d.b != d.c => InstData { b: d.c, c: d.b, ..d },
        Damage::WrongEdge => return misled(f, &d, random),
        Damage::WrongArgument => return wrong_argument(f, &d),
        Damage::WrongOffset if d.op == Opcode::Load => InstData { b: d.b.wrapping_add(d.ty.store_bytes()), ..d },
        Damage::WrongOffset if d.op == Opcode::Store => InstData { c: d.c.wrapping_add(d.ty.store_bytes()), ..d },
        Damage::WrongScale if d.op == Opcode::Index => InstData { c: d.c.wrapping_mul(2), ..d },
        _ => return false,
    };
    f.insts[i.index()] = changed;
    true
}

/// Is a value that of an instruction or a parameter, and no other name of one?
fn is_own(f: &Function, v: Value) -> bool {
    matches!(f.value_def(v), ValueDef::Inst(_) | ValueDef::Param(_))
}

/// Makes a load the same as an earlier one of its block, if something is written in between.
fn stale(f: &mut Function, b: Block, i: Inst) -> bool {
    let (mut earlier, mut writes) = (None, false);
    for k in f.block_insts(b).take_while(|&k| k < i) {
        let d = f.inst(k);
        if d.op == Opcode::Load && d.ty == f.inst(i).ty && earlier.is_none() {
            earlier = Some(f.result(k));
            writes = false;
        }
        writes |= matches!(d.op, Opcode::Store | Opcode::Call);
    }
    let Some(earlier) = earlier.filter(|_| writes) else { return false };
    let r = f.result(i);
    f.alias(r, earlier);
    f.insts[i.index()] = InstData { op: Opcode::Nop, flags: 0, ty: Type::VOID, a: 0, b: 0, c: 0 };
    f.resolve_operands();
    true
}

fn edges_of(f: &Function, d: &InstData) -> Vec<Edge> {
    let mut edges = Vec::new();
    if matches!(d.op, Opcode::Jump | Opcode::Br | Opcode::Switch) {
        f.for_each_edge(d, |e| edges.push(e));
    }
    edges
}

/// Leads an edge to another block with parameters of the same types.
fn misled(f: &mut Function, d: &InstData, random: &mut Random) -> bool {
    let types = |f: &Function, b: Block| f.params(b).iter().map(|&p| f.value_type(p)).collect::<Vec<Type>>();
    for e in edges_of(f, d) {
        let to = f.edge_to(e);
        let fits = |&b: &Block| b != to && b != f.layout[0] && !f.is_pad(b) && types(f, b) == types(f, to);
        let others: Vec<Block> = f.layout.iter().copied().filter(fits).collect();
        if !others.is_empty() {
            f.edges[e.index()].to = others[random.below(others.len())];
            return true;
        }
    }
    false
}

/// Passes the next argument of the same type in the place of one, or another constant.
fn wrong_argument(f: &mut Function, d: &InstData) -> bool {
    for e in edges_of(f, d) {
        let args = f.edge_args(e).to_vec();
        for (k, &v) in args.iter().enumerate() {
            let ty = f.value_type(v);
            let other = args[k + 1..].iter().copied().find(|&other| other != v && f.value_type(other) == ty);
            let other = other.or_else(|| match f.constant(v) {
                Some(ConstData::Int(n)) if ty.is_int() => Some(f.make_int(ty, n as i128 ^ 1)),
                _ => None,
            });
            if let Some(other) = other {
                f.set_edge_arg(e, k, other);
                return true;
            }
        }
    }
    false
}

/// How many results of a pass were damaged, and of how many that was seen.
#[derive(Clone, Copy, Default, Debug)]
struct Count {
    damaged: usize,
    found: usize,
}

fn text(module: &Module, f: &Function) -> String {
    Printer::new(module).function(f)
}

/// Damages the results of passes for a module, and counts.
fn try_module(platform: &Platform, setting: &Setting, seed: u64, counts: &mut [Count]) {
    let (module, functions) = generate::module(&bytes_of_seed(seed), platform);
    let before = interpret(platform, &module, &functions, STEPS, None);
    if before.is_err() {
        return;
    }
    let run = |functions: &[Function]| interpret(platform, &module, functions, 20 * STEPS, Some(seed));
    let passed = |selection: &Selection| rewritten(platform, setting, selection, &module, &functions).unwrap();
    let mut random = Random(seed);
    let mut last = passed(&Selection::none());
    for (k, count) in counts.iter_mut().enumerate() {
        let result = passed(&Selection::up_to(k));
        let differs = |f: &usize| text(&module, &result[*f]) != text(&module, &last[*f]);
        let changed: Vec<usize> = (0..result.len()).filter(differs).collect();
        for &kind in typical(PIPELINE[k].pass).iter().filter(|_| !changed.is_empty()) {
            for _ in 0..TRIES {
                let (mut damaged, at) = (result.clone(), changed[random.below(changed.len())]);
                let Some(place) = damage(&mut damaged[at], kind, &mut random) else { continue };
                let mut trapped = result.clone();
                trapped[at].insts[place.index()].op = Opcode::Trap;
                if run(&trapped).is_err() {
                    count.damaged += 1;
                    count.found += usize::from(difference(&before, &run(&damaged)).is_some());
                }
            }
        }
        last = result;
    }
}

#[test]
fn damaged_passes_are_found() {
    let mut counts = vec![Count::default(); PIPELINE.len()];
    for triple in [PLATFORMS[0], PLATFORMS[5]] {
        let platform = Platform::of(triple).unwrap();
        let setting = platform.settings().into_iter().find(|s| s.level == OptimizationLevel::O2).unwrap();
        (0..MODULES).for_each(|seed| try_module(&platform, &setting, seed, &mut counts));
    }
    let of = |(step, c): (&Step, &Count)| format!("{}: {} of {}", step.pass.name(), c.found, c.damaged);
    let all: Vec<String> = PIPELINE.iter().zip(&counts).map(of).collect();
    println!("{}", all.join("\n"));
    for (step, count) in PIPELINE.iter().zip(&counts) {
        let enough = count.damaged >= 8 && 5 * count.found >= count.damaged;
        assert!(enough, "{}: {count:?}\n{}", step.pass.name(), all.join("\n"));
    }
}
