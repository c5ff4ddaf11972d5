//! The checker of register allocation accepts what the allocator does and refuses it when it is damaged.

use gusset_abi::{AbiTarget, Signature, classify};
use gusset_codegen::alloc::{Event, Loc, Transfer};
use gusset_codegen::compile::Compiler;
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::ir::{Function, Module, parse};
use gusset_codegen::machine::PReg;
use gusset_codegen::plan::Clobbers;
use gusset_targets::x86::{Features, X86};

/// Loops that exchange values, calls among live values, two-part values, a switch, more live values than registers.
const FUNCTIONS: &str = include_str!("allocation/functions.gir");

fn functions() -> (Module, Vec<Function>) {
    parse(FUNCTIONS, &mut |s| classify(&AbiTarget::X86_64_LINUX, s)).unwrap_or_else(|e| panic!("{e}"))
}

/// Calls `damage` for every function and event, which gives what shall stand there instead, if anything; gives how many
/// of the damaged logs were refused and how many there were.
#[track_caller]
fn damaged(damage: impl Fn(&[Event], usize) -> Option<Vec<Event>>) -> (usize, usize) {
    let (module, mut functions) = functions();
    let target = X86::new(Features::default(), true);
    let mut compiler = Compiler::new(&target);
    compiler.check_allocation(true);
    let (mut refused, mut all) = (0, 0);
    for f in &mut functions {
        let name = module.symbol(f.symbol).name.clone();
        compiler.compile(&module, f, &mut CompiledFunction::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let events = compiler.log().unwrap().events.clone();
        assert_eq!(compiler.check_events(f, &events), Ok(()), "{name}");
        for k in 0..events.len() {
            let Some(instead) = damage(&events, k) else { continue };
            let mut wrong = events.clone();
            wrong.splice(k..=k, instead);
            all += 1;
            refused += usize::from(compiler.check_events(f, &wrong).is_err());
        }
    }
    assert!(all > 5, "{all}");
    (refused, all)
}

/// All damaged logs are refused.
#[track_caller]
fn refuses(damage: impl Fn(&[Event], usize) -> Option<Vec<Event>>) {
    let (refused, all) = damaged(damage);
    assert_eq!(refused, all);
}

/// A register that an operand is in from this event on.
fn used(event: Event) -> Option<PReg> {
    match event {
        Event::Use(_, Loc::Reg(r)) => Some(r),
        _ => None,
    }
}

#[test]
fn an_operand_in_another_register() {
    let never = PReg::int(4);
    refuses(|e, k| match e[k] {
        Event::Use(n, Loc::Reg(_)) => Some(vec![Event::Use(n, never.into())]),
        Event::Read(n, Loc::Reg(_)) => Some(vec![Event::Read(n, never.into())]),
        Event::Expect(n, _) => Some(vec![Event::Expect(n, never)]),
        _ => None,
    });
}

#[test]
fn another_operand_in_the_register() {
    refuses(|e, k| match e[k] {
        Event::Use(mut n, at @ Loc::Reg(_)) => {
            n.part = 7;
            Some(vec![Event::Use(n, at)])
        }
        _ => None,
    });
}

#[test]
fn a_result_that_is_nowhere() {
    // A high part may be of no use to anybody.
    let (refused, all) = damaged(|e, k| match e[k] {
        Event::Bind(..) => Some(vec![]),
        _ => None,
    });
    assert!(refused * 20 > all * 19, "{refused} of {all}");
}

#[test]
fn a_result_of_another_instruction() {
    refuses(|e, k| match e[k] {
        Event::Bind(n, at) => {
            Some(vec![Event::Bind(n, at), Event::Inst(gusset_codegen::ir::Inst(1 << 30)), Event::Bind(n, at)])
                .filter(|_| e[..k].iter().any(|x| matches!(x, Event::Inst(_))))
        }
        _ => None,
    });
}

#[test]
fn an_operand_that_is_overwritten() {
    refuses(|e, k| used(e[k]).map(|r| vec![e[k], Event::Code(r.mask())]));
    refuses(|e, k| used(e[k]).map(|r| vec![e[k], Event::Own { reg: r, reuse: None }]));
    refuses(|e, k| used(e[k]).map(|r| vec![e[k], Event::Shuffle(r)]));
    refuses(|e, k| match e[k] {
        Event::Own { reg, .. } => Some(vec![e[k], Event::Own { reg, reuse: None }]),
        _ => None,
    });
    refuses(|e, k| used(e[k]).map(|r| vec![e[k], Event::Release, Event::Shuffle(r)]));
}

#[test]
fn code_that_is_jumped_over() {
    refuses(|e, k| match e[k] {
        Event::Transfer(..) => Some(vec![Event::Skipped, e[k]]),
        _ => None,
    });
}

#[test]
fn a_place_that_is_the_programs() {
    refuses(|e, k| match e[k] {
        Event::Transfer(Transfer::Copy { to: at @ Loc::Frame(..), .. }, _) => Some(vec![Event::Memory(at, 8), e[k]]),
        _ => None,
    });
}

#[test]
fn a_fork_that_is_missing() {
    let (refused, all) = damaged(|e, k| match e[k] {
        Event::Fork => Some(vec![]),
        _ => None,
    });
    assert_eq!(refused, all);
}

/// Copies that nothing reads again are no fault when they are missing, which stores often are: those that are read count.
#[test]
fn copies_that_are_missing_or_wrong() {
    let load = |t: Transfer| match t {
        Transfer::Copy { to, .. } => matches!(to, Loc::Reg(_)),
        Transfer::Swap { .. } | Transfer::Make { .. } => true,
    };
    // A value may go home to be read nowhere but where it came from.
    let (refused, all) = damaged(|e, k| match e[k] {
        Event::Transfer(t, _) if load(t) => Some(vec![]),
        _ => None,
    });
    assert!(refused * 20 > all * 19, "{refused} of {all}");
    let (refused, all) = damaged(|e, k| match e[k] {
        Event::Transfer(t @ Transfer::Copy { to: Loc::Reg(r), .. }, _) => {
            Some(vec![e[k], Event::Clobber(Clobbers::whole(r.mask()))]).filter(|_| load(t))
        }
        _ => None,
    });
    assert!(refused * 20 > all * 19, "{refused} of {all}");
    refuses(|e, k| match e[k] {
        Event::Transfer(Transfer::Copy { to: to @ Loc::Frame(..), from, .. }, _) if is_read(e, k, to, from) => {
            Some(vec![])
        }
        Event::Transfer(t, _) if !load(t) && is_on_edge(&e[..k]) => Some(vec![]),
        _ => None,
    });
}

/// Is a result that is stored where it was made an operand from there anywhere? Much is stored and then had in a register ever
/// after.
fn is_read(e: &[Event], k: usize, place: Loc, from: Loc) -> bool {
    let Some(&Event::Bind(name, at)) = e[..k].last() else { return false };
    at == from && e.iter().any(|x| matches!(*x, Event::Use(n, l) | Event::Read(n, l) if (n, l) == (name, place)))
}

/// Is this the code of an edge? What it stores is what the next block begins with.
fn is_on_edge(before: &[Event]) -> bool {
    let last = before.iter().rev().find(|x| matches!(x, Event::Edge(_) | Event::Inst(_) | Event::Block(_)));
    matches!(last, Some(Event::Edge(_)))
}

#[test]
fn a_copy_of_half_a_value() {
    let (refused, all) = damaged(|e, k| match e[k] {
        Event::Transfer(Transfer::Copy { to: to @ Loc::Reg(_), from, bytes }, mask) if bytes >= 4 => {
            Some(vec![Event::Transfer(Transfer::Copy { to, from, bytes: bytes / 2 }, mask)])
        }
        _ => None,
    });
    assert!(refused * 20 > all * 19, "{refused} of {all}");
}

#[test]
fn registers_that_a_call_changes() {
    // Every register changed where only some are: what lives across the call is lost.
    let (refused, all) = damaged(|e, k| match e[k] {
        Event::Inst(_) => Some(vec![Event::Clobber(Clobbers::whole(!0)), e[k]]),
        _ => None,
    });
    assert!(refused * 10 > all * 7, "{refused} of {all}");
}

/// A callee may keep the low halves of vector registers alone (AAPCS64, section 6.1.2): a `double` lives on there, a whole vector
/// does not.
#[test]
fn registers_that_a_call_keeps_in_part() {
    let text = "module \"halves\"\ns0 = export function @f dso_local\ns1 = import function @g\nfunction @f sig0 {\n  sig0 = \
                (i64) -> () = c (ptr) -> void\n  sig1 = () -> () = c () -> void\nb0(v0: i64):\n  v1: f64 = load v0, 0, \
                align 8\n  v2: i32x4 = load v0, 16, align 16\n  call @g sig1 ()\n  store f64 v1, v0, 0, align 8\n  store \
                f64 v1, v0, 8, align 8\n  store i32x4 v2, v0, 16, align 16\n  store i32x4 v2, v0, 32, align 16\n  \
                return\n}\n";
    let windows = AbiTarget::from_triple("x86_64-pc-windows-gnu", Default::default()).unwrap();
    let high = (6..15).fold(0, |mask, n| mask | PReg::float(n).mask());
    let target = X86::new_windows(Features::default(), windows.env);
    let logs = [false, true].map(|halves| {
        let classify = &mut |s: &Signature| {
            let mut abi = classify(&windows, s)?;
            if halves && s.params.is_empty() {
                abi.preserved_low64.float = high >> 32;
                abi.preserved.float &= !(high >> 32);
                abi.clobbers.float |= high >> 32;
            }
            Ok(abi)
        };
        let (module, mut functions) = parse(text, classify).unwrap_or_else(|e| panic!("{e}"));
        let mut compiler = Compiler::new(&target);
        compiler.check_allocation(true);
        let f = &mut functions[0];
        compiler.compile(&module, f, &mut CompiledFunction::default()).unwrap_or_else(|e| panic!("{e}"));
        let mut events = compiler.log().unwrap().events.clone();
        let stored = |e: &Event, size| {
            matches!(*e, Event::Transfer(Transfer::Copy { to: Loc::Frame(..), bytes, .. }, _) if bytes == size)
        };
        let stores = [8, 16].map(|size| events.iter().filter(|e| stored(e, size)).count());
        for e in &mut events {
            if let Event::Clobber(clobbers) = e {
                clobbers.high = high;
            }
        }
        (stores, compiler.check_events(f, &events).is_ok())
    });
    assert_eq!(logs, [([0, 0], false), ([0, 1], true)]);
}

/// On 32-bit x86 a cycle has 4 bytes of a register and 8 bytes of a `double` in it.
#[test]
fn exchanges_of_mixed_widths() {
    let i386 = AbiTarget::from_triple("i686-unknown-linux-gnu", Default::default()).unwrap();
    let text = include_str!("allocation/exchange_32.gir");
    let (module, mut functions) = parse(text, &mut |s| classify(&i386, s)).unwrap_or_else(|e| panic!("{e}"));
    let target = X86::new_32(Features::default(), true);
    let mut compiler = Compiler::new(&target);
    compiler.check_allocation(true);
    for f in &mut functions {
        compiler.compile(&module, f, &mut CompiledFunction::default()).unwrap_or_else(|e| panic!("{e}"));
        let swaps = compiler.log().unwrap().events.iter();
        assert!(swaps.filter(|e| matches!(e, Event::Transfer(Transfer::Swap { .. }, _))).count() > 0);
    }
}

/// An interpreter's loop as an optimizer leaves it: `CASES` blocks go on to one block behind them all, each with another of
/// `CARRIED` values changed and the others as they are. `dispatch` is how the loop begins.
fn interpreter(dispatch: &str) -> String {
    const CARRIED: usize = 20;
    const CASES: usize = 16;
    let list =
        |from: usize, ty: &str| (0..CARRIED).map(|k| format!("v{}{ty}", from + k)).collect::<Vec<_>>().join(", ");
    let mut text = String::from(
        "module \"loop\"\ns0 = export function @f dso_local\ns1 = import function @g\nfunction @f sig0 {\n  sig0 = \
         (i64) -> (i64) = c (ptr) -> i64\n  sig1 = () -> () = c () -> void\n",
    );
    let first: Vec<String> = (0..CARRIED).map(|k| format!("v{}", 2000 + k)).collect();
    text += "b0(v1: i64):\n";
    for (k, v) in first.iter().enumerate() {
        text += &format!("  {v}: i64 = load v1, {}, align 8\n", 8 * k);
    }
    text += &format!("  jump b1({})\nb1({}):\n{dispatch}", first.join(", "), list(100, ": i64"));
    for c in 0..CASES {
        let arguments: Vec<String> =
            (0..CARRIED).map(|k| if k == c { format!("v{}", 300 + c) } else { format!("v{}", 100 + k) }).collect();
        text += &format!("b{}:\n  call @g sig1 ()\n  v{}: i64 = iadd v{}, 5:i64\n", 10 + c, 300 + c, 100 + c);
        text += &format!("  jump b2({})\n", arguments.join(", "));
    }
    text += &format!(
        "b2({}):\n  v700: i1 = icmp eq i64 v200, v201\n  br v700, b1({}), b3\n",
        list(200, ": i64"),
        list(200, "")
    );
    text += "b3:\n";
    for k in 0..CARRIED {
        text += &format!("  store i64 v{}, v1, {}, align 8\n", 200 + k, 8 * k);
    }
    text + "  return v219\n}\n"
}

/// What the allocator did with the only function of a text; it passes the checker.
fn checked(text: &str) -> Vec<Event> {
    let (module, mut functions) =
        parse(text, &mut |s| classify(&AbiTarget::X86_64_LINUX, s)).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let target = X86::new(Features::default(), true);
    let mut compiler = Compiler::new(&target);
    compiler.check_allocation(true);
    compiler.compile(&module, &mut functions[0], &mut CompiledFunction::default()).unwrap_or_else(|e| panic!("{e}"));
    compiler.log().unwrap().events.clone()
}

/// How often the edges of a function move something.
fn moves_on_edges(text: &str) -> usize {
    let mut on_edge = false;
    let mut moves = 0;
    for e in checked(text) {
        match e {
            Event::Edge(_) => on_edge = true,
            Event::Block(_) | Event::Inst(_) => on_edge = false,
            Event::Transfer(..) => moves += usize::from(on_edge),
            _ => {}
        }
    }
    moves
}

#[test]
fn edges_that_pass_the_same_values_on_cost_nothing() {
    let cases: Vec<String> = (0..16).map(|c| format!("{c}:i64 => b{}", 10 + c)).collect();
    let switch = format!("  v600: i64 = load v1, 400, align 8\n  switch i64 v600, [{}], b10\n", cases.join(", "));
    let moves = moves_on_edges(&interpreter(&switch));
    // The changed values may have to go to their places, and the first ones.
    assert!(moves <= 2 * 16, "{moves} moves");
}

#[test]
fn a_long_block_gets_room_for_its_spills() {
    // Each sum is wanted again 40 sums later: more values than registers, of which none has a home.
    let mut text = String::from("module \"long\"\ns0 = export function @f dso_local\nfunction @f sig0 {\n");
    text += "  sig0 = (i64) -> (i64) = c (ptr) -> i64\nb0(v1: i64):\n";
    for k in 2..9000 {
        text += &format!("  v{k}: i64 = iadd v{}, v{}\n", k - 1, if k > 40 { k - 40 } else { 1 });
    }
    text += "  return v8999\n}\n";
    let places: std::collections::BTreeSet<i32> = checked(&text)
        .into_iter()
        .filter_map(|e| match e {
            Event::Transfer(Transfer::Copy { to: Loc::Frame(_, at), .. }, _) => Some(at),
            _ => None,
        })
        .collect();
    assert!(places.len() > 20, "{} places", places.len());
}

#[test]
fn what_a_loop_carries_survives_its_branch() {
    // One of the branch's two conditions comes from before the loop, and every round asks for it.
    let text = "module \"twice\"\ns0 = export function @f dso_local\nfunction @f sig0 {\n\
        sig0 = (i64, i64) -> (i64) = c (i64, i64) -> i64\n\
        b0(v0: i64, v1: i64):\n  v2: i1 = icmp ne i64 v0, 0:i64\n  jump b1(v1)\n\
        b1(v3: i64):\n  v4: i64 = isub v3, 3:i64\n  v5: i1 = icmp ugt i64 v4, 7:i64\n  v6: i1 = and v2, v5\n\
        br v6, b1(v4), b2\nb2:\n  return v4\n}\n";
    assert!(!checked(text).is_empty());
}

/// Loops in one another, each of which counts in a parameter that starts with the same value.
fn nest(depth: usize) -> String {
    let mut text = String::from("module \"nest\"\ns0 = export function @f dso_local\nfunction @f sig0 {\n");
    text += "  sig0 = (i64) -> (i64) = c (i64) -> i64\nb0(v0: i64):\n  jump b1(v0)\n";
    for k in 1..=depth {
        let next = if k < depth { format!("b{}(v0)", k + 1) } else { format!("b{}", depth + 1) };
        text += &format!("b{k}(v{k}: i64):\n  jump {next}\n");
    }
    for k in (1..=depth).rev() {
        let (block, v) = (2 * depth + 1 - k, 3 * k + depth);
        text +=
            &format!("b{block}:\n  v{v}: i64 = iadd v{k}, {k}:i64\n  v{}: i1 = icmp ult i64 v{v}, 900:i64\n", v + 1);
        text += &format!("  br v{}, b{k}(v{v}), b{}\n", v + 1, block + 1);
    }
    text + &format!("b{}:\n  return v{}\n}}\n", 2 * depth + 1, depth + 3)
}

#[test]
fn deep_nests_are_checked_in_one_walk() {
    // Twelve times as many loops with twelve times as many values each: the square of that. Another walk through the loops
    // for each of them takes some ten thousand times as long.
    let seconds = |depth| {
        let text = nest(depth);
        let runs = (0..3).map(|_| {
            let start = std::time::Instant::now();
            checked(&text);
            start.elapsed().as_secs_f64()
        });
        runs.fold(f64::MAX, f64::min)
    };
    let (few, many) = (seconds(15), seconds(180));
    assert!(many < few * 600.0, "{few} and {many} seconds");
}

/// Control comes to handlers, and from there to their function, with nothing in registers but what the personality routine puts there:
/// a register that the call keeps may be read after the call alone.
#[test]
fn registers_have_nothing_where_funclets_begin_or_end() {
    for (triple, ty) in [("x86_64-pc-windows-msvc", "i64"), ("i686-pc-windows-msvc", "i32")] {
        let windows = AbiTarget::from_triple(triple, Default::default()).unwrap();
        let text = include_str!("allocation/funclets.gir").replace("i64", ty);
        let (module, mut functions) = parse(&text, &mut |s| classify(&windows, s)).unwrap_or_else(|e| panic!("{e}"));
        let target = match windows.pointer_bytes() {
            8 => X86::new_windows(Features::default(), windows.env),
            _ => X86::new_windows_32(Features::default(), windows.env),
        };
        let mut compiler = Compiler::new(&target);
        compiler.check_allocation(true);
        let f = &mut functions[0];
        compiler.compile(&module, f, &mut CompiledFunction::default()).unwrap_or_else(|e| panic!("{triple}: {e}"));
        let events = compiler.log().unwrap().events.clone();
        // The value is stored in the first block, and loaded in three others.
        let place = |e: &Event| match *e {
            Event::Transfer(Transfer::Copy { to: at @ Loc::Frame(..), .. }, _) => Some(at),
            _ => None,
        };
        let (stored, place) = events.iter().enumerate().find_map(|(k, e)| Some((k, place(e)?))).unwrap();
        let loads: Vec<usize> = (stored..events.len())
            .filter(|&k| matches!(events[k], Event::Transfer(Transfer::Copy { from, .. }, _) if from == place))
            .collect();
        let kept = PReg::int(3);
        let by_register = |load: Option<usize>| {
            let mut events = events.clone();
            if let Some(k) = load
                && let Event::Transfer(Transfer::Copy { from, .. }, _) = &mut events[k]
            {
                *from = kept.into();
            }
            let Event::Transfer(Transfer::Copy { from, bytes, .. }, _) = events[stored] else { panic!("{triple}") };
            events.insert(stored, Event::Transfer(Transfer::Copy { from, to: kept.into(), bytes }, kept.mask()));
            compiler.check_events(f, &events).is_ok()
        };
        assert!(by_register(None), "{triple}");
        let accepted: Vec<bool> = loads.iter().map(|&k| by_register(Some(k))).collect();
        assert_eq!(accepted, [true, false, false], "{triple}: {events:?}");
        let mut unstored = events.clone();
        unstored.remove(stored);
        assert!(compiler.check_events(f, &unstored).is_err(), "{triple}");
    }
}
